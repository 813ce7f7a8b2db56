/**
 * A small picture of one head: cells and gold, no labels. It is for comparing shapes at a glance;
 * what it shows is said beside it, and shown large elsewhere.
 *
 * `seq2bert/thumbnails.py` draws the static one by the same rules.
 */

import { svg } from "./dom.ts";
import type { AttentionMap, Cell } from "./state.ts";
import { level } from "./weights.ts";

/** Side of a cell; the picture is scaled to the room that there is. */
const CELL = 10;

/** A part of the drawing: its classes and its path. */
export type Part = readonly [classes: string, path: string];

/** For each level of the ramp above 0 that occurs, in order, the path of its cells; then gold. */
export function parts(map: AttentionMap, layer = 0, head = 0): Part[] {
  const squares = new Map<number, string>();
  for (const query of map.queryTokens.keys()) {
    for (const [key, weight] of map.row(layer, head, query).entries()) {
      const step = level(weight);
      if (step > 0) squares.set(step, `${squares.get(step) ?? ""}M${CELL * key} ${CELL * query}h10v10h-10z`);
    }
  }
  const sure = new Set(map.sure.map(String));
  const gold: (readonly [string, readonly Cell[]])[] = [
    ["possible", map.possible.filter((cell) => !sure.has(String(cell)))],
    ["sure", map.sure],
  ];
  return [
    ...[...squares].sort(([a], [b]) => a - b).map(([step, path]): Part => [`s2b-w${step}`, path]),
    ...gold
      .filter(([, cells]) => cells.length > 0)
      .flatMap(([kind, cells]): Part[] => {
        const path = [...cells]
          .sort(([a, b], [c, d]) => a - c || b - d)
          .map(([query, key]) => `M${CELL * key + 1} ${CELL * query + 1}h8v8h-8z`)
          .join("");
        return [["s2b-gold-halo", path], [`s2b-gold s2b-${kind}`, path]];
      }),
  ];
}

export class Thumbnail {
  readonly element = svg("svg", { class: "s2b-thumb-map", "aria-hidden": "true" });
  private drawn: { map: AttentionMap; layer: number; head: number } | null = null;

  /** Draw a head, if it is not the one that is drawn. */
  show(map: AttentionMap, layer = 0, head = 0): void {
    if (this.drawn?.map === map && this.drawn.layer === layer && this.drawn.head === head) return;
    this.drawn = { map, layer, head };
    const [wide, high] = [CELL * map.keyTokens.length, CELL * map.queryTokens.length];
    this.element.setAttribute("viewBox", `-1 -1 ${wide + 2} ${high + 2}`);
    this.element.replaceChildren(
      svg("rect", { class: "s2b-edge", width: wide, height: high }),
      ...parts(map, layer, head).map(([classes, path]) => svg("path", { class: classes, d: path })),
    );
  }
}
