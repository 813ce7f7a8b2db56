/** The drawing of one head: labels, cells, gold outlines, the cursor and the strip of a row. */

import { html, svg } from "./dom.ts";
import { layout, SMALLEST_SCALE, type Layout } from "./geometry.ts";
import type { AttentionMap, Cell } from "./state.ts";
import { label } from "./tokens.ts";
import { DARK_FROM, format, level, paint } from "./weights.ts";

const STRIP = 62;
const BAR = 38;

export interface Picture {
  element: HTMLElement;
  grid: SVGSVGElement;
  layout: Layout;
  cells: SVGRectElement[][];
  columnLabels: SVGTextElement[];
  /**
   * Show another map in the same drawing, if its cells are as large; rows and columns come and go,
   * the others stay. What is said about the weights follows with `paint`. Somebody who types
   * changes little, and to keep the rest spares the browser hundreds of new elements.
   */
  adopt(map: AttentionMap, description: string): boolean;
  /** Paint the weights of a head. */
  paint(layer: number, head: number): void;
  /** Show only the first so many rows: the others are not written yet. */
  write(count: number): void;
  /** Light up one row and dim the others; -1 lights up all. */
  focusRow(layer: number, head: number, query: number): void;
  /** Draw the frame around a cell and set off its labels; null takes both away. */
  point(query: number | null, key: number | null): void;
}

/** Build the drawing of a map. Nothing in it is painted yet. */
export function picture(map: AttentionMap, description: string): Picture {
  const drawing = new Drawing(map);
  drawing.adopt(map, description);
  return drawing;
}

class Drawing implements Picture {
  layout: Layout;
  readonly cells: SVGRectElement[][] = [];
  readonly columnLabels: SVGTextElement[] = [];
  private readonly rowLabels: SVGTextElement[] = [];
  private readonly rowTargets: SVGRectElement[] = [];
  private readonly rowGroups: SVGGElement[] = [];
  private readonly numbers: SVGTextElement[][] = [];
  private readonly bars: SVGRectElement[] = [];
  private readonly barNumbers: SVGTextElement[] = [];
  /** What each cell says at the moment; a cell is touched only when that changes. */
  private readonly said: string[][] = [];
  private golds: SVGElement[] = [];
  private tall = 0;
  /** Cells of this size have room for a number. */
  private readonly showsNumbers: boolean;

  private readonly captions = svg("g");
  private readonly targetGroup = svg("g");
  private readonly rowLabelGroup = svg("g");
  private readonly stripLabel = svg("text", { class: "s2b-caption", "text-anchor": "end" });
  private readonly side: SVGSVGElement;
  private readonly columnLabelGroup = svg("g", { "aria-hidden": "true" });
  private readonly edge = svg("rect", { class: "s2b-edge", x: 0, "aria-hidden": "true" });
  private readonly goldGroup = svg("g", { class: "s2b-golds", "aria-hidden": "true" });
  private readonly axis = svg("path", { class: "s2b-axis" });
  private readonly barGroup = svg("g");
  private readonly strip = svg("g", { class: "s2b-strip", "aria-hidden": "true" }, this.axis, this.barGroup);
  private readonly cursor: SVGGElement;
  readonly grid: SVGSVGElement;
  private readonly frame: HTMLElement;
  readonly element: HTMLElement;

  constructor(private map: AttentionMap) {
    this.layout = layout(map.queryTokens, map.keyTokens);
    const { cell, font } = this.layout;
    this.showsNumbers = cell >= 28;
    this.side = svg(
      "svg",
      { class: "s2b-rows", "aria-hidden": "true", "font-size": font },
      this.captions,
      this.targetGroup,
      this.rowLabelGroup,
      this.stripLabel,
    );
    this.cursor = svg(
      "g",
      { class: "s2b-cursor-group", visibility: "hidden" },
      svg("rect", { class: "s2b-cursor-halo", width: cell, height: cell }),
      svg("rect", { class: "s2b-cursor", width: cell, height: cell }),
    );
    this.grid = svg(
      "svg",
      { class: "s2b-cells", role: "grid", "aria-readonly": "true", "font-size": font },
      this.columnLabelGroup,
      this.edge,
      this.goldGroup,
      this.strip,
      this.cursor,
    );
    this.frame = html("div", { class: "s2b-frame" }, this.side, this.grid);
    this.element = html("div", { class: "s2b-scroll" }, this.frame);
  }

