/** All that a beam search looked at; `seq2bert/search_tree.py` answers the same in a kernel. */

import type { TreeAnswered, TreeRequest } from "../../questions.ts";
import type { Answerer } from "../answers.ts";
import { grow } from "../searchtree.ts";
import { LONGEST_TARGET } from "./translate.ts";

export const tree: Answerer<TreeRequest, TreeAnswered> = async ({ source, width }, reader, target) => {
  const { nodes, found } = await grow(reader, { bos: target.bos, eos: target.eos, width, maxLength: LONGEST_TARGET });
  return {
    answer: {
      source,
      width,
      nodes: nodes.map(({ parent, token, logProb, kept }) => [parent, target.word(token), logProb, Number(kept)] as const),
      found,
    },
    buffers: [],
  };
};
