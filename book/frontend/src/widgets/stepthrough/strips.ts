/** States as strips of coloured cells; drawn by the rules of `seq2bert/strips.py`. */

import { html, svg } from "../../shared/dom.ts";

/** Numbers in one line of a strip; a wider state is folded. */
export const ACROSS = 64;
const STEPS = 20;

/** The class that paints a number from -1 to 1 (`seq2bert.palette.signed_class`). */
export function signedClass(value: number): string {
  const size = Math.min(STEPS, Math.floor(Math.abs(value) * STEPS + 0.5)) * (100 / STEPS);
  return `s2b-${value < 0 && size > 0 ? "n" : "w"}${size}`;
}

/** One state, stretched over the room that there is. */
export function strip(state: readonly number[]): SVGSVGElement {
  const squares = new Map<string, string>();
  for (const [place, value] of state.entries()) {
    const name = signedClass(value);
    if (name === "s2b-w0") continue;
    squares.set(name, `${squares.get(name) ?? ""}M${place % ACROSS} ${Math.floor(place / ACROSS)}h1v1h-1z`);
  }
  return svg(
    "svg",
    {
      class: "s2b-strip",
      viewBox: `0 0 ${Math.min(ACROSS, state.length)} ${Math.ceil(state.length / ACROSS)}`,
      preserveAspectRatio: "none",
      "shape-rendering": "crispEdges",
      "aria-hidden": "true",
    },
    ...[...squares].sort().map(([name, d]) => svg("path", { class: name, d })),
  );
}

/** The scale from -1 to 1. */
export function signedLegend(hidden: number): HTMLElement {
  const wide = 160 / (2 * STEPS + 1);
  const size = { viewBox: "0 0 160 10", preserveAspectRatio: "none", width: 160, height: 10 };
  const bar = svg("svg", { class: "s2b-scale", ...size, "aria-hidden": "true" });
  for (let step = -STEPS; step <= STEPS; step += 1) {
    const x = ((step + STEPS) * wide).toFixed(2);
    bar.append(svg("rect", { class: signedClass(step / STEPS), x, width: (wide + 0.3).toFixed(2), height: 10 }));
  }
  return html("span", { class: "s2b-legend" }, `${hidden} numbers, −1`, bar, "1");
}
