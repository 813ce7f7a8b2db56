/**
 * Tokens as labels: what is shown for a token, and how wide it will be.
 *
 * The width is estimated from the characters, not measured: the static picture that Python draws
 * must come out the same, and there is no font to measure there (`seq2bert/labels.py` is the twin
 * of this file; the fixture `tests/fixture.json` keeps them together).
 */

export const LONGEST_LABEL = 10;

const NARROW = new Set(" .,;:!|'’`()[]{}ijltfrI1");
const BROAD = new Set("mwMW@%—…");
const SHOWN: Record<string, string> = { "": "∅", " ": "␣", "\n": "⏎", "\t": "⇥" };

/** The token as it can be read: blanks and control characters get a visible sign. */
export function shown(token: string): string {
  const whole = SHOWN[token];
  if (whole !== undefined) return whole;
  let out = "";
  for (const character of token) {
    const code = character.codePointAt(0) ?? 0;
    if (character === "\n" || character === "\t") out += SHOWN[character];
    else if (code < 0x20 || (code >= 0x7f && code < 0xa0) || isLoneOrForbidden(code)) out += "\ufffd";
    else out += character;
  }
  return out;
}

function isLoneOrForbidden(code: number): boolean {
  return (code >= 0xd800 && code <= 0xdfff) || code === 0xfffe || code === 0xffff;
}

/** Width of one character in em. */
function characterWidth(character: string): number {
  const code = character.codePointAt(0) ?? 0;
  if (code === 0x200d || /^\p{M}$/u.test(character)) return 0;
  if (code >= 0x1f000 || (code >= 0x2e80 && code <= 0xd7ff) || (code >= 0xf900 && code <= 0xfaff)) {
    return 1.1;
  }
  if (NARROW.has(character)) return 0.34;
  if (BROAD.has(character)) return 0.9;
  if (character >= "A" && character <= "Z") return 0.7;
  return 0.58;
}

/** Estimated width of a text in em. */
export function textWidth(text: string): number {
  let width = 0;
  for (const character of text) width += characterWidth(character);
  return width;
}

/** Does this character belong to the one before it (accent, joined emoji)? */
function clings(before: string, character: string): boolean {
  const code = character.codePointAt(0) ?? 0;
  return (
    before === "\u200d" ||
    code === 0x200d ||
    (code >= 0x1f3fb && code <= 0x1f3ff) ||
    /^\p{M}$/u.test(character)
  );
}

/** The label of a token: readable, and cut with an ellipsis when it is wider than ten em. */
export function label(token: string): string {
  const text = shown(token);
  if (textWidth(text) <= LONGEST_LABEL) return text;
  let kept = "";
  let pending = "";
  let before = "";
  for (const character of text) {
    if (!clings(before, character)) {
      kept += pending;
      pending = "";
    }
    if (textWidth(kept + pending + character) > LONGEST_LABEL - 0.9) break;
    pending += character;
    before = character;
  }
  return `${kept}…`;
}
