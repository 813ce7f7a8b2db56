/** From what the reader types to the words that a model reads. */

export const LONGEST_SOURCE = 60;

const WORD = /[\p{L}\p{M}\p{N}]+(?:['’-][\p{L}\p{M}\p{N}]+)*|[.,;:!?]|[^\s\p{L}\p{M}\p{N}.,;:!?]+/gu;

/** The words of an English sentence: lower case except *I*, punctuation by itself, all else as it is. */
export function words(text: string): string[] {
  const found = text.normalize("NFC").toLowerCase().match(WORD) ?? [];
  return found.map((word) => (word === "i" ? "I" : word));
}

/** The word that the caret stands in or behind, and where it begins and ends. */
export function wordAt(text: string, caret: number): { begin: number; end: number; prefix: string } {
  const before = /[\p{L}\p{M}\p{N}'’-]*$/u.exec(text.slice(0, caret))?.[0] ?? "";
  const after = /^[\p{L}\p{M}\p{N}'’-]*/u.exec(text.slice(caret))?.[0] ?? "";
  return { begin: caret - before.length, end: caret + after.length, prefix: before.toLowerCase() };
}

/** Words of a vocabulary that begin like this one, the shortest first; special tokens never. */
export function suggestions(vocabulary: readonly string[], prefix: string, most: number): string[] {
  if (!prefix) return [];
  return vocabulary
    .filter((word) => word.startsWith(prefix) && word !== prefix && !word.startsWith("<"))
    .sort((a, b) => a.length - b.length || (a < b ? -1 : 1))
    .slice(0, most);
}
