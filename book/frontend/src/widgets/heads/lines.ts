/** Two translations, one below the other: with all heads, and with those that are on. */

import { html } from "../../shared/dom.ts";
import { shown } from "../../shared/tokens.ts";
import { changes } from "./changes.ts";

export class Lines {
  readonly element = html("div", { class: "s2b-lines" });
  private before = "";
  private counts = { fresh: 0, lost: 0 };

  /** Show both, what differs marked; how many words are new, and how many are gone. */
  show(whole: readonly string[], now: readonly string[]): { fresh: number; lost: number } {
    const text = JSON.stringify([whole, now]);
    if (text === this.before) return this.counts;
    this.before = text;
    const { lost, fresh } = changes(whole, now);
    this.element.replaceChildren(line("All heads", whole, lost, "del"), line("These heads", now, fresh, "ins"));
    this.counts = { fresh: fresh.filter(Boolean).length, lost: lost.filter(Boolean).length };
    return this.counts;
  }
}

/** Where words are gone or new the element says so, to the eye and to a screen reader. */
function line(name: string, words: readonly string[], marked: readonly boolean[], mark: "ins" | "del"): HTMLElement {
  const parts = words.flatMap((word, at) => [marked[at] ? html(mark, {}, shown(word)) : shown(word), " "]);
  const text = html("bdi", {}, ...(parts.length > 0 ? parts.slice(0, -1) : ["(nothing)"]));
  return html("p", { class: "s2b-line" }, html("span", { class: "s2b-line-name" }, name), " ", text);
}
