/** Labelled native controls: they work by keyboard, touch and screen reader by themselves. */

import { html } from "./dom.ts";

export interface Choice {
  element: HTMLElement;
  select: HTMLSelectElement;
  set(options: readonly string[], chosen: number): void;
}

/** A drop-down list; hidden while there is only one option. */
export function choice(name: string, onChange: (index: number) => void): Choice {
  const select = html("select", { class: "s2b-select" });
  const element = html("label", { class: "s2b-control" }, html("span", {}, name), select);
  select.addEventListener("change", () => onChange(select.selectedIndex));
  let before = "";
  return {
    element,
    select,
    set(options, chosen) {
      element.hidden = options.length < 2;
      const now = JSON.stringify(options);
      if (now !== before) {
        select.replaceChildren(...options.map((text, index) => html("option", { value: index }, text)));
        before = now;
      }
      select.selectedIndex = chosen;
    },
  };
}

/** Offer sentences by title; one that is none of them is the reader's own. */
export function offerExamples(
  to: Choice,
  examples: readonly { title: string; source: readonly string[] }[],
  source: readonly string[],
): void {
  const at = examples.findIndex((example) => example.source.join(" ") === source.join(" "));
  const titles = examples.map(({ title }) => title);
  to.set(at < 0 ? [...titles, "your sentence"] : titles, at < 0 ? titles.length : at);
}

/** A push button. While it is disabled it keeps the focus and its place, and does nothing. */
export function button(
  name: string,
  onPress: () => void,
): { element: HTMLButtonElement; enable(on: boolean): void } {
  const element = html("button", { class: "s2b-button", type: "button" }, name);
  element.addEventListener("click", () => {
    if (element.getAttribute("aria-disabled") !== "true") onPress();
  });
  return { element, enable: (on) => element.setAttribute("aria-disabled", String(!on)) };
}

/** A check box with its label. */
export function tick(
  name: Node | string,
  checked: boolean,
  onChange: (checked: boolean) => void,
): { element: HTMLLabelElement; input: HTMLInputElement } {
  const input = html("input", { type: "checkbox", checked });
  input.addEventListener("change", () => onChange(input.checked));
  return { element: html("label", { class: "s2b-tick" }, input, name), input };
}
