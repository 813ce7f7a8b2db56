/** Where a widget's numbers come from: one interface, and behind it a kernel or the browser. */

/** What every question names. */
export interface Question {
  /** The words of the sentence; unknown ones are read as `<unk>`. */
  source: readonly string[];
  /** Which model, by its place in the widget's list. */
  model: number;
  /** Divides the logits of the output; 1 when left out. */
  temperature?: number;
  /** Multiplies the energies of attention; 1 when left out. */
  scale?: number;
  /** For some kinds of attention a factor for each head of each layer; 1 when left out, 0 is off. */
  head_mask?: HeadMask;
}

/** By kind of attention: for each layer a list of factors, one for each head. */
export type HeadMask = Readonly<Record<string, readonly (readonly number[])[]>>;

/** What every answer may bring: numbers, beside what it says. */
export interface Reply {
  buffers: readonly DataView[];
}

/** Why there is no answer; the message is for the reader. */
export class Refusal extends Error {}

/** Something that is needed for any answer could not be loaded; another try may help. */
export class Missing extends Refusal {}

export interface Engine {
  /** Get ready to answer for a model, so that the first answer need not wait. */
  prepare(model: number): Promise<void>;
  /**
   * Ask a question of some kind (`questions.ts`). Rejects with a `Refusal` when there is an answer
   * to give but not to this question.
   */
  ask<A extends Reply>(kind: string, question: Question): Promise<A>;
}

/** A model of a widget's list. `stored` names its files on the site. */
export interface ListedModel {
  title: string;
  stored: { name: string; files: readonly StoredFile[] } | null;
}

export interface StoredFile {
  file: string;
  bytes: number;
  sha256: string;
}

/** What an engine needs to know of the widget that it works for. */
export interface Subject {
  models: readonly ListedModel[];
  sourceWords: readonly string[];
  targetWords: readonly string[];
}

/** Hears how loading goes on: bytes so far and in all. */
export type Progress = (loaded: number, total: number) => void;
