/** Energies and weights of the plane as Python computes them, and how the playground behaves. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, test } from "node:test";
import { StoredModel } from "../src/site/model.ts";
import { attend, DISTRIBUTIONS, ENERGIES } from "../src/widgets/playground/energies.ts";
import playground from "../src/widgets/playground/index.ts";
import { REACH, signed } from "../src/widgets/playground/plane.ts";
import { weightText } from "../src/widgets/playground/rows.ts";
import { freshPage, settle } from "./page.ts";

declare const FRONTEND: string;
const fixture = JSON.parse(readFileSync(join(FRONTEND, "tests/playground.json"), "utf8"));

let page: Document;
beforeEach(() => {
  page = freshPage();
});

// --- parity with Python -----------------------------------------------------------------------

const near = (found: readonly number[], expected: readonly number[], what: string): void => {
  assert.equal(found.length, expected.length, what);
  for (const [at, number] of found.entries()) assert.ok(Math.abs(number - (expected[at] as number)) < 1e-9, `${what}: ${found} is not ${expected}`);
};

test("every energy with every distribution gives what Python gives", () => {
  for (const { query, keys, allowed, scale, outcomes } of fixture.cases) {
    assert.equal(outcomes.length, Object.keys(ENERGIES).length * Object.keys(DISTRIBUTIONS).length);
    for (const { energy, distribution, ...expected } of outcomes) {
      const found = attend(query, keys, { energy, distribution, scale, allowed, parameters: fixture.parameters });
      for (const part of ["energies", "weights", "context"] as const) near(found[part], expected[part], `${energy}, ${distribution}, ${part}`);
      for (const [at, may] of allowed.entries()) if (!may) assert.equal(found.weights[at], 0);
    }
  }
});

test("what can be chosen has the names and the order of Python", () => {
  const first = fixture.cases[0].outcomes;
  assert.deepEqual([...new Set(first.map((one: any) => one.energy))], Object.keys(ENERGIES));
  assert.deepEqual([...new Set(first.map((one: any) => one.distribution))], Object.keys(DISTRIBUTIONS));
  assert.equal(fixture.formulas.length, Object.keys(ENERGIES).length);
  assert.equal(fixture.reach, REACH);
});

test("numbers are written as Python writes them", () => {
  for (const { number, signed: text, weight } of fixture.numbers) {
    assert.equal(signed(number), text);
    assert.equal(weightText(Math.abs(number)), weight.replace("&lt;", "<"));
  }
});

// --- the widget -------------------------------------------------------------------------------

function state(changes: Record<string, unknown> = {}): StoredModel {
  const { parameters, formulas, settings } = fixture;
  const [{ query, keys }] = settings;
  return new StoredModel({
    query,
    key_vectors: keys,
    allowed: keys.map(() => true),
    energy: "dot",
    distribution: "softmax",
    scale: 1,
    parameters,
    formulas,
    settings,
    ...changes,
  });
}

function show(model: StoredModel): HTMLElement {
  const el = page.createElement("div");
  page.body.append(el);
  void playground.render({ model, el } as never);
  return el;
}

const handle = (el: HTMLElement, name: string): Element => {
  const found = el.querySelector(`[role=slider][aria-label="${name}"]`);
  assert.ok(found, name);
  return found;
};

const press = (target: Element, key: string, shiftKey = false): Event => {
  const event = new (window as any).KeyboardEvent("keydown", { key, shiftKey, bubbles: true, cancelable: true });
  target.dispatchEvent(event);
  return event;
};

const choose = (el: HTMLElement, which: number, at: number): void => {
  const select = el.querySelectorAll("select")[which] as HTMLSelectElement;
  select.selectedIndex = at;
  select.dispatchEvent(new (window as any).Event("change"));
};

const rows = (el: HTMLElement): string[][] =>
  [...el.querySelectorAll(".s2b-keys tbody tr")].map((row) => [...row.children].map((cell) => cell.textContent ?? ""));

test("the table says what the picture shows, and the sum and the context stand below", () => {
  const model = state();
  const el = show(model);
  const { energies, weights, context } = fixture.cases[0].outcomes[0];
  const table = rows(el);
  assert.equal(table.length, 4);
  for (const [at, row] of table.slice(0, 3).entries()) {
    assert.deepEqual(row.slice(4), [signed(energies[at]), weightText(weights[at])]);
  }
  assert.deepEqual(table[3], ["context", "", signed(context[0]), signed(context[1]), "sum", "1.00"]);
  assert.match(handle(el, "key 2").getAttribute("aria-valuetext")!, /^x −1\.00, y 1\.20; energy −0\.90, weight 0\.05$/);
});

test("arrow keys move a point, with shift farther, and never out of the plane", async () => {
  const model = state();
  const el = show(model);
  const event = press(handle(el, "query"), "ArrowRight");
  assert.ok(event.defaultPrevented);
  assert.deepEqual(model.get("query"), [1.6, 0.5]);
  await settle();
  press(handle(el, "query"), "ArrowDown", true);
  assert.deepEqual(model.get("query"), [1.6, 0]);
  await settle();
  for (let time = 0; time < 9; time += 1) {
    press(handle(el, "key 1"), "ArrowUp", true);
    await settle();
  }
  assert.deepEqual((model.get("key_vectors") as number[][])[0], [1, REACH]);
  assert.match(el.querySelector(".s2b-readout")!.textContent!, /^Key 1: x 1\.00, y 3\.00; energy/);
  assert.ok(!press(handle(el, "query"), "a").defaultPrevented);
});

test("another energy and another distribution change weights, formula and shade", async () => {
  const model = state();
  const el = show(model);
  const before = [rows(el)[0]![5], el.querySelector(".s2b-formula")!.textContent, el.querySelector(".s2b-foot span")!.textContent];
  choose(el, 0, Object.keys(ENERGIES).indexOf("distance"));
  choose(el, 1, Object.keys(DISTRIBUTIONS).indexOf("sparsemax"));
  await settle();
  assert.equal(model.get("energy"), "distance");
  assert.equal(model.get("distribution"), "sparsemax");
  const after = [rows(el)[0]![5], el.querySelector(".s2b-formula")!.textContent, el.querySelector(".s2b-foot span")!.textContent];
  for (const at of before.keys()) assert.notEqual(after[at], before[at]);
  // far away from the query a key gets nothing, and it says so with a zero
  assert.equal(rows(el)[2]![5], "0");
});

test("an energy that asks for the place alone is the same everywhere", async () => {
  const el = show(state({ energy: "location" }));
  assert.match(el.querySelector(".s2b-foot span")!.textContent!, /the same everywhere/);
});

test("a key that may not be looked at weighs nothing, and is marked without colour", async () => {
  const model = state();
  const el = show(model);
  const box = el.querySelectorAll(".s2b-keys input")[1] as HTMLInputElement;
  box.checked = false;
  box.dispatchEvent(new (window as any).Event("change"));
  await settle();
  assert.deepEqual(model.get("allowed"), [true, false, true]);
  assert.equal(rows(el)[1]![5], "0");
  assert.ok(handle(el, "key 2").classList.contains("s2b-masked"));
  for (const one of el.querySelectorAll<HTMLInputElement>(".s2b-keys input")) {
    one.checked = false;
    one.dispatchEvent(new (window as any).Event("change"));
    await settle();
  }
  assert.equal(rows(el)[3]![5], "0.00");
});

test("keys come and go, at most six and at least one", async () => {
  const model = state();
  const el = show(model);
  const [more, less] = ["Add a key", "Take one away"].map(
    (name) => [...el.querySelectorAll("button")].find((one) => one.textContent === name)!,
  );
  for (let time = 0; time < 5; time += 1) {
    more!.click();
    await settle();
  }
  assert.equal((model.get("key_vectors") as unknown[]).length, 6);
  assert.equal((model.get("allowed") as unknown[]).length, 6);
  assert.equal(more!.getAttribute("aria-disabled"), "true");
  assert.equal(el.querySelectorAll("[role=slider]").length, 7);
  for (let time = 0; time < 8; time += 1) {
    less!.click();
    await settle();
  }
  assert.equal(el.querySelectorAll("[role=slider]").length, 2);
  assert.equal(less!.getAttribute("aria-disabled"), "true");
});

test("a setting brings its points, and a moved point makes it the reader's own", async () => {
  const model = state();
  const el = show(model);
  const select = el.querySelectorAll("select")[2] as HTMLSelectElement;
  choose(el, 2, 1);
  await settle();
  assert.deepEqual(model.get("key_vectors"), fixture.settings[1].keys);
  assert.equal(select.selectedIndex, 1);
  press(handle(el, "query"), "ArrowUp");
  await settle();
  assert.equal(select.options[select.selectedIndex]!.textContent, "yours");
});

test("two views of one model show the same", async () => {
  const model = state();
  const [one, other] = [show(model), show(model)];
  press(handle(one, "query"), "ArrowUp", true);
  await settle();
  assert.deepEqual(rows(one), rows(other));
  assert.equal(handle(other, "query").getAttribute("aria-valuetext"), handle(one, "query").getAttribute("aria-valuetext"));
});

test("damaged state ends in one plain sentence, and comes back", async () => {
  for (const changes of [{ query: [1] }, { query: [NaN, 0] }, { key_vectors: [] }, { key_vectors: [["a", 0]] }, { key_vectors: [[9, 0]] }, { energy: "none" }]) {
    const model = state(changes);
    const el = show(model);
    assert.match(el.querySelector(".s2b-message")!.textContent!, /This widget cannot be drawn: .*\. Run its cell again\./);
    model.set("query", [0, 0]);
    model.set("key_vectors", [[1, 1]]);
    model.set("energy", "dot");
    await settle();
    assert.equal(rows(el).length, 2);
  }
});
