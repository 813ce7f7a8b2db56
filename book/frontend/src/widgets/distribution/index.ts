/**
 * Distribution sliders: the next word of a translation, and what temperature, top-k and top-p make
 * of its probabilities.
 *
 * What is shown (answer, log-probabilities, sliders) lives in the model, so that two views stay in
 * step and Python sees it. The sliders work on what the model said, without asking it again.
 */

import type { NextAnswer, NextAnswered, NextRequest } from "../../engines/questions.ts";
import { widgetOf, type Model } from "../../shared/anywidget.ts";
import { button, choice, offerExamples } from "../../shared/controls.ts";
import { apply, draw, entropy, ranked, staying } from "../../shared/distribution.ts";
import { html } from "../../shared/dom.ts";
import { assign, follow } from "../../shared/follow.ts";
import { Live } from "../../shared/live.ts";
import { slider } from "../../shared/slider.ts";
import { list, StateError } from "../../shared/state.ts";
import { shown } from "../../shared/tokens.ts";
import { MOST, Rows } from "./rows.ts";

const EOS = "<eos>";
const DRAWS = 100;
/** Places of the slider for k; above the last one come all words. */
const KS = [1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 50, 75, 100, 150, 200, 250, 300];

interface Current {
  request: NextRequest;
  text: string;
  answer: NextAnswer;
  logProbs: Float32Array;
}

interface Example {
  title: string;
  source: readonly string[];
  prefix: readonly string[];
}

class DistributionView {
  private readonly root = html("div", { class: "s2b s2b-distribution" });
  private readonly note = html("p", { class: "s2b-note" });
  private readonly written = html("ol", { class: "s2b-out", "aria-label": "Translation so far" });
  private readonly facts = html("p", { class: "s2b-facts", role: "status" });
  private readonly message = html("p", { class: "s2b-message", role: "status" });
  private readonly holder = html("div", { class: "s2b-holder" });
  private readonly rows: Rows;
  private readonly live: Live<NextRequest, NextAnswered>;
  private readonly exampleChoice = choice("Example", (place) => this.example(place));
  private readonly modelChoice = choice("Model", (place) => this.change({ model: this.live.offered[place] ?? 0 }));
  private readonly temperature = slider("Temperature", { least: 0, most: 3, step: 0.05 }, (value) => this.slide({ temperature: value }));
  private readonly k: ReturnType<typeof slider>;
  private readonly p = slider("Top-p", { least: 0.05, most: 1, step: 0.01 }, (value) => this.slide({ p: value }));
  private readonly back = button("Take a word back", () => this.cut(this.wanted.prefix.length - 1));
  private readonly reset = button("As the model says", () => this.slide({ temperature: 1, k: 0, p: 1 }));
  private readonly drawButton = button(`Draw ${DRAWS}`, () => this.draw());
  private readonly examples: readonly Example[];
  private readonly targetWords: readonly string[];
  private readonly ks: readonly number[];
  /** What is wanted at the moment; the answer to it may still be on its way. */
  private wanted: NextRequest = { source: [], model: 0, prefix: [] };
  private counts: ReadonlyMap<number, number> | null = null;
  private focusAfter = false;

  constructor(
    private readonly model: Model,
    el: HTMLElement,
    signal: AbortSignal,
  ) {
    this.examples = list<Example>(model.get("examples"));
    this.targetWords = list<string>(model.get("target_words"));
    this.ks = KS.filter((k) => k < this.targetWords.length);
    this.k = slider("Top-k", { least: 0, most: this.ks.length, step: 1 }, (place) => this.slide({ k: this.ks[place] ?? 0 }));
    this.rows = new Rows((token) => this.write(token));
    this.live = new Live<NextRequest, NextAnswered>(model, signal, {
      kind: "next",
      root: this.root,
      openers: [...new Set(this.examples.map(({ source }) => source[0] ?? ""))],
      question: (source) => ({ ...this.wanted, source, prefix: [] }),
      answered: ({ answer, buffers }, request) => this.put(answer, buffers[0], request),
    });
    this.build();
    follow(model, ["shown", "shown_log_probs", "log_probs", "temperature", "k", "p"], signal, (changed) => {
      // what was drawn was drawn from another distribution
      if (changed.size > 0) this.counts = null;
      this.show();
    });
    this.show();
    this.live.begin();
    // whatever stood there before goes: rendering twice never stacks
    el.replaceChildren(this.root);
    signal.addEventListener("abort", () => this.root.remove());
  }

