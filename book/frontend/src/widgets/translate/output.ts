/** The translation as a row of words to choose from, and the buttons that walk through it. */

import { html } from "../../shared/dom.ts";
import { shown } from "../../shared/tokens.ts";
import type { Answer } from "../../engines/questions.ts";

const EOS = "<eos>";
/** Below this probability a word is marked as one that the model is not sure of. */
const UNSURE = 0.5;
const PACE = 700;

export interface Choose {
  /** Hold the row of a word; -1 lets go. */
  hold(query: number): void;
  /** Show only so many words. */
  write(count: number): void;
}

export class Output {
  readonly element: HTMLElement;
  private readonly list = html("ol", { class: "s2b-out", "aria-label": "Translation" });
  private readonly place = html("span", { class: "s2b-place" });
  private readonly buttons: Record<"none" | "back" | "next" | "all" | "play", HTMLButtonElement>;
  private words: HTMLButtonElement[] = [];
  private drawn: Answer | null = null;
  private now = { query: -1, written: 0, count: 0 };
  private timer: ReturnType<typeof setInterval> | undefined;

  constructor(
    private readonly choose: Choose,
    signal: AbortSignal,
  ) {
    const button = (name: string, text: string, act: () => void): HTMLButtonElement => {
      const made = html("button", { type: "button", class: "s2b-button s2b-step", "aria-label": name, title: name }, text);
      made.addEventListener("click", () => {
        if (made !== this.buttons.play) this.stop();
        act();
      });
      return made;
    };
    const walk = (by: number): void => this.walk(by);
    this.buttons = {
      none: button("Before the first word", "⇤", () => this.choose.write(0)),
      back: button("One word back", "←", () => walk(-1)),
      next: button("Next word", "→", () => walk(1)),
      all: button("The whole translation", "⇥", () => this.choose.write(this.now.count)),
      play: button("Write it word by word", "▷", () => this.play()),
    };
    const steps = html("div", { class: "s2b-steps", role: "group", "aria-label": "Step through the translation" });
    steps.append(...Object.values(this.buttons), this.place);
    this.element = html("div", { class: "s2b-said" }, this.list, steps);
    signal.addEventListener("abort", () => this.stop());
  }

  show(answer: Answer, pinned: number, query: number, written: number): void {
    const { steps } = answer;
    if (answer !== this.drawn) {
      this.drawn = answer;
      // what is there is used again: a new element costs more than a new text
      while (this.words.length < steps.length) this.words.push(this.addWord(this.words.length));
      const focused = this.words.indexOf(document.activeElement as HTMLButtonElement);
      if (focused >= steps.length) this.words[steps.length - 1]?.focus();
      for (const word of this.words.splice(steps.length)) word.parentElement?.remove();
      for (const [at, { token, log_prob }] of steps.entries()) {
        const word = this.words[at] as HTMLButtonElement;
        const sure = Math.exp(log_prob);
        const says = token === EOS ? "end" : shown(token);
        const text = word.firstElementChild as HTMLElement;
        if (text.textContent !== says) text.textContent = says;
        word.classList.toggle("s2b-end", token === EOS);
        word.classList.toggle("s2b-unsure", sure < UNSURE);
        word.title = `probability ${sure.toFixed(2)}`;
      }
    }
    this.now = { query, written, count: steps.length };
    for (const [at, word] of this.words.entries()) {
      word.setAttribute("aria-pressed", String(at === query));
      word.classList.toggle("s2b-pinned", at < pinned);
      word.classList.toggle("s2b-unwritten", at >= written);
      word.disabled = at >= written;
    }
    this.place.textContent = `${written} of ${steps.length} words`;
    // a disabled button would lose the focus of whoever walks by keyboard
    for (const name of ["none", "back"] as const) this.buttons[name].setAttribute("aria-disabled", String(written === 0));
    for (const name of ["next", "all"] as const) this.buttons[name].setAttribute("aria-disabled", String(written === steps.length));
  }

  private addWord(at: number): HTMLButtonElement {
    const word = html("button", { type: "button", class: "s2b-out-word" }, html("bdi"));
    word.addEventListener("click", () => {
      this.stop();
      this.choose.hold(at === this.now.query ? -1 : at);
    });
    this.list.append(html("li", {}, word));
    return word;
  }

  private walk(by: number): void {
    const { written, count } = this.now;
    this.choose.write(Math.min(Math.max(written + by, 0), count));
  }

  private play(): void {
    if (this.timer !== undefined) {
      this.stop();
      return;
    }
    this.choose.write(0);
    this.buttons.play.setAttribute("aria-pressed", "true");
    this.timer = setInterval(() => {
      this.walk(1);
      if (this.now.written >= this.now.count) this.stop();
    }, PACE);
  }

  stop(): void {
    clearInterval(this.timer);
    this.timer = undefined;
    this.buttons.play.removeAttribute("aria-pressed");
  }
}
