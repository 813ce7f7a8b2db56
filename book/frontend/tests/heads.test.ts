/** The head explorer: what it says is what Python says, and what a switch asks and changes. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, test } from "node:test";
import type { Read } from "../src/engines/browser/answers.ts";
import { accuracy } from "../src/engines/browser/answers/accuracy.ts";
import { heads as answerHeads } from "../src/engines/browser/answers/heads.ts";
import { greedyBatch } from "../src/engines/browser/greedy.ts";
import { Vocabulary } from "../src/engines/browser/vocabulary.ts";
import { decodeMaps } from "../src/shared/state.ts";
import { kindTitle } from "../src/shared/words.ts";
import { changes } from "../src/widgets/heads/changes.ts";
import widget, { REST } from "../src/widgets/heads/index.ts";
import { CAPTION, changeNote, countNote, headName, HEADS, offNote, strongest, type Head } from "../src/widgets/heads/says.ts";
import { fromFragment, known, maskOf, nameOf, offOf, toFragment } from "../src/widgets/heads/switches.ts";
import { bytes, freshPage, Kernel, settle } from "./page.ts";

declare const FRONTEND: string;
const fixture = JSON.parse(readFileSync(join(FRONTEND, "tests/heads.json"), "utf8"));
const fixtureMaps = () => decodeMaps(fixture.maps, bytes(fixture.weights));

let page: Document;
beforeEach(() => {
  page = freshPage();
});

// --- parity with Python -----------------------------------------------------------------------

test("what is said about heads is what Python says", () => {
  const maps = fixtureMaps();
  for (const [kind, layer, head, says] of fixture.strongest) {
    assert.equal(strongest(maps.find((map) => map.kind === kind)!, layer, head), says);
  }
  for (const [off, says] of fixture.off) assert.equal(offNote(off, 11), says);
  for (const [count, off, says] of fixture.counts) assert.equal(countNote(count, off), says);
  assert.deepEqual([headName(0, 0), headName(1, 3)], fixture.names);
  assert.deepEqual(maps.map(kindTitle), fixture.titles);
  assert.deepEqual([CAPTION, [...HEADS]], [fixture.caption, fixture.columns]);
});

// --- what differs -----------------------------------------------------------------------------

const marked = (before: string, after: string): [string[], string[]] => {
  const [a, b] = [before.split(" "), after.split(" ")];
  const { lost, fresh } = changes(a, b);
  return [a.filter((_, at) => lost[at]), b.filter((_, at) => fresh[at])];
};

test("of two translations the words are marked that have no partner in order", () => {
  assert.deepEqual(marked("le roi dort .", "le roi dort ."), [[], []]);
  assert.deepEqual(marked("le roi dort .", "la reine dort ."), [["le", "roi"], ["la", "reine"]]);
  assert.deepEqual(marked("le roi ne dort pas .", "le roi dort ."), [["ne", "pas"], []]);
  assert.deepEqual(marked("la la", "la la la"), [[], ["la"]]);
  assert.deepEqual(changes([], ["x"]), { lost: [], fresh: [true] });
  assert.equal(changeNote(0, 0), "The translation stays the same.");
  assert.equal(changeNote(2, 1), "The translation changes: 1 word gone, 2 words new.");
});

// --- switches ---------------------------------------------------------------------------------

test("a mask names the kinds in which something is off, and gives the heads back", () => {
  const maps = fixtureMaps();
  const off: Head[] = [["encoder", 1, 0], ["decoder", 0, 2]];
  const mask = maskOf(off, maps);
  assert.deepEqual(mask, { encoder: [[1, 1], [0, 1]], decoder: [[1, 1, 0]] });
  assert.deepEqual(offOf(mask), off);
  assert.deepEqual(maskOf([], maps), {});
});

test("heads that are not there, or twice, are left out", () => {
  const found = known([["cross", 1, 1], ["cross", 7, 0], ["cross", 1, 1], "nonsense", ["encoder", 0, 0]], fixtureMaps());
  assert.equal(nameOf(found), "encoder.0.0 cross.1.1");
  assert.deepEqual(known(null, fixtureMaps()), []);
});

test("a link gives back the sentence, the switches and the enlarged head", () => {
  const maps = fixtureMaps();
  const linked = { source: ["the", "cat"], off: [["encoder", 1, 0], ["cross", 0, 1]] as Head[], large: ["decoder", 0, 2] as Head };
  const link = toFragment("heads", linked);
  assert.match(link, /^heads\?s=the\+cat&o=encoder\.2\.1\+cross\.1\.2&h=decoder\.1\.3$/);
  assert.deepEqual(fromFragment("heads", link, maps), linked);
  assert.equal(fromFragment("other", link, maps), null);
  assert.deepEqual(fromFragment("heads", "heads?s=a&o=cross.9.9+x&h=", maps), { source: ["a"], off: [], large: null });
  assert.equal(fromFragment("heads", "heads?s=", maps), null);
});

// --- the browser's answers ----------------------------------------------------------------------

const VOCABULARY = new Vocabulary(["<pad>", "<unk>", "<bos>", "<eos>", "A", "B"]);
const [BOS, EOS, A, B] = [2, 3, 4, 5];

/**
 * A model that writes what it read, word for word (a is A), as long as head 1 of its cross-attention
 * is on; without it every word becomes B. The decoder looks at all that is there, evenly.
 */
