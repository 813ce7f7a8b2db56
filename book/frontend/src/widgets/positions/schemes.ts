/**
 * The schemes of `seq2bert.positions`: vectors of places, and what each pair of places gets.
 *
 * Numbers that a model learns come from Python, so that both sides compute the same.
 */

type Matrix = readonly (readonly number[])[];

export interface Parameters {
  /** A vector for each place, of the scheme "learned". */
  table: Matrix;
  /** A number for each distance, the furthest on the left first, of the scheme "relative". */
  bias: readonly number[];
  /** The query and the key that rotary positions turn. */
  query: readonly number[];
  key: readonly number[];
  /** ALiBi's slope of each head. */
  slopes: readonly number[];
  /** Which of these a trained model has learned; the others are random. */
  trained: readonly string[];
}

export interface Settings {
  scheme: string;
  width: number;
  /** How many places. */
  length: number;
  base: number;
  head: number;
  furthest: number;
}

export interface Outcome {
  /** One row for each place; null when the scheme has no vectors. */
  vectors: number[][] | null;
  /** What each pair of places gets. */
  scores: number[][];
}

export const SCHEMES = ["sinusoidal", "learned", "relative", "rotary", "ALiBi"] as const;

const counted = (count: number): number[] => Array.from({ length: count }, (_, at) => at);

const dot = (one: readonly number[], other: readonly number[]): number =>
  one.reduce((sum, number, at) => sum + number * (other[at] ?? 0), 0);

const pairs = (queries: Matrix, keys: Matrix): number[][] => queries.map((query) => keys.map((key) => dot(query, key)));

/** place / base^(2i / width): features 2i and 2i + 1 share it. */
function angle(place: number, feature: number, { width, base }: Settings): number {
  return place * base ** (-(feature - (feature % 2)) / width);
}

function sinusoidal(settings: Settings): number[][] {
  const wave = (place: number, feature: number): number =>
    feature % 2 === 0 ? Math.sin(angle(place, feature, settings)) : Math.cos(angle(place, feature, settings));
  return counted(settings.length).map((place) => counted(settings.width).map((feature) => wave(place, feature)));
}

/** A vector turned to a place: features 2i and 2i + 1 as a point of a plane. */
function turned(vector: readonly number[], settings: Settings): number[][] {
  return counted(settings.length).map((place) =>
    counted(settings.width).map((feature) => {
      const [cosine, sine] = [Math.cos(angle(place, feature, settings)), Math.sin(angle(place, feature, settings))];
      const [first, second] = feature % 2 === 0 ? [feature, feature + 1] : [feature - 1, feature];
      const [x, y] = [vector[first] ?? 0, vector[second] ?? 0];
      return feature % 2 === 0 ? x * cosine - y * sine : x * sine + y * cosine;
    }),
  );
}

/** For each pair of places a number that its distance alone decides. */
function byDistance(length: number, score: (distance: number) => number): number[][] {
  return counted(length).map((i) => counted(length).map((j) => score(j - i)));
}

/** How many places are shown: as many as asked for, or as many as were learned. */
export function places(settings: Settings, parameters: Parameters): number {
  return settings.scheme === "learned" ? Math.min(settings.length, parameters.table.length) : settings.length;
}

export function hasWidth({ scheme }: Settings, { trained }: Parameters): boolean {
  return scheme === "learned" ? !trained.includes("table") : scheme === "sinusoidal" || scheme === "rotary";
}

export function compute(settings: Settings, parameters: Parameters): Outcome {
  const { scheme, width, length, furthest, head } = settings;
  switch (scheme) {
    case "sinusoidal": {
      const vectors = sinusoidal(settings);
      return { vectors, scores: pairs(vectors, vectors) };
    }
    case "learned": {
      const rows = parameters.table.slice(0, length);
      const vectors = rows.map((row) => (hasWidth(settings, parameters) ? row.slice(0, width) : [...row]));
      return { vectors, scores: pairs(vectors, vectors) };
    }
    case "rotary": {
      const vectors = turned(parameters.query, settings);
      return { vectors, scores: pairs(vectors, turned(parameters.key, settings)) };
    }
    case "relative": {
      const middle = Math.floor(parameters.bias.length / 2);
      const near = (distance: number): number => Math.max(-furthest, Math.min(furthest, distance));
      return { vectors: null, scores: byDistance(length, (distance) => parameters.bias[middle + near(distance)] ?? 0) };
    }
    default: {
      const slope = parameters.slopes[head - 1] ?? 0;
      return { vectors: null, scores: byDistance(length, (distance) => (distance === 0 ? 0 : -slope * Math.abs(distance))) };
    }
  }
}

/** How far scores of the same distance differ, at most: 0 when the distance alone counts. */
export function spread(scores: Matrix): number {
  const ends = new Map<number, [number, number]>();
  for (const [i, row] of scores.entries()) {
    for (const [j, score] of row.entries()) {
      const [least, most] = ends.get(j - i) ?? [score, score];
      ends.set(j - i, [Math.min(least, score), Math.max(most, score)]);
    }
  }
  return Math.max(...[...ends.values()].map(([least, most]) => most - least));
}

/** The size of the largest number; 1 when all are 0. */
export function largest(values: Matrix): number {
  return Math.max(...values.map((row) => Math.max(...row.map(Math.abs)))) || 1;
}
