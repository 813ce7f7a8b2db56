/** The comparison: what it says and draws is what Python does, and how it asks one model after another. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, test } from "node:test";
import { translate } from "../src/engines/browser/answers/translate.ts";
import { Vocabulary } from "../src/engines/browser/vocabulary.ts";
import { Gallery, type Card } from "../src/shared/gallery.ts";
import { decodeMaps, type AttentionMap } from "../src/shared/state.ts";
import { parts } from "../src/shared/thumbnail.ts";
import { bestOf, oneHead } from "../src/widgets/compare/heads.ts";
import { replaced } from "../src/widgets/compare/entries.ts";
import widget from "../src/widgets/compare/index.ts";
import { CAPTION, cells, CHOICE, drawnNote, DRAWS, error, facts, HEADS, HEADS_MIXED, nameOf, noPicture, noPictureNote, rowsNote, writesNote, type Compared } from "../src/widgets/compare/says.ts";
import { bytes, freshPage, Kernel, openTable, settle } from "./page.ts";

declare const FRONTEND: string;
const fixture = JSON.parse(readFileSync(join(FRONTEND, "tests/compare.json"), "utf8"));

let page: Document;
beforeEach(() => {
  page = freshPage();
});

// --- parity with Python -----------------------------------------------------------------------

const maps = (): AttentionMap[] => decodeMaps(fixture.maps, bytes(fixture.weights));

const cases = (): [Compared, any][] =>
  fixture.cases.map((expected: any) => {
    const { title, written, reference, head, map } = expected;
    const whole = map === null ? null : maps()[map]!;
    const drawn = whole && oneHead(whole, head);
    return [{ title, written, reference, map: drawn, heads: whole ? whole.layers * whole.heads : 0, head }, expected];
  });

test("what is said about a model is what Python says", () => {
  for (const [one, expected] of cases()) {
    assert.deepEqual(facts(one), expected.facts, one.title);
    assert.equal(writesNote(one), expected.writes);
    assert.deepEqual(cells(one), expected.cells);
    assert.deepEqual(cells(one, true), expected.cells_mixed);
    assert.deepEqual([drawnNote(one), nameOf(one)], [expected.drawn_note, expected.name]);
    assert.deepEqual(noPicture(one), expected.no_picture);
    const found = error(one);
    if (expected.error === null) assert.equal(found, null);
    else assert.ok(Math.abs((found as number) - expected.error) < 1e-12);
  }
  const [first] = cases()[0]!;
  const notes = [rowsNote(15, first.reference), rowsNote(1, first.reference), rowsNote(15, null)];
  assert.deepEqual([...notes, ...[1, 2, 3].map((without) => rowsNote(3, first.reference, without))], fixture.rows);
  assert.deepEqual([CAPTION, [...HEADS], [...HEADS_MIXED]], [fixture.caption, fixture.heads, fixture.heads_mixed]);
  assert.deepEqual([CHOICE, DRAWS, noPictureNote("fixed")], [fixture.choice, fixture.draws, fixture.no_picture_note]);
});

test("the mean of all heads, or one of them, is to the last bit what Python computes", () => {
  const several = cases().filter(([{ heads }]) => heads > 1);
  assert.equal(several.length, 3);
  for (const [{ map, title }, { weights }] of several) {
    assert.deepEqual(map!.queryTokens.map((_, query) => map!.row(0, 0, query)), weights, title);
    assert.equal(map!.weight(0, 0, 3, 2), weights[3][2]);
    assert.deepEqual([map!.layers, map!.heads], [1, 1]);
  }
});

test("a best head that a map does not have is none", () => {
  const whole = maps()[6]!;
  assert.deepEqual([whole.layers, whole.heads], [2, 3]);
  assert.deepEqual(bestOf([1, 2], whole), [1, 2]);
  for (const given of [undefined, [2, 0], [0, 3], [-1, 0], [0.5, 0], [1], "x"]) assert.equal(bestOf(given, whole), null);
});

test("a thumbnail is drawn as Python draws it: cells by level, then gold", () => {
  for (const [{ map, title }, { squares, gold }] of cases()) {
    if (!map) continue;
    const outlines = Object.entries(gold).flatMap(([kind, path]) => [
      ["s2b-gold-halo", path],
      [`s2b-gold s2b-${kind}`, path],
    ]);
    assert.deepEqual(parts(map), [...squares, ...outlines], title);
  }
});

// --- the gallery ------------------------------------------------------------------------------

const cards = (): Card[] => cases().slice(0, 6).map(([{ title, map }]) => ({ title, map, facts: ["a", "b"] }));

function gallery(): { shown: Gallery; chosen: number[]; options: () => HTMLElement[] } {
  const chosen: number[] = [];
  const shown: Gallery = new Gallery("models", (place) => {
    chosen.push(place);
    shown.show(cards(), place);
  });
  page.body.append(shown.element);
  shown.show(cards(), 0);
  const options = () => [...shown.element.querySelectorAll<HTMLElement>("[role=option]")];
  // two rows of three, as a browser would lay them out
  for (const [place, option] of options().entries()) Object.defineProperty(option, "offsetTop", { value: Math.floor(place / 3) });
  return { shown, chosen, options };
}

const press = (key: string): void => {
  page.activeElement!.dispatchEvent(new (window as any).KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
};

test("one thumbnail can be reached with Tab; arrows move and choose, in rows too", () => {
  const { chosen, options } = gallery();
  assert.deepEqual(options().map((one) => one.tabIndex), [0, -1, -1, -1, -1, -1]);
  options()[0]!.focus();
  for (const key of ["ArrowRight", "ArrowDown", "ArrowDown", "ArrowLeft", "ArrowUp", "End", "Home", "ArrowLeft", "x"]) press(key);
  // at a rim the one that is chosen stays so, and is not chosen again
  assert.deepEqual(chosen, [1, 4, 3, 0, 5, 0]);
  assert.deepEqual(options().map((one) => one.getAttribute("aria-selected")), ["true", ...Array(5).fill("false")]);
  assert.equal(page.activeElement, options()[0]);
});

test("a click chooses; the name of a thumbnail is all that stands below it", () => {
  const { chosen, options } = gallery();
  (options()[4]!.querySelector("svg") as unknown as HTMLElement).dispatchEvent(new (window as any).Event("click", { bubbles: true }));
  assert.deepEqual(chosen, [4]);
  assert.equal(options()[4]!.textContent, "silentab");
  assert.equal(options()[4]!.querySelector("svg")!.getAttribute("aria-hidden"), "true");
});

test("a card without a map has words in the place of its picture, and may get a picture again", () => {
  const { shown, options } = gallery();
  const [first, ...others] = cards();
  shown.show([{ ...first!, map: null, instead: ["none here", "it writes: x"] }, ...others], 0);
  assert.equal(options()[0]!.querySelector("svg"), null);
  assert.deepEqual([...options()[0]!.firstElementChild!.children].map((one) => one.textContent), ["none here", "it writes: x"]);
  shown.show(cards(), 0);
  assert.equal(options()[0]!.querySelectorAll("svg").length, 1);
  assert.equal(options()[0]!.textContent, "sharpab");
});

test("fewer cards leave nothing behind", () => {
  const { shown, options } = gallery();
  shown.show(cards().slice(0, 2), 1);
  assert.equal(options().length, 2);
  shown.show(cards().map((card) => ({ ...card, facts: [] })), 1);
  assert.equal(shown.element.querySelectorAll(".s2b-thumb-fact").length, 0);
});

test("of all numbers only those of one model are replaced", () => {
  const entries = [...fixture.maps.map((map: any) => ({ written: [], reference: null, map }))];
  entries.splice(3, 0, { written: [], reference: null, map: null, source: ["x"] });
  const numbers = new Float32Array([0.25, 0.5, 0.125]);
  const map = { ...fixture.maps[4], shape: [1, 1, 1, 3], query_tokens: ["x"], offset: 0 };
  const { entries: after, weights } = replaced(entries, bytes(fixture.weights), 1, { written: ["x"], reference: null, map }, new DataView(numbers.buffer));
  const before = decodeMaps(fixture.maps, bytes(fixture.weights));
  assert.deepEqual(after[3], entries[3]);
  const found = decodeMaps(after.flatMap((entry) => entry.map ?? []), weights);
  for (const [place, one] of found.entries()) {
    if (place === 1) assert.deepEqual(one.row(0, 0, 0), [0.25, 0.5, 0.125]);
    else assert.deepEqual(one.queryTokens.map((_, query) => one.row(0, 0, query)), before[place]!.queryTokens.map((_, query) => before[place]!.row(0, 0, query)));
  }
});

// --- the widget -------------------------------------------------------------------------------

/** Model `place` puts all its weight on word `place` of the source, wherever it writes. */
function reply(request: any, own: string[], gold: object | null | undefined): { message: object; numbers: ArrayBuffer } {
  const tokens = request.prefix.length > 0 ? request.prefix : [...own, "<eos>"];
  const weights = new Float32Array(tokens.length * request.source.length);
  for (const at of tokens.keys()) weights[at * request.source.length + Math.min(request.model, request.source.length - 1)] = 1;
  const steps = tokens.map((token: string) => ({ token, log_prob: -0.1, alternatives: [] }));
  const map = {
    title: "",
    kind: "cross",
    shape: [1, 1, tokens.length, request.source.length],
    offset: 0,
    query_tokens: tokens,
    key_tokens: request.source,
    sure: [],
    possible: [],
    normalised: true,
  };
  return { message: { answer: { source: request.source, steps, hypotheses: [], gold }, map }, numbers: weights.buffer };
}

