/** A document to test in, and the fixture that Python wrote. */

import { Window } from "happy-dom";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { SITE } from "../src/engines/pick.ts";
import { StoredModel } from "../src/site/model.ts";

declare const FRONTEND: string;

export const fixture = JSON.parse(readFileSync(join(FRONTEND, "tests/fixture.json"), "utf8"));

/** A fresh, empty page; the globals that the widgets use point at it. */
export function freshPage(): Document {
  const window = new Window({ url: "http://localhost/" });
  Object.assign(globalThis, {
    window,
    document: window.document,
    Element: window.Element,
    Node: window.Node,
  });
  return window.document as unknown as Document;
}

export function bytes(base64: string): DataView {
  return new DataView(Uint8Array.from(Buffer.from(base64, "base64")).buffer);
}

/** The fixture's model, as the site's host restores it; some of its state may be replaced. */
export function model(changes: Record<string, unknown> = {}): StoredModel {
  return new StoredModel({
    maps: structuredClone(fixture.maps),
    weights: bytes(fixture.weights),
    map: 0,
    layer: 0,
    head: 0,
    query: -1,
    ...changes,
  });
}

/** A model with a kernel behind it: what a view sends is kept, a test answers. */
export class Kernel extends StoredModel {
  readonly sent: Record<string, unknown>[] = [];

  constructor(state: Record<string, unknown>) {
    super(state);
    // in a notebook nobody offers what only the site has
    (this as Record<symbol, unknown>)[SITE] = undefined;
  }

  override send(content?: unknown): void {
    this.sent.push(content as Record<string, unknown>);
  }

  hear(content: unknown, buffers: unknown[] = []): void {
    (this as unknown as { tell(event: string, ...args: unknown[]): void }).tell("msg:custom", content, buffers);
  }
}

/** State of one map with these tokens and the same weight everywhere. */
export function uniform(queryTokens: string[], keyTokens: string[]): Record<string, unknown> {
  const weights = new Float32Array(queryTokens.length * keyTokens.length).fill(1 / keyTokens.length);
  const record = {
    title: "",
    kind: "cross",
    shape: [1, 1, queryTokens.length, keyTokens.length],
    offset: 0,
    query_tokens: queryTokens,
    key_tokens: keyTokens,
    sure: [],
    possible: [],
  };
  return { maps: [record], weights: new DataView(weights.buffer) };
}

/** Open the table of the weights, as a reader does; it is made at that moment. */
export function openTable(el: Element): void {
  const fold = el.querySelector(".s2b-twin") as HTMLDetailsElement;
  fold.open = true;
  fold.dispatchEvent(new (window as any).Event("toggle"));
}

/** Let everything run that waits for its turn. */
export function settle(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}
