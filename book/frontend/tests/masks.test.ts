/** Masks, weights and outputs as Python computes them, and how the mask explorer behaves. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, test } from "node:test";
import { StoredModel } from "../src/site/model.ts";
import { attend, ENERGIES, filled, moved } from "../src/widgets/masks/attention.ts";
import { ALLOWED } from "../src/widgets/masks/grid.ts";
import masks, { MOST_SENTENCES, MOST_WORDS } from "../src/widgets/masks/index.ts";
import { wordNumbers } from "../src/widgets/masks/numbers.ts";
import { describeMask, faultOf, INVITATION, leakSays } from "../src/widgets/masks/says.ts";
import { freshPage, openTable, settle } from "./page.ts";

declare const FRONTEND: string;
const fixture = JSON.parse(readFileSync(join(FRONTEND, "tests/masks.json"), "utf8"));

let page: Document;
beforeEach(() => {
  page = freshPage();
});

// --- parity with Python -----------------------------------------------------------------------

const near = (found: readonly number[], expected: readonly number[], what: string): void => {
  assert.equal(found.length, expected.length, what);
  for (const [at, number] of found.entries()) assert.ok(Math.abs(number - (expected[at] as number)) < 1e-9, `${what}: ${found} is not ${expected}`);
};

test("the numbers of a word are those of Python", () => {
  for (const { word, ...numbers } of fixture.numbers) {
    for (const role of ["query", "key", "value"] as const) near(wordNumbers(word, role), numbers[role], `${role} of ${word}`);
  }
});

test("masks, weights and outputs are those of Python, before and after the change", () => {
  for (const { state, shown } of fixture.cases) {
    for (const [sentence, expected] of shown.entries()) {
      const batch = { ...state, sentence };
      const what = JSON.stringify(batch);
      const found = attend(batch, false);
      assert.deepEqual(filled(batch, false), expected.batch, what);
      assert.deepEqual(filled(batch, true), expected.changed, what);
      assert.deepEqual(found.allowed, expected.mask, what);
      near(found.weights.flat(), expected.weights.flat(), what);
      near(found.output.flat(), expected.output.flat(), what);
      near(attend(batch, true).output.flat(), expected.changed_output.flat(), what);
      near(moved(batch), expected.moved, what);
      assert.equal(describeMask(found.allowed), `Mask: ${expected.said}`);
      const words = expected.batch[sentence].filter((word: string) => word !== "<pad>");
      if (words.length > 0) assert.equal(leakSays(words.at(-1), moved(batch).slice(0, words.length)), expected.leak);
    }
  }
});

test("a forbidden weight is exactly 0, and what does not move does not move by a bit", () => {
  for (const { state, shown } of fixture.cases) {
    for (const [sentence, expected] of shown.entries()) {
      const { allowed, weights } = attend({ ...state, sentence }, false);
      for (const [query, row] of allowed.entries()) for (const [key, may] of row.entries()) if (!may) assert.equal(weights[query]![key], 0);
      assert.deepEqual(
        moved({ ...state, sentence }).map((far) => far === 0),
        expected.moved.map((far: number) => far === 0),
      );
    }
  }
});

test("limits, energies and sentences are those of Python", () => {
  assert.deepEqual(fixture.limits, [MOST_SENTENCES, MOST_WORDS]);
  assert.deepEqual(fixture.energies, [...ENERGIES]);
  assert.equal(fixture.invitation, INVITATION);
  assert.equal(fixture.allowed, ALLOWED);
});

test("what cannot be a batch has a reason", () => {
  const lines = (count: number, words: number): string[][] => Array.from({ length: count }, () => Array<string>(words).fill("a"));
  assert.equal(faultOf(lines(4, 10), 4, 10), "");
  assert.match(faultOf([[], []], 4, 10), /no word yet/);
  assert.match(faultOf(lines(5, 1), 4, 10), /5 sentences; at most 4/);
  assert.match(faultOf(lines(1, 11), 4, 10), /11 words in a sentence; at most 10/);
});

// --- the widget -------------------------------------------------------------------------------

const [TWO] = fixture.settings.map((one: any) => one.sentences);

function state(changes: Record<string, unknown> = {}): StoredModel {
  return new StoredModel({
    sentences: TWO,
    sentence: 1,
    padding: true,
    causal: false,
    window: 0,
    energy: ENERGIES[0],
    switched: [],
    changed: false,
    settings: fixture.settings,
    ...changes,
  });
}

function show(model: StoredModel): HTMLElement {
  const el = page.createElement("div");
  page.body.append(el);
  void masks.render({ model, el } as never);
  return el;
}

const grid = (el: HTMLElement, which: 0 | 1): Element => el.querySelectorAll(".s2b-grids svg[role=grid]")[which]!;

const cell = (el: HTMLElement, which: 0 | 1, query: number, key: number): Element => {
  const found = grid(el, which).querySelector(`[role=gridcell][data-query="${query}"][data-key="${key}"]`);
  assert.ok(found, `${query}, ${key}`);
  return found;
};

const labels = (el: HTMLElement, which: 0 | 1): string[][] =>
  [...grid(el, which).querySelectorAll("[role=row]")].map((row) => [...row.querySelectorAll("[role=gridcell]")].map((one) => one.getAttribute("aria-label")!));

const fire = (target: Element, type: string, more: Record<string, unknown> = {}): void => {
  target.dispatchEvent(new (window as any).Event(type, { bubbles: true, ...more }));
};

const tick = (el: HTMLElement, name: string, on: boolean): void => {
  const input = [...el.querySelectorAll(".s2b-tick")].find((one) => one.textContent === name)!.querySelector("input") as HTMLInputElement;
  input.checked = on;
  fire(input, "change");
};

const press = (el: HTMLElement, name: string): void => {
  [...el.querySelectorAll("button")].find((one) => one.textContent === name)!.click();
};

const outputs = (el: HTMLElement): string[][] =>
  [...el.querySelectorAll(".s2b-outputs tbody tr")].map((row) => [...row.children].map((one) => one.textContent ?? ""));

test("the padding of the shown sentence is forbidden in each row, and its weight is a plain 0", () => {
  const el = show(state());
  const [may, weights] = [labels(el, 0), labels(el, 1)];
  assert.deepEqual(may, Array(6).fill(["allowed", "allowed", ...Array(4).fill("forbidden")]));
  assert.deepEqual(weights.map((row) => row.slice(2)), Array(6).fill(Array(4).fill("0, forbidden")));
  const { weights: expected } = attend({ ...(state() as any).state, sentence: 1 }, false);
  assert.deepEqual(weights.map((row) => row.slice(0, 2)), expected.map((row) => row.slice(0, 2).map((one) => one.toFixed(2))));
  // a cross for each forbidden cell, in both pictures
  for (const path of el.querySelectorAll(".s2b-forbidden")) assert.equal(path.getAttribute("d")!.split("M").length - 1, 24);
});

test("masks are combined as one ticks them", async () => {
  const model = state();
  const el = show(model);
  tick(el, "causal mask", true);
  await settle();
  assert.deepEqual(labels(el, 0).map((row) => row.filter((one) => one === "allowed").length), [1, 2, 2, 2, 2, 2]);
  tick(el, "padding mask", false);
  await settle();
  assert.deepEqual(labels(el, 0).map((row) => row.filter((one) => one === "allowed").length), [1, 2, 3, 4, 5, 6]);
  const input = el.querySelector(".s2b-range") as HTMLInputElement;
  input.value = "1";
  fire(input, "input");
  await settle();
  assert.equal(model.get("window"), 1);
  assert.deepEqual(labels(el, 0).map((row) => row.filter((one) => one === "allowed").length), [1, 2, 2, 2, 2, 2]);
});

test("a click forbids a cell by hand, the row is renormalised, and can be undone", async () => {
  const model = state();
  const el = show(model);
  const before = labels(el, 1);
  fire(cell(el, 0, 0, 0), "click");
  await settle();
  assert.deepEqual(model.get("switched"), [[1, 0, 0]]);
  assert.equal(cell(el, 0, 0, 0).getAttribute("aria-label"), "forbidden, by hand");
  assert.deepEqual(labels(el, 1)[0]!.slice(0, 2), ["0, forbidden", "1.00"]);
  assert.deepEqual(labels(el, 1).slice(1), before.slice(1));
  assert.equal(el.querySelectorAll(".s2b-by-hand").length, 1);
  // the weights can be clicked as well, and a row without keys says so
  fire(cell(el, 1, 0, 1), "click");
  await settle();
  assert.deepEqual(labels(el, 1)[0], Array(6).fill("0, forbidden"));
  assert.deepEqual(outputs(el)[0]!.slice(1), ["0", "0.00", "", "0.00 0.00 0.00 0.00"]);
  assert.match(el.querySelector(".s2b-readout")!.textContent!, /forbidden, weight exactly 0, switched by hand\. This query may attend to no key: its row is 0\.$/);
  press(el, "Undo what was by hand");
  await settle();
  assert.deepEqual(labels(el, 1), before);
});

test("Enter on a cell does what a click does", async () => {
  const model = state();
  const el = show(model);
  const target = cell(el, 0, 0, 0) as any;
  target.dispatchEvent(new (window as any).KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true, cancelable: true }));
  cell(el, 0, 0, 1).dispatchEvent(new (window as any).KeyboardEvent("keydown", { key: "Enter", bubbles: true, cancelable: true }));
  await settle();
  assert.deepEqual(model.get("switched"), [[1, 0, 1]]);
});

test("the leak test: with the causal mask the last row alone changes, without it all do", async () => {
  const model = state({ sentence: 0 });
  const el = show(model);
  press(el, "Change the last word");
  await settle();
  assert.match(el.querySelector(".s2b-leak")!.textContent!, /^“bird” became “something”: rows 1, 2, 3, 4, 5 and 6 change\. Rows before the last/);
  assert.ok(outputs(el).every((row) => /^moves by 0\.\d\d$/.test(row[3]!)));
  tick(el, "causal mask", true);
  await settle();
  assert.equal(el.querySelector(".s2b-leak")!.textContent, "“bird” became “something”: of 6 words only row 6, the last, changes. No leak.");
  assert.deepEqual(outputs(el).map((row) => row[3] === "the same"), [true, true, true, true, true, false]);
  assert.equal(el.querySelectorAll(".s2b-moved").length, 1);
  // the changed word stands in the batch and in both pictures
  assert.equal(el.querySelectorAll(".s2b-batch tr")[0]!.lastElementChild!.textContent, "something");
  press(el, "Change the last word");
  await settle();
  assert.equal(model.get("changed"), false);
  assert.ok(outputs(el).every((row) => row[3] === ""));
});

test("another sentence of the batch is chosen", async () => {
  const model = state();
  const el = show(model);
  assert.deepEqual([...el.querySelectorAll(".s2b-pad")].map((one) => one.textContent), Array(4).fill("<pad>"));
  const [first] = el.querySelectorAll<HTMLInputElement>(".s2b-batch input");
  first!.checked = true;
  fire(first!, "change");
  await settle();
  assert.equal(model.get("sentence"), 0);
  assert.ok(labels(el, 0).flat().every((one) => one === "allowed"));
});

test("the reader types a batch; what is too much is refused with a reason and changes nothing", async () => {
  const model = state();
  const el = show(model);
  const input = el.querySelector("textarea") as HTMLTextAreaElement;
  assert.equal(input.value, TWO.join("\n"));
  const type = async (text: string): Promise<void> => {
    input.value = text;
    fire(input, "input");
    await settle();
  };
  await type("The dog.\n\nI sleep here\n");
  assert.deepEqual(model.get("sentences"), ["the dog .", "", "I sleep here"]);
  assert.equal(grid(el, 0).querySelectorAll("[role=row]").length, 3);
  const before = labels(el, 0);
  await type("a\nb\nc\nd\ne");
  assert.match(el.querySelector(".s2b-batch-note")!.textContent!, /5 sentences; at most 4/);
  assert.deepEqual(labels(el, 0), before);
  await type("<b>x</b> y");
  assert.equal(el.querySelector(".s2b-batch-note")!.textContent, "");
  assert.equal(el.querySelector("b"), null);
});

test("equal energies, a setting, and the table of the weights", async () => {
  const model = state({ causal: true });
  const el = show(model);
  const [setting, energy] = [...el.querySelectorAll("select")] as HTMLSelectElement[];
  energy!.selectedIndex = 1;
  fire(energy!, "change");
  setting!.selectedIndex = 1;
  fire(setting!, "change");
  await settle();
  assert.deepEqual(model.get("sentences"), fixture.settings[1].sentences);
  openTable(el);
  const rows = [...el.querySelectorAll(".s2b-twin tbody tr")].map((row) => [...row.children].map((one) => one.textContent));
  assert.deepEqual(rows[2], ["car", "0.33", "0.33", "0.33", "0 forbidden", "0 forbidden"]);
});

test("a sentence without words has no last word to change", () => {
  const el = show(state({ sentences: ["a b", ""], sentence: 1 }));
  assert.equal(el.querySelector(".s2b-leak")!.textContent, "This sentence has no last word to change.");
  const button = [...el.querySelectorAll("button")].find((one) => one.textContent === "Change the last word")!;
  assert.equal(button.getAttribute("aria-disabled"), "true");
  assert.ok(labels(el, 1).flat().every((one) => one === "0, forbidden"));
});

test("two views of one model show the same, and their radio buttons do not meet", async () => {
  const model = state();
  const [one, other] = [show(model), show(model)];
  fire(cell(one, 0, 1, 1), "click");
  await settle();
  assert.deepEqual(labels(one, 1), labels(other, 1));
  const names = [one, other].map((el) => el.querySelector("input[type=radio]")!.getAttribute("name"));
  assert.notEqual(names[0], names[1]);
});

test("damaged state ends in one plain sentence, and comes back", async () => {
  for (const changes of [{ sentences: [] }, { sentences: [""] }, { sentences: ["a ".repeat(11)] }, { sentence: 7 }, { window: "x" }, { energy: "none" }]) {
    const model = state(changes);
    const el = show(model);
    assert.match(el.querySelector(".s2b-message")!.textContent!, /This widget cannot be drawn: .*\. Run its cell again\./);
    for (const [name, value] of Object.entries({ sentences: ["a b"], sentence: 0, window: 0, energy: ENERGIES[0] })) model.set(name, value);
    await settle();
    assert.equal(labels(el, 0).length, 2);
  }
});