const KING = { source: ["the", "king"], target: ["LE", "ROI"], sure: [[0, 0], [1, 1]], possible: [[0, 0], [1, 1]] };
const TITLES = ["one", "two", "three"];

function model(changes: Record<string, unknown> = {}): Kernel {
  const stored = TITLES.map((_, place) => reply({ source: KING.source, model: place, prefix: [...KING.target, "<eos>"] }, [], null));
  const maps = stored.map(({ message }, place) => ({ ...(message as any).map, offset: 6 * place, sure: KING.sure, possible: KING.possible }));
  const weights = new Float32Array(18);
  for (const [place, { numbers }] of stored.entries()) weights.set(new Float32Array(numbers), 6 * place);
  return new Kernel({
    key: "compare",
    models: TITLES.map((title) => ({ title, stored: null })),
    source_words: ["<pad>", "<unk>", "the", "king", "queen"],
    target_words: ["<bos>", "<eos>", "LE", "ROI", "LA", "REINE"],
    examples: [{ title: "a king", ...KING }],
    more: [],
    written: [["LE", "ROI"], ["LE"], ["LE", "ROI"]],
    maps,
    weights: new DataView(weights.buffer),
    shown: {},
    shown_weights: new DataView(new ArrayBuffer(0)),
    chosen: 0,
    query: -1,
    ...changes,
  });
}

