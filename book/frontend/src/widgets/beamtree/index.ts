/**
 * Beam tree: the reader types, a beam searches, and all that it looked at is drawn step by step.
 *
 * What is shown (answer, step, penalty, chosen node) lives in the model, so that two views stay in
 * step and Python sees it. The penalty ranks what was found, without asking again.
 */

import type { TreeAnswer, TreeAnswered, TreeRequest } from "../../engines/questions.ts";
import { widgetOf, type Model } from "../../shared/anywidget.ts";
import { button, choice, tick, offerExamples } from "../../shared/controls.ts";
import { html } from "../../shared/dom.ts";
import { assign, follow } from "../../shared/follow.ts";
import { Live } from "../../shared/live.ts";
import { slider } from "../../shared/slider.ts";
import { list, StateError } from "../../shared/state.ts";
import { fold } from "../../shared/table.ts";
import { shown } from "../../shared/tokens.ts";
import { Drawing, fate, minus } from "./drawing.ts";
import { beginning, boxLabel, path, rank, score, treeNodes, type TreeNode } from "./layout.ts";

export const WIDTHS = [1, 2, 3, 4, 5] as const;

interface Current {
  request: TreeRequest;
  text: string;
  answer: TreeAnswer;
}

interface Example {
  title: string;
  source: readonly string[];
}

class BeamTreeView {
  private readonly root = html("div", { class: "s2b s2b-beamtree" });
  private readonly note = html("p", { class: "s2b-note" });
  private readonly holder = html("div", { class: "s2b-holder" });
  private readonly box = html("div", { class: "s2b-scroll s2b-tree-box", tabindex: 0, role: "group", "aria-label": "Tree of the search" });
  private readonly readout = html("p", { class: "s2b-readout", role: "status" });
  private readonly place = html("span", { class: "s2b-place", role: "status" });
  private readonly results = html("ol", { class: "s2b-results" });
  private readonly twin = fold("Table of the search");
  private readonly live: Live<TreeRequest, TreeAnswered>;
  private readonly exampleChoice = choice("Example", (place) => this.example(place));
  private readonly modelChoice = choice("Model", (place) => this.change({ model: this.live.offered[place] ?? 0 }));
  private readonly widthChoice = choice("Beam", (place) => this.change({ width: WIDTHS[place] ?? 1 }));
  private readonly penalty = slider("Length penalty", { least: 0, most: 2, step: 0.1 }, (value) => assign(this.model, { penalty: value }));
  private readonly first = button("First step", () => this.go(1));
  private readonly back = button("Step back", () => this.go(this.step() - 1));
  private readonly forward = button("Step forward", () => this.go(this.step() + 1));
  private readonly last = button("Whole tree", () => this.go(-1));
  private readonly examples: readonly Example[];
  /** What is wanted at the moment; the answer to it may still be on its way. */
  private wanted: TreeRequest;
  private drawn: { of: unknown; nodes: TreeNode[]; drawing: Drawing } | null = null;
  private dropped = true;

  constructor(
    private readonly model: Model,
    el: HTMLElement,
    signal: AbortSignal,
  ) {
    this.examples = list<Example>(model.get("examples"));
    this.wanted = this.current()?.request ?? { source: [], model: 0, width: 3 };
    this.live = new Live<TreeRequest, TreeAnswered>(model, signal, {
      kind: "tree",
      root: this.root,
      openers: [...new Set(this.examples.map(({ source }) => source[0] ?? ""))],
      question: (source) => ({ ...this.wanted, source }),
      answered: ({ answer }, request) => this.put(answer, request),
    });
    this.build();
    follow(model, ["shown", "answers", "penalty", "step", "selected"], signal, () => this.show());
    this.show();
    this.live.begin();
    // whatever stood there before goes: rendering twice never stacks
    el.replaceChildren(this.root);
    signal.addEventListener("abort", () => this.root.remove());
  }

  private build(): void {
    const ask = html("div", { class: "s2b-bar s2b-ask-bar" }, this.exampleChoice.element, this.modelChoice.element, this.widthChoice.element);
    const steps = html("div", { class: "s2b-bar s2b-tree-steps", role: "group", "aria-label": "Steps" });
    steps.append(this.first.element, this.back.element, this.forward.element, this.last.element, this.place);
    const dropped = tick("✕ dropped", true, (checked) => {
      this.dropped = checked;
      this.show();
    });
    const legend = html("span", {}, "★ best result, numbers: the other results; a solid box was kept");
    const foot = html("div", { class: "s2b-foot" }, legend, dropped.element);
    const found = html("div", { class: "s2b-bar" }, html("span", { class: "s2b-title" }, "What the search found"), this.penalty.element);
    this.holder.append(this.box);
    this.root.append(this.live.field.element, ask, this.live.status, this.note, steps, this.holder, this.readout, foot, found, this.results, this.twin.element);
  }

