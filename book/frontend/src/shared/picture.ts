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
   * Show another map in the same drawing, if it has the same places for everything; what is said
   * about the weights follows with `paint`. While somebody types this is the usual case, and it
   * spares the browser hundreds of new elements.
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
export function picture(first: AttentionMap, description: string): Picture {
  let map = first;
  const place = layout(map.queryTokens, map.keyTokens);
  const { cell, font, left, top, width, height } = place;
  const right = width - left;
  const rows = map.queryTokens.length;
  const columns = map.keyTokens.length;

  const rowLabels = map.queryTokens.map((token, query) =>
    svg(
      "text",
      {
        class: "s2b-label",
        x: left - 8,
        y: top + (query + 0.5) * cell + font * 0.35,
        "text-anchor": "end",
        "data-query": query,
      },
      label(token),
    ),
  );
  const rowTargets = map.queryTokens.map((_, query) =>
    svg("rect", {
      class: "s2b-target",
      x: 0,
      y: top + query * cell,
      width: left,
      height: cell,
      "data-query": query,
    }),
  );
  const stripLabel = svg("text", {
    class: "s2b-caption",
    x: left - 8,
    y: height + STRIP / 2,
    "text-anchor": "end",
  });
  const side = svg(
    "svg",
    { class: "s2b-rows", "aria-hidden": "true", "font-size": font },
    ...cornerCaptions(place),
    ...rowTargets,
    ...rowLabels,
    stripLabel,
  );

  const columnLabels = map.keyTokens.map((token, key) =>
    svg(
      "text",
      {
        class: "s2b-label",
        transform: `translate(${(key + 0.5) * cell + font * 0.3} ${top - 8}) rotate(-45)`,
        "data-key": key,
      },
      label(token),
    ),
  );
  const cells = map.queryTokens.map((_, query) =>
    map.keyTokens.map((_, key) =>
      svg("rect", {
        role: "gridcell",
        tabindex: query === 0 && key === 0 ? 0 : -1,
        x: key * cell + 0.5,
        y: top + query * cell + 0.5,
        width: cell - 1,
        height: cell - 1,
        "data-query": query,
        "data-key": key,
      }),
    ),
  );
  const numbers = map.queryTokens.map((_, query) =>
    map.keyTokens.map((_, key) =>
      svg("text", {
        x: (key + 0.5) * cell,
        y: top + (query + 0.5) * cell + 3.5,
        "text-anchor": "middle",
        "font-size": 10,
      }),
    ),
  );
  const showsNumbers = cell >= 28;
  const rowGroups = cells.map((row, query) =>
    svg(
      "g",
      { role: "row" },
      ...row,
      ...(showsNumbers
        ? [svg("g", { class: "s2b-numbers", "aria-hidden": "true" }, ...(numbers[query] ?? []))]
        : []),
    ),
  );
  const bars = map.keyTokens.map((_, key) =>
    svg("rect", { class: "s2b-bar-key", x: key * cell + 4, width: cell - 8 }),
  );
  const barNumbers = map.keyTokens.map((_, key) =>
    svg("text", { x: (key + 0.5) * cell, "text-anchor": "middle", "font-size": 10 }),
  );
  const strip = svg(
    "g",
    { class: "s2b-strip", "aria-hidden": "true" },
    svg("path", { class: "s2b-axis", d: `M0 ${height + BAR + 16.5}h${columns * cell}` }),
    ...bars,
    ...barNumbers,
  );
  let golds = goldOutlines(map, place);
  const goldGroup = svg("g", { class: "s2b-golds", "aria-hidden": "true" }, ...golds);
  const halo = svg("rect", { class: "s2b-cursor-halo", width: cell, height: cell });
  const frame = svg("rect", { class: "s2b-cursor", width: cell, height: cell });
  const cursor = svg("g", { class: "s2b-cursor-group", visibility: "hidden" }, halo, frame);
  const grid = svg(
    "svg",
    {
      class: "s2b-cells",
      role: "grid",
      "aria-label": description,
      "aria-readonly": "true",
      "font-size": font,
    },
    svg("g", { "aria-hidden": "true" }, ...columnLabels),
    svg("rect", {
      class: "s2b-edge",
      x: 0,
      y: top,
      width: columns * cell,
      height: rows * cell,
      "aria-hidden": "true",
    }),
    ...rowGroups,
    goldGroup,
    strip,
    cursor,
  );
  const frameBox = html("div", { class: "s2b-frame" }, side, grid);
  const element = html("div", { class: "s2b-scroll" }, frameBox);
  frameBox.style.maxWidth = `${width}px`;
  frameBox.style.minWidth = `${Math.floor(width * SMALLEST_SCALE)}px`;

  const size = (full: number): void => {
    for (const [part, wide] of [
      [side, left],
      [grid, right],
    ] as const) {
      part.setAttribute("viewBox", `0 0 ${wide} ${full}`);
      part.style.width = `${((100 * wide) / width).toFixed(4)}%`;
    }
  };
  size(height);
  /** What each cell says at the moment; a cell is touched only when that changes. */
  const said = cells.map((row) => row.map(() => ""));

  return {
    element,
    grid,
    layout: place,
    cells,
    columnLabels,
    adopt(next, about) {
      const there = layout(next.queryTokens, next.keyTokens);
      const fits =
        next.queryTokens.length === rows &&
        next.keyTokens.length === columns &&
        (Object.keys(place) as (keyof Layout)[]).every((name) => place[name] === there[name]);
      if (!fits) return false;
      map = next;
      grid.setAttribute("aria-label", about);
      for (const [texts, tokens] of [
        [rowLabels, map.queryTokens],
        [columnLabels, map.keyTokens],
      ] as const) {
        for (const [at, text] of texts.entries()) {
          const now = label(tokens[at] ?? "");
          if (text.textContent !== now) text.textContent = now;
        }
      }
      golds = goldOutlines(map, place);
      goldGroup.replaceChildren(...golds);
      return true;
    },
    paint(layer, head) {
      for (const [query, row] of cells.entries()) {
        const weights = map.row(layer, head, query);
        for (const [key, rect] of row.entries()) {
          const weight = weights[key] ?? 0;
          const says = `${paint(weight)} ${format(weight)}`;
          if (said[query]?.[key] === says) continue;
          (said[query] as string[])[key] = says;
          rect.setAttribute("class", `s2b-cell ${paint(weight)}`);
          rect.setAttribute("aria-label", format(weight));
          const number = numbers[query]?.[key];
          if (number && showsNumbers) {
            number.textContent = format(weight);
            number.setAttribute("class", level(weight) < DARK_FROM ? "s2b-on-pale" : "s2b-on-deep");
          }
        }
      }
    },
    write(count) {
      for (const [row, group] of rowGroups.entries()) {
        group.classList.toggle("s2b-unwritten", row >= count);
        rowLabels[row]?.classList.toggle("s2b-unwritten", row >= count);
      }
      for (const outline of golds) {
        const [row] = (outline.getAttribute("data-gold") ?? "").split(",");
        outline.classList.toggle("s2b-unwritten", Number(row) >= count);
      }
    },
    focusRow(layer, head, query) {
      const some = query >= 0;
      for (const [row, group] of rowGroups.entries()) {
        group.classList.toggle("s2b-dim", some && row !== query);
        group.setAttribute("aria-selected", String(some && row === query));
        rowLabels[row]?.classList.toggle("s2b-dim", some && row !== query);
        rowLabels[row]?.classList.toggle("s2b-lit", some && row === query);
      }
      for (const outline of golds) {
        const [row] = (outline.getAttribute("data-gold") ?? "").split(",");
        outline.classList.toggle("s2b-dim", some && Number(row) !== query);
      }
      strip.classList.toggle("s2b-off", !some);
      stripLabel.textContent = some ? `row ${query + 1}` : "";
      size(some ? height + STRIP : height);
      const weights = some ? map.row(layer, head, query) : [];
      const largest = Math.max(...weights, 0);
      for (const [key, bar] of bars.entries()) {
        const weight = weights[key] ?? 0;
        const tall = Math.max(weight * BAR, weight > 0 ? 0.5 : 0);
        bar.setAttribute("height", tall.toFixed(2));
        bar.setAttribute("y", (height + BAR + 16 - tall).toFixed(2));
        const number = barNumbers[key];
        if (!number) continue;
        const fits = cell >= 28 || weight === largest;
        number.textContent = weight >= 0.005 && fits ? format(weight) : "";
        number.setAttribute("y", (height + BAR + 12 - tall).toFixed(2));
      }
    },
    point(query, key) {
      for (const [row, text] of rowLabels.entries()) {
        text.classList.toggle("s2b-at", row === query);
      }
      for (const [column, text] of columnLabels.entries()) {
        text.classList.toggle("s2b-at", column === key);
      }
      const on = query !== null && key !== null;
      cursor.setAttribute("visibility", on ? "visible" : "hidden");
      if (on) cursor.setAttribute("transform", `translate(${key * cell} ${top + query * cell})`);
    },
  };
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