function draw(source: Kernel): HTMLElement {
  const el = page.createElement("div");
  page.body.append(el);
  void widget.render({ model: source, el });
  return el;
}

async function ready(source: Kernel): Promise<HTMLElement> {
  const el = draw(source);
  source.hear({ type: "hello", id: source.sent[0]!["id"] });
  await settle();
  return el;
}

const texts = (el: Element, selector: string): string[] => [...el.querySelectorAll(selector)].map((one) => one.textContent ?? "");
const below = (el: Element): string[][] => [...el.querySelectorAll("[role=option]")].map((one) => texts(one, ".s2b-thumb-fact"));
const asked = (source: Kernel): any[] => source.sent.filter(({ type }) => type === "translate").map(({ request }) => request);
const said = (el: Element, part: string): string => el.querySelector(`.s2b-${part}`)!.textContent ?? "";

async function type(el: Element, text: string): Promise<void> {
  const input = el.querySelector("input.s2b-input") as HTMLInputElement;
  input.value = text;
  input.dispatchEvent(new (window as any).Event("input", { bubbles: true }));
  await settle();
}

/** Answer what was asked last. */
async function answer(source: Kernel, own: string[], gold: object | null = null): Promise<void> {
  const { id, request } = source.sent.at(-1) as any;
  const { message, numbers } = reply(request, own, gold);
  source.hear({ type: "answer", id, ...message }, [numbers]);
  await settle();
}

