/** Two translations of one sentence: which words are gone, and which are new. */

export interface Changes {
  /** For each word before: is it gone? */
  lost: boolean[];
  /** For each word after: is it new? */
  fresh: boolean[];
}

/** All words but those of a longest common subsequence: what stays stays in its order. */
export function changes(before: readonly string[], after: readonly string[]): Changes {
  // longest[i][j]: of what follows word i before and word j after
  const longest = Array.from({ length: before.length + 1 }, () => new Array<number>(after.length + 1).fill(0));
  const at = (i: number, j: number): number => longest[i]?.[j] ?? 0;
  for (let i = before.length - 1; i >= 0; i -= 1) {
    for (let j = after.length - 1; j >= 0; j -= 1) {
      const row = longest[i] as number[];
      row[j] = before[i] === after[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const found: Changes = { lost: before.map(() => true), fresh: after.map(() => true) };
  let [i, j] = [0, 0];
  while (i < before.length && j < after.length) {
    if (before[i] === after[j]) {
      found.lost[i] = false;
      found.fresh[j] = false;
      i += 1;
      j += 1;
    } else if (at(i + 1, j) >= at(i, j + 1)) i += 1;
    else j += 1;
  }
  return found;
}
