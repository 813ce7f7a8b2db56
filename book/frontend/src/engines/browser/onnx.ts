/**
 * A stored translator as ONNX graphs (`seq2bert/onnx_export.py`), run by onnxruntime-web.
 *
 * One WebAssembly runtime serves the whole page. It runs on one thread: more would need headers
 * that a static host does not send, and these models are small.
 */

import * as ort from "onnxruntime-web/wasm";
import { Refusal, type HeadMask } from "../engine.ts";
import type { Reader, Stepped, Weights } from "./search.ts";

type Tensors = Readonly<Record<string, ort.Tensor>>;

/** What a graph may take beside its data; what is left out changes nothing. */
export interface Interventions {
  scale?: number;
  temperature?: number;
  head_mask?: HeadMask;
}

/** Start the runtime; to be called once, before any model is opened. */
export function start(runtime: ArrayBuffer): void {
  ort.env.wasm.numThreads = 1;
  ort.env.wasm.proxy = false;
  ort.env.wasm.wasmBinary = runtime;
  ort.env.logLevel = "error";
}

let last: Promise<unknown> = Promise.resolve();

/**
 * One thing at a time: the runtime has one stack and one place for a model's weights, and whoever
 * opens or runs a model while another one is at it would find them changed.
 */
function inTurn<T>(work: () => Promise<T>): Promise<T> {
  const mine = last.then(work, work);
  last = mine.catch(() => {});
  return mine;
}

export class OnnxTranslator {
  private constructor(
    private readonly encoder: ort.InferenceSession,
    private readonly decoder: ort.InferenceSession,
  ) {}

  /** Open the graphs; their weights stay where they are, in the file that `path` names. */
  static async open(
    encoder: Uint8Array,
    decoder: Uint8Array,
    path: string,
    weights: Uint8Array,
  ): Promise<OnnxTranslator> {
    const options: ort.InferenceSession.SessionOptions = {
      executionProviders: ["wasm"],
      // a note about what the runtime could not simplify is for nobody who reads a book
      logSeverityLevel: 3,
      externalData: [{ path, data: weights }],
    };
    return new OnnxTranslator(
      await inTurn(() => ort.InferenceSession.create(encoder, options)),
      await inTurn(() => ort.InferenceSession.create(decoder, options)),
    );
  }

  /** Read one sentence. */
  read(ids: readonly number[], interventions: Interventions): Promise<OnnxReader> {
    return this.readAll([ids], interventions);
  }

  /** Read sentences of any lengths as one batch; what pads the shorter ones is masked. */
  async readAll(sentences: readonly (readonly number[])[], interventions: Interventions): Promise<OnnxReader> {
    const longest = Math.max(...sentences.map(({ length }) => length));
    const ids = new BigInt64Array(sentences.length * longest);
    const real = new Uint8Array(ids.length);
    for (const [row, sentence] of sentences.entries()) {
      ids.set(sentence.map(BigInt), row * longest);
      real.fill(1, row * longest, row * longest + sentence.length);
    }
    const inputs = {
      source: new ort.Tensor("int64", ids, [sentences.length, longest]),
      source_mask: new ort.Tensor("bool", real, [sentences.length, longest]),
      ...headMasks(this.encoder, interventions.head_mask),
      ...scalars(interventions),
    };
    const found = await inTurn(() => this.encoder.run(only(this.encoder, inputs)));
    const changes = { ...headMasks(this.decoder, interventions.head_mask), ...scalars(interventions) };
    return new OnnxReader(this.decoder, found, changes, sentences.length);
  }
}

/** Sentences that have been read: their memory, ready to be asked step by step. */
export class OnnxReader implements Reader<Tensors> {
  /** Filled as attention is met; none of a translator without attention. */
  readonly heads: Record<string, readonly [layers: number, heads: number]> = {};
  private readonly memory: Tensors;
  private readonly first: Tensors;
  /** The memory repeated for so many hypotheses of one sentence. */
  private readonly repeated = new Map<number, Tensors>();

  constructor(
    private readonly decoder: ort.InferenceSession,
    encoded: Tensors,
    private readonly interventions: Tensors,
    sentences = 1,
  ) {
    this.memory = part(encoded, "memory.");
    this.first = part(encoded, "state.");
    this.repeated.set(sentences, this.memory);
    this.notice("encoder", this.memory["memory.encoder"]);
  }

  /** The attention with which the source was read, (layer, head, query, key); not all models have it. */
  get encoder(): Float32Array | null {
    const tensor = this.memory["memory.encoder"];
    return tensor ? (rows(tensor)[0] ?? null) : null;
  }

  start(): Tensors {
    return this.first;
  }

