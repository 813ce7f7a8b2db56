/**
 * The heat map of attention weights: rows ask (queries), columns are looked at (keys).
 *
 * What is chosen (map, layer, head, row) lives in the model, so that two views stay in step and
 * Python sees it. Where the cursor stands, and which overlays are on, is each view's own.
 */

import type { Callback, Cleanup, Model, RenderProps, Widget } from "../../shared/anywidget.ts";
import { choice, tick } from "../../shared/controls.ts";
import { html } from "../../shared/dom.ts";
import { move } from "../../shared/gridkeys.ts";
import { goldSample, scaleLegend } from "../../shared/legend.ts";
import { cellSentence, Readout } from "../../shared/readout.ts";
import { decodeMaps, StateError, type AttentionMap } from "../../shared/state.ts";
import { fold, table } from "../../shared/table.ts";
import { format } from "../../shared/weights.ts";
import { goldKinds, picture, type Picture } from "./picture.ts";
import { describe, kindTitle, tableCaption } from "./words.ts";

interface Selection {
  map: number;
  layer: number;
  head: number;
  query: number;
}

/** The model's selection, moved into the bounds of the map that it points at. */
function selection(model: Model, maps: readonly AttentionMap[]): Selection {
  const within = (name: string, size: number, least: number): number => {
    const value = model.get(name);
    const number = typeof value === "number" && Number.isInteger(value) ? value : least;
    return Math.min(Math.max(number, least), size - 1);
  };
  const index = within("map", maps.length, 0);
  const chosen = maps[index] as AttentionMap;
  return {
    map: index,
    layer: within("layer", chosen.layers, 0),
    head: within("head", chosen.heads, 0),
    query: within("query", chosen.queryTokens.length, -1),
  };
}

class HeatMapView {
  private readonly root = html("div", { class: "s2b s2b-heatmap" });
  private readonly title = html("span", { class: "s2b-title" });
  private readonly readout = new Readout();
  private readonly holder = html("div", { class: "s2b-holder" });
  private readonly twin = fold("Table of the weights");
  private readonly mapChoice = choice("Example", (map) => this.choose({ map, query: -1 }));
  private readonly layerChoice = choice("Layer", (layer) => this.choose({ layer }));
  private readonly headChoice = choice("Head", (head) => this.choose({ head }));
  private readonly numbers = tick("numbers", false, (on) =>
    this.root.classList.toggle("s2b-with-numbers", on),
  );
  private readonly goldName = html("span", { class: "s2b-legend" });
  private readonly gold = tick(this.goldName, true, (on) =>
    this.root.classList.toggle("s2b-without-gold", !on),
  );
  private maps: AttentionMap[] = [];
  private now: Selection = { map: 0, layer: 0, head: 0, query: -1 };
  private drawing: Picture | null = null;
  private drawn: AttentionMap | null = null;
  private cursor = { row: 0, column: 0 };
  private waiting: { data: boolean } | null = null;

  constructor(
    private readonly model: Model,
    el: HTMLElement,
    private readonly signal: AbortSignal,
  ) {
    const bar = html("div", { class: "s2b-bar" }, this.title, this.mapChoice.element);
    bar.append(this.layerChoice.element, this.headChoice.element);
    const foot = html("div", { class: "s2b-foot" }, scaleLegend(), this.gold.element, this.numbers.element);
    this.root.append(bar, this.holder, this.readout.element, foot, this.twin.element);
    this.listen();
    this.load();
    // whatever stood there before goes: rendering twice never stacks
    el.replaceChildren(this.root);
    signal.addEventListener("abort", () => this.root.remove());
  }

  /** Follow the model. Several changes of one message lead to one drawing. */
  private listen(): void {
    const follow = (event: string, data: boolean): void => {
      const callback: Callback = () => {
        if (this.waiting) {
          this.waiting.data ||= data;
          return;
        }
        this.waiting = { data };
        queueMicrotask(() => {
          const asked = this.waiting;
          this.waiting = null;
          if (this.signal.aborted) return;
          if (asked?.data) this.load();
          else this.show();
        });
      };
      this.model.on(event, callback);
      this.signal.addEventListener("abort", () => this.model.off(event, callback));
    };
    for (const name of ["maps", "weights"]) follow(`change:${name}`, true);
    for (const name of ["map", "layer", "head", "query"]) follow(`change:${name}`, false);
  }

  private choose(change: Partial<Selection>): void {
    const wanted = { ...this.now, ...change };
    const map = this.maps[wanted.map];
    if (!map) return;
    wanted.layer = Math.min(wanted.layer, map.layers - 1);
    wanted.head = Math.min(wanted.head, map.heads - 1);
    for (const [name, value] of Object.entries(wanted)) {
      if (this.model.get(name) !== value) this.model.set(name, value);
    }
    this.model.save_changes();
  }

