/**
 * Schemes of positions: their vectors, and what they know of distance.
 *
 * What is chosen lives in the model, so that two views stay in step and Python sees it; which
 * feature is pointed at is each view's own. Everything is computed here; nobody is asked.
 */

import { widgetOf, type Model } from "../../shared/anywidget.ts";
import { choice } from "../../shared/controls.ts";
import { html, svg, type Child } from "../../shared/dom.ts";
import { assign, follow } from "../../shared/follow.ts";
import { Readout } from "../../shared/readout.ts";
import { slider } from "../../shared/slider.ts";
import { list, StateError } from "../../shared/state.ts";
import { fold } from "../../shared/table.ts";
import { Field, SIZE } from "./field.ts";
import { Profile } from "./profile.ts";
import { baseText, featureSays, law, numberText, pairSays } from "./says.ts";
import { compute, hasWidth, largest, places, SCHEMES, type Outcome, type Parameters, type Settings } from "./schemes.ts";

/** As in `seq2bert.widgets.positions`. */
export const [MOST_PLACES, MOST_WIDTH, HEADS] = [32, 64, 8];
export const BASES = [10, 100, 1000, 10000, 100000];
const EMPTY = ["This scheme has no vectors:", "it adds a number to the energy."];

interface Scheme {
  name: string;
  formula: string;
  heading: string;
  asks: string;
  looked_at: string;
  measure: string;
}

interface State extends Settings {
  row: number;
  column: number;
  parameters: Parameters;
  texts: Scheme;
}

const NAMES = ["scheme", "width", "length", "base", "head", "furthest", "row", "column", "parameters"];

class PositionsView {
  private readonly root = html("div", { class: "s2b s2b-positions" });
  private readonly formula = html("p", { class: "s2b-scheme" });
  private readonly law = html("p", { class: "s2b-law", role: "status" });
  private readonly message = html("p", { class: "s2b-message", role: "status" });
  private readonly readout = new Readout();
  private readonly heading = html("p", { class: "s2b-panel-name" });
  private readonly measure = html("p", { class: "s2b-panel-name" });
  private readonly against = html("p", { class: "s2b-panel-name" });
  private readonly body = html("div", { class: "s2b-whole" });
  private readonly vectors: Field;
  private readonly scores: Field;
  private readonly profile = new Profile();
  private readonly blank = svg(
    "svg",
    { class: "s2b-of-places s2b-vectors", role: "img", "aria-label": EMPTY.join(" "), viewBox: `0 0 ${SIZE} ${SIZE}`, width: SIZE, height: SIZE },
    svg("rect", { class: "s2b-paper", width: SIZE, height: SIZE }),
    ...EMPTY.map((text, at) => svg("text", { class: "s2b-caption", x: SIZE / 2, y: 170 + 18 * at, "text-anchor": "middle" }, text)),
  );
  private readonly scoreTwin = fold("Table of the scores");
  private readonly vectorTwin = fold("Table of the vectors");
  private readonly schemeChoice = choice("Scheme", (at) => this.choose(SCHEMES[at] ?? "sinusoidal"));
  private readonly base = slider("Base", { least: 0, most: BASES.length - 1, step: 1 }, (at) => assign(this.model, { base: BASES[at] ?? 10000 }));
  private readonly head = slider("Head", { least: 1, most: HEADS, step: 1 }, (head) => assign(this.model, { head }));
  private readonly furthest = slider("Furthest", { least: 1, most: 8, step: 1 }, (furthest) => assign(this.model, { furthest }));
  private readonly length = slider("Places", { least: 2, most: MOST_PLACES, step: 1 }, (length) => assign(this.model, { length }));
  private readonly width = slider("Width", { least: 1, most: MOST_WIDTH, step: 1 }, (width) => this.widen(width));
  private feature = 0;
  /** Which picture the reader pointed at last: the sentence is about it. */
  private at: "vectors" | "scores" = "scores";
  private computed: { key: string; parameters: Parameters; outcome: Outcome } | null = null;

  constructor(
    private readonly model: Model,
    el: HTMLElement,
    signal: AbortSignal,
  ) {
    this.vectors = new Field("s2b-vectors", "feature of a place", (row, column) => this.point("vectors", row, column), signal);
    this.scores = new Field("s2b-scores-of-places", "pair of places", (row, column) => this.point("scores", row, column), signal);
    this.build();
    follow(model, NAMES, signal, () => this.show());
    this.show();
    // whatever stood there before goes: rendering twice never stacks
    el.replaceChildren(this.root);
    signal.addEventListener("abort", () => this.root.remove());
  }