async function refuse(source: Kernel, message: string): Promise<void> {
  source.hear({ type: "refusal", id: source.sent.at(-1)!["id"], message });
  await settle();
}

test("the stored example stands there at once, with all models and the first one large", () => {
  const el = draw(model());
  assert.deepEqual(texts(el, ".s2b-thumb-title"), TITLES);
  // |A| = 2, |S| = 2: the first model hits le, the second roi, the third is the second again
  assert.deepEqual(below(el), [["✓ right", "error 0.50"], ["✗ other words", "error 0.50"], ["✓ right", "error 0.50"]]);
  assert.match(said(el, "note"), /made to write the reference, “LE ROI”/);
  assert.deepEqual(texts(el, ".s2b-rows .s2b-label"), ["LE", "ROI", "<eos>"]);
  assert.equal(el.querySelectorAll(".s2b-cells .s2b-sure").length, 2);
});

test("a chosen thumbnail is enlarged and named, its row stays held, and Python hears of it", async () => {
  const source = model({ query: 1 });
  const el = draw(source);
  (el.querySelectorAll("[role=option]")[1] as HTMLElement).click();
  await settle();
  assert.equal(source.get("chosen"), 1);
  assert.equal(source.get("query"), 1);
  assert.equal(said(el, "writes"), "Left to itself, two writes: LE");
  assert.equal(el.querySelector("[role=gridcell][data-query='0'][data-key='1']")!.getAttribute("aria-label"), "1.00");
});

test("a sentence that is taken away is asked of no other model, and a button asks them", async () => {
  for (const gone of ["", "the ".repeat(61)]) {
    const source = model({ chosen: 1 });
    const el = await ready(source);
    await type(el, "the queen");
    await answer(source, ["LA", "REINE"]);
    await type(el, gone);
    assert.match(said(el, "count"), /1 of 3 models have answered/);
    assert.match(said(el, "count"), /1 of 3 models have answered/);
    // the words that are offered while the field is empty are options, too
    const facts = below(el).filter((one) => one.length > 0);
    assert.deepEqual(facts[0], ["no answer yet", "it was not asked."]);
    const others = [...el.querySelectorAll("button")].find((one) => one.textContent === "Ask the others")!;
    assert.equal(others.hidden, false);
    others.click();
    assert.match(said(el, "count"), /1 of 3 models have been asked/);
    assert.deepEqual(asked(source).map((request) => request.model).slice(-1), [0]);
  }
});

test("one model after another is asked, the chosen one first; their pictures come one by one", async () => {
  const source = model({ chosen: 1 });
  const el = await ready(source);
  await type(el, "the queen");
  assert.match(said(el, "count"), /0 of 3 models have been asked/);
  assert.ok(el.querySelector(".s2b-comparison")!.classList.contains("s2b-behind"));
  assert.deepEqual(asked(source).map((request) => request.model), [1]);
  await answer(source, ["LA", "REINE"]);
  assert.deepEqual(asked(source).map((request) => request.model), [1, 0]);
  assert.deepEqual(below(el)[1], ["LA REINE", ""]);
  assert.deepEqual(below(el)[0], ["no answer yet", "it is asked in turn."]);
  assert.match(said(el, "count"), /1 of 3 models have been asked/);
  assert.equal(el.querySelectorAll(".s2b-old").length, 2);
  assert.ok(!el.querySelector(".s2b-comparison")!.classList.contains("s2b-behind"));
  await answer(source, ["LA"]);
  await answer(source, ["LA", "LA", "LA"]);
  assert.deepEqual(below(el).map(([line]) => line), ["LA", "LA REINE", "LA LA LA"]);
  assert.equal(el.querySelectorAll(".s2b-old").length, 0);
  assert.equal(el.querySelector(".s2b-count span")!.textContent, "");
  assert.match(said(el, "note"), /reference of this sentence is not known/);
  assert.equal(el.querySelector(".s2b-comparison")!.hasAttribute("aria-busy"), false);
});

