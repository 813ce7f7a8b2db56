/**
 * A sentence to type, a line that says how things stand, and whoever answers: the kernel's model or
 * the one that runs in this page. What a widget makes of an answer is its own business.
 */

import { Asker, type Listener } from "../engines/asker.ts";
import { Missing, Refusal, type ListedModel, type Question, type Reply } from "../engines/engine.ts";
import { EngineSource, PATIENCE, siteServices, type SiteServices } from "../engines/pick.ts";
import type { Model } from "./anywidget.ts";
import type { Choice } from "./controls.ts";
import { html, type Child } from "./dom.ts";
import { Field } from "./field.ts";
import { LONGEST_SOURCE, words } from "./sentence.ts";
import { list } from "./state.ts";
import { shown } from "./tokens.ts";

/** So many unknown words are named. */
const MOST_UNKNOWN = 6;

export interface Plan<Q extends Question, A extends Reply> {
  /** Which kind of question is asked (`engines/questions.ts`). */
  kind: string;
  /** The element that is busy while an answer is on its way, and stale when it is of another text. */
  root: HTMLElement;
  /** Words to begin with, offered while the field is empty. */
  openers: readonly string[];
  /** What is asked about a sentence. */
  question(source: readonly string[]): Q;
  /** May throw what makes the answer none: the reader is told, and what is shown stays. */
  answered(answer: A, question: Q): void;
  /** Where a sentence is a question to every model, one after another. */
  round?: Round<Q>;
  /** Hears that somebody answers from now on, or that nobody does. */
  available?(on: boolean): void;
}

/** A sentence that is asked of every model. */
export interface Round<Q extends Question> {
  /** Hears that a model gave no answer; false when none did, and then the reader is told here. */
  missed(question: Q, reason: string): boolean;
  /** Is another model still to be asked? */
  goesOn(): boolean;
  /** Hears that what stands in the field is no question: no further model is asked. */
  dropped(): void;
}

export class Live<Q extends Question, A extends Reply> {
  readonly field: Field;
  readonly status = html("p", { class: "s2b-status", role: "status" });
  readonly models: readonly ListedModel[];
  /** The places of those models that answer here. */
  readonly offered: readonly number[];
  readonly site: SiteServices | null;
  /** What may be typed; special tokens are no words. */
  readonly sourceWords: ReadonlySet<string>;
  private readonly engines: EngineSource;
  private readonly asker: Asker<Q, A>;
  private loaded = false;
  /** Bytes of the models that are here already, where all are loaded one after another. */
  private arrived = 0;

  constructor(
    model: Model,
    private readonly signal: AbortSignal,
    private readonly plan: Plan<Q, A>,
  ) {
    this.models = list<ListedModel>(model.get("models"));
    const sourceWords = list<string>(model.get("source_words"));
    this.sourceWords = new Set(sourceWords.filter((word) => !word.startsWith("<")));
    this.site = siteServices(model);
    this.engines = new EngineSource(model, {
      subject: { models: this.models, sourceWords, targetWords: list<string>(model.get("target_words")) },
      signal,
      progress: (loaded, total) => {
        // what went wrong is not covered up by what is still arriving
        if (this.faulty) return;
        // in quarters: a screen reader reads each one out
        const share = (part: number, whole: number): number => 25 * Math.floor((4 * part) / whole);
        if (!plan.round) {
          this.say(`Loading the translator: ${share(loaded, total)} % of ${megabytes(total)} MB …`);
          return;
        }
        const whole = this.bytes();
        this.say(`Loading the models: ${share(Math.min(this.arrived + loaded, whole), whole)} % of ${megabytes(whole)} MB …`);
        if (loaded >= total) this.arrived += total;
      },
    });
    this.offered = this.models.map((_, place) => place).filter((place) => this.engines.has(place));
    this.asker = new Asker<Q, A>(plan.kind, () => this.engines.get(), {
      waiting: () => {
        plan.root.setAttribute("aria-busy", "true");
        if (this.faulty) this.say(plan.round ? "Asking the models …" : "Asking the model …");
      },
      slow: () => {
        if (!this.site) this.say("Still waiting for the kernel. Is it busy? If it was restarted, run this cell again.");
      },
      answered: (answer, question) => {
        this.settle();
        this.loaded = true;
        try {
          plan.answered(answer, question);
        } catch (error) {
          this.failed(error, question);
          return;
        }
        this.rest();
      },
      failed: (error, question) => this.failed(error, question),
    });
    this.field = new Field([...this.sourceWords], plan.openers, (typed) => this.typed(typed));
    // the first touch, not the first letter, starts the loading
    this.field.input.addEventListener("focus", () => this.prepare());
  }

  /** Can the reader change anything at the moment? */
  get on(): boolean {
    return !this.field.input.readOnly;
  }

  /** Whoever asks the same models something else, beside what is asked about the sentence. */
  beside<R extends Question, B extends Reply>(kind: string, listener: Listener<R, B>): Asker<R, B> {
    return new Asker<R, B>(kind, () => this.engines.get(), listener);
  }

  /** Ask; false where nobody would answer. */
  ask(question: Q): boolean {
    if (!this.on) return false;
    this.asker.ask(question);
    return true;
  }

  /** What was asked is no longer wanted: something else is shown. */
  forget(): void {
    this.asker.forget();
    this.settle();
    this.rest();
  }