  private build(): void {
    const which = html("div", { class: "s2b-bar" }, this.schemeChoice.element, this.base.element, this.head.element, this.furthest.element);
    const sizes = html("div", { class: "s2b-bar" }, this.length.element, this.width.element);
    const panel = (...parts: Child[]): HTMLElement => html("div", { class: "s2b-panel-of-places" }, ...parts);
    const foot = (...parts: Child[]): HTMLElement => html("div", { class: "s2b-foot" }, ...parts);
    const pictures = html(
      "div",
      { class: "s2b-places" },
      panel(this.heading, this.vectors.element, this.blank, foot(this.vectors.legend)),
      panel(this.measure, this.scores.element, foot(this.scores.legend)),
      panel(this.against, this.profile.element, foot(html("span", {}, "line: this row; squares: all rows; dot: the chosen pair"))),
      panel(html("p", { class: "s2b-panel-name" }, "In words"), this.law, this.readout.element),
    );
    this.message.hidden = true;
    this.body.append(pictures, this.scoreTwin.element, this.vectorTwin.element);
    this.root.append(which, sizes, this.formula, this.message, this.body);
  }

  private state(): State {
    const { model } = this;
    const scheme = String(model.get("scheme"));
    const texts = list<Scheme>(model.get("schemes")).find(({ name }) => name === scheme);
    if (!texts || !SCHEMES.some((name) => name === scheme)) throw new StateError("its scheme is not known");
    const whole = (name: string, least: number, most: number): number => {
      const value = model.get(name);
      if (typeof value !== "number" || !Number.isInteger(value) || value < least || value > most) {
        throw new StateError(`its ${name} is not a whole number from ${least} to ${most}`);
      }
      return value;
    };
    const parameters = checkedParameters(model.get("parameters"));
    const base = Number(model.get("base"));
    if (!(base > 1)) throw new StateError("its base is not above 1");
    const settings = {
      scheme,
      width: whole("width", 1, MOST_WIDTH),
      length: whole("length", 2, MOST_PLACES),
      base,
      head: whole("head", 1, HEADS),
      furthest: whole("furthest", 1, Math.floor(parameters.bias.length / 2)),
    };
    if (scheme === "rotary" && settings.width % 2 === 1) throw new StateError("rotary positions turn pairs of features, and its width is odd");
    const last = places(settings, parameters) - 1;
    const place = (name: string): number => Math.max(0, Math.min(last, Math.round(Number(model.get(name)) || 0)));
    return { ...settings, parameters, texts, row: place("row"), column: place("column") };
  }

  private show(): void {
    let now: State;
    try {
      now = this.state();
    } catch (error) {
      if (!(error instanceof StateError)) throw error;
      this.body.hidden = true;
      this.message.hidden = false;
      this.message.textContent = `This widget cannot be drawn: ${error.message}. Run its cell again.`;
      return;
    }
    this.body.hidden = false;
    this.message.hidden = true;
    const { texts, row, column, scheme } = now;
    const fresh = this.compute(now);
    const { vectors, scores } = (this.computed as { outcome: Outcome }).outcome;
    const pair = pairSays(scheme, row, column, numberText(scores[row]?.[column] ?? 0, largest(scores)));
    this.scores.show({
      values: scores,
      title: texts.measure,
      across: texts.looked_at,
      down: texts.asks,
      row,
      column,
      frames: [{ row, role: "query" }],
      says: pair,
    });
    const feature = this.showVectors(now, vectors);
    this.profile.show(scores, row, column, `${texts.measure} of place ${row} against distance`);
    this.heading.textContent = texts.heading;
    this.measure.textContent = texts.measure;
    this.against.textContent = `Row ${row} against distance`;
    this.formula.textContent = texts.formula;
    this.law.textContent = law(scores) + this.unlearned(now);
    this.readout.rest(this.at === "vectors" && feature ? feature : pair);
    this.setControls(now);
    if (fresh) this.showTables(texts, vectors, scores);
  }

  /** Compute anew if something has changed that counts; whether it has. */
  private compute(now: State): boolean {
    const { scheme, width, length, base, head, furthest, parameters } = now;
    const key = JSON.stringify([scheme, width, length, base, head, furthest]);
    if (this.computed?.key === key && this.computed.parameters === parameters) return false;
    this.computed = { key, parameters, outcome: compute(now, parameters) };
    return true;
  }

