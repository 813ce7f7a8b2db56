/** The stored pairs: reading them, and which of them fit a filter. No drawing here. */

import type { Model } from "../../shared/anywidget.ts";
import { longPair, type LongPair, type ShortPair } from "../../shared/pairs.ts";
import { cells, StateError } from "../../shared/state.ts";

export const LENGTHS = ["short", "medium", "long"] as const;
export const LENGTH_NAMES = { short: "short, up to 8", medium: "medium, 9 to 14", long: "long, 15 and more" };

export type Length = (typeof LENGTHS)[number];

/** For each phenomenon that a pair shows, the target words concerned. */
export type Spans = Readonly<Record<string, readonly number[]>>;

export interface Entry extends LongPair {
  spans: Spans;
}

/** What is asked for; an empty text asks for nothing. */
export interface Filter {
  phenomenon: string;
  length: string;
  search: string;
}

/** A stored pair. Throws a StateError that begins with `where`. */
export function readEntry(pair: unknown, spans: unknown, where: string): Entry {
  const [source, target, sure, possible] = Array.isArray(pair) ? (pair as unknown[]) : [];
  const flat = (list: unknown): boolean => Array.isArray(list) && list.length % 2 === 0;
  if (typeof source !== "string" || typeof target !== "string" || !flat(sure) || !flat(possible)) {
    throw new StateError(`${where} is not a pair of sentences with links`);
  }
  const entry = longPair(pair as unknown as ShortPair);
  for (const links of [entry.sure, entry.possible]) cells(links, entry.target.length, entry.source.length, `${where}: links`);
  return { ...entry, spans: typeof spans === "object" && spans !== null ? (spans as Spans) : {} };
}

export function readEntries(model: Model): Entry[] {
  const pairs = model.get("pairs");
  const spans = model.get("spans");
  if (!Array.isArray(pairs) || pairs.length === 0) throw new StateError("there are no sentence pairs in it");
  return pairs.map((pair, at) => readEntry(pair, Array.isArray(spans) ? spans[at] : {}, `pair ${at + 1}`));
}

export function lengthOf({ source }: LongPair): Length {
  return source.length <= 8 ? "short" : source.length <= 14 ? "medium" : "long";
}

/** How a text is compared: lower case, straight apostrophes that end a word, marks by themselves. */
export function plain(text: string): string {
  return text
    .normalize("NFC")
    .toLowerCase()
    .replace(/[’ʼ]/g, "'")
    .replace(/(^|\s)(aujourd')(?=hui)/g, "$1aujourd\u0000")
    .replace(/'(?=\S)/g, "' ")
    .replaceAll("\u0000", "'")
    .replace(/([.,;:!?])/g, " $1 ")
    .replace(/\s+/g, " ")
    .trim();
}

/** Finds pairs. A text is looked for as whole words; where no pair has it so, as the beginning of words. */
export class Finder {
  private readonly texts: readonly string[];

  constructor(private readonly entries: readonly Entry[]) {
    this.texts = entries.map(({ source, target }) => ` ${source.join(" ")}  ${target.join(" ")} `.toLowerCase());
  }

  /** The places of the pairs that fit, in order. */
  find({ phenomenon, length, search }: Filter): number[] {
    const wanted = this.needle(search);
    return this.entries.flatMap((entry, at) => {
      const fits =
        (phenomenon === "" || phenomenon in entry.spans) &&
        (length === "" || lengthOf(entry) === length) &&
        (this.texts[at] ?? "").includes(wanted);
      return fits ? [at] : [];
    });
  }

  /** Words of a sentence that a search is about. */
  hits(words: readonly string[], search: string): Set<number> {
    const wanted = this.needle(search);
    const found = new Set<number>();
    if (wanted === "") return found;
    const text = ` ${words.join(" ")} `.toLowerCase();
    const begins: number[] = [];
    let at = 1;
    for (const word of words) {
      begins.push(at);
      at += word.length + 1;
    }
    for (let from = text.indexOf(wanted); from >= 0; from = text.indexOf(wanted, from + 1)) {
      const [begin, end] = [from + 1, from + wanted.trimEnd().length];
      for (const [place, start] of begins.entries()) {
        if (start < end && start + (words[place] as string).length > begin) found.add(place);
      }
    }
    return found;
  }

  private needle(search: string): string {
    const text = plain(search);
    if (text === "") return "";
    const whole = ` ${text} `;
    return this.texts.some((one) => one.includes(whole)) ? whole : ` ${text}`;
  }
}

/** The name of a phenomenon as it is shown to readers. */
export const readable = (phenomenon: string): string => phenomenon.replaceAll("_", " ");
