/**
 * One sentence, many models: a small heat map of each, and the chosen one large.
 *
 * What is shown (a sentence, every model's answer, the chosen model, the held row) lives in the
 * widget's model, so that two views stay in step and Python sees it. The models are asked one after
 * another; where the reference is known, a model that writes something else is asked a second time,
 * and made to write the reference.
 */

import { Refusal } from "../../engines/engine.ts";
import type { Answer, Answered, Gold, Request } from "../../engines/questions.ts";
import { widgetOf, type Model } from "../../shared/anywidget.ts";
import { button, choice, offerExamples } from "../../shared/controls.ts";
import { copyMenu, fileName } from "../../shared/copymenu.ts";
import { html } from "../../shared/dom.ts";
import { assign, follow } from "../../shared/follow.ts";
import { Gallery } from "../../shared/gallery.ts";
import { Live } from "../../shared/live.ts";
import { MapView } from "../../shared/mapview.ts";
import { longPair, openers, type ShortPair } from "../../shared/pairs.ts";
import { words } from "../../shared/sentence.ts";
import { decodeMaps, list, StateError, type AttentionMap } from "../../shared/state.ts";
import { fold } from "../../shared/table.ts";
import { kindTitle } from "../../shared/words.ts";
import { replaced, sourceOf, type Current, type Entry } from "./entries.ts";
import { bestOf, oneHead } from "./heads.ts";
import { CHOICE, DRAWS, drawnNote, EOS, facts, mixed, modelTable, nameOf, noPicture, noPictureNote, rowsNote, writesNote, type Compared } from "./says.ts";

interface Example extends Gold {
  title: string;
}

/** What is said of a model that has not just one layer of one head. */
interface Unusual {
  attention?: boolean;
  /** The best head, from 0. */
  head?: readonly number[];
}

/** What a model's answer shows: its attention as it is drawn, and how many heads it is of. */
type Drawn = Pick<Compared, "map" | "heads" | "head">;

class CompareView {
  private readonly root = html("div", { class: "s2b s2b-comparison" });
  private readonly note = html("p", { class: "s2b-note" });
  private readonly count = html("p", { class: "s2b-count" });
  private readonly counted = html("span", {});
  private readonly writes = html("p", { class: "s2b-writes", role: "status" });
  private readonly title = html("span", { class: "s2b-title" });
  private readonly name = html("span", { class: "s2b-control" });
  private readonly twin = fold("Table of the models");
  private readonly gallery = new Gallery("Attention of each model", (place) => this.choose(place));
  private readonly view = new MapView(this.root, (query) => assign(this.model, { query }));
  private readonly live: Live<Request, Answered>;
  private readonly exampleChoice = choice("Example", (place) => this.example(place));
  private readonly drawsChoice = choice(CHOICE, (at) => assign(this.model, { draws: Object.keys(DRAWS)[at] ?? "mean" }));
  private readonly others = button("Ask the others", () => this.askOthers());
  private readonly examples: readonly Example[];
  private readonly golds: ReadonlyMap<string, Gold>;
  private readonly titles: readonly string[];
  private readonly unusual: readonly Unusual[];
  /** The sentence that is being asked, and the models that have not answered it yet. */
  private wanted: readonly string[];
  private readonly pending = new Set<number>();
  /** What a model wrote by itself, while it is made to write the reference. */
  private half: { model: number; written: readonly string[]; gold: Gold } | null = null;
  private drawn: Drawn[] = [];
  private large: { map: AttentionMap; query: number } | null = null;
  private shownText: string | null = null;

