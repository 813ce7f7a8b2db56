/** The buttons and the slider that walk through the steps. */

import { html } from "../../shared/dom.ts";

const PACE = 900;

export class WalkBar {
  readonly element: HTMLElement;
  private readonly slider = html("input", { class: "s2b-slider", type: "range", min: 1, step: 1, "aria-label": "Step" });
  private readonly place = html("span", { class: "s2b-place" });
  private readonly back: HTMLButtonElement;
  private readonly next: HTMLButtonElement;
  private readonly play: HTMLButtonElement;
  private now = { step: 1, count: 1 };
  private timer: ReturnType<typeof setInterval> | undefined;

  constructor(
    private readonly go: (step: number) => void,
    signal: AbortSignal,
  ) {
    const button = (name: string, text: string, act: () => void): HTMLButtonElement => {
      const made = html("button", { type: "button", class: "s2b-button s2b-step", "aria-label": name, title: name }, text);
      made.addEventListener("click", act);
      return made;
    };
    this.back = button("One step back", "←", () => this.by(-1));
    this.next = button("Next step", "→", () => this.by(1));
    this.play = button("Play all steps", "▷", () => this.toggle());
    this.play.classList.add("s2b-play");
    this.slider.addEventListener("input", () => {
      this.stop();
      this.go(Number(this.slider.value));
    });
    // a notebook has its own meaning for keys
    this.slider.addEventListener("keydown", (event) => event.stopPropagation());
    this.element = html("div", { class: "s2b-walk", role: "group", "aria-label": "Walk through the steps" });
    this.element.append(this.back, this.next, this.play, this.slider, this.place);
    signal.addEventListener("abort", () => this.stop());
  }

  show(step: number, count: number, sentence: string): void {
    this.now = { step, count };
    this.slider.max = String(count);
    this.slider.value = String(step);
    this.slider.setAttribute("aria-valuetext", `${step} of ${count}: ${sentence}`);
    this.place.textContent = `step ${step} of ${count}`;
    // a disabled button would lose the focus of whoever walks by keyboard
    this.back.setAttribute("aria-disabled", String(step <= 1));
    this.next.setAttribute("aria-disabled", String(step >= count));
  }

  private by(steps: number): void {
    this.stop();
    this.walk(steps);
  }

  private walk(steps: number): void {
    const { step, count } = this.now;
    this.go(Math.min(Math.max(step + steps, 1), count));
  }

  private toggle(): void {
    if (this.timer !== undefined) {
      this.stop();
      return;
    }
    this.go(this.now.step >= this.now.count ? 1 : this.now.step);
    this.play.setAttribute("aria-pressed", "true");
    this.timer = setInterval(() => {
      this.walk(1);
      if (this.now.step >= this.now.count) this.stop();
    }, PACE);
  }

  stop(): void {
    clearInterval(this.timer);
    this.timer = undefined;
    this.play.removeAttribute("aria-pressed");
  }
}
