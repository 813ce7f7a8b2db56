/** The sentences of the mask explorer, as `seq2bert.widgets.masks` writes them. */

import type { Piece } from "../../shared/readout.ts";
import { signed } from "../playground/plane.ts";
import { otherWord, type Outcome } from "./attention.ts";

export const INVITATION = "Point at a cell, or move with the arrow keys; Enter or a click allows or forbids it.";

/** Which rows of the words changed with the last one; `far` is how far each moved. */
export function leakSays(last: string, far: readonly number[]): string {
  const told = `“${last}” became “${otherWord(last)}”`;
  const rows = [...far.keys()].filter((at) => far[at] !== 0).map((at) => String(at + 1));
  const final = rows.at(-1);
  if (final === undefined) return `${told}: no row of a word changes.`;
  if (rows.length === 1 && final === String(far.length)) {
    return `${told}: of ${far.length} words only row ${final}, the last, changes. No leak.`;
  }
  const several = rows.length > 1 ? `${rows.slice(0, -1).join(", ")} and ${final} change` : `${final} changes`;
  const right = "Rows before the last see a word on their right: an encoder may, a decoder must not.";
  return `${told}: row${rows.length > 1 ? "s" : ""} ${several}. ${right}`;
}

/** "query sings (2) → key <pad> (4): forbidden, weight exactly 0." */
export function cellSays({ words, allowed, energies, weights }: Outcome, query: number, key: number, byHand: boolean): Piece[] {
  const may = allowed[query]?.[key];
  const energy = signed(energies[query]?.[key] ?? 0);
  const says = may ? `allowed, energy ${energy}, weight ${(weights[query]?.[key] ?? 0).toFixed(2)}` : "forbidden, weight exactly 0";
  const empty = allowed[query]?.some(Boolean) ? "" : " This query may attend to no key: its row is 0.";
  return [
    "query ",
    { token: words[query] ?? "", role: "query" },
    ` (${query + 1}) → key `,
    { token: words[key] ?? "", role: "key" },
    ` (${key + 1}): ${says}${byHand ? ", switched by hand" : ""}.${empty}`,
  ];
}

/** One sentence for those who do not see the picture of the mask. */
export function describeMask(allowed: readonly (readonly boolean[])[]): string {
  const count = allowed.flat().filter(Boolean).length;
  return `Mask: ${allowed.length} queries in rows, ${allowed.length} keys in columns; ${count} of ${allowed.length ** 2} cells allowed.`;
}

/** What is wrong with the lines that the reader typed; empty when nothing is. */
export function faultOf(lines: readonly (readonly string[])[], mostSentences: number, mostWords: number): string {
  if (lines.every((words) => words.length === 0)) return "There is no word yet: type a sentence.";
  if (lines.length > mostSentences) return `${lines.length} sentences; at most ${mostSentences} make the batch here: leave some out.`;
  const longest = Math.max(...lines.map((words) => words.length));
  return longest > mostWords ? `${longest} words in a sentence; at most ${mostWords} are shown: shorten it.` : "";
}
