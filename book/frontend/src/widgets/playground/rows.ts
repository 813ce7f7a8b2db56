/** The keys as a table: where they are, their energies and weights, and whether they may be attended to. */

import { html } from "../../shared/dom.ts";
import type { Outcome, Vector } from "./energies.ts";
import { signed, subscript } from "./plane.ts";

interface Line {
  element: HTMLTableRowElement;
  input: HTMLInputElement;
  cells: HTMLTableCellElement[];
  fill: HTMLElement;
  number: HTMLElement;
}

export class Rows {
  readonly element: HTMLTableElement;
  private readonly body = html("tbody");
  private readonly sum = html("tr", { class: "s2b-sum" });
  private readonly lines: Line[] = [];

  constructor(private readonly allow: (place: number, allowed: boolean) => void) {
    const heads = ["look", "x", "y", "energy", "weight"].map((name) => html("th", { scope: "col" }, name));
    this.element = html(
      "table",
      { class: "s2b-table s2b-keys" },
      html("caption", {}, "The keys, which are the values too"),
      html("thead", {}, html("tr", {}, html("td"), ...heads)),
      this.body,
    );
  }

  show(keys: readonly Vector[], allowed: readonly boolean[], { energies, weights, context }: Outcome): void {
    while (this.lines.length < keys.length) this.lines.push(this.line(this.lines.length));
    for (const line of this.lines.splice(keys.length)) line.element.remove();
    for (const [place, { input, cells, fill, number, element }] of this.lines.entries()) {
      const [x, y] = keys[place] as Vector;
      input.checked = allowed[place] !== false;
      element.classList.toggle("s2b-masked", !input.checked);
      for (const [at, value] of [x, y, energies[place] ?? 0].entries()) (cells[at] as HTMLElement).textContent = signed(value);
      fill.style.setProperty("--chance", (weights[place] ?? 0).toFixed(4));
      number.textContent = weightText(weights[place] ?? 0);
    }
    const total = weights.reduce((a, b) => a + b, 0);
    this.sum.replaceChildren(
      html("th", { scope: "row" }, "context"),
      html("td", {}),
      html("td", {}, signed(context[0])),
      html("td", {}, signed(context[1])),
      html("td", {}, "sum"),
      html("td", {}, html("span", { class: "s2b-bar-cell" }, html("span", {}), html("span", {}, total.toFixed(2)))),
    );
    this.body.append(this.sum);
  }

  private line(place: number): Line {
    const input = html("input", { type: "checkbox", "aria-label": `the query may look at key ${place + 1}` });
    input.addEventListener("change", () => this.allow(place, input.checked));
    const fill = html("span", { class: "s2b-prob", "aria-hidden": "true" });
    const number = html("span", {});
    const cells = [0, 1, 2].map(() => html("td", {}));
    const bar = html("td", {}, html("span", { class: "s2b-bar-cell" }, fill, number));
    const name = html("th", { scope: "row" }, `k${subscript(place + 1)}`);
    const element = html("tr", {}, name, html("td", {}, input), ...cells, bar);
    this.body.insertBefore(element, this.sum.parentNode === this.body ? this.sum : null);
    return { element, input, cells, fill, number };
  }
}

/** A weight as text: a true zero is told from a small number. */
export function weightText(weight: number): string {
  if (weight === 0) return "0";
  return weight < 0.005 ? "< 0.01" : weight.toFixed(2);
}
