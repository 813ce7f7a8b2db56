/** Sentence pairs as Python stores many of them (`seq2bert/widgets/compact.py`), and unfolded. */

import type { Cell } from "./state.ts";

/** Source, target, sure links, links that are only possible; links are flat: target, source, ... */
export type ShortPair = readonly [source: string, target: string, sure: number[], possible: number[]];

/** A pair with its gold links, as cells (query, key) of a picture: (target, source). */
export interface LongPair {
  source: readonly string[];
  target: readonly string[];
  sure: readonly Cell[];
  /** All that one may draw: the sure ones too, first. */
  possible: readonly Cell[];
}

export function longPair([source, target, sure, possible]: ShortPair): LongPair {
  const cells = (flat: readonly number[]): Cell[] =>
    Array.from({ length: flat.length / 2 }, (_, at) => [flat[2 * at] as number, flat[2 * at + 1] as number] as const);
  return { source: source.split(" "), target: target.split(" "), sure: cells(sure), possible: [...cells(sure), ...cells(possible)] };
}

/** The words with which sentences begin, the commonest first. */
export function openers(pairs: readonly { source: readonly string[] }[]): string[] {
  const counts = new Map<string, number>();
  for (const { source } of pairs) counts.set(source[0] ?? "", (counts.get(source[0] ?? "") ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1]).map(([word]) => word).slice(0, 7);
}
