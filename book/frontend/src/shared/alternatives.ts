/** A short list of candidates with their probabilities, each a button with a bar. */

import { html } from "./dom.ts";
import { shown } from "./tokens.ts";

export interface Candidate {
  token: string;
  probability: number;
  chosen: boolean;
}

/** A probability as text: two digits, and never a 0 or a 1 that it is not. */
export function probabilityText(probability: number): string {
  if (probability < 0.005) return "< 0.01";
  if (probability >= 0.995 && probability < 1) return "> 0.99";
  return probability.toFixed(2);
}

export function candidateList(
  candidates: readonly Candidate[],
  label: string,
  onChoose: (token: string) => void,
): HTMLElement {
  const list = html("ol", { class: "s2b-candidates", "aria-label": label });
  for (const { token, probability, chosen } of candidates) {
    const bar = html("span", { class: "s2b-chance-bar", "aria-hidden": "true" });
    bar.style.setProperty("--chance", String(probability));
    const button = html(
      "button",
      { type: "button", class: "s2b-button s2b-candidate", "aria-pressed": String(chosen) },
      html("bdi", { class: "s2b-candidate-token" }, shown(token)),
      html("span", { class: "s2b-chance" }, bar, html("span", {}, probabilityText(probability))),
    );
    button.addEventListener("click", () => onChoose(token));
    list.append(html("li", {}, button));
  }
  return list;
}
