/** What stands between the reader's words and a model: search, asking, sentences, loading. */

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { afterEach, test } from "node:test";
import { Asker } from "../src/engines/asker.ts";
import { download, gunzip, Tally } from "../src/engines/browser/download.ts";
import { largest, score, search, type Reader } from "../src/engines/browser/search.ts";
import { Refusal, type Engine, type Question, type Reply } from "../src/engines/engine.ts";
import type { Answered, Request } from "../src/engines/questions.ts";
import { KernelEngine } from "../src/engines/kernel.ts";
import { suggestions, wordAt, words } from "../src/shared/sentence.ts";
import { fromFragment, plainRequest, same, toFragment } from "../src/widgets/translate/request.ts";
import { Kernel, settle } from "./page.ts";
import { gzipSync } from "node:zlib";

// --- search -----------------------------------------------------------------------------------

const [BOS, EOS, A, B] = [0, 1, 2, 3];

/** A model whose next word depends on the last two: its state is the word before the last. */
const TABLE: Record<string, readonly number[]> = {
  // p(<bos>, <eos>, a, b) after (before, last)
  "-,0": [0, 0.1, 0.5, 0.4],
  "0,2": [0, 0.2, 0.4, 0.4],
  "0,3": [0, 0.9, 0.05, 0.05],
  "2,2": [0, 0.5, 0.25, 0.25],
  "2,3": [0, 0.5, 0.25, 0.25],
  "3,2": [0, 0.5, 0.25, 0.25],
  "3,3": [0, 0.5, 0.25, 0.25],
};

function reader(): Reader<string[]> {
  return {
    heads: { cross: [1, 1] },
    start: () => ["-"],
    async step(tokens: readonly number[], state: string[]) {
      const rows = tokens.map((token, row) => TABLE[`${state[row]},${token}`] as readonly number[]);
      return {
        state: tokens.map(String),
        logProbs: rows.map((row) => Float32Array.from(row, Math.log)),
        attention: tokens.map((token) => ({ cross: Float32Array.of(token) })),
      };
    },
    select: (state: string[], rows: readonly number[]) => rows.map((row) => state[row] as string),
  };
}

const options = { bos: BOS, eos: EOS, width: 1, prefix: [] as number[], maxLength: 4 };

test("greedy search takes the likeliest word each time; a beam finds the likelier sentence", async () => {
  const [greedy] = await search(reader(), options);
  assert.equal(greedy!.tokens[0], A);
  const found = await search(reader(), { ...options, width: 3 });
  assert.deepEqual(found[0]!.tokens, [B, EOS]);
  assert.ok(Math.abs(found[0]!.logProb - Math.log(0.4 * 0.9)) < 1e-6);
  const scores = found.map(score);
  assert.deepEqual(scores, [...scores].sort((a, b) => b - a));
});

test("attention and log-probabilities are those of the words that were kept", async () => {
  const [best] = await search(reader(), { ...options, width: 3 });
  assert.deepEqual(best!.attention.map((row) => row["cross"]![0]), [BOS, B]);
  assert.ok(Math.abs(best!.logProbs[1]![EOS]! - Math.log(0.9)) < 1e-6);
});

test("a prefix is written first, and an end in it ends the sentence", async () => {
  const [found] = await search(reader(), { ...options, prefix: [B, A] });
  assert.deepEqual(found!.tokens.slice(0, 2), [B, A]);
  const [ended] = await search(reader(), { ...options, prefix: [A, EOS] });
  assert.deepEqual(ended!.tokens, [A, EOS]);
});

test("at the limit a sentence that has not ended is given all the same", async () => {
  const [cut] = await search(reader(), { ...options, prefix: [A, A], maxLength: 1 });
  assert.deepEqual(cut!.tokens, [A]);
  assert.equal(cut!.finished, false);
});

test("the largest numbers, the first of equal ones first", () => {
  assert.deepEqual(largest(Float32Array.of(1, 3, 3, 2), 3), [1, 2, 3]);
  assert.deepEqual(largest(Float32Array.of(1), 3), [0]);
});

// --- asking -----------------------------------------------------------------------------------

