/** Schemes of positions as Python computes them, and how the position explorer behaves. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, test } from "node:test";
import { StoredModel } from "../src/site/model.ts";
import { signedClass } from "../src/widgets/stepthrough/strips.ts";
import positions, { BASES, HEADS, MOST_PLACES, MOST_WIDTH } from "../src/widgets/positions/index.ts";
import { law, numberText, pairSays, profileTicks, ticks } from "../src/widgets/positions/says.ts";
import { compute, largest, places, SCHEMES, spread } from "../src/widgets/positions/schemes.ts";
import { freshPage, settle } from "./page.ts";

declare const FRONTEND: string;
const fixture = JSON.parse(readFileSync(join(FRONTEND, "tests/positions.json"), "utf8"));

let page: Document;
beforeEach(() => {
  page = freshPage();
});

// --- parity with Python -----------------------------------------------------------------------

const near = (found: readonly (readonly number[])[], expected: number[][], what: string): void => {
  assert.deepEqual(found.map((row) => row.length), expected.map((row) => row.length), what);
  for (const [at, row] of found.entries()) {
    for (const [to, number] of row.entries()) {
      assert.ok(Math.abs(number - (expected[at]?.[to] as number)) < 1e-9, `${what}: ${at}, ${to}: ${number} is not ${expected[at]?.[to]}`);
    }
  }
};

test("every scheme gives what Python gives", () => {
  const schemes = new Set();
  const check = (parameters: any) => ({ settings, places: shown, vectors, scores, ...expected }: any): void => {
    const found = compute(settings, parameters);
    const what = JSON.stringify(settings);
    assert.equal(places(settings, parameters), shown, what);
    near(found.scores, scores, what);
    assert.equal(found.vectors === null, vectors === null, what);
    if (found.vectors) near(found.vectors, vectors, what);
    assert.ok(Math.abs(spread(found.scores) - expected.spread) < 1e-9);
    assert.equal(law(found.scores), expected.law);
    for (const [row, column, text] of expected.says) {
      assert.equal(pairSays(settings.scheme, row, column, numberText(found.scores[row]![column]!, largest(found.scores))), text);
    }
    schemes.add(settings.scheme);
  };
  fixture.cases.forEach(check(fixture.parameters));
  fixture.learned.forEach(check(fixture.trained));
  assert.deepEqual([...schemes], [...SCHEMES]);
});

test("what can be chosen has the names, the order and the limits of Python", () => {
  assert.deepEqual(fixture.schemes.map((one: any) => one.name), [...SCHEMES]);
  assert.deepEqual(fixture.limits, [MOST_PLACES, MOST_WIDTH, HEADS]);
  assert.deepEqual(fixture.bases, BASES);
});

test("numbers and ticks are written as Python writes them", () => {
  for (const [number, text] of fixture.numbers) assert.equal(numberText(number), text);
  for (const [count, expected] of fixture.ticks) assert.deepEqual(ticks(count), expected);
  for (const [count, expected] of fixture.profile_ticks) assert.deepEqual(profileTicks(count), expected);
});

// --- the widget -------------------------------------------------------------------------------

function state(changes: Record<string, unknown> = {}): StoredModel {
  return new StoredModel({
    scheme: "sinusoidal",
    width: 8,
    length: 6,
    base: 100,
    head: 2,
    furthest: 2,
    row: 3,
    column: 2,
    parameters: fixture.parameters,
    schemes: fixture.schemes,
    ...changes,
  });
}

function show(model: StoredModel): HTMLElement {
  const el = page.createElement("div");
  page.body.append(el);
  void positions.render({ model, el } as never);
  return el;
}

const cursor = (el: HTMLElement, name: string): Element => {
  const found = el.querySelector(`[role=slider][aria-label="${name}"]`);
  assert.ok(found, name);
  return found;
};

const press = (target: Element, key: string, ctrlKey = false): Event => {
  const event = new (window as any).KeyboardEvent("keydown", { key, ctrlKey, bubbles: true, cancelable: true });
  target.dispatchEvent(event);
  return event;
};

const slide = (el: HTMLElement, name: string, value: number): HTMLInputElement => {
  const input = [...el.querySelectorAll(".s2b-slider")].find((one) => one.firstChild?.textContent === name)!.querySelector("input") as HTMLInputElement;
  input.value = String(value);
  input.dispatchEvent(new (window as any).Event("input"));
  return input;
};

const choose = (el: HTMLElement, scheme: string): void => {
  const select = el.querySelector("select") as HTMLSelectElement;
  select.selectedIndex = SCHEMES.findIndex((name) => name === scheme);
  select.dispatchEvent(new (window as any).Event("change"));
};

const said = (el: HTMLElement): string => el.querySelector(".s2b-readout")!.textContent!;

const open = (el: HTMLElement, at: number): string[][] => {
  const fold = el.querySelectorAll("details")[at] as HTMLDetailsElement;
  fold.open = true;
  fold.dispatchEvent(new (window as any).Event("toggle"));
  return [...fold.querySelectorAll("tbody tr")].map((row) => [...row.children].map((cell) => cell.textContent ?? ""));
};

test("each cell is painted with its number, and the tables say the same", () => {
  const model = state();
  const el = show(model);
  const { vectors, scores } = compute({ scheme: "sinusoidal", width: 8, length: 6, base: 100, head: 2, furthest: 2 }, fixture.parameters);
  for (const [kind, values] of [[".s2b-vectors[role=group]", vectors!], [".s2b-scores-of-places", scores]] as const) {
    const scale = largest(values);
    const painted = [...el.querySelectorAll(`${kind} g[shape-rendering] path`)];
    const counts = new Map(painted.map((path) => [path.getAttribute("class"), path.getAttribute("d")!.split("M").length - 1]));
    const expected = new Map<string, number>();
    for (const value of values.flat()) {
      const name = signedClass(value / scale);
      if (name !== "s2b-w0") expected.set(name, (expected.get(name) ?? 0) + 1);
    }
    assert.deepEqual([...counts].sort(), [...expected].sort());
  }
  assert.deepEqual(open(el, 0)[1], ["place 1", ...scores[1]!.map((score) => numberText(score, largest(scores)))]);
  assert.deepEqual(open(el, 1)[5], ["place 5", ...vectors![5]!.map((value) => numberText(value, largest(vectors!)))]);
});

test("arrow keys move the chosen pair, and the sentence follows", async () => {
  const model = state();
  const el = show(model);
  const pair = cursor(el, "pair of places");
  assert.match(said(el), /^Places 3 and 2, 1 to the left: dot product /);
  assert.ok(press(pair, "ArrowRight").defaultPrevented);
  await settle();
  assert.deepEqual([model.get("row"), model.get("column")], [3, 3]);
  assert.match(said(el), /^Places 3 and 3, the same place: dot product 4\.00\.$/);
  press(pair, "End", true);
  await settle();
  assert.deepEqual([model.get("row"), model.get("column")], [5, 5]);
  press(pair, "ArrowDown");
  await settle();
  assert.equal(model.get("row"), 5);
  assert.equal(pair.getAttribute("aria-valuetext"), said(el));
  assert.ok(!press(pair, "a").defaultPrevented);
});

test("a feature is read out with the angle that it is the sine or the cosine of", async () => {
  const el = show(state());
  const feature = cursor(el, "feature of a place");
  press(feature, "ArrowRight");
  await settle();
  assert.equal(said(el), `Place 3, feature 1: ${numberText(Math.cos(3))}, the cosine of 3 / 100^(0/8).`);
  press(feature, "ArrowDown");
  press(feature, "ArrowRight");
  await settle();
  assert.equal(said(el), `Place 4, feature 2: ${numberText(Math.sin(4 / 100 ** 0.25))}, the sine of 4 / 100^(2/8).`);
});

test("every scheme but the learned one says that the distance alone counts", async () => {
  const el = show(state());
  for (const scheme of SCHEMES) {
    choose(el, scheme);
    await settle();
    const expected = scheme === "learned" ? /differ by up to/ : /the distance alone counts\.$/;
    assert.match(el.querySelector(".s2b-law")!.textContent!, expected, scheme);
    // where the distance alone counts, all rows lie on one curve
    const dots = el.querySelector(".s2b-others")!.getAttribute("d")!.split("M").length - 1;
    assert.ok(scheme === "learned" ? dots > 20 : dots <= 11, `${scheme}: ${dots}`);
    assert.equal(el.querySelector(".s2b-scheme")!.textContent, fixture.schemes.find((one: any) => one.name === scheme).formula);
  }
});

test("a scheme offers what it depends on, and where it has no vectors it says so", async () => {
  const el = show(state());
  const offered = (): string[] =>
    [...el.querySelectorAll<HTMLElement>(".s2b-slider")].filter((one) => !one.hidden).map((one) => one.firstChild!.textContent!);
  const expected: Record<string, string[]> = {
    sinusoidal: ["Base", "Places", "Width"],
    learned: ["Places", "Width"],
    relative: ["Furthest", "Places"],
    rotary: ["Base", "Places", "Width"],
    ALiBi: ["Head", "Places"],
  };
  for (const [scheme, names] of Object.entries(expected)) {
    choose(el, scheme);
    await settle();
    assert.deepEqual(offered(), names, scheme);
    const blank = el.querySelector(".s2b-vectors[role=img]")!;
    assert.equal(blank.hasAttribute("hidden"), names.includes("Width"), scheme);
    assert.equal(blank.textContent, fixture.empty.replace(": ", ":"));
  }
});

test("sliders change places, width, base and head", async () => {
  const model = state();
  const el = show(model);
  slide(el, "Places", 9);
  slide(el, "Width", 5);
  slide(el, "Base", 0);
  await settle();
  assert.deepEqual([model.get("length"), model.get("width"), model.get("base")], [9, 5, 10]);
  assert.equal(open(el, 0).length, 9);
  assert.equal(open(el, 1)[0]!.length, 6);
  choose(el, "ALiBi");
  slide(el, "Head", 8);
  await settle();
  assert.match(said(el), /Query at place 3, key at place 2, 1 to the left: −0\.0039 is added to the energy\./);
});

test("rotary positions keep an even width, in whichever way one goes", async () => {
  const model = state({ width: 7 });
  const el = show(model);
  choose(el, "rotary");
  await settle();
  assert.equal(model.get("width"), 6);
  slide(el, "Width", 7);
  await settle();
  assert.equal(model.get("width"), 8);
  const input = slide(el, "Width", 1);
  await settle();
  assert.deepEqual([model.get("width"), input.value], [2, "2"]);
});

test("fewer places keep the chosen pair in the picture", async () => {
  const model = state({ row: 5, column: 5 });
  const el = show(model);
  slide(el, "Places", 3);
  await settle();
  assert.match(said(el), /^Places 2 and 2/);
});

test("a trained table that is too short says where it ends", () => {
  const el = show(state({ scheme: "learned", parameters: fixture.trained }));
  assert.match(el.querySelector(".s2b-law")!.textContent!, /Only the places 0 to 2 were learned: for place 3 there is no vector\.$/);
  assert.equal(open(el, 0).length, 3);
});

test("two views of one model show the same", async () => {
  const model = state();
  const [one, other] = [show(model), show(model)];
  press(cursor(one, "pair of places"), "ArrowUp");
  await settle();
  assert.equal(said(one), said(other));
});

test("damaged state ends in one plain sentence, and comes back", async () => {
  const { parameters } = fixture;
  for (const changes of [
    { scheme: "none" },
    { width: 0 },
    { length: 400 },
    { base: 1 },
    { scheme: "rotary", width: 3 },
    { parameters: {} },
    { parameters: { ...parameters, bias: ["a"] } },
    { parameters: { ...parameters, table: [[1], [1, 2]] } },
  ]) {
    const model = state(changes);
    const el = show(model);
    assert.match(el.querySelector(".s2b-message")!.textContent!, /This widget cannot be drawn: .*\. Run its cell again\./);
    for (const [name, value] of Object.entries({ scheme: "ALiBi", width: 4, length: 4, base: 10, parameters })) model.set(name, value);
    await settle();
    assert.equal((el.querySelector(".s2b-message") as HTMLElement).hidden, true);
    assert.match(said(el), /is added to the energy/);
  }
});
