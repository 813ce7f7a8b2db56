/**
 * A batch of sentences, its mask, the weights and outputs under it, and the leak test.
 *
 * What is chosen lives in the model, so that two views stay in step and Python sees it. Everything
 * is computed here; nobody is asked.
 */

import { widgetOf, type Model } from "../../shared/anywidget.ts";
import { button, choice, tick } from "../../shared/controls.ts";
import { html } from "../../shared/dom.ts";
import { assign, follow } from "../../shared/follow.ts";
import { scaleLegend } from "../../shared/legend.ts";
import { Readout } from "../../shared/readout.ts";
import { words } from "../../shared/sentence.ts";
import { slider } from "../../shared/slider.ts";
import { list, StateError } from "../../shared/state.ts";
import { fold } from "../../shared/table.ts";
import { attend, ENERGIES, filled, moved, split, type Batch, type Outcome, type Place } from "./attention.ts";
import { ALLOWED, Grid } from "./grid.ts";
import { cellSays, describeMask, faultOf, INVITATION, leakSays } from "./says.ts";
import { BatchTable, outputTable, weightTable } from "./tables.ts";

/** As in `seq2bert.widgets.masks`. */
export const [MOST_SENTENCES, MOST_WORDS] = [4, 10];

interface Setting {
  title: string;
  sentences: readonly string[];
}

let fields = 0;

class MasksView {
  private readonly root = html("div", { class: "s2b s2b-masks" });
  private readonly message = html("p", { class: "s2b-message", role: "status" });
  private readonly fault = html("p", { class: "s2b-batch-note", role: "status" });
  private readonly leak = html("p", { class: "s2b-leak", role: "status" });
  private readonly readout = new Readout();
  private readonly body = html("div", { class: "s2b-whole" });
  private readonly input: HTMLTextAreaElement;
  private readonly label: HTMLLabelElement;
  private readonly settings: readonly Setting[];
  private readonly settingChoice = choice("Batch", (at) => this.choose(at));
  private readonly table = new BatchTable((sentence) => assign(this.model, { sentence, changed: false }));
  private readonly padding = tick("padding mask", true, (padding) => assign(this.model, { padding, switched: [] }));
  private readonly causal = tick("causal mask", false, (causal) => assign(this.model, { causal, switched: [] }));
  private readonly window = slider("Window", { least: 0, most: MOST_WORDS - 1, step: 1 }, (window) => assign(this.model, { window, switched: [] }));
  private readonly energy = choice("Energies", (at) => assign(this.model, { energy: ENERGIES[at] ?? ENERGIES[0] }));
  private readonly actions = {
    read: (query: number, key: number): void => this.point([query, key]),
    leave: (): void => this.point(null),
    press: (query: number, key: number): void => this.press(query, key),
  };
  private readonly maskGrid = new Grid(this.actions);
  private readonly weightGrid = new Grid(this.actions);
  private readonly test = button("Change the last word", () => assign(this.model, { changed: this.model.get("changed") !== true }));
  private readonly undo = button("Undo what was by hand", () => assign(this.model, { switched: [] }));
  private readonly outputs = html("div", { class: "s2b-table-box", tabindex: 0, role: "group", "aria-label": "The output of each row" });
  private readonly twin = fold("Table of mask and weights");
  private at: readonly [number, number] | null = null;
  private now: { batch: Batch; outcome: Outcome } | null = null;

  constructor(
    private readonly model: Model,
    el: HTMLElement,
    signal: AbortSignal,
  ) {
    this.settings = list<Setting>(model.get("settings"));
    const id = `s2b-batch-field-${(fields += 1)}`;
    this.input = html("textarea", { id, class: "s2b-input", rows: 4, maxlength: 400, autocomplete: "off", autocapitalize: "off", spellcheck: "false" });
    this.label = html("label", { class: "s2b-ask", for: id }, "Sentences, one in each line, one to four");
    this.build();
    follow(model, ["sentences", "sentence", "padding", "causal", "window", "energy", "switched", "changed"], signal, () => this.show());
    this.show();
    // whatever stood there before goes: rendering twice never stacks
    el.replaceChildren(this.root);
    signal.addEventListener("abort", () => this.root.remove());
  }

