/** The colour scale from 0 to 1, the same for every picture of weights. */

import { html, svg } from "./dom.ts";

const STEPS = 20;
const WIDTH = 120;

export function scaleLegend(): HTMLElement {
  const bar = svg("svg", {
    class: "s2b-scale",
    viewBox: `0 0 ${WIDTH} 10`,
    width: WIDTH,
    height: 10,
    "aria-hidden": "true",
  });
  for (let step = 0; step <= STEPS; step += 1) {
    const wide = WIDTH / (STEPS + 1);
    bar.append(
      svg("rect", {
        class: `s2b-w${(step * 100) / STEPS}`,
        x: (step * wide).toFixed(2),
        width: (wide + 0.3).toFixed(2),
        height: 10,
      }),
    );
  }
  return html("span", { class: "s2b-legend" }, "weight 0", bar, "1");
}

/** The sample of an outline: solid for sure links, dashed for possible ones. */
export function goldSample(kind: "sure" | "possible"): SVGSVGElement {
  return svg(
    "svg",
    { class: "s2b-sample", viewBox: "0 0 14 14", width: 14, height: 14, "aria-hidden": "true" },
    svg("rect", { class: `s2b-gold s2b-${kind}`, x: 2, y: 2, width: 10, height: 10 }),
  );
}