test("what is pointed at in the large picture stays so while other models answer", async () => {
  const source = model();
  const el = await ready(source);
  await type(el, "the queen");
  await answer(source, ["LA", "REINE"]);
  const cell = el.querySelector("[role=gridcell][data-query='1'][data-key='0']")!;
  cell.dispatchEvent(new (window as any).Event("pointerover", { bubbles: true }));
  const before = said(el, "readout");
  assert.match(before, /query REINE \(2\) → key the \(1\): 1\.00/);
  await answer(source, ["LA"]);
  assert.equal(said(el, "readout"), before);
});

test("where the truth is known, who writes something else is made to write it", async () => {
  const source = model();
  const el = await ready(source);
  const gold = { source: ["the", "queen"], target: ["LA", "REINE"], sure: [[0, 0], [1, 1]], possible: [[0, 0], [1, 1]] };
  await type(el, "the queen");
  await answer(source, ["LA", "REINE"], gold);
  await answer(source, ["LE", "ROI"], gold);
  assert.deepEqual(asked(source).map(({ model, prefix }) => [model, prefix]), [[0, []], [1, []], [1, ["LA", "REINE", "<eos>"]]]);
  await answer(source, [], gold);
  await answer(source, ["LA", "REINE"], gold);
  assert.deepEqual(below(el).map(([line]) => line), ["✓ right", "✗ other words", "✓ right"]);
  assert.deepEqual((source.get("shown") as any).entries[1].written, ["LE", "ROI"]);
  assert.deepEqual((source.get("shown") as any).entries[1].map.query_tokens, ["LA", "REINE", "<eos>"]);
});

test("whoever types on is answered about the last sentence alone, by every model", async () => {
  const source = model();
  const el = await ready(source);
  await type(el, "the");
  await type(el, "the queen");
  await type(el, "the queen queen");
  // the answer about a sentence that nobody wants any more is not drawn
  await answer(source, ["LE"]);
  assert.deepEqual(below(el).map(([line]) => line), ["✓ right", "✗ other words", "✓ right"]);
  for (let count = 0; count < 3; count += 1) await answer(source, ["LA"]);
  assert.deepEqual(asked(source).map((request) => request.source.length), [1, 3, 3, 3]);
  assert.deepEqual(asked(source).slice(1).map((request) => request.model), [0, 1, 2]);
  assert.deepEqual((source.get("shown") as any).entries.map(({ map }: any) => map.key_tokens.length), [3, 3, 3]);
});

test("a model that gives no answer keeps its picture and says why; it can be asked again", async () => {
  const source = model();
  const el = await ready(source);
  await type(el, "the queen");
  await answer(source, ["LA"]);
  await refuse(source, "two raised ValueError: 2 keys, but only 1 place");
  await answer(source, ["LA"]);
  assert.deepEqual(below(el), [["LA", ""], ["no answer yet", "two raised ValueError: 2 keys, but only 1 place."], ["LA", ""]]);
  assert.match(said(el, "count"), /2 of 3 models have answered\./);
  (el.querySelectorAll("[role=option]")[1] as HTMLElement).click();
  await settle();
  assert.match(said(el, "writes"), /two: two raised ValueError.* the sentence before/);
  assert.deepEqual(texts(el, ".s2b-cells .s2b-label"), ["the", "king"]);
  const others = [...el.querySelectorAll("button")].find((one) => one.textContent === "Ask the others") as HTMLButtonElement;
  assert.equal(others.hidden, false);
  others.click();
  await settle();
  assert.deepEqual(asked(source).map((request) => request.model), [0, 1, 2, 1]);
  await answer(source, ["LA", "LA"]);
  assert.equal(below(el)[1]![0], "LA LA");
  assert.equal(others.hidden, true);
});

