/** The tree as it is drawn: a box for each beginning, one column for each step. */

import { svg } from "../../shared/dom.ts";
import { label, shown } from "../../shared/tokens.ts";
import { boxLabel, layOut, path, type TreeLayout, type TreeNode } from "./layout.ts";

export interface Picture {
  /** Steps that are shown. */
  step: number;
  /** The node whose beginning is read out; -1 for none. */
  selected: number;
  /** The results in their order; empty while the tree is growing. */
  ranked: readonly TreeNode[];
  /** Whether what was dropped is drawn. */
  dropped: boolean;
}

export class Drawing {
  readonly element: SVGSVGElement;
  readonly layout: TreeLayout;
  private readonly boxes: SVGGElement[];
  private readonly targets: SVGRectElement[];
  private readonly edges: SVGPathElement[];
  private readonly marks: SVGTextElement[];
  private readonly heads: SVGTextElement[];

  constructor(
    private readonly nodes: readonly TreeNode[],
    name: string,
    private readonly select: (place: number) => void,
  ) {
    const labels = nodes.map(({ token }) => label(boxLabel(token)));
    this.layout = layOut(nodes, labels);
    const { width, height, across, box, steps } = this.layout;
    this.element = svg("svg", { class: "s2b-tree", viewBox: `0 0 ${width} ${height}`, width, height, role: "group", "aria-label": "Tree of the search" });
    // a page may want pictures to fit its column: this one scrolls in its box
    this.element.style.width = `${width}px`;
    this.element.style.maxWidth = "none";
    this.element.style.height = `${height}px`;
    this.heads = Array.from({ length: steps }, (_, at) => svg("text", { class: "s2b-caption", x: 8 + at * across, y: 15 }, `word ${at + 1}`));
    this.edges = nodes.map((node) => svg("path", { class: "s2b-edge-line", d: this.edge(node) }));
    this.marks = [];
    this.boxes = nodes.map((node) => {
      const { x, y } = this.layout.spots[node.place] ?? { x: 0, y: 0 };
      const mark = svg("text", { class: "s2b-tree-mark", x: 6, y: 16.5 });
      this.marks.push(mark);
      return svg(
        "g",
        {
          class: `s2b-node ${node.kept ? "s2b-kept" : "s2b-dropped"}${node.finished ? " s2b-ended" : ""}`,
          transform: `translate(${x} ${y})`,
          "data-box": node.place,
        },
        svg("rect", { class: "s2b-box", width: box.width, height: box.height, rx: 4 }),
        mark,
        svg("text", { class: "s2b-tree-word", x: 22, y: 16.5 }, labels[node.place] ?? ""),
        svg("text", { class: "s2b-tree-number", x: box.width - 6, y: 16.5, "text-anchor": "end" }, minus(node.logProb)),
      );
    });
    // what is touched lies on top and has a name of its own: the boxes are for the eye alone
    this.targets = nodes.map((node) => {
      const { x, y } = this.layout.spots[node.place] ?? { x: 0, y: 0 };
      return svg("rect", {
        class: "s2b-target",
        x,
        y,
        width: box.width,
        height: box.height,
        rx: 4,
        role: "treeitem",
        tabindex: -1,
        "aria-level": node.step,
        "data-node": node.place,
      });
    });
    const seen = svg("g", { "aria-hidden": "true" }, ...this.heads, ...this.edges, ...this.boxes);
    this.element.append(seen, svg("g", { role: "tree", "aria-label": name }, ...this.targets));
    this.element.addEventListener("click", (event) => {
      const place = placeOf(event.target);
      if (place >= 0) this.select(place);
    });
    this.element.addEventListener("keydown", (event) => this.key(event));
  }

  /** The curve from the end of a beginning to what follows it. */
  private edge({ place, parent }: TreeNode): string {
    const from = this.layout.spots[parent];
    const to = this.layout.spots[place];
    if (!from || !to) return "";
    const { box } = this.layout;
    const [x0, y0, x1, y1] = [from.x + box.width, from.y + box.height / 2, to.x, to.y + box.height / 2];
    const middle = (x0 + x1) / 2;
    return `M${x0} ${y0}C${middle} ${y0} ${middle} ${y1} ${x1} ${y1}`;
  }

