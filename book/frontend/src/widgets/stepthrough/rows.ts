/** The states of encoder and decoder, a row for each, in two columns. */

import { html, type Child } from "../../shared/dom.ts";
import { shown } from "../../shared/tokens.ts";
import { strip } from "./strips.ts";
import { said, type Walk } from "./walk.ts";

interface Row {
  /** The step at which this row is made. */
  step: number;
  element: HTMLElement;
  button: HTMLButtonElement;
}

export class Rows {
  readonly element = html("div", { class: "s2b-holder s2b-parts" });
  private rows: Row[] = [];

  constructor(private readonly go: (step: number) => void) {}

  /** Draw another walk. */
  draw(walk: Walk): void {
    const read = walk.source.length;
    const largest = Math.max(...walk.changes);
    const row = (step: number, words: Child[], name: string, at: number, moved: boolean): Row => {
      const button = html("button", { type: "button", class: "s2b-state-word", title: name }, ...words);
      button.addEventListener("click", () => this.go(step));
      const change = html("span", { class: "s2b-change" });
      if (moved) change.append(...changeOf(walk.changes[at] ?? 0, largest));
      const element = html("li", { class: "s2b-state" }, button, strip(walk.states[at] ?? []), change);
      return { step, element, button };
    };
    const encoder = walk.source.map((word, at) => row(at + 1, [bdi(word)], shown(word), at, true));
    encoder[read - 1]?.element.classList.add("s2b-handed");
    const handed = row(read + 1, [html("bdi", {}, "c = s₀")], "c, handed over", read - 1, false);
    handed.element.classList.add("s2b-handed");
    const decoder = walk.moments.map((moment, at) => {
      const arrow = html("span", { class: "s2b-then" }, " → ");
      const words = [html("bdi", { class: "s2b-read" }, shown(moment.read)), arrow, html("bdi", {}, said(moment.written.token))];
      return row(read + 2 + at, words, `${shown(moment.read)} → ${said(moment.written.token)}`, read + at, true);
    });
    const focused = this.rows.findIndex(({ button }) => button === document.activeElement);
    this.rows = [...encoder, handed, ...decoder];
    this.element.replaceChildren(
      part(["Encoder: h", sub(1), " to h", sub(read)], encoder),
      part(["Decoder: s", sub(0), " to s", sub(walk.moments.length)], [handed, ...decoder]),
    );
    if (focused >= 0) this.rows[Math.min(focused, this.rows.length - 1)]?.button.focus();
  }

  /** Show what there is after so many steps. */
  at(step: number, handedOver: boolean): void {
    for (const row of this.rows) {
      const now = row.step === step;
      row.element.classList.toggle("s2b-now", now);
      row.element.classList.toggle("s2b-to-come", row.step > step);
      if (now) {
        row.button.setAttribute("aria-current", "step");
        keepInSight(row.element);
      } else row.button.removeAttribute("aria-current");
    }
    this.element.classList.toggle("s2b-gone", handedOver);
  }
}

/** Scroll the list of a row, and nothing else, until the row is to be seen. */
function keepInSight(row: HTMLElement): void {
  const list = row.parentElement;
  if (!list) return;
  const [above, below] = [row.offsetTop, row.offsetTop + row.offsetHeight];
  if (above < list.scrollTop) list.scrollTop = above;
  else if (below > list.scrollTop + list.clientHeight) list.scrollTop = below - list.clientHeight;
}

function part(title: Child[], rows: readonly Row[]): HTMLElement {
  const list = html("ol", { class: "s2b-states" }, ...rows.map(({ element }) => element));
  return html("div", { class: "s2b-part" }, html("p", { class: "s2b-part-title" }, ...title), list);
}

const bdi = (word: string): HTMLElement => html("bdi", {}, shown(word));
const sub = (number: number): HTMLElement => html("sub", {}, String(number));

function changeOf(moved: number, largest: number): HTMLElement[] {
  const bar = html("span", { class: "s2b-change-bar", "aria-hidden": "true" });
  bar.style.setProperty("--share", (largest > 0 ? moved / largest : 0).toFixed(3));
  return [bar, html("span", {}, moved.toFixed(1))];
}
