/**
 * A map with several layers and heads as one picture: one of its heads, or the mean of all.
 * `seq2bert/widgets/still_compare.py` does the same, number for number.
 */

import type { AttentionMap } from "../../shared/state.ts";

/** A layer and a head, from 0. */
export type Head = readonly [layer: number, head: number];

/** The head as a map of its own; without one the mean of all heads of all layers. */
export function oneHead(map: AttentionMap, head: Head | null): AttentionMap {
  if (map.layers * map.heads === 1) return map;
  const numbers = map.queryTokens.map((_, query) => map.keyTokens.map((_, key) => (head ? map.weight(...head, query, key) : mean(map, query, key))));
  return {
    ...map,
    layers: 1,
    heads: 1,
    weight: (_layer, _head, query, key) => numbers[query]?.[key] ?? Number.NaN,
    row: (_layer, _head, query) => [...(numbers[query] ?? [])],
  };
}

/** Summed in double precision and rounded once, as in Python. */
function mean(map: AttentionMap, query: number, key: number): number {
  let sum = 0;
  for (let layer = 0; layer < map.layers; layer += 1) {
    for (let head = 0; head < map.heads; head += 1) sum += map.weight(layer, head, query, key);
  }
  return Math.fround(sum / (map.layers * map.heads));
}

/** The best head of a model as it was handed in, where the map has it. */
export function bestOf(given: unknown, map: AttentionMap | null): Head | null {
  if (!Array.isArray(given) || !map) return null;
  const [layer, head] = given.map(Number);
  if (layer === undefined || head === undefined) return null;
  return Number.isInteger(layer) && Number.isInteger(head) && layer >= 0 && head >= 0 && layer < map.layers && head < map.heads ? [layer, head] : null;
}
