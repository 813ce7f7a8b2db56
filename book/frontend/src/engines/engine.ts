/**
 * Where a widget's numbers come from: one interface, and behind it a kernel or the browser.
 *
 * Requests and answers are what `seq2bert/widgets/translate.py` reads and writes.
 */

import type { Cell } from "../shared/state.ts";

/** What a translator is asked. */
export interface Request {
  /** The words of the sentence; unknown ones are read as `<unk>`. */
  source: readonly string[];
  /** Which model, by its place in the widget's list. */
  model: number;
  /** Words that the translation begins with. */
  prefix: readonly string[];
  /** Of the beam; 1 is greedy search. */
  width: number;
  /** Divides the logits of the output. */
  temperature: number;
  /** Multiplies the energies of attention. */
  scale: number;
}

export interface Step {
  token: string;
  log_prob: number;
  /** The likeliest tokens at this place, best first. */
  alternatives: readonly (readonly [token: string, logProb: number])[];
}

export interface Gold {
  source: readonly string[];
  target: readonly string[];
  sure: readonly Cell[];
  possible: readonly Cell[];
}

export interface Answer {
  source: readonly string[];
  /** One for each written token, `<eos>` included if it came. */
  steps: readonly Step[];
  /** What the search found, best first: tokens without `<eos>`, and log p divided by the length. */
  hypotheses: readonly (readonly [tokens: readonly string[], score: number])[];
  /** The truth about the sentence; null when it is none of the language, left out when not known here. */
  gold?: Gold | null;
}

/** An answer with its attention as it is stored: a record and float32 numbers. */
export interface Answered {
  answer: Answer;
  map: Record<string, unknown>;
  weights: DataView;
}

/** Why there is no answer; the message is for the reader. */
export class Refusal extends Error {}

export interface Engine {
  /** Get ready to answer for a model, so that the first answer need not wait. */
  prepare(model: number): Promise<void>;
  /** Rejects with a `Refusal` when there is an answer to give but not to this request. */
  translate(request: Request): Promise<Answered>;
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
