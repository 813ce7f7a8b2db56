/** Searches and distributions as Python computes them, and how the two widgets behave. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, test } from "node:test";
import type { Reader } from "../src/engines/browser/search.ts";
import { grow } from "../src/engines/browser/searchtree.ts";
import { apply, draw, entropy, staying } from "../src/shared/distribution.ts";
import { label } from "../src/shared/tokens.ts";
import { boxLabel, layOut, rank, score, treeNodes, type ShortNode } from "../src/widgets/beamtree/layout.ts";
import beamTree from "../src/widgets/beamtree/index.ts";
import { percent } from "../src/widgets/distribution/rows.ts";
import distribution from "../src/widgets/distribution/index.ts";
import { freshPage, Kernel, openTable, settle } from "./page.ts";

declare const FRONTEND: string;
const fixture = JSON.parse(readFileSync(join(FRONTEND, "tests/decoding.json"), "utf8"));

let page: Document;
beforeEach(() => {
  page = freshPage();
});

// --- parity with Python -----------------------------------------------------------------------

function reader(table: (number | null)[][]): Reader<null> {
  return {
    heads: {},
    start: () => null,
    step: async (tokens) => ({
      state: null,
      logProbs: tokens.map((token) => Float32Array.from(table[token] as number[], (x) => x ?? -Infinity)),
      attention: tokens.map(() => ({})),
    }),
    select: () => null,
  };
}

for (const [at, { table, trees }] of fixture.searches.entries()) {
  for (const expected of trees) {
    test(`table ${at}, beam of ${expected.width}: the same tree as in Python, node for node`, async () => {
      const options = { bos: fixture.words.indexOf("<bos>"), eos: fixture.words.indexOf("<eos>"), width: expected.width, maxLength: fixture.limit };
      const { nodes, found } = await grow(reader(table), options);
      const short = nodes.map(({ parent, token, logProb, kept }): ShortNode => [parent, fixture.words[token], logProb, Number(kept)]);
      assert.deepEqual(short.map(([parent, token, , kept]) => [parent, token, kept]), expected.nodes.map(([p, t, , k]: ShortNode) => [p, t, k]));
      for (const [place, [, , logProb]] of short.entries()) assert.ok(Math.abs(logProb - expected.nodes[place][2]) < 1e-5);
      assert.deepEqual(found, expected.found);
    });
  }
}

test("a tree is laid out and its results are ranked as in Python", () => {
  for (const { trees } of fixture.searches) {
    for (const { nodes: short, found, ranked, scores, spots, size } of trees) {
      const nodes = treeNodes(short);
      const layout = layOut(nodes, nodes.map(({ token }) => label(boxLabel(token))));
      assert.deepEqual(layout.spots.map(({ x, y }) => [x, y]), spots);
      assert.deepEqual([layout.width, layout.height, layout.box.width, layout.across, layout.steps], size);
      for (const [at, penalty] of fixture.penalties.entries()) {
        const order = rank(nodes, found, penalty);
        assert.deepEqual(order.map(({ place }) => place), ranked[at]);
        for (const [row, node] of order.entries()) assert.ok(Math.abs(score(node, penalty) - scores[at][row]) < 1e-5);
      }
    }
  }
});

test("sliders compute what seq2bert.sampling computes", () => {
  for (const { log_probs, rules } of fixture.distributions) {
    for (const { temperature, k, p, probabilities, staying: count, entropy: bits } of rules) {
      const found = apply(log_probs, { temperature, k: k || Infinity, p });
      for (const [place, expected] of probabilities.entries()) {
        assert.ok(Math.abs(Math.exp(found[place]!) - expected) < 1e-6, `T ${temperature}, k ${k}, p ${p}, word ${place}`);
      }
      assert.equal(staying(found), count);
      assert.ok(Math.abs(entropy(found) - bits) < 1e-5);
    }
  }
});

test("probabilities are written as Python writes them", () => {
  for (const { probability, text } of fixture.percents) assert.equal(percent(probability), text);
});

test("what is drawn is what may come, and follows the probabilities", () => {
  const logProbs = apply([0.5, 0.25, 0.15, 0.1].map(Math.log), { temperature: 1, k: 2, p: 1 });
  // numbers from 0 to 1 in even steps: the shares come out exactly
  let at = 0;
  const counts = draw(logProbs, 300, () => (at++ + 0.5) / 300);
  assert.deepEqual([...counts].sort(), [[0, 200], [1, 100]]);
  assert.deepEqual([...draw([0, -Infinity], 5, () => 0.999999999)], [[0, 5]]);
});

// --- the widgets in front of a kernel that a test plays ------------------------------------------

const NODES: ShortNode[] = [
  [-1, "le", -0.5, 1],
  [-1, "la", -0.9, 1],
  [0, "roi", -1.0, 1],
  [0, "reine", -3.0, 0],
  [1, "<eos>", -1.8, 1],
  [1, "reine", -2.5, 0],
  [2, "<eos>", -2.0, 1],
  [2, ".", -4.0, 0],
];
const ANSWER = { source: ["the", "king"], width: 2, nodes: NODES, found: [6, 4] };
const COMMON = {
  models: [{ title: "one", stored: null }],
  source_words: ["<pad>", "<unk>", "the", "king", "queen"],
};

function treeModel(changes: Record<string, unknown> = {}): Kernel {
  return new Kernel({
    ...COMMON,
    key: "tree",
    target_words: ["<bos>", "<eos>", "le", "la", "roi", "reine", "."],
    examples: [{ title: "a king", source: ["the", "king"] }],
    answers: [ANSWER],
    shown: {},
    penalty: 1,
    step: -1,
    selected: -1,
    ...changes,
  });
}

function show(widget: { render(props: never): unknown }, model: Kernel): HTMLElement {
  const el = page.createElement("div");
  page.body.append(el);
  void widget.render({ model, el } as never);
  return el;
}

const texts = (el: Element, selector: string): string[] => [...el.querySelectorAll(selector)].map((one) => one.textContent ?? "");
const visible = (el: Element): string[] => texts(el, ".s2b-node:not(.s2b-off) .s2b-tree-word");
const press = (el: Element, name: string): void => {
  const button = [...el.querySelectorAll("button")].find((one) => one.textContent === name);
  assert.ok(button, name);
  button.click();
};
const awake = async (model: Kernel): Promise<void> => {
  model.hear({ type: "hello", id: model.sent.find(({ type }) => type === "hello")!["id"] });
  await settle();
};
function move(input: Element, value: string): void {
  (input as HTMLInputElement).value = value;
  input.dispatchEvent(new (window as any).Event("input"));
}

test("the whole tree is there at once; it can be taken apart and grown step by step", async () => {
  const el = show(beamTree, treeModel());
  assert.equal(visible(el).length, NODES.length);
  press(el, "First step");
  await settle();
  assert.deepEqual(visible(el), ["le", "la"]);
  assert.match(el.querySelector(".s2b-results")!.textContent!, /not at its end/);
  press(el, "Step forward");
  await settle();
  assert.deepEqual(visible(el), ["le", "la", "roi", "reine", "end", "reine"]);
  press(el, "Step back");
  await settle();
  assert.deepEqual(visible(el), ["le", "la"]);
  press(el, "Whole tree");
  await settle();
  assert.equal(visible(el).length, NODES.length);
});

test("what was kept, what was dropped and the best result are told apart by more than colour", () => {
  const el = show(beamTree, treeModel());
  assert.deepEqual(texts(el, ".s2b-tree-mark"), ["", "", "", "✕", "2", "✕", "★", "✕"]);
  const won = [...el.querySelectorAll(".s2b-node.s2b-won")].map((one) => one.getAttribute("data-box"));
  assert.deepEqual(won, ["0", "2", "6"]);
  assert.match(el.querySelector("[data-node='3']")!.getAttribute("aria-label")!, /dropped/);
});

test("the length penalty changes the order of the results without asking again", async () => {
  const model = treeModel();
  const el = show(beamTree, model);
  await awake(model);
  const asked = model.sent.length;
  assert.deepEqual(texts(el, ".s2b-results bdi"), ["le roi", "la"]);
  move(el.querySelector("input[type=range]")!, "0");
  await settle();
  assert.deepEqual(texts(el, ".s2b-results bdi"), ["la", "le roi"]);
  assert.deepEqual(texts(el, "[data-box='4'] .s2b-tree-mark"), ["★"]);
  assert.equal(model.sent.length, asked);
  assert.match(el.querySelector(".s2b-results")!.textContent!, /log p −1.80, length 2, score −1.800/);
});

test("a box says its whole beginning, by click and by keyboard", async () => {
  const model = treeModel();
  const el = show(beamTree, model);
  const at = (place: number): Element => el.querySelector(`[data-node='${place}']`)!;
  at(5).dispatchEvent(new (window as any).Event("click", { bubbles: true }));
  await settle();
  assert.match(el.querySelector(".s2b-readout")!.textContent!, /Word 2: la reine: log p −2.500 \(p = 0.082\), score −1.250; dropped/);
  const key = async (from: number, name: string): Promise<void> => {
    at(from).dispatchEvent(new (window as any).KeyboardEvent("keydown", { key: name, bubbles: true }));
    await settle();
  };
  await key(5, "ArrowLeft");
  assert.match(el.querySelector(".s2b-readout")!.textContent!, /Word 1: la:/);
  await key(1, "ArrowUp");
  assert.match(el.querySelector(".s2b-readout")!.textContent!, /Word 1: le:/);
  await key(0, "ArrowRight");
  assert.match(el.querySelector(".s2b-readout")!.textContent!, /Word 2: le roi:/);
  // one box can be reached by Tab, the chosen one
  assert.deepEqual([...el.querySelectorAll(".s2b-target[tabindex='0']")].map((one) => one.getAttribute("data-node")), ["2"]);
});

test("what was dropped can be left out", async () => {
  const el = show(beamTree, treeModel());
  const tick = el.querySelector<HTMLInputElement>("input[type=checkbox]")!;
  tick.checked = false;
  tick.dispatchEvent(new (window as any).Event("change"));
  assert.deepEqual(visible(el), ["le", "la", "roi", "end", "end"]);
});

test("the table holds every beginning and what became of it", () => {
  const el = show(beamTree, treeModel());
  openTable(el);
  assert.equal(el.querySelectorAll(".s2b-table tbody tr").length, NODES.length);
  assert.deepEqual(texts(el, ".s2b-table tbody tr:nth-child(7) > *"), ["le roi (end)", "3", "−2.000", "−0.667", "the best result"]);
});

test("a typed sentence is asked about with the chosen width, and its tree takes the place of the old one", async () => {
  const model = treeModel();
  const el = show(beamTree, model);
  await awake(model);
  const width = [...el.querySelectorAll("select")].find((one) => one.options.length === 5)!;
  width.selectedIndex = 2;
  width.dispatchEvent(new (window as any).Event("change"));
  await settle();
  const asked = model.sent[model.sent.length - 1]!;
  assert.equal(asked["type"], "tree");
  assert.deepEqual(asked["request"], { source: ["the", "king"], width: 3, model: 0 });
  model.hear({ type: "answer", id: asked["id"], answer: { ...ANSWER, width: 3, nodes: [[-1, "<eos>", -1, 1]], found: [0] } });
  await settle();
  assert.deepEqual(visible(el), ["end"]);
  assert.equal(el.querySelectorAll("svg.s2b-tree").length, 1);
  assert.deepEqual(texts(el, ".s2b-results bdi"), ["(nothing)"]);
});

test("words of readers and of models stay text", () => {
  const odd = "<img src=x onerror=alert(1)>";
  const el = show(beamTree, treeModel({ answers: [{ ...ANSWER, source: [odd], nodes: [[-1, odd, -1, 1]], found: [0] }] }));
  openTable(el);
  assert.equal(el.querySelectorAll("img").length, 0);
  assert.match(el.querySelector(".s2b-note")!.textContent!, /img/);
});

test("a damaged tree ends in one plain sentence", () => {
  for (const nodes of [[], [[0, "a", -1, 1]], [[-1, 5, -1, 1]], "no"]) {
    const el = show(beamTree, treeModel({ answers: [{ ...ANSWER, nodes }] }));
    assert.match(el.textContent!, /cannot be drawn: .*Run its cell again\./);
  }
});

const LOGS = [0.5, 0.25, 0.15, 0.1].map(Math.log);

function nextModel(changes: Record<string, unknown> = {}): Kernel {
  return new Kernel({
    ...COMMON,
    key: "distribution",
    target_words: ["le", "la", "<eos>", "roi"],
    examples: [
      { title: "a king", source: ["the", "king"], prefix: [] },
      { title: "a queen", source: ["the", "queen"], prefix: ["la"] },
    ],
    log_probs: new DataView(Float32Array.from([...LOGS, ...[...LOGS].reverse()]).buffer),
    shown: {},
    shown_log_probs: new DataView(new ArrayBuffer(0)),
    temperature: 1,
    k: 0,
    p: 1,
    ...changes,
  });
}

const facts = (el: Element): string => el.querySelector(".s2b-facts")!.textContent!;
const column = (el: Element, place: number): string[] => texts(el, `.s2b-bars tbody tr:not([hidden]) td:nth-child(${place})`);

test("the likeliest words come first, before and after the sliders", async () => {
  const el = show(distribution, nextModel());
  assert.deepEqual(texts(el, ".s2b-next"), ["le", "la", "end of the sentence", "roi"]);
  assert.deepEqual(column(el, 2), ["50.0 %", "25.0 %", "15.0 %", "10.0 %"]);
  assert.match(facts(el), /^4 of 4 words may come; 1.74 bits before, 1.74 bits after\.$/);
  const [temperature, k, p] = el.querySelectorAll("input[type=range]");
  move(p!, "0.7");
  await settle();
  assert.deepEqual(column(el, 3), ["66.7 %", "33.3 %", "✕ left out", "✕ left out"]);
  move(k!, "0");
  await settle();
  assert.deepEqual(column(el, 3), ["100.0 %", "✕ left out", "✕ left out", "✕ left out"]);
  press(el, "As the model says");
  await settle();
  move(temperature!, "0");
  await settle();
  assert.match(facts(el), /^1 of 4 words may come; 1.74 bits before, 0.00 bits after/);
});

test("a hundred draws are counted, and forgotten when the distribution changes", async () => {
  const el = show(distribution, nextModel());
  press(el, "Draw 100");
  const drawn = column(el, 4).map(Number);
  assert.equal(drawn.reduce((a, b) => a + b), 100);
  assert.match(facts(el), /100 draws: \d different/);
  move(el.querySelectorAll("input[type=range]")[2]!, "0.5");
  await settle();
  assert.deepEqual(column(el, 4), ["", "", "", ""]);
});

test("a chosen word is written, and what was written can be taken back", async () => {
  const model = nextModel();
  const el = show(distribution, model);
  await awake(model);
  press(el, "la");
  await settle();
  const asked = model.sent[model.sent.length - 1]!;
  assert.deepEqual(asked["request"], { source: ["the", "king"], model: 0, prefix: ["la"] });
  const numbers = Float32Array.from([0.1, 0.2, 0.3, 0.4].map(Math.log));
  model.hear({ type: "answer", id: asked["id"], answer: { source: ["the", "king"], prefix: ["la"] } }, [numbers.buffer]);
  await settle();
  assert.deepEqual(texts(el, ".s2b-out-word"), ["la"]);
  assert.deepEqual(texts(el, ".s2b-next"), ["roi", "end of the sentence", "la", "le"]);
  press(el, "Take a word back");
  await settle();
  assert.deepEqual((model.sent[model.sent.length - 1]!["request"] as any).prefix, []);
});

test("an example brings its beginning along, without a question", async () => {
  const model = nextModel();
  const el = show(distribution, model);
  await awake(model);
  const asked = model.sent.length;
  const examples = el.querySelector("select")!;
  examples.selectedIndex = 1;
  examples.dispatchEvent(new (window as any).Event("change"));
  await settle();
  assert.deepEqual(texts(el, ".s2b-out-word"), ["la"]);
  assert.deepEqual(texts(el, ".s2b-next"), ["roi", "end of the sentence", "la", "le"]);
  assert.equal(model.sent.length, asked);
});

test("damaged probabilities end in one plain sentence", () => {
  for (const log_probs of [new DataView(new ArrayBuffer(3)), null, new DataView(Float32Array.of(NaN, 0, 0, 0).buffer)]) {
    const el = show(distribution, nextModel({ log_probs }));
    assert.match(el.querySelector(".s2b-message")!.textContent!, /cannot be drawn: its probabilities are (missing|damaged)/);
  }
});
