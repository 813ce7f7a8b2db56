/** The sign of a cell that the reader marked: a dot with a halo, seen on every level of the ramp. */

import { svg } from "./dom.ts";
import type { Layout } from "./geometry.ts";
import type { Cell } from "./state.ts";

/** The dots of some cells, in the coordinates of a picture's cells. */
export function markDots(cells: readonly Cell[], { cell, top }: Pick<Layout, "cell" | "top">): SVGElement[] {
  return cells.map(([query, key]) =>
    svg("circle", {
      class: "s2b-mark",
      cx: (key + 0.5) * cell,
      cy: top + (query + 0.5) * cell,
      r: (cell * 0.17).toFixed(2),
      "data-mark": `${query},${key}`,
    }),
  );
}

/** The sample of a mark. */
export function markSample(): SVGSVGElement {
  return svg(
    "svg",
    { class: "s2b-sample", viewBox: "0 0 14 14", width: 14, height: 14, "aria-hidden": "true" },
    svg("circle", { class: "s2b-mark", cx: 7, cy: 7, r: 4.5 }),
  );
}
