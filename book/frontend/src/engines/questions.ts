/**
 * What can be asked, kind by kind, and what comes back.
 *
 * `seq2bert/widgets` reads and writes the same; in the browser `browser/answers.ts` answers.
 */

import type { Cell } from "../shared/state.ts";
import type { HeadMask, Question, Reply } from "./engine.ts";

/** What a translator is asked. */
export interface Request extends Question {
  /** Words that the translation begins with. */
  prefix: readonly string[];
  /** Of the beam; 1 is greedy search. */
  width: number;
  temperature: number;
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

/**
 * An answer with its cross-attention as it is stored: a record, and float32 numbers as the only
 * buffer; of a translator that has none, null and no buffer.
 */
export interface Answered extends Reply {
  answer: Answer;
  map: Record<string, unknown> | null;
}

/** What a beam search is asked for: all that it looked at (`widgets/beamtree`). */
export interface TreeRequest extends Question {
  /** Of the beam; 1 is greedy search. */
  width: number;
}

export interface TreeAnswer {
  source: readonly string[];
  width: number;
  /** Parents before children; the parent of a first word is -1, what was kept has a 1. */
  nodes: readonly (readonly [parent: number, token: string, logProb: number, kept: number])[];
  /** The nodes at which the results end, the best first. */
  found: readonly number[];
}

export interface TreeAnswered extends Reply {
  answer: TreeAnswer;
}

/** What the next word may be, after some words of the translation (`widgets/distribution`). */
export interface NextRequest extends Question {
  /** Words that are written already. */
  prefix: readonly string[];
}

export interface NextAnswer {
  source: readonly string[];
  prefix: readonly string[];
}

/** With the log-probabilities of all words of the target vocabulary as the only buffer. */
export interface NextAnswered extends Reply {
  answer: NextAnswer;
}

/** What is asked of an encoder-decoder: every step of its translation. */
export interface StepsRequest extends Question {
  /** Words that the translation begins with. */
  prefix: readonly string[];
  /** What a kernel has and a page without one must be given. */
  head?: Head;
}

/** The vectors of the words in half precision; those of this model begin at number `offset`. */
export interface Head {
  offset: number;
  width: number;
  vectors: DataView;
}

/** A word beside an output vector; the log-probability counts the bias, the dot product does not. */
export type Likeness = readonly [token: string, dot: number, cosine: number, logProb: number];

export interface WalkRecord {
  source: readonly string[];
  /** One for each written token, `<eos>` included if it came. */
  moments: readonly {
    read: string;
    written: Likeness;
    best: readonly Likeness[];
    nearest: Likeness;
  }[];
  /** How wide a state is, and where the states begin among the numbers. */
  hidden: number;
  offset: number;
}

/** Every step, and the states as the only buffer: those of the encoder, then those of the decoder. */
export interface Stepped extends Reply {
  answer: WalkRecord;
}

/** A translation with some heads off (`widgets/heads`), beside the one with all heads on. */
export interface HeadsRequest extends Question {
  head_mask: HeadMask;
}

export interface HeadsAnswered extends Reply {
  answer: Answer;
  /** What is written with all heads on, without `<eos>`. */
  whole: readonly string[];
  /** A record for each kind of attention; their numbers stand one after another in the only buffer. */
  maps: readonly Record<string, unknown>[];
}

/** How many held-out sentences come out exactly right with some heads off. */
export interface AccuracyRequest extends Question {
  head_mask: HeadMask;
  /** What a kernel has and a page without one must be given. */
  held_out?: readonly (readonly [source: string, target: string])[];
  /** The count with all heads, where it is known; only a page may say so, whose model stays the same. */
  whole?: number;
}

export interface AccuracyAnswered extends Reply {
  right: number;
  whole: number;
  total: number;
}