function copier(sentences: readonly (readonly string[])[], mask: any): any {
  const on = mask?.cross?.[0]?.[1] !== 0;
  return {
    heads: { cross: [1, 2], decoder: [1, 1], encoder: [1, 1] },
    encoder: Float32Array.from({ length: sentences[0]!.length ** 2 }, () => 1 / sentences[0]!.length),
    start: () => 0,
    async step(tokens: number[], state: number) {
      const rows = tokens.map((_, row) => sentences[row]!);
      return {
        state: state + 1,
        logProbs: rows.map((row) => {
          const next = state >= row.length ? EOS : on && row[state] === "a" ? A : B;
          return Float32Array.from(VOCABULARY.words, (_, id) => (id === next ? -0.01 : -9));
        }),
        attention: rows.map((row) => ({
          cross: Float32Array.from({ length: 2 * row.length }, (_, at) => (at % row.length === Math.min(state, row.length - 1) ? 1 : 0)),
          decoder: new Float32Array(state + 1).fill(1 / (state + 1)),
        })),
      };
    },
    select: (state: number) => state,
  };
}

const asked: any[] = [];
const read = (async (sentences: string[][], change: any) => {
  asked.push([sentences.length, change.head_mask ?? null]);
  return copier(sentences, change.head_mask);
}) as unknown as Read;

test("every kind of attention comes with its own axes; where nothing was written yet is 0", async () => {
  const { answer, whole, maps, buffers } = await answerHeads({ source: ["a", "b"], model: 0, head_mask: { cross: [[1, 0]] } }, read, VOCABULARY);
  assert.deepEqual(answer.steps.map(({ token }) => token), ["B", "B", "<eos>"]);
  assert.deepEqual(whole, ["A", "B"]);
  const [encoder, decoder, cross] = decodeMaps(maps, buffers[0]);
  assert.deepEqual([encoder!.kind, encoder!.queryTokens, encoder!.keyTokens], ["encoder", ["a", "b"], ["a", "b"]]);
  assert.deepEqual([decoder!.kind, decoder!.queryTokens, decoder!.keyTokens], ["decoder", ["B", "B", "<eos>"], ["<bos>", "B", "B"]]);
  assert.deepEqual(decoder!.row(0, 0, 0), [1, 0, 0]);
  assert.deepEqual(decoder!.row(0, 0, 1), [0.5, 0.5, 0]);
  assert.deepEqual([cross!.layers, cross!.heads, cross!.row(0, 1, 1)], [1, 2, [0, 1]]);
});

test("with all heads on there is one translation, read once", async () => {
  asked.length = 0;
  const { whole } = await answerHeads({ source: ["a"], model: 0, head_mask: {} }, read, VOCABULARY);
  assert.deepEqual(whole, ["A"]);
  assert.equal(asked.length, 1);
});

test("held-out sentences are read as one batch, and those are counted that come out exactly right", async () => {
  asked.length = 0;
  const held_out = [["a b", "A B"], ["b", "B"], ["b b b", "B B"], ["a", "B"]] as [string, string][];
  const mask = { cross: [[1, 0]] };
  const found = await accuracy({ source: [], model: 0, head_mask: mask, held_out }, read, VOCABULARY);
  assert.deepEqual([found.right, found.whole, found.total], [2, 2, 4]);
  assert.deepEqual(asked, [[4, null], [4, mask]]);
  // what is known is not counted again
  asked.length = 0;
  await accuracy({ source: [], model: 0, head_mask: mask, held_out, whole: 2 }, read, VOCABULARY);
  assert.deepEqual(asked, [[4, mask]]);
});

