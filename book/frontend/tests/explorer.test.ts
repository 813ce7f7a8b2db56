/** The corpus explorer: what it finds, what it draws, and what it does where a kernel answers. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, test } from "node:test";
import type { Model } from "../src/shared/anywidget.ts";
import { StoredModel } from "../src/site/model.ts";
import widget from "../src/widgets/explorer/index.ts";
import { HEIGHT, layout } from "../src/widgets/explorer/layout.ts";
import { Finder, plain, readEntries } from "../src/widgets/explorer/pairs.ts";
import { words } from "../src/shared/sentence.ts";
import { freshPage, Kernel, openTable, settle } from "./page.ts";

declare const FRONTEND: string;
const fixture = JSON.parse(readFileSync(join(FRONTEND, "tests/explorer.json"), "utf8"));

let page: Document;
beforeEach(() => {
  page = freshPage();
});

const state = (changes: Record<string, unknown> = {}): Record<string, unknown> => ({
  ...structuredClone(fixture.state),
  place: 0,
  phenomenon: "",
  length: "",
  search: "",
  typed: {},
  ...changes,
});
const model = (changes: Record<string, unknown> = {}): StoredModel => new StoredModel(state(changes));

function draw(source: Model = model()): HTMLElement {
  const el = page.createElement("div");
  page.body.append(el);
  void widget.render({ model: source, el });
  return el;
}

const event = (type: string, init: Record<string, unknown> = {}): Event => {
  const make = type === "keydown" ? "KeyboardEvent" : "Event";
  return new (window as any)[make](type, { bubbles: true, cancelable: true, ...init });
};
const word = (el: Element, side: "source" | "target", at: number): SVGElement =>
  el.querySelector(`.s2b-pair-word[data-side="${side}"][data-at="${at}"]`)!;
const text = (el: Element, selector: string): string => el.querySelector(selector)!.textContent!;
const texts = (el: Element, selector: string): string[] => [...el.querySelectorAll(selector)].map((one) => one.textContent!);
const english = (el: Element): string => texts(el, '[data-side="source"] text').join(" ");
const french = (el: Element): string => texts(el, '[data-side="target"] text').join(" ");
const named = (el: Element, name: string): HTMLButtonElement =>
  [...el.querySelectorAll("button")].find((one) => one.textContent === name)!;
const field = (el: Element): HTMLInputElement => el.querySelector("input")!;
const lit = (el: Element): string[] =>
  [...el.querySelectorAll(".s2b-pair-word.s2b-lit")].map((one) => one.querySelector("text")!.textContent!);

async function type(el: Element, typed: string): Promise<void> {
  field(el).value = typed;
  field(el).dispatchEvent(event("input"));
  await settle();
}

async function press(element: Element, key?: string): Promise<void> {
  element.dispatchEvent(key ? event("keydown", { key }) : event("click"));
  await settle();
}

async function choose(el: Element, at: number, option: string): Promise<void> {
  const select = el.querySelectorAll("select")[at]!;
  select.selectedIndex = [...select.options].findIndex((one) => one.textContent!.startsWith(option));
  select.dispatchEvent(event("change"));
  await settle();
}

test("two rows of words stand where Python puts them", () => {
  const entries = readEntries(model());
  for (const [at, expected] of fixture.layouts.entries()) {
    const found = layout(entries[at]!.source, entries[at]!.target);
    const numbers = (row: readonly { x: number; width: number }[]): number[][] => row.map(({ x, width }) => [x, width]);
    assert.deepEqual({ width: found.width, source: numbers(found.source), target: numbers(found.target) }, expected);
  }
  assert.equal(HEIGHT, fixture.height);
});

test("the sentence that counts tokens and links is Python's, word for word", async () => {
  for (const [place, expected] of fixture.counts.entries()) {
    assert.equal(text(draw(model({ place })), ".s2b-readout"), expected);
  }
});

test("each link is a line, solid if sure and dashed if only possible", () => {
  const el = draw();
  assert.equal(el.querySelectorAll(".s2b-links .s2b-sure").length, 6);
  assert.equal(el.querySelectorAll(".s2b-links .s2b-possible").length, 3);
});

test("a word that is pointed at lights up its links and what it goes with, and nothing else", () => {
  const el = draw();
  word(el, "source", 3).dispatchEvent(event("pointerover"));
  assert.deepEqual(lit(el), ["not", "ne", "pas"]);
  assert.equal(el.querySelectorAll(".s2b-links .s2b-lit").length, 2);
  assert.equal(text(el, ".s2b-readout"), "English not (4) goes with ne (3), pas (5)");
  word(el, "source", 2).dispatchEvent(event("pointerover"));
  assert.equal(text(el, ".s2b-readout"), "English does (3) goes with ne (3), only possible, dort (4), only possible, pas (5), only possible");
  el.querySelector(".s2b-pair")!.dispatchEvent(event("pointerleave"));
  assert.deepEqual(lit(el), []);
  assert.equal(text(el, ".s2b-readout"), fixture.counts[0]);
});

test("a tapped word stays lit until it is tapped again", async () => {
  const el = draw();
  await press(word(el, "target", 3));
  el.querySelector(".s2b-pair")!.dispatchEvent(event("pointerleave"));
  assert.deepEqual(lit(el), ["does", "sleep", "dort"]);
  assert.equal(word(el, "target", 3).getAttribute("aria-pressed"), "true");
  await press(word(el, "target", 3));
  el.querySelector(".s2b-pair")!.dispatchEvent(event("pointerleave"));
  assert.deepEqual(lit(el), []);
});

test("arrow keys walk along a row and across a link; one word is a tab stop", async () => {
  const el = draw();
  const focused: (string | null)[] = [];
  el.addEventListener("focusin", (one) => focused.push((one.target as Element).getAttribute("data-side")! + (one.target as Element).getAttribute("data-at")));
  const key = async (name: string): Promise<void> => press(document.activeElement!, name);
  word(el, "source", 0).focus();
  for (const name of ["ArrowRight", "ArrowRight", "ArrowRight", "ArrowDown", "ArrowRight", "ArrowUp", "End", "Home"]) await key(name);
  assert.deepEqual(focused, ["source0", "source1", "source2", "source3", "target2", "target3", "source4", "source5", "source0"]);
  assert.equal(el.querySelectorAll(".s2b-pair-word[tabindex='0']").length, 1);
});

test("a word says to a screen reader what it goes with", () => {
  assert.equal(word(draw(), "target", 2).getAttribute("aria-label"), "ne, French word 3: goes with does (3), only possible, not (4)");
});

test("the table has a row for each link, in the order of the French words", () => {
  const el = draw();
  openTable(el);
  const rows = [...el.querySelectorAll("tbody tr")].map((row) => [...row.children].map((cell) => cell.textContent));
  assert.equal(rows.length, 9);
  assert.deepEqual(rows[2], ["ne (3)", "does (3)", "possible"]);
  assert.deepEqual(rows[3], ["ne (3)", "not (4)", "sure"]);
});

test("next, previous and another lead through the pairs, round and round", async () => {
  const source = model();
  const el = draw(source);
  await press(named(el, "Previous"));
  assert.equal(source.get("place"), 4);
  assert.equal(text(el, ".s2b-count"), "5 of 5");
  await press(named(el, "Next"));
  await press(named(el, "Next"));
  assert.equal(english(el), "the red car stops .");
  for (let turn = 0; turn < 10; turn += 1) {
    const before = source.get("place");
    await press(named(el, "Another"));
    assert.notEqual(source.get("place"), before);
  }
});

test("a phenomenon leaves the pairs that show it, goes to the first, and underlines its words", async () => {
  const source = model();
  const el = draw(source);
  await choose(el, 0, "adjective order");
  assert.equal(source.get("phenomenon"), "adjective_order");
  assert.equal(english(el), "the red car stops .");
  assert.equal(text(el, ".s2b-status"), "1 of 5 pairs fits.");
  assert.deepEqual(texts(el, ".s2b-found text"), ["voiture", "rouge"]);
  assert.equal(named(el, "Next").getAttribute("aria-disabled"), "true");
});

test("options are counted under the other filters", async () => {
  const el = draw();
  const options = (at: number): string[] => [...el.querySelectorAll("select")[at]!.options].map((one) => one.textContent!);
  assert.deepEqual(options(1), ["any (5)", "short, up to 8 (4)", "medium, 9 to 14 (1)", "long, 15 and more (0)"]);
  await choose(el, 1, "medium");
  assert.deepEqual(options(0).slice(0, 3), ["anything (1)", "adjective order (0)", "agreement (1)"]);
  assert.equal(english(el), "the king reads the letter when the queen reads the small books .");
});

test("a chip filters by what the pair shows, and pressed again filters no more", async () => {
  const source = model();
  const el = draw(source);
  await press(named(el, "negation"));
  assert.equal(source.get("phenomenon"), "negation");
  assert.equal(named(el, "negation").getAttribute("aria-pressed"), "true");
  await press(named(el, "negation"));
  assert.equal(source.get("phenomenon"), "");
});

test("a chip that is pointed at underlines its words while it is", () => {
  const el = draw();
  named(el, "negation").dispatchEvent(event("pointerenter"));
  assert.deepEqual(texts(el, ".s2b-found text"), ["ne", "pas"]);
  named(el, "negation").dispatchEvent(event("pointerleave"));
  assert.deepEqual(texts(el, ".s2b-found text"), []);
});

test("a search finds words of both languages and underlines them", async () => {
  const el = draw();
  await type(el, "oiseau");
  assert.equal(text(el, ".s2b-status"), "2 of 5 pairs fit.");
  assert.equal(english(el), "does the bird sleep ?");
  assert.deepEqual(texts(el, ".s2b-found text"), ["oiseau"]);
  await type(el, "sleep");
  assert.equal(text(el, ".s2b-count"), "2 of 2");
});

test("whole words are found before beginnings, and beginnings where there is no such word", () => {
  const finder = new Finder(readEntries(model()));
  const find = (search: string): number[] => finder.find({ phenomenon: "", length: "", search });
  assert.deepEqual(find("roi"), [2]);
  assert.deepEqual(find("voit"), [1]);
  assert.deepEqual(find("le"), [0, 2]);
  assert.deepEqual(find("  RED   car "), [1]);
  assert.deepEqual(find("car red"), []);
  assert.deepEqual(find("l'oiseau"), [3, 4]);
  assert.deepEqual(find("l’oiseau"), [3, 4]);
  assert.deepEqual(find("i see"), [4]);
  assert.deepEqual(find("sleep."), [0]);
  assert.deepEqual(find(""), [0, 1, 2, 3, 4]);
});

test("a phrase does not reach from the English into the French", () => {
  const finder = new Finder(readEntries(model()));
  assert.deepEqual(finder.find({ phenomenon: "", length: "", search: ". le" }), []);
});

test("what is typed becomes the words of the language", () => {
  assert.deepEqual(words("  I see the Bird."), ["I", "see", "the", "bird", "."]);
  assert.equal(plain("aujourd’hui l’oiseau"), "aujourd'hui l' oiseau");
});

test("when nothing fits it says what was asked for and offers the way back", async () => {
  const source = model();
  const el = draw(source);
  await choose(el, 0, "negation");
  await type(el, "<b>voiture");
  assert.equal(text(el, ".s2b-message"), "None of these pairs has “<b>voiture” together with negation. Show all 5 pairs");
  assert.equal(el.querySelectorAll(".s2b-message b").length, 0);
  assert.equal(text(el, ".s2b-status"), "0 of 5 pairs fit.");
  await press(named(el, "Show all 5 pairs"));
  assert.equal(text(el, ".s2b-status"), "All 5 pairs.");
  assert.equal(field(el).value, "");
  assert.ok(el.querySelector(".s2b-pair"));
});

test("Escape empties the field, and no key reaches the notebook", async () => {
  const el = draw();
  await type(el, "roi");
  let heard = 0;
  page.body.addEventListener("keydown", () => (heard += 1));
  await press(field(el), "Escape");
  assert.equal(field(el).value, "");
  assert.equal(text(el, ".s2b-status"), "All 5 pairs.");
  assert.equal(heard, 0);
});

test("two views of one model show the same pair", async () => {
  const source = model();
  const [one, two] = [draw(source), draw(source)];
  await press(named(one, "Next"));
  assert.equal(english(two), "the red car stops .");
});

test("rendering twice into one place does not stack", () => {
  const source = model();
  const el = draw(source);
  void widget.render({ model: source, el });
  assert.equal(el.querySelectorAll(".s2b-explorer").length, 1);
});

for (const [name, changes, reason] of [
  ["no pairs", { pairs: [] }, "there are no sentence pairs in it"],
  ["no sentence", { pairs: [[1, 2, [], []]] }, "pair 1 is not a pair of sentences with links"],
  ["a link outside", { pairs: [["a", "b", [5, 0], []]] }, "pair 1: links hold a cell outside the map"],
  ["half a link", { pairs: [["a", "b", [0], []]] }, "pair 1 is not a pair of sentences with links"],
] as const) {
  test(`damaged state ends in one sentence: ${name}`, () => {
    assert.equal(text(draw(model(changes)), ".s2b-message"), `These pairs cannot be drawn: ${reason}. Run this cell again.`);
  });
}

// -- with a kernel ------------------------------------------------------------------------------

const LATER = 260;
const wait = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, LATER));

async function inNotebook(): Promise<{ kernel: Kernel; el: HTMLElement }> {
  const kernel = new Kernel(state());
  const el = draw(kernel);
  kernel.hear({ type: "hello", id: kernel.sent[0]!["id"] });
  await settle();
  return { kernel, el };
}

test("where nobody answers the field only searches", async () => {
  const kernel = new Kernel(state());
  const el = draw(kernel);
  assert.equal(text(el, ".s2b-ask"), "Search for a word, English or French");
  await type(el, "the car is old .");
  await wait();
  assert.deepEqual(kernel.sent.map((one) => one["type"]), ["hello"]);
});

test("where Python answers a sentence is translated, once typing pauses", async () => {
  const { kernel, el } = await inNotebook();
  assert.equal(text(el, ".s2b-ask"), "Search for a word, or type an English sentence");
  // both within one turn: no machine is too slow for that
  void type(el, "the car is");
  await type(el, "the car is old .");
  await wait();
  assert.equal(kernel.sent.length, 2);
  assert.deepEqual((kernel.sent[1]!["request"] as any).source, ["the", "car", "is", "old", "."]);
  kernel.hear({ ...fixture.typed, id: kernel.sent[1]!["id"] });
  await settle();
  assert.equal(french(el), "la voiture est vieille .");
  assert.equal(text(el, ".s2b-count"), "your sentence");
  assert.match(text(el, ".s2b-status"), /^Your sentence, translated by the grammar/);
});

test("a word alone is not sent, a sentence of no language gets the reason", async () => {
  const { kernel, el } = await inNotebook();
  await type(el, "zebra");
  await wait();
  assert.equal(kernel.sent.length, 1);
  await type(el, "the zebra sleeps .");
  await wait();
  kernel.hear({ type: "refusal", message: "'zebra' is no noun", id: kernel.sent[1]!["id"] });
  await settle();
  assert.equal(text(el, ".s2b-status"), "0 of 5 pairs fit. As a sentence: 'zebra' is no noun.");
});

test("an answer to what is no longer typed is not shown", async () => {
  const { kernel, el } = await inNotebook();
  await type(el, "the car is old .");
  await wait();
  await type(el, "roi");
  kernel.hear({ ...fixture.typed, id: kernel.sent[1]!["id"] });
  await settle();
  assert.equal(english(el), "the king reads the letter when the queen reads the small books .");
});

test("from one's own sentence Next leads back to the pairs", async () => {
  const kernel = new Kernel(state({ typed: { pair: fixture.typed.pair, spans: fixture.typed.spans } }));
  const el = draw(kernel);
  assert.equal(english(el), "the car is old .");
  await press(named(el, "Next"));
  assert.equal(english(el), "the boy does not sleep .");
  assert.deepEqual(kernel.get("typed"), {});
});

test("a line to the kernel that is gone is said, not thrown", async () => {
  const { kernel, el } = await inNotebook();
  kernel.send = () => {
    throw new Error("gone");
  };
  await type(el, "the car is old .");
  await wait();
  assert.match(text(el, ".s2b-status"), /the kernel no longer knows this widget; run this cell again\.$/);
});