  private build(): void {
    const ask = html("div", { class: "s2b-bar s2b-ask-bar" }, this.exampleChoice.element, this.modelChoice.element);
    const so = html("div", { class: "s2b-bar s2b-so-far" }, html("span", {}, "Written so far:"), this.written, this.back.element);
    const sliders = html("div", { class: "s2b-bar s2b-sliders", role: "group", "aria-label": "What changes the distribution" });
    sliders.append(this.temperature.element, this.k.element, this.p.element, this.reset.element, this.drawButton.element);
    const box = html("div", { class: "s2b-table-box", tabindex: 0, role: "group", "aria-label": "The likeliest next words" }, this.rows.element);
    this.holder.append(so, sliders, this.facts, box);
    this.message.hidden = true;
    this.root.append(this.live.field.element, ask, this.live.status, this.note, this.message, this.holder);
  }

  /** What is shown: the last answer, or the stored one of the first example. */
  private current(): Current {
    const now = this.model.get("shown") as Partial<Current> | null;
    if (now?.answer && now.request) {
      return { text: "", ...now, logProbs: this.numbers(this.model.get("shown_log_probs"), 0) } as Current;
    }
    const [example] = this.examples;
    if (!example) throw new StateError("no example is stored with it");
    const { source, prefix } = example;
    const logProbs = this.numbers(this.model.get("log_probs"), 0);
    return { request: { source, prefix, model: 0 }, text: source.join(" "), answer: { source, prefix }, logProbs };
  }

  /** The log-probabilities of one distribution of a buffer. */
  private numbers(buffer: unknown, at: number): Float32Array {
    const size = this.targetWords.length;
    const view = buffer instanceof ArrayBuffer ? new DataView(buffer) : buffer;
    if (!(view instanceof DataView) || size === 0 || view.byteLength < 4 * size * (at + 1)) {
      throw new StateError("its probabilities are missing");
    }
    const found = Float32Array.from({ length: size }, (_, place) => view.getFloat32(4 * (at * size + place), true));
    if (found.some((number) => Number.isNaN(number) || number > 1e-3)) throw new StateError("its probabilities are damaged");
    return found;
  }

  private example(place: number): void {
    const example = this.examples[place];
    if (!example) return;
    this.live.field.value = example.source.join(" ");
    const request: NextRequest = { ...this.wanted, source: example.source, prefix: example.prefix };
    if (request.model === 0) {
      // this answer came with the page
      const size = 4 * this.targetWords.length;
      const all = this.model.get("log_probs");
      if (all instanceof DataView && all.byteLength >= size * (place + 1)) {
        this.live.forget();
        this.wanted = request;
        this.put({ source: example.source, prefix: example.prefix }, new DataView(all.buffer, all.byteOffset + place * size, size), request);
        return;
      }
    }
    this.ask(request);
  }

  private change(part: Partial<NextRequest>): void {
    this.ask({ ...this.wanted, ...part });
  }

  private write(token: string): void {
    // these are candidates of another sentence than the one that is being typed
    if (token === "" || this.root.matches("[aria-busy], .s2b-stale")) return;
    const { prefix } = this.current().request;
    if (token === EOS) this.say("That is the end: choose a word above to go back, or type another sentence.");
    else this.ask({ ...this.wanted, prefix: [...prefix, token] });
  }

  /** Go back to the first words of the translation. */
  private cut(count: number): void {
    this.focusAfter = this.written.contains(document.activeElement);
    this.change({ prefix: this.wanted.prefix.slice(0, Math.max(0, count)) });
  }

  private ask(request: NextRequest): void {
    if (this.live.ask(request)) this.wanted = request;
    else {
      // nobody would answer: everything goes back to what is shown
      const now = this.current();
      this.wanted = now.request;
      this.live.field.value = now.text || now.request.source.join(" ");
    }
    this.setControls();
  }

  private put(answer: NextAnswer, buffer: DataView | undefined, request: NextRequest): void {
    // an answer that cannot be drawn is none
    this.numbers(buffer, 0);
    this.root.classList.remove("s2b-stale");
    assign(this.model, { shown: { request, text: this.live.field.value, answer }, shown_log_probs: buffer });
  }

  private slide(part: { temperature?: number; k?: number; p?: number }): void {
    assign(this.model, part);
  }

