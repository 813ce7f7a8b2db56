/** One sentence on its way, as `seq2bert/widgets/stepthrough.py` writes it, and what its steps are. */

import type { Likeness, WalkRecord } from "../../engines/questions.ts";
import { StateError } from "../../shared/state.ts";
import { probabilityText } from "../../shared/alternatives.ts";
import { shown } from "../../shared/tokens.ts";

export const EOS = "<eos>";

/** A word and what the decoder thought of it. */
export interface Word {
  token: string;
  dot: number;
  cosine: number;
  probability: number;
}

export interface Moment {
  read: string;
  written: Word;
  best: readonly Word[];
  nearest: Word;
}

export interface Walk {
  source: readonly string[];
  moments: readonly Moment[];
  hidden: number;
  /** The states of the encoder, then those of the decoder. */
  states: readonly (readonly number[])[];
  /** How far each state is from the one before; the first one from zeros. */
  changes: readonly number[];
}

/** Where a step takes place. */
export type Place =
  | { who: "encoder"; word: number }
  | { who: "hand-over" }
  | { who: "decoder"; moment: number };

/** Throws a StateError that says what is wrong. */
export function decodeWalk(record: unknown, numbers: unknown): Walk {
  const stored = record as Partial<WalkRecord> | null;
  const { source, moments, hidden, offset } = stored ?? {};
  if (!Array.isArray(source) || source.length === 0 || !Array.isArray(moments) || moments.length === 0) {
    throw new StateError("its sentence or its steps are missing");
  }
  if (!Number.isInteger(hidden) || (hidden as number) < 1 || !Number.isInteger(offset) || (offset as number) < 0) {
    throw new StateError("it does not say how wide its states are");
  }
  const width = hidden as number;
  const bytes = asDataView(numbers);
  const rows = source.length + moments.length;
  if (((offset as number) + rows * width) * 4 > bytes.byteLength) {
    throw new StateError(`${rows} states of ${width} numbers are needed, and there are fewer`);
  }
  const states = Array.from({ length: rows }, (_, row) =>
    Array.from({ length: width }, (_, at) => bytes.getFloat32(4 * ((offset as number) + row * width + at), true)),
  );
  if (states.some((state) => state.some((number) => !(Math.abs(number) <= 1.001)))) {
    throw new StateError("a state holds a number outside -1 to 1");
  }
  return { source: source.map(String), moments: moments.map(moment), hidden: width, states, changes: distances(states) };
}

function asDataView(numbers: unknown): DataView {
  if (numbers instanceof DataView) return numbers;
  if (numbers instanceof ArrayBuffer) return new DataView(numbers);
  if (ArrayBuffer.isView(numbers)) return new DataView(numbers.buffer, numbers.byteOffset, numbers.byteLength);
  throw new StateError("the states are missing");
}

function moment({ read, written, best, nearest }: WalkRecord["moments"][number]): Moment {
  if (!Array.isArray(written) || !Array.isArray(best) || !Array.isArray(nearest)) {
    throw new StateError("a step does not say what was written");
  }
  return { read: String(read), written: word(written), best: best.map(word), nearest: word(nearest) };
}

function word([token, dot, cosine, logProb]: Likeness): Word {
  return { token, dot, cosine, probability: Math.exp(logProb) };
}

function distances(states: readonly (readonly number[])[]): number[] {
  return states.map((state, row) =>
    Math.sqrt(state.reduce((sum, number, at) => sum + (number - (states[row - 1]?.[at] ?? 0)) ** 2, 0)),
  );
}

/** How many steps there are: one for each word read, the hand-over, one for each word written. */
export function steps({ source, moments }: Walk): number {
  return source.length + 1 + moments.length;
}

/** The first step of the decoder: both halves are to be seen there. */
export function firstShown({ source }: Walk): number {
  return source.length + 2;
}

export function placeOf(walk: Walk, step: number): Place {
  if (step <= walk.source.length) return { who: "encoder", word: step - 1 };
  if (step === walk.source.length + 1) return { who: "hand-over" };
  return { who: "decoder", moment: step - walk.source.length - 2 };
}

/** A word of the translation as it is shown; the end has a word of its own. */
export function said(token: string): string {
  return token === EOS ? "end" : shown(token);
}

/** What happens at a step, in one sentence. */
export function sentence(walk: Walk, step: number): string {
  const place = placeOf(walk, step);
  if (place.who === "encoder") {
    const moved = (walk.changes[place.word] ?? 0).toFixed(1);
    return `The encoder reads ${shown(walk.source[place.word] ?? "")}; its state moves by ${moved}.`;
  }
  if (place.who === "hand-over") {
    return `The last state is handed over: c = h${walk.source.length} = s0. The English is not looked at again.`;
  }
  const { read, written } = walk.moments[place.moment] as Moment;
  const writes = written.token === EOS ? "the end" : shown(written.token);
  return `The decoder reads ${shown(read)} and writes ${writes}, probability ${probabilityText(written.probability)}.`;
}