  /** What is shown: the last answer, or the stored one of the first example. */
  private current(): Current | null {
    const now = this.model.get("shown") as Partial<Current> | null;
    if (now?.answer && now.request) return { text: "", ...now } as Current;
    const answer = list<TreeAnswer>(this.model.get("answers"))[0];
    if (!answer) return null;
    const { source, width } = answer;
    return { request: { source, width, model: 0 }, text: source.join(" "), answer };
  }

  private example(place: number): void {
    const example = this.examples[place];
    const answer = list<TreeAnswer>(this.model.get("answers"))[place];
    if (!example) return;
    this.live.field.value = example.source.join(" ");
    const request = { ...this.wanted, source: example.source };
    if (answer && request.model === 0 && request.width === answer.width) {
      // this answer came with the page
      this.live.forget();
      this.wanted = request;
      this.put(answer, request);
    } else this.ask(request);
  }

  private change(part: Partial<TreeRequest>): void {
    this.ask({ ...this.wanted, ...part });
  }

  private ask(request: TreeRequest): void {
    if (this.live.ask(request)) this.wanted = request;
    else {
      // nobody would answer: everything goes back to what is shown
      const now = this.current();
      if (now) {
        this.wanted = now.request;
        this.live.field.value = now.text || now.request.source.join(" ");
      }
    }
    this.setControls();
  }

  private put(answer: TreeAnswer, request: TreeRequest): void {
    // an answer that cannot be drawn is none
    checked(answer);
    const typed = this.live.field.value;
    this.root.classList.remove("s2b-stale");
    assign(this.model, { shown: { request, text: typed, answer }, step: -1, selected: -1 });
  }

  /** How many steps are shown. */
  private step(): number {
    const steps = this.drawn?.drawing.layout.steps ?? 1;
    const asked = Number(this.model.get("step") ?? -1);
    return asked < 1 ? steps : Math.min(asked, steps);
  }

  private go(step: number): void {
    const steps = this.drawn?.drawing.layout.steps ?? 1;
    const wanted = step < 1 && step !== -1 ? 1 : step >= steps ? -1 : step;
    const nodes = this.drawn?.nodes ?? [];
    const selected = Number(this.model.get("selected") ?? -1);
    const seen = wanted === -1 || (nodes[selected]?.step ?? 0) <= wanted;
    assign(this.model, { step: wanted, selected: seen ? selected : -1 });
    this.drawn?.drawing.reveal(this.step(), this.box);
  }

  private show(): void {
    const current = this.current();
    try {
      if (!current) throw new StateError("no example is stored with it");
      this.draw(current);
    } catch (error) {
      if (!(error instanceof StateError)) throw error;
      this.drawn = null;
      const why = `This widget cannot be drawn: ${error.message}. Run its cell again.`;
      this.root.replaceChildren(html("p", { class: "s2b-message", role: "status" }, why));
      return;
    }
    // a new answer, perhaps to another view: what is being typed here is left alone
    if (!this.root.hasAttribute("aria-busy")) {
      this.wanted = current.request;
      const text = current.text || current.request.source.join(" ");
      if (document.activeElement !== this.live.field.input) this.live.field.value = text;
    }
    this.setControls();
    this.paint(current);
  }

  private draw({ answer }: Current): void {
    if (this.drawn?.of === answer) return;
    const nodes = checked(answer);
    const name = `Beam search of width ${answer.width}: ${nodes.length} beginnings`;
    const drawing = new Drawing(nodes, name, (place) => assign(this.model, { selected: place }));
    this.drawn = { of: answer, nodes, drawing };
    this.box.replaceChildren(drawing.element);
    this.box.scrollLeft = 0;
  }

  private paint({ answer }: Current): void {
    if (!this.drawn) return;
    const { nodes, drawing } = this.drawn;
    const penalty = Number(this.model.get("penalty") ?? 1);
    const [step, steps] = [this.step(), drawing.layout.steps];
    const ranked = rank(nodes, answer.found, penalty);
    const whole = step >= steps;
    const selected = nodes[Number(this.model.get("selected") ?? -1)]?.place ?? -1;
    drawing.paint({ step, selected, ranked: whole ? ranked : [], dropped: this.dropped });
    this.penalty.set(penalty, penalty.toFixed(1));
    this.first.enable(step > 1);
    this.back.enable(step > 1);
    this.forward.enable(!whole);
    this.last.enable(!whole);
    this.place.textContent = `step ${step} of ${steps}`;
    this.showReadout(nodes, selected, ranked, penalty, whole);
    this.showResults(nodes, ranked, penalty, whole);
    this.note.replaceChildren(...this.live.unknownNote(answer.source));
    this.twin.show(() => table(nodes, ranked, penalty));
  }

