/**
 * The corpus explorer: sentence pairs to leaf through, to filter and to search, each with its gold links.
 *
 * Which pair is shown and what is asked for lives in the model; what is pointed at or held is each
 * view's own. Where Python answers, a sentence that is typed is translated, too.
 */

import type { Reply } from "../../engines/engine.ts";
import { KernelEngine } from "../../engines/kernel.ts";
import { widgetOf, type Model } from "../../shared/anywidget.ts";
import { button, choice } from "../../shared/controls.ts";
import { html, svg, type Child } from "../../shared/dom.ts";
import { assign, follow } from "../../shared/follow.ts";
import { Readout, type Piece } from "../../shared/readout.ts";
import { words } from "../../shared/sentence.ts";
import { StateError } from "../../shared/state.ts";
import { fold } from "../../shared/table.ts";
import { shown } from "../../shared/tokens.ts";
import { Drawing, other, type Place } from "./drawing.ts";
import { Finder, LENGTH_NAMES, LENGTHS, readable, readEntries, readEntry, type Entry, type Filter } from "./pairs.ts";

const LONGEST = 200;
/** Milliseconds without a key after which a sentence is sent to Python. */
const PAUSE = 200;
let numbered = 0;

/** The pair of a sentence that was typed, as Python has it. */
interface Typed extends Reply {
  pair: unknown;
  spans: unknown;
}

