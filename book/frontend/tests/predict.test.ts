import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { argmax, errorRate, errorRateSure, scoreAlignment } from "../src/shared/alignment.ts";
import type { Model } from "../src/shared/anywidget.ts";
import { decodeMaps, type Cell } from "../src/shared/state.ts";
import { describeHidden } from "../src/shared/words.ts";
import { StoredModel } from "../src/site/model.ts";
import widget from "../src/widgets/predict/index.ts";
import { bytes, fixture, freshPage, openTable, settle } from "./page.ts";

const stored = fixture.exercise;
const maps = decodeMaps(stored.maps, bytes(stored.weights));

let page: Document;
beforeEach(() => {
  page = freshPage();
});

function exercise(changes: Record<string, unknown> = {}): StoredModel {
  return new StoredModel({
    maps: structuredClone(stored.maps),
    weights: bytes(stored.weights),
    map: 0,
    marks: {},
    revealed: [],
    ...changes,
  });
}

function draw(source: Model = exercise()): HTMLElement {
  const el = page.createElement("div");
  page.body.append(el);
  void widget.render({ model: source, el });
  return el;
}

const cell = (el: Element, query: number, key: number): HTMLElement =>
  el.querySelector(`rect[role=gridcell][data-query="${query}"][data-key="${key}"]`)!;
const readout = (el: Element): string => el.querySelector("[role=status]")!.textContent!;
const count = (el: Element): string => el.querySelector(".s2b-count")!.textContent!;
const dots = (el: Element): (string | null)[] =>
  [...el.querySelectorAll(".s2b-marks .s2b-mark")].map((dot) => dot.getAttribute("data-mark"));
const named = (el: Element, name: string): HTMLButtonElement =>
  [...el.querySelectorAll("button")].find((one) => one.textContent === name)!;
const texts = (el: Element, selector: string): (string | null)[] =>
  [...el.querySelectorAll(selector)].map((one) => one.textContent);
const event = (type: string, init: Record<string, unknown> = {}): Event => {
  const make = type === "keydown" ? "KeyboardEvent" : "Event";
  return new (window as any)[make](type, { bubbles: true, cancelable: true, ...init });
};
async function press(element: HTMLElement, key?: string, init: Record<string, unknown> = {}): Promise<void> {
  element.dispatchEvent(key ? event("keydown", { key, ...init }) : event("click"));
  await settle();
}

for (const [index, { links, score }] of stored.model.entries()) {
  test(`the model's links and their score are Python's: example ${index + 1}`, () => {
    const found = argmax(maps[index]!);
    assert.deepEqual(found, links);
    const { errorRate: rate, errorRateSure: sure, ...counts } = score;
    assert.deepEqual(scoreAlignment(found, maps[index]!), counts);
    assert.ok(Math.abs(errorRate(counts) - rate) < 1e-12);
    assert.ok(Math.abs(errorRateSure(counts) - sure) < 1e-12);
  });
}

for (const { marks, score } of stored.readers) {
  test(`a reader who marks ${JSON.stringify(marks)} gets Python's score`, () => {
    const { errorRate: rate, errorRateSure: sure, ...counts } = score;
    assert.deepEqual(scoreAlignment(marks, maps[0]!), counts);
    assert.ok(Math.abs(errorRate(counts) - rate) < 1e-12);
    assert.ok(Math.abs(errorRateSure(counts) - sure) < 1e-12);
  });
}

test("a link that is drawn twice counts once", () => {
  assert.equal(scoreAlignment([[0, 0], [0, 0]], maps[0]!).predicted, 1);
});

test("the alternative text of a hidden picture is Python's, word for word", () => {
  assert.deepEqual(maps.map(describeHidden), stored.hidden);
});

test("until it is revealed the page is the same whatever the weights and the gold are", () => {
  const other = structuredClone(stored.maps);
  for (const map of other) Object.assign(map, { sure: [[0, 1]], possible: [[0, 1], [1, 0]] });
  const flat = new Float32Array(bytes(stored.weights).byteLength / 4).fill(0.25);
  const marks = { "0": [[0, 0]] };
  const one = draw(exercise({ marks }));
  const two = draw(exercise({ marks, maps: other, weights: new DataView(flat.buffer) }));
  cell(one, 1, 1).dispatchEvent(event("pointerover"));
  cell(two, 1, 1).dispatchEvent(event("pointerover"));
  assert.equal(one.innerHTML, two.innerHTML);
  assert.equal(one.querySelectorAll("table, [class*=s2b-w]:not([class*=s2b-with])").length, 0);
});

