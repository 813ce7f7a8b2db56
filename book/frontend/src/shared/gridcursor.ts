/**
 * Pointer, touch and keyboard on a drawing of cells, as the ARIA grid pattern describes it.
 *
 * One cell is pointed at, or none; one cell can be reached with Tab, the one last visited.
 */

import { move, type Position } from "./gridkeys.ts";
import type { Picture } from "./picture.ts";

export interface GridActions {
  /** A cell is pointed at, or has the focus. */
  read(query: number, key: number): void;
  /** No cell is any more. */
  leave(): void;
  /** A cell was clicked, or got Enter or Space. */
  press(query: number, key: number): void;
}

export class GridCursor {
  private at: Position = { row: 0, column: 0 };

  constructor(
    private readonly drawing: Picture,
    private readonly actions: GridActions,
  ) {
    const { element, grid } = drawing;
    element.addEventListener("pointerover", (event) => {
      const cell = cellOf(event.target);
      if (cell) this.read(cell);
    });
    element.addEventListener("pointerleave", () => {
      // back to the cell that has the focus, if one has
      if (this.hasFocus()) this.read(this.at);
      else this.leave();
    });
    grid.addEventListener("click", (event) => {
      const cell = cellOf(event.target);
      if (!cell) return;
      this.moveTo(cell);
      actions.press(cell.row, cell.column);
    });
    grid.addEventListener("focusin", (event) => {
      const cell = cellOf(event.target);
      if (!cell) return;
      this.moveTo(cell);
      this.read(cell);
    });
    grid.addEventListener("focusout", (event) => {
      if (!grid.contains(event.relatedTarget as Node | null)) this.leave();
    });
    grid.addEventListener("keydown", (event) => this.key(event));
  }

  /** The cell that can be reached with Tab. */
  get position(): Position {
    return this.at;
  }

  hasFocus(): boolean {
    return this.drawing.grid.contains(document.activeElement);
  }

  /** Make a cell the one that can be reached with Tab. */
  moveTo(to: Position): void {
    this.cell(this.at)?.setAttribute("tabindex", "-1");
    this.at = { row: to.row, column: to.column };
    this.cell(this.at)?.setAttribute("tabindex", "0");
  }

  focus(): void {
    this.cell(this.at)?.focus();
  }

  private cell({ row, column }: Position): SVGRectElement | undefined {
    return this.drawing.cells[row]?.[column];
  }

  private key(event: KeyboardEvent): void {
    if (event.altKey || event.metaKey) return;
    if (event.key === "Enter" || event.key === " ") {
      // a key that is held down would press on and off
      if (!event.repeat) this.actions.press(this.at.row, this.at.column);
    } else {
      const { cells } = this.drawing;
      const next = move(this.at, event.key, cells.length, cells[0]?.length ?? 0, event.ctrlKey);
      if (!next) return;
      this.moveTo(next);
      this.focus();
    }
    event.preventDefault();
    // a notebook has its own meaning for these keys
    event.stopPropagation();
  }

  private read({ row, column }: Position): void {
    this.drawing.point(row, column);
    this.actions.read(row, column);
  }

  private leave(): void {
    this.drawing.point(null, null);
    this.actions.leave();
  }
}

/** The cell that an event fell on; none for the labels. */
function cellOf(target: EventTarget | null): Position | null {
  const element = target instanceof Element ? target.closest("[data-query][data-key]") : null;
  if (!element) return null;
  return { row: Number(element.getAttribute("data-query")), column: Number(element.getAttribute("data-key")) };
}
