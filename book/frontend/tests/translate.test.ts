/** Translate, as its view behaves in front of a kernel that a test plays. */

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { asCsv } from "../src/shared/save.ts";
import { decodeMaps } from "../src/shared/state.ts";
import widget from "../src/widgets/translate/index.ts";
import { freshPage, Kernel, settle } from "./page.ts";

let page: Document;
beforeEach(() => {
  page = freshPage();
});

/** An answer about a sentence: each word is written back in capitals and looks at itself. */
function answer(source: string[], prefix: string[] = []): { answer: object; map: object; weights: DataView } {
  const tokens = [...source.map((word, at) => prefix[at] ?? word.toUpperCase()), "<eos>"];
  const weights = new Float32Array(tokens.length * source.length);
  for (const at of tokens.keys()) weights[at * source.length + Math.min(at, source.length - 1)] = 1;
  return {
    answer: {
      source,
      steps: tokens.map((token) => ({
        token,
        log_prob: -0.1,
        alternatives: [
          [token, -0.1],
          ["OTHER", -2.5],
        ],
      })),
      hypotheses: [[tokens.slice(0, -1), -0.1]],
      gold: null,
    },
    map: {
      title: "",
      kind: "cross",
      shape: [1, 1, tokens.length, source.length],
      offset: 0,
      query_tokens: tokens,
      key_tokens: source,
      sure: [],
      possible: [],
      normalised: true,
    },
    weights: new DataView(weights.buffer),
  };
}

function model(): Kernel {
  const first = answer(["the", "king"]);
  return new Kernel({
    key: "translate",
    models: [
      { title: "one", stored: null },
      { title: "two", stored: null },
    ],
    source_words: ["<pad>", "<unk>", "the", "king", "queen", "kings"],
    target_words: ["<bos>", "<eos>", "THE", "KING", "QUEEN", "OTHER"],
    examples: [{ title: "a king", source: ["the", "king"], target: ["THE", "KING"], sure: [[0, 0]], possible: [[0, 0]] }],
    more: [],
    answers: [first.answer],
    maps: [first.map],
    weights: first.weights,
    shown: {},
    shown_weights: new DataView(new ArrayBuffer(0)),
    query: -1,
    written: -1,
  });
}

function draw(source: Kernel): HTMLElement {
  const el = page.createElement("div");
  page.body.append(el);
  void widget.render({ model: source, el });
  return el;
}

const texts = (el: Element, selector: string): string[] => [...el.querySelectorAll(selector)].map((one) => one.textContent ?? "");
const written = (el: Element): string[] => texts(el, ".s2b-out-word");
const said = (el: Element): string => el.querySelector(".s2b-status")!.textContent ?? "";
const event = (type: string): Event => new (window as any).Event(type, { bubbles: true });

function type(el: Element, text: string): void {
  const input = el.querySelector("input.s2b-input") as HTMLInputElement;
  input.value = text;
  input.dispatchEvent(event("input"));
}

/** Answer what was asked last; the request that was answered. */
async function reply(source: Kernel): Promise<any> {
  const { id, request } = source.sent.at(-1) as any;
  const { answer: found, map, weights } = answer(request.source, request.prefix);
  source.hear({ type: "answer", id, answer: found, map }, [weights.buffer]);
  await settle();
  return request;
}

async function ready(source: Kernel): Promise<HTMLElement> {
  const el = draw(source);
  source.hear({ type: "hello", id: source.sent[0]!["id"] });
  await settle();
  return el;
}

test("the stored example stands there at once; when the kernel answers one may type", async () => {
  const source = model();
  const el = draw(source);
  assert.deepEqual(written(el), ["THE", "KING", "end"]);
  assert.deepEqual(texts(el, ".s2b-cells .s2b-label"), ["the", "king"]);
  assert.equal((source.sent[0] as any).type, "hello");
  assert.match(said(el), /Looking for the kernel/);
  source.hear({ type: "hello", id: source.sent[0]!["id"] });
  await settle();
  assert.match(said(el), /in your kernel/);
});

test("what is typed is asked, and the answer is drawn; the drawing that is there is used again", async () => {
  const source = model();
  const el = await ready(source);
  const grid = el.querySelector("[role=grid]");
  type(el, "The queen");
  await settle();
  const request = await reply(source);
  assert.deepEqual(request.source, ["the", "queen"]);
  assert.deepEqual(written(el), ["THE", "QUEEN", "end"]);
  assert.deepEqual(texts(el, ".s2b-rows .s2b-label"), ["THE", "QUEEN", "<eos>"]);
  assert.equal(el.querySelector("[role=grid]"), grid);
});