test("a click marks a cell, a second one takes the mark away; a row may have several", async () => {
  const source = exercise();
  const el = draw(source);
  await press(cell(el, 2, 1));
  await press(cell(el, 0, 1));
  await press(cell(el, 0, 0));
  assert.deepEqual(source.get("marks"), { "0": [[0, 0], [0, 1], [2, 1]] });
  assert.deepEqual(dots(el), ["0,0", "0,1", "2,1"]);
  assert.equal(count(el), "2 of 4 words marked");
  await press(cell(el, 2, 1));
  await press(cell(el, 0, 1));
  await press(cell(el, 0, 0));
  assert.deepEqual(source.get("marks"), {});
  assert.equal(count(el), "0 of 4 words marked");
});

test("a mark is seen, said and announced", async () => {
  const el = draw();
  cell(el, 3, 2).dispatchEvent(event("pointerover"));
  assert.equal(readout(el), "query dort (4), key not (3): not marked");
  await press(cell(el, 3, 2));
  assert.equal(readout(el), "query dort (4), key not (3): marked");
  const of = (name: string): (string | null)[] =>
    [cell(el, 3, 2), cell(el, 3, 3)].map((one) => one.getAttribute(name));
  assert.deepEqual(of("aria-label"), ["marked", "not marked"]);
  assert.deepEqual(of("aria-selected"), ["true", "false"]);
});

test("arrow keys move, Enter and Space mark, and a held key marks once", async () => {
  const source = exercise();
  const el = draw(source);
  cell(el, 0, 0).focus();
  for (const key of ["ArrowDown", "ArrowRight"]) await press(page.activeElement as HTMLElement, key);
  assert.equal(page.activeElement, cell(el, 1, 1));
  await press(page.activeElement as HTMLElement, "Enter");
  await press(page.activeElement as HTMLElement, "Enter", { repeat: true });
  await press(page.activeElement as HTMLElement, "End");
  await press(page.activeElement as HTMLElement, " ");
  assert.deepEqual(source.get("marks"), { "0": [[1, 1], [1, 3]] });
  assert.equal(el.querySelectorAll('[role=gridcell][tabindex="0"]').length, 1);
});

test("revealing paints the weights and outlines gold, and the marks stay on top", async () => {
  const el = draw(exercise({ marks: { "0": [[0, 1], [2, 2]] } }));
  await press(named(el, "Reveal"));
  const levels = [...el.querySelectorAll("[role=row]")].map((row) =>
    [...row.querySelectorAll("[role=gridcell]")].map((one) => Number(/s2b-w(\d+)/.exec(one.getAttribute("class")!)![1])),
  );
  assert.deepEqual(levels, [[10, 80, 10, 0], [40, 10, 40, 10], [0, 0, 0, 0], [20, 10, 10, 60]]);
  const gold = (kind: string): (string | null)[] =>
    [...el.querySelectorAll(`.s2b-golds .s2b-${kind}`)].map((one) => one.getAttribute("data-gold")).sort();
  assert.deepEqual(gold("sure"), ["0,0", "1,1", "3,3"]);
  assert.deepEqual(gold("possible"), ["0,1", "2,2"]);
  assert.deepEqual(dots(el), ["0,1", "2,2"]);
  const order = [...el.querySelector(".s2b-cells")!.children].map((part) => part.getAttribute("class"));
  assert.ok(order.indexOf("s2b-marks") > order.indexOf("s2b-golds"));
});

test("reader and model are scored side by side against gold", async () => {
  const el = draw(exercise({ marks: { "0": [[0, 1], [2, 2]] } }));
  await press(named(el, "Reveal"));
  assert.ok(el.querySelector(".s2b-scores caption")!.textContent);
  assert.deepEqual(texts(el, ".s2b-scores thead th"), ["you", "model"]);
  const rows = [...el.querySelectorAll(".s2b-scores tbody tr")].map((row) => texts(row, "td"));
  assert.deepEqual(rows, [["2", "3"], ["0", "1"], ["2", "2"], ["3", "3"], ["0.60", "0.50"], ["1.00", "0.67"]]);
  assert.equal(
    readout(el),
    "You drew 2 links: alignment error rate 0.60. The model drew 3 links: 0.50.",
  );
});

test("a revealed cell is read out with its weight, mark, link and gold, and so is the table", async () => {
  const el = draw(exercise({ marks: { "0": [[0, 1]] }, revealed: [0] }));
  cell(el, 0, 1).dispatchEvent(event("pointerover"));
  assert.equal(readout(el), "query le (1), key cat (2): 0.80, marked, model's link, gold: possible");
  assert.equal(cell(el, 3, 3).getAttribute("aria-label"), "0.60, model's link, gold: sure");
  openTable(el);
  const row = el.querySelectorAll(".s2b-twin tbody tr")[0]!;
  assert.deepEqual(texts(row, "td"), ["0.10 gold: sure", "0.80 marked, model's link, gold: possible", "0.10", "0.00"]);
});

