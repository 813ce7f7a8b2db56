/**
 * Reading a map as a word alignment, and scoring links against gold.
 *
 * `seq2bert/metrics.py` and `AttentionMap.argmax` are the twins of this file; the fixture
 * `tests/fixture.json` keeps them together.
 */

import type { AttentionMap, Cell } from "./state.ts";

/** The counts behind an alignment error rate. */
export interface AlignmentScore {
  /** Links that were drawn, |A|. */
  predicted: number;
  /** Sure links of gold, |S|. */
  sure: number;
  /** Drawn links that are sure, |A ∩ S|. */
  hitsSure: number;
  /** Drawn links that are possible, |A ∩ P|; every sure link is possible. */
  hitsPossible: number;
}

export type Gold = Pick<AttentionMap, "sure" | "possible">;

/** A cell as the key of a set. */
export const cellName = (query: number, key: number): string => `${query},${key}`;

/** Some cells as a set of their names. */
export function cellSet(cells: readonly Cell[]): Set<string> {
  return new Set(cells.map(([query, key]) => cellName(query, key)));
}

/** The model's links: for each query the first of its largest weights; none for a row of zeros. */
export function argmax(map: AttentionMap, layer = 0, head = 0): Cell[] {
  return map.queryTokens.flatMap((_, query): Cell[] => {
    const row = map.row(layer, head, query);
    return row.some((weight) => weight !== 0) ? [[query, row.indexOf(Math.max(...row))]] : [];
  });
}

/** Compare drawn links with gold; a link that is drawn twice counts once. */
export function scoreAlignment(drawn: readonly Cell[], gold: Gold): AlignmentScore {
  const links = cellSet(drawn);
  const sure = cellSet(gold.sure);
  const possible = cellSet([...gold.possible, ...gold.sure]);
  return {
    predicted: links.size,
    sure: sure.size,
    hitsSure: [...links].filter((link) => sure.has(link)).length,
    hitsPossible: [...links].filter((link) => possible.has(link)).length,
  };
}

/** AER = 1 − (|A ∩ S| + |A ∩ P|) / (|A| + |S|) (Och and Ney, 2003, eq. 21). */
export function errorRate(score: AlignmentScore): number {
  return 1 - (score.hitsSure + score.hitsPossible) / total(score);
}

/** The same with sure links alone (P = S): every other link counts as an error. */
export function errorRateSure(score: AlignmentScore): number {
  return 1 - (2 * score.hitsSure) / total(score);
}

function total({ predicted, sure }: AlignmentScore): number {
  if (predicted + sure === 0) {
    throw new RangeError("no predicted and no sure links; the error rate is not defined");
  }
  return predicted + sure;
}
