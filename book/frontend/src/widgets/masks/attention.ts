/** A batch, its mask, and the weights and outputs under it, as `seq2bert.widgets.masks` computes them. */

import { SIZE, wordNumbers } from "./numbers.ts";

export const PAD = "<pad>";
export const ENERGIES = ["from the words", "all the same"] as const;

/** A cell of a sentence: which sentence, which query, which key. */
export type Place = readonly [sentence: number, query: number, key: number];

export interface Batch {
  sentences: readonly string[];
  /** Which sentence is shown, and has its last word changed. */
  sentence: number;
  padding: boolean;
  causal: boolean;
  /** How far away a key may stand; 0 for any distance. */
  window: number;
  energy: string;
  switched: readonly Place[];
}

export interface Outcome {
  words: string[];
  allowed: boolean[][];
  energies: number[][];
  weights: number[][];
  output: number[][];
}

/** The words between blanks. */
export function split(sentence: string): string[] {
  return sentence.split(/\s+/).filter(Boolean);
}

/** What the last word is changed to. */
export function otherWord(word: string): string {
  return word === "something" ? "nothing" : "something";
}

/** The sentences, filled up to the same length. */
export function filled({ sentences, sentence }: Pick<Batch, "sentences" | "sentence">, changed: boolean): string[][] {
  const rows = sentences.map(split);
  const row = rows[sentence];
  const last = row?.at(-1);
  if (changed && row && last !== undefined) row[row.length - 1] = otherWord(last);
  const longest = Math.max(...rows.map((words) => words.length));
  return rows.map((words) => [...words, ...Array<string>(longest - words.length).fill(PAD)]);
}

/** What the sentence that is shown gives, as it stands or with its last word changed. */
export function attend(batch: Batch, changed: boolean): Outcome {
  const words = filled(batch, changed)[batch.sentence] ?? [];
  const allowed = mask(batch, words);
  const numbers = (role: "query" | "key" | "value"): number[][] => words.map((word) => wordNumbers(word, role));
  const [queries, keys, values] = [numbers("query"), numbers("key"), numbers("value")];
  const same = batch.energy === ENERGIES[1];
  const energies = queries.map((query) => keys.map((key) => (same ? 0 : dot(query, key) / Math.sqrt(SIZE))));
  const weights = energies.map((row, query) => softmax(row, allowed[query] as boolean[]));
  const output = weights.map((row) =>
    Array.from({ length: SIZE }, (_, feature) => row.reduce((sum, weight, key) => sum + weight * (values[key]?.[feature] ?? 0), 0)),
  );
  return { words, allowed, energies, weights, output };
}

/** How far each output moves when the last word changes; 0: not at all. */
export function moved(batch: Batch): number[] {
  const [before, after] = [attend(batch, false).output, attend(batch, true).output];
  return before.map((row, query) => Math.max(...row.map((number, at) => Math.abs(number - (after[query]?.[at] ?? 0)))));
}

function mask({ sentence, padding, causal, window, switched }: Batch, words: readonly string[]): boolean[][] {
  const byHand = new Set(switched.map(String));
  return words.map((_, query) =>
    words.map((word, key) => {
      const may = !(padding && word === PAD) && !(causal && key > query) && !(window > 0 && Math.abs(key - query) > window);
      return may !== byHand.has(String([sentence, query, key]));
    }),
  );
}

const dot = (one: readonly number[], other: readonly number[]): number =>
  one.reduce((sum, number, at) => sum + number * (other[at] ?? 0), 0);

/** A key that is not allowed gets exactly 0, and so do all when none is. */
function softmax(energies: readonly number[], allowed: readonly boolean[]): number[] {
  const most = Math.max(...energies.filter((_, at) => allowed[at]));
  const powers = energies.map((energy, at) => (allowed[at] ? Math.exp(energy - most) : 0));
  const sum = powers.reduce((a, b) => a + b, 0);
  return powers.map((power) => (sum === 0 ? 0 : power / sum));
}
