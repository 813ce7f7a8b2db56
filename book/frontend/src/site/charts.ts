/** Charts: a stored SVG first, a live Vega view in its place once somebody reaches for it. */

import type { drawChart } from "./vega.ts";

/** Prepare the charts of a page. `load` brings the Vega bundle, once, when it is first wanted. */
export function prepareCharts(root: ParentNode, load: () => Promise<{ drawChart: typeof drawChart }>): void {
  for (const figure of root.querySelectorAll<HTMLElement>("figure.s2b-chart")) {
    prepare(figure, load);
  }
}

const WAKING = ["pointerenter", "pointerdown", "touchstart", "focusin"] as const;

function prepare(figure: HTMLElement, load: () => Promise<{ drawChart: typeof drawChart }>): void {
  const stored = figure.querySelector("svg");
  const specification = figure.querySelector("script.s2b-chart-spec")?.textContent;
  if (!stored || !specification) return;
  // the holder can be reached by keyboard; it has the alternative text of the chart
  const name = stored.getAttribute("aria-label") ?? stored.querySelector("title")?.textContent ?? "Chart";
  const holder = document.createElement("div");
  holder.className = "s2b-chart-holder";
  holder.tabIndex = 0;
  holder.setAttribute("role", "group");
  holder.setAttribute("aria-label", `Chart, pointing at a mark reads it out. ${name}`);
  stored.replaceWith(holder);
  holder.append(stored);
  const wake = async (): Promise<void> => {
    for (const name of WAKING) figure.removeEventListener(name, wake);
    if (figure.dataset["live"]) return;
    figure.dataset["live"] = "loading";
    try {
      const { drawChart } = await load();
      const live = document.createElement("div");
      live.className = "s2b-chart-live";
      await drawChart(live, JSON.parse(specification) as Record<string, unknown>);
      live.querySelector("svg")?.setAttribute("aria-label", name);
      stored.replaceWith(live);
      figure.dataset["live"] = "true";
    } catch (error) {
      figure.dataset["live"] = "failed";
      const why = document.createElement("p");
      why.className = "s2b s2b-why";
      why.textContent = `This chart is a still picture here: ${reason(error)}.`;
      figure.append(why);
    }
  };
  for (const name of WAKING) figure.addEventListener(name, wake, { passive: true });
}

export function reason(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.replace(/[.\s]+$/, "");
}
