/**
 * What is said about heads; `seq2bert/widgets/still_heads.py` says the same in the still picture.
 */

import { html } from "../../shared/dom.ts";
import type { AttentionMap } from "../../shared/state.ts";
import { shown } from "../../shared/tokens.ts";
import { format } from "../../shared/weights.ts";

/** A kind of attention, a layer and a head, both from 0. */
export type Head = readonly [kind: string, layer: number, head: number];

/** How many held-out sentences come out exactly right: with the heads that are on, and with all. */
export interface Count {
  right: number;
  whole: number;
  total: number;
}

/** What a head is called. */
export function headName(layer: number, head: number): string {
  return `Layer ${layer + 1}, head ${head + 1}`;
}

/** Which heads are off. */
export function offNote(off: readonly Head[], total: number): string {
  if (off.length === 0) return `All ${total} heads are on.`;
  const names = off.map(([kind, layer, head]) => `${kind} ${layer + 1}.${head + 1}`).join(", ");
  return `${off.length} of ${total} heads ${off.length === 1 ? "is" : "are"} off (layer.head): ${names}.`;
}

/** How many held-out sentences come out exactly right. */
export function countNote({ right, whole, total }: Count, off: boolean): string {
  if (!off) return `Held-out sentences: ${whole} of ${total} right with all heads.`;
  return `Held-out sentences: ${right} of ${total} right (all heads: ${whole} of ${total}).`;
}

/** What became of the translation. */
export function changeNote(fresh: number, lost: number): string {
  if (fresh + lost === 0) return "The translation stays the same.";
  const words = (count: number): string => `${count} ${count === 1 ? "word" : "words"}`;
  return `The translation changes: ${words(lost)} gone, ${words(fresh)} new.`;
}

/** The largest weight of a head, with its tokens; the first of equal ones. */
export function strongest(map: AttentionMap, layer: number, head: number): string {
  let best = { query: 0, key: 0, weight: 0 };
  for (const query of map.queryTokens.keys()) {
    for (const [key, weight] of map.row(layer, head, query).entries()) {
      if (weight > best.weight) best = { query, key, weight };
    }
  }
  if (best.weight === 0) return "nothing";
  const { query, key, weight } = best;
  return `${shown(map.queryTokens[query] ?? "")} → ${shown(map.keyTokens[key] ?? "")} ${format(weight)}`;
}

export const CAPTION = "Every head: whether it is on, and its strongest pair, query → key";
export const HEADS = ["state", "strongest"] as const;

/** All heads of some maps, kind by kind, layer by layer. */
export function allHeads(maps: readonly AttentionMap[]): Head[] {
  return maps.flatMap(({ kind, layers, heads }) =>
    Array.from({ length: layers * heads }, (_, at): Head => [kind, Math.floor(at / heads), at % heads]),
  );
}

/** The text twin of the grid, for all kinds. */
export function headsTable(maps: readonly AttentionMap[], isOff: (head: Head) => boolean): HTMLTableElement {
  const rows = allHeads(maps).map((one) => {
    const [kind, layer, head] = one;
    const map = maps.find((other) => other.kind === kind) as AttentionMap;
    return html(
      "tr",
      {},
      html("th", { scope: "row" }, `${kind} ${layer + 1}.${head + 1}`),
      html("td", {}, isOff(one) ? "off" : "on"),
      html("td", {}, html("bdi", {}, strongest(map, layer, head))),
    );
  });
  return html(
    "table",
    { class: "s2b-table s2b-models" },
    html("caption", {}, CAPTION),
    html("thead", {}, html("tr", {}, html("td"), ...HEADS.map((name) => html("th", { scope: "col" }, name)))),
    html("tbody", {}, ...rows),
  );
}
