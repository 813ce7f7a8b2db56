/** Two drawings of the same cells: the mask, and the weights under it. */

import { html, svg } from "../../shared/dom.ts";
import { GridCursor, type GridActions } from "../../shared/gridcursor.ts";
import { picture, type Picture } from "../../shared/picture.ts";
import type { AttentionMap } from "../../shared/state.ts";

/** The weight whose colour an allowed cell has (`seq2bert.mask_picture.ALLOWED`). */
export const ALLOWED = 0.3;

export interface GridScene {
  words: readonly string[];
  /** What each cell is painted with. */
  values: readonly (readonly number[])[];
  description: string;
  /** What each cell says to a screen reader. */
  says(query: number, key: number): string;
  /** What stands in a cell, where numbers are shown. */
  number(query: number, key: number): string;
  /** Cells with a cross. */
  crossed(query: number, key: number): boolean;
  /** Cells with a ring. */
  ringed(query: number, key: number): boolean;
  /** Rows whose label is set off. */
  lit(query: number): boolean;
}

export class Grid {
  readonly element = html("div", { class: "s2b-holder" });
  private readonly crosses = svg("path", { class: "s2b-forbidden", "aria-hidden": "true" });
  private readonly rings = svg("g", { "aria-hidden": "true" });
  private drawing: Picture | null = null;
  private cursor: GridCursor | null = null;

  constructor(private readonly actions: GridActions) {}

  show(scene: GridScene): void {
    const map = mapOf(scene);
    if (!this.drawing?.adopt(map, scene.description)) this.draw(map, scene.description);
    const { cells, grid, layout, element } = this.drawing as Picture;
    (this.drawing as Picture).paint(0, 0);
    const { cell, top } = layout;
    const rings: SVGElement[] = [];
    const numbers = [...grid.querySelectorAll(".s2b-numbers")].map((group) => group.children);
    let path = "";
    for (const [query, row] of cells.entries()) {
      for (const [key, rect] of row.entries()) {
        rect.setAttribute("aria-label", scene.says(query, key));
        const number = numbers[query]?.[key];
        if (number) number.textContent = scene.number(query, key);
        const [x, y, arm] = [(key + 0.5) * cell, top + (query + 0.5) * cell, cell * 0.16];
        if (scene.crossed(query, key)) path += `M${x - arm} ${y - arm}l${2 * arm} ${2 * arm}m0-${2 * arm}l-${2 * arm} ${2 * arm}`;
        if (scene.ringed(query, key)) rings.push(svg("circle", { class: "s2b-by-hand", cx: x, cy: y, r: cell * 0.4 }));
      }
    }
    this.crosses.setAttribute("d", path);
    this.rings.replaceChildren(...rings);
    for (const text of element.querySelectorAll(".s2b-rows .s2b-label")) {
      text.classList.toggle("s2b-lit", scene.lit(Number(text.getAttribute("data-query"))));
    }
    grid.setAttribute("aria-readonly", "false");
  }

  private draw(map: AttentionMap, description: string): void {
    const [before, focused] = [this.cursor?.position, this.cursor?.hasFocus() ?? false];
    this.drawing = picture(map, description);
    const { grid, element } = this.drawing;
    // below the frame of the cursor
    grid.insertBefore(this.crosses, grid.lastElementChild);
    grid.insertBefore(this.rings, grid.lastElementChild);
    this.cursor = new GridCursor(this.drawing, this.actions);
    const size = map.queryTokens.length - 1;
    if (before) this.cursor.moveTo({ row: Math.min(size, before.row), column: Math.min(size, before.column) });
    this.element.replaceChildren(element);
    if (focused) this.cursor.focus();
  }
}

function mapOf({ words, values }: GridScene): AttentionMap {
  return {
    title: "",
    kind: "encoder",
    layers: 1,
    heads: 1,
    queryTokens: words,
    keyTokens: words,
    sure: [],
    possible: [],
    weight: (_, __, query, key) => values[query]?.[key] ?? 0,
    row: (_, __, query) => [...(values[query] ?? [])],
  };
}
