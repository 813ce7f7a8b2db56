/** Numbers and sentences of the position explorer, as `seq2bert/position_words.py` writes them. */

import { signed } from "../playground/plane.ts";
import { largest, spread, type Settings } from "./schemes.ts";

/** A number with about two digits that say something; what is nothing beside `scale` is 0. */
export function numberText(value: number, scale = 0): string {
  const size = Math.abs(value);
  if (size <= 1e-6 * scale || size < 1e-12) return "0";
  const digits = size >= 100 ? 0 : size >= 10 ? 1 : size >= 0.1 ? 2 : 1 - Math.floor(Math.log10(size));
  return signed(value, digits);
}

/** One sentence: whether the distance alone counts. */
export function law(scores: readonly (readonly number[])[]): string {
  const apart = spread(scores);
  if (apart <= 1e-5 * largest(scores)) return "Every diagonal holds one number: the distance alone counts.";
  return `Pairs that are equally far apart differ by up to ${numberText(apart)}: the distance alone does not say what they get.`;
}

/** How far a key stands from the query, in words. */
export function away(distance: number): string {
  if (distance === 0) return "the same place";
  return `${Math.abs(distance)} to the ${distance > 0 ? "right" : "left"}`;
}

/** What the picture of the scores says about a pair of places. */
export function pairSays(scheme: string, row: number, column: number, value: string): string {
  const apart = away(column - row);
  if (scheme === "sinusoidal" || scheme === "learned") return `Places ${row} and ${column}, ${apart}: dot product ${value}.`;
  const pair = `Query at place ${row}, key at place ${column}, ${apart}`;
  return scheme === "rotary" ? `${pair}: energy ${value}.` : `${pair}: ${value} is added to the energy.`;
}

/** What the picture of the vectors says about a feature of a place. */
export function featureSays({ scheme, base, width }: Settings, place: number, feature: number, value: string): string {
  const angle = `${place} / ${baseText(base)}^(${feature - (feature % 2)}/${width})`;
  const where = `Place ${place}, feature ${feature}: ${value}`;
  if (scheme === "sinusoidal") return `${where}, the ${feature % 2 === 0 ? "sine" : "cosine"} of ${angle}.`;
  if (scheme === "rotary") return `${where}, turned by ${angle}.`;
  return `${where}.`;
}

/** The base without digits that say nothing. */
export function baseText(base: number): string {
  return String(Number(base.toPrecision(6)));
}

/** Which of so many rows or columns get a number: at most nine. */
export function ticks(count: number): number[] {
  const step = [1, 2, 5, 10, 20, 50].find((one) => count <= 9 * one) ?? 100;
  return Array.from({ length: Math.ceil(count / step) }, (_, at) => at * step);
}

/** Which distances get a number. */
export function profileTicks(count: number): number[] {
  const most = count - 1;
  const half = Math.floor(most / 2);
  return [...new Set([-most, -half, 0, half, most].map((one) => one + 0))].sort((a, b) => a - b);
}