  async step(tokens: readonly number[], state: Tensors): Promise<Stepped<Tensors>> {
    const inputs = {
      token: new ort.Tensor("int64", BigInt64Array.from(tokens, BigInt), [tokens.length]),
      ...state,
      ...this.memoryOf(tokens.length),
      ...this.interventions,
    };
    const found = await inTurn(() => this.decoder.run(only(this.decoder, inputs)));
    const next: Record<string, ort.Tensor> = {};
    for (const [name, tensor] of Object.entries(found)) {
      if (name.startsWith("next.")) next[`state.${name.slice("next.".length)}`] = tensor;
    }
    const attention = tokens.map((): Record<string, Float32Array> => ({}));
    for (const [name, tensor] of Object.entries(found)) {
      if (!name.startsWith("attention.")) continue;
      const kind = name.slice("attention.".length);
      this.notice(kind, tensor);
      for (const [row, weights] of rows(tensor).entries()) (attention[row] as Record<string, Float32Array>)[kind] = weights;
    }
    return { state: next, logProbs: rows(found["log_probs"] as ort.Tensor), attention: attention as readonly Weights[] };
  }

  /** Attention has the axes (batch, layer, head, query, key). */
  private notice(kind: string, attention: ort.Tensor | undefined): void {
    if (attention) this.heads[kind] = [attention.dims[1] ?? 1, attention.dims[2] ?? 1];
  }

  select(state: Tensors, chosen: readonly number[]): Tensors {
    return mapped(state, (tensor) => selected(tensor, chosen));
  }

  /** A tensor of the memory (`memory.<name>`) or of a state (`state.<name>`), a list for each row. */
  look(name: string, state: Tensors = this.memory): Float32Array[] {
    const tensor = state[name];
    if (!tensor) throw new Error(`this model has no ${name}`);
    return rows(tensor);
  }

  private memoryOf(count: number): Tensors {
    const known = this.repeated.get(count);
    if (known) return known;
    const made = mapped(this.memory, (tensor) => selected(tensor, new Array<number>(count).fill(0)));
    this.repeated.set(count, made);
    return made;
  }
}

function scalars({ scale = 1, temperature = 1 }: Interventions): Tensors {
  return {
    scale: new ort.Tensor("float32", [scale], []),
    temperature: new ort.Tensor("float32", [temperature], []),
  };
}

/** The head masks that a graph asks for: as given, and else such that switch nothing off. */
function headMasks(session: ort.InferenceSession, given: HeadMask = {}): Tensors {
  const masks: Record<string, ort.Tensor> = {};
  for (const input of session.inputMetadata) {
    if (!input.isTensor || !input.name.startsWith("head_mask.")) continue;
    const [layers = 0, heads = 0] = input.shape.map(Number);
    const rows = given[input.name.slice("head_mask.".length)] ?? new Array<number[]>(layers).fill(new Array<number>(heads).fill(1));
    if (rows.length !== layers || rows.some(({ length }) => length !== heads)) {
      throw new Refusal(`this model has ${layers} layers of ${heads} heads each, and was asked about others`);
    }
    masks[input.name] = new ort.Tensor("float32", Float32Array.from(rows.flat()), [layers, heads]);
  }
  return masks;
}

/** Those of some inputs that a graph takes. */
function only(session: ort.InferenceSession, inputs: Tensors): Record<string, ort.Tensor> {
  const wanted: Record<string, ort.Tensor> = {};
  for (const name of session.inputNames) {
    const tensor = inputs[name];
    if (!tensor) throw new Error(`the model asks for ${name}, which this page does not know`);
    wanted[name] = tensor;
  }
  return wanted;
}

function part(tensors: Tensors, prefix: string): Tensors {
  return Object.fromEntries(Object.entries(tensors).filter(([name]) => name.startsWith(prefix)));
}

function mapped(tensors: Tensors, change: (tensor: ort.Tensor) => ort.Tensor): Tensors {
  return Object.fromEntries(Object.entries(tensors).map(([name, tensor]) => [name, change(tensor)]));
}

/** The given rows of a tensor (its first axis). */
function selected(tensor: ort.Tensor, chosen: readonly number[]): ort.Tensor {
  const data = tensor.data as Float32Array;
  const size = data.length / (tensor.dims[0] ?? 1);
  const made = new (data.constructor as Float32ArrayConstructor)(size * chosen.length);
  for (const [place, row] of chosen.entries()) made.set(data.subarray(row * size, (row + 1) * size), place * size);
  return new ort.Tensor(tensor.type as "float32", made, [chosen.length, ...tensor.dims.slice(1)]);
}

/** The rows of a float tensor, as copies that outlive it. */
function rows(tensor: ort.Tensor): Float32Array[] {
  const data = tensor.data as Float32Array;
  const count = tensor.dims[0] ?? 1;
  const size = data.length / count;
  return Array.from({ length: count }, (_, row) => data.slice(row * size, (row + 1) * size));
}
