/** The likeliest next words as a table with bars: before the sliders, after them, and what was drawn. */

import { html } from "../../shared/dom.ts";
import { shown } from "../../shared/tokens.ts";

export const MOST = 20;
const EOS = "<eos>";

export interface Row {
  token: string;
  /** Probabilities before and after the sliders. */
  before: number;
  after: number;
  /** How often it was drawn; null when nothing was. */
  drawn: number | null;
}

/** What stands for a token. */
export function wordLabel(token: string): string {
  return token === EOS ? "end of the sentence" : shown(token);
}

/** A probability as text: one digit, and never a 0 or a 100 that it is not. */
export function percent(probability: number): string {
  if (probability === 0) return "0 %";
  if (probability < 0.0005) return "< 0.1 %";
  if (probability >= 0.9995 && probability < 1) return "> 99.9 %";
  return `${(100 * probability).toFixed(1)} %`;
}

interface Line {
  element: HTMLTableRowElement;
  button: HTMLButtonElement;
  before: Bar;
  after: Bar;
  drawn: HTMLElement;
}

interface Bar {
  element: HTMLElement;
  set(probability: number, text: string): void;
}

function bar(kind: "before" | "after"): Bar {
  const fill = html("span", { class: `s2b-prob s2b-prob-${kind}`, "aria-hidden": "true" });
  const number = html("span", {});
  return {
    element: html("span", { class: "s2b-bar-cell" }, fill, number),
    set(probability, text) {
      fill.style.setProperty("--chance", probability.toFixed(4));
      if (number.textContent !== text) number.textContent = text;
    },
  };
}

/** The table; its rows stay the same elements, so that focus and transitions survive a change. */
export class Rows {
  readonly element: HTMLTableElement;
  private readonly body = html("tbody");
  private readonly rest = html("tr", { class: "s2b-rest" });
  private readonly lines: Line[] = [];
  private tokens: readonly string[] = [];

  constructor(private readonly choose: (token: string) => void) {
    const heads = ["the model says", "after the sliders", "drawn"].map((name) => html("th", { scope: "col" }, name));
    this.element = html(
      "table",
      { class: "s2b-table s2b-bars" },
      html("caption", {}, "The likeliest next words. Choose one to write it."),
      html("thead", {}, html("tr", {}, html("td"), ...heads)),
      this.body,
    );
  }

  /** `others` are the words without a row of their own: how many, and their probabilities. */
  show(rows: readonly Row[], others: { count: number; before: number; after: number; drawn: number | null }): void {
    this.tokens = rows.map(({ token }) => token);
    while (this.lines.length < rows.length) this.lines.push(this.line(this.lines.length));
    for (const line of this.lines.splice(rows.length)) line.element.remove();
    for (const [at, row] of rows.entries()) {
      const { element, button, before, after, drawn } = this.lines[at] as Line;
      const gone = row.after === 0;
      const label = wordLabel(row.token);
      if (button.textContent !== label) button.replaceChildren(html("bdi", {}, label));
      element.classList.toggle("s2b-gone", gone);
      before.set(row.before, percent(row.before));
      after.set(row.after, gone ? "✕ left out" : percent(row.after));
      drawn.textContent = row.drawn === null ? "" : String(row.drawn);
    }
    const { count } = others;
    this.rest.replaceChildren(
      html("th", { scope: "row" }, `${count} other words`),
      html("td", {}, percent(others.before)),
      html("td", {}, others.after === 0 ? "✕ left out" : percent(others.after)),
      html("td", {}, others.drawn === null ? "" : String(others.drawn)),
    );
    this.rest.hidden = count === 0;
    this.body.append(this.rest);
  }

  private line(at: number): Line {
    const button = html("button", { type: "button", class: "s2b-button s2b-next" });
    button.addEventListener("click", () => this.choose(this.tokens[at] ?? ""));
    const [before, after] = [bar("before"), bar("after")];
    const drawn = html("td", { class: "s2b-drawn" });
    const element = html("tr", {}, html("th", { scope: "row" }, button), html("td", {}, before.element), html("td", {}, after.element), drawn);
    this.body.insertBefore(element, this.rest.isConnected || this.rest.parentNode === this.body ? this.rest : null);
    return { element, button, before, after, drawn };
  }
}