test("a longer and a shorter sentence leave nothing of the one before", async () => {
  const source = model();
  const el = await ready(source);
  for (const sentence of ["the queen the king the queen", "king", "the king"]) {
    type(el, sentence);
    await settle();
    await reply(source);
    const words = sentence.split(" ");
    assert.deepEqual(texts(el, ".s2b-cells .s2b-label"), words);
    assert.equal(el.querySelectorAll("[role=row]").length, words.length + 1);
    assert.equal(el.querySelectorAll("[role=gridcell]").length, words.length * (words.length + 1));
    assert.equal(el.querySelectorAll("[role=gridcell][tabindex='0']").length, 1);
    for (const [query, row] of [...el.querySelectorAll("[role=row]")].entries()) {
      for (const [key, cell] of [...row.querySelectorAll("[role=gridcell]")].entries()) {
        assert.equal(cell.getAttribute("aria-label"), key === Math.min(query, words.length - 1) ? "1.00" : "0.00");
        assert.equal(cell.getAttribute("data-query"), String(query));
        assert.equal(cell.getAttribute("data-key"), String(key));
      }
    }
  }
});

test("of many edits the last one is answered; no earlier answer is drawn late", async () => {
  const source = model();
  const el = await ready(source);
  for (const sentence of ["the", "the queen", "the queen queen"]) type(el, sentence);
  await settle();
  assert.equal(source.sent.filter((message) => message["type"] === "translate").length, 1);
  await reply(source);
  await reply(source);
  assert.deepEqual(written(el), ["THE", "QUEEN", "QUEEN", "end"]);
  assert.equal(source.sent.filter((message) => message["type"] === "translate").length, 2);
});

test("unknown words are named and marked, not dropped", async () => {
  const source = model();
  const el = await ready(source);
  type(el, "the zebra");
  await settle();
  const request = await reply(source);
  assert.deepEqual(request.source, ["the", "zebra"]);
  assert.match(el.querySelector(".s2b-note")!.textContent!, /Not in the vocabulary, so read as <unk>: zebra/);
  assert.deepEqual(texts(el, "text.s2b-unknown"), ["zebra"]);
});

test("a candidate that is chosen begins the translation, until it is let go", async () => {
  const source = model();
  const el = await ready(source);
  (el.querySelectorAll(".s2b-out-word")[1] as HTMLElement).click();
  await settle();
  const candidates = [...el.querySelectorAll(".s2b-candidate")] as HTMLElement[];
  assert.deepEqual(candidates.map((one) => one.querySelector("bdi")!.textContent), ["KING", "OTHER"]);
  candidates[1]!.click();
  await settle();
  const request = await reply(source);
  assert.deepEqual(request.prefix, ["THE", "OTHER"]);
  assert.deepEqual(written(el), ["THE", "OTHER", "end"]);
  const again = [...el.querySelectorAll("button")].find((one) => one.textContent === "Let it choose")!;
  again.click();
  await settle();
  assert.deepEqual((await reply(source)).prefix, []);
});

test("a refusal keeps the picture and says why; nothing typed is no question", async () => {
  const source = model();
  const el = await ready(source);
  type(el, "the");
  await settle();
  source.hear({ type: "refusal", id: source.sent.at(-1)!["id"], message: "the model raised ValueError: no" });
  await settle();
  assert.match(said(el), /There is no answer: the model raised ValueError: no\./);
  assert.deepEqual(written(el), ["THE", "KING", "end"]);
  const before = source.sent.length;
  type(el, "   ");
  type(el, "the ".repeat(61));
  await settle();
  assert.equal(source.sent.length, before);
  assert.match(said(el), /61 words: at most 60/);
});

test("steps show the translation word by word, and both views of a model keep in step", async () => {
  const source = model();
  const el = await ready(source);
  const other = draw(source);
  (el.querySelector("[aria-label='Before the first word']") as HTMLElement).click();
  await settle();
  (el.querySelector("[aria-label='Next word']") as HTMLElement).click();
  await settle();
  for (const view of [el, other]) {
    assert.equal(view.querySelector(".s2b-place")!.textContent, "1 of 3 words");
    assert.equal(view.querySelectorAll("[role=row]:not(.s2b-unwritten)").length, 1);
  }
});

