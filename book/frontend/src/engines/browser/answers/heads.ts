/** A translation with some heads off, and all attention; `seq2bert/widgets/heads.py` answers the same in a kernel. */

import { Refusal } from "../../engine.ts";
import type { HeadsAnswered, HeadsRequest } from "../../questions.ts";
import type { ReadingAnswerer } from "../answers.ts";
import type { OnnxReader } from "../onnx.ts";
import { search, type Hypothesis } from "../search.ts";
import type { Vocabulary } from "../vocabulary.ts";
import { gathered, LONGEST_TARGET, mapRecord, told } from "./translate.ts";

/** In the order in which Python names them. */
const KINDS = ["encoder", "decoder", "cross"] as const;

export const heads: ReadingAnswerer<HeadsRequest, HeadsAnswered> = async ({ source, head_mask }, read, target) => {
  const reader = await read([source], { head_mask });
  const hypotheses = await greedily(reader, target);
  const best = hypotheses[0] as Hypothesis;
  const changed = Object.keys(head_mask).length > 0;
  const [whole] = changed ? await greedily(await read([source], {}), target) : hypotheses;
  const words = best.tokens.map((token) => target.word(token));
  const maps: Record<string, unknown>[] = [];
  const parts: Float32Array[] = [];
  let offset = 0;
  for (const kind of KINDS) {
    const size = reader.heads[kind];
    if (!size) continue;
    // while the first word is written `<bos>` is there, then the words before
    const keys = kind === "decoder" ? ["<bos>", ...words].slice(0, words.length) : source;
    const queries = kind === "encoder" ? source : words;
    const weights = kind === "encoder" ? (reader.encoder as Float32Array) : gathered(best, kind, size, keys.length).weights;
    maps.push(mapRecord(kind, [...size, queries.length, keys.length], queries, keys, offset));
    parts.push(weights);
    offset += weights.length;
  }
  const numbers = new Float32Array(offset);
  for (const [at, part] of parts.entries()) numbers.set(part, Number((maps[at] as { offset: number }).offset));
  return {
    answer: told(source, hypotheses, target),
    whole: wordsOf(whole as Hypothesis, target),
    maps,
    buffers: [new DataView(numbers.buffer)],
  };
};

async function greedily(reader: OnnxReader, target: Vocabulary): Promise<Hypothesis[]> {
  const { bos, eos } = target;
  const found = await search(reader, { bos, eos, width: 1, prefix: [], maxLength: LONGEST_TARGET });
  if (found.length === 0) throw new Refusal("nothing was written");
  return found;
}

function wordsOf({ tokens, finished }: Hypothesis, target: Vocabulary): string[] {
  return tokens.slice(0, finished ? -1 : undefined).map((token) => target.word(token));
}
