/** The plane: the query and the keys as points that can be moved, and how high a key would score where. */

import { html, svg } from "../../shared/dom.ts";
import type { Vector } from "./energies.ts";

/** The plane reaches from -REACH to REACH on both axes. */
export const REACH = 3;
const SIZE = 360;
const CELLS = 24;
const STEP = 0.1;
const LEAP = 0.5;

const across = (x: number): number => ((x + REACH) / (2 * REACH)) * SIZE;
const down = (y: number): number => ((REACH - y) / (2 * REACH)) * SIZE;

export interface Scene {
  query: Vector;
  keys: readonly Vector[];
  weights: readonly number[];
  allowed: readonly boolean[];
  context: Vector;
  /** How high a key would score at a point. */
  field(at: Vector): number;
  /** What is said about the query (-1) or about a key. */
  says(which: number): string;
}

interface Handle {
  group: SVGGElement;
  line: SVGLineElement;
  dot: SVGCircleElement;
}

/** `which` is -1 for the query, else the number of a key. */
export type Move = (which: number, to: Vector) => void;

export class Plane {
  readonly element = html("div", { class: "s2b-scroll s2b-plane-box" });
  readonly range = html("span", {});
  private readonly picture = svg("svg", {
    class: "s2b-plane",
    role: "group",
    "aria-label": "The query and the keys in the plane",
    viewBox: `0 0 ${SIZE} ${SIZE}`,
    width: SIZE,
    height: SIZE,
  });
  private readonly fieldCells: SVGRectElement[] = [];
  private readonly handles = new Map<number, Handle>();
  private readonly handleGroup = svg("g");
  private readonly context = svg("g", { class: "s2b-context", "aria-hidden": "true" });
  private readonly contextLine = svg("line", { x1: across(0), y1: down(0) });
  private readonly contextMark = svg("path", { d: "M0-8 8 0 0 8-8 0z" });
  private scene: Scene | null = null;

  constructor(
    private readonly move: Move,
    private readonly signal: AbortSignal,
  ) {
    const field = svg("g", { class: "s2b-field-cells", "aria-hidden": "true", "shape-rendering": "crispEdges" });
    const wide = SIZE / CELLS;
    for (let at = 0; at < CELLS * CELLS; at += 1) {
      const cell = svg("rect", { x: (at % CELLS) * wide, y: Math.floor(at / CELLS) * wide, width: wide, height: wide });
      this.fieldCells.push(cell);
      field.append(cell);
    }
    this.context.append(this.contextLine, this.contextMark, svg("text", { class: "s2b-label", dx: 11, dy: 4 }, "c"));
    this.picture.append(svg("rect", { class: "s2b-paper", width: SIZE, height: SIZE }), field, axes(), this.context, this.handleGroup);
    this.element.append(this.picture);
  }

  show(scene: Scene): void {
    this.scene = scene;
    this.paintField(scene);
    this.contextLine.setAttribute("x2", String(across(scene.context[0])));
    this.contextLine.setAttribute("y2", String(down(scene.context[1])));
    const place = `translate(${across(scene.context[0])} ${down(scene.context[1])})`;
    for (const part of [...this.context.children].slice(1)) part.setAttribute("transform", place);
    const wanted = [-1, ...scene.keys.keys()];
    for (const [which, { group }] of this.handles) {
      if (wanted.includes(which)) continue;
      group.remove();
      this.handles.delete(which);
    }
    for (const which of wanted) this.place(which, scene);
  }

  private place(which: number, { query, keys, weights, allowed, says }: Scene): void {
    const at = which < 0 ? query : (keys[which] as Vector);
    const handle = this.handles.get(which) ?? this.handle(which);
    const { group, line, dot } = handle;
    group.classList.toggle("s2b-masked", which >= 0 && allowed[which] === false);
    line.setAttribute("x2", String(across(at[0])));
    line.setAttribute("y2", String(down(at[1])));
    const place = `translate(${across(at[0])} ${down(at[1])})`;
    for (const part of [...group.children].slice(1)) part.setAttribute("transform", place);
    // the larger, the more weight; what weighs nothing can still be seen
    dot.setAttribute("r", which < 0 ? "7" : Math.max(3.5, 16 * Math.sqrt(weights[which] ?? 0)).toFixed(1));
    group.setAttribute("aria-valuenow", at[0].toFixed(2));
    group.setAttribute("aria-valuetext", says(which));
  }

