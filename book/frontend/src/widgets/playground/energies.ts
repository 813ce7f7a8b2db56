/**
 * The energies and distribution functions of `seq2bert.attention`, for vectors of the plane.
 *
 * The numbers of an energy that has parameters come from Python, so that both sides compute the same.
 */

export type Vector = readonly [x: number, y: number];
type Matrix = readonly (readonly number[])[];

export interface Parameters {
  /** W of the general energies, its row is a coordinate of the query. */
  matrix: Matrix;
  /** b of the biased general energy. */
  bias: readonly number[];
  /** b of the activated general energies. */
  offset: number;
  /** v of the additive and the concat energy. */
  vector: readonly number[];
  /** W of the concat energy: a row for each hidden unit, over [q; k]. */
  concat: Matrix;
  /** The layers of the deep energy, and its v. */
  layers: readonly { weight: Matrix; bias: readonly number[] }[];
  deep: readonly number[];
  /** W of the location-based energy: a row for each place. */
  places: Matrix;
}

/** An energy of a query and of a key that stands at a place. */
type Energy = (query: Vector, key: Vector, place: number, parameters: Parameters) => number;

const dot = (one: readonly number[], other: readonly number[]): number =>
  one.reduce((sum, number, at) => sum + number * (other[at] ?? 0), 0);

const product = (weight: Matrix, vector: readonly number[]): number[] => weight.map((row) => dot(row, vector));

const turned = (query: Vector, matrix: Matrix): number[] =>
  [0, 1].map((column) => query[0] * (matrix[0]?.[column] ?? 0) + query[1] * (matrix[1]?.[column] ?? 0));

const general: Energy = (query, key, _, { matrix }) => dot(turned(query, matrix), key);

export const ENERGIES: Readonly<Record<string, Energy>> = {
  dot: (query, key) => dot(query, key),
  "scaled dot": (query, key) => dot(query, key) / Math.SQRT2,
  cosine: (query, key) => {
    const lengths = Math.hypot(...query) * Math.hypot(...key);
    return lengths === 0 ? 0 : dot(query, key) / lengths;
  },
  distance: (query, key) => -((query[0] - key[0]) ** 2 + (query[1] - key[1]) ** 2) / 2,
  general,
  "biased general": (query, key, place, all) => general(query, key, place, all) + dot(all.bias, key),
  "activated general, tanh": (query, key, place, all) => Math.tanh(general(query, key, place, all) + all.offset),
  "activated general, ReLU": (query, key, place, all) => Math.max(0, general(query, key, place, all) + all.offset),
  additive: (query, key, _, { vector }) => dot(vector, [Math.tanh(query[0] + key[0]), Math.tanh(query[1] + key[1])]),
  concat: (query, key, _, { concat, vector }) => dot(vector, product(concat, [...query, ...key]).map(Math.tanh)),
  deep: (query, key, _, { layers, deep }) => {
    let hidden: number[] = [...query, ...key];
    for (const { weight, bias } of layers) hidden = product(weight, hidden).map((sum, at) => Math.tanh(sum + (bias[at] ?? 0)));
    return dot(deep, hidden);
  },
  location: (query, _, place, { places }) => dot(places[place] ?? [], query),
};

/** Energies to weights; a key that is not allowed gets exactly 0, and so do all when none is. */
type Distribution = (energies: readonly number[], allowed: readonly boolean[]) => number[];

export const DISTRIBUTIONS: Readonly<Record<string, Distribution>> = {
  softmax: (energies, allowed) => {
    const most = Math.max(...energies.filter((_, at) => allowed[at]));
    const powers = energies.map((energy, at) => (allowed[at] ? Math.exp(energy - most) : 0));
    const sum = powers.reduce((a, b) => a + b, 0);
    return powers.map((power) => (sum === 0 ? 0 : power / sum));
  },
  sparsemax: (energies, allowed) => {
    const ordered = energies.filter((_, at) => allowed[at]).sort((a, b) => b - a);
    let [sum, threshold] = [0, 0];
    for (const [at, energy] of ordered.entries()) {
      sum += energy;
      if (1 + (at + 1) * energy > sum) threshold = (sum - 1) / (at + 1);
    }
    return energies.map((energy, at) => (allowed[at] ? Math.max(0, energy - threshold) : 0));
  },
  sigmoid: (energies, allowed) => energies.map((energy, at) => (allowed[at] ? 1 / (1 + Math.exp(-energy)) : 0)),
};

export interface Outcome {
  energies: number[];
  weights: number[];
  context: Vector;
}

/** What a query reads from keys that are their own values. */
export function attend(
  query: Vector,
  keys: readonly Vector[],
  { energy, distribution, scale, allowed, parameters }: {
    energy: string;
    distribution: string;
    scale: number;
    allowed: readonly boolean[];
    parameters: Parameters;
  },
): Outcome {
  const compare = ENERGIES[energy];
  const share = DISTRIBUTIONS[distribution];
  if (!compare || !share) throw new RangeError(`no energy ${energy} or no distribution ${distribution}`);
  const energies = keys.map((key, place) => compare(query, key, place, parameters));
  const weights = share(energies.map((one) => one * scale), allowed);
  const sum = (axis: 0 | 1): number => weights.reduce((total, weight, at) => total + weight * (keys[at]?.[axis] ?? 0), 0);
  return { energies, weights, context: [sum(0), sum(1)] };
}