function stage(patience?: number): { asker: Asker<Request, Answered>; heard: string[]; answer(name: string): void; fail(name: string): void } {
  const heard: string[] = [];
  const open = new Map<string, { resolve(one: Answered): void; reject(error: Error): void }>();
  const engine: Engine = {
    prepare: async () => {},
    ask: <A extends Reply>(kind: string, { source }: Question) =>
      new Promise<Answered>((resolve, reject) => {
        heard.push(`asked ${source[0]}`);
        assert.equal(kind, "translate");
        open.set(source[0]!, { resolve, reject });
      }) as Promise<Reply> as Promise<A>,
  };
  const asker = new Asker<Request, Answered>(
    "translate",
    async () => engine,
    {
      waiting: () => {},
      slow: () => heard.push("slow"),
      answered: (_, request) => heard.push(`answered ${request.source[0]}`),
      failed: (error, request) => heard.push(`failed ${request.source[0]}: ${(error as Error).message}`),
    },
    patience,
  );
  const take = (name: string): NonNullable<ReturnType<typeof open.get>> => open.get(name)!;
  return {
    asker,
    heard,
    answer: (name) => take(name).resolve({} as Answered),
    fail: (name) => take(name).reject(new Error("no")),
  };
}
const about = (word: string): Request => plainRequest([word]);

test("of what is asked while one is under way only the last is sent", async () => {
  const { asker, heard, answer } = stage();
  for (const word of ["a", "b", "c", "d"]) asker.ask(about(word));
  await settle();
  answer("a");
  await settle();
  answer("d");
  await settle();
  assert.deepEqual(heard, ["asked a", "answered a", "asked d", "answered d"]);
});

test("what is forgotten is not heard, and what failed does not stand in the way", async () => {
  const { asker, heard, answer, fail } = stage();
  asker.ask(about("a"));
  await settle();
  asker.forget();
  asker.ask(about("b"));
  await settle();
  answer("a");
  fail("b");
  await settle();
  asker.ask(about("c"));
  await settle();
  answer("c");
  await settle();
  assert.deepEqual(heard, ["asked a", "asked b", "failed b: no", "asked c", "answered c"]);
});

test("a slow answer does not hold up the next request, and is not heard once that is sent", async () => {
  const { asker, heard, answer } = stage(20);
  asker.ask(about("a"));
  await settle();
  asker.ask(about("b"));
  await new Promise((done) => setTimeout(done, 60));
  answer("b");
  await settle();
  answer("a");
  await settle();
  assert.deepEqual(heard.filter((line) => line !== "slow"), ["asked a", "asked b", "answered b"]);
  assert.ok(heard.includes("slow"));
});

// --- the kernel -------------------------------------------------------------------------------

test("an answer goes to whoever asked, by its number; others are left alone", async () => {
  const model = new Kernel({});
  const [one, other] = [new AbortController(), new AbortController()];
  const first = new KernelEngine(model, one.signal).ask<Answered>("translate", about("a"));
  const second = new KernelEngine(model, other.signal).ask<Answered>("translate", about("b"));
  const [a, b] = model.sent.map(({ id }) => id);
  assert.notEqual(a, b);
  model.hear({ type: "answer", id: "somebody else's", answer: {}, map: {} }, [new ArrayBuffer(4)]);
  model.hear({ type: "answer", id: b, answer: { source: ["b"] }, map: {} }, [new ArrayBuffer(4)]);
  model.hear({ type: "refusal", id: a, message: "too long" });
  const found = await second;
  assert.deepEqual(found.answer.source, ["b"]);
  assert.ok(found.buffers[0] instanceof DataView);
  assert.equal(model.sent[1]!["type"], "translate");
  await assert.rejects(first, (error: unknown) => error instanceof Refusal && error.message === "too long");
});

test("a kernel that was restarted is named, with what to do", async () => {
  const model = new Kernel({});
  model.send = () => {
    throw new Error("Cannot send");
  };
  const asked = new KernelEngine(model, new AbortController().signal).ask<Answered>("translate", about("a"));
  await assert.rejects(asked, (error: unknown) => error instanceof Refusal && /run this cell again/.test(error.message));
});

test("what waits for a kernel is let go when its view is closed", async () => {
  const model = new Kernel({});
  const life = new AbortController();
  const waiting = new KernelEngine(model, life.signal).ask<Answered>("translate", about("a"));
  life.abort();
  await assert.rejects(waiting, Refusal);
});

test("what is no answer is refused", async () => {
  const model = new Kernel({});
  const waiting = new KernelEngine(model, new AbortController().signal).ask("translate", about("a"));
  model.hear({ type: "greeting", id: model.sent[0]!["id"] }, []);
  await assert.rejects(waiting, /cannot be read/);
});

// --- loading ----------------------------------------------------------------------------------

const original = globalThis.fetch;
afterEach(() => {
  globalThis.fetch = original;
});

