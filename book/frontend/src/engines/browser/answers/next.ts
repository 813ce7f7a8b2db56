/** The distribution of the next word; `seq2bert/sampled.py` answers the same in a kernel. */

import { Refusal } from "../../engine.ts";
import type { NextAnswered, NextRequest } from "../../questions.ts";
import type { Answerer } from "../answers.ts";
import { LONGEST_TARGET } from "./translate.ts";

export const next: Answerer<NextRequest, NextAnswered> = async ({ source, prefix }, reader, target) => {
  if (prefix.length >= LONGEST_TARGET) throw new Refusal(`${prefix.length} words are written already: take some away`);
  const tokens = target.prefix(prefix);
  if (tokens.includes(target.eos)) throw new Refusal("nothing follows the end of a sentence");
  let state = reader.start();
  let logProbs = new Float32Array();
  for (const token of [target.bos, ...tokens]) {
    const stepped = await reader.step([token], state);
    state = stepped.state;
    logProbs = Float32Array.from(stepped.logProbs[0] ?? []);
  }
  return { answer: { source, prefix }, buffers: [new DataView(logProbs.buffer)] };
};
