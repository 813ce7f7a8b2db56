/** The sentences of the heat map: its title, its alternative text, the caption of its table. */

import type { AttentionMap } from "./state.ts";
import { shown } from "./tokens.ts";
import { format } from "./weights.ts";

const TITLES: Record<string, string> = {
  encoder: "Encoder self-attention",
  decoder: "Decoder self-attention",
  cross: "Cross-attention",
};

export function kindTitle(map: AttentionMap): string {
  return TITLES[map.kind] ?? "Attention";
}

/** Which head the picture shows; empty when there is only one. */
export function headName(map: AttentionMap, layer: number, head: number): string {
  const parts = [];
  if (map.layers > 1) parts.push(`layer ${layer + 1} of ${map.layers}`);
  if (map.heads > 1) parts.push(`head ${head + 1} of ${map.heads}`);
  return parts.join(", ");
}

/** One sentence for those who do not see the picture. */
export function describe(map: AttentionMap, layer: number, head: number): string {
  const where = headName(map, layer, head);
  const strongest = map.queryTokens
    .map((token, query) => {
      const row = map.row(layer, head, query);
      const key = row.indexOf(Math.max(...row));
      return { token, key, weight: row[key] ?? 0 };
    })
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight)
    .slice(0, 3)
    .map(
      ({ token, key, weight }) =>
        `${shown(token)} to ${shown(map.keyTokens[key] ?? "")} ${format(weight)}`,
    );
  const most = strongest.length > 0 ? `; strongest: ${strongest.join(", ")}` : "; all weights are 0";
  return `${kindTitle(map)}${where ? `, ${where}` : ""}: ${size(map)}${most}.`;
}

/** The same while the weights are a secret. */
export function describeHidden(map: AttentionMap): string {
  return `${kindTitle(map)}: ${size(map)}; the weights are not shown yet.`;
}

function size({ queryTokens, keyTokens }: AttentionMap): string {
  return (
    `${queryTokens.length} ${plural(queryTokens.length, "query", "queries")} in rows, ` +
    `${keyTokens.length} ${plural(keyTokens.length, "key", "keys")} in columns`
  );
}

export function tableCaption(map: AttentionMap, layer: number, head: number): string {
  const where = headName(map, layer, head);
  return `${kindTitle(map)}${where ? `, ${where}` : ""}: weight of each key (column) for each query (row)`;
}

function plural(count: number, one: string, many: string): string {
  return count === 1 ? one : many;
}