  /** Say where answers come from. `onSite` is called on the site, where there is a model to ask. */
  begin(onSite: (site: SiteServices) => void = () => {}): void {
    if (this.site) {
      if (this.offered.length === 0) {
        this.off("no model of this page is stored for the browser");
        return;
      }
      this.rest();
      onSite(this.site);
      this.plan.available?.(true);
      return;
    }
    this.say("Looking for the kernel …");
    const nobody = (): void => this.off("no kernel answers; run this cell to type here");
    const timer = setTimeout(nobody, PATIENCE);
    this.signal.addEventListener("abort", () => clearTimeout(timer));
    this.engines.kernelAnswers().then(
      () => {
        clearTimeout(timer);
        this.field.input.readOnly = false;
        this.rest();
        this.plan.available?.(true);
      },
      () => {
        clearTimeout(timer);
        nobody();
      },
    );
  }

  /** Words of a text that the model reads as `<unk>`. */
  unknown(source: readonly string[]): string[] {
    return [...new Set(source.filter((word) => !this.sourceWords.has(word)))];
  }

  /** The same as a sentence for the reader; nothing where all words are known. */
  unknownNote(source: readonly string[]): Child[] {
    const unknown = this.unknown(source);
    if (unknown.length === 0) return [];
    const parts: Child[] = ["Not in the vocabulary, so read as <unk>: "];
    for (const [at, word] of unknown.slice(0, MOST_UNKNOWN).entries()) {
      parts.push(at > 0 ? ", " : "", html("bdi", { class: "s2b-unknown" }, shown(word)));
    }
    const more = unknown.length - MOST_UNKNOWN;
    parts.push(more > 0 ? ` and ${more} more. ` : ". ");
    return parts;
  }

  /** Offer the models that answer here. */
  offerModels(choice: Choice, chosen: number): void {
    choice.set(this.offered.map((place) => this.models[place]?.title ?? ""), this.offered.indexOf(chosen));
  }

  private get faulty(): boolean {
    return this.status.dataset["kind"] === "fault";
  }

  private typed(typed: string): void {
    const source = words(typed);
    if (source.length === 0) {
      this.drop();
      this.stale("Type a sentence. The picture below is of the last one.");
    } else if (source.length > LONGEST_SOURCE) {
      this.drop();
      this.stale(`${source.length} words: at most ${LONGEST_SOURCE} are read. The picture below is of the last sentence.`);
    } else this.ask(this.plan.question(source));
  }

  private drop(): void {
    this.asker.forget();
    this.plan.round?.dropped();
  }

  private prepare(): void {
    if (!this.site || this.loaded || !this.on) return;
    const question = this.plan.question([]);
    this.engines
      .get()
      .then((engine) => engine.prepare(question.model))
      .then(
        () => {
          if (!this.faulty) this.ready();
        },
        (error: unknown) => {
          // of several models another one may answer: that shows when they are asked
          if (!this.plan.round) this.failed(error, null);
        },
      );
  }

  private ready(): void {
    this.loaded = true;
    this.rest();
  }

  /** How much is loaded before all that may be asked can be answered. */
  private bytes(): number {
    if (!this.site) return 0;
    const [first, ...others] = this.offered.map((place) => this.models[place] as ListedModel);
    if (!first) return 0;
    const all = this.site.bytes(first);
    if (!this.plan.round) return all;
    // what every model needs is loaded once
    const runtime = this.site.bytes({ title: "", stored: null });
    return others.reduce((sum, model) => sum + this.site!.bytes(model) - runtime, all);
  }

  /** Say what stands there when there is nothing to say. */
  private rest(): void {
    if (!this.on) return;
    const round = this.offered.length > 1 ? this.plan.round : undefined;
    const size = `${megabytes(this.bytes())} MB, once`;
    if (this.site && this.loaded && this.plan.round?.goesOn()) return;
    if (!this.site) this.say(round ? "Edit the sentence: the models in your kernel answer." : "Edit the sentence: the model in your kernel answers.");
    else if (this.loaded) this.say(round ? "The models run here, in this page." : "The model runs here, in this page.");
    else if (round) this.say(`Edit the sentence: all ${this.offered.length} models then run here, in this page (${size}).`);
    else this.say(`Edit the sentence: the model itself then runs here, in this page (${size}).`);
  }

  private say(sentence: string, kind: "plain" | "fault" = "plain"): void {
    if (this.signal.aborted) return;
    this.status.dataset["kind"] = kind;
    if (this.status.textContent !== sentence) this.status.textContent = sentence;
  }

  private off(reason: string): void {
    this.field.input.readOnly = true;
    this.say(`Editing is off: ${reason}.`, "fault");
    this.plan.available?.(false);
  }

  private settle(): void {
    this.plan.root.removeAttribute("aria-busy");
  }

  /** What is shown is no longer what stands in the field. */
  private stale(why: string): void {
    this.plan.root.classList.add("s2b-stale");
    this.settle();
    this.say(why, "fault");
  }

  /** The reader may try again, also where only loading failed and nothing was asked yet. */
  private failed(error: unknown, question: Q | null): void {
    this.settle();
    const reason = error instanceof Error ? error.message : String(error);
    const sentence = reason.replace(/[.\s]+$/, "");
    if (question && this.plan.round?.missed(question, sentence)) {
      if (!this.plan.round.goesOn()) this.rest();
      return;
    }
    const refused = error instanceof Refusal && !(error instanceof Missing && !this.loaded);
    if (!this.site || refused) {
      this.stale(`There is no answer: ${sentence}.`);
      return;
    }
    // the picture stays
    this.say(`Editing is off for now: ${sentence}. `, "fault");
    const again = html("button", { type: "button", class: "s2b-button" }, "Try again");
    again.addEventListener("click", () => {
      // this button is about to go
      this.field.input.focus();
      this.say("Loading the translator …");
      const whole = question === null || this.plan.round !== undefined;
      this.asker.ask(whole ? this.plan.question(words(this.field.value)) : question);
    });
    this.status.append(again);
  }
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(1);
}