test("when no model answers the reader is told, and the pictures stay", async () => {
  const source = model();
  const el = await ready(source);
  await type(el, "the queen");
  for (let count = 0; count < 3; count += 1) await refuse(source, "nothing works");
  assert.match(said(el, "status"), /There is no answer: nothing works\./);
  assert.deepEqual(texts(el, ".s2b-cells .s2b-label"), ["the", "king"]);
  assert.equal(el.querySelectorAll(".s2b-old").length, 3);
});

test("a stored example ends what is under way", async () => {
  const source = model();
  const el = await ready(source);
  await type(el, "the queen");
  const examples = el.querySelector("select") as HTMLSelectElement;
  examples.selectedIndex = 0;
  examples.dispatchEvent(new (window as any).Event("change"));
  await settle();
  await answer(source, ["LA"]);
  assert.equal(asked(source).length, 1);
  assert.deepEqual(below(el).map(([line]) => line), ["✓ right", "✗ other words", "✓ right"]);
  assert.equal(el.querySelectorAll(".s2b-old").length, 0);
});

test("two views of a model keep in step", async () => {
  const source = model();
  const el = await ready(source);
  const other = draw(source);
  (other.querySelectorAll("[role=option]")[2] as HTMLElement).click();
  await type(el, "the queen");
  await answer(source, ["LA"]);
  for (const view of [el, other]) {
    assert.equal(view.querySelector("[aria-selected=true] .s2b-thumb-title")!.textContent, "three");
    assert.deepEqual(below(view)[2], ["LA", ""]);
    assert.equal(view.querySelectorAll(".s2b-old").length, 2);
  }
});

test("unknown words are named and marked", async () => {
  const source = model();
  const el = await ready(source);
  await type(el, "the zebra");
  await answer(source, ["LA"]);
  assert.match(said(el, "note"), /Not in the vocabulary, so read as <unk>: zebra/);
  assert.deepEqual(texts(el, "text.s2b-unknown"), ["zebra"]);
});

test("the table of the models says what the thumbnails say", () => {
  const el = draw(model());
  openTable(el);
  const rows = [...el.querySelectorAll(".s2b-models tbody tr")].map((row) => texts(row, "td"));
  assert.deepEqual(rows, [["yes", "0.50", "LE ROI"], ["no", "0.50", "LE"], ["yes", "0.50", "LE ROI"]]);
});

test("an answer without its numbers is no answer, and the next model is asked all the same", async () => {
  const source = model();
  const el = await ready(source);
  await type(el, "the queen");
  const { id, request } = source.sent.at(-1) as any;
  source.hear({ type: "answer", id, ...reply(request, ["LA"], null).message }, []);
  await settle();
  assert.equal(below(el)[0]![1], "the kernel sent an answer that cannot be read.");
  assert.deepEqual(asked(source).map((one) => one.model), [0, 1]);
});

test("damaged state ends in one sentence", () => {
  for (const changes of [{ maps: [] }, { weights: new DataView(new ArrayBuffer(4)) }, { written: null }]) {
    const el = draw(model(changes));
    assert.match(said(el, "message"), /cannot be drawn: .*Run its cell again\./);
  }
});

// --- several heads, and none ------------------------------------------------------------------

/** Four heads of which the last looks at the second word, the others at the first. */
function several(tokens: readonly string[], keys: readonly string[]): { map: any; numbers: Float32Array<ArrayBuffer> } {
  const numbers = new Float32Array(4 * tokens.length * keys.length);
  for (let head = 0; head < 4; head += 1) for (const at of tokens.keys()) numbers[(head * tokens.length + at) * keys.length + (head === 3 ? 1 : 0)] = 1;
  const map = { title: "", kind: "cross", shape: [2, 2, tokens.length, keys.length], offset: 0, query_tokens: tokens, key_tokens: keys, sure: [], possible: [], normalised: true };
  return { map, numbers };
}

const ENDED = [...KING.target, "<eos>"];