  adopt(map: AttentionMap, description: string): boolean {
    const place = layout(map.queryTokens, map.keyTokens);
    if (place.cell !== this.layout.cell || place.font !== this.layout.font) return false;
    const same = (Object.keys(place) as (keyof Layout)[]).every((name) => place[name] === this.layout[name]);
    this.map = map;
    this.layout = place;
    put(this.grid, { "aria-label": description });
    const [rows, columns] = [map.queryTokens.length, map.keyTokens.length];
    if (!same || rows !== this.cells.length || columns !== this.columnLabels.length) {
      this.fit(rows, columns);
      this.arrange(rows, columns);
    }
    for (const [texts, tokens] of [
      [this.rowLabels, map.queryTokens],
      [this.columnLabels, map.keyTokens],
    ] as const) {
      for (const [at, text] of texts.entries()) write(text, label(tokens[at] ?? ""));
    }
    this.golds = goldOutlines(map, place);
    this.goldGroup.replaceChildren(...this.golds);
    return true;
  }

  /** Have so many rows and columns; what is there stays. */
  private fit(rows: number, columns: number): void {
    const middle = { "text-anchor": "middle", "font-size": 10 };
    resize(this.columnLabels, columns, (key) => {
      const text = svg("text", { class: "s2b-label", "data-key": key });
      this.columnLabelGroup.append(text);
      return text;
    });
    resize(this.bars, columns, () => this.barGroup.appendChild(svg("rect", { class: "s2b-bar-key" })));
    resize(this.barNumbers, columns, () => this.barGroup.appendChild(svg("text", middle)));
    resize(this.rowTargets, rows, (query) =>
      this.targetGroup.appendChild(svg("rect", { class: "s2b-target", x: 0, "data-query": query })),
    );
    resize(this.rowLabels, rows, (query) =>
      this.rowLabelGroup.appendChild(svg("text", { class: "s2b-label", "text-anchor": "end", "data-query": query })),
    );
    resize(this.rowGroups, rows, () => {
      const group = svg("g", { role: "row" }, svg("g", { class: "s2b-numbers", "aria-hidden": "true" }));
      this.grid.insertBefore(group, this.goldGroup);
      return group;
    });
    for (const lists of [this.cells, this.numbers, this.said] as unknown[][][]) {
      lists.length = Math.min(lists.length, rows);
      while (lists.length < rows) lists.push([]);
    }
    for (const [query, group] of this.rowGroups.entries()) {
      const numbers = group.lastElementChild as SVGGElement;
      resize(this.cells[query] as SVGRectElement[], columns, (key) => {
        const tabindex = query === 0 && key === 0 ? 0 : -1;
        const rect = svg("rect", { role: "gridcell", tabindex, "data-query": query, "data-key": key });
        group.insertBefore(rect, numbers);
        return rect;
      });
      if (this.showsNumbers) {
        resize(this.numbers[query] as SVGTextElement[], columns, () => numbers.appendChild(svg("text", middle)));
      }
      (this.said[query] as string[]).length = Math.min((this.said[query] as string[]).length, columns);
    }
  }

