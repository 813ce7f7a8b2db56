/**
 * One attention map to look at: the picture, the line that reads it out, legend and table twin.
 *
 * Every widget that shows weights has one. Which row is held belongs to the widget (it is told
 * through `onHold` and tells back through `show`); where the cursor stands belongs here.
 */

import { tick } from "./controls.ts";
import { html } from "./dom.ts";
import { move } from "./gridkeys.ts";
import { goldSample, scaleLegend } from "./legend.ts";
import { goldKinds, picture, type Picture } from "./picture.ts";
import { cellSentence, Readout, type Piece } from "./readout.ts";
import type { AttentionMap } from "./state.ts";
import { fold, table } from "./table.ts";
import { format } from "./weights.ts";
import { describe, tableCaption } from "./words.ts";

export interface Shown {
  layer: number;
  head: number;
  /** The row that is held; -1 for none. */
  query: number;
  /** How many rows have been written; all of them when left out. */
  written?: number;
}

const INVITATION = "Point at a cell, or move with the arrow keys; Enter or a click holds its row.";

export class MapView {
  readonly readout = new Readout();
  readonly holder = html("div", { class: "s2b-holder" });
  readonly twin = fold("Table of the weights");
  readonly foot: HTMLElement;
  /** The drawing at the moment; null while there is none. */
  drawing: Picture | null = null;
  private readonly numbers = tick("numbers", false, (on) =>
    this.root.classList.toggle("s2b-with-numbers", on),
  );
  private readonly goldName = html("span", { class: "s2b-legend" });
  private readonly gold = tick(this.goldName, true, (on) =>
    this.root.classList.toggle("s2b-without-gold", !on),
  );
  private drawn: AttentionMap | null = null;
  private now: Shown = { layer: 0, head: 0, query: -1 };
  private cursor = { row: 0, column: 0 };
  /** How far the reader has moved a wide picture; asking the page for it would make it lay out all. */
  private scrolled = 0;

  constructor(
    private readonly root: HTMLElement,
    private readonly onHold: (query: number) => void,
  ) {
    this.foot = html("div", { class: "s2b-foot" }, scaleLegend(), this.gold.element, this.numbers.element);
  }

  /** Put something else in the place of the picture. */
  clear(...instead: Node[]): void {
    this.drawing = null;
    this.drawn = null;
    this.holder.replaceChildren(...instead);
  }

  /** Draw a map, or follow what is chosen of the one that is drawn. */
  show(map: AttentionMap, shown: Shown): void {
    this.now = shown;
    const { layer, head, query } = shown;
    const description = describe(map, layer, head);
    const focused = this.holder.contains(document.activeElement);
    if (map !== this.drawn && this.drawing?.adopt(map, description)) {
      this.drawn = map;
      // what was pointed at is another cell now
      this.drawing.point(null, null);
      this.readout.clear();
      const { row, column } = this.cursor;
      this.setCursor(Math.min(row, map.queryTokens.length - 1), Math.min(column, map.keyTokens.length - 1));
      // the cell that had the focus may be gone
      if (focused && !this.holder.contains(document.activeElement)) this.cellAt(this.cursor.row, this.cursor.column)?.focus();
    } else if (map !== this.drawn || !this.drawing) {
      this.drawing = picture(map, description);
      this.drawn = map;
      this.cursor = { row: 0, column: 0 };
      this.attend(this.drawing);
      this.holder.replaceChildren(this.drawing.element);
      if (this.scrolled > 0) this.drawing.element.scrollLeft = this.scrolled;
      if (focused) this.cellAt(0, 0)?.focus();
    }
    const kinds = goldKinds(map);
    this.gold.element.hidden = kinds.length === 0;
    this.goldName.replaceChildren("gold links", ...kinds.flatMap((kind) => [goldSample(kind), kind]));
    this.numbers.element.hidden = !this.drawing || this.drawing.layout.cell < 28;
    this.drawing.grid.setAttribute("aria-label", description);
    this.drawing.paint(layer, head);
    this.drawing.write(shown.written ?? map.queryTokens.length);
    this.drawing.focusRow(layer, head, query);
    this.twin.show(() =>
      table({
        caption: tableCaption(map, layer, head),
        queryTokens: map.queryTokens,
        keyTokens: map.keyTokens,
        weight: (row, column) => map.weight(layer, head, row, column),
      }),
    );
    this.readout.rest(...resting(map, shown));
  }

