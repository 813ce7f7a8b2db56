/**
 * Numbers around 0 as coloured cells, with a cursor that pointer, touch and keyboard move.
 *
 * `seq2bert/position_picture.py` draws the static one by the same rules; the size of the picture
 * does not depend on how many cells there are.
 */

import { html, svg } from "../../shared/dom.ts";
import { move } from "../../shared/gridkeys.ts";
import { signedClass } from "../stepthrough/strips.ts";
import { numberText, ticks } from "./says.ts";
import { largest } from "./schemes.ts";

export const [SIZE, LEFT, TOP, SIDE] = [342, 48, 34, 290];
const STEPS = 20;

/** A row that is framed, in the colour of a role. */
export interface Frame {
  row: number;
  role: "query" | "key";
}

export interface FieldScene {
  values: readonly (readonly number[])[];
  /** What the picture is, and what its columns and rows are. */
  title: string;
  across: string;
  down: string;
  row: number;
  column: number;
  frames: readonly Frame[];
  /** What is said about the cell at the cursor. */
  says: string;
}

export class Field {
  readonly element: SVGSVGElement;
  readonly legend = html("span", { class: "s2b-legend" });
  private readonly labels = svg("g", { "aria-hidden": "true" });
  private readonly cells = svg("g", { "aria-hidden": "true", "shape-rendering": "crispEdges" });
  private readonly frames = svg("g", { "aria-hidden": "true" });
  private readonly cursor = svg("g", {
    class: "s2b-place-cursor",
    role: "slider",
    tabindex: 0,
    "aria-roledescription": "cell of the picture",
    "aria-valuemin": 0,
  });
  private readonly halo = svg("rect", { class: "s2b-halo" });
  private readonly box = svg("rect", { class: "s2b-of-ink-frame" });
  private scene: FieldScene | null = null;
  private drawn: unknown = null;

  constructor(
    kind: string,
    name: string,
    private readonly moveTo: (row: number, column: number) => void,
    signal: AbortSignal,
  ) {
    this.cursor.append(this.halo, this.box);
    this.cursor.setAttribute("aria-label", name);
    this.element = svg("svg", { class: `s2b-of-places ${kind}`, role: "group", viewBox: `0 0 ${SIZE} ${SIZE}`, width: SIZE, height: SIZE });
    const edge = svg("rect", { class: "s2b-edge", x: LEFT, y: TOP, width: SIDE, height: SIDE });
    this.element.append(svg("rect", { class: "s2b-paper", width: SIZE, height: SIZE }), this.labels, this.cells, edge, this.frames, this.cursor);
    this.cursor.addEventListener("keydown", (event) => this.key(event));
    this.element.addEventListener("click", (event) => this.point(event));
    this.element.addEventListener("pointerdown", (event) => this.drag(event, signal));
  }

  show(scene: FieldScene): void {
    this.scene = scene;
    const { values, title, across, down, row, column, frames, says } = scene;
    this.element.setAttribute("aria-label", title);
    if (values !== this.drawn) {
      this.drawn = values;
      this.paint(values, across, down);
    }
    const [high, wide] = [SIDE / values.length, SIDE / (values[0]?.length ?? 1)];
    this.frames.replaceChildren(...frames.flatMap((frame) => framed(LEFT, TOP + frame.row * high, SIDE, high, frame.role)));
    for (const part of [this.halo, this.box]) put(part, { x: LEFT + column * wide, y: TOP + row * high, width: wide, height: high });
    put(this.cursor, {
      "aria-valuemax": values.length * (values[0]?.length ?? 1) - 1,
      "aria-valuenow": row * (values[0]?.length ?? 1) + column,
      "aria-valuetext": says,
    });
  }