  constructor(
    private readonly model: Model,
    el: HTMLElement,
    signal: AbortSignal,
  ) {
    this.examples = list<Example>(model.get("examples"));
    const pairs = [...this.examples, ...list<ShortPair>(model.get("more")).map(longPair)];
    this.golds = new Map(pairs.map((pair) => [pair.source.join(" "), pair]));
    this.live = new Live<Request, Answered>(model, signal, {
      kind: "translate",
      root: this.root,
      openers: openers(pairs),
      question: (source) => this.question(source),
      answered: (answered, request) => this.answered(answered, request),
      round: {
        missed: (request, reason) => this.missed(request, reason),
        goesOn: () => this.pending.size > 0,
        dropped: () => this.dropped(),
      },
    });
    this.titles = this.live.models.map(({ title }) => title);
    this.unusual = list<Unusual>(model.get("models"));
    this.wanted = this.examples[0]?.source ?? [];
    this.build();
    follow(model, ["shown", "shown_weights", "maps", "weights", "written", "chosen", "query", "draws"], signal, () => this.show());
    this.show();
    this.live.begin();
    // whatever stood there before goes: rendering twice never stacks
    el.replaceChildren(this.root);
    signal.addEventListener("abort", () => this.root.remove());
  }

  private build(): void {
    const another = button("Another sentence", () => this.another()).element;
    another.hidden = list(this.model.get("more")).length === 0;
    this.exampleChoice.element.classList.add("s2b-grow");
    const ask = html("div", { class: "s2b-bar s2b-ask-bar" }, this.exampleChoice.element, another);
    this.count.append(this.counted, " ", this.others.element);
    const copy = copyMenu(() => {
      const { drawing } = this.view;
      const map = this.drawn[this.chosen()]?.map;
      const title = `${this.name.textContent}: ${map?.keyTokens.join(" ")} → ${map?.queryTokens.join(" ")}`;
      return drawing && map ? { drawing, map, name: fileName(map), title } : null;
    });
    const { holder, readout, foot, twin } = this.view;
    twin.element.classList.add("s2b-weights");
    this.root.append(this.live.field.element, ask, this.live.status, this.note);
    if (this.unusual.some(({ head }) => head)) this.root.append(html("div", { class: "s2b-bar" }, this.drawsChoice.element));
    this.root.append(this.gallery.element, this.count);
    this.root.append(this.twin.element, this.writes, html("div", { class: "s2b-bar" }, this.title, this.name), holder);
    this.root.append(readout.element, html("div", { class: "s2b-bar s2b-copies" }, copy), foot, twin.element);
  }

  /** What is shown: the last answers, or those to the first example, which came with the page. */
  private current(): Current {
    const now = this.model.get("shown") as Partial<Current> | null;
    if (now?.source && now.entries?.length === this.titles.length) return { text: "", faults: [], ...now } as Current;
    return this.stored(0);
  }

  /** What came with the page about an example. */
  private stored(place: number): Current {
    const example = this.examples[place];
    const count = this.titles.length;
    // a model without attention has no map
    const pictures = this.unusual.filter(({ attention }) => attention !== false).length;
    const maps = list<Record<string, unknown>>(this.model.get("maps")).slice(place * pictures, (place + 1) * pictures);
    const written = list<string[]>(this.model.get("written")).slice(place * count, (place + 1) * count);
    if (!example || count === 0 || maps.length < pictures || written.length < count) {
      throw new StateError("no example is stored with it");
    }
    const next = maps.values();
    const entries = written.map((words, at): Entry => {
      const said = { written: words, reference: example.target };
      if (this.unusual[at]?.attention === false) return { ...said, map: null, source: example.source };
      return { ...said, map: next.next().value as Record<string, unknown> };
    });
    return { source: example.source, text: example.source.join(" "), entries, faults: [] };
  }

  private weights(): unknown {
    const given = this.model.get("shown_weights") as DataView | null;
    return given && given.byteLength > 0 ? given : this.model.get("weights");
  }

  private chosen(): number {
    const place = Number(this.model.get("chosen") ?? 0);
    return Number.isInteger(place) && place >= 0 && place < this.titles.length ? place : 0;
  }

  // --- asking ---------------------------------------------------------------------------------

  /** Ask all models about a sentence, from the chosen one on; without words, be ready to. */
  private question(source: readonly string[]): Request {
    if (source.length > 0) {
      const goesOn = source.join(" ") === this.wanted.join(" ") && this.pending.size > 0;
      this.wanted = source;
      this.half = null;
      if (!goesOn) for (const place of this.live.offered) this.pending.add(place);
      queueMicrotask(() => this.show());
    }
    return plain(source, this.next() ?? this.live.offered[0] ?? 0);
  }