  private cellAt(query: number, key: number): SVGRectElement | undefined {
    return this.drawing?.cells[query]?.[key];
  }

  /** Pointer, touch and keyboard on a new drawing. */
  private attend(drawing: Picture): void {
    const read = (query: number, key: number): void => {
      const { layer, head } = this.now;
      const map = this.drawn;
      if (!map) return;
      drawing.point(query, key);
      this.readout.say(
        ...cellSentence(
          map.queryTokens[query] ?? "",
          query,
          map.keyTokens[key] ?? "",
          key,
          map.weight(layer, head, query, key),
        ),
      );
    };
    const leave = (): void => {
      drawing.point(null, null);
      this.readout.clear();
    };
    const hold = (query: number): void => this.onHold(query === this.now.query ? -1 : query);
    const element = drawing.element;
    element.addEventListener("scroll", () => {
      this.scrolled = element.scrollLeft;
    });
    element.addEventListener("pointerover", (event) => {
      const at = position(event.target);
      if (at && at.key !== null) read(at.query, at.key);
      else if (at) drawing.point(at.query, null);
    });
    element.addEventListener("pointerleave", () => {
      // back to the cell that has the focus, if one has
      if (drawing.grid.contains(document.activeElement)) read(this.cursor.row, this.cursor.column);
      else leave();
    });
    element.addEventListener("click", (event) => {
      const at = position(event.target);
      if (!at) return;
      hold(at.query);
      if (at.key === null) return;
      this.setCursor(at.query, at.key);
      // the row's summary comes first (a microtask later); what was pointed at stays in the readout
      queueMicrotask(() => {
        if (this.drawing === drawing) read(at.query, at.key as number);
      });
    });
    drawing.grid.addEventListener("focusin", (event) => {
      const at = position(event.target);
      if (!at || at.key === null) return;
      this.setCursor(at.query, at.key);
      read(at.query, at.key);
    });
    drawing.grid.addEventListener("focusout", (event) => {
      if (!drawing.grid.contains(event.relatedTarget as Node | null)) leave();
    });
    drawing.grid.addEventListener("keydown", (event) => {
      const { row, column } = this.cursor;
      if (event.key === "Enter" || event.key === " ") {
        // a key that is held down would hold and let go
        if (!event.repeat) hold(row);
      } else if (event.key === "Escape" && this.now.query >= 0) this.onHold(-1);
      else {
        const size = [drawing.cells.length, drawing.columnLabels.length] as const;
        const next = event.altKey || event.metaKey ? null : move(this.cursor, event.key, ...size, event.ctrlKey);
        if (!next) return;
        this.setCursor(next.row, next.column);
        this.cellAt(next.row, next.column)?.focus();
      }
      event.preventDefault();
      // a notebook has its own meaning for these keys
      event.stopPropagation();
      if (event.key === "Enter" || event.key === " " || event.key === "Escape") {
        queueMicrotask(() => drawing.point(row, column));
      }
    });
  }

  /** The roving tab stop: one cell of the grid can be reached with Tab, the one last visited. */
  private setCursor(query: number, key: number): void {
    this.cellAt(this.cursor.row, this.cursor.column)?.setAttribute("tabindex", "-1");
    this.cursor = { row: query, column: key };
    this.cellAt(query, key)?.setAttribute("tabindex", "0");
  }
}

/** What the readout says while nothing is pointed at. */
function resting(map: AttentionMap, { layer, head, query }: Shown): Piece[] {
  if (query < 0) return [INVITATION];
  const row = map.row(layer, head, query);
  const key = row.indexOf(Math.max(...row));
  const held = { token: map.queryTokens[query] ?? "", role: "query" } as const;
  if ((row[key] ?? 0) === 0) return ["row ", held, ` (${query + 1}) attends to nothing`];
  return [
    "row ",
    held,
    ` (${query + 1}) looks most at `,
    { token: map.keyTokens[key] ?? "", role: "key" },
    ` (${key + 1}): ${format(row[key] ?? 0)}. Escape lets go.`,
  ];
}

/** The cell or row label that an event fell on. */
export function position(target: EventTarget | null): { query: number; key: number | null } | null {
  const element = target instanceof Element ? target.closest("[data-query]") : null;
  if (!element) return null;
  const key = element.getAttribute("data-key");
  return { query: Number(element.getAttribute("data-query")), key: key === null ? null : Number(key) };
}