test("a batch goes on until its last sentence has ended, and no further than the limit", async () => {
  const options = { bos: BOS, eos: EOS, rows: 2 };
  const both = await greedyBatch(copier([["a"], ["a", "b", "b"]], {}), { ...options, maxLength: 9 });
  assert.deepEqual(both, [[A, EOS], [A, B, B, EOS]]);
  const cut = await greedyBatch(copier([["a"], ["a", "b", "b"]], {}), { ...options, maxLength: 2 });
  assert.deepEqual(cut, [[A, EOS], [A, B]]);
});

// --- the widget -------------------------------------------------------------------------------

const KINDS = ["encoder", "decoder", "cross"] as const;
const TWO_BY_TWO = KINDS.map((kind) => ({ kind, layers: 2, heads: 2 }));

/** With all heads on each word is written in capitals; head 1.1 of cross off turns the first into X. */
function reply({ source, head_mask }: any): { message: any; numbers: ArrayBuffer } {
  const whole = source.map((word: string) => word.toUpperCase());
  const words = head_mask.cross?.[0][0] === 0 ? ["X", ...whole.slice(1)] : whole;
  const tokens = [...words, "<eos>"];
  const axes = { encoder: [source, source], decoder: [tokens, ["<bos>", ...words]], cross: [tokens, source] };
  const maps: any[] = [];
  const numbers: number[] = [];
  for (const kind of KINDS) {
    const [queries, keys] = axes[kind] as [string[], string[]];
    maps.push({ title: "", kind, shape: [2, 2, queries.length, keys.length], offset: numbers.length, query_tokens: queries, key_tokens: keys, sure: [], possible: [] });
    // head h of layer l puts all its weight on word 2 l + h
    for (let head = 0; head < 4; head += 1) {
      for (const _ of queries) numbers.push(...keys.map((__, key) => (key === head % keys.length ? 1 : 0)));
    }
  }
  const steps = tokens.map((token: string) => ({ token, log_prob: -0.1, alternatives: [] }));
  return { message: { answer: { source, steps, hypotheses: [], gold: null }, whole, maps }, numbers: Float32Array.from(numbers).buffer };
}

const KING = { source: ["the", "king"], target: ["THE", "KING"], sure: [[0, 0], [1, 1]], possible: [[0, 0], [1, 1]] };

