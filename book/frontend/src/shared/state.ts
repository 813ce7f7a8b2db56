/** Reading the attention maps that Python stored: the one place that knows the layout of bytes. */

/** The stored state is not what a widget can draw; the message is for the reader. */
export class StateError extends Error {}

export type Cell = readonly [query: number, key: number];

export interface AttentionMap {
  readonly title: string;
  readonly kind: string;
  readonly layers: number;
  readonly heads: number;
  readonly queryTokens: readonly string[];
  readonly keyTokens: readonly string[];
  readonly sure: readonly Cell[];
  readonly possible: readonly Cell[];
  /** The weight of a cell; positions, never token texts, are the keys. */
  weight(layer: number, head: number, query: number, key: number): number;
  /** All weights of one query, in the order of the keys. */
  row(layer: number, head: number, query: number): number[];
}

/** The maps of a stored state. Throws a StateError that says what is wrong with it. */
export function decodeMaps(maps: unknown, weights: unknown): AttentionMap[] {
  const bytes = asDataView(weights);
  if (!Array.isArray(maps)) throw new StateError("the list of maps is missing");
  if (maps.length === 0) throw new StateError("there is no attention map in it");
  return maps.map((entry, index) => decodeMap(entry, bytes, index + 1));
}

function asDataView(weights: unknown): DataView {
  if (weights instanceof DataView) return weights;
  if (weights instanceof ArrayBuffer) return new DataView(weights);
  if (ArrayBuffer.isView(weights)) {
    return new DataView(weights.buffer, weights.byteOffset, weights.byteLength);
  }
  throw new StateError("the weights are missing");
}

function decodeMap(entry: unknown, bytes: DataView, number: number): AttentionMap {
  const where = `map ${number}`;
  if (typeof entry !== "object" || entry === null) throw new StateError(`${where} is not a record`);
  const stored = entry as Record<string, unknown>;
  const [layers, heads, queries, keys] = shapeOf(stored["shape"], where);
  const queryTokens = strings(stored["query_tokens"], `${where}: query tokens`);
  const keyTokens = strings(stored["key_tokens"], `${where}: key tokens`);
  if (queryTokens.length !== queries || keyTokens.length !== keys) {
    throw new StateError(
      `${where} has weights for ${queries} x ${keys} cells, but ${queryTokens.length} query ` +
        `tokens and ${keyTokens.length} key tokens`,
    );
  }
  const offset = stored["offset"];
  if (!isCount(offset, 0)) throw new StateError(`${where} does not say where its weights begin`);
  const floats = layers * heads * queries * keys;
  if ((offset + floats) * 4 > bytes.byteLength) {
    throw new StateError(
      `${where} needs ${floats} weights from number ${offset} on, but only ` +
        `${Math.floor(bytes.byteLength / 4)} are stored`,
    );
  }
  const weight = (layer: number, head: number, query: number, key: number): number =>
    bytes.getFloat32(4 * (offset + ((layer * heads + head) * queries + query) * keys + key), true);
  for (let at = offset; at < offset + floats; at += 1) {
    const value = bytes.getFloat32(4 * at, true);
    if (!(value >= -1e-3 && value <= 1 + 1e-3)) {
      throw new StateError(`${where} holds the weight ${value}; weights lie between 0 and 1`);
    }
  }
  return {
    title: typeof stored["title"] === "string" ? stored["title"] : "",
    kind: typeof stored["kind"] === "string" ? stored["kind"] : "",
    layers,
    heads,
    queryTokens,
    keyTokens,
    sure: cells(stored["sure"], queries, keys, `${where}: sure links`),
    possible: cells(stored["possible"], queries, keys, `${where}: possible links`),
    weight,
    row: (layer, head, query) => keyTokens.map((_, key) => weight(layer, head, query, key)),
  };
}

function isCount(value: unknown, least: number): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= least;
}

function shapeOf(shape: unknown, where: string): [number, number, number, number] {
  if (!Array.isArray(shape) || shape.length !== 4 || !shape.every((size) => isCount(size, 1))) {
    throw new StateError(`${where} does not have a shape of four sizes`);
  }
  return shape as [number, number, number, number];
}

function strings(list: unknown, what: string): string[] {
  if (!Array.isArray(list) || !list.every((item) => typeof item === "string")) {
    throw new StateError(`${what} are not a list of texts`);
  }
  return list as string[];
}

/** Cells of a map of this size. Throws a StateError that begins with `what`. */
export function cells(list: unknown, queries: number, keys: number, what: string): Cell[] {
  if (list === undefined || list === null) return [];
  if (!Array.isArray(list)) throw new StateError(`${what} are not a list`);
  return list.map((item) => {
    const [query, key] = Array.isArray(item) ? item : [];
    if (!isCount(query, 0) || !isCount(key, 0) || query >= queries || key >= keys) {
      throw new StateError(`${what} hold a cell outside the map`);
    }
    return [query, key] as const;
  });
}

/** A trait that holds a list; empty where it does not. */
export function list<T>(value: unknown): readonly T[] {
  return Array.isArray(value) ? (value as T[]) : [];
}

/** A trait that holds a text; empty where it does not. */
export function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}
