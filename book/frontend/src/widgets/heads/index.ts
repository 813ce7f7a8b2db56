/**
 * The head explorer: every head of a translator with a switch, and what is lost when it is off.
 *
 * What is shown (a sentence, its translation with and without the heads that are off, all
 * attention), the switches, the enlarged head and the last count live in the widget's model, so that
 * two views stay in step and Python sees them. The translation is asked for with every switch; the
 * held-out sentences are counted when the switches have been at rest for a moment.
 */

import { Refusal } from "../../engines/engine.ts";
import type { Asker } from "../../engines/asker.ts";
import type { AccuracyAnswered, AccuracyRequest, Answer, Gold, HeadsAnswered, HeadsRequest } from "../../engines/questions.ts";
import { widgetOf, type Model } from "../../shared/anywidget.ts";
import { button, choice, offerExamples } from "../../shared/controls.ts";
import { copyMenu, fileName } from "../../shared/copymenu.ts";
import { html } from "../../shared/dom.ts";
import { assign, follow } from "../../shared/follow.ts";
import { Live } from "../../shared/live.ts";
import { MapView } from "../../shared/mapview.ts";
import { longPair, openers, type ShortPair } from "../../shared/pairs.ts";
import { words } from "../../shared/sentence.ts";
import { decodeMaps, list, StateError, text, type AttentionMap } from "../../shared/state.ts";
import { fold } from "../../shared/table.ts";
import { kindTitle } from "../../shared/words.ts";
import { HeadGrid } from "./grid.ts";
import { Lines } from "./lines.ts";
import { allHeads, changeNote, countNote, headName, headsTable, offNote, type Count, type Head } from "./says.ts";
import { fromFragment, known, maskOf, nameOf, offOf, toFragment } from "./switches.ts";

/** So long the switches rest before sentences are counted, in milliseconds. */
export const REST = 400;
/** So long another view, which switched, may take to ask before this one does. */
const OTHERS = 1_000;
const EOS = "<eos>";

interface Example extends Gold {
  title: string;
}

/** A translation with some heads off, and the text that it was typed as. */
interface Current {
  text: string;
  off: readonly Head[];
  answer: Answer;
  whole: readonly string[];
  maps: readonly Record<string, unknown>[];
}