class ExplorerView {
  private readonly root = html("div", { class: "s2b s2b-explorer" });
  private readonly input: HTMLInputElement;
  private readonly ask: HTMLLabelElement;
  private readonly phenomenonChoice = choice("Shows", (at) => this.filter({ phenomenon: this.phenomena[at - 1] ?? "" }));
  private readonly lengthChoice = choice("Length", (at) => this.filter({ length: LENGTHS[at - 1] ?? "" }));
  private readonly status = html("p", { class: "s2b-status", role: "status" });
  private readonly before = button("Previous", () => this.turn(-1));
  private readonly after = button("Next", () => this.turn(1));
  private readonly any = button("Another", () => this.another());
  private readonly count = html("span", { class: "s2b-count" });
  private readonly box = html("div", { class: "s2b-scroll", tabindex: 0, role: "group", "aria-label": "Picture of the alignment" });
  private readonly holder = html("div", { class: "s2b-holder" }, this.box);
  private readonly readout = new Readout();
  private readonly shows = html("div", { class: "s2b-shows" });
  private readonly twin = fold("Table of the links");
  private readonly kernel: KernelEngine;
  private entries: Entry[] = [];
  private finder = new Finder([]);
  private phenomena: string[] = [];
  private matches: number[] = [];
  private drawing: Drawing | null = null;
  private held: Place | null = null;
  private alive = false;
  private reason = "";
  private pause: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly model: Model,
    el: HTMLElement,
    private readonly signal: AbortSignal,
  ) {
    const id = `s2b-search-${(numbered += 1)}-${Math.random().toString(36).slice(2, 8)}`;
    this.input = html("input", {
      class: "s2b-input",
      type: "text",
      id,
      maxlength: LONGEST,
      autocomplete: "off",
      autocapitalize: "off",
      spellcheck: "false",
      enterkeyhint: "search",
      placeholder: "voiture",
    });
    this.ask = html("label", { class: "s2b-ask", for: id }, "Search for a word, English or French");
    this.kernel = new KernelEngine(model, signal);
    this.build();
    follow(model, ["pairs", "spans", "phenomena", "place", "phenomenon", "length", "search", "typed"], signal, (changed) => {
      this.draw(changed.has("pairs") || changed.has("spans") || changed.has("phenomena"));
    });
    this.draw(true);
    this.kernel.hello().then(
      () => {
        this.alive = true;
        this.ask.textContent = "Search for a word, or type an English sentence";
      },
      // where there is no kernel one can search all the same
      () => {},
    );
    // whatever stood there before goes: rendering twice never stacks
    el.replaceChildren(this.root);
    signal.addEventListener("abort", () => {
      clearTimeout(this.pause);
      this.root.remove();
    });
  }

  private build(): void {
    const filters = html("div", { class: "s2b-bar s2b-filters" }, this.phenomenonChoice.element, this.lengthChoice.element);
    const turn = html("div", { class: "s2b-bar s2b-turn" }, this.before.element, this.after.element, this.any.element, this.count);
    const foot = html("div", { class: "s2b-foot" }, sample("sure", "sure link"), sample("possible", "only possible"));
    this.root.append(html("div", { class: "s2b-field" }, this.ask, this.input), filters, this.status, turn, this.holder);
    this.root.append(this.readout.element, this.shows, foot, this.twin.element);
    this.input.addEventListener("input", () => this.typing());
    this.input.addEventListener("keydown", (event) => {
      // a notebook has its own meaning for keys
      event.stopPropagation();
      if (event.key === "Enter") this.translate();
      else if (event.key === "Escape" && this.input.value !== "") {
        this.input.value = "";
        this.typing();
      }
    });
  }

  // -- what the reader does -------------------------------------------------------------------

  private typing(): void {
    this.reason = "";
    this.filter({ search: this.input.value });
    clearTimeout(this.pause);
    if (this.alive) this.pause = setTimeout(() => this.translate(), PAUSE);
  }

  /** Ask Python for the pair of what is typed; a single word is only searched for. */
  private translate(): void {
    clearTimeout(this.pause);
    const { value } = this.input;
    const source = words(value);
    if (!this.alive || source.length < 2) return;
    // whoever typed on has asked again
    const passed = (): boolean => this.signal.aborted || value !== this.input.value;
    this.kernel.ask<Typed>("translate", { source, model: 0 }).then(
      ({ pair, spans }) => {
        if (!passed()) assign(this.model, { typed: { pair, spans } });
      },
      (error: unknown) => {
        if (passed()) return;
        this.reason = error instanceof Error ? error.message : String(error);
        this.show();
      },
    );
  }

  /** Ask for other pairs, and go to the first of them unless the one that is shown fits. */
  private filter(change: Partial<Filter>): void {
    if (this.entries.length === 0) return;
    const wanted = { ...this.wanted(), ...change };
    const matches = this.finder.find(wanted);
    const place = Number(this.model.get("place"));
    assign(this.model, { ...wanted, place: matches.includes(place) ? place : (matches[0] ?? place), typed: nothing(this.model.get("typed")) });
  }

  private turn(by: 1 | -1): void {
    const at = this.matches.indexOf(this.place());
    this.go(this.typed() ? at : (at + by + this.matches.length) % this.matches.length);
  }

  private another(): void {
    const others = this.matches.filter((place) => place !== this.place());
    const chosen = others[Math.floor(Math.random() * others.length)];
    this.go(this.matches.indexOf(chosen ?? this.place()));
  }

  private go(at: number): void {
    const place = this.matches[at];
    if (place !== undefined) assign(this.model, { place, typed: nothing(this.model.get("typed")) });
  }

  private everything(): void {
    this.input.value = "";
    this.reason = "";
    this.filter({ phenomenon: "", length: "", search: "" });
    // the button that was pressed is about to go
    this.input.focus();
  }

  // -- what is shown --------------------------------------------------------------------------

  private wanted(): Filter {
    const text = (name: string): string => String(this.model.get(name) ?? "");
    return { phenomenon: text("phenomenon"), length: text("length"), search: text("search") };
  }

  /** The place of the pair that is shown: the chosen one if it fits, else the first that does. */
  private place(): number {
    const chosen = Number(this.model.get("place"));
    return this.matches.includes(chosen) ? chosen : (this.matches[0] ?? 0);
  }

  /** The pair of the sentence that the reader typed. */
  private typed(): Entry | null {
    const typed = this.model.get("typed") as { pair?: unknown; spans?: unknown } | null;
    return typed?.pair ? readEntry(typed.pair, typed.spans, "your sentence") : null;
  }

  /** Draw the state, or say in one sentence why it cannot be drawn. */
  private draw(otherPairs: boolean): void {
    try {
      if (otherPairs || this.entries.length === 0) {
        this.entries = readEntries(this.model);
        this.finder = new Finder(this.entries);
        const known = this.model.get("phenomena");
        this.phenomena = Array.isArray(known) ? known.map(String) : [];
        this.drawing = null;
      }
      this.show();
    } catch (error) {
      if (!(error instanceof StateError)) throw error;
      this.entries = [];
      this.drawing = null;
      this.root.classList.add("s2b-broken");
      this.shows.replaceChildren();
      const why = `These pairs cannot be drawn: ${error.message}. Run this cell again.`;
      this.box.replaceChildren(html("p", { class: "s2b-message", role: "status" }, why));
    }
  }

  private show(): void {
    const filter = this.wanted();
    this.matches = this.finder.find(filter);
    const typed = this.typed();
    this.root.classList.remove("s2b-broken");
    if (document.activeElement !== this.input) this.input.value = filter.search;
    this.setChoices(filter);
    const several = this.matches.length > 1 || (typed !== null && this.matches.length > 0);
    for (const one of [this.before, this.after, this.any]) one.enable(several);
    this.setStatus(typed);
    const entry = typed ?? (this.matches.length > 0 ? (this.entries[this.place()] as Entry) : null);
    if (entry) this.showPair(entry, filter);
    else this.showNothing(filter);
  }

  private setChoices(filter: Filter): void {
    const counted = (name: string, change: Partial<Filter>): string =>
      `${name} (${this.finder.find({ ...filter, ...change }).length})`;
    this.phenomenonChoice.set(
      [counted("anything", { phenomenon: "" }), ...this.phenomena.map((phenomenon) => counted(readable(phenomenon), { phenomenon }))],
      this.phenomena.indexOf(filter.phenomenon) + 1,
    );
    this.lengthChoice.set(
      [counted("any", { length: "" }), ...LENGTHS.map((length) => counted(LENGTH_NAMES[length], { length }))],
      LENGTHS.findIndex((length) => length === filter.length) + 1,
    );
  }

  private setStatus(typed: Entry | null): void {
    const [found, all] = [this.matches.length, this.entries.length];
    const parts = [found === all ? `All ${all} pairs.` : `${found} of ${all} pairs ${found === 1 ? "fits" : "fit"}.`];
    if (typed) parts.unshift("Your sentence, translated by the grammar in your kernel.");
    else if (this.reason !== "") parts.push(`As a sentence: ${this.reason.replace(/[.\s]+$/, "")}.`);
    const sentence = parts.join(" ");
    if (this.status.textContent !== sentence) this.status.textContent = sentence;
    const at = this.matches.indexOf(this.place());
    this.count.textContent = typed ? "your sentence" : found > 0 ? `${at + 1} of ${found}` : "";
  }

  private showNothing({ phenomenon, length, search }: Filter): void {
    const asked: Child[] = [];
    if (search.trim() !== "") asked.push("“", html("bdi", {}, shown(search.trim())), "”");
    if (phenomenon !== "") asked.push(asked.length > 0 ? " together with " : "", readable(phenomenon));
    if (length !== "") asked.push(asked.length > 0 ? " among the sentences of this length" : "a sentence of this length");
    const all = button(`Show all ${this.entries.length} pairs`, () => this.everything());
    const message = html("p", { class: "s2b-message" }, "None of these pairs has ", ...asked, ". ", all.element);
    this.drawing = null;
    this.held = null;
    this.box.replaceChildren(message);
    this.readout.rest("");
    this.shows.replaceChildren();
    this.twin.show(() => html("p", {}, "There is no pair to show."));
  }

  private showPair(entry: Entry, filter: Filter): void {
    if (this.drawing?.entry !== entry && JSON.stringify(this.drawing?.entry) !== JSON.stringify(entry)) this.put(entry);
    const drawing = this.drawing as Drawing;
    this.mark(filter, filter.phenomenon);
    this.readout.rest(...(this.held ? this.said(this.held) : [counts(entry)]));
    // in the order of the list, whatever order the stored record has
    const listed = this.phenomena.filter((name) => name in entry.spans);
    const names = [...listed, ...Object.keys(entry.spans).filter((name) => !listed.includes(name))];
    const chips = names.map((name) => this.chip(name, filter));
    const focused = [...this.shows.querySelectorAll("button")].findIndex((one) => one === document.activeElement);
    this.shows.replaceChildren(html("span", {}, chips.length > 0 ? "Shows" : "Shows nothing that has a name"), ...chips);
    if (focused >= 0) (chips[focused] ?? drawing).focus();
  }

  /** Put the drawing of another pair in the place of the old one. */
  private put(entry: Entry): void {
    const hadFocus = this.drawing?.hasFocus() ?? false;
    const name = `${entry.source.map(shown).join(" ")} — ${entry.target.map(shown).join(" ")}: ${counts(entry)}`;
    this.held = null;
    const drawing = new Drawing(entry, name, {
      point: (place) => this.point(place),
      press: (place) => this.press(place),
    });
    this.drawing = drawing;
    this.box.replaceChildren(drawing.element);
    this.box.scrollLeft = 0;
    this.twin.show(() => table(entry));
    if (hadFocus) drawing.focus();
  }

  private mark(filter: Filter, phenomenon: string): void {
    const { drawing } = this;
    if (!drawing) return;
    const { source, target, spans } = drawing.entry;
    drawing.mark("source", this.finder.hits(source, filter.search));
    drawing.mark("target", new Set([...this.finder.hits(target, filter.search), ...(spans[phenomenon] ?? [])]));
  }

  /** A phenomenon that the pair shows: pointed at, its words are underlined; pressed, it filters. */
  private chip(name: string, filter: Filter): HTMLButtonElement {
    const on = filter.phenomenon === name;
    const chip = html("button", { type: "button", class: "s2b-button s2b-chip", "aria-pressed": String(on) }, readable(name));
    chip.addEventListener("click", () => this.filter({ phenomenon: on ? "" : name }));
    for (const event of ["pointerenter", "focus"]) chip.addEventListener(event, () => this.mark(filter, name));
    for (const event of ["pointerleave", "blur"]) chip.addEventListener(event, () => this.mark(this.wanted(), this.wanted().phenomenon));
    return chip;
  }

  private point(place: Place | null): void {
    const now = place ?? this.held;
    this.drawing?.light(now);
    if (place) this.readout.say(...this.said(place));
    else this.readout.clear();
  }

  private press(place: Place): void {
    const same = this.held?.side === place.side && this.held.at === place.at;
    this.held = same ? null : place;
    this.drawing?.hold(this.held);
    this.drawing?.light(this.held ?? place);
    this.readout.rest(...this.said(this.held ?? place));
    if (!this.held && this.drawing) this.readout.rest(counts(this.drawing.entry));
  }

  /** "English car (3) goes with voiture (2)", positions counted from 1. */
  private said({ side, at }: Place): Piece[] {
    const { drawing } = this;
    if (!drawing) return [];
    const roles = { source: "key", target: "query" } as const;
    const word = (where: Place): Piece[] => [
      { token: drawing.entry[where.side][where.at] ?? "", role: roles[where.side] },
      ` (${where.at + 1})`,
    ];
    const partners = drawing.partners({ side, at });
    const pieces: Piece[] = [side === "source" ? "English " : "French ", ...word({ side, at })];
    pieces.push(partners.length > 0 ? " goes with " : " goes with no word");
    for (const [number, partner] of partners.entries()) {
      pieces.push(number > 0 ? ", " : "", ...word({ side: other(side), at: partner.at }), partner.sure ? "" : ", only possible");
    }
    return pieces;
  }
}

