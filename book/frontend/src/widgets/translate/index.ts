/**
 * Translate and align: the reader types, a model answers, and its attention is drawn word by word.
 *
 * What is shown (request, answer, weights, held row, words written) lives in the model, so that
 * two views stay in step and Python sees it. Where answers come from is the engine's business.
 */

import { Refusal } from "../../engines/engine.ts";
import type { Answer, Answered, Gold, Request } from "../../engines/questions.ts";
import { argmax, errorRate, scoreAlignment } from "../../shared/alignment.ts";
import { candidateList } from "../../shared/alternatives.ts";
import { widgetOf, type Model } from "../../shared/anywidget.ts";
import { choice, offerExamples } from "../../shared/controls.ts";
import { copyMenu, fileName } from "../../shared/copymenu.ts";
import { html } from "../../shared/dom.ts";
import { assign, follow } from "../../shared/follow.ts";
import { Live } from "../../shared/live.ts";
import { MapView } from "../../shared/mapview.ts";
import { longPair, openers, type ShortPair } from "../../shared/pairs.ts";
import { words } from "../../shared/sentence.ts";
import { decodeMaps, list, StateError, text, type AttentionMap } from "../../shared/state.ts";
import { shown } from "../../shared/tokens.ts";
import { format } from "../../shared/weights.ts";
import { kindTitle } from "../../shared/words.ts";
import { Output } from "./output.ts";
import {
  fromFragment,
  plainRequest,
  same,
  SCALES,
  TEMPERATURES,
  toFragment,
  WIDTHS,
} from "./request.ts";

/** A request with its answer, and the text that it was typed as. */
interface Current {
  request: Request;
  text: string;
  answer: Answer;
  map: Record<string, unknown>;
}

interface Example extends Gold {
  title: string;
}

const EOS = "<eos>";
const SHARPNESS = SCALES.map((scale) => (scale === 1 ? "as trained" : `× ${scale}`));
const HEATS = TEMPERATURES.map((temperature) => (temperature === 1 ? "as trained" : String(temperature)));

class TranslateView {
  private readonly root = html("div", { class: "s2b s2b-translate" });
  private readonly note = html("p", { class: "s2b-note" });
  private readonly title = html("span", { class: "s2b-title" });
  private readonly view = new MapView(this.root, (query) => this.hold(query));
  private readonly panel = html("div", { class: "s2b-panel" });
  private readonly live: Live<Request, Answered>;
  private readonly output: Output;
  private readonly exampleChoice = choice("Example", (place) => this.example(place));
  private readonly modelChoice = choice("Model", (place) => this.change({ model: this.live.offered[place] ?? 0, prefix: [] }));
  private readonly searchChoice = choice("Search", (place) => this.change({ width: WIDTHS[place] ?? 1 }));
  private readonly scaleChoice = choice("Energies", (place) => this.change({ scale: SCALES[place] ?? 1 }));
  private readonly heatChoice = choice("Temperature", (place) => this.change({ temperature: TEMPERATURES[place] ?? 1 }));
  private readonly key: string;
  private readonly examples: readonly Example[];
  private readonly golds: ReadonlyMap<string, Gold>;
  /** What is wanted at the moment; the answer to it may still be on its way. */
  private wanted: Request;
  private drawn: { of: unknown; map: AttentionMap } | null = null;
  private panelOf: { map: unknown; query: number } | null = null;

  constructor(
    private readonly model: Model,
    el: HTMLElement,
    private readonly signal: AbortSignal,
  ) {
    this.key = text(model.get("key"));
    this.examples = list<Example>(model.get("examples"));
    const pairs = [...this.examples, ...list<ShortPair>(model.get("more")).map(longPair)];
    this.golds = new Map(pairs.filter(({ sure }) => sure.length > 0).map((pair) => [pair.source.join(" "), pair]));
    this.live = new Live<Request, Answered>(model, signal, {
      kind: "translate",
      root: this.root,
      openers: openers(pairs),
      question: (source) => ({ ...this.wanted, source, prefix: [] }),
      answered: (answered, request) => this.answered(answered, request),
    });
    this.output = new Output({ hold: (query) => this.hold(query), write: (count) => this.write(count) }, signal);
    this.wanted = this.firstRequest();
    this.build();
    follow(
      model,
      ["shown", "shown_weights", "answers", "maps", "weights", "query", "written"],
      signal,
      () => this.show(),
    );
    this.show();
    this.begin();
    // whatever stood there before goes: rendering twice never stacks
    el.replaceChildren(this.root);
    signal.addEventListener("abort", () => this.root.remove());
  }

