/** What beam search looked at on its way: `seq2bert/search_tree.py`, node for node. */

import { likeliest, search, type Hypothesis, type Reader, type SearchOptions } from "./search.ts";

export interface Grown {
  /** Place of the beginning in the list of nodes; -1 for the empty one. */
  parent: number;
  token: number;
  /** Of the beginning with this token, in nats. */
  logProb: number;
  /** Whether the search went on with it, or, if finished, holds it as a result. */
  kept: boolean;
  finished: boolean;
}

export interface GrownTree {
  nodes: Grown[];
  /** Nodes at which the results end, in the order of the search. */
  found: number[];
}

/** The tree of a search: for each step what a beam of that width could have kept. */
export async function grow<State>(reader: Reader<State>, options: Omit<SearchOptions, "prefix" | "watch">): Promise<GrownTree> {
  const nodes: Grown[] = [];
  const places = new Map<string, number>([["", -1]]);
  const watch: SearchOptions["watch"] = (live, logProbs, chosen) => {
    const kept = new Set(chosen.map(String));
    for (const [row, hypothesis] of live.entries()) {
      const step = hypothesis.tokens.length + 1;
      for (const [, token] of likeliest([hypothesis], [logProbs[row] as Float32Array], options.width)) {
        const finished = token === options.eos;
        places.set([...hypothesis.tokens, token].join(), nodes.length);
        nodes.push({
          parent: placeOf(hypothesis),
          token,
          logProb: hypothesis.logProb + (logProbs[row]?.[token] ?? 0),
          // at the limit only <eos> may still come
          kept: kept.has(String([row, token])) && (finished || step <= options.maxLength),
          finished,
        });
      }
    }
  };
  const placeOf = ({ tokens }: Hypothesis): number => places.get(tokens.join()) ?? -1;
  const found = await search(reader, { ...options, prefix: [], watch });
  return { nodes, found: found.map(placeOf) };
}