/** No typed sentence; the empty record that is there already, so that nothing is sent for nothing. */
function nothing(typed: unknown): unknown {
  return typed && Object.keys(typed).length === 0 ? typed : {};
}

function counts({ source, target, sure, possible }: Entry): string {
  const links = sure.length === 1 ? "link" : "links";
  return `${source.length} English and ${target.length} French tokens; ${sure.length} sure ${links}, ${new Set(possible.map(String)).size - sure.length} only possible.`;
}

function sample(kind: "sure" | "possible", name: string): HTMLElement {
  const drawn = svg(
    "svg",
    { class: "s2b-sample", viewBox: "0 0 24 14", width: 24, height: 14, "aria-hidden": "true" },
    svg("path", { class: `s2b-link s2b-gold s2b-${kind}`, d: "M1 7H23" }),
  );
  return html("span", { class: "s2b-legend" }, drawn, name);
}

/** The links as a table: a row for each, in the order of the French words. */
function table({ source, target, sure, possible }: Entry): HTMLTableElement {
  const isSure = new Set(sure.map(String));
  const links = [...new Map(possible.map((link) => [String(link), link])).values()].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const word = (words: readonly string[], at: number): Child[] => [html("bdi", {}, shown(words[at] ?? "")), ` (${at + 1})`];
  const rows = links.map((link) =>
    html(
      "tr",
      {},
      html("th", { scope: "row" }, ...word(target, link[0])),
      html("td", {}, ...word(source, link[1])),
      html("td", {}, isSure.has(String(link)) ? "sure" : "possible"),
    ),
  );
  const head = ["French", "English", "link"].map((name) => html("th", { scope: "col" }, name));
  return html(
    "table",
    { class: "s2b-table" },
    html("caption", {}, "Which word goes with which"),
    html("thead", {}, html("tr", {}, ...head)),
    html("tbody", {}, ...rows),
  );
}

export default widgetOf((model, el, signal) => new ExplorerView(model, el, signal));
