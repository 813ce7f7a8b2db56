/** The live picture of one pair: words that can be pointed at, held and walked through, and their links. */

import { cellSet } from "../../shared/alignment.ts";
import { html, svg } from "../../shared/dom.ts";
import type { Cell } from "../../shared/state.ts";
import { label, shown } from "../../shared/tokens.ts";
import { CAPTION, FONT_SIZE, HEIGHT, layout, line, LOWER, MARGIN, middle, ROW, UPPER, type Layout, type Word } from "./layout.ts";
import type { Entry } from "./pairs.ts";

export type Side = "source" | "target";

export interface Place {
  side: Side;
  at: number;
}

export interface Handlers {
  /** A word is pointed at or has the focus; null when none is any more. */
  point(place: Place | null): void;
  /** A word is pressed. */
  press(place: Place): void;
}

const SMALLEST_SCALE = 0.8;
const NAMES = { source: "English", target: "French" } as const;

interface Line {
  link: Cell;
  path: SVGPathElement;
}

export class Drawing {
  readonly element: HTMLElement;
  private readonly words: Record<Side, SVGGElement[]> = { source: [], target: [] };
  private readonly lines: Line[] = [];
  private readonly layout: Layout;
  private reached: Place = { side: "source", at: 0 };

  constructor(
    readonly entry: Entry,
    name: string,
    private readonly handlers: Handlers,
  ) {
    this.layout = layout(entry.source, entry.target);
    const { width } = this.layout;
    const picture = svg("svg", {
      class: "s2b-pair",
      role: "group",
      "aria-label": name,
      viewBox: `0 0 ${width} ${HEIGHT}`,
      style: `width:100%;max-width:${width}px;min-width:${Math.floor(width * SMALLEST_SCALE)}px`,
      "font-size": FONT_SIZE,
    });
    picture.append(...this.links(), ...this.row("source", CAPTION), ...this.row("target", LOWER));
    picture.append(...this.captions());
    // listened to here: Chromium makes an <svg> that hears of focus a tab stop
    this.element = html("div", { class: "s2b-frame" }, picture);
    this.words.source[0]?.setAttribute("tabindex", "0");
    this.listen();
  }

  /** What a word goes with: places on the other side, and whether the link is sure. */
  partners({ side, at }: Place): { at: number; sure: boolean }[] {
    const sure = cellSet(this.entry.sure);
    const found = new Map<number, boolean>();
    for (const link of this.entry.possible) {
      const [own, other] = side === "target" ? link : [link[1], link[0]];
      if (own === at) found.set(other, sure.has(link.join()));
    }
    return [...found].sort(([a], [b]) => a - b).map(([other, isSure]) => ({ at: other, sure: isSure }));
  }

  /** Light up a word, its links and its partners; null lights up nothing. */
  light(place: Place | null): void {
    const lit = { source: new Set<number>(), target: new Set<number>() };
    if (place) {
      lit[place.side].add(place.at);
      for (const { at } of this.partners(place)) lit[other(place.side)].add(at);
    }
    for (const side of ["source", "target"] as const) {
      for (const [at, word] of this.words[side].entries()) {
        word.classList.toggle("s2b-lit", lit[side].has(at));
        word.classList.toggle("s2b-dim", place !== null && !lit[side].has(at));
      }
    }
    for (const { link, path } of this.lines) {
      const own = place !== null && (place.side === "target" ? link[0] : link[1]) === place.at;
      path.classList.toggle("s2b-lit", own);
      path.classList.toggle("s2b-dim", place !== null && !own);
      // what is lit lies on top
      if (own) path.parentNode?.append(path);
    }
  }

  /** Say which word is held, if one is. */
  hold(place: Place | null): void {
    for (const side of ["source", "target"] as const) {
      for (const [at, word] of this.words[side].entries()) {
        word.setAttribute("aria-pressed", String(place?.side === side && place.at === at));
      }
    }
  }

  /** Underline words: what a search or a phenomenon is about. */
  mark(side: Side, places: ReadonlySet<number>): void {
    for (const [at, word] of this.words[side].entries()) word.classList.toggle("s2b-found", places.has(at));
  }

  focus(): void {
    this.words[this.reached.side][this.reached.at]?.focus();
  }

  hasFocus(): boolean {
    return this.element.contains(document.activeElement);
  }

  private links(): SVGElement[] {
    const sure = cellSet(this.entry.sure);
    const group = svg("g", { class: "s2b-links", "aria-hidden": "true" });
    const isSure = (link: Cell): boolean => sure.has(link.join());
    const known = new Map(this.entry.possible.map((link) => [link.join(), link]));
    for (const link of [...known.values()].sort((a, b) => Number(isSure(a)) - Number(isSure(b)))) {
      const [target, source] = link;
      const d = line(middle(this.layout.source[source] as Word), middle(this.layout.target[target] as Word));
      const path = svg("path", { class: `s2b-link s2b-gold s2b-${isSure(link) ? "sure" : "possible"}`, d });
      this.lines.push({ link, path });
      group.append(path);
    }
    return [group];
  }

