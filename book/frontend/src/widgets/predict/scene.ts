/** One drawing of one example: an empty grid to mark, or the answer with the marks still on it. */

import { svg } from "../../shared/dom.ts";
import { SMALLEST_SCALE } from "../../shared/geometry.ts";
import { GridCursor, type GridActions } from "../../shared/gridcursor.ts";
import { markDots } from "../../shared/marks.ts";
import { picture, type Picture } from "../../shared/picture.ts";
import type { AttentionMap, Cell } from "../../shared/state.ts";
import { describe, describeHidden } from "../../shared/words.ts";

/** No cell is smaller than this on the screen, in pixels: a finger has to hit it. */
export const SMALLEST_CELL = 24;

export class Scene {
  readonly element: HTMLElement;
  readonly cursor: GridCursor;
  private readonly drawing: Picture;
  private readonly dots = svg("g", { class: "s2b-marks", "aria-hidden": "true" });

  constructor(
    readonly map: AttentionMap,
    readonly revealed: boolean,
    actions: GridActions,
  ) {
    // the picture draws the gold that it is given: a hidden one is given none
    this.drawing = revealed
      ? picture(map, describe(map, 0, 0))
      : picture({ ...map, sure: [], possible: [] }, describeHidden(map));
    const { element, grid, cells } = this.drawing;
    if (revealed) this.drawing.paint(0, 0);
    else for (const cell of cells.flat()) cell.setAttribute("class", "s2b-cell s2b-blank");
    this.drawing.focusRow(0, 0, -1);
    // here cells are chosen, not rows
    grid.setAttribute("aria-multiselectable", "true");
    for (const row of grid.querySelectorAll("[role=row]")) row.removeAttribute("aria-selected");
    grid.insertBefore(this.lines(), grid.querySelector("[role=row]"));
    // above the gold, below the frame of the cursor
    grid.insertBefore(this.dots, grid.lastElementChild);
    this.element = element;
    this.resize();
    this.cursor = new GridCursor(this.drawing, actions);
  }

  /** Show the marks, and name each cell. */
  mark(
    marks: readonly Cell[],
    isMarked: (query: number, key: number) => boolean,
    name: (query: number, key: number) => string,
  ): void {
    this.dots.replaceChildren(...markDots(marks, this.drawing.layout));
    for (const [query, row] of this.drawing.cells.entries()) {
      for (const [key, cell] of row.entries()) {
        cell.setAttribute("aria-label", name(query, key));
        cell.setAttribute("aria-selected", String(isMarked(query, key)));
      }
    }
  }

  private lines(): SVGElement {
    const { cell, top } = this.drawing.layout;
    const [rows, columns] = [this.map.queryTokens.length, this.map.keyTokens.length];
    let d = "";
    for (let key = 0; key <= columns; key += 1) d += `M${key * cell} ${top}v${rows * cell}`;
    for (let query = 0; query <= rows; query += 1) d += `M0 ${top + query * cell}h${columns * cell}`;
    return svg("path", { class: "s2b-lines", d, "aria-hidden": "true" });
  }

  /** The limits of the picture's width; `pictures.blank_svg` in Python has the same. */
  private resize(): void {
    const { cell, width } = this.drawing.layout;
    const frame = this.element.firstElementChild as HTMLElement;
    // a cell is drawn a pixel smaller than its place
    const touchable = SMALLEST_CELL / (cell - 1);
    frame.style.maxWidth = `${Math.ceil(width * Math.max(1, touchable))}px`;
    frame.style.minWidth = `${Math.ceil(width * Math.max(SMALLEST_SCALE, touchable))}px`;
  }
}
