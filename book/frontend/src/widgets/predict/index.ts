/**
 * Predict, then reveal: mark the links that you expect, then see the model's weights and gold.
 *
 * Until an example is revealed, nothing on the page gives its answer away. Which example is
 * shown, what is marked and what is revealed lives in the model; where the cursor stands is each
 * view's own.
 */

import { widgetOf, type Model } from "../../shared/anywidget.ts";
import { button, choice } from "../../shared/controls.ts";
import { html } from "../../shared/dom.ts";
import { assign, follow } from "../../shared/follow.ts";
import { Readout } from "../../shared/readout.ts";
import { StateError, type AttentionMap, type Cell } from "../../shared/state.ts";
import { fold } from "../../shared/table.ts";
import { answerTable, legend, Marked, scores } from "./answer.ts";
import { readExercise, readMaps, revealing, startedOver, toggled, traits, type Exercise } from "./exercise.ts";
import { Scene } from "./scene.ts";

const INVITATION = "Mark the cells where you expect links: click, or arrow keys and Enter. Then reveal.";
const FIXED = "The marks are fixed now. “Try again” takes them away.";

class PredictView {
  private readonly root = html("div", { class: "s2b s2b-predict" });
  private readonly exampleChoice = choice("Example", (map) => this.change({ ...this.now, map }));
  private readonly holder = html("div", { class: "s2b-holder" });
  private readonly readout = new Readout();
  private readonly count = html("span", { class: "s2b-count" });
  private readonly reveal = button("Reveal", () => this.change(revealing(this.now)));
  private readonly again = button("Try again", () => this.change(startedOver(this.now)));
  private readonly answer = html("div", { class: "s2b-answer" });
  private readonly twin = fold("Table of the weights");
  private maps: AttentionMap[] = [];
  private now: Exercise = { map: 0, marks: [], revealed: [] };
  private scene: Scene | null = null;
  private marked: Marked | null = null;
  private pointed: Cell | null = null;

  constructor(
    private readonly model: Model,
    el: HTMLElement,
    signal: AbortSignal,
  ) {
    const title = html("span", { class: "s2b-title" }, "Predict the alignment");
    const buttons = [this.reveal.element, this.again.element];
    this.root.append(
      html("div", { class: "s2b-bar" }, title, this.exampleChoice.element),
      this.holder,
      this.readout.element,
      html("div", { class: "s2b-bar s2b-actions" }, this.count, ...buttons),
      this.answer,
    );
    follow(model, ["maps", "weights", "map", "marks", "revealed"], signal, (changed) => {
      this.draw(changed.has("maps") || changed.has("weights"));
    });
    this.draw(true);
    // whatever stood there before goes: rendering twice never stacks
    el.replaceChildren(this.root);
    signal.addEventListener("abort", () => this.root.remove());
  }

  private change(exercise: Exercise): void {
    if (this.maps.length > 0) assign(this.model, traits(exercise));
  }

  /** Draw the state, or say in one sentence why it cannot be drawn. */
  private draw(otherMaps: boolean): void {
    try {
      if (otherMaps || this.maps.length === 0) this.maps = readMaps(this.model);
      this.now = readExercise(this.model, this.maps);
    } catch (error) {
      if (!(error instanceof StateError)) throw error;
      this.maps = [];
      this.scene = null;
      this.root.classList.add("s2b-broken");
      this.answer.replaceChildren();
      const sentence = `This exercise cannot be drawn: ${error.message}. Run its cell again.`;
      this.holder.replaceChildren(html("p", { class: "s2b-message", role: "status" }, sentence));
      return;
    }
    this.root.classList.remove("s2b-broken");
    this.show();
  }

  private show(): void {
    const { map: index } = this.now;
    const map = this.maps[index] as AttentionMap;
    const marks = this.now.marks[index] as readonly Cell[];
    const revealed = this.now.revealed[index] as boolean;
    const marked = (this.marked = new Marked(map, marks));
    this.exampleChoice.set(this.maps.map((one, at) => one.title || `${at + 1}`), index);
    const scene = this.sceneOf(map, revealed);
    scene.mark(
      marks,
      (query, key) => marked.isMarked(query, key),
      (query, key) => this.said(query, key),
    );
    const words = map.queryTokens.length;
    this.count.textContent = `${marked.words} of ${words} ${words === 1 ? "word" : "words"} marked`;
    this.reveal.enable(!revealed);
    this.again.enable(revealed);
    this.root.classList.toggle("s2b-revealed", revealed);
    if (revealed) this.twin.show(() => answerTable(marked));
    this.answer.replaceChildren(...(revealed ? [legend(map), scores(marked), this.twin.element] : []));
    this.readout.rest(revealed ? marked.summary() : INVITATION);
    if (this.pointed) this.read(...this.pointed);
  }

  /** The drawing; another one takes its place when the example or the answer changed. */
  private sceneOf(map: AttentionMap, revealed: boolean): Scene {
    const before = this.scene;
    if (before?.map === map && before.revealed === revealed) return before;
    const scrolled = before?.element.scrollLeft ?? 0;
    const hadFocus = before?.cursor.hasFocus() ?? false;
    const scene = new Scene(map, revealed, {
      read: (query, key) => {
        this.pointed = [query, key];
        this.read(query, key);
      },
      leave: () => {
        this.pointed = null;
        this.readout.clear();
      },
      press: (query, key) => {
        if (revealed) this.readout.say(FIXED);
        else this.change(toggled(this.now, query, key));
      },
    });
    this.scene = scene;
    this.pointed = null;
    this.holder.replaceChildren(scene.element);
    if (before?.map === map) {
      scene.cursor.moveTo(before.cursor.position);
      scene.element.scrollLeft = scrolled;
    }
    if (hadFocus) scene.cursor.focus();
    return scene;
  }

  /** What may be said of a cell at the moment. */
  private said(query: number, key: number): string {
    if (!this.marked) return "";
    const revealed = this.now.revealed[this.now.map];
    return revealed ? this.marked.answer(query, key) : this.marked.hidden(query, key);
  }

  /** "query dort (4), key sleeps (3): marked", positions counted from 1. */
  private read(query: number, key: number): void {
    const map = this.maps[this.now.map];
    if (!map) return;
    this.readout.say(
      "query ",
      { token: map.queryTokens[query] ?? "", role: "query" },
      ` (${query + 1}), key `,
      { token: map.keyTokens[key] ?? "", role: "key" },
      ` (${key + 1}): ${this.said(query, key)}`,
    );
  }
}

export default widgetOf((model, el, signal) => new PredictView(model, el, signal));