  /** The model that is to be asked next: what the reader looks at comes first. */
  private next(): number | undefined {
    return this.pending.has(this.chosen()) ? this.chosen() : this.live.offered.find((place) => this.pending.has(place));
  }

  private goOn(): void {
    const next = this.next();
    if (next === undefined) this.show();
    else this.live.ask(plain(this.wanted, next));
  }

  private ask(source: readonly string[]): void {
    if (this.live.on && source.length > 0) {
      this.live.ask(this.question(source));
      return;
    }
    // nobody would answer: everything goes back to what is shown
    const { source: before, text } = this.current();
    this.live.field.value = text || before.join(" ");
    offerExamples(this.exampleChoice, this.examples, before);
  }

  private askOthers(): void {
    const { source, entries } = this.current();
    if (!this.live.on) return;
    this.wanted = source;
    this.half = null;
    this.live.field.value = source.join(" ");
    for (const place of this.live.offered) {
      if (sourceOf(entries[place] as Entry) !== source.join(" ")) this.pending.add(place);
    }
    this.goOn();
    this.show();
  }

  private example(place: number): void {
    const example = this.examples[place];
    if (!example) return;
    this.live.forget();
    this.pending.clear();
    this.half = null;
    this.wanted = example.source;
    this.live.field.value = example.source.join(" ");
    assign(this.model, { shown: this.stored(place), shown_weights: this.model.get("weights"), query: -1 });
  }

  private another(): void {
    const more = list<ShortPair>(this.model.get("more")).filter(([source]) => source !== this.wanted.join(" "));
    const [source] = more[Math.floor(Math.random() * more.length)] ?? [];
    if (!source) return;
    if (this.live.on) this.live.field.value = source;
    this.ask(source.split(" "));
  }

  private answered({ answer, map, buffers }: Answered, request: Request): void {
    // of another sentence than the one that is wanted by now: that one is asked next
    if (!this.isWanted(request)) return;
    if (!answer || map === undefined || (map && !buffers[0])) throw new Refusal("the kernel sent an answer that cannot be read");
    const place = request.model;
    const by = request.prefix.length > 0 && this.half?.model === place ? this.half : null;
    const gold = by?.gold ?? (answer.gold === undefined ? this.golds.get(answer.source.join(" ")) : answer.gold) ?? null;
    const written = by?.written ?? wordsOf(answer);
    // without attention there is no picture whose rows would have to be those of the others
    if (!by && gold && map && !(finished(answer) && written.join(" ") === gold.target.join(" "))) {
      this.half = { model: place, written, gold };
      this.live.ask({ ...request, prefix: [...gold.target, EOS] });
      return;
    }
    this.half = null;
    const links = { sure: gold?.sure ?? [], possible: gold?.possible ?? [] };
    const said = { written, reference: gold?.target ?? null };
    const entry: Entry = map ? { ...said, map: { ...map, ...links } } : { ...said, map, source: answer.source };
    const numbers = buffers[0] ?? new DataView(new ArrayBuffer(0));
    // what cannot be drawn is no answer
    if (entry.map) decodeMaps([entry.map], numbers);
    this.pending.delete(place);
    const before = this.current();
    const { entries, weights } = replaced(before.entries, this.weights(), place, entry, numbers);
    this.put(entries, weights, (faults) => (faults[place] = null));
    this.goOn();
  }

  /** A model gave no answer: its picture stays, and the others are asked. */
  private missed(request: Request, reason: string): boolean {
    if (!this.isWanted(request)) return true;
    this.half = null;
    this.pending.delete(request.model);
    const { entries } = this.current();
    this.put(entries, this.weights(), (faults) => (faults[request.model] = reason));
    this.goOn();
    return this.pending.size > 0 || entries.some((entry) => sourceOf(entry) === this.wanted.join(" "));
  }

