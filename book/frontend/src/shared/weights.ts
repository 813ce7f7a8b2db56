/** Weights as levels of the ramp and as text. */

export const LEVELS = 101;

/** The level, 0 to 100, on which a weight is painted. Class `s2b-w<level>` has its colour. */
export function level(weight: number): number {
  return Math.min(LEVELS - 1, Math.max(0, Math.floor(weight * (LEVELS - 1) + 0.5)));
}

/** The CSS class that paints a weight. */
export function paint(weight: number): string {
  return `s2b-w${level(weight)}`;
}

/** From this level on, text on a cell has the colour of the paper instead of the ink. */
export const DARK_FROM = 52;

/** A weight as text: two digits, rounded as it is painted, in the readout and in the table. */
export function format(weight: number): string {
  return (level(weight) / (LEVELS - 1)).toFixed(2);
}