function served(body: Uint8Array | null, status = 200): string[] {
  const asked: string[] = [];
  globalThis.fetch = (async (url: URL) => {
    asked.push(String(url));
    return new Response(body as BodyInit | null, { status });
  }) as unknown as typeof fetch;
  return asked;
}
test("what was damaged on the way is asked for once more, past the cache", async () => {
  const asked: (string | undefined)[] = [];
  globalThis.fetch = (async (_: URL, init?: RequestInit) => {
    asked.push(init?.cache);
    return new Response(asked.length === 1 ? content.slice(1) : content);
  }) as unknown as typeof fetch;
  assert.deepEqual(await download("http://localhost/", file, none()), content);
  assert.deepEqual(asked, ["force-cache", "reload"]);
});

const content = new TextEncoder().encode("weights of a model");
const file = { file: "m.safetensors", bytes: content.length, sha256: createHash("sha256").update(content).digest("hex") };
const none = (): Tally => new Tally(1, () => {});

test("a file is fetched under the address of its version and counted as it comes", async () => {
  const asked = served(content);
  const heard: number[] = [];
  const got = await download("http://localhost/models/", file, new Tally(content.length, (loaded) => heard.push(loaded)));
  assert.deepEqual(got, content);
  assert.deepEqual(asked, [`http://localhost/models/m.safetensors?v=${file.sha256.slice(0, 8)}`]);
  assert.equal(heard.at(-1), content.length);
});

const wrong: [string, Uint8Array | null, number, RegExp][] = [
  ["is cut short", content.slice(0, 5), 200, /did not arrive whole/],
  ["is longer than it should be", Uint8Array.of(...content, 1), 200, /did not arrive whole/],
  ["has another content", content.map((byte) => byte ^ 1), 200, /did not arrive whole/],
  ["is not there", null, 404, /not on the site \(status 404\)/],
];
for (const [what, body, status, reason] of wrong) {
  test(`a file that ${what} is refused with a reason`, async () => {
    served(body, status);
    await assert.rejects(download("http://localhost/", file, none()), (error: unknown) => error instanceof Refusal && reason.test(error.message));
  });
}

test("without a connection a sentence says so", async () => {
  globalThis.fetch = (() => Promise.reject(new TypeError("Failed to fetch"))) as typeof fetch;
  await assert.rejects(download("http://localhost/", file, none()), /is the connection there/);
});

test("what was packed is unpacked", async () => {
  const packed = Uint8Array.from(gzipSync(content));
  assert.deepEqual(new Uint8Array(await gunzip(packed)), content);
});

// --- sentences --------------------------------------------------------------------------------

test("a sentence is cut into words as the language writes them", () => {
  assert.deepEqual(words("The king's  dog\nsleeps."), ["the", "king's", "dog", "sleeps", "."]);
  assert.deepEqual(words("  "), []);
  // the language spells one word with a capital
  assert.deepEqual(words("i see it. I Sleep"), ["I", "see", "it", ".", "I", "sleep"]);
  assert.deepEqual(words("été 🙂🙂 <b>"), ["été", "🙂🙂", "<", "b", ">"]);
  // however an accent is written, it is the same word
  assert.deepEqual(words("e\u0301te\u0301"), words("été"));
});

test("the word at the caret, and what may follow it", () => {
  assert.deepEqual(wordAt("the ki sleeps", 6), { begin: 4, end: 6, prefix: "ki" });
  assert.deepEqual(wordAt("the  sleeps", 4), { begin: 4, end: 4, prefix: "" });
  assert.deepEqual(suggestions(["kings", "king", "<unk>", "ki", "a"], "ki", 9), ["king", "kings"]);
  assert.deepEqual(suggestions(["king"], "", 9), []);
});

test("a link gives back what was asked, and nothing that is not offered", () => {
  const request: Request = { ...plainRequest(["le", "&", "="]), model: 1, prefix: ["la", "reine"], width: 4, temperature: 0.5, scale: 8 };
  const link = toFragment("translate", request);
  assert.ok(same(fromFragment("translate", link, 2)!, request));
  assert.equal(fromFragment("other", link, 2), null);
  assert.equal(fromFragment("translate", link.replace("translate", "translated"), 2), null);
  const odd = fromFragment("translate", "translate?s=a&m=7&w=1000&t=NaN&e=", 2)!;
  assert.ok(same(odd, plainRequest(["a"])));
  assert.equal(fromFragment("translate", "translate?s=", 2), null);
  assert.equal(fromFragment("translate", `translate?s=${"a ".repeat(100)}`, 2), null);
});