  /** The sentence is gone from the field: who was not asked yet can be asked by the button. */
  private dropped(): void {
    this.pending.clear();
    this.half = null;
    this.show();
  }

  private isWanted({ source, model }: Request): boolean {
    return source.join(" ") === this.wanted.join(" ") && this.pending.has(model);
  }

  private put(entries: readonly Entry[], weights: unknown, change: (faults: (string | null)[]) => void): void {
    const before = this.current();
    const same = before.source.join(" ") === this.wanted.join(" ");
    const faults = this.titles.map((_, place) => (same ? (before.faults[place] ?? null) : null));
    change(faults);
    // whoever types ahead has another text there already
    const typed = this.live.field.value;
    const text = words(typed).join(" ") === this.wanted.join(" ") ? typed : this.wanted.join(" ");
    const shown: Current = { source: this.wanted, text, entries, faults };
    assign(this.model, { shown, shown_weights: weights, query: same ? Number(this.model.get("query")) : -1 });
  }

  private choose(place: number): void {
    const [before, after] = [this.drawn[this.chosen()]?.map, this.drawn[place]?.map];
    // the held row stays where the rows are the same
    const same = before && after && before.queryTokens.join(" ") === after.queryTokens.join(" ");
    assign(this.model, { chosen: place, query: same ? Number(this.model.get("query") ?? -1) : -1 });
  }

  // --- showing --------------------------------------------------------------------------------

  private show(): void {
    let current: Current;
    try {
      current = this.current();
      this.decode(current);
    } catch (error) {
      if (!(error instanceof StateError)) throw error;
      this.root.classList.add("s2b-broken");
      const why = `This widget cannot be drawn: ${error.message}. Run its cell again.`;
      this.view.clear(html("p", { class: "s2b-message", role: "status" }, why));
      return;
    }
    this.root.classList.remove("s2b-broken");
    const field = this.live.field;
    // another sentence is shown, perhaps by another view: what is being typed here is left alone
    if (current.text !== this.shownText && this.pending.size === 0) {
      if (document.activeElement !== field.input) field.value = current.text || current.source.join(" ");
    }
    this.shownText = current.text;
    const now = current.source.join(" ");
    const compared = current.entries.map((entry, place): Compared => ({ ...entry, title: this.titles[place] ?? "", ...(this.drawn[place] as Drawn) }));
    const several = mixed(compared);
    const answers = current.entries.map((entry) => sourceOf(entry) === now);
    const instead = answers.map((there, place) => (there ? null : this.why(current, place)));
    const chosen = this.chosen();
    this.gallery.show(
      compared.map((one, place) => {
        const reason = instead[place];
        const told = [...facts(one), ...(several ? [one.map ? drawnNote(one) : ""] : [])];
        return { title: one.title, map: one.map, instead: one.map ? [] : noPicture(one), facts: reason ? ["no answer yet", reason] : told, old: !answers[place] };
      }),
      chosen,
    );
    this.drawsChoice.set(Object.values(DRAWS), Object.keys(DRAWS).indexOf(this.draws()));
    offerExamples(this.exampleChoice, this.examples, this.pending.size > 0 ? this.wanted : current.source);
    this.showNote(current, compared.find((_, place) => answers[place]));
    this.showCount(answers);
    this.twin.show(() => modelTable(compared.map((one, place) => [one, instead[place] ?? null] as const)));
    const large = compared[chosen] as Compared;
    const typed = words(field.value).join(" ");
    this.root.classList.toggle("s2b-behind", typed !== now);
    this.root.classList.toggle("s2b-stale", typed !== sourceOf(current.entries[chosen] as Entry));
    this.root.classList.toggle("s2b-pictureless", !large.map);
    this.name.textContent = nameOf(large);
    const before = large.map ? "This is its picture of the sentence before." : "What it wrote is of the sentence before.";
    const said = instead[chosen] ? `${large.title}: ${instead[chosen]} ${before}` : writesNote(large);
    if (this.writes.textContent !== said) this.writes.textContent = said;
    if (!large.map) {
      this.large = null;
      const note = noPictureNote(large.title);
      if (this.view.drawing || this.view.holder.textContent !== note) this.view.clear(html("p", { class: "s2b-message" }, note));
      return;
    }
    this.title.textContent = kindTitle(large.map);
    const rows = large.map.queryTokens.length;
    const query = Math.min(Math.max(Number(this.model.get("query") ?? -1), -1), rows - 1);
    // while others answer, what is pointed at in the large picture stays
    if (this.large?.map === large.map && this.large.query === query && this.view.drawing) return;
    this.large = { map: large.map, query };
    this.view.show(large.map, { layer: 0, head: 0, query });
    this.markUnknown(large.map);
  }

