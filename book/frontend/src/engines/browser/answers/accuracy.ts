/** How many held-out sentences come out right; `seq2bert/widgets/heads.py` answers the same in a kernel. */

import { Refusal } from "../../engine.ts";
import type { AccuracyAnswered, AccuracyRequest } from "../../questions.ts";
import type { ReadingAnswerer } from "../answers.ts";
import { greedyBatch } from "../greedy.ts";

export const accuracy: ReadingAnswerer<AccuracyRequest, AccuracyAnswered> = async (request, read, target) => {
  const pairs = (request.held_out ?? []).map(([source, reference]) => [source.split(" "), reference.split(" ")] as const);
  if (pairs.length === 0) throw new Refusal("the held-out sentences are not stored with this page");
  const references = pairs.map(([, reference]) => `${reference.join(" ")} <eos>`);
  // what is longer than every reference is wrong, however it goes on
  const maxLength = Math.max(...pairs.map(([, reference]) => reference.length));
  const count = async (changes: Partial<AccuracyRequest>): Promise<number> => {
    const reader = await read(pairs.map(([source]) => source), changes);
    const written = await greedyBatch(reader, { bos: target.bos, eos: target.eos, rows: pairs.length, maxLength });
    const right = written.filter((tokens, row) => tokens.map((token) => target.word(token)).join(" ") === references[row]);
    return right.length;
  };
  const changed = Object.keys(request.head_mask).length > 0;
  const whole = request.whole ?? (await count({}));
  const right = changed ? await count({ head_mask: request.head_mask }) : whole;
  return { right, whole, total: pairs.length, buffers: [] };
};