  /** Put everything where the layout says. */
  private arrange(rows: number, columns: number): void {
    const { cell, font, left, top, width, height } = this.layout;
    this.captions.replaceChildren(...cornerCaptions(this.layout));
    for (const [query, text] of this.rowLabels.entries()) {
      put(text, { x: left - 8, y: top + (query + 0.5) * cell + font * 0.35 });
      put(this.rowTargets[query] as Element, { y: top + query * cell, width: left, height: cell });
    }
    put(this.stripLabel, { x: left - 8, y: height + STRIP / 2 });
    for (const [key, text] of this.columnLabels.entries()) {
      put(text, { transform: `translate(${(key + 0.5) * cell + font * 0.3} ${top - 8}) rotate(-45)` });
      put(this.bars[key] as Element, { x: key * cell + 4, width: cell - 8 });
      put(this.barNumbers[key] as Element, { x: (key + 0.5) * cell });
    }
    for (const [query, row] of this.cells.entries()) {
      for (const [key, rect] of row.entries()) {
        put(rect, { x: key * cell + 0.5, y: top + query * cell + 0.5, width: cell - 1, height: cell - 1 });
        const number = this.numbers[query]?.[key];
        if (number) put(number, { x: (key + 0.5) * cell, y: top + (query + 0.5) * cell + 3.5 });
      }
    }
    put(this.edge, { y: top, width: columns * cell, height: rows * cell });
    put(this.axis, { d: `M0 ${height + BAR + 16.5}h${columns * cell}` });
    this.frame.style.maxWidth = `${width}px`;
    this.frame.style.minWidth = `${Math.floor(width * SMALLEST_SCALE)}px`;
    for (const [part, wide] of this.parts()) part.style.width = `${((100 * wide) / width).toFixed(4)}%`;
    this.tall = 0;
    this.size(height);
  }

  /** Both halves of the drawing and their widths. */
  private parts(): readonly (readonly [SVGSVGElement, number])[] {
    const { left, width } = this.layout;
    return [
      [this.side, left],
      [this.grid, width - left],
    ];
  }

  /** The height that is shown; with the strip of a row it is more. */
  private size(full: number): void {
    // even the same view box again would lay out the whole drawing anew
    if (full === this.tall) return;
    this.tall = full;
    for (const [part, wide] of this.parts()) put(part, { viewBox: `0 0 ${wide} ${full}` });
  }

  paint(layer: number, head: number): void {
    for (const [query, row] of this.cells.entries()) {
      const weights = this.map.row(layer, head, query);
      for (const [key, rect] of row.entries()) {
        const weight = weights[key] ?? 0;
        const says = `${paint(weight)} ${format(weight)}`;
        if (this.said[query]?.[key] === says) continue;
        (this.said[query] as string[])[key] = says;
        rect.setAttribute("class", `s2b-cell ${paint(weight)}`);
        rect.setAttribute("aria-label", format(weight));
        const number = this.numbers[query]?.[key];
        if (!number) continue;
        number.textContent = format(weight);
        number.setAttribute("class", level(weight) < DARK_FROM ? "s2b-on-pale" : "s2b-on-deep");
      }
    }
  }

  write(count: number): void {
    for (const [row, group] of this.rowGroups.entries()) {
      group.classList.toggle("s2b-unwritten", row >= count);
      this.rowLabels[row]?.classList.toggle("s2b-unwritten", row >= count);
    }
    for (const outline of this.golds) outline.classList.toggle("s2b-unwritten", rowOf(outline) >= count);
  }

  focusRow(layer: number, head: number, query: number): void {
    const some = query >= 0;
    for (const [row, group] of this.rowGroups.entries()) {
      group.classList.toggle("s2b-dim", some && row !== query);
      put(group, { "aria-selected": String(some && row === query) });
      this.rowLabels[row]?.classList.toggle("s2b-dim", some && row !== query);
      this.rowLabels[row]?.classList.toggle("s2b-lit", some && row === query);
    }
    for (const outline of this.golds) outline.classList.toggle("s2b-dim", some && rowOf(outline) !== query);
    const { height, cell } = this.layout;
    this.size(some ? height + STRIP : height);
    this.strip.classList.toggle("s2b-off", !some);
    write(this.stripLabel, some ? `row ${query + 1}` : "");
    if (!some) return;
    const weights = this.map.row(layer, head, query);
    const largest = Math.max(...weights, 0);
    for (const [key, bar] of this.bars.entries()) {
      const weight = weights[key] ?? 0;
      const tall = Math.max(weight * BAR, weight > 0 ? 0.5 : 0);
      put(bar, { height: tall.toFixed(2), y: (height + BAR + 16 - tall).toFixed(2) });
      const number = this.barNumbers[key];
      if (!number) continue;
      const fits = cell >= 28 || weight === largest;
      write(number, weight >= 0.005 && fits ? format(weight) : "");
      put(number, { y: (height + BAR + 12 - tall).toFixed(2) });
    }
  }