  private showReadout(nodes: readonly TreeNode[], selected: number, ranked: readonly TreeNode[], penalty: number, whole: boolean): void {
    const node = nodes[selected];
    const text = node ? sentence(nodes, node, whole ? ranked : [], penalty) : "Choose a box to read its whole beginning.";
    if (this.readout.textContent !== text) this.readout.textContent = text;
  }

  private showResults(nodes: readonly TreeNode[], ranked: readonly TreeNode[], penalty: number, whole: boolean): void {
    this.results.replaceChildren(
      ...(whole ? ranked : []).map((node, at) => {
        const words = beginning(nodes, node.place).map(shown).join(" ") || "(nothing)";
        const numbers = `log p ${minus(node.logProb)}, length ${node.step}, score ${minus(score(node, penalty), 3)}${node.finished ? "" : ", not finished"}`;
        const chosen = html("button", { type: "button", class: "s2b-button s2b-result" }, at === 0 ? "★ " : "", html("bdi", {}, words));
        chosen.addEventListener("click", () => assign(this.model, { selected: node.place }));
        return html("li", {}, chosen, html("span", { class: "s2b-chance" }, ` ${numbers}`));
      }),
    );
    if (!whole) this.results.append(html("li", { class: "s2b-hint" }, "The search is not at its end yet."));
  }

  private setControls(): void {
    offerExamples(this.exampleChoice, this.examples, this.wanted.source);
    this.live.offerModels(this.modelChoice, this.wanted.model);
    this.widthChoice.set(WIDTHS.map((width) => (width === 1 ? "1 (greedy)" : String(width))), WIDTHS.findIndex((width) => width === this.wanted.width));
  }
}

/** The nodes of an answer. Throws a StateError when they are none. */
function checked(answer: TreeAnswer): TreeNode[] {
  const { nodes, found } = answer;
  if (!Array.isArray(nodes) || nodes.length === 0 || !Array.isArray(found)) throw new StateError("its tree is missing");
  for (const [place, node] of nodes.entries()) {
    const [parent, token, logProb] = Array.isArray(node) ? node : [];
    const fits = Number.isInteger(parent) && (parent as number) >= -1 && (parent as number) < place;
    if (!fits || typeof token !== "string" || typeof logProb !== "number") throw new StateError(`node ${place + 1} of its tree is damaged`);
  }
  if (!found.every((place) => Number.isInteger(place) && place >= 0 && place < nodes.length)) throw new StateError("its results are damaged");
  return treeNodes(nodes);
}

/** "word 3: la voiture rouge: log p −1.23 (p = 0.29), score −0.41; kept". */
function sentence(nodes: readonly TreeNode[], node: TreeNode, ranked: readonly TreeNode[], penalty: number): string {
  const at = ranked.findIndex(({ place }) => place === node.place);
  const words = path(nodes, node.place).map((place) => shown(boxLabel(nodes[place]?.token ?? "")));
  const ended = node.finished ? [...words.slice(0, -1), "(end)"] : words;
  const p = Math.exp(node.logProb);
  const chance = p < 0.001 ? "p < 0.001" : `p = ${p.toFixed(3)}`;
  return (
    `Word ${node.step}: ${ended.join(" ")}: log p ${minus(node.logProb, 3)} (${chance}), ` +
    `score ${minus(score(node, penalty), 3)}; ${fate(node, at < 0 ? undefined : at + 1)}.`
  );
}

function table(nodes: readonly TreeNode[], ranked: readonly TreeNode[], penalty: number): HTMLTableElement {
  const ranks = new Map(ranked.map(({ place }, at) => [place, at + 1] as const));
  const power = Number(penalty.toFixed(2));
  const rows = nodes.map((node) =>
    html(
      "tr",
      {},
      html("th", { scope: "row" }, html("bdi", {}, beginning(nodes, node.place).map(shown).join(" ") + (node.finished ? " (end)" : ""))),
      html("td", {}, String(node.step)),
      html("td", {}, minus(node.logProb, 3)),
      html("td", {}, minus(score(node, penalty), 3)),
      html("td", {}, fate(node, ranks.get(node.place))),
    ),
  );
  const heads = ["step", "log p", "score", "what became of it"].map((name) => html("th", { scope: "col" }, name));
  return html(
    "table",
    { class: "s2b-table" },
    html("caption", {}, `Every beginning that a beam of this width could have kept; the score is log p divided by the length to the power of ${power}`),
    html("thead", {}, html("tr", {}, html("td"), ...heads)),
    html("tbody", {}, ...rows),
  );
}

export default widgetOf((model, el, signal) => new BeamTreeView(model, el, signal));