  private showVectors(now: State, vectors: number[][] | null): string {
    this.vectors.element.toggleAttribute("hidden", !vectors);
    this.vectors.legend.hidden = !vectors;
    this.blank.toggleAttribute("hidden", Boolean(vectors));
    if (!vectors) return "";
    const { row, column, texts } = now;
    const feature = Math.min(this.feature, (vectors[0]?.length ?? 1) - 1);
    const says = featureSays(now, row, feature, numberText(vectors[row]?.[feature] ?? 0, largest(vectors)));
    this.vectors.show({
      values: vectors,
      title: texts.heading,
      across: "feature",
      down: "place",
      row,
      column: feature,
      frames: [
        { row: column, role: "key" },
        { row, role: "query" },
      ],
      says,
    });
    return says;
  }

  /** A table that ends before the places that were asked for. */
  private unlearned({ length, parameters, ...settings }: State): string {
    const learned = places({ ...settings, length }, parameters);
    if (learned === length) return "";
    return ` Only the places 0 to ${learned - 1} were learned: for place ${learned} there is no vector.`;
  }

  private setControls(now: State): void {
    const { scheme, width, length, base, head, furthest, parameters } = now;
    this.schemeChoice.set(SCHEMES, SCHEMES.findIndex((name) => name === scheme));
    this.base.element.hidden = scheme !== "sinusoidal" && scheme !== "rotary";
    this.head.element.hidden = scheme !== "ALiBi";
    this.furthest.element.hidden = scheme !== "relative" || parameters.trained.includes("bias");
    this.width.element.hidden = !hasWidth(now, parameters);
    const nearest = BASES.reduce((best, value, at) => (Math.abs(Math.log(value / base)) < Math.abs(Math.log((BASES[best] ?? 1) / base)) ? at : best), 0);
    this.base.set(nearest, baseText(base));
    this.head.set(head, `${head} of ${HEADS}`);
    this.furthest.set(furthest, String(furthest));
    this.length.set(length, String(length));
    this.width.set(width, String(width));
  }

  private showTables(texts: Scheme, vectors: number[][] | null, scores: number[][]): void {
    this.scoreTwin.show(() => table(scores, texts.measure, texts.asks, texts.looked_at));
    this.vectorTwin.show(() => (vectors ? table(vectors, texts.heading, "place", "feature") : html("p", {}, EMPTY.join(" "))));
  }

  private choose(scheme: string): void {
    const width = Number(this.model.get("width"));
    // rotary positions turn pairs of features
    const even = scheme === "rotary" && width % 2 === 1 ? Math.max(2, width - 1) : width;
    assign(this.model, { width: even, scheme });
  }

  private widen(width: number): void {
    const odd = this.model.get("scheme") === "rotary" && width % 2 === 1;
    // one step of an arrow key leads to the next pair, in the direction that it went
    const up = width > Number(this.model.get("width"));
    assign(this.model, { width: odd ? Math.max(2, Math.min(MOST_WIDTH, width + (up ? 1 : -1))) : width });
    // the slider stands where it was put, which may be where the model already is
    this.width.set(Number(this.model.get("width")), String(this.model.get("width")));
  }

  private point(at: "vectors" | "scores", row: number, column: number): void {
    this.at = at;
    if (at === "vectors") this.feature = column;
    assign(this.model, at === "vectors" ? { row } : { row, column });
    // the feature is the view's own: the model may not have changed
    this.show();
  }
}

function checkedParameters(value: unknown): Parameters {
  const found = (typeof value === "object" && value !== null ? value : {}) as Partial<Record<keyof Parameters, unknown>>;
  const numbers = (row: unknown): boolean => Array.isArray(row) && row.length > 0 && row.every((one) => typeof one === "number" && Number.isFinite(one));
  const table = list<unknown>(found.table);
  const vectors = (["bias", "query", "key", "slopes"] as const).every((name) => numbers(found[name]));
  const even = table.every((row) => numbers(row) && (row as number[]).length === (table[0] as number[]).length);
  if (!vectors || table.length < 2 || !even) throw new StateError("its numbers are missing");
  return { ...(found as unknown as Parameters), trained: list<string>(found.trained) };
}

/** A matrix as a table: headers on both axes. */
function table(values: readonly (readonly number[])[], caption: string, down: string, across: string): HTMLTableElement {
  const scale = largest(values);
  const heads = (values[0] ?? []).map((_, at) => html("th", { scope: "col" }, `${across} ${at}`));
  const rows = values.map((row, at) =>
    html("tr", {}, html("th", { scope: "row" }, `${down} ${at}`), ...row.map((value) => html("td", {}, numberText(value, scale)))),
  );
  return html(
    "table",
    { class: "s2b-table" },
    html("caption", {}, caption),
    html("thead", {}, html("tr", {}, html("td"), ...heads)),
    html("tbody", {}, ...rows),
  );
}

export default widgetOf((model, el, signal) => new PositionsView(model, el, signal));