  point(query: number | null, key: number | null): void {
    for (const [row, text] of this.rowLabels.entries()) text.classList.toggle("s2b-at", row === query);
    for (const [column, text] of this.columnLabels.entries()) text.classList.toggle("s2b-at", column === key);
    const on = query !== null && key !== null;
    const { cell, top } = this.layout;
    put(this.cursor, { visibility: on ? "visible" : "hidden" });
    if (on) put(this.cursor, { transform: `translate(${key * cell} ${top + query * cell})` });
  }
}

/** Make a list of elements so long: new ones are made, what is too much leaves the page. */
function resize<E extends Element>(list: E[], length: number, make: (at: number) => E): void {
  for (const gone of list.splice(length)) gone.remove();
  while (list.length < length) list.push(make(list.length));
}

/** Set attributes that are not so already: setting one again costs as much as a change. */
function put(element: Element, attributes: Record<string, string | number>): void {
  for (const [name, value] of Object.entries(attributes)) {
    const text = String(value);
    if (element.getAttribute(name) !== text) element.setAttribute(name, text);
  }
}

function write(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

function rowOf(outline: Element): number {
  return Number((outline.getAttribute("data-gold") ?? "").split(",")[0]);
}

/** The two captions in the corner: which axis asks, which is looked at. */
function cornerCaptions({ left, top }: Layout): SVGElement[] {
  return [
    svg("rect", { class: "s2b-mark-key", x: left - 9, y: top - 40, width: 3, height: 11 }),
    svg("text", { class: "s2b-caption", x: left - 14, y: top - 31, "text-anchor": "end" }, "keys →"),
    svg("rect", { class: "s2b-mark-query", x: left - 9, y: top - 21, width: 3, height: 11 }),
    svg("text", { class: "s2b-caption", x: left - 14, y: top - 12, "text-anchor": "end" }, "queries ↓"),
  ];
}

/** Cells that gold may link but does not link for sure. */
function onlyPossible(map: AttentionMap): readonly Cell[] {
  const sure = new Set(map.sure.map(String));
  return map.possible.filter((cell) => !sure.has(String(cell)));
}

/** Which kinds of gold links there are to tell apart. */
export function goldKinds(map: AttentionMap): ("sure" | "possible")[] {
  const kinds: ("sure" | "possible")[] = map.sure.length > 0 ? ["sure"] : [];
  return onlyPossible(map).length > 0 ? [...kinds, "possible"] : kinds;
}

/** Outlines of the cells that gold links: solid when sure, dashed when only possible. */
function goldOutlines(map: AttentionMap, { cell, top }: Layout): SVGElement[] {
  const outline = ([query, key]: Cell, kind: string): SVGElement[] =>
    ["s2b-gold-halo", `s2b-gold s2b-${kind}`].map((name) =>
      svg("rect", {
        class: name,
        x: key * cell + 3,
        y: top + query * cell + 3,
        width: cell - 6,
        height: cell - 6,
        rx: 2,
        "data-gold": `${query},${key}`,
      }),
    );
  return [
    ...onlyPossible(map).flatMap((at) => outline(at, "possible")),
    ...map.sure.flatMap((at) => outline(at, "sure")),
  ];
}