  private row(side: Side, top: number): SVGElement[] {
    const words = this.entry[side];
    const places = this.layout[side];
    const group = svg("g", { role: "group", "aria-label": NAMES[side] });
    for (const [at, { x, width }] of places.entries()) {
      const token = words[at] as string;
      const word = svg(
        "g",
        {
          class: "s2b-pair-word",
          role: "button",
          tabindex: "-1",
          "aria-pressed": "false",
          "aria-label": this.sentence({ side, at }),
          "data-side": side,
          "data-at": at,
        },
        svg("rect", { class: "s2b-pair-box", x: x + 1, y: top + 1, width: width - 2, height: ROW - 2, rx: 5 }),
        svg("text", { class: "s2b-label", x: x + width / 2, y: top + 22, "text-anchor": "middle" }, label(token)),
        svg("path", { class: "s2b-found-line", d: `M${x + 5} ${top + ROW - 5}H${x + width - 5}` }),
      );
      this.words[side].push(word);
      group.append(word);
    }
    const [first, last] = [places[0] as Word, places[places.length - 1] as Word];
    const y = side === "source" ? UPPER : LOWER;
    const edge = svg("path", { class: `s2b-edge-${side === "source" ? "key" : "query"}`, d: `M${first.x + 4} ${y}H${last.x + last.width - 4}` });
    return [edge, group];
  }

  private captions(): SVGElement[] {
    const caption = (text: string, y: number): SVGElement =>
      svg("text", { class: "s2b-caption", x: MARGIN + 3, y, "aria-hidden": "true" }, text);
    return [caption("English", 12), caption("French", LOWER + ROW + 14)];
  }

  /** "car, English word 3: goes with voiture (2)": what a screen reader says of a word. */
  private sentence(place: Place): string {
    const token = this.entry[place.side][place.at] as string;
    const partners = this.partners(place).map(
      ({ at, sure }) => `${shown(this.entry[other(place.side)][at] as string)} (${at + 1})${sure ? "" : ", only possible"}`,
    );
    const with_ = partners.length > 0 ? `goes with ${partners.join(", ")}` : "goes with no word";
    return `${shown(token)}, ${NAMES[place.side]} word ${place.at + 1}: ${with_}`;
  }

  private listen(): void {
    const placeOf = (target: EventTarget | null): Place | null => {
      const word = target instanceof Element ? target.closest<SVGGElement>(".s2b-pair-word") : null;
      if (!word) return null;
      return { side: word.getAttribute("data-side") as Side, at: Number(word.getAttribute("data-at")) };
    };
    this.element.addEventListener("pointerover", (event) => this.handlers.point(placeOf(event.target)));
    this.element.addEventListener("pointerleave", () => this.handlers.point(null));
    this.element.addEventListener("focusin", (event) => {
      const place = placeOf(event.target);
      if (place) this.reach(place);
      this.handlers.point(place);
    });
    this.element.addEventListener("focusout", () => this.handlers.point(null));
    this.element.addEventListener("click", (event) => {
      const place = placeOf(event.target);
      if (place) this.handlers.press(place);
    });
    this.element.addEventListener("keydown", (event) => this.key(event));
  }

  /** One word is a tab stop: the one that was reached last. */
  private reach(place: Place): void {
    this.words[this.reached.side][this.reached.at]?.setAttribute("tabindex", "-1");
    this.reached = place;
    this.words[place.side][place.at]?.setAttribute("tabindex", "0");
  }

  private key(event: KeyboardEvent): void {
    const to = this.next(event.key);
    if (to) {
      event.preventDefault();
      // a notebook has its own meaning for arrow keys
      event.stopPropagation();
      this.words[to.side][to.at]?.focus();
    } else if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      event.stopPropagation();
      this.handlers.press(this.reached);
    }
  }

  private next(key: string): Place | null {
    const { side, at } = this.reached;
    const last = this.entry[side].length - 1;
    if (key === "ArrowLeft") return { side, at: Math.max(0, at - 1) };
    if (key === "ArrowRight") return { side, at: Math.min(last, at + 1) };
    if (key === "Home") return { side, at: 0 };
    if (key === "End") return { side, at: last };
    const across = (key === "ArrowDown" && side === "source") || (key === "ArrowUp" && side === "target");
    if (!across) return key === "ArrowDown" || key === "ArrowUp" ? { side, at } : null;
    // along a link, a sure one if there is one
    const partners = this.partners({ side, at });
    const partner = partners.find(({ sure }) => sure) ?? partners[0];
    return { side: other(side), at: partner?.at ?? Math.min(at, this.entry[other(side)].length - 1) };
  }
}

export function other(side: Side): Side {
  return side === "source" ? "target" : "source";
}