  private paint(values: readonly (readonly number[])[], across: string, down: string): void {
    const [high, wide] = [SIDE / values.length, SIDE / (values[0]?.length ?? 1)];
    this.labels.replaceChildren(
      words(LEFT + SIDE, 11, `${across} →`, "end"),
      words(4, 11, `${down} ↓`, "start"),
      ...ticks(values.length).map((at) => words(LEFT - 5, TOP + (at + 0.5) * high + 4, String(at), "end")),
      ...ticks(values[0]?.length ?? 1).map((at) => words(LEFT + (at + 0.5) * wide, TOP - 5, String(at), "middle")),
    );
    const scale = largest(values);
    const squares = new Map<string, string>();
    for (const [row, line] of values.entries()) {
      for (const [column, value] of line.entries()) {
        const name = signedClass(value / scale);
        if (name === "s2b-w0") continue;
        const at = `M${(LEFT + column * wide).toFixed(2)} ${(TOP + row * high).toFixed(2)}`;
        squares.set(name, `${squares.get(name) ?? ""}${at}h${wide.toFixed(2)}v${high.toFixed(2)}h-${wide.toFixed(2)}z`);
      }
    }
    this.cells.replaceChildren(...[...squares].sort().map(([name, d]) => svg("path", { class: name, d })));
    this.legend.replaceChildren(`−${numberText(scale)}`, scaleBar(), numberText(scale));
  }

  private key(event: KeyboardEvent): void {
    const { scene } = this;
    if (!scene || event.altKey || event.metaKey) return;
    const next = move(scene, event.key, scene.values.length, scene.values[0]?.length ?? 1, event.ctrlKey);
    if (!next) return;
    event.preventDefault();
    // a notebook has its own meaning for keys
    event.stopPropagation();
    this.moveTo(next.row, next.column);
  }

  private point(event: MouseEvent): void {
    const found = this.scene && this.element.getBoundingClientRect();
    if (!found || found.width === 0) return;
    const { values } = this.scene as FieldScene;
    const part = (at: number, begin: number, count: number): number => Math.floor(((at - begin) / SIDE) * count);
    const row = part(((event.clientY - found.top) / found.height) * SIZE, TOP, values.length);
    const column = part(((event.clientX - found.left) / found.width) * SIZE, LEFT, values[0]?.length ?? 1);
    if (values[row]?.[column] !== undefined) this.moveTo(row, column);
  }

  /** A mouse draws the cursor along; a finger taps, and goes on to scroll the page. */
  private drag(event: PointerEvent, signal: AbortSignal): void {
    if (event.button !== 0 || event.pointerType === "touch") return;
    event.preventDefault();
    this.cursor.focus({ preventScroll: true });
    this.element.setPointerCapture(event.pointerId);
    const life = new AbortController();
    const options = { signal: AbortSignal.any([life.signal, signal]) };
    this.element.addEventListener("pointermove", (now) => this.point(now), options);
    for (const end of ["pointerup", "pointercancel"] as const) this.element.addEventListener(end, () => life.abort(), options);
  }
}

/** A word in the margin of a picture. */
export function words(x: number, y: number, text: string, anchor: "start" | "middle" | "end"): SVGTextElement {
  return svg("text", { class: "s2b-caption", x: x.toFixed(1), y: y.toFixed(1), "text-anchor": anchor, "font-size": 11 }, text);
}

function framed(x: number, y: number, width: number, height: number, role: string): SVGElement[] {
  return ["s2b-halo", `s2b-of-${role}-frame`].map((name) => svg("rect", { class: name, x, y, width, height }));
}

function put(element: Element, attributes: Record<string, string | number>): void {
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, typeof value === "number" ? String(Number(value.toFixed(2))) : value);
}

/** The colours from the most negative to the most positive number. */
function scaleBar(): SVGSVGElement {
  const wide = 160 / (2 * STEPS + 1);
  const size = { viewBox: "0 0 160 10", preserveAspectRatio: "none", width: 160, height: 10 };
  const bar = svg("svg", { class: "s2b-scale", ...size, "aria-hidden": "true" });
  for (let step = -STEPS; step <= STEPS; step += 1) {
    bar.append(svg("rect", { class: signedClass(step / STEPS), x: ((step + STEPS) * wide).toFixed(2), width: (wide + 0.3).toFixed(2), height: 10 }));
  }
  return bar;
}
