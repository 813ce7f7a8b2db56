/** A translation with its attention; `seq2bert/tracing.py` answers the same in a kernel. */

import { Refusal } from "../../engine.ts";
import type { Answered, Request } from "../../questions.ts";
import type { Answerer } from "../answers.ts";
import { largest, score, search, type Hypothesis } from "../search.ts";
import type { Vocabulary } from "../vocabulary.ts";

export const LONGEST_TARGET = 60;
const ALTERNATIVES = 8;

export const translate: Answerer<Request, Answered> = async (request, reader, target) => {
  const hypotheses = await search(reader, {
    bos: target.bos,
    eos: target.eos,
    width: request.width,
    prefix: target.prefix(request.prefix),
    maxLength: LONGEST_TARGET,
  });
  const [best] = hypotheses;
  if (!best) throw new Refusal("nothing was written");
  const words = best.tokens.map((token) => target.word(token));
  const { shape, weights } = gathered(best, reader.heads, request.source.length);
  return {
    answer: {
      source: request.source,
      steps: best.tokens.map((token, at) => {
        const logProbs = best.logProbs[at] as Float32Array;
        return {
          token: target.word(token),
          log_prob: logProbs[token] ?? 0,
          alternatives: alternatives(logProbs, target, ALTERNATIVES),
        };
      }),
      hypotheses: hypotheses.map((one) => [
        one.tokens.slice(0, one.finished ? -1 : undefined).map((token) => target.word(token)),
        score(one),
      ]),
    },
    map: {
      title: "",
      kind: "cross",
      shape,
      offset: 0,
      query_tokens: words,
      key_tokens: [...request.source],
      sure: [],
      possible: [],
      normalised: true,
    },
    buffers: [new DataView(weights.buffer)],
  };
};

/** The likeliest tokens with their log-probabilities, best first. */
export function alternatives(
  logProbs: Float32Array,
  target: Vocabulary,
  count: number,
): (readonly [token: string, logProb: number])[] {
  return largest(logProbs, count).map((id) => [target.word(id), logProbs[id] ?? 0] as const);
}

/** The attention of all steps: a step gives (layer, head, key), a map holds (layer, head, query, key). */
function gathered(
  best: Hypothesis,
  [layers, heads]: readonly [layers: number, heads: number],
  keys: number,
): { shape: number[]; weights: Float32Array<ArrayBuffer> } {
  const queries = best.attention.length;
  const weights = new Float32Array(layers * heads * queries * keys);
  for (const [query, step] of best.attention.entries()) {
    for (let head = 0; head < layers * heads; head += 1) {
      weights.set(step.subarray(head * keys, (head + 1) * keys), (head * queries + query) * keys);
    }
  }
  return { shape: [layers, heads, queries, keys], weights };
}
