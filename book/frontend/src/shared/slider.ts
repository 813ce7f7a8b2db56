/** A labelled slider with its value beside it; native, so it works by keyboard and touch. */

import { html } from "./dom.ts";

export interface Slider {
  element: HTMLElement;
  input: HTMLInputElement;
  /** Put it somewhere; `says` is the value in words. */
  set(value: number, says: string): void;
}

export function slider(
  name: string,
  { least, most, step }: { least: number; most: number; step: number },
  onChange: (value: number) => void,
): Slider {
  const input = html("input", { type: "range", class: "s2b-range", min: least, max: most, step });
  const output = html("output", { class: "s2b-value" });
  const element = html("label", { class: "s2b-control s2b-slider" }, html("span", {}, name), input, output);
  input.addEventListener("input", () => onChange(Number(input.value)));
  // a notebook has its own meaning for keys
  input.addEventListener("keydown", (event) => event.stopPropagation());
  return {
    element,
    input,
    set(value, says) {
      if (Number(input.value) !== value) input.value = String(value);
      input.setAttribute("aria-valuetext", says);
      if (output.textContent !== says) output.textContent = says;
    },
  };
}
