/**
 * A stored translator as ONNX graphs (`seq2bert/onnx_export.py`), run by onnxruntime-web.
 *
 * One WebAssembly runtime serves the whole page. It runs on one thread: more would need headers
 * that a static host does not send, and these models are small.
 */

import * as ort from "onnxruntime-web/wasm";
import type { Reader, Stepped } from "./search.ts";

type Tensors = Readonly<Record<string, ort.Tensor>>;

/** Numbers that every graph may take. */
export interface Interventions {
  scale: number;
  temperature: number;
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
      externalData: [{ path, data: weights }],
    };
    return new OnnxTranslator(
      await inTurn(() => ort.InferenceSession.create(encoder, options)),
      await inTurn(() => ort.InferenceSession.create(decoder, options)),
    );
  }

  /** Read one sentence. */
  async read(ids: readonly number[], interventions: Interventions): Promise<OnnxReader> {
    const inputs = {
      source: new ort.Tensor("int64", BigInt64Array.from(ids, BigInt), [1, ids.length]),
      source_mask: new ort.Tensor("bool", new Uint8Array(ids.length).fill(1), [1, ids.length]),
      ...neutral(this.encoder),
      ...scalars(interventions),
    };
    const found = await inTurn(() => this.encoder.run(only(this.encoder, inputs)));
    return new OnnxReader(this.decoder, found, { ...neutral(this.decoder), ...scalars(interventions) });
  }
}

/** One sentence that has been read: its memory, ready to be asked step by step. */
export class OnnxReader implements Reader<Tensors> {
  /** None of a translator without attention. */
  heads: readonly [layers: number, heads: number] = [0, 0];
  private readonly memory: Tensors;
  private readonly first: Tensors;
  /** The memory repeated for so many hypotheses. */
  private readonly repeated = new Map<number, Tensors>();

  constructor(
    private readonly decoder: ort.InferenceSession,
    encoded: Tensors,
    private readonly interventions: Tensors,
  ) {
    this.memory = part(encoded, "memory.");
    this.first = part(encoded, "state.");
    this.repeated.set(1, this.memory);
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
    // (batch, layer, head, 1, key)
    const attention = found["attention.cross"];
    if (attention) this.heads = [attention.dims[1] ?? 1, attention.dims[2] ?? 1];
    return {
      state: next,
      logProbs: rows(found["log_probs"] as ort.Tensor),
      attention: attention ? rows(attention) : tokens.map(() => new Float32Array()),
    };
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

function scalars({ scale, temperature }: Interventions): Tensors {
  return {
    scale: new ort.Tensor("float32", [scale], []),
    temperature: new ort.Tensor("float32", [temperature], []),
  };
}

/** Head masks that switch nothing off. */
function neutral(session: ort.InferenceSession): Tensors {
  const masks: Record<string, ort.Tensor> = {};
  for (const input of session.inputMetadata) {
    if (!input.isTensor || !input.name.startsWith("head_mask.")) continue;
    const shape = input.shape.map(Number);
    masks[input.name] = new ort.Tensor(
      "float32",
      new Float32Array(shape.reduce((product, size) => product * size, 1)).fill(1),
      shape,
    );
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