  private build(): void {
    const bar = (...controls: HTMLElement[]): HTMLElement => html("div", { class: "s2b-bar" }, ...controls);
    const panel = (name: string, grid: Grid, ...legend: HTMLElement[]): HTMLElement =>
      html("div", { class: "s2b-masked-panel" }, html("p", { class: "s2b-grid-name" }, name), grid.element, html("div", { class: "s2b-foot" }, ...legend));
    this.weightGrid.element.classList.add("s2b-with-numbers");
    const batch = html("div", { class: "s2b-table-box", tabindex: 0, role: "group", "aria-label": "The batch" }, this.table.element);
    const grids = html(
      "div",
      { class: "s2b-grids" },
      panel("Mask", this.maskGrid, html("span", {}, "tint: allowed; cross: forbidden; ring: switched by hand")),
      panel("Weights", this.weightGrid, scaleLegend(), html("span", {}, "cross: exactly 0")),
    );
    this.message.hidden = true;
    this.body.append(batch, bar(this.padding.element, this.causal.element, this.window.element, this.energy.element), grids, this.readout.element);
    this.body.append(bar(this.test.element, this.undo.element), this.leak, this.outputs, this.twin.element);
    const field = html("div", { class: "s2b-field" }, this.label, this.input);
    this.root.append(field, this.fault, bar(this.settingChoice.element), this.message, this.body);
    this.input.addEventListener("input", () => this.type());
    // a notebook has its own meaning for keys
    this.input.addEventListener("keydown", (event) => event.stopPropagation());
    this.input.addEventListener("blur", () => this.rewrite());
  }

  // -- what the reader does -------------------------------------------------------------------

  private type(): void {
    const lines = this.input.value.replace(/\s+$/, "").split("\n").map(words);
    const fault = faultOf(lines, MOST_SENTENCES, MOST_WORDS);
    this.say(this.fault, fault);
    if (fault === "") this.put(lines.map((line) => line.join(" ")));
  }

  private choose(at: number): void {
    const setting = this.settings[at];
    if (!setting) return;
    this.say(this.fault, "");
    this.put(setting.sentences);
  }

  /** Another batch: what was switched by hand no longer means anything. */
  private put(sentences: readonly string[]): void {
    const sentence = Math.min(Number(this.model.get("sentence")) || 0, sentences.length - 1);
    assign(this.model, { switched: [], changed: false, sentence, sentences });
  }

  private press(query: number, key: number): void {
    const { batch } = this.now as { batch: Batch };
    const cell = [batch.sentence, query, key] as const;
    const others = batch.switched.filter((one) => String(one) !== String(cell));
    this.at = [query, key];
    assign(this.model, { switched: others.length < batch.switched.length ? others : [...batch.switched, cell] });
  }

  private point(at: readonly [number, number] | null): void {
    this.at = at;
    this.read();
  }

  // -- what is shown --------------------------------------------------------------------------

  private state(): Batch {
    const { model } = this;
    const sentences = list<unknown>(model.get("sentences")).map((sentence) => (typeof sentence === "string" ? sentence : ""));
    const lengths = sentences.map((sentence) => split(sentence).length);
    if (sentences.length === 0 || Math.max(...lengths) === 0) throw new StateError("it has no sentence");
    if (sentences.length > MOST_SENTENCES || Math.max(...lengths) > MOST_WORDS) throw new StateError("its batch is too large");
    const sentence = Number(model.get("sentence"));
    if (sentences[sentence] === undefined) throw new StateError("its sentence is not in the batch");
    const window = Number(model.get("window"));
    if (!(window >= 0)) throw new StateError("its window is no distance");
    const energy = String(model.get("energy"));
    if (!ENERGIES.some((name) => name === energy)) throw new StateError("its energies are not known");
    return {
      sentences,
      sentence,
      padding: model.get("padding") === true,
      causal: model.get("causal") === true,
      window,
      energy,
      switched: list<Place>(model.get("switched")),
    };
  }

