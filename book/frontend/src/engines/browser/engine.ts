/** The engine of the site: the chapter's models run in the reader's browser, without a kernel. */

import { runtime } from "virtual:runtime";
import { Missing, type Engine, type Progress, type Question, type Reply, type StoredFile, type Subject } from "../engine.ts";
import { answerers, type Read } from "./answers.ts";
import { download, gunzip, Tally } from "./download.ts";
import type { OnnxTranslator } from "./onnx.ts";
import { Vocabulary } from "./vocabulary.ts";

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
    if (!weights || !encoder || !decoder) throw new Missing("this model is not stored whole");
    for (const { sha256 } of wanted) this.fetched.add(sha256);
    return OnnxTranslator.open(encoder, decoder, (files[0] as StoredFile).file, weights);
  }

  private async start(tally: Tally): Promise<Onnx> {
    if (typeof WebAssembly === "undefined") {
      throw new Missing("this browser does not run WebAssembly, which the model needs");
    }
    const [onnx, packed] = await Promise.all([
      this.loadOnnx().catch(() => {
        throw new Missing("the script that runs models could not be loaded");
      }),
      download(this.places.runtime, runtime, tally),
    ]);
    if (!(await mayCompile())) {
      throw new Missing("this browser, or the host of this page, does not let WebAssembly run");
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
  private readonly source: Vocabulary;
  private readonly target: Vocabulary;

  constructor(
    private readonly loader: Loader,
    private readonly subject: Subject,
    private readonly progress: Progress,
  ) {
    this.source = new Vocabulary(subject.sourceWords);
    this.target = new Vocabulary(subject.targetWords);
  }

  async prepare(model: number): Promise<void> {
    const files = this.subject.models[model]?.stored?.files;
    if (files) await this.loader.model(files, this.progress);
  }

  async ask<A extends Reply>(kind: string, question: Question): Promise<A> {
    const answer = answerers[kind];
    if (!answer) throw new Missing(`this page cannot answer a question about ${kind}`);
    const listed = this.subject.models[question.model];
    if (!listed?.stored) throw new Missing(`${listed?.title ?? "this model"} needs Python, and there is no kernel on this page`);
    const model = await this.loader.model(listed.stored.files, this.progress);
    const read: Read = (sentences, changes) =>
      model.readAll(
        sentences.map((words) => words.map((word) => this.source.idOrUnknown(word))),
        changes,
      );
    return (await answer(question as never, read, this.target)) as A;
  }
}
