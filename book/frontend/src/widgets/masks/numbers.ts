/** Query, key and value that follow from a word's letters alone: the twin of `seq2bert/word_numbers.py`. */

/** Numbers in a query, a key or a value. */
export const SIZE = 4;

const REACH = { query: 2, key: 2, value: 1 } as const;
export type Role = keyof typeof REACH;

/** Four numbers for a word: within [-2, 2) for queries and keys, within [-1, 1) for values. */
export function wordNumbers(word: string, role: Role): number[] {
  return Array.from({ length: SIZE }, (_, at) => REACH[role] * (hash(`${role} ${at} ${word}`) / 2 ** 31 - 1));
}

/** 32 bits of a text: the hash of Fowler, Noll and Vo, its bits mixed as Appleby's Murmur3. */
function hash(text: string): number {
  let state = 2166136261;
  for (const character of text) state = Math.imul(state ^ (character.codePointAt(0) ?? 0), 16777619);
  for (const [shift, factor] of [[16, 0x85ebca6b], [13, 0xc2b2ae35]] as const) state = Math.imul(state ^ (state >>> shift), factor);
  return (state ^ (state >>> 16)) >>> 0;
}
