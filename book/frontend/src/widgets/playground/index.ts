/**
 * Query and keys in the plane: move them, choose energy and distribution, see what is read.
 *
 * What is shown lives in the model, so that two views stay in step and Python sees it. Everything is
 * computed here; nobody is asked.
 */

import { widgetOf, type Model } from "../../shared/anywidget.ts";
import { button, choice } from "../../shared/controls.ts";
import { html } from "../../shared/dom.ts";
import { assign, follow } from "../../shared/follow.ts";
import { slider } from "../../shared/slider.ts";
import { list, StateError } from "../../shared/state.ts";
import { attend, DISTRIBUTIONS, ENERGIES, type Parameters, type Vector } from "./energies.ts";
import { Plane, REACH, signed } from "./plane.ts";
import { Rows, weightText } from "./rows.ts";

/** So many keys at most: `seq2bert.widgets.playground.MOST_KEYS`. */
const MOST_KEYS = 6;
/** Factors for the energies, as in Translate. */
const SCALES = [0, 0.25, 0.5, 1, 2, 4, 8];

interface Setting {
  title: string;
  query: Vector;
  keys: readonly Vector[];
}

class PlaygroundView {
  private readonly root = html("div", { class: "s2b s2b-playground" });
  private readonly formula = html("p", { class: "s2b-formula" });
  private readonly readout = html("p", { class: "s2b-readout", role: "status" });
  private readonly message = html("p", { class: "s2b-message", role: "status" });
  private readonly sides = html("div", { class: "s2b-sides" });
  private readonly plane: Plane;
  private readonly rows = new Rows((place, may) => this.allow(place, may));
  private readonly settings: readonly Setting[];
  private readonly settingChoice = choice("Keys", (at) => this.choose(at));
  private readonly energyChoice = choice("Energy", (at) => assign(this.model, { energy: this.energies[at] ?? "dot" }));
  private readonly distributionChoice = choice("Distribution", (at) => assign(this.model, { distribution: this.distributions[at] ?? "softmax" }));
  private readonly scale = slider("Energies ×", { least: 0, most: SCALES.length - 1, step: 1 }, (at) => assign(this.model, { scale: SCALES[at] ?? 1 }));
  private readonly more = button("Add a key", () => this.add());
  private readonly less = button("Take one away", () => this.remove());
  private readonly energies = Object.keys(ENERGIES);
  private readonly distributions = Object.keys(DISTRIBUTIONS);
  private moved: number | null = null;

  constructor(
    private readonly model: Model,
    el: HTMLElement,
    signal: AbortSignal,
  ) {
    this.settings = list<Setting>(model.get("settings"));
    this.plane = new Plane((which, to) => this.move(which, to), signal);
    this.build();
    follow(model, ["query", "key_vectors", "allowed", "energy", "distribution", "scale"], signal, () => this.show());
    this.show();
    // whatever stood there before goes: rendering twice never stacks
    el.replaceChildren(this.root);
    signal.addEventListener("abort", () => this.root.remove());
  }

  private build(): void {
    const which = html("div", { class: "s2b-bar" }, this.energyChoice.element, this.distributionChoice.element, this.scale.element);
    const keys = html("div", { class: "s2b-bar" }, this.settingChoice.element, this.more.element, this.less.element);
    const box = html("div", { class: "s2b-table-box", tabindex: 0, role: "group", "aria-label": "Table of the keys" }, this.rows.element);
    const legend = html("div", { class: "s2b-foot" }, this.plane.range, html("span", {}, "● key, the larger the more weight; ◆ context"));
    this.sides.append(html("div", {}, this.plane.element, legend), html("div", { class: "s2b-keys-side" }, box, this.readout));
    this.message.hidden = true;
    this.root.append(which, this.formula, keys, this.message, this.sides);
  }

  private state(): { query: Vector; keys: readonly Vector[]; allowed: readonly boolean[]; energy: string; distribution: string; scale: number; parameters: Parameters } {
    const query = checked(this.model.get("query"), "its query");
    const keys = list<unknown>(this.model.get("key_vectors")).map((key, at) => checked(key, `key ${at + 1}`));
    if (keys.length === 0) throw new StateError("it has no keys");
    const allowed = keys.map((_, at) => list<boolean>(this.model.get("allowed"))[at] !== false);
    const [energy, distribution] = [String(this.model.get("energy")), String(this.model.get("distribution"))];
    if (!(energy in ENERGIES) || !(distribution in DISTRIBUTIONS)) throw new StateError("its energy is not known");
    const parameters = this.model.get("parameters") as Parameters;
    return { query, keys, allowed, energy, distribution, scale: Number(this.model.get("scale")), parameters };
  }