/** A fixed context, an attention of one head, a Transformer; the last has a best head. */
function trio(changes: Record<string, unknown> = {}): Kernel {
  const one = reply({ source: KING.source, model: 0, prefix: ENDED }, [], null) as any;
  const four = several(ENDED, KING.source);
  const gold = { sure: KING.sure, possible: KING.possible };
  const weights = new Float32Array([...new Float32Array(one.numbers), ...four.numbers]);
  return model({
    models: [{ title: "fixed", stored: null, attention: false }, { title: "one", stored: null }, { title: "four", stored: null, head: [1, 1] }],
    written: [["LE"], ["LE", "ROI"], ["LE", "ROI"]],
    maps: [{ ...one.message.map, ...gold }, { ...four.map, ...gold, offset: 6 }],
    weights: new DataView(weights.buffer),
    draws: "mean",
    ...changes,
  });
}

const cell = (el: Element, query: number, key: number): string | null =>
  el.querySelector(`[role=gridcell][data-query='${query}'][data-key='${key}']`)!.getAttribute("aria-label");

function chooseDraws(el: Element, at: number): void {
  const select = [...el.querySelectorAll("select")].find((one) => one.parentElement!.textContent!.startsWith("Heads"))!;
  select.selectedIndex = at;
  select.dispatchEvent(new (window as any).Event("change"));
}

test("a model without attention says so in its tile, with what it writes and whether that is right", () => {
  const el = draw(trio());
  const [tile] = el.querySelectorAll("[role=option]");
  assert.equal(tile!.querySelector("svg"), null);
  assert.equal(tile!.firstElementChild!.textContent, "No attention, so no picture.It writes: LE");
  assert.deepEqual(below(el)[0], ["✗ other words", "", ""]);
  assert.match(said(el, "note"), /The models with attention were made to write the reference/);
});

test("a chosen model without attention has a reason in the place of the large picture", async () => {
  const source = trio({ chosen: 2, query: 1 });
  const el = draw(source);
  (el.querySelectorAll("[role=option]")[0] as HTMLElement).click();
  await settle();
  assert.equal(source.get("chosen"), 0);
  assert.equal(said(el, "holder"), noPictureNote("fixed"));
  assert.ok(el.querySelector(".s2b-comparison")!.classList.contains("s2b-pictureless"));
  assert.equal(said(el, "writes"), "Left to itself, fixed writes: LE");
  (el.querySelectorAll("[role=option]")[1] as HTMLElement).click();
  await settle();
  assert.ok(!el.querySelector(".s2b-comparison")!.classList.contains("s2b-pictureless"));
  assert.equal(cell(el, 0, 0), "1.00");
});

test("of several heads the mean is drawn and scored, or the best head, as is chosen", async () => {
  const source = trio({ chosen: 2 });
  const el = draw(source);
  assert.deepEqual(below(el).slice(1), [["✓ right", "error 0.50", "its only head"], ["✓ right", "error 0.50", "mean of 4 heads"]]);
  assert.deepEqual([cell(el, 1, 0), cell(el, 1, 1)], ["0.75", "0.25"]);
  chooseDraws(el, 1);
  await settle();
  assert.equal(source.get("draws"), "best");
  assert.deepEqual(below(el)[2], ["✓ right", "error 0.50", "layer 2, head 2"]);
  assert.deepEqual([cell(el, 1, 0), cell(el, 1, 1)], ["0.00", "1.00"]);
  assert.deepEqual(texts(el, ".s2b-bar > .s2b-control:not(:has(select))"), ["four, layer 2, head 2"]);
});

test("the error beside a picture is that of what is drawn", async () => {
  const onlySecond = { sure: [[0, 1], [1, 1]], possible: [[0, 1], [1, 1]] };
  const source = trio();
  const stored = source.get("maps") as any[];
  source.set("maps", [stored[0], { ...stored[1], ...onlySecond }]);
  const el = draw(source);
  assert.equal(below(el)[2]![1], "error 1.00");
  chooseDraws(el, 1);
  await settle();
  assert.equal(below(el)[2]![1], "error 0.00");
});

