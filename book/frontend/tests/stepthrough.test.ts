/** StepThrough, as its view behaves in front of a kernel that a test plays. */

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { half } from "../src/engines/browser/answers/steps.ts";
import { signedClass, strip } from "../src/widgets/stepthrough/strips.ts";
import { decodeWalk, placeOf, sentence, steps } from "../src/widgets/stepthrough/walk.ts";
import widget from "../src/widgets/stepthrough/index.ts";
import { freshPage, Kernel, openTable, settle } from "./page.ts";

let page: Document;
beforeEach(() => {
  page = freshPage();
});

/** An answer about a sentence: each word is written back in capitals; states of two numbers. */
function answer(source: string[], prefix: string[] = []): { record: any; numbers: DataView } {
  const tokens = [...source.map((word, at) => prefix[at] ?? word.toUpperCase()), "<eos>"];
  const moments = tokens.map((token, at) => ({
    read: at === 0 ? "<bos>" : tokens[at - 1],
    written: [token, 8, 0.5, Math.log(0.75)],
    best: [
      [token, 8, 0.5, Math.log(0.75)],
      ["OTHER", 4, 0.625, Math.log(0.25)],
    ],
    nearest: ["OTHER", 4, 0.625, Math.log(0.25)],
  }));
  const numbers = new Float32Array(2 * (source.length + tokens.length));
  // every state is (0.5, 0.25 * its place), so that each moves by 0.25 after the first
  for (let row = 0; 2 * row < numbers.length; row += 1) numbers.set([0.5, (row % 2) * 0.25], 2 * row);
  return { record: { source, moments, hidden: 2, offset: 0 }, numbers: new DataView(numbers.buffer) };
}

