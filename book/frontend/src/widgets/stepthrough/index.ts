/**
 * Step through: the reader types, and every state of encoder and decoder is shown, step by step.
 *
 * What is shown (request, answer, states, step) lives in the model, so that two views stay in step
 * and Python sees it. Where answers come from is the engine's business.
 */

import { Refusal } from "../../engines/engine.ts";
import type { Head, Stepped, StepsRequest, WalkRecord } from "../../engines/questions.ts";
import { widgetOf, type Model } from "../../shared/anywidget.ts";
import { choice, offerExamples } from "../../shared/controls.ts";
import { html } from "../../shared/dom.ts";
import { assign, follow } from "../../shared/follow.ts";
import { Live } from "../../shared/live.ts";
import { Readout } from "../../shared/readout.ts";
import { words } from "../../shared/sentence.ts";
import { list, StateError } from "../../shared/state.ts";
import { fold } from "../../shared/table.ts";
import { shown } from "../../shared/tokens.ts";
import { Comparison } from "./compare.ts";
import { Rows } from "./rows.ts";
import { signedLegend } from "./strips.ts";
import { table } from "./twin.ts";
import { WalkBar } from "./walkbar.ts";
import { decodeWalk, firstShown, placeOf, sentence, steps, type Moment, type Walk } from "./walk.ts";

/** What was asked, what came back, and the text that it was typed as. */
interface Current {
  request: StepsRequest;
  text: string;
  answer: WalkRecord;
}

interface Example {
  title: string;
  source: readonly string[];
}

class StepThroughView {
  private readonly root = html("div", { class: "s2b s2b-stepthrough" });
  private readonly note = html("p", { class: "s2b-note" });
  private readonly foot = html("div", { class: "s2b-foot" });
  private readonly message = html("p", { class: "s2b-message", role: "status" });
  private readonly readout = new Readout();
  private readonly twin = fold("Table of all steps");
  private readonly rows = new Rows((step) => this.go(step));
  private readonly bar: WalkBar;
  private readonly comparison = new Comparison((place, token) => this.force(place, token));
  private readonly exampleChoice = choice("Example", (place) => this.example(place));
  private readonly modelChoice = choice("Model", (place) => this.ask({ ...this.wanted, model: this.live.offered[place] ?? 0, prefix: [] }));
  private readonly examples: readonly Example[];
  private readonly more: readonly string[];
  private readonly live: Live<StepsRequest, Stepped>;
  /** What is wanted at the moment; the answer to it may still be on its way. */
  private wanted: StepsRequest;
  private drawn: { of: unknown; walk: Walk } | null = null;
  private compared: Moment | null = null;

  constructor(
    private readonly model: Model,
    el: HTMLElement,
    signal: AbortSignal,
  ) {
    this.examples = list<Example>(model.get("examples"));
    this.more = list<string>(model.get("more"));
    this.live = new Live<StepsRequest, Stepped>(model, signal, {
      kind: "steps",
      root: this.root,
      openers: openers([...this.examples.map(({ source }) => source[0] ?? ""), ...this.more.map((text) => text.split(" ")[0] ?? "")]),
      question: (source) => this.complete({ ...this.wanted, source, prefix: [] }),
      answered: (answered, request) => this.answered(answered, request),
    });
    this.bar = new WalkBar((step) => this.go(step), signal);
    this.wanted = this.current()?.request ?? plain([]);
    this.build();
    follow(model, ["shown", "shown_numbers", "answers", "numbers", "position"], signal, () => this.show());
    this.show();
    this.live.begin();
    // whatever stood there before goes: rendering twice never stacks
    el.replaceChildren(this.root);
    signal.addEventListener("abort", () => this.root.remove());
  }

  private build(): void {
    const another = html("button", { type: "button", class: "s2b-button" }, "Another sentence");
    another.addEventListener("click", () => this.another());
    another.hidden = this.more.length === 0;
    const ask = html("div", { class: "s2b-bar s2b-ask-bar" }, this.exampleChoice.element, another, this.modelChoice.element);
    this.root.append(this.live.field.element, ask, this.live.status, this.note, this.bar.element, this.readout.element);
    this.root.append(this.rows.element, this.comparison.element, this.foot, this.twin.element);
  }

  /** The question with what only a page without a kernel needs: the vectors of the words. */
  private complete(request: StepsRequest): StepsRequest {
    const head = this.live.site ? headOf(this.model, request.model) : null;
    return head ? { ...request, head } : request;
  }

  /** What is shown: the last answer, or the stored one of the first example. */
  private current(): Current | null {
    const now = this.model.get("shown") as Partial<Current> | null;
    if (now?.answer && now.request) return { text: "", ...now } as Current;
    const answer = list<WalkRecord>(this.model.get("answers"))[0];
    return answer ? { request: plain(answer.source), text: answer.source.join(" "), answer } : null;
  }

  private example(place: number): void {
    const example = this.examples[place];
    const answer = list<WalkRecord>(this.model.get("answers"))[place];
    if (!example) return;
    this.live.field.value = example.source.join(" ");
    if (answer && this.wanted.model === 0) {
      // this answer came with the page
      this.live.forget();
      this.wanted = plain(example.source);
      this.put({ request: this.wanted, text: this.live.field.value, answer }, this.model.get("numbers"));
    } else this.ask({ ...this.wanted, source: example.source, prefix: [] });
  }

  private another(): void {
    const text = this.more[Math.floor(Math.random() * this.more.length)];
    if (text === undefined) return;
    this.live.field.value = text;
    this.ask({ ...this.wanted, source: text.split(" "), prefix: [] });
  }

