/** The browser's side of each kind of question: what a kernel answers in `seq2bert/widgets`. */

import type { Question, Reply } from "../engine.ts";
import { next } from "./answers/next.ts";
import { steps } from "./answers/steps.ts";
import { translate } from "./answers/translate.ts";
import { tree } from "./answers/tree.ts";
import type { OnnxReader } from "./onnx.ts";
import type { Vocabulary } from "./vocabulary.ts";

/** Answers a question about a sentence that a translator has read. */
export type Answerer<Q extends Question = never, A extends Reply = Reply> = (
  question: Q,
  reader: OnnxReader,
  target: Vocabulary,
) => Promise<A>;

export const answerers: Readonly<Record<string, Answerer>> = { next, steps, translate, tree };