  paint(picture: Picture): void {
    const { step, selected, ranked, dropped } = picture;
    const best = ranked[0];
    const won = new Set(best ? path(this.nodes, best.place) : []);
    const lit = new Set(selected >= 0 ? path(this.nodes, selected) : []);
    const ranks = new Map(ranked.map(({ place }, at) => [place, at + 1] as const));
    const reachable = this.nodes.filter((node) => node.step <= step && (node.kept || dropped));
    const entry = selected >= 0 && reachable.some(({ place }) => place === selected) ? selected : (reachable[0]?.place ?? -1);
    for (const [at, head] of this.heads.entries()) head.classList.toggle("s2b-off", at >= step);
    for (const node of this.nodes) {
      const { place } = node;
      const box = this.boxes[place] as SVGGElement;
      const off = node.step > step || !(node.kept || dropped);
      const rank = ranks.get(place);
      const target = this.targets[place] as SVGRectElement;
      target.classList.toggle("s2b-off", off);
      for (const element of [box, this.edges[place] as Element]) {
        element.classList.toggle("s2b-off", off);
        element.classList.toggle("s2b-won", won.has(place));
        element.classList.toggle("s2b-lit", lit.has(place));
        element.classList.toggle("s2b-dropped", !node.kept);
      }
      const sign = rank === 1 ? "★" : rank !== undefined ? String(rank) : node.kept ? "" : "✕";
      const mark = this.marks[place] as SVGTextElement;
      if (mark.textContent !== sign) mark.textContent = sign;
      target.setAttribute("tabindex", place === entry ? "0" : "-1");
      target.setAttribute("aria-selected", String(place === selected));
      target.setAttribute("aria-label", says(node, rank));
    }
  }

  /** Bring a step into view, without moving the page. */
  reveal(step: number, scroller: HTMLElement): void {
    const { across, box } = this.layout;
    const end = step * across + 8;
    if (end > scroller.scrollLeft + scroller.clientWidth) scroller.scrollLeft = end - scroller.clientWidth;
    else if (end - across - box.width < scroller.scrollLeft) scroller.scrollLeft = Math.max(0, end - 2 * across);
  }

  focus(place: number): void {
    this.targets[place]?.focus();
  }

  private shown(place: number): boolean {
    return this.boxes[place]?.classList.contains("s2b-off") === false;
  }

  private key(event: KeyboardEvent): void {
    const at = placeOf(event.target);
    const node = this.nodes[at];
    if (!node) return;
    if (event.key === "Enter" || event.key === " ") this.select(at);
    else {
      const to = this.neighbour(node, event.key);
      if (to === null) return;
      if (this.shown(to)) {
        this.select(to);
        this.focus(to);
      }
    }
    // a notebook has its own meaning for keys
    event.stopPropagation();
    event.preventDefault();
  }

  /** Left: what it continues. Right: what continues it. Up and down: in the same step. */
  private neighbour(node: TreeNode, key: string): number | null {
    const column = this.nodes
      .filter(({ step, place }) => step === node.step && this.shown(place))
      .sort((a, b) => (this.layout.spots[a.place]?.y ?? 0) - (this.layout.spots[b.place]?.y ?? 0));
    const row = column.findIndex(({ place }) => place === node.place);
    switch (key) {
      case "ArrowLeft":
        return node.parent;
      case "ArrowRight":
        return this.nodes.find(({ parent, place }) => parent === node.place && this.shown(place))?.place ?? -1;
      case "ArrowUp":
        return column[row - 1]?.place ?? -1;
      case "ArrowDown":
        return column[row + 1]?.place ?? -1;
      case "Home":
        return column[0]?.place ?? -1;
      case "End":
        return column[column.length - 1]?.place ?? -1;
      default:
        return null;
    }
  }
}

/** What becomes of a beginning, in words. */
export function fate({ kept, finished }: TreeNode, rank: number | undefined): string {
  if (rank !== undefined) return rank === 1 ? "the best result" : `result number ${rank}`;
  if (!kept) return "dropped";
  return finished ? "kept as a result" : "kept";
}

function says(node: TreeNode, rank: number | undefined): string {
  return `${shown(boxLabel(node.token))}, log p ${minus(node.logProb)}, ${fate(node, rank)}`;
}

/** A number with a real minus sign. */
export function minus(value: number, digits = 2): string {
  const text = value.toFixed(digits);
  return Number(text) === 0 ? text.replace("-", "") : text.replace("-", "−");
}

function placeOf(target: EventTarget | null): number {
  const box = target instanceof Element ? target.closest("[data-node]") : null;
  return box ? Number(box.getAttribute("data-node")) : -1;
}
