/**
 * Where everything stands in a picture with tokens on both axes, in CSS pixels at full size.
 *
 * Rows are queries, columns are keys. `seq2bert/pictures.py` lays out the static picture by the
 * same rules, so that the live one takes its place without a jump.
 */

import { label, textWidth } from "./tokens.ts";

/** The picture may shrink to this share of its full size; below that it scrolls in its box. */
export const SMALLEST_SCALE = 0.8;

const SLANT = Math.SQRT1_2;

export interface Layout {
  cell: number;
  font: number;
  /** Width of the row labels: the cells begin here. */
  left: number;
  /** Height of the column labels: the cells begin here. */
  top: number;
  /** Full width and height, with labels. */
  width: number;
  height: number;
}

export function cellSize(longest: number): number {
  if (longest <= 8) return 34;
  if (longest <= 16) return 28;
  if (longest <= 28) return 22;
  return 16;
}

export function layout(queryTokens: readonly string[], keyTokens: readonly string[]): Layout {
  const cell = cellSize(Math.max(queryTokens.length, keyTokens.length));
  const font = cell >= 22 ? 13 : 11;
  const widths = (tokens: readonly string[]): number[] =>
    tokens.map((token) => textWidth(label(token)) * font);
  const rows = widths(queryTokens);
  const columns = widths(keyTokens);
  const left = Math.max(72, Math.ceil(Math.max(0, ...rows)) + 16);
  const top = Math.max(48, Math.ceil(Math.max(0, ...columns) * SLANT + font) + 8);
  const across = keyTokens.length * cell;
  const overhang = Math.max(
    4,
    ...columns.map((width, key) => Math.ceil((key + 0.5) * cell + width * SLANT + font) - across),
  );
  return {
    cell,
    font,
    left,
    top,
    width: left + across + overhang,
    height: top + queryTokens.length * cell + 4,
  };
}
