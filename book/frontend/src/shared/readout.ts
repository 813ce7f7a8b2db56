/** The line that says in words what the pointer or the cursor is on; screen readers hear it too. */

import { html } from "./dom.ts";
import { shown } from "./tokens.ts";
import { format } from "./weights.ts";

/** A piece of a sentence: plain text, or a token in the colour of its role. */
export type Piece = string | { token: string; role: "query" | "key" };

export class Readout {
  readonly element = html("p", { class: "s2b-readout", role: "status", "aria-live": "polite", "aria-atomic": "true" });
  private resting: Piece[] = [];

  /** What stands there when nothing is pointed at. */
  rest(...pieces: Piece[]): void {
    this.resting = pieces;
    this.say(...pieces);
  }

  say(...pieces: Piece[]): void {
    const text = pieces.map((piece) => (typeof piece === "string" ? piece : shown(piece.token))).join("");
    // said again, a screen reader would read it again
    if (text === this.element.textContent) return;
    this.element.replaceChildren(
      ...pieces.map((piece) =>
        typeof piece === "string"
          ? piece
          : // <bdi> keeps a right-to-left token from turning the sentence around
            html("bdi", { class: `s2b-token s2b-token-${piece.role}` }, shown(piece.token)),
      ),
    );
  }

  clear(): void {
    this.say(...this.resting);
  }
}

/** "query dort (4) → key sleeps (3): 0.87", positions counted from 1. */
export function cellSentence(
  queryToken: string,
  query: number,
  keyToken: string,
  key: number,
  weight: number,
): Piece[] {
  return [
    "query ",
    { token: queryToken, role: "query" },
    ` (${query + 1}) → key `,
    { token: keyToken, role: "key" },
    ` (${key + 1}): ${format(weight)}`,
  ];
}
