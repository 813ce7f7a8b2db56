/** A translation with its attention; `seq2bert/tracing.py` answers the same in a kernel. */

import { Refusal } from "../../engine.ts";
import type { Answer, Answered, Request } from "../../questions.ts";
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
  const answer = told(request.source, hypotheses, target);
  const heads = reader.heads["cross"];
  if (!heads) return { answer, map: null, buffers: [] };
  const { shape, weights } = gathered(best, "cross", heads, request.source.length);
  return {
    answer,
    map: mapRecord("cross", shape, words, request.source, 0),
    buffers: [new DataView(weights.buffer)],
  };
};

/** What a search found, as the front end reads it; its attention travels apart. */
export function told(source: readonly string[], hypotheses: readonly Hypothesis[], target: Vocabulary): Answer {
  const best = hypotheses[0] as Hypothesis;
  return {
    source,
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
  };
}

/** A map as it is stored (`seq2bert/widgets/stored.py`); its numbers begin at `offset`. */
export function mapRecord(
  kind: string,
  shape: readonly number[],
  queries: readonly string[],
  keys: readonly string[],
  offset: number,
): Record<string, unknown> {
  return { title: "", kind, shape, offset, query_tokens: [...queries], key_tokens: [...keys], sure: [], possible: [], normalised: true };
}

/** The likeliest tokens with their log-probabilities, best first. */
export function alternatives(
  logProbs: Float32Array,
  target: Vocabulary,
  count: number,
): (readonly [token: string, logProb: number])[] {
  return largest(logProbs, count).map((id) => [target.word(id), logProbs[id] ?? 0] as const);
}

/**
 * The attention of all steps: a step gives (layer, head, key), a map holds (layer, head, query, key).
 * Each word that is written is one more that a decoder may look at; what was not yet there has weight 0.
 */
export function gathered(
  best: Hypothesis,
  kind: string,
  [layers, heads]: readonly [layers: number, heads: number],
  keys: number,
): { shape: number[]; weights: Float32Array<ArrayBuffer> } {
  const queries = best.attention.length;
  const weights = new Float32Array(layers * heads * queries * keys);
  for (const [query, { [kind]: step }] of best.attention.entries()) {
    if (!step) continue;
    const there = step.length / (layers * heads);
    for (let head = 0; head < layers * heads; head += 1) {
      weights.set(step.subarray(head * there, (head + 1) * there), (head * queries + query) * keys);
    }
  }
  return { shape: [layers, heads, queries, keys], weights };
}
