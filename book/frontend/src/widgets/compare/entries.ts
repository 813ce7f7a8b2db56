/** What is shown of every model, as it lives in the widget's state, and how one of them is replaced. */

import { list, StateError } from "../../shared/state.ts";

/** A model's answer: what it wrote, what it was made to write, and its attention. */
export type Entry = Written &
  (
    | {
        /** A record whose numbers stand in the weights of the state (`seq2bert/widgets/stored.py`). */
        map: Record<string, unknown>;
      }
    // of a model without cross-attention
    | { map: null; source: readonly string[] }
  );

interface Written {
  written: readonly string[];
  reference: readonly string[] | null;
}

/** A sentence, and for each model its last answer, which may be of a sentence before. */
export interface Current {
  source: readonly string[];
  /** As it was typed. */
  text: string;
  entries: readonly Entry[];
  /** Why a model gave no answer to this sentence; null for the others. */
  faults: readonly (string | null)[];
}

/** The sentence that an entry is about. */
export function sourceOf(entry: Entry): string {
  return (entry.map ? list<string>(entry.map["key_tokens"]) : entry.source).join(" ");
}

/** The entries with one of them replaced, and the numbers of all of them. */
export function replaced(
  entries: readonly Entry[],
  weights: unknown,
  place: number,
  entry: Entry,
  numbers: DataView,
): { entries: Entry[]; weights: DataView } {
  const parts = entries.map((one, at) => (at === place ? slice(entry, numbers) : slice(one, weights)));
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let offset = 0;
  const moved = parts.map((part, at): Entry => {
    bytes.set(part, offset);
    const one = at === place ? entry : (entries[at] as Entry);
    if (!one.map) return one;
    const map = { ...one.map, offset: offset / 4 };
    offset += part.length;
    return { ...one, map };
  });
  return { entries: moved, weights: new DataView(bytes.buffer) };
}

/** The bytes of an entry's weights. */
function slice({ map }: Entry, weights: unknown): Uint8Array {
  if (!map) return new Uint8Array(0);
  if (!ArrayBuffer.isView(weights)) throw new StateError("the weights are missing");
  const count = list<number>(map["shape"]).reduce((product, size) => product * size, 1);
  const begin = 4 * Number(map["offset"]);
  if (!(count >= 1 && begin >= 0 && begin + 4 * count <= weights.byteLength)) throw new StateError("its weights are not all there");
  return new Uint8Array(weights.buffer, weights.byteOffset + begin, 4 * count);
}