  private show(): void {
    let batch: Batch;
    try {
      batch = this.state();
    } catch (error) {
      if (!(error instanceof StateError)) throw error;
      this.body.hidden = true;
      this.message.hidden = false;
      this.message.textContent = `This widget cannot be drawn: ${error.message}. Run its cell again.`;
      return;
    }
    this.body.hidden = false;
    this.message.hidden = true;
    const changed = this.model.get("changed") === true;
    const outcome = attend(batch, changed);
    this.now = { batch, outcome };
    const far = changed ? moved(batch) : null;
    this.table.show(filled(batch, changed), batch.sentence);
    this.showGrids(far);
    this.setControls(batch, changed);
    this.say(this.leak, this.leakSays(batch, far));
    this.outputs.replaceChildren(outputTable(outcome, far));
    this.twin.show(() => weightTable(outcome));
    this.read();
  }

  private showGrids(far: readonly number[] | null): void {
    const { batch, outcome } = this.now as { batch: Batch; outcome: Outcome };
    const byHand = this.byHand(batch);
    const { words: tokens, allowed, weights } = outcome;
    const may = (query: number, key: number): boolean => allowed[query]?.[key] === true;
    const lit = (query: number): boolean => far !== null && far[query] !== 0;
    const hand = (query: number, key: number): string => (byHand(query, key) ? ", by hand" : "");
    this.maskGrid.show({
      words: tokens,
      values: allowed.map((row) => row.map((one) => (one ? ALLOWED : 0))),
      description: describeMask(allowed),
      says: (query, key) => (may(query, key) ? "allowed" : "forbidden") + hand(query, key),
      number: () => "",
      crossed: (query, key) => !may(query, key),
      ringed: byHand,
      lit,
    });
    this.weightGrid.show({
      words: tokens,
      values: weights,
      description: `Weights: ${tokens.length} queries in rows, ${tokens.length} keys in columns.`,
      says: (query, key) => (may(query, key) ? (weights[query]?.[key] ?? 0).toFixed(2) : "0, forbidden"),
      number: (query, key) => (may(query, key) ? (weights[query]?.[key] ?? 0).toFixed(2) : ""),
      crossed: (query, key) => !may(query, key),
      ringed: () => false,
      lit,
    });
  }

  private setControls(batch: Batch, changed: boolean): void {
    const titles = this.settings.map(({ title }) => title);
    const at = this.settings.findIndex(({ sentences }) => JSON.stringify(sentences) === JSON.stringify(batch.sentences));
    this.settingChoice.set(at < 0 ? [...titles, "yours"] : titles, at < 0 ? titles.length : at);
    this.padding.input.checked = batch.padding;
    this.causal.input.checked = batch.causal;
    this.window.set(batch.window, batch.window === 0 ? "none" : String(batch.window));
    this.energy.set(ENERGIES, ENERGIES.findIndex((name) => name === batch.energy));
    this.undo.enable(batch.switched.length > 0);
    this.test.enable(this.lastWord(batch) !== "");
    this.test.element.setAttribute("aria-pressed", String(changed));
    this.rewrite();
  }

  /** Write the sentences into the field, unless somebody types there. */
  private rewrite(): void {
    if (document.activeElement === this.input || this.fault.textContent !== "") return;
    this.input.value = list<string>(this.model.get("sentences")).join("\n");
  }

  private read(): void {
    if (!this.now) return;
    const { batch, outcome } = this.now;
    const [query, key] = this.at ?? [-1, -1];
    const there = outcome.allowed[query]?.[key] !== undefined;
    if (there) this.readout.rest(...cellSays(outcome, query, key, this.byHand(batch)(query, key)));
    else this.readout.rest(INVITATION);
  }

  private byHand({ switched, sentence }: Batch): (query: number, key: number) => boolean {
    const cells = new Set(switched.map(String));
    return (query, key) => cells.has(String([sentence, query, key]));
  }

  private lastWord({ sentences, sentence }: Batch): string {
    return split(sentences[sentence] ?? "").at(-1) ?? "";
  }

  private leakSays(batch: Batch, far: readonly number[] | null): string {
    const last = this.lastWord(batch);
    if (last === "") return "This sentence has no last word to change.";
    if (!far) return "Change the last word, and see which rows of the output change with it.";
    return leakSays(last, far.slice(0, split(batch.sentences[batch.sentence] ?? "").length));
  }

  private say(where: HTMLElement, text: string): void {
    // said again, a screen reader would read it again
    if (where.textContent !== text) where.textContent = text;
  }
}

export default widgetOf((model, el, signal) => new MasksView(model, el, signal));