function model(changed: Record<string, unknown> = {}): Kernel {
  const { message, numbers } = reply({ source: KING.source, head_mask: {} });
  return new Kernel({
    key: "heads",
    models: [{ title: "one", stored: null }],
    source_words: ["<pad>", "<unk>", "the", "king", "queen"],
    target_words: ["<bos>", "<eos>", "THE", "KING", "QUEEN", "X"],
    examples: [{ title: "a king", ...KING }],
    more: [],
    held_out: [["the king", "THE KING"]],
    answers: [{ source: KING.source, steps: message.answer.steps, hypotheses: [] }],
    maps: message.maps,
    weights: new DataView(numbers),
    shown: {},
    shown_weights: new DataView(new ArrayBuffer(0)),
    off: [],
    accuracy: { right: 49, whole: 49, total: 50, off: [] },
    kind: "cross",
    layer: 0,
    head: 0,
    query: -1,
    ...changed,
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
const said = (el: Element, part: string): string => el.querySelector(`.s2b-${part}`)!.textContent ?? "";
const switches = (el: Element): HTMLButtonElement[] => [...el.querySelectorAll<HTMLButtonElement>("button.s2b-switch")];
const pictures = (el: Element): HTMLButtonElement[] => [...el.querySelectorAll<HTMLButtonElement>("button.s2b-open")];
const pressed = (el: Element): (string | null)[] => switches(el).map((one) => one.getAttribute("aria-pressed"));
const lastOf = (source: Kernel, type: string): any => source.sent.filter((one) => one["type"] === type).at(-1);
const countOf = (source: Kernel, type: string): number => source.sent.filter((one) => one["type"] === type).length;
const rested = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, REST + 50));

async function press(button: HTMLElement): Promise<void> {
  button.click();
  await settle();
}

async function type(el: Element, text: string): Promise<void> {
  const input = el.querySelector("input.s2b-input") as HTMLInputElement;
  input.value = text;
  input.dispatchEvent(new (window as any).Event("input", { bubbles: true }));
  await settle();
}

async function answer(source: Kernel): Promise<void> {
  const { id, request } = lastOf(source, "heads");
  const { message, numbers } = reply(request);
  source.hear({ type: "answer", id, ...message }, [numbers]);
  await settle();
}

async function counted(source: Kernel, right: number): Promise<void> {
  source.hear({ type: "answer", id: lastOf(source, "accuracy").id, right, whole: 49, total: 50 }, []);
  await settle();
}

test("at rest all heads of one kind stand there, all on, and one of them is large", () => {
  const el = draw(model());
  assert.equal(pictures(el).length, 4);
  assert.deepEqual(texts(el, ".s2b-layer-name"), ["Layer 1", "Layer 2"]);
  assert.deepEqual(pressed(el), ["true", "true", "true", "true"]);
  assert.deepEqual(texts(el, ".s2b-onoff"), ["on", "on", "on", "on"]);
  assert.match(said(el, "count"), /^All 12 heads are on\./);
  assert.equal(said(el, "right"), "Held-out sentences: 49 of 50 right with all heads.");
  assert.deepEqual(texts(el, ".s2b-line bdi"), ["THE KING", "THE KING"]);
  assert.deepEqual(texts(el, ".s2b-rows .s2b-label"), ["THE", "KING", "<eos>"]);
  assert.equal(el.querySelectorAll(".s2b-cells .s2b-sure").length, 2);
  assert.equal((el.querySelector(".s2b-count button") as HTMLElement).hidden, true);
});

test("another kind has other tokens; gold lies over cross-attention alone", async () => {
  const source = model();
  const el = draw(source);
  const kind = [...el.querySelectorAll("select")].at(-1) as HTMLSelectElement;
  assert.deepEqual([...kind.options].map((one) => one.textContent), ["Encoder self-attention", "Decoder self-attention", "Cross-attention"]);
  kind.selectedIndex = 1;
  kind.dispatchEvent(new (window as any).Event("change"));
  await settle();
  assert.equal(source.get("kind"), "decoder");
  assert.deepEqual(texts(el, ".s2b-cells .s2b-label"), ["<bos>", "THE", "KING"]);
  assert.equal(el.querySelectorAll(".s2b-cells .s2b-sure").length, 0);
  // words of the target are not words that the source vocabulary lacks
  assert.equal(el.querySelectorAll("text.s2b-unknown").length, 0);
});

test("a pressed picture is enlarged and its row stays held", async () => {
  const source = model({ query: 1 });
  const el = draw(source);
  await press(pictures(el)[1]!);
  assert.deepEqual([source.get("layer"), source.get("head"), source.get("query")], [0, 1, 1]);
  assert.equal(pictures(el).findIndex((one) => one.getAttribute("aria-current") === "true"), 1);
  assert.equal(el.querySelector("[role=gridcell][data-query='0'][data-key='1']")!.getAttribute("aria-label"), "1.00");
});

test("a switch asks for the translation without its head, and what changes is marked", async () => {
  const source = model();
  const el = await ready(source);
  await press(switches(el)[0]!);
  assert.deepEqual(lastOf(source, "heads").request, { source: ["the", "king"], model: 0, head_mask: { cross: [[0, 1], [1, 1]] } });
  assert.deepEqual(pressed(el), ["false", "true", "true", "true"]);
  assert.deepEqual(texts(el, ".s2b-onoff"), ["off", "on", "on", "on"]);
  assert.ok(el.querySelector(".s2b-head-explorer")!.classList.contains("s2b-stale"));
  await answer(source);
  assert.ok(!el.querySelector(".s2b-head-explorer")!.classList.contains("s2b-stale"));
  assert.deepEqual(texts(el, ".s2b-line bdi"), ["THE KING", "X KING"]);
  assert.deepEqual([texts(el, "del"), texts(el, "ins")], [["THE"], ["X"]]);
  assert.match(said(el, "count"), /^1 of 12 heads is off \(layer\.head\): cross 1\.1\. The translation changes: 1 word gone, 1 word new\./);
  assert.match(el.querySelector(".s2b-head-explorer")!.textContent!, /Layer 1, head 1 \(off/);
  assert.deepEqual(source.get("off"), [["cross", 0, 0]]);
  // the reference is not written any more: gold has nothing to lie over
  assert.equal(el.querySelectorAll(".s2b-cells .s2b-sure").length, 0);
});

test("heads of several kinds are off together, and one press turns all on", async () => {
  const source = model({ kind: "encoder" });
  const el = await ready(source);
  await press(switches(el)[3]!);
  await answer(source);
  source.set("kind", "cross");
  await settle();
  await press(switches(el)[1]!);
  await answer(source);
  assert.deepEqual(lastOf(source, "heads").request.head_mask, { encoder: [[1, 1], [1, 0]], cross: [[1, 0], [1, 1]] });
  assert.match(said(el, "count"), /2 of 12 heads are off \(layer\.head\): encoder 2\.2, cross 1\.2\. The translation stays the same\./);
  const reset = el.querySelector(".s2b-count button") as HTMLButtonElement;
  assert.equal(reset.hidden, false);
  await press(reset);
  await answer(source);
  assert.deepEqual(source.get("off"), []);
  assert.deepEqual(lastOf(source, "heads").request.head_mask, {});
  assert.deepEqual(pressed(el), ["true", "true", "true", "true"]);
});

test("sentences are counted once the switches rest, and the count says what all heads reach", async () => {
  const source = model();
  const el = await ready(source);
  await press(switches(el)[0]!);
  await answer(source);
  assert.match(said(el, "right"), /all 50 are translated anew/);
  await press(switches(el)[1]!);
  await answer(source);
  assert.equal(countOf(source, "accuracy"), 0);
  await rested();
  assert.equal(countOf(source, "accuracy"), 1);
  assert.deepEqual(lastOf(source, "accuracy").request, { source: [], model: 0, head_mask: { cross: [[0, 0], [1, 1]] } });
  await counted(source, 41);
  assert.equal(said(el, "right"), "Held-out sentences: 41 of 50 right (all heads: 49 of 50).");
  assert.deepEqual(source.get("accuracy"), { right: 41, whole: 49, total: 50, off: [["cross", 0, 0], ["cross", 0, 1]] });
});

test("a count of switches that have changed meanwhile is not shown", async () => {
  const source = model();
  const el = await ready(source);
  await press(switches(el)[0]!);
  await answer(source);
  await rested();
  await press(switches(el)[1]!);
  await counted(source, 41);
  assert.match(said(el, "right"), /translated anew/);
  await rested();
  await counted(source, 30);
  assert.match(said(el, "right"), /30 of 50 right/);
});

test("a count that fails says why, and the translation stays", async () => {
  const source = model();
  const el = await ready(source);
  await press(switches(el)[0]!);
  await answer(source);
  await rested();
  source.hear({ type: "refusal", id: lastOf(source, "accuracy").id, message: "no memory." });
  await settle();
  assert.equal(said(el, "right"), "The held-out sentences could not be counted: no memory.");
  assert.deepEqual(texts(el, "ins"), ["X"]);
});

test("what is typed is asked with the switches as they are", async () => {
  const source = model();
  const el = await ready(source);
  await press(switches(el)[0]!);
  await answer(source);
  await type(el, "the zebra king");
  assert.deepEqual(lastOf(source, "heads").request.head_mask, { cross: [[0, 1], [1, 1]] });
  await answer(source);
  assert.deepEqual(texts(el, ".s2b-cells .s2b-label"), ["the", "zebra", "king"]);
  assert.match(said(el, "note"), /read as <unk>: zebra/);
  assert.deepEqual(texts(el, "text.s2b-unknown"), ["zebra"]);
});

test("a switch while the field is empty is about the last sentence", async () => {
  const source = model();
  const el = await ready(source);
  await type(el, "");
  await press(switches(el)[0]!);
  assert.deepEqual(lastOf(source, "heads").request.source, ["the", "king"]);
});

test("pictures and switches are walked with the arrow keys, one of each with Tab", async () => {
  const source = model();
  const el = await ready(source);
  const key = async (name: string): Promise<void> => {
    document.activeElement!.dispatchEvent(new (window as any).KeyboardEvent("keydown", { key: name, bubbles: true, cancelable: true }));
    await settle();
  };
  for (const all of [pictures(el), switches(el)]) assert.equal(all.filter((one) => one.tabIndex === 0).length, 1);
  pictures(el)[0]!.focus();
  await key("ArrowDown");
  assert.equal(document.activeElement, pictures(el)[2]);
  assert.deepEqual([source.get("layer"), source.get("head")], [1, 0]);
  switches(el)[0]!.focus();
  await key("ArrowRight");
  assert.equal(document.activeElement, switches(el)[1]);
  assert.deepEqual(source.get("off"), []);
  for (const all of [pictures(el), switches(el)]) assert.equal(all.filter((one) => one.tabIndex === 0).length, 1);
});

test("every switch has a name of its own, and every picture says what it shows", () => {
  const el = draw(model());
  const spoken = switches(el).map((one) => one.firstElementChild!.textContent);
  assert.deepEqual(spoken, ["Layer 1, Head 1", "Layer 1, Head 2", "Layer 2, Head 1", "Layer 2, Head 2"]);
  assert.equal(el.querySelector(".s2b-onoff")!.getAttribute("aria-hidden"), "true");
  assert.match(pictures(el)[1]!.getAttribute("aria-label")!, /^Enlarge layer 1, head 2; strongest: THE → king 1\.00$/);
});

test("where no kernel answers the switches do nothing, and say so", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const source = model();
  const el = draw(source);
  t.mock.timers.tick(10_000);
  t.mock.timers.reset();
  assert.match(said(el, "status"), /Editing is off/);
  assert.ok(switches(el).every((one) => one.getAttribute("aria-disabled") === "true"));
  await press(switches(el)[0]!);
  assert.deepEqual(source.get("off"), []);
  assert.deepEqual(source.sent.map(({ type }) => type), ["hello"]);
});

test("heads that Python switched off before anybody looked are asked about", async () => {
  const source = model({ off: [["cross", 0, 0]] });
  const el = await ready(source);
  assert.deepEqual(pressed(el), ["false", "true", "true", "true"]);
  assert.deepEqual(lastOf(source, "heads").request.head_mask, { cross: [[0, 1], [1, 1]] });
  await answer(source);
  assert.deepEqual(texts(el, "ins"), ["X"]);
  await rested();
  assert.equal(countOf(source, "accuracy"), 1);
});

test("two views keep in step, and only the one that switched asks", async () => {
  const source = model();
  const el = await ready(source);
  const other = draw(source);
  source.hear({ type: "hello", id: lastOf(source, "hello").id });
  await settle();
  await press(switches(el)[0]!);
  assert.equal(countOf(source, "heads"), 1);
  await answer(source);
  await rested();
  await counted(source, 41);
  for (const view of [el, other]) {
    assert.deepEqual(pressed(view), ["false", "true", "true", "true"]);
    assert.deepEqual(texts(view, "ins"), ["X"]);
    assert.match(said(view, "right"), /41 of 50/);
  }
  await new Promise((done) => setTimeout(done, 1_200));
  assert.deepEqual([countOf(source, "heads"), countOf(source, "accuracy")], [1, 1]);
  // the other view knows what is off when it asks
  await type(other, "the queen");
  assert.deepEqual(lastOf(source, "heads").request.head_mask, { cross: [[0, 1], [1, 1]] });
});

test("the table of the heads says of every head whether it is on", async () => {
  const el = draw(model({ off: [["decoder", 1, 1]] }));
  const fold = el.querySelector(".s2b-twin") as HTMLDetailsElement;
  fold.open = true;
  fold.dispatchEvent(new (window as any).Event("toggle"));
  const rows = [...fold.querySelectorAll("tbody tr")].map((row) => texts(row, "th, td"));
  assert.equal(rows.length, 12);
  assert.deepEqual(rows[0], ["encoder 1.1", "on", "the → the 1.00"]);
  assert.deepEqual(rows.filter(([, state]) => state === "off").map(([name]) => name), ["decoder 2.2"]);
});

test("an answer without its numbers is no answer", async () => {
  const source = model();
  const el = await ready(source);
  await press(switches(el)[0]!);
  const { id, request } = lastOf(source, "heads");
  source.hear({ type: "answer", id, ...reply(request).message }, []);
  await settle();
  assert.match(said(el, "status"), /There is no answer: the kernel sent an answer that cannot be read\./);
  assert.deepEqual(texts(el, ".s2b-line bdi"), ["THE KING", "THE KING"]);
});

test("damaged state ends in one sentence", () => {
  for (const changed of [{ maps: [] }, { weights: new DataView(new ArrayBuffer(4)) }, { answers: null }]) {
    const el = draw(model(changed));
    assert.match(said(el, "message"), /cannot be drawn: .*Run its cell again\./);
  }
});

test("sizes in a mask are those of the maps", () => {
  assert.deepEqual(maskOf([["decoder", 1, 1]], TWO_BY_TWO), { decoder: [[1, 1], [1, 0]] });
});
