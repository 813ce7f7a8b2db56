/** The browser's side of each kind of question: what a kernel answers in `seq2bert/widgets`. */

import type { Question, Reply } from "../engine.ts";
import { accuracy } from "./answers/accuracy.ts";
import { heads } from "./answers/heads.ts";
import { next } from "./answers/next.ts";
import { steps } from "./answers/steps.ts";
import { translate } from "./answers/translate.ts";
import { tree } from "./answers/tree.ts";
import type { Interventions, OnnxReader } from "./onnx.ts";
import type { Vocabulary } from "./vocabulary.ts";

/** Answers a question about a sentence that a translator has read. */
export type Answerer<Q extends Question = never, A extends Reply = Reply> = (
  question: Q,
  reader: OnnxReader,
  target: Vocabulary,
) => Promise<A>;

/** Reads sentences, all of them in one batch, with a model that is changed in some way. */
export type Read = (sentences: readonly (readonly string[])[], changes: Interventions) => Promise<OnnxReader>;

/** Answers a question for which it reads by itself, perhaps more than once. */
export type ReadingAnswerer<Q extends Question = never, A extends Reply = Reply> = (
  question: Q,
  read: Read,
  target: Vocabulary,
) => Promise<A>;

/** Most questions are about one sentence, which is read once, with what the question changes. */
function about<Q extends Question, A extends Reply>(answer: Answerer<Q, A>): ReadingAnswerer<Q, A> {
  return async (question, read, target) => answer(question, await read([question.source], question), target);
}

export const answerers: Readonly<Record<string, ReadingAnswerer>> = {
  accuracy,
  heads,
  next: about(next),
  steps: about(steps),
  translate: about(translate),
  tree: about(tree),
};