test("without a best head there is nothing to choose", () => {
  const models = ["fixed", "one", "four"].map((title, at) => ({ title, stored: null, ...(at === 0 ? { attention: false } : {}) }));
  const el = draw(trio({ models, draws: "best" }));
  assert.ok(![...el.querySelectorAll("label")].some((one) => one.textContent!.startsWith("Heads")));
  assert.equal(below(el)[2]![2], "mean of 4 heads");
});

test("the table says what is drawn of each model, and of which there is nothing", () => {
  const el = draw(trio());
  openTable(el);
  assert.deepEqual(texts(el, ".s2b-models thead th"), ["right", "error", "attention", "writes"]);
  const rows = [...el.querySelectorAll(".s2b-models tbody tr")].map((row) => texts(row, "td"));
  assert.deepEqual(rows, [["no", "none", "none", "LE"], ["yes", "0.50", "its only head", "LE ROI"], ["yes", "0.50", "mean of 4 heads", "LE ROI"]]);
});

test("in the browser, too, a translator without attention answers without a map", async () => {
  const target = new Vocabulary(["<pad>", "<unk>", "<bos>", "<eos>", "LE"]);
  const next: Record<number, number> = { [target.bos]: 4, 4: target.eos };
  const reader = {
    heads: {},
    start: () => null,
    step: async ([token]: readonly number[]) => ({
      state: null,
      logProbs: [Float32Array.from({ length: 5 }, (_, word) => (word === next[token!] ? 0 : -Infinity))],
      attention: [{}],
    }),
    select: () => null,
  };
  const request = { source: ["the"], model: 0, prefix: [], width: 1, temperature: 1, scale: 1 };
  const { answer: found, map, buffers } = await translate(request, reader as any, target);
  assert.deepEqual(found.steps.map(({ token }) => token), ["LE", "<eos>"]);
  assert.deepEqual([map, buffers], [null, []]);
});

test("a model without attention answers without a map, and is asked once; all heads of another arrive", async () => {
  const source = trio();
  const el = await ready(source);
  const gold = { source: ["the", "queen"], target: ["LA", "REINE"], sure: [[0, 0], [1, 1]], possible: [[0, 0], [1, 1]] };
  await type(el, "the queen");
  const { id, request } = source.sent.at(-1) as any;
  source.hear({ type: "answer", id, answer: (reply(request, ["LE"], gold).message as any).answer, map: null }, []);
  await settle();
  assert.deepEqual(asked(source).map(({ model: at, prefix }) => [at, prefix.length]), [[0, 0], [1, 0]]);
  assert.equal(el.querySelector("[role=option]")!.firstElementChild!.textContent, "No attention, so no picture.It writes: LE");
  assert.equal(said(el, "writes"), "Left to itself, fixed writes: LE");
  await answer(source, ["LA", "REINE"], gold);
  const last = source.sent.at(-1) as any;
  const four = several(["LA", "REINE", "<eos>"], ["the", "queen"]);
  source.hear({ type: "answer", id: last.id, answer: (reply(last.request, ["LA", "REINE"], gold).message as any).answer, map: four.map }, [four.numbers.buffer]);
  await settle();
  const entries = (source.get("shown") as any).entries;
  assert.deepEqual(entries.map(({ map }: any) => map?.shape ?? null), [null, [1, 1, 3, 2], [2, 2, 3, 2]]);
  assert.deepEqual(entries[0].source, ["the", "queen"]);
  assert.equal(below(el)[2]![2], "mean of 4 heads");
  assert.equal(el.querySelectorAll(".s2b-old").length, 0);
});

test("a model without attention that gives no answer is not shown with words of the sentence before", async () => {
  const source = trio();
  const el = await ready(source);
  await type(el, "the queen");
  await refuse(source, "it is tired");
  await answer(source, ["LA"]);
  assert.deepEqual(below(el)[0], ["no answer yet", "it is tired."]);
  assert.ok(el.querySelector("[role=option]")!.classList.contains("s2b-old"));
  assert.equal(said(el, "writes"), "fixed: it is tired. What it wrote is of the sentence before.");
});