  private rules(): { temperature: number; k: number; p: number } {
    const [temperature, k, p] = ["temperature", "k", "p"].map((name) => Number(this.model.get(name)));
    const within = (value: number | undefined, least: number, most: number, usual: number): number =>
      value !== undefined && value >= least && value <= most ? value : usual;
    const kept = within(k, 1, this.targetWords.length, Infinity);
    return { temperature: within(temperature, 0, 3, 1), k: Math.round(kept), p: within(p, 0.05, 1, 1) };
  }

  private draw(): void {
    this.counts = draw(apply(this.current().logProbs, this.rules()), DRAWS);
    this.show();
  }

  private show(): void {
    let current: Current;
    try {
      current = this.current();
    } catch (error) {
      if (!(error instanceof StateError)) throw error;
      this.holder.hidden = true;
      this.message.hidden = false;
      this.message.textContent = `This widget cannot be drawn: ${error.message}. Run its cell again.`;
      return;
    }
    this.holder.hidden = false;
    this.message.hidden = true;
    // a new answer, perhaps to another view: what is being typed here is left alone
    if (!this.root.hasAttribute("aria-busy")) {
      this.wanted = current.request;
      const text = current.text || current.request.source.join(" ");
      if (document.activeElement !== this.live.field.input) this.live.field.value = text;
    }
    this.setControls();
    this.showWritten(current.answer.prefix);
    this.note.replaceChildren(...this.live.unknownNote(current.answer.source));
    this.showBars(current.logProbs);
  }

  private showBars(logProbs: Float32Array): void {
    const rules = this.rules();
    const after = apply(logProbs, rules);
    const order = ranked(logProbs);
    const p = (of: ArrayLike<number>, place: number): number => Math.exp(of[place] ?? -Infinity);
    const places = order.slice(0, MOST);
    const others = order.slice(MOST);
    const { counts } = this;
    const sum = (value: (place: number) => number): number => others.reduce((total, place) => total + value(place), 0);
    this.rows.show(
      places.map((place) => ({
        token: this.targetWords[place] ?? "",
        before: p(logProbs, place),
        after: p(after, place),
        drawn: counts ? (counts.get(place) ?? 0) : null,
      })),
      {
        count: others.length,
        before: sum((place) => p(logProbs, place)),
        after: sum((place) => p(after, place)),
        drawn: counts ? sum((place) => counts.get(place) ?? 0) : null,
      },
    );
    const drawn = counts ? ` ${DRAWS} draws: ${counts.size} different.` : "";
    const before = entropy(logProbs);
    this.say(`${staying(after)} of ${logProbs.length} words may come; ${before.toFixed(2)} bits before, ${entropy(after).toFixed(2)} bits after.${drawn}`);
    this.temperature.set(rules.temperature, rules.temperature.toFixed(2));
    const place = this.ks.findIndex((k) => k >= rules.k);
    this.k.set(place < 0 ? this.ks.length : place, rules.k === Infinity ? "all" : String(rules.k));
    this.p.set(rules.p, rules.p.toFixed(2));
    this.reset.enable(rules.temperature !== 1 || rules.k !== Infinity || rules.p !== 1);
  }

  private say(sentence: string): void {
    if (this.facts.textContent !== sentence) this.facts.textContent = sentence;
  }

  private showWritten(prefix: readonly string[]): void {
    const before = [...this.written.querySelectorAll("button")].map((one) => one.textContent).join(" ");
    if (before !== prefix.map(shown).join(" ") || this.written.children.length === 0) {
      const words = prefix.map((word, at) => {
        const back = html("button", { type: "button", class: "s2b-out-word", title: "write on from before this word" }, html("bdi", {}, shown(word)));
        back.addEventListener("click", () => this.cut(at));
        return html("li", {}, back);
      });
      this.written.replaceChildren(...(words.length > 0 ? words : [html("li", { class: "s2b-hint" }, "nothing yet")]));
      if (this.focusAfter) (this.written.querySelector("button") ?? this.live.field.input).focus();
      this.focusAfter = false;
    }
    this.back.enable(prefix.length > 0);
  }

  private setControls(): void {
    offerExamples(this.exampleChoice, this.examples, this.wanted.source);
    this.live.offerModels(this.modelChoice, this.wanted.model);
  }
}

export default widgetOf((model, el, signal) => new DistributionView(model, el, signal));
