/** What is only there once the answer is shown: legend, scores, table, and what is said of a cell. */

import {
  argmax,
  cellName,
  cellSet,
  errorRate,
  errorRateSure,
  scoreAlignment,
  type AlignmentScore,
} from "../../shared/alignment.ts";
import { html } from "../../shared/dom.ts";
import { goldSample, scaleLegend } from "../../shared/legend.ts";
import { markSample } from "../../shared/marks.ts";
import { goldKinds } from "../../shared/picture.ts";
import type { AttentionMap, Cell } from "../../shared/state.ts";
import { table } from "../../shared/table.ts";
import { format } from "../../shared/weights.ts";
import { tableCaption } from "../../shared/words.ts";

/** An example with what the reader marked in it. */
export class Marked {
  readonly you: AlignmentScore;
  readonly model: AlignmentScore;
  private readonly marked: ReadonlySet<string>;
  private readonly links: ReadonlySet<string>;
  private readonly sure: ReadonlySet<string>;
  private readonly possible: ReadonlySet<string>;

  constructor(
    readonly map: AttentionMap,
    readonly marks: readonly Cell[],
  ) {
    const links = argmax(map);
    this.you = scoreAlignment(marks, map);
    this.model = scoreAlignment(links, map);
    this.marked = cellSet(marks);
    this.links = cellSet(links);
    this.sure = cellSet(map.sure);
    this.possible = cellSet(map.possible);
  }

  isMarked(query: number, key: number): boolean {
    return this.marked.has(cellName(query, key));
  }

  /** How many rows have a mark. */
  get words(): number {
    return new Set(this.marks.map(([query]) => query)).size;
  }

  /** "marked" or "not marked": all that may be said while the answer is hidden. */
  hidden(query: number, key: number): string {
    return this.isMarked(query, key) ? "marked" : "not marked";
  }

  /** "0.87, marked, model's link, gold: sure". */
  answer(query: number, key: number): string {
    return [format(this.map.weight(0, 0, query, key)), ...this.facts(query, key)].join(", ");
  }

  facts(query: number, key: number): string[] {
    const at = cellName(query, key);
    const facts = [];
    if (this.marked.has(at)) facts.push("marked");
    if (this.links.has(at)) facts.push("model's link");
    if (this.sure.has(at)) facts.push("gold: sure");
    else if (this.possible.has(at)) facts.push("gold: possible");
    return facts;
  }

  /** What the line below the picture says once the answer is shown. */
  summary(): string {
    const model = errorRate(this.model).toFixed(2);
    if (this.marks.length === 0) {
      return `You marked nothing. The model drew ${links(this.model)}: alignment error rate ${model}.`;
    }
    const you = errorRate(this.you).toFixed(2);
    return `You drew ${links(this.you)}: alignment error rate ${you}. The model drew ${links(this.model)}: ${model}.`;
  }
}

const links = ({ predicted }: AlignmentScore): string => `${predicted} ${predicted === 1 ? "link" : "links"}`;

/** Legend of the answer. */
export function legend(map: AttentionMap): HTMLElement {
  const gold = goldKinds(map).flatMap((kind) => [goldSample(kind), kind]);
  return html(
    "div",
    { class: "s2b-foot" },
    scaleLegend(),
    html("span", { class: "s2b-legend" }, "gold links", ...gold),
    html("span", { class: "s2b-legend" }, markSample(), "your mark"),
  );
}

/** The weights as a table, with words for marks and links. */
export function answerTable(marked: Marked): HTMLTableElement {
  const { map } = marked;
  return table({
    caption: `${tableCaption(map, 0, 0)}; marks and links in words`,
    queryTokens: map.queryTokens,
    keyTokens: map.keyTokens,
    weight: (query, key) => map.weight(0, 0, query, key),
    note: (query, key) => marked.facts(query, key).join(", "),
  });
}

/** Counts and error rates of the reader and of the model, side by side. */
export function scores({ you, model }: Marked): HTMLElement {
  const lines: [string, (score: AlignmentScore) => string][] = [
    ["links drawn, |A|", (score) => String(score.predicted)],
    ["of these sure in gold, |A ∩ S|", (score) => String(score.hitsSure)],
    ["of these sure or possible, |A ∩ P|", (score) => String(score.hitsPossible)],
    ["sure links in gold, |S|", (score) => String(score.sure)],
    ["alignment error rate (AER)", (score) => errorRate(score).toFixed(2)],
    ["AER with sure links alone", (score) => errorRateSure(score).toFixed(2)],
  ];
  const row = (name: string, cells: string[]): HTMLElement =>
    html("tr", {}, html("th", { scope: "row" }, name), ...cells.map((text) => html("td", {}, text)));
  const head = ["you", "model"].map((who) => html("th", { scope: "col" }, who));
  return html(
    "div",
    { class: "s2b-table-box", tabindex: 0, role: "group", "aria-label": "Scores" },
    html(
      "table",
      { class: "s2b-table s2b-scores" },
      html("caption", {}, "Links against gold; an error rate of 0 is best"),
      html("thead", {}, html("tr", {}, html("td"), ...head)),
      html("tbody", {}, ...lines.map(([name, value]) => row(name, [value(you), value(model)]))),
    ),
  );
}