class HeadsView {
  private readonly root = html("div", { class: "s2b s2b-head-explorer" });
  private readonly note = html("p", { class: "s2b-note" });
  private readonly lines = new Lines();
  private readonly count = html("p", { class: "s2b-count" });
  private readonly counted = html("span", { role: "status" });
  private readonly right = html("p", { class: "s2b-right", role: "status" });
  private readonly title = html("span", { class: "s2b-title" });
  private readonly name = html("span", { class: "s2b-control" });
  private readonly twin = fold("Table of the heads");
  private readonly grid = new HeadGrid({
    open: (layer, head) => this.open(this.large()[0], layer, head),
    flip: (layer, head) => this.flip([this.large()[0], layer, head]),
  });
  private readonly reset = button("Switch all on", () => this.switchTo([]));
  private readonly view = new MapView(this.root, (query) => assign(this.model, { query }));
  private readonly live: Live<HeadsRequest, HeadsAnswered>;
  private readonly counter: Asker<AccuracyRequest, AccuracyAnswered>;
  private readonly exampleChoice = choice("Example", (place) => this.example(place));
  private readonly kindChoice = choice("Attention", (place) => this.open(this.maps[place]?.kind ?? "", 0, 0));
  private readonly key: string;
  private readonly examples: readonly Example[];
  private readonly golds: ReadonlyMap<string, Gold>;
  /** The sentence that is wanted at the moment; the answer to it may still be on its way. */
  private wanted: readonly string[] = [];
  /** The heads that were off when this view asked last. */
  private asked = "";
  private maps: AttentionMap[] = [];
  private drawn: { of: unknown; maps: AttentionMap[] } | null = null;
  /** The count with all heads, once the browser has made it. */
  private whole: number | undefined;
  private trouble = "";
  private resting: ReturnType<typeof setTimeout> | undefined;
  private watching: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly model: Model,
    el: HTMLElement,
    private readonly signal: AbortSignal,
  ) {
    this.key = text(model.get("key"));
    this.examples = list<Example>(model.get("examples"));
    const pairs = [...this.examples, ...list<ShortPair>(model.get("more")).map(longPair)];
    this.golds = new Map(pairs.map((pair) => [pair.source.join(" "), pair]));
    this.live = new Live<HeadsRequest, HeadsAnswered>(model, signal, {
      kind: "heads",
      root: this.root,
      openers: openers(pairs),
      question: (source) => this.question(source),
      answered: (answered, request) => this.answered(answered, request),
      available: (on) => this.available(on),
    });
    this.counter = this.live.beside<AccuracyRequest, AccuracyAnswered>("accuracy", {
      waiting: () => this.showCount(),
      slow: () => {},
      answered: (answered, request) => this.countedAgain(answered, request),
      failed: (error) => {
        this.trouble = error instanceof Error ? error.message.replace(/[.\s]+$/, "") : String(error);
        this.showCount();
      },
    });
    this.build();
    const traits = ["shown", "shown_weights", "answers", "maps", "weights", "off", "accuracy", "kind", "layer", "head", "query"];
    follow(model, traits, signal, (changed) => {
      this.show();
      if (changed.has("off")) this.heardOf();
    });
    this.show();
    this.begin();
    // whatever stood there before goes: rendering twice never stacks
    el.replaceChildren(this.root);
    signal.addEventListener("abort", () => {
      for (const timer of [this.resting, this.watching]) clearTimeout(timer);
      this.root.remove();
    });
  }

  private build(): void {
    const another = button("Another sentence", () => this.another()).element;
    another.hidden = list(this.model.get("more")).length === 0;
    this.exampleChoice.element.classList.add("s2b-grow");
    const ask = html("div", { class: "s2b-bar s2b-ask-bar" }, this.exampleChoice.element, another);
    this.count.append(this.counted, " ", this.reset.element);
    const { site } = this.live;
    const link = site ? () => site.address(toFragment(this.key, { source: this.current().answer.source, off: this.off(), large: this.large() })) : undefined;
    const copy = copyMenu(() => {
      const { drawing } = this.view;
      const [kind, layer, head] = this.large();
      const map = this.mapOf(kind);
      if (!drawing || !map) return null;
      const title = `${kindTitle(map)}, ${headName(layer, head).toLowerCase()}: ${this.current().answer.source.join(" ")}`;
      return { drawing, map, layer, head, name: fileName(map), title };
    }, link);
    const { holder, readout, foot, twin } = this.view;
    // what may grow stands below the switches, so that they stay under the finger
    const kind = html("div", { class: "s2b-bar" }, this.kindChoice.element);
    this.root.append(this.live.field.element, ask, this.live.status, kind, this.grid.element, this.lines.element);
    this.root.append(this.count, this.right, this.note, this.twin.element);
    this.root.append(html("div", { class: "s2b-bar" }, this.title, this.name), holder, readout.element);
    this.root.append(html("div", { class: "s2b-bar" }, copy), foot, twin.element);
  }

  /** On the site, do what the address asks. */
  private begin(): void {
    // who comes back to a page finds what stood there, whatever link had led to it
    let restored = (this.model.get("shown") as Partial<Current> | null)?.answer !== undefined;
    this.live.begin((site) => {
      site.onFragment((fragment) => {
        if (restored) {
          restored = false;
          return;
        }
        const linked = fromFragment(this.key, fragment, this.maps);
        if (!linked) return;
        const [kind, layer, head] = linked.large ?? this.large();
        this.live.field.value = linked.source.join(" ");
        assign(this.model, { kind, layer, head, off: linked.off });
        this.ask(linked.source);
        this.countLater();
        // the page may still be growing above: go there when it is complete
        requestAnimationFrame(() => this.root.scrollIntoView({ block: "start" }));
      }, this.signal);
    });
  }

  // --- what there is --------------------------------------------------------------------------

  /** What is shown: the last answer, or the one to the first example, which came with the page. */
  private current(): Current {
    const now = this.model.get("shown") as Partial<Current> | null;
    if (now?.answer && now.maps && now.whole && now.off) return { text: "", ...now } as Current;
    return this.stored(0);
  }

  /** What came with the page about an example. */
  private stored(place: number): Current {
    const example = this.examples[place];
    const answer = list<Answer>(this.model.get("answers"))[place];
    const records = list<Record<string, unknown>>(this.model.get("maps"));
    const kinds = records.length / Math.max(1, this.examples.length);
    const maps = records.slice(place * kinds, (place + 1) * kinds);
    if (!example || !answer || maps.length === 0) throw new StateError("no example is stored with it");
    return { text: example.source.join(" "), off: [], answer, whole: wordsOf(answer), maps };
  }

  private off(): Head[] {
    return known(this.model.get("off"), this.maps);
  }

  private mapOf(kind: string): AttentionMap | undefined {
    return this.maps.find((map) => map.kind === kind);
  }

  /** The enlarged head, as far as it exists. */
  private large(): Head {
    const map = this.mapOf(text(this.model.get("kind"))) ?? this.maps[0];
    const within = (name: string, size: number): number => Math.min(Math.max(Number(this.model.get(name) ?? 0), 0), size - 1);
    return map ? [map.kind, within("layer", map.layers), within("head", map.heads)] : ["", 0, 0];
  }

  // --- asking ---------------------------------------------------------------------------------

  private question(source: readonly string[]): HeadsRequest {
    const off = this.off();
    if (source.length > 0) {
      this.wanted = source;
      this.asked = nameOf(off);
    }
    return { source, model: 0, head_mask: maskOf(off, this.maps) };
  }

  private ask(source: readonly string[]): void {
    if (this.live.ask(this.question(source))) {
      offerExamples(this.exampleChoice, this.examples, source);
      return;
    }
    // nobody would answer: everything goes back to what is shown
    const { answer, text: typed, off } = this.current();
    this.wanted = answer.source;
    this.live.field.value = typed || answer.source.join(" ");
    assign(this.model, { off });
    offerExamples(this.exampleChoice, this.examples, answer.source);
  }

  /** Somebody answers from now on, or nobody does: the switches follow, and so does what they ask. */
  private available(on: boolean): void {
    this.grid.enable(on);
    this.reset.enable(on);
    if (on) this.catchUp();
  }

  /** Ask for what the switches say, where neither this view nor another one has done so. */
  private catchUp(): void {
    if (!this.live.on || this.root.classList.contains("s2b-broken")) return;
    const off = this.off();
    if (nameOf(off) !== nameOf(known(this.current().off, this.maps)) && nameOf(off) !== this.asked) this.ask(this.wanted);
    if (nameOf(off) !== nameOf(this.countedOff())) this.countLater();
  }

  /** The switches changed: by this view, by another one, or from Python. */
  private heardOf(): void {
    if (nameOf(this.off()) === this.asked) return;
    clearTimeout(this.watching);
    this.watching = setTimeout(() => this.catchUp(), OTHERS);
  }

  private flip(head: Head): void {
    const off = this.off();
    const without = off.filter((other) => String(other) !== String(head));
    this.switchTo(without.length < off.length ? without : [...off, head]);
  }

  private switchTo(heads: readonly Head[]): void {
    if (!this.live.on) return;
    assign(this.model, { off: known(heads, this.maps) });
    this.ask(this.wanted);
    this.countLater();
  }

  private example(place: number): void {
    const example = this.examples[place];
    if (!example) return;
    this.live.field.value = example.source.join(" ");
    if (this.off().length > 0) {
      this.ask(example.source);
      return;
    }
    // this answer came with the page
    this.live.forget();
    this.wanted = example.source;
    assign(this.model, { shown: this.stored(place), shown_weights: this.model.get("weights"), query: -1 });
  }

  private another(): void {
    const more = list<ShortPair>(this.model.get("more")).filter(([source]) => source !== this.wanted.join(" "));
    const [source] = more[Math.floor(Math.random() * more.length)] ?? [];
    if (!source) return;
    if (this.live.on) this.live.field.value = source;
    this.ask(source.split(" "));
  }

  private answered({ answer, whole, maps, buffers }: HeadsAnswered, request: HeadsRequest): void {
    if (!answer || !whole || !maps || !buffers[0]) throw new Refusal("the kernel sent an answer that cannot be read");
    // what cannot be drawn is no answer
    decodeMaps(maps, buffers[0]);
    const gold = answer.gold === undefined ? this.golds.get(answer.source.join(" ")) : answer.gold;
    // whoever types ahead has another text there already
    const typed = this.live.field.value;
    const asked = request.source.join(" ");
    const shown: Current = {
      text: words(typed).join(" ") === asked ? typed : asked,
      off: offOf(request.head_mask),
      answer: gold === undefined ? answer : { ...answer, gold },
      whole,
      maps,
    };
    const held = Number(this.model.get("query"));
    const before = this.current().answer;
    const stays = before.source.join(" ") === asked && wordsOf(before).join(" ") === wordsOf(answer).join(" ");
    assign(this.model, { shown, shown_weights: buffers[0], query: stays ? held : -1 });
  }

  // --- counting -------------------------------------------------------------------------------

  private countedOff(): Head[] {
    return known((this.model.get("accuracy") as { off?: unknown } | null)?.off, this.maps);
  }

  private countLater(): void {
    clearTimeout(this.resting);
    this.trouble = "";
    this.resting = setTimeout(() => {
      const off = this.off();
      if (nameOf(off) === nameOf(this.countedOff())) return;
      const site = this.live.site ? { held_out: list<[string, string]>(this.model.get("held_out")), ...(this.whole === undefined ? {} : { whole: this.whole }) } : {};
      this.counter.ask({ source: [], model: 0, head_mask: maskOf(off, this.maps), ...site });
    }, REST);
    this.showCount();
  }

  private countedAgain({ right, whole, total }: AccuracyAnswered, request: AccuracyRequest): void {
    this.whole = whole;
    this.trouble = "";
    const off = offOf(request.head_mask);
    // of other switches than those of now: the next count is on its way
    if (nameOf(known(off, this.maps)) !== nameOf(this.off())) return;
    assign(this.model, { accuracy: { right, whole, total, off } });
  }

  private showCount(): void {
    const last = this.model.get("accuracy") as Partial<Count> | null;
    const off = this.off();
    const total = last?.total ?? list(this.model.get("held_out")).length;
    let said = `Held-out sentences: all ${total} are translated anew …`;
    if (this.trouble) said = `The held-out sentences could not be counted: ${this.trouble}.`;
    else if (last?.total !== undefined && nameOf(off) === nameOf(this.countedOff())) said = countNote(last as Count, off.length > 0);
    if (this.right.textContent !== said) this.right.textContent = said;
  }

  // --- showing --------------------------------------------------------------------------------

  /** Enlarge a head; a held row stays while the rows are the same. */
  private open(kind: string, layer: number, head: number): void {
    const query = kind === this.large()[0] ? Number(this.model.get("query") ?? -1) : -1;
    assign(this.model, { kind, layer, head, query });
  }

  private show(): void {
    let current: Current;
    const before = this.drawn?.of;
    try {
      current = this.current();
      this.maps = this.decode(current);
    } catch (error) {
      if (!(error instanceof StateError)) throw error;
      this.root.classList.add("s2b-broken");
      this.drawn = null;
      const why = `This widget cannot be drawn: ${error.message}. Run its cell again.`;
      this.view.clear(html("p", { class: "s2b-message", role: "status" }, why));
      return;
    }
    this.root.classList.remove("s2b-broken");
    const { field } = this.live;
    // a new answer, perhaps to another view: what is being typed here is left alone
    if (current.maps[0] !== before && !this.root.hasAttribute("aria-busy")) {
      this.wanted = current.answer.source;
      if (document.activeElement !== field.input) field.value = current.text || current.answer.source.join(" ");
      offerExamples(this.exampleChoice, this.examples, current.answer.source);
    }
    const off = this.off();
    const same = words(field.value).join(" ") === current.answer.source.join(" ");
    this.root.classList.toggle("s2b-stale", !same || nameOf(off) !== nameOf(known(current.off, this.maps)));
    const [kind, layer, head] = this.large();
    const map = this.mapOf(kind) as AttentionMap;
    const out = new Set(off.map(String));
    const isOff = (one: Head): boolean => out.has(String(one));
    this.kindChoice.set(this.maps.map(kindTitle), this.maps.indexOf(map));
    this.grid.show(kindTitle(map), map, layer, head, (row, column) => isOff([kind, row, column]));
    this.twin.show(() => headsTable(this.maps, isOff));
    this.title.textContent = kindTitle(map);
    this.name.textContent = `${headName(layer, head)}${isOff([kind, layer, head]) ? " (off: nothing that it reads goes on)" : ""}`;
    const query = Math.min(Math.max(Number(this.model.get("query") ?? -1), -1), map.queryTokens.length - 1);
    this.view.show(map, { layer, head, query });
    this.showWords(current, off);
    this.showCount();
  }

  /** The maps of what is shown; gold is laid over the cross-attention where gold speaks of what was written. */
  private decode(current: Current): AttentionMap[] {
    if (this.drawn && this.drawn.of === current.maps[0]) return this.drawn.maps;
    const given = this.model.get("shown_weights") as DataView | null;
    const weights = given && given.byteLength > 0 ? given : this.model.get("weights");
    const gold = this.goldOf(current.answer);
    const agrees = gold && wordsOf(current.answer).join(" ") === gold.target.join(" ");
    const maps = decodeMaps(
      current.maps.map((map) => (agrees && map["kind"] === "cross" ? { ...map, sure: gold.sure, possible: gold.possible } : map)),
      weights,
    );
    this.drawn = { of: current.maps[0], maps };
    return maps;
  }

  private goldOf(answer: Answer): Gold | null | undefined {
    return answer.gold === undefined ? this.golds.get(answer.source.join(" ")) : answer.gold;
  }

  /** Everything that is said in words: both translations, the reference, which heads are off. */
  private showWords(current: Current, off: readonly Head[]): void {
    const { answer, whole } = current;
    const { fresh, lost } = this.lines.show(whole, wordsOf(answer));
    const now = nameOf(off) === nameOf(known(current.off, this.maps));
    const change = off.length > 0 && now ? ` ${changeNote(fresh, lost)}` : "";
    const said = offNote(off, allHeads(this.maps).length) + change;
    if (this.counted.textContent !== said) this.counted.textContent = said;
    this.reset.element.hidden = off.length === 0;
    const gold = this.goldOf(answer);
    const parts = this.live.unknownNote(answer.source);
    if (gold) {
      const right = finished(answer) && wordsOf(answer).join(" ") === gold.target.join(" ");
      if (right) parts.push("These heads write the reference.");
      else parts.push("The reference is “", html("bdi", {}, gold.target.join(" ")), "”.");
    } else if (gold === null) parts.push("This is no sentence of the miniature language, so its truth is not known.");
    this.note.replaceChildren(...parts);
    this.markUnknown();
  }

  /** The drawing is used again for all kinds: where its columns are words of the target, none is unknown. */
  private markUnknown(): void {
    const map = this.mapOf(this.large()[0]);
    for (const [at, label] of (this.view.drawing?.columnLabels ?? []).entries()) {
      const unknown = map?.kind !== "decoder" && !this.live.sourceWords.has(map?.keyTokens[at] ?? "");
      label.classList.toggle("s2b-unknown", unknown);
    }
  }
}

function finished({ steps }: Answer): boolean {
  return steps[steps.length - 1]?.token === EOS;
}

function wordsOf(answer: Answer): string[] {
  const tokens = answer.steps.map(({ token }) => token);
  return finished(answer) ? tokens.slice(0, -1) : tokens;
}

export default widgetOf((model, el, signal) => new HeadsView(model, el, signal));
