/**
 * Two rows of words and a line for each link: where everything stands.
 *
 * The static picture from Python is laid out by the same rules (`seq2bert/link_picture.py`); the
 * fixture `tests/explorer.json` keeps them together.
 */

import { label, textWidth } from "../../shared/tokens.ts";

export const FONT_SIZE = 15;
/** Height of a row of words; shrunk to the smallest scale it is still large enough for a finger. */
export const ROW = 34;
export const BETWEEN = 84;
export const CAPTION = 18;
export const MARGIN = 4;
export const HEIGHT = 2 * (CAPTION + ROW) + BETWEEN;
/** Lower edge of the upper row, upper edge of the lower one. */
export const UPPER = CAPTION + ROW;
export const LOWER = UPPER + BETWEEN;
const PADDING = 14;

export interface Word {
  x: number;
  width: number;
}

export interface Layout {
  source: readonly Word[];
  target: readonly Word[];
  width: number;
}

export function layout(source: readonly string[], target: readonly string[]): Layout {
  const widths = [source, target].map((row) => row.map((word) => Math.ceil(textWidth(label(word)) * FONT_SIZE) + PADDING));
  const sums = widths.map((row) => row.reduce((sum, width) => sum + width, 0));
  const across = Math.max(120, ...sums);
  const [above = [], below = []] = widths.map((row, at) => {
    let x = MARGIN + Math.floor((across - (sums[at] ?? 0)) / 2);
    return row.map((width) => {
      const word = { x, width };
      x += width;
      return word;
    });
  });
  return { source: above, target: below, width: across + 2 * MARGIN };
}

export const middle = ({ x, width }: Word): number => x + width / 2;

/** The line of a link, from the middle of a source word down to the middle of a target word. */
export function line(above: number, below: number): string {
  const [from, to] = [UPPER + 2, LOWER - 2];
  const between = Math.floor((from + to) / 2);
  return `M${above} ${from}C${above} ${between} ${below} ${between} ${below} ${to}`;
}
