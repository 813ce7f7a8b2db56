/** The tables of the mask explorer: the batch, what comes out of each row, and the text twin. */

import { html, type Child } from "../../shared/dom.ts";
import { shown } from "../../shared/tokens.ts";
import { signed } from "../playground/plane.ts";
import { PAD, type Outcome } from "./attention.ts";

let batches = 0;

const word = (text: string): Child => html("bdi", {}, shown(text));

/** The sentences of the batch, one of which is chosen. */
export class BatchTable {
  readonly element: HTMLTableElement;
  private readonly body = html("tbody");
  // the radio buttons of one table belong together
  private readonly name = `s2b-batch-${(batches += 1)}`;

  constructor(private readonly choose: (sentence: number) => void) {
    this.element = html("table", { class: "s2b-table s2b-batch" }, html("caption", {}, "The batch: choose the sentence to look at"), this.body);
  }

  show(batch: readonly (readonly string[])[], chosen: number): void {
    const focused = [...this.body.querySelectorAll("input")].findIndex((input) => input === document.activeElement);
    const rows = batch.map((words, at) => {
      const input = html("input", { type: "radio", name: this.name, checked: at === chosen, "aria-label": `sentence ${at + 1}` });
      input.addEventListener("change", () => this.choose(at));
      // a notebook has its own meaning for keys
      input.addEventListener("keydown", (event) => event.stopPropagation());
      return html(
        "tr",
        at === chosen ? { class: "s2b-shown" } : {},
        html("th", { scope: "row" }, html("label", {}, input, String(at + 1))),
        ...words.map((one) => html("td", one === PAD ? { class: "s2b-pad" } : {}, word(one))),
      );
    });
    this.body.replaceChildren(...rows);
    if (focused >= 0) this.body.querySelectorAll("input")[focused]?.focus();
  }
}

/** What each row reads, and whether that moved with the last word (null when it was not changed). */
export function outputTable({ words, allowed, weights, output }: Outcome, far: readonly number[] | null): HTMLTableElement {
  const heads = ["keys", "sum", "last word changed", "output"].map((name) => html("th", { scope: "col" }, name));
  const rows = words.map((one, at) => {
    const sum = (weights[at] ?? []).reduce((a, b) => a + b, 0);
    const cells = [
      String((allowed[at] ?? []).filter(Boolean).length),
      sum.toFixed(2),
      far === null ? "" : far[at] === 0 ? "the same" : `moves by ${(far[at] ?? 0).toFixed(2)}`,
      (output[at] ?? []).map((number) => signed(number)).join(" "),
    ];
    const row = far !== null && far[at] !== 0 ? { class: "s2b-moved" } : {};
    return html("tr", row, html("th", { scope: "row" }, word(one)), ...cells.map((cell) => html("td", {}, cell)));
  });
  return html(
    "table",
    { class: "s2b-table s2b-outputs" },
    html("caption", {}, "Each row: how many keys it may attend to, the sum of its weights, what it reads"),
    html("thead", {}, html("tr", {}, html("td"), ...heads)),
    html("tbody", {}, ...rows),
  );
}

/** Mask and weights in one: a masked weight is 0 and says that it is forbidden. */
export function weightTable({ words, allowed, weights }: Outcome): HTMLTableElement {
  const heads = words.map((one) => html("th", { scope: "col" }, word(one)));
  const rows = words.map((one, at) =>
    html(
      "tr",
      {},
      html("th", { scope: "row" }, word(one)),
      ...words.map((_, key) => html("td", {}, allowed[at]?.[key] ? (weights[at]?.[key] ?? 0).toFixed(2) : "0 forbidden")),
    ),
  );
  return html(
    "table",
    { class: "s2b-table" },
    html("caption", {}, "Weight of each key (column) for each query (row)"),
    html("thead", {}, html("tr", {}, html("td"), ...heads)),
    html("tbody", {}, ...rows),
  );
}