test("revealing without a mark is allowed, and said", async () => {
  const source = exercise();
  const el = draw(source);
  await press(named(el, "Reveal"));
  assert.deepEqual(source.get("revealed"), [0]);
  assert.match(readout(el), /^You marked nothing\. The model drew 3 links/);
});

test("after revealing the marks are fixed, and the reader is told so", async () => {
  const source = exercise({ marks: { "0": [[0, 0]] }, revealed: [0] });
  const el = draw(source);
  await press(cell(el, 1, 1));
  assert.deepEqual(source.get("marks"), { "0": [[0, 0]] });
  assert.match(readout(el), /fixed/);
});

test("trying again clears the marks and hides the answer", async () => {
  const source = exercise({ marks: { "0": [[0, 0]] } });
  const fresh = draw().innerHTML;
  const el = draw(source);
  await press(named(el, "Reveal"));
  await press(named(el, "Try again"));
  assert.deepEqual([source.get("marks"), source.get("revealed")], [{}, []]);
  assert.equal(el.innerHTML, fresh);
});

test("of the two buttons the one that has no sense now does nothing", async () => {
  const source = exercise({ marks: { "0": [[0, 0]] } });
  const el = draw(source);
  assert.equal(named(el, "Try again").getAttribute("aria-disabled"), "true");
  await press(named(el, "Try again"));
  assert.deepEqual(source.get("marks"), { "0": [[0, 0]] });
});

test("each example has its own marks and its own answer", async () => {
  const source = exercise({ marks: { "0": [[0, 0]], "1": [[1, 1]] }, revealed: [0] });
  const el = draw(source);
  const select = el.querySelector("select")!;
  select.selectedIndex = 1;
  select.dispatchEvent(event("change"));
  await settle();
  assert.equal(el.querySelectorAll("table").length, 0);
  assert.deepEqual(dots(el), ["1,1"]);
  assert.equal(count(el), "1 of 2 words marked");
  await press(named(el, "Reveal"));
  await press(named(el, "Try again"));
  assert.deepEqual([source.get("marks"), source.get("revealed")], [{ "0": [[0, 0]] }, [0]]);
});

test("the cursor stays where it was when the answer appears", async () => {
  const el = draw();
  await press(cell(el, 2, 3));
  await press(named(el, "Reveal"));
  assert.equal(cell(el, 2, 3).getAttribute("tabindex"), "0");
});

const damaged: [string, Record<string, unknown>, RegExp][] = [
  ["no weights", { weights: undefined }, /the weights are missing/],
  ["no gold", { maps: stored.maps.map((map: object) => ({ ...map, sure: [] })) }, /map 1 has no sure gold links/],
  ["a list of marks", { marks: [[0, 0]] }, /the marks are not a record/],
  ["a mark outside the map", { marks: { "0": [[4, 0]] } }, /marks of example 1 hold a cell outside/],
  ["marks of no example", { marks: { "7": [[0, 0]] } }, /example 7, which does not exist/],
  ["an answer of no example", { revealed: [2] }, /revealed examples is damaged/],
];
for (const [what, changes, message] of damaged) {
  test(`damaged state ends in one sentence and gives nothing away: ${what}`, async () => {
    const source = exercise({ revealed: [0], ...changes });
    const el = draw(source);
    assert.match(el.querySelector(".s2b-message")!.textContent!, message);
    assert.equal(el.querySelectorAll("[role=grid], table").length, 0);
    for (const [name, value] of Object.entries({ maps: stored.maps, weights: bytes(stored.weights), marks: {}, revealed: [] })) {
      source.set(name, value);
    }
    await settle();
    assert.equal(el.querySelectorAll("[role=grid]").length, 1);
  });
}

test("markup in a token or a title is text and nothing else", async () => {
  const odd = "<img src=x onerror=alert(1)>";
  const records = structuredClone(stored.maps);
  records[0].query_tokens[0] = records[0].key_tokens[1] = records[0].title = odd;
  const el = draw(exercise({ maps: records, revealed: [0], marks: { "0": [[0, 1]] as Cell[] } }));
  cell(el, 0, 1).dispatchEvent(event("pointerover"));
  assert.equal(el.querySelectorAll("img").length, 0);
  assert.ok(readout(el).includes(odd));
});

test("drawing into one place again leaves one exercise, and a view that is gone leaves nothing", async () => {
  const source = exercise();
  const el = draw(source);
  const cleanup = (await widget.render({ model: source, el })) as () => void;
  assert.equal(el.querySelectorAll("[role=grid]").length, 1);
  cleanup();
  source.set("revealed", [0]);
  await settle();
  assert.equal(el.childNodes.length, 0);
});
