/** Greedy search for many sentences at once: `seq2bert/decoding.py`. */

import { largest, type Reader } from "./search.ts";

export interface BatchOptions {
  bos: number;
  eos: number;
  /** How many sentences the reader has read. */
  rows: number;
  /** At most so many tokens are written, `<eos>` not counted. */
  maxLength: number;
}

/** What is written for each sentence, `<eos>` included if it came before the limit. */
export async function greedyBatch<State>(reader: Reader<State>, options: BatchOptions): Promise<number[][]> {
  const { bos, eos, rows, maxLength } = options;
  const written = Array.from({ length: rows }, (): number[] => []);
  const running = new Set(written.keys());
  let tokens = written.map(() => bos);
  let state = reader.start();
  for (let position = 0; position <= maxLength && running.size > 0; position += 1) {
    const stepped = await reader.step(tokens, state);
    state = stepped.state;
    // whoever is done goes on with the others, unheard
    tokens = stepped.logProbs.map((logProbs) => largest(logProbs, 1)[0] ?? eos);
    for (const row of running) {
      const token = tokens[row] as number;
      // at the limit only <eos> may still come
      if (position < maxLength || token === eos) written[row]?.push(token);
      if (token === eos) running.delete(row);
    }
  }
  return written;
}