  /** Make the decoder write a word at a place and go on from it. */
  private force(place: number, token: string): void {
    const walk = this.drawn?.walk;
    // these are words of another sentence than the one that is being typed
    if (!walk || this.root.matches("[aria-busy], .s2b-stale")) return;
    const before = walk.moments.slice(0, place).map(({ written }) => written.token);
    this.ask({ ...this.wanted, source: walk.source, prefix: [...before, token] });
  }

  private ask(request: StepsRequest): void {
    if (!this.live.ask(this.complete(request))) {
      // nobody would answer: everything goes back to what is shown
      const current = this.current();
      if (current) this.live.field.value = current.text || current.request.source.join(" ");
    } else this.wanted = request;
    this.setControls();
  }

  private answered({ answer, buffers }: Stepped, { source, model, prefix }: StepsRequest): void {
    if (!answer || !buffers[0]) throw new Refusal("the kernel sent an answer that cannot be read");
    decodeWalk(answer, buffers[0]);
    const request = { source, model, prefix };
    this.wanted = request;
    // whoever types ahead has another text there already
    const typed = this.live.field.value;
    const text = words(typed).join(" ") === source.join(" ") ? typed : source.join(" ");
    this.put({ request, text, answer }, buffers[0]);
  }

  /** Show something else; who chose another word stays at that step. */
  private put(current: Current, numbers: unknown): void {
    const before = this.current()?.answer.source.join(" ");
    const stays = before === current.answer.source.join(" ");
    assign(this.model, { shown: current, shown_numbers: numbers, position: stays ? this.model.get("position") : -1 });
  }

  private go(step: number): void {
    assign(this.model, { position: step });
  }

  private show(): void {
    const current = this.current();
    let walk: Walk;
    try {
      if (!current) throw new StateError("no example is stored with it");
      walk = this.walk(current.answer);
    } catch (error) {
      if (!(error instanceof StateError)) throw error;
      this.root.classList.add("s2b-broken");
      this.message.textContent = `This widget cannot be drawn: ${error.message}. Run its cell again.`;
      this.root.prepend(this.message);
      return;
    }
    this.root.classList.remove("s2b-broken");
    this.message.remove();
    // what is being typed here is left alone
    if (!this.root.hasAttribute("aria-busy") && document.activeElement !== this.live.field.input) {
      this.live.field.value = current.text || current.request.source.join(" ");
    }
    this.root.classList.toggle("s2b-stale", words(this.live.field.value).join(" ") !== walk.source.join(" "));
    const count = steps(walk);
    const asked = Number(this.model.get("position") ?? -1);
    const step = asked < 1 ? firstShown(walk) : Math.min(asked, count);
    const place = placeOf(walk, step);
    const what = sentence(walk, step);
    this.setControls();
    this.bar.show(step, count, what);
    this.readout.rest(what);
    this.rows.at(step, place.who !== "encoder");
    if (place.who === "decoder") this.compare(walk.moments[place.moment] as Moment, place.moment);
    else this.comparison.hide();
    this.showNote(current, walk);
  }

  private compare(moment: Moment, place: number): void {
    if (moment !== this.compared) this.comparison.show(moment, place);
    this.compared = moment;
    this.comparison.element.classList.remove("s2b-unseen");
  }

  /** The walk of what is shown, drawn when it is another one. */
  private walk(answer: WalkRecord): Walk {
    if (this.drawn && this.drawn.of === answer) return this.drawn.walk;
    const own = this.model.get("shown_numbers") as DataView | null;
    const stored = (this.model.get("shown") as Partial<Current> | null)?.answer === undefined;
    const walk = decodeWalk(answer, !stored && own && own.byteLength > 0 ? own : this.model.get("numbers"));
    this.drawn = { of: answer, walk };
    this.compared = null;
    this.rows.draw(walk);
    // the room for what is compared is taken from the start
    this.compare(walk.moments[0] as Moment, 0);
    this.foot.replaceChildren(signedLegend(walk.hidden), html("span", {}, "bar: how far the state moved"));
    this.twin.show(() => table(walk));
    return walk;
  }

  private setControls(): void {
    offerExamples(this.exampleChoice, this.examples, this.wanted.source);
    this.live.offerModels(this.modelChoice, this.wanted.model);
  }

  /** Words that are not known, and words that the reader chose. */
  private showNote({ request }: Current, walk: Walk): void {
    const parts = this.live.unknownNote(walk.source);
    if (request.prefix.length > 0) {
      const free = html("button", { type: "button", class: "s2b-button" }, "Let it choose");
      free.addEventListener("click", () => this.ask({ ...this.wanted, prefix: [] }));
      parts.push("You chose: ", html("bdi", { class: "s2b-token" }, request.prefix.map(shown).join(" ")), ". ", free);
    }
    const focused = this.note.contains(document.activeElement);
    this.note.replaceChildren(...parts);
    if (focused) (this.note.querySelector("button") ?? this.live.field.input).focus();
  }
}

function plain(source: readonly string[]): StepsRequest {
  return { source, model: 0, prefix: [] };
}

/** The word vectors of a model as they are stored with the widget. */
function headOf(model: Model, place: number): Head | null {
  const head = list<Partial<Omit<Head, "vectors">>>(model.get("heads"))[place];
  const vectors = model.get("vectors");
  if (head?.offset === undefined || head.width === undefined || !(vectors instanceof DataView)) return null;
  return { offset: head.offset, width: head.width, vectors };
}

/** The words with which sentences begin, the commonest first. */
function openers(first: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const word of first) counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1]).map(([word]) => word).slice(0, 7);
}

export default widgetOf((model, el, signal) => new StepThroughView(model, el, signal));