  private handle(which: number): Handle {
    const name = which < 0 ? "q" : `k${subscript(which + 1)}`;
    const line = svg("line", { x1: across(0), y1: down(0) });
    const dot = svg("circle", { class: which < 0 ? "s2b-mark-query" : "s2b-mark-key" });
    const target = svg("circle", { class: "s2b-grip", r: 18 });
    const group = svg(
      "g",
      {
        class: which < 0 ? "s2b-handle s2b-of-query" : "s2b-handle s2b-of-key",
        role: "slider",
        tabindex: 0,
        "aria-roledescription": "point of the plane",
        "aria-label": which < 0 ? "query" : `key ${which + 1}`,
        "aria-valuemin": -REACH,
        "aria-valuemax": REACH,
      },
      line,
      dot,
      svg("text", { class: "s2b-label", dx: 12, dy: -9, "aria-hidden": "true" }, name),
      target,
    );
    group.addEventListener("keydown", (event) => this.key(event, which));
    group.addEventListener("pointerdown", (event) => this.drag(event, which, group));
    // a finger that moves a point must not move the page; `touch-action` is not heeded inside of an SVG
    group.addEventListener("touchstart", (event) => event.preventDefault(), { passive: false });
    const handle = { group, line, dot };
    this.handles.set(which, handle);
    // the query lies on top
    if (which < 0) this.handleGroup.append(group);
    else this.handleGroup.insertBefore(group, this.handles.get(-1)?.group ?? null);
    return handle;
  }

  private key(event: KeyboardEvent, which: number): void {
    const far = event.shiftKey ? LEAP : STEP;
    const moves: Record<string, Vector> = { ArrowLeft: [-far, 0], ArrowRight: [far, 0], ArrowUp: [0, far], ArrowDown: [0, -far] };
    const by = moves[event.key];
    if (!by || !this.scene) return;
    event.preventDefault();
    // a notebook has its own meaning for keys
    event.stopPropagation();
    const [x, y] = which < 0 ? this.scene.query : (this.scene.keys[which] as Vector);
    this.move(which, within([x + by[0], y + by[1]]));
  }

  private drag(event: PointerEvent, which: number, group: SVGGElement): void {
    if (event.button !== 0) return;
    event.preventDefault();
    group.focus({ preventScroll: true });
    group.setPointerCapture(event.pointerId);
    const life = new AbortController();
    const options = { signal: AbortSignal.any([life.signal, this.signal]) };
    const follow = (now: PointerEvent): void => {
      const box = this.picture.getBoundingClientRect();
      if (box.width === 0) return;
      const [x, y] = [(now.clientX - box.left) / box.width, (now.clientY - box.top) / box.height];
      this.move(which, within([(2 * x - 1) * REACH, (1 - 2 * y) * REACH]));
    };
    group.addEventListener("pointermove", follow, options);
    for (const end of ["pointerup", "pointercancel"] as const) group.addEventListener(end, () => life.abort(), options);
  }

  private paintField({ field }: Scene): void {
    const heights = this.fieldCells.map((_, at) => {
      const column = ((at % CELLS) + 0.5) / CELLS;
      const row = (Math.floor(at / CELLS) + 0.5) / CELLS;
      return field([(2 * column - 1) * REACH, (1 - 2 * row) * REACH]);
    });
    const [least, most] = [Math.min(...heights), Math.max(...heights)];
    for (const [at, cell] of this.fieldCells.entries()) {
      const share = most - least < 1e-9 ? 0.5 : ((heights[at] ?? 0) - least) / (most - least);
      cell.style.fillOpacity = (0.45 * share).toFixed(3);
    }
    const spread = most - least < 1e-9 ? `the same everywhere, ${signed(most, 1)}` : `from ${signed(least, 1)} to ${signed(most, 1)}`;
    this.range.textContent = `shade: the energy of a key that stood there, ${spread}`;
  }
}

/** The nearest point of the plane, on a grid of hundredths. */
function within([x, y]: Vector): Vector {
  const near = (number: number): number => Math.round(100 * Math.min(REACH, Math.max(-REACH, number))) / 100;
  return [near(x), near(y)];
}

/** A number with a real minus sign, and no minus before a zero. */
export function signed(number: number, digits = 2): string {
  const text = number.toFixed(digits);
  return (Number(text) === 0 ? text.replace("-", "") : text).replace("-", "−");
}

export function subscript(number: number): string {
  return [...String(number)].map((digit) => "₀₁₂₃₄₅₆₇₈₉"[Number(digit)]).join("");
}

function axes(): SVGGElement {
  const group = svg("g", { "aria-hidden": "true" });
  for (let at = -REACH; at <= REACH; at += 1) {
    const axis = at === 0 ? "s2b-zero" : "s2b-axis";
    group.append(svg("line", { class: axis, x1: across(at), x2: across(at), y1: 0, y2: SIZE }));
    group.append(svg("line", { class: axis, y1: down(at), y2: down(at), x1: 0, x2: SIZE }));
    if (Math.abs(at) === REACH || at === 0) continue;
    group.append(svg("text", { class: "s2b-caption", x: across(at), y: down(0) + 13, "text-anchor": "middle" }, String(at).replace("-", "−")));
    group.append(svg("text", { class: "s2b-caption", x: across(0) - 5, y: down(at) + 4, "text-anchor": "end" }, String(at).replace("-", "−")));
  }
  return group;
}
