/** The engine of the site: the chapter's models run in the reader's browser, without a kernel. */

import { runtime } from "virtual:runtime";
import {
  Refusal,
  type Answered,
  type Engine,
  type ListedModel,
  type Progress,
  type Request,
  type StoredFile,
  type Subject,
} from "../engine.ts";
import { download, gunzip, Tally } from "./download.ts";
import type { OnnxTranslator } from "./onnx.ts";
import { largest, score, search, type Hypothesis } from "./search.ts";

const LONGEST_TARGET = 60;
const ALTERNATIVES = 8;

/** Where the site keeps the runtime (beside this script) and the models. */
export interface Places {
  runtime: string;
  models: string;
}

type Onnx = typeof import("./onnx.ts");

/** What a page has loaded: one runtime, and each model once, however many widgets ask. */
export class Loader {
  private runtime: Promise<Onnx> | null = null;
  private readonly models = new Map<string, Promise<OnnxTranslator>>();
  private readonly fetched = new Set<string>();

  constructor(
    private readonly places: Places,
    private readonly loadOnnx: () => Promise<Onnx>,
  ) {}

  /** A translator, loaded when it is first asked for, and again after a failure. */
  model(files: readonly StoredFile[], progress: Progress): Promise<OnnxTranslator> {
    const name = files.map(({ sha256 }) => sha256).join();
    let model = this.models.get(name);
    if (!model) {
      model = this.open(files, progress).catch((error: unknown) => {
        this.models.delete(name);
        throw error;
      });
      this.models.set(name, model);
    }
    return model;
  }

  private async open(files: readonly StoredFile[], progress: Progress): Promise<OnnxTranslator> {
    const wanted = [...(this.runtime ? [] : [runtime]), ...files].filter(({ sha256 }) => !this.fetched.has(sha256));
    const tally = new Tally(
      wanted.reduce((sum, { bytes }) => sum + bytes, 0),
      progress,
    );
    const onnx = (this.runtime ??= this.start(tally).catch((error: unknown) => {
      this.runtime = null;
      throw error;
    }));
    const [weights, encoder, decoder] = await Promise.all(
      files.map((file) => download(this.places.models, file, tally)),
    );
    const { OnnxTranslator } = await onnx;
    if (!weights || !encoder || !decoder) throw new Refusal("this model is not stored whole");
    for (const { sha256 } of wanted) this.fetched.add(sha256);
    return OnnxTranslator.open(encoder, decoder, (files[0] as StoredFile).file, weights);
  }

  private async start(tally: Tally): Promise<Onnx> {
    if (typeof WebAssembly === "undefined") {
      throw new Refusal("this browser does not run WebAssembly, which the model needs");
    }
    const [onnx, packed] = await Promise.all([
      this.loadOnnx().catch(() => {
        throw new Refusal("the script that runs models could not be loaded");
      }),
      download(this.places.runtime, runtime, tally),
    ]);
    if (!(await mayCompile())) {
      throw new Refusal("this browser, or the host of this page, does not let WebAssembly run");
    }
    onnx.start(await gunzip(packed));
    return onnx;
  }
}

/** May this page compile WebAssembly? Asked with the smallest module there is. */
async function mayCompile(): Promise<boolean> {
  const empty = Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0);
  return WebAssembly.compile(empty).then(
    () => true,
    () => false,
  );
}

export class BrowserEngine implements Engine {
  private readonly ids: ReadonlyMap<string, number>;
  private readonly targetIds: ReadonlyMap<string, number>;

  constructor(
    private readonly loader: Loader,
    private readonly subject: Subject,
    private readonly progress: Progress,
  ) {
    const numbered = (words: readonly string[]): Map<string, number> =>
      new Map(words.map((word, id) => [word, id] as const));
    this.ids = numbered(subject.sourceWords);
    this.targetIds = numbered(subject.targetWords);
  }

  async prepare(model: number): Promise<void> {
    const files = this.subject.models[model]?.stored?.files;
    if (files) await this.loader.model(files, this.progress);
  }

  async translate(request: Request): Promise<Answered> {
    const listed = this.subject.models[request.model] as ListedModel | undefined;
    if (!listed?.stored) throw new Refusal(`${listed?.title ?? "this model"} needs Python, and there is no kernel on this page`);
    const model = await this.loader.model(listed.stored.files, this.progress);
    const reader = await model.read(this.encode(request.source), request);
    const hypotheses = await search(reader, {
      bos: this.targetIds.get("<bos>") ?? 0,
      eos: this.targetIds.get("<eos>") ?? 0,
      width: request.width,
      prefix: request.prefix.map((token) => {
        const id = this.targetIds.get(token);
        if (id === undefined) throw new Refusal(`the translation cannot begin with ${token}, which the model does not know`);
        return id;
      }),
      maxLength: LONGEST_TARGET,
    });
    return this.answer(request.source, hypotheses, reader.heads);
  }

  private encode(source: readonly string[]): number[] {
    const unknown = this.ids.get("<unk>") ?? 0;
    return source.map((word) => this.ids.get(word) ?? unknown);
  }

  private answer(
    source: readonly string[],
    hypotheses: readonly Hypothesis[],
    shape: readonly [layers: number, heads: number],
  ): Answered {
    const words = this.subject.targetWords;
    const text = (id: number): string => words[id] ?? "<unk>";
    const [best] = hypotheses;
    if (!best) throw new Refusal("nothing was written");
    const [layers, heads] = shape;
    const [queries, keys] = [best.attention.length, source.length];
    const weights = new Float32Array(layers * heads * queries * keys);
    // a step gives (layer, head, key), a map holds (layer, head, query, key)
    for (const [query, step] of best.attention.entries()) {
      for (let head = 0; head < layers * heads; head += 1) {
        weights.set(step.subarray(head * keys, (head + 1) * keys), (head * queries + query) * keys);
      }
    }
    return {
      answer: {
        source,
        steps: best.tokens.map((token, at) => {
          const logProbs = best.logProbs[at] as Float32Array;
          return {
            token: text(token),
            log_prob: logProbs[token] ?? 0,
            alternatives: largest(logProbs, ALTERNATIVES).map((id) => [text(id), logProbs[id] ?? 0] as const),
          };
        }),
        hypotheses: hypotheses.map((one) => [
          one.tokens.slice(0, one.finished ? -1 : undefined).map(text),
          score(one),
        ]),
      },
      map: {
        title: "",
        kind: "cross",
        shape: [layers, heads, queries, keys],
        offset: 0,
        query_tokens: best.tokens.map(text),
        key_tokens: [...source],
        sure: [],
        possible: [],
        normalised: true,
      },
      weights: new DataView(weights.buffer),
    };
  }
}
