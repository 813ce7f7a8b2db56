/**
 * What is said about a model and a sentence; `seq2bert/widgets/still_compare.py` says the same in
 * the still picture.
 */

import { argmax, errorRate, scoreAlignment } from "../../shared/alignment.ts";
import { html } from "../../shared/dom.ts";
import type { AttentionMap } from "../../shared/state.ts";
import { shown } from "../../shared/tokens.ts";
import { format } from "../../shared/weights.ts";

export const EOS = "<eos>";

/** One model and one sentence. */
export interface Compared {
  title: string;
  /** What it writes by itself, without `<eos>`. */
  written: readonly string[];
  /** What it was made to write; null where that is not known. */
  reference: readonly string[] | null;
  /** The attention of each word of the reference, or of what it writes where there is none. */
  map: AttentionMap;
}

/** Does it write the reference by itself? Null where that is not known. */
export function right({ written, reference }: Compared): boolean | null {
  return reference === null ? null : written.join(" ") === reference.join(" ");
}

/** The alignment error of this sentence, the row of `<eos>` left out; null without gold. */
export function error({ map }: Compared): number | null {
  if (map.sure.length === 0) return null;
  const last = map.queryTokens[map.queryTokens.length - 1] === EOS ? map.queryTokens.length - 1 : -1;
  return errorRate(scoreAlignment(argmax(map).filter(([query]) => query !== last), map));
}

function sentence(words: readonly string[]): string {
  return words.map(shown).join(" ") || "(nothing)";
}

/** The two lines below its picture. */
export function facts(one: Compared): [string, string] {
  const good = right(one);
  if (good === null) return [sentence(one.written), ""];
  const wrong = error(one);
  return [good ? "✓ right" : "✗ other words", wrong === null ? "" : `error ${format(wrong)}`];
}

/** What the rows of all pictures are. */
export function rowsNote(count: number, reference: readonly string[] | null): string {
  if (reference === null) {
    return (
      "The reference of this sentence is not known here: each model is shown with the words that it writes " +
      "itself, and there is no alignment error."
    );
  }
  const made = count === 1 ? "The model was" : `All ${count} models were`;
  return (
    `${made} made to write the reference, “${reference.join(" ")}”, so that all pictures have the same rows. ` +
    "Below each: whether it writes that by itself, and the alignment error of its picture."
  );
}

/** What the chosen model writes by itself. */
export function writesNote(one: Compared): string {
  const good = right(one);
  if (good === null) return `${one.title} writes: ${sentence(one.written)}`;
  if (good) return `Left to itself, ${one.title} writes the reference.`;
  return `Left to itself, ${one.title} writes: ${sentence(one.written)}`;
}

export const CAPTION = "What each model writes by itself, and the alignment error of its picture";
export const HEADS = ["right", "error", "writes"] as const;

/** A row of the table. */
export function cells(one: Compared): [string, string, string] {
  const good = right(one);
  const wrong = error(one);
  return [
    good === null ? "not known" : good ? "yes" : "no",
    wrong === null ? "not known" : format(wrong),
    one.written.map(shown).join(" "),
  ];
}

/** The text twin of the gallery; a model without an answer has a sentence in place of its cells. */
export function modelTable(rows: readonly (readonly [compared: Compared, instead: string | null])[]): HTMLTableElement {
  const heads = HEADS.map((name) => html("th", { scope: "col" }, name));
  const lines = rows.map(([one, instead]) =>
    html(
      "tr",
      {},
      html("th", { scope: "row" }, one.title),
      ...(instead === null ? cells(one) : ["", "", instead]).map((text) => html("td", {}, html("bdi", {}, text))),
    ),
  );
  return html(
    "table",
    { class: "s2b-table s2b-models" },
    html("caption", {}, CAPTION),
    html("thead", {}, html("tr", {}, html("td"), ...heads)),
    html("tbody", {}, ...lines),
  );
}