test("rendering twice into a place leaves one view, and a view that is closed asks no more", async () => {
  const source = model();
  const el = page.createElement("div");
  const first = new AbortController();
  void widget.render({ model: source, el, signal: first.signal });
  const closed = el.querySelector(".s2b-translate")!;
  void widget.render({ model: source, el });
  assert.equal(el.querySelectorAll(".s2b-translate").length, 1);
  first.abort();
  assert.equal(el.querySelectorAll(".s2b-translate").length, 1);
  assert.notEqual(el.querySelector(".s2b-translate"), closed);
  // the model lives on: what changes in it is drawn in the view that is open, and there alone
  source.set("written", 0);
  await settle();
  assert.equal(el.querySelector(".s2b-place")!.textContent, "0 of 3 words");
  assert.equal(closed.querySelector(".s2b-place")!.textContent, "3 of 3 words");
});

test("after a fault, or an empty field, the status is at rest again with the next answer", async () => {
  const source = model();
  const el = await ready(source);
  type(el, "");
  await settle();
  assert.match(said(el), /Type a sentence/);
  type(el, "the queen");
  await settle();
  assert.match(said(el), /Asking the model/);
  await reply(source);
  assert.match(said(el), /in your kernel answers/);
  // a stored example ends what is under way
  type(el, "the queen queen");
  await settle();
  assert.ok(el.querySelector(".s2b-translate")!.hasAttribute("aria-busy"));
  const examples = el.querySelector("select") as HTMLSelectElement;
  examples.selectedIndex = 0;
  examples.dispatchEvent(event("change"));
  await settle();
  assert.ok(!el.querySelector(".s2b-translate")!.hasAttribute("aria-busy"));
  assert.deepEqual(written(el), ["THE", "KING", "end"]);
});

test("candidates of an old answer are not forced upon a sentence that is being typed", async () => {
  const source = model();
  const el = await ready(source);
  (el.querySelectorAll(".s2b-out-word")[1] as HTMLElement).click();
  await settle();
  type(el, "the queen");
  await settle();
  const before = source.sent.length;
  (el.querySelectorAll(".s2b-candidate")[1] as HTMLElement).click();
  await settle();
  assert.equal(source.sent.length, before);
  assert.deepEqual((await reply(source)).prefix, []);
});

test("who forces a word by keyboard stays among the candidates", async () => {
  const source = model();
  const el = await ready(source);
  (el.querySelectorAll(".s2b-out-word")[1] as HTMLElement).click();
  await settle();
  const candidate = el.querySelectorAll(".s2b-candidate")[1] as HTMLElement;
  candidate.focus();
  candidate.click();
  await settle();
  await reply(source);
  const focused = page.activeElement!;
  assert.ok(focused.classList.contains("s2b-candidate"));
  assert.equal(focused.getAttribute("aria-pressed"), "true");
  assert.equal(focused.querySelector("bdi")!.textContent, "OTHER");
});

test("without a kernel nothing can be edited, and no control pretends", async () => {
  const source = model();
  source.send = () => {
    throw new Error("Cannot send");
  };
  const el = draw(source);
  await settle();
  assert.match(said(el), /Editing is off: no kernel answers/);
  const search = [...el.querySelectorAll("label")].find((one) => one.textContent!.startsWith("Search"))!.querySelector("select")!;
  search.selectedIndex = 2;
  search.dispatchEvent(event("change"));
  await settle();
  assert.equal(search.selectedIndex, 0);
  const word = el.querySelector(".s2b-word") as HTMLElement | null;
  word?.click();
  assert.equal((el.querySelector("input.s2b-input") as HTMLInputElement).value, "the king");
});

test("damaged state ends in one sentence", () => {
  const source = model();
  source.set("maps", []);
  const el = draw(source);
  assert.match(el.querySelector(".s2b-message")!.textContent!, /cannot be drawn: no example is stored with it/);
});

test("weights as CSV: a row for each query, tokens quoted", () => {
  const { map, weights } = answer(['say "a"', "b,c"]);
  const [decoded] = decodeMaps([map], weights);
  assert.equal(
    asCsv(decoded!, 0, 0),
    ',"say ""a""","b,c"\r\n"SAY ""A""",1.000000,0.000000\r\n"B,C",0.000000,1.000000\r\n"<eos>",0.000000,1.000000\r\n',
  );
});

test("an answer without its numbers is refused, not drawn", async () => {
  const source = model();
  const el = await ready(source);
  const before = el.querySelector(".s2b-holder")!.innerHTML;
  type(el, "the queen");
  await settle();
  const { id } = source.sent.at(-1) as any;
  source.hear({ type: "answer", id, answer: {}, map: {} }, []);
  await settle();
  assert.match(said(el), /There is no answer: .*cannot be read/);
  assert.equal(el.querySelector(".s2b-holder")!.innerHTML, before);
  assert.ok(!el.querySelector(".s2b-translate")!.hasAttribute("aria-busy"));
});