  /** The maps of what is shown; one that did not change stays the same object, so that nothing is drawn anew. */
  private decode({ entries }: Current): void {
    const records = entries.flatMap(({ map }) => map ?? []);
    const maps = (records.length > 0 ? decodeMaps(records, this.weights()) : []).values();
    this.drawn = entries.map((entry, place): Drawn => {
      const whole = entry.map ? (maps.next().value as AttentionMap) : null;
      if (!whole) return { map: null, heads: 0, head: null };
      const head = this.draws() === "best" ? bestOf(this.unusual[place]?.head, whole) : null;
      const map = oneHead(whole, head);
      const before = this.drawn[place]?.map;
      return { map: before && same(before, map) ? before : map, heads: whole.layers * whole.heads, head };
    });
  }

  private draws(): string {
    return this.model.get("draws") === "best" ? "best" : "mean";
  }

  /** Why the picture of a model is of another sentence. */
  private why(current: Current, place: number): string {
    if (!this.live.offered.includes(place)) return "this model needs Python.";
    const fault = current.faults[place];
    if (this.pending.has(place)) return "it is asked in turn.";
    if (!fault) return "it was not asked.";
    return /[.?!]$/.test(fault) ? fault : `${fault}.`;
  }

  private showNote(current: Current, answered: Compared | undefined): void {
    const parts = this.live.unknownNote(current.source);
    const rows = answered ? rowsNote(this.titles.length, answered.reference, this.drawn.filter(({ map }) => !map).length) : "No model has answered yet.";
    this.note.replaceChildren(...parts, rows);
  }

  private showCount(answers: readonly boolean[]): void {
    const there = answers.filter(Boolean).length;
    const all = there === answers.length && this.pending.size === 0;
    const done = this.live.offered.length - this.pending.size;
    const said = this.pending.size > 0 ? `${done} of ${this.live.offered.length} models have been asked …` : `${there} of ${answers.length} models have answered.`;
    this.counted.textContent = all ? "" : said;
    const missing = this.live.offered.some((place) => !answers[place]);
    this.others.element.hidden = this.pending.size > 0 || !missing || !this.live.on;
  }

  private markUnknown(map: AttentionMap): void {
    for (const [at, label] of (this.view.drawing?.columnLabels ?? []).entries()) {
      label.classList.toggle("s2b-unknown", !this.live.sourceWords.has(map.keyTokens[at] ?? ""));
    }
  }
}

/** Greedy search, nothing changed about the model. */
function plain(source: readonly string[], model: number): Request {
  return { source, model, prefix: [], width: 1, temperature: 1, scale: 1 };
}

function finished({ steps }: Answer): boolean {
  return steps[steps.length - 1]?.token === EOS;
}

function wordsOf(answer: Answer): string[] {
  const tokens = answer.steps.map(({ token }) => token);
  return finished(answer) ? tokens.slice(0, -1) : tokens;
}

/** Do two maps show the same? */
function same(one: AttentionMap, other: AttentionMap): boolean {
  const text = ({ queryTokens, keyTokens, sure, possible }: AttentionMap): string =>
    JSON.stringify([queryTokens, keyTokens, sure, possible]);
  if (text(one) !== text(other)) return false;
  return one.queryTokens.every((_, query) =>
    one.keyTokens.every((_, key) => one.weight(0, 0, query, key) === other.weight(0, 0, query, key)),
  );
}

export default widgetOf((model, el, signal) => new CompareView(model, el, signal));
