/**
 * The heat map of attention weights: rows ask (queries), columns are looked at (keys).
 *
 * What is chosen (map, layer, head, row) lives in the model, so that two views stay in step and
 * Python sees it. Where the cursor stands, and which overlays are on, is each view's own.
 */

import { widgetOf, type Model } from "../../shared/anywidget.ts";
import { choice } from "../../shared/controls.ts";
import { html } from "../../shared/dom.ts";
import { assign, follow } from "../../shared/follow.ts";
import { MapView } from "../../shared/mapview.ts";
import { decodeMaps, StateError, type AttentionMap } from "../../shared/state.ts";
import { kindTitle } from "../../shared/words.ts";

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
  private readonly view = new MapView(this.root, (query) => this.choose({ query }));
  private readonly mapChoice = choice("Example", (map) => this.choose({ map, query: -1 }));
  private readonly layerChoice = choice("Layer", (layer) => this.choose({ layer }));
  private readonly headChoice = choice("Head", (head) => this.choose({ head }));
  private maps: AttentionMap[] = [];
  private now: Selection = { map: 0, layer: 0, head: 0, query: -1 };

  constructor(
    private readonly model: Model,
    el: HTMLElement,
    signal: AbortSignal,
  ) {
    const bar = html("div", { class: "s2b-bar" }, this.title, this.mapChoice.element);
    bar.append(this.layerChoice.element, this.headChoice.element);
    const { holder, readout, foot, twin } = this.view;
    this.root.append(bar, holder, readout.element, foot, twin.element);
    follow(model, ["maps", "weights", "map", "layer", "head", "query"], signal, (changed) => {
      if (changed.has("maps") || changed.has("weights")) this.load();
      else this.show();
    });
    this.load();
    // whatever stood there before goes: rendering twice never stacks
    el.replaceChildren(this.root);
    signal.addEventListener("abort", () => this.root.remove());
  }

  private choose(change: Partial<Selection>): void {
    const wanted = { ...this.now, ...change };
    const map = this.maps[wanted.map];
    if (!map) return;
    wanted.layer = Math.min(wanted.layer, map.layers - 1);
    wanted.head = Math.min(wanted.head, map.heads - 1);
    assign(this.model, { ...wanted });
  }

  private load(): void {
    try {
      this.maps = decodeMaps(this.model.get("maps"), this.model.get("weights"));
    } catch (error) {
      if (!(error instanceof StateError)) throw error;
      this.maps = [];
      this.title.textContent = "";
      this.root.classList.add("s2b-broken");
      this.view.clear(
        html(
          "p",
          { class: "s2b-message", role: "status" },
          `This heat map cannot be drawn: ${error.message}. Run its cell again.`,
        ),
      );
      return;
    }
    this.root.classList.remove("s2b-broken");
    this.show();
  }

  private show(): void {
    if (this.maps.length === 0) return;
    this.now = selection(this.model, this.maps);
    const { layer, head } = this.now;
    const map = this.maps[this.now.map] as AttentionMap;
    this.title.textContent = kindTitle(map);
    this.mapChoice.set(this.maps.map((one, at) => one.title || `${at + 1}`), this.now.map);
    this.layerChoice.set(numbered(map.layers), layer);
    this.headChoice.set(numbered(map.heads), head);
    this.view.show(map, this.now);
  }
}

function numbered(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${index + 1} of ${count}`);
}

export default widgetOf((model, el, signal) => new HeatMapView(model, el, signal));
