/** Which heads are off: as the model keeps it, as a mask for an engine, and as a link. */

import type { HeadMask } from "../../engines/engine.ts";
import { LONGEST_SOURCE, words } from "../../shared/sentence.ts";
import type { AttentionMap } from "../../shared/state.ts";
import { allHeads, type Head } from "./says.ts";

type Sizes = Pick<AttentionMap, "kind" | "layers" | "heads">;

/** A list of heads as a text: two lists of the same heads in the same order have the same one. */
export function nameOf(off: readonly Head[]): string {
  return off.map((head) => head.join(".")).join(" ");
}

/** The heads of a list that exist, each once, in the order of the maps. */
export function known(off: unknown, maps: readonly AttentionMap[]): Head[] {
  const wanted = new Set((Array.isArray(off) ? off : []).map(String));
  return allHeads(maps).filter((head) => wanted.has(String(head)));
}

/** Factors for the kinds in which something is off; for the others there is nothing to say. */
export function maskOf(off: readonly Head[], sizes: readonly Sizes[]): HeadMask {
  const out = new Set(off.map(String));
  const mask: Record<string, number[][]> = {};
  for (const { kind, layers, heads } of sizes) {
    if (!off.some(([of]) => of === kind)) continue;
    mask[kind] = Array.from({ length: layers }, (_, layer) =>
      Array.from({ length: heads }, (_, head) => (out.has(String([kind, layer, head])) ? 0 : 1)),
    );
  }
  return mask;
}

/** The heads that a mask switches off. */
export function offOf(mask: HeadMask): Head[] {
  return Object.entries(mask).flatMap(([kind, layers]) =>
    layers.flatMap((heads, layer) => heads.flatMap((factor, head): Head[] => (factor === 0 ? [[kind, layer, head]] : []))),
  );
}

/** A sentence, the heads that are off, and the one that is enlarged. */
export interface Linked {
  source: readonly string[];
  off: readonly Head[];
  large: Head;
}

/** What is shown, as the fragment of an address: `#heads?s=the+cat&o=cross.1.2&h=encoder.1.1`. */
export function toFragment(key: string, { source, off, large }: Linked): string {
  const name = ([kind, layer, head]: Head): string => `${kind}.${layer + 1}.${head + 1}`;
  const fields = new URLSearchParams({ s: source.join(" ") });
  if (off.length > 0) fields.set("o", off.map(name).join(" "));
  fields.set("h", name(large));
  return `${key}?${fields.toString()}`;
}

/** What a fragment asks this widget; null when it is not for this one. Anything odd is left out. */
export function fromFragment(key: string, fragment: string, maps: readonly AttentionMap[]): (Omit<Linked, "large"> & { large: Head | null }) | null {
  if (!fragment.startsWith(`${key}?`)) return null;
  const fields = new URLSearchParams(fragment.slice(key.length + 1));
  const source = words(fields.get("s") ?? "");
  if (source.length === 0 || source.length > LONGEST_SOURCE) return null;
  const heads = (text: string): Head[] => {
    const parts = text.split(" ").map((one) => one.split("."));
    return known(
      parts.map(([kind, layer, head]) => [kind, Number(layer) - 1, Number(head) - 1]),
      maps,
    );
  };
  return { source, off: heads(fields.get("o") ?? ""), large: heads(fields.get("h") ?? "")[0] ?? null };
}