function model(changes: Record<string, unknown> = {}): Kernel {
  const first = answer(["the", "king"]);
  return new Kernel({
    key: "steps",
    models: [{ title: "one", stored: null }],
    source_words: ["<pad>", "<unk>", "the", "king", "queen"],
    target_words: ["<bos>", "<eos>", "THE", "KING", "QUEEN", "OTHER"],
    examples: [{ title: "a king", source: ["the", "king"] }],
    more: ["the queen"],
    answers: [first.record],
    numbers: first.numbers,
    heads: [{}],
    vectors: new DataView(new ArrayBuffer(0)),
    shown: {},
    shown_numbers: new DataView(new ArrayBuffer(0)),
    position: -1,
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
const one = <E extends Element>(el: Element, selector: string): E => el.querySelector(selector) as E;
const readout = (el: Element): string => one(el, ".s2b-readout").textContent ?? "";
const rows = (el: Element): string[] => texts(el, ".s2b-state-word");
const hidden = (el: Element): number => el.querySelectorAll(".s2b-to-come").length;

async function press(el: Element, name: string): Promise<void> {
  one<HTMLElement>(el, `button[aria-label="${name}"]`).click();
  await settle();
}

function type(el: Element, text: string): void {
  const input = one<HTMLInputElement>(el, "input.s2b-input");
  input.value = text;
  input.dispatchEvent(new (window as any).Event("input", { bubbles: true }));
}

/** Answer what was asked last; the request that was answered. */
async function reply(source: Kernel): Promise<any> {
  await settle();
  const { id, request, type: kind } = source.sent.at(-1) as any;
  assert.equal(kind, "steps");
  const { record, numbers } = answer(request.source, request.prefix);
  source.hear({ type: "answer", id, answer: record }, [numbers.buffer]);
  await settle();
  return request;
}

test("the stored example stands there at once, at the first step of the decoder", () => {
  const el = draw(model());
  assert.deepEqual(rows(el), ["the", "king", "c = s₀", "<bos> → THE", "THE → KING", "KING → end"]);
  assert.equal(readout(el), "The decoder reads <bos> and writes THE, probability 0.75.");
  assert.equal(one(el, ".s2b-place").textContent, "step 4 of 6");
  assert.equal(hidden(el), 2);
});

test("steps lead through the encoder, the hand-over and the decoder, and stop at both ends", async () => {
  const el = draw(model({ position: 1 }));
  assert.equal(readout(el), "The encoder reads the; its state moves by 0.5.");
  assert.equal(hidden(el), 5);
  await press(el, "One step back");
  assert.equal(one(el, ".s2b-place").textContent, "step 1 of 6");
  await press(el, "Next step");
  await press(el, "Next step");
  assert.match(readout(el), /handed over: c = h2 = s0/);
  assert.ok(one(el, ".s2b-parts").classList.contains("s2b-gone"));
  for (let n = 0; n < 5; n += 1) await press(el, "Next step");
  assert.equal(readout(el), "The decoder reads KING and writes the end, probability 0.75.");
  assert.equal(one(el, "button[aria-label='Next step']").getAttribute("aria-disabled"), "true");
});

test("the slider and a click on a row go to a step; the model knows it", async () => {
  const source = model();
  const el = draw(source);
  const slider = one<HTMLInputElement>(el, ".s2b-slider");
  slider.value = "5";
  slider.dispatchEvent(new (window as any).Event("input"));
  await settle();
  assert.equal(source.get("position"), 5);
  assert.match(slider.getAttribute("aria-valuetext") ?? "", /^5 of 6: The decoder reads THE/);
  (el.querySelectorAll(".s2b-state-word")[1] as HTMLElement).click();
  await settle();
  assert.equal(source.get("position"), 2);
  assert.equal(one(el, "[aria-current=step]").textContent, "king");
});

test("words are compared only where something is written, with dot product, cosine and probability", async () => {
  const el = draw(model());
  assert.deepEqual(texts(el, ".s2b-compare tbody tr:nth-child(2) :is(th, td)"), ["OTHER", "4.0", "0.63", "0.25"]);
  assert.match(one(el, ".s2b-heads .s2b-hint").textContent ?? "", /Largest cosine: OTHER, 0.63/);
  await press(el, "One step back");
  assert.ok(one(el, ".s2b-heads").classList.contains("s2b-unseen"));
});

test("another word is asked for with the words before it, and the step stays", async () => {
  const source = model({ position: 5 });
  const el = await ready(source);
  (el.querySelectorAll(".s2b-choose")[1] as HTMLElement).click();
  const request = await reply(source);
  assert.deepEqual(request, { source: ["the", "king"], model: 0, prefix: ["THE", "OTHER"] });
  assert.equal(rows(el)[4], "THE → OTHER");
  assert.equal(source.get("position"), 5);
  assert.match(one(el, ".s2b-note").textContent ?? "", /You chose: THE OTHER/);
});

test("a sentence that is typed is asked and drawn; unknown words are named", async () => {
  const source = model();
  const el = await ready(source);
  type(el, "the zebra <b>");
  const request = await reply(source);
  assert.deepEqual(request.source, ["the", "zebra", "<", "b", ">"]);
  assert.equal(rows(el)[1], "zebra");
  assert.equal(el.querySelector("b"), null);
  assert.match(one(el, ".s2b-note").textContent ?? "", /read as <unk>: zebra/);
});

test("nothing and too much end in one sentence, and the picture stays", async () => {
  const source = model();
  const el = await ready(source);
  const before = rows(el);
  type(el, " ");
  assert.match(one(el, ".s2b-status").textContent ?? "", /Type a sentence/);
  type(el, "the ".repeat(61));
  assert.match(one(el, ".s2b-status").textContent ?? "", /61 words/);
  assert.deepEqual(rows(el), before);
  assert.equal(source.sent.length, 1);
});

test("every step is a row of the table", () => {
  const el = draw(model());
  openTable(el);
  assert.deepEqual(texts(el, ".s2b-table tbody tr:nth-child(1) :is(th, td)"), ["encoder 1", "the", "0.5", "", "", "", ""]);
  assert.deepEqual(texts(el, ".s2b-table tbody tr:nth-child(4) td"), ["THE", "0.3", "KING", "8.0", "0.50", "0.75"]);
});

test("damaged state ends in one sentence", () => {
  for (const changes of [{ answers: [] }, { numbers: new DataView(new ArrayBuffer(8)) }, { answers: [{ source: ["the"] }] }]) {
    const el = draw(model(changes));
    assert.match(one(el, ".s2b-message").textContent ?? "", /This widget cannot be drawn: .+\. Run its cell again\./);
  }
});

test("drawing twice never stacks, and a view that is gone hears nothing", async () => {
  const source = model();
  const el = page.createElement("div");
  const first = widget.render({ model: source, el }) as () => void;
  void widget.render({ model: source, el });
  assert.equal(el.querySelectorAll(".s2b-stepthrough").length, 1);
  first();
  source.set("position", 2);
  await settle();
  assert.equal(el.querySelectorAll("[aria-current=step]").length, 1);
});

test("half precision is read as IEEE 754 says", () => {
  // 1, -2, the largest, the smallest of all, 1/3 rounded, 0
  const bits = [0x3c00, 0xc000, 0x7bff, 0x0001, 0x3555, 0x0000];
  assert.deepEqual(bits.map(half), [1, -2, 65504, 2 ** -24, 0.333251953125, 0]);
});

test("numbers around 0 have the class that Python gives them", () => {
  assert.deepEqual([0, -0.02, 0.35, -0.35, 1, -1].map(signedClass), ["s2b-w0", "s2b-w0", "s2b-w35", "s2b-n35", "s2b-w100", "s2b-n100"]);
  const state = new Array<number>(128).fill(0);
  [state[3], state[70]] = [0.5, -0.5];
  const drawn = [...strip(state).querySelectorAll("path")].map((path) => [path.getAttribute("class"), path.getAttribute("d")]);
  assert.deepEqual(drawn, [["s2b-n50", "M6 1h1v1h-1z"], ["s2b-w50", "M3 0h1v1h-1z"]]);
});

test("each step has one place, and a sentence that names what is read", () => {
  const { record, numbers } = answer(["the", "king"]);
  const walk = decodeWalk(record, numbers);
  assert.equal(steps(walk), 6);
  assert.deepEqual([1, 2, 3, 4, 6].map((step) => placeOf(walk, step)), [
    { who: "encoder", word: 0 },
    { who: "encoder", word: 1 },
    { who: "hand-over" },
    { who: "decoder", moment: 0 },
    { who: "decoder", moment: 2 },
  ]);
  assert.match(sentence(walk, 2), /reads king; its state moves by 0.3/);
});