  private build(): void {
    const another = this.button("Another sentence", () => this.another());
    another.hidden = list(this.model.get("more")).length === 0;
    const ask = html("div", { class: "s2b-bar s2b-ask-bar" }, this.exampleChoice.element, another);
    const how = html("div", { class: "s2b-bar s2b-how" }, this.modelChoice.element, this.searchChoice.element);
    how.append(this.scaleChoice.element, this.heatChoice.element);
    this.exampleChoice.element.classList.add("s2b-grow");
    const { holder, readout, foot, twin } = this.view;
    foot.append(this.menu());
    const head = html("div", { class: "s2b-bar" }, this.title);
    this.root.append(this.live.field.element, ask, this.live.status, this.note, how, this.output.element, head, holder);
    this.root.append(readout.element, this.panel, foot, twin.element);
  }

  private button(name: string, act: () => void): HTMLButtonElement {
    const made = html("button", { type: "button", class: "s2b-button" }, name);
    made.addEventListener("click", act);
    return made;
  }

  private menu(): HTMLElement {
    const { site } = this.live;
    const link = site ? () => site.address(toFragment(this.key, this.current().request)) : undefined;
    return copyMenu(() => {
      const { drawing } = this.view;
      const map = this.drawn?.map;
      if (!drawing || !map) return null;
      return { drawing, map, name: fileName(map), title: `${map.keyTokens.join(" ")} → ${map.queryTokens.join(" ")}` };
    }, link);
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
        const request = fromFragment(this.key, fragment, this.live.models.length);
        if (!request || same(request, this.wanted)) return;
        this.live.field.value = request.source.join(" ");
        this.ask(request);
        // the page may still be growing above: go there when it is complete
        requestAnimationFrame(() => this.root.scrollIntoView({ block: "start" }));
      }, this.signal);
    });
  }

  /** What is asked at first; damaged state asks nothing, and `show` says what is wrong. */
  private firstRequest(): Request {
    try {
      return this.current().request;
    } catch (error) {
      if (!(error instanceof StateError)) throw error;
      return plainRequest([]);
    }
  }

  /** What is shown: the last answer, or the stored one of the first example. */
  private current(): Current {
    const now = this.model.get("shown") as Partial<Current> | null;
    if (now?.answer && now.request && now.map) return { text: "", ...now } as Current;
    const [example] = this.examples;
    const answer = list<Answer>(this.model.get("answers"))[0];
    const map = list<Record<string, unknown>>(this.model.get("maps"))[0];
    if (!example || !answer || !map) throw new StateError("no example is stored with it");
    return { request: plainRequest(example.source), text: example.source.join(" "), answer, map };
  }

  private example(place: number): void {
    const example = this.examples[place];
    const answer = list<Answer>(this.model.get("answers"))[place];
    const map = list<Record<string, unknown>>(this.model.get("maps"))[place];
    if (!example) return;
    this.live.field.value = example.source.join(" ");
    const request: Request = { ...this.wanted, source: example.source, prefix: [] };
    if (answer && map && same(request, plainRequest(example.source))) {
      // this answer came with the page
      this.live.forget();
      this.wanted = request;
      this.put({ request, text: this.live.field.value, answer, map }, this.model.get("weights"));
    } else this.ask(request);
  }

  private another(): void {
    const more = list<ShortPair>(this.model.get("more"));
    const [source] = more[Math.floor(Math.random() * more.length)] ?? [];
    if (!source) return;
    this.live.field.value = source;
    this.ask({ ...this.wanted, source: source.split(" "), prefix: [] });
  }

  private change(part: Partial<Request>): void {
    this.ask({ ...this.wanted, ...part });
  }

  private ask(request: Request): void {
    if (!this.live.ask(request)) {
      // nobody would answer: everything goes back to what is shown
      const { request: shownRequest, text: typed } = this.current();
      this.wanted = shownRequest;
      this.live.field.value = typed || shownRequest.source.join(" ");
      this.setControls();
      return;
    }
    this.wanted = request;
    this.setControls();
  }

  private answered({ answer, map, buffers }: Answered, request: Request): void {
    if (!answer || !map || !buffers[0]) throw new Refusal("the kernel sent an answer that cannot be read");
    const gold = answer.gold === undefined ? this.golds.get(answer.source.join(" ")) : answer.gold;
    const known = gold === undefined ? answer : { ...answer, gold };
    // whoever types ahead has another text there already
    const typed = this.live.field.value;
    const text = words(typed).join(" ") === request.source.join(" ") ? typed : request.source.join(" ");
    this.put({ request, text, answer: known, map }, buffers[0]);
  }

  /** Show something else; a held word stays held while only its alternatives changed. */
  private put(current: Current, weights: unknown): void {
    const before = this.current();
    const held = Number(this.model.get("query"));
    const stays = before.answer.source.join(" ") === current.answer.source.join(" ") && held < current.answer.steps.length;
    assign(this.model, { shown: current, shown_weights: weights, query: stays ? held : -1, written: -1 });
  }

  private hold(query: number): void {
    assign(this.model, { query });
  }

  private write(count: number): void {
    const { length } = this.current().answer.steps;
    assign(this.model, { written: count >= length ? -1 : count, query: count > 0 && count < length ? count - 1 : -1 });
  }

  private show(): void {
    let current: Current;
    let map: AttentionMap;
    const before = this.drawn?.of;
    try {
      current = this.current();
      map = this.map(current);
    } catch (error) {
      if (!(error instanceof StateError)) throw error;
      this.root.classList.add("s2b-broken");
      this.drawn = null;
      const why = `This widget cannot be drawn: ${error.message}. Run its cell again.`;
      this.view.clear(html("p", { class: "s2b-message", role: "status" }, why));
      return;
    }
    this.root.classList.remove("s2b-broken");
    // a new answer, perhaps to another view: what is being typed here is left alone
    if (current.map !== before && !this.root.hasAttribute("aria-busy")) {
      this.wanted = current.request;
      if (document.activeElement !== this.live.field.input) this.live.field.value = current.text || current.request.source.join(" ");
    }
    this.root.classList.toggle("s2b-stale", words(this.live.field.value).join(" ") !== current.answer.source.join(" "));
    const { steps } = current.answer;
    const asked = Number(this.model.get("written") ?? -1);
    const written = asked < 0 ? steps.length : Math.min(asked, steps.length);
    const query = Math.min(Math.max(Number(this.model.get("query") ?? -1), -1), written - 1);
    this.setControls();
    this.title.textContent = kindTitle(map);
    this.output.show(current.answer, current.request.prefix.length, query, written);
    this.view.show(map, { layer: 0, head: 0, query, written });
    this.markUnknown(current);
    this.showPanel(current, query);
    this.showNote(current, map);
  }

  /** The map of what is shown; gold is laid over it where the model wrote what gold speaks of. */
  private map(current: Current): AttentionMap {
    if (this.drawn?.of === current.map && this.drawn) return this.drawn.map;
    const stored = this.model.get("shown_weights") as DataView | null;
    const weights = stored && stored.byteLength > 0 ? stored : this.model.get("weights");
    const gold = goldOf(current.answer, this.golds);
    const agrees = gold && gold.target.join(" ") === written(current.answer).join(" ");
    const [map] = decodeMaps(
      [{ ...current.map, sure: agrees ? gold.sure : [], possible: agrees ? gold.possible : [] }],
      weights,
    );
    this.drawn = { of: current.map, map: map as AttentionMap };
    return this.drawn.map;
  }

  private setControls(): void {
    const { wanted } = this;
    offerExamples(this.exampleChoice, this.examples, wanted.source);
    this.live.offerModels(this.modelChoice, wanted.model);
    this.searchChoice.set(WIDTHS.map((width) => (width === 1 ? "greedy" : `beam of ${width}`)), WIDTHS.findIndex((width) => width === wanted.width));
    this.scaleChoice.set(SHARPNESS, SCALES.findIndex((scale) => scale === wanted.scale));
    this.heatChoice.set(HEATS, TEMPERATURES.findIndex((heat) => heat === wanted.temperature));
  }

  private markUnknown({ answer }: Current): void {
    const labels = this.view.drawing?.columnLabels ?? [];
    for (const [at, word] of answer.source.entries()) {
      labels[at]?.classList.toggle("s2b-unknown", !this.live.sourceWords.has(word));
    }
  }

  /** What is known about the sentence: unknown words, gold, and how well both agree. */
  private showNote({ answer, request }: Current, map: AttentionMap): void {
    const parts = this.live.unknownNote(answer.source);
    if (request.prefix.length > 0) {
      parts.push("You made it begin with the words that are underlined. ");
      parts.push(this.button("Let it choose", () => this.change({ prefix: [] })), " ");
    }
    const gold = goldOf(answer, this.golds);
    if (gold && map.sure.length > 0) {
      const error = errorRate(scoreAlignment(argmax(withoutEnd(map)), map));
      parts.push(`This is the reference. Alignment error of this sentence: ${format(error)}.`);
    } else if (gold) {
      parts.push("The reference is ", html("bdi", { class: "s2b-token" }, gold.target.join(" ")), ". ");
      parts.push(this.button("Make it write that", () => this.change({ prefix: [...gold.target, EOS] })));
    } else if (gold === null) {
      parts.push("This is no sentence of the miniature language, so its truth is not known.");
    }
    const focused = this.note.contains(document.activeElement);
    this.note.replaceChildren(...parts);
    if (focused) (this.note.querySelector("button") ?? this.live.field.input).focus();
  }

  /** The candidates of the held word; whoever came to them by keyboard stays there. */
  private showPanel(current: Current, query: number): void {
    if (this.panelOf?.map === current.map && this.panelOf.query === query) return;
    this.panelOf = { map: current.map, query };
    const focused = this.panel.contains(document.activeElement);
    this.fillPanel(current, query);
    if (!focused) return;
    const chosen = this.panel.querySelector<HTMLElement>("[aria-pressed=true]") ?? this.panel.querySelector("button");
    (chosen ?? this.live.field.input).focus();
  }

  private fillPanel(current: Current, query: number): void {
    const step = current.answer.steps[query];
    const beam = current.request.width > 1 ? [this.hypotheses(current)] : [];
    if (!step) {
      const hint = "Choose a word of the translation to see what else the model thought of, and to make it write that.";
      this.panel.replaceChildren(html("p", { class: "s2b-hint" }, hint), ...beam);
      return;
    }
    const seen = step.alternatives.some(([token]) => token === step.token);
    const candidates = seen ? step.alternatives : [...step.alternatives, [step.token, step.log_prob] as const];
    const name = html("bdi", { class: "s2b-token s2b-token-query" }, shown(step.token));
    this.panel.replaceChildren(
      html("p", { class: "s2b-panel-title" }, `Word ${query + 1}, `, name, ": choose another, and it goes on from there."),
      candidateList(
        candidates.map(([token, logProb]) => ({ token, probability: Math.exp(logProb), chosen: token === step.token })),
        `Candidates for word ${query + 1}`,
        (token) => this.force(current, query, token),
      ),
      ...beam,
    );
  }

  private force(current: Current, query: number, token: string): void {
    // these are candidates of another sentence than the one that is being typed
    if (this.root.matches("[aria-busy], .s2b-stale")) return;
    const before = current.answer.steps.slice(0, query).map((step) => step.token);
    this.change({ prefix: [...before, token] });
  }

  private hypotheses({ answer }: Current): HTMLElement {
    const items = answer.hypotheses.map(([tokens, score]) =>
      html("li", {}, html("bdi", {}, tokens.join(" ")), html("span", { class: "s2b-chance" }, ` ${score.toFixed(3)}`)),
    );
    const caption = html("p", { class: "s2b-panel-title" }, "What the beam found, by log-probability for each word:");
    return html("div", { class: "s2b-beam" }, caption, html("ol", {}, ...items));
  }
}

function written(answer: Answer): string[] {
  const tokens = answer.steps.map(({ token }) => token);
  return tokens[tokens.length - 1] === EOS ? tokens.slice(0, -1) : tokens;
}

function goldOf(answer: Answer, known: ReadonlyMap<string, Gold>): Gold | null | undefined {
  return answer.gold === undefined ? known.get(answer.source.join(" ")) : answer.gold;
}

/** The map without the row of `<eos>`, which gold does not speak of. */
function withoutEnd(map: AttentionMap): AttentionMap {
  if (map.queryTokens[map.queryTokens.length - 1] !== EOS) return map;
  return { ...map, queryTokens: map.queryTokens.slice(0, -1) };
}

export default widgetOf((model, el, signal) => new TranslateView(model, el, signal));
