/** The output vector of one step beside the vectors of the words: a table whose words can be chosen. */

import { probabilityText } from "../../shared/alternatives.ts";
import { html } from "../../shared/dom.ts";
import { shown } from "../../shared/tokens.ts";
import { said, type Moment, type Word } from "./walk.ts";

const HEADS = ["word", "dot product", "cosine", "probability"] as const;

export class Comparison {
  readonly element = html("div", { class: "s2b-heads" });

  /** `choose` is called with the word that the decoder is to write instead. */
  constructor(private readonly choose: (place: number, token: string) => void) {}

  show(moment: Moment, place: number): void {
    const focused = this.element.contains(document.activeElement);
    const seen = moment.best.some(({ token }) => token === moment.written.token);
    const words = seen ? moment.best : [...moment.best, moment.written];
    const widest = Math.max(0, ...words.map(({ dot }) => dot));
    const head = html("tr", {}, ...HEADS.map((name) => html("th", { scope: "col" }, name)));
    const table = html("table", { class: "s2b-compare" }, html("thead", {}, head));
    table.append(html("tbody", {}, ...words.map((word) => this.row(word, moment, place, widest))));
    const title = html("p", { class: "s2b-panel-title" }, "The output vector o", html("sub", {}, String(place + 1)));
    title.append(" beside the vector of every word");
    const { token, cosine } = moment.nearest;
    const nearest = html("p", { class: "s2b-hint" }, "Largest cosine: ", html("bdi", {}, shown(token)), `, ${cosine.toFixed(2)}.`);
    this.element.replaceChildren(title, table, nearest);
    this.element.classList.remove("s2b-unseen");
    if (focused) this.element.querySelector<HTMLElement>("[aria-pressed=true]")?.focus();
  }

  /** While the encoder reads nothing is compared; the room is kept. */
  hide(): void {
    this.element.classList.add("s2b-unseen");
  }

  private row(word: Word, moment: Moment, place: number, widest: number): HTMLElement {
    const written = word.token === moment.written.token;
    const button = html(
      "button",
      { type: "button", class: "s2b-button s2b-choose", "aria-pressed": String(written) },
      html("bdi", {}, said(word.token)),
    );
    button.addEventListener("click", () => this.choose(place, word.token));
    const dot = html("span", { class: "s2b-dot" }, word.dot.toFixed(1));
    dot.style.setProperty("--share", (widest > 0 ? Math.max(0, word.dot / widest) : 0).toFixed(3));
    const numbers = [word.cosine.toFixed(2), probabilityText(word.probability)];
    return html(
      "tr",
      { class: written ? "s2b-written" : "" },
      html("th", { scope: "row" }, button),
      html("td", {}, dot),
      ...numbers.map((number) => html("td", {}, number)),
    );
  }
}
