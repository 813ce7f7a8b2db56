/** The field in which the reader types, with words of the language offered below it. */

import { html } from "./dom.ts";
import { suggestions, wordAt } from "./sentence.ts";

const MOST = 7;
let numbered = 0;

export class Field {
  readonly input: HTMLInputElement;
  readonly element: HTMLElement;
  private readonly strip: HTMLElement;
  private offered: string[] = [];
  private hint = "";
  private active = -1;

  constructor(
    private readonly vocabulary: readonly string[],
    private readonly openers: readonly string[],
    private readonly onText: (text: string) => void,
  ) {
    const id = `s2b-field-${(numbered += 1)}-${Math.random().toString(36).slice(2, 8)}`;
    this.strip = html("div", { class: "s2b-strip-words", id: `${id}-list` });
    this.input = html("input", {
      class: "s2b-input",
      type: "text",
      id,
      role: "combobox",
      "aria-expanded": "false",
      "aria-controls": `${id}-list`,
      "aria-autocomplete": "list",
      autocomplete: "off",
      autocapitalize: "off",
      spellcheck: "false",
      enterkeyhint: "done",
      placeholder: "the red car is old .",
    });
    const label = html("label", { class: "s2b-ask", for: id }, "Type an English sentence");
    this.element = html("div", { class: "s2b-field" }, label, this.input, this.strip);
    this.input.addEventListener("input", () => {
      this.offer();
      this.onText(this.input.value);
    });
    for (const event of ["focus", "click", "keyup"] as const) this.input.addEventListener(event, () => this.offer());
    this.input.addEventListener("keydown", (event) => this.key(event));
    // several lines become one: the words count
    this.input.addEventListener("paste", (event) => {
      const text = event.clipboardData?.getData("text/plain");
      if (!text || !/[\r\n]/.test(text)) return;
      event.preventDefault();
      const { selectionStart, selectionEnd, value } = this.input;
      const [begin, end] = [selectionStart ?? value.length, selectionEnd ?? value.length];
      this.replace(begin, end, text.replace(/\s+/g, " "));
    });
    this.offer();
  }

  get value(): string {
    return this.input.value;
  }

  set value(text: string) {
    if (this.input.value !== text) this.input.value = text;
    this.offer();
  }

  /** Put what fits at the caret into the strip. */
  private offer(): void {
    const caret = this.input.selectionStart ?? this.input.value.length;
    const { prefix } = wordAt(this.input.value, caret);
    const fitting = this.input.value.trim() === "" ? [...this.openers] : suggestions(this.vocabulary, prefix, MOST);
    const none = prefix !== "" && fitting.length === 0 && !this.vocabulary.includes(prefix);
    const hint = none ? `no word of the language begins with “${prefix}”` : "words of the language are offered here as you type";
    if (fitting.join() === this.offered.join() && hint === this.hint) return;
    this.offered = fitting;
    this.hint = hint;
    this.active = -1;
    this.strip.replaceChildren(
      ...fitting.map((word, place) => {
        const option = html("div", { class: "s2b-word", role: "option", id: `${this.input.id}-${place}`, "aria-selected": "false" }, word);
        // pressing must not take the caret out of the field
        option.addEventListener("pointerdown", (event) => event.preventDefault());
        option.addEventListener("click", () => this.accept(word));
        return option;
      }),
    );
    if (fitting.length > 0) {
      this.strip.setAttribute("role", "listbox");
      this.strip.setAttribute("aria-label", "Words of the language");
    } else {
      // a list without options is none
      this.strip.removeAttribute("role");
      this.strip.removeAttribute("aria-label");
      this.strip.append(html("span", { class: "s2b-hint" }, hint));
    }
    this.input.setAttribute("aria-expanded", String(fitting.length > 0));
    this.input.removeAttribute("aria-activedescendant");
  }

  private key(event: KeyboardEvent): void {
    // a notebook has its own meaning for keys
    event.stopPropagation();
    const count = this.offered.length;
    const to = (place: number): void => {
      this.active = place;
      for (const [at, option] of [...this.strip.children].entries()) {
        option.setAttribute("aria-selected", String(at === place));
      }
      if (place < 0) this.input.removeAttribute("aria-activedescendant");
      else this.input.setAttribute("aria-activedescendant", `${this.input.id}-${place}`);
    };
    if (event.isComposing || count === 0) return;
    if (event.key === "ArrowDown") to((this.active + 1) % count);
    else if (event.key === "ArrowUp") to(this.active <= 0 ? count - 1 : this.active - 1);
    else if (event.key === "ArrowRight" && this.active >= 0) to((this.active + 1) % count);
    else if (event.key === "ArrowLeft" && this.active >= 0) to((this.active + count - 1) % count);
    else if (event.key === "Enter" && this.active >= 0) this.accept(this.offered[this.active] as string);
    else if (event.key === "Escape" && this.active >= 0) to(-1);
    else return;
    event.preventDefault();
  }

  private accept(word: string): void {
    const caret = this.input.selectionStart ?? this.input.value.length;
    const { begin, end } = wordAt(this.input.value, caret);
    const space = this.input.value[end] === " " ? "" : " ";
    this.replace(begin, end, word + space);
    this.input.focus();
  }

  private replace(begin: number, end: number, text: string): void {
    if (this.input.readOnly) return;
    this.input.setRangeText(text, begin, end, "end");
    this.offer();
    this.onText(this.input.value);
  }
}