  private load(): void {
    try {
      this.maps = decodeMaps(this.model.get("maps"), this.model.get("weights"));
    } catch (error) {
      if (!(error instanceof StateError)) throw error;
      this.maps = [];
      this.drawn = null;
      this.drawing = null;
      this.title.textContent = "";
      this.root.classList.add("s2b-broken");
      this.holder.replaceChildren(
        html(
          "p",
          { class: "s2b-message", role: "status" },
          `This heat map cannot be drawn: ${error.message}. Run its cell again.`,
        ),
      );
      return;
    }
    this.root.classList.remove("s2b-broken");
    this.drawn = null;
    this.show();
  }

  private show(): void {
    if (this.maps.length === 0) return;
    this.now = selection(this.model, this.maps);
    const { layer, head, query } = this.now;
    const map = this.maps[this.now.map] as AttentionMap;
    const description = describe(map, layer, head);
    if (map !== this.drawn || !this.drawing) {
      const hadFocus = this.holder.contains(document.activeElement);
      this.drawing = picture(map, description);
      this.drawn = map;
      this.cursor = { row: 0, column: 0 };
      this.attend(this.drawing, map);
      this.holder.replaceChildren(this.drawing.element);
      if (hadFocus) this.cellAt(0, 0)?.focus();
    }
    this.title.textContent = kindTitle(map);
    this.mapChoice.set(this.maps.map((one, at) => one.title || `${at + 1}`), this.now.map);
    this.layerChoice.set(numbered(map.layers), layer);
    this.headChoice.set(numbered(map.heads), head);
    const kinds = goldKinds(map);
    this.gold.element.hidden = kinds.length === 0;
    this.goldName.replaceChildren("gold links", ...kinds.flatMap((kind) => [goldSample(kind), kind]));
    this.numbers.element.hidden = this.drawing.layout.cell < 28;
    this.drawing.grid.setAttribute("aria-label", description);
    this.drawing.paint(layer, head);
    this.drawing.focusRow(layer, head, query);
    this.twin.show(
      table({
        caption: tableCaption(map, layer, head),
        queryTokens: map.queryTokens,
        keyTokens: map.keyTokens,
        weight: (row, column) => map.weight(layer, head, row, column),
      }),
    );
    this.rest(map);
  }

  /** What the readout says while nothing is pointed at. */
  private rest(map: AttentionMap): void {
    const { layer, head, query } = this.now;
    if (query < 0) {
      this.readout.rest("Point at a cell, or move with the arrow keys; Enter or a click holds its row.");
      return;
    }
    const row = map.row(layer, head, query);
    const key = row.indexOf(Math.max(...row));
    const held = { token: map.queryTokens[query] ?? "", role: "query" } as const;
    if ((row[key] ?? 0) === 0) {
      this.readout.rest("row ", held, ` (${query + 1}) attends to nothing`);
      return;
    }
    this.readout.rest(
      "row ",
      held,
      ` (${query + 1}) looks most at `,
      { token: map.keyTokens[key] ?? "", role: "key" },
      ` (${key + 1}): ${format(row[key] ?? 0)}. Escape lets go.`,
    );
  }

  private cellAt(query: number, key: number): SVGRectElement | undefined {
    return this.drawing?.cells[query]?.[key];
  }

  /** Pointer, touch and keyboard on a new drawing. */
  private attend(drawing: Picture, map: AttentionMap): void {
    const read = (query: number, key: number): void => {
      const { layer, head } = this.now;
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
    const hold = (query: number): void => {
      this.choose({ query: query === this.now.query ? -1 : query });
    };
    const element = drawing.element;
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
      queueMicrotask(() => read(at.query, at.key as number));
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
      if (event.key === "Enter" || event.key === " ") hold(row);
      else if (event.key === "Escape" && this.now.query >= 0) this.choose({ query: -1 });
      else {
        const size = [map.queryTokens.length, map.keyTokens.length] as const;
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

function numbered(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${index + 1} of ${count}`);
}

/** The cell or row label that an event fell on. */
function position(target: EventTarget | null): { query: number; key: number | null } | null {
  const element = target instanceof Element ? target.closest("[data-query]") : null;
  if (!element) return null;
  const key = element.getAttribute("data-key");
  return { query: Number(element.getAttribute("data-query")), key: key === null ? null : Number(key) };
}

const widget: Widget = {
  render({ model, el, signal }: RenderProps): Cleanup {
    const life = new AbortController();
    signal?.addEventListener("abort", () => life.abort());
    new HeatMapView(model, el, life.signal);
    return () => life.abort();
  },
};

export default widget;