  private show(): void {
    let now: ReturnType<PlaygroundView["state"]>;
    try {
      now = this.state();
    } catch (error) {
      if (!(error instanceof StateError)) throw error;
      this.sides.hidden = true;
      this.message.hidden = false;
      this.message.textContent = `This widget cannot be drawn: ${error.message}. Run its cell again.`;
      return;
    }
    this.sides.hidden = false;
    this.message.hidden = true;
    const { query, keys, allowed, energy, distribution, scale, parameters } = now;
    const outcome = attend(query, keys, now);
    const says = (which: number): string => {
      const [x, y] = which < 0 ? query : (keys[which] as Vector);
      const at = `x ${signed(x)}, y ${signed(y)}`;
      if (which < 0) return `${at}; context x ${signed(outcome.context[0])}, y ${signed(outcome.context[1])}`;
      return `${at}; energy ${signed(outcome.energies[which] ?? 0)}, weight ${weightText(outcome.weights[which] ?? 0)}`;
    };
    // what a key would score if it stood elsewhere: the one that was moved last, or the first
    const place = Math.max(0, Math.min(this.moved ?? 0, keys.length - 1));
    const compare = ENERGIES[energy] as (typeof ENERGIES)[string];
    const field = (at: Vector): number => compare?.(query, at, place, parameters) ?? 0;
    this.plane.show({ query, keys, weights: outcome.weights, allowed, context: outcome.context, field, says });
    this.rows.show(keys, allowed, outcome);
    this.formula.textContent = list<string>(this.model.get("formulas"))[this.energies.indexOf(energy)] ?? "";
    this.energyChoice.set(this.energies, this.energies.indexOf(energy));
    this.distributionChoice.set(this.distributions, this.distributions.indexOf(distribution));
    this.showSetting(query, keys);
    const at = SCALES.reduce((best, value, place) => (Math.abs(value - scale) < Math.abs((SCALES[best] ?? 1) - scale) ? place : best), 0);
    this.scale.set(at, signed(scale).replace(/\.?0+$/, "") || "0");
    this.more.enable(keys.length < MOST_KEYS);
    this.less.enable(keys.length > 1);
    this.readout.textContent = this.moved === null ? "" : `${this.moved < 0 ? "Query" : `Key ${this.moved + 1}`}: ${says(this.moved)}.`;
  }

  private showSetting(query: Vector, keys: readonly Vector[]): void {
    const titles = this.settings.map(({ title }) => title);
    const now = JSON.stringify([query, keys]);
    const at = this.settings.findIndex((setting) => JSON.stringify([setting.query, setting.keys]) === now);
    this.settingChoice.set(at < 0 ? [...titles, "yours"] : titles, at < 0 ? titles.length : at);
  }

  private choose(at: number): void {
    const setting = this.settings[at];
    if (!setting) return;
    this.moved = null;
    assign(this.model, { query: setting.query, key_vectors: setting.keys, allowed: setting.keys.map(() => true) });
  }

  private move(which: number, to: Vector): void {
    this.moved = which;
    if (which < 0) assign(this.model, { query: to });
    else assign(this.model, { key_vectors: this.state().keys.map((key, at) => (at === which ? to : key)) });
  }

  private allow(place: number, may: boolean): void {
    assign(this.model, { allowed: this.state().allowed.map((before, at) => (at === place ? may : before)) });
  }

  private add(): void {
    const { keys, allowed } = this.state();
    if (keys.length >= MOST_KEYS) return;
    const angle = 2.4 * keys.length;
    const near = (number: number): number => Math.round(100 * number) / 100;
    assign(this.model, { key_vectors: [...keys, [near(1.5 * Math.cos(angle)), near(1.5 * Math.sin(angle))]], allowed: [...allowed, true] });
  }

  private remove(): void {
    const { keys, allowed } = this.state();
    if (keys.length < 2) return;
    if (this.moved === keys.length - 1) this.moved = null;
    assign(this.model, { key_vectors: keys.slice(0, -1), allowed: allowed.slice(0, -1) });
  }
}

function checked(vector: unknown, name: string): Vector {
  const [x, y, ...rest] = Array.isArray(vector) ? (vector as unknown[]) : [];
  const fits = [x, y].every((number) => typeof number === "number" && Math.abs(number) <= REACH);
  if (!fits || rest.length > 0) throw new StateError(`${name} is no point of the plane`);
  return [x as number, y as number];
}

export default widgetOf((model, el, signal) => new PlaygroundView(model, el, signal));
