/** Every step of a greedy translation with its states; `seq2bert/stepping.py` answers the same in a kernel. */

import { Refusal } from "../../engine.ts";
import type { Head, Likeness, Stepped, StepsRequest, WalkRecord } from "../../questions.ts";
import type { Answerer } from "../answers.ts";
import { largest } from "../search.ts";
import { LONGEST_TARGET } from "./translate.ts";

const WORDS = 8;

export const steps: Answerer<StepsRequest, Stepped> = async (request, reader, target) => {
  const { head } = request;
  if (!head) throw new Refusal("the vectors of the words are not stored with this page");
  const forced = target.prefix(request.prefix);
  const table = vectors(head, target.size);
  const [encoder] = reader.look("memory.annotations");
  const states: Float32Array[] = encoder ? [encoder] : [];
  const moments: WalkRecord["moments"][number][] = [];
  let [state, token] = [reader.start(), target.bos];
  while (moments.length <= LONGEST_TARGET) {
    const stepped = await reader.step([token], state);
    state = stepped.state;
    const logProbs = stepped.logProbs[0] as Float32Array;
    const [hidden] = reader.look("state.hidden", state);
    const [output] = reader.look("state.output", state);
    if (!hidden || !output) throw new Refusal("this model does not show its states");
    const compared = compare(table, output);
    const order = largest(logProbs, WORDS);
    const chosen = forced[moments.length] ?? (order[0] as number);
    // at the limit only <eos> may still come
    if (moments.length === LONGEST_TARGET && chosen !== target.eos) break;
    const row = (id: number): Likeness => {
      const { dot, cosine } = compared[id] as Compared;
      return [target.word(id), dot, cosine, logProbs[id] ?? 0];
    };
    const nearest = compared.reduce((best, { cosine }, id) => (cosine > (compared[best] as Compared).cosine ? id : best), 0);
    moments.push({ read: target.word(token), written: row(chosen), best: order.map(row), nearest: row(nearest) });
    states.push(hidden);
    token = chosen;
    if (token === target.eos) break;
  }
  const hidden = (states[states.length - 1] as Float32Array).length;
  const numbers = new Float32Array((request.source.length + moments.length) * hidden);
  let at = 0;
  for (const part of states) {
    numbers.set(part, at);
    at += part.length;
  }
  return {
    answer: { source: request.source, moments, hidden, offset: 0 },
    buffers: [new DataView(numbers.buffer)],
  };
};

interface Compared {
  dot: number;
  cosine: number;
}

interface Table {
  rows: Float64Array[];
  lengths: number[];
}

/** The vectors of all words, from half precision. */
function vectors({ vectors: bytes, offset, width }: Head, words: number): Table {
  if (bytes.byteLength < 2 * (offset + words * width)) throw new Refusal("the vectors of the words are not stored whole");
  const rows = Array.from({ length: words }, (_, word) =>
    Float64Array.from({ length: width }, (_, at) => half(bytes.getUint16(2 * (offset + word * width + at), true))),
  );
  return { rows, lengths: rows.map(length) };
}

/** A number in half precision (IEEE 754 binary16) from its bits. */
export function half(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0x1f) return fraction ? NaN : sign * Infinity;
  return sign * (exponent === 0 ? fraction * 2 ** -24 : (1 + fraction / 1024) * 2 ** (exponent - 15));
}

function length(row: ArrayLike<number>): number {
  return Math.sqrt(Array.from(row).reduce((sum, number) => sum + number * number, 0));
}

function compare({ rows, lengths }: Table, output: Float32Array): Compared[] {
  const own = length(output);
  return rows.map((row, word) => {
    const dot = row.reduce((sum, number, at) => sum + number * (output[at] ?? 0), 0);
    const both = own * (lengths[word] ?? 0);
    return { dot, cosine: both > 0 ? dot / both : 0 };
  });
}
