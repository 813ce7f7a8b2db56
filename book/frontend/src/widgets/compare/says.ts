/**
 * What is said about a model and a sentence; `seq2bert/widgets/still_compare.py` says the same in
 * the still picture.
 */

import { argmax, errorRate, scoreAlignment } from "../../shared/alignment.ts";
import { html } from "../../shared/dom.ts";
import type { AttentionMap } from "../../shared/state.ts";
import { shown } from "../../shared/tokens.ts";
import { format } from "../../shared/weights.ts";
import type { Head } from "./heads.ts";

export const EOS = "<eos>";

/** One model and one sentence. */
export interface Compared {
  title: string;
  /** What it writes by itself, without `<eos>`. */
  written: readonly string[];
  /** What it should write; null where that is not known. */
  reference: readonly string[] | null;
  /**
   * The attention of each word of the reference, or of what it writes where there is none, as it is
   * drawn: with one head. Null for a model without cross-attention.
   */
  map: AttentionMap | null;
  /** How many heads it has in all layers. */
  heads: number;
  /** Which of them is drawn; null for the mean of all. */
  head: Head | null;
}

/** Does it write the reference by itself? Null where that is not known. */
export function right({ written, reference }: Compared): boolean | null {
  return reference === null ? null : written.join(" ") === reference.join(" ");
}

/** The alignment error of its picture, the row of `<eos>` left out; null without gold. */
export function error({ map }: Compared): number | null {
  if (!map || map.sure.length === 0) return null;
  const last = map.queryTokens[map.queryTokens.length - 1] === EOS ? map.queryTokens.length - 1 : -1;
  return errorRate(scoreAlignment(argmax(map).filter(([query]) => query !== last), map));
}

function sentence(words: readonly string[]): string {
  return words.map(shown).join(" ") || "(nothing)";
}

/** The two lines below its picture. */
export function facts(one: Compared): [string, string] {
  const good = right(one);
  // without a picture the words stand in its place
  if (good === null) return [one.map ? sentence(one.written) : "no reference", ""];
  const wrong = error(one);
  return [good ? "✓ right" : "✗ other words", wrong === null ? "" : `error ${format(wrong)}`];
}

/** Which of its heads the picture of a model shows. */
export function drawnNote({ map, heads, head }: Compared): string {
  if (!map) return "none";
  if (heads === 1) return "its only head";
  return head ? `layer ${head[0] + 1}, head ${head[1] + 1}` : `mean of ${heads} heads`;
}

/** What the large picture is called: the model, and which of its heads where it has several. */
export function nameOf(one: Compared): string {
  return one.heads > 1 ? `${one.title}, ${drawnNote(one)}` : one.title;
}

/** Has some model not just one head, so that each picture says what it shows? */
export function mixed(compared: readonly Compared[]): boolean {
  return compared.some(({ heads }) => heads !== 1);
}

/** What stands in the place of the small picture of a model without attention. */
export function noPicture({ written }: Compared): [string, string] {
  return ["No attention, so no picture.", `It writes: ${sentence(written)}`];
}

/** What stands in the place of the large picture of a model without attention. */
export function noPictureNote(title: string): string {
  return (
    `There is no picture of ${title}: this translator has no attention. It reads the sentence once, ` +
    "and while it writes it looks back at none of its words."
  );
}

export const CHOICE = "Heads";
/** What may be drawn of a model with several heads. */
export const DRAWS: Readonly<Record<string, string>> = { mean: "mean of all heads", best: "best head" };

/** What the rows of all pictures are; `without` counts the models without attention. */
export function rowsNote(count: number, reference: readonly string[] | null, without = 0): string {
  if (reference === null) {
    return (
      "The reference of this sentence is not known here: each model is shown with the words that it writes " +
      "itself, and there is no alignment error."
    );
  }
  if (without === count) {
    return (
      `No model here has attention, so there is no picture. The reference is “${reference.join(" ")}”; ` +
      "below each: whether it writes that by itself."
    );
  }
  let made = count === 1 ? "The model was" : `All ${count} models were`;
  if (without > 0) made = count - without === 1 ? "The model with attention was" : "The models with attention were";
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
export const HEADS_MIXED = ["right", "error", "attention", "writes"] as const;

/** A row of the table; where models are `mixed`, with what is drawn of each. */
export function cells(one: Compared, several = false): string[] {
  const good = right(one);
  const wrong = error(one);
  return [
    good === null ? "not known" : good ? "yes" : "no",
    one.map ? (wrong === null ? "not known" : format(wrong)) : "none",
    ...(several ? [drawnNote(one)] : []),
    one.written.map(shown).join(" "),
  ];
}

/** The text twin of the gallery; a model without an answer has a sentence in place of its cells. */
export function modelTable(rows: readonly (readonly [compared: Compared, instead: string | null])[]): HTMLTableElement {
  const several = mixed(rows.map(([one]) => one));
  const heads = (several ? HEADS_MIXED : HEADS).map((name) => html("th", { scope: "col" }, name));
  const lines = rows.map(([one, instead]) =>
    html(
      "tr",
      {},
      html("th", { scope: "row" }, one.title),
      ...(instead === null ? cells(one, several) : ["", "", ...(several ? [""] : []), instead]).map((text) => html("td", {}, html("bdi", {}, text))),
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
