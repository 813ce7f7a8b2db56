/**
 * All heads of one kind of attention: a row for each layer, a column for each head. Each has a
 * picture, which a press enlarges, and a switch below it.
 *
 * Of the pictures one can be reached with Tab, and of the switches one; the arrow keys move among
 * their like.
 */

import { html } from "../../shared/dom.ts";
import { move } from "../../shared/gridkeys.ts";
import type { AttentionMap } from "../../shared/state.ts";
import { Thumbnail } from "../../shared/thumbnail.ts";
import { headName, strongest } from "./says.ts";

interface Cell {
  element: HTMLElement;
  open: HTMLButtonElement;
  thumbnail: Thumbnail;
  flip: HTMLButtonElement;
  state: HTMLElement;
}

export interface GridActions {
  /** Enlarge a head. */
  open(layer: number, head: number): void;
  /** Switch a head off, or on again. */
  flip(layer: number, head: number): void;
}

export class HeadGrid {
  readonly element = html("div", { class: "s2b-grid", role: "group" });
  private cells: Cell[][] = [];
  /** The switch that can be reached with Tab. */
  private at = { row: 0, column: 0 };
  private enabled = true;

  constructor(private readonly actions: GridActions) {
    this.element.addEventListener("keydown", (event) => this.key(event));
    this.element.addEventListener("focusin", (event) => {
      const found = this.find(event.target);
      if (found?.part !== "flip") return;
      this.at = { row: found.row, column: found.column };
      this.tabStops();
    });
  }

  /** Show all heads of a map; `isOff` says which are switched off. */
  show(name: string, map: AttentionMap, layer: number, head: number, isOff: (layer: number, head: number) => boolean): void {
    this.element.setAttribute("aria-label", `${name}: all heads. The arrow keys move among the pictures, and among the switches.`);
    if (this.cells.length !== map.layers || this.cells[0]?.length !== map.heads) this.build(map.layers, map.heads);
    for (const [row, cells] of this.cells.entries()) {
      for (const [column, { element, open, thumbnail, flip, state }] of cells.entries()) {
        const off = isOff(row, column);
        const chosen = row === layer && column === head;
        thumbnail.show(map, row, column);
        open.setAttribute("aria-label", `Enlarge ${headName(row, column).toLowerCase()}; strongest: ${strongest(map, row, column)}`);
        if (chosen) open.setAttribute("aria-current", "true");
        else open.removeAttribute("aria-current");
        open.tabIndex = chosen ? 0 : -1;
        flip.setAttribute("aria-pressed", String(!off));
        state.textContent = off ? "off" : "on";
        element.classList.toggle("s2b-chosen", chosen);
        element.classList.toggle("s2b-without", off);
      }
    }
  }

  /** Do the switches do anything? */
  enable(on: boolean): void {
    this.enabled = on;
    for (const { flip } of this.cells.flat()) flip.setAttribute("aria-disabled", String(!on));
  }

  private build(layers: number, heads: number): void {
    this.cells = Array.from({ length: layers }, (_, row) => Array.from({ length: heads }, (_, column) => this.make(row, column)));
    this.element.replaceChildren(
      ...this.cells.map((cells, layer) => {
        const row = html("div", { class: "s2b-row" }, ...cells.map(({ element }) => element));
        row.style.setProperty("--heads", String(heads));
        return html("div", { class: "s2b-layer" }, html("span", { class: "s2b-layer-name" }, `Layer ${layer + 1}`), row);
      }),
    );
    this.at = { row: 0, column: 0 };
    this.tabStops();
    this.enable(this.enabled);
  }

  private make(layer: number, head: number): Cell {
    const thumbnail = new Thumbnail();
    const open = html("button", { class: "s2b-open", type: "button" }, thumbnail.element);
    const state = html("span", { class: "s2b-onoff", "aria-hidden": "true" });
    // the name is of the head alone: whether it is on is said by `aria-pressed`
    const where = html("span", { class: "s2b-spoken" }, `Layer ${layer + 1}, `);
    const flip = html("button", { class: "s2b-switch", type: "button" }, html("span", {}, where, `Head ${head + 1}`), state);
    open.addEventListener("click", () => this.actions.open(layer, head));
    flip.addEventListener("click", () => {
      if (this.enabled) this.actions.flip(layer, head);
    });
    return { element: html("span", { class: "s2b-head" }, open, flip), open, thumbnail, flip, state };
  }

  private tabStops(): void {
    for (const [row, cells] of this.cells.entries()) {
      for (const [column, { flip }] of cells.entries()) flip.tabIndex = row === this.at.row && column === this.at.column ? 0 : -1;
    }
  }

  private find(target: EventTarget | null): { row: number; column: number; part: "open" | "flip" } | null {
    for (const [row, cells] of this.cells.entries()) {
      for (const [column, { open, flip }] of cells.entries()) {
        if (open === target) return { row, column, part: "open" };
        if (flip === target) return { row, column, part: "flip" };
      }
    }
    return null;
  }

  private key(event: KeyboardEvent): void {
    if (event.altKey || event.metaKey || event.ctrlKey) return;
    const from = this.find(event.target);
    if (!from) return;
    const to = move(from, event.key, this.cells.length, this.cells[0]?.length ?? 0);
    if (!to) return;
    event.preventDefault();
    // a notebook has its own meaning for keys
    event.stopPropagation();
    this.cells[to.row]?.[to.column]?.[from.part].focus();
    if (from.part === "open") this.actions.open(to.row, to.column);
  }
}
