/** Where the nodes of a search tree stand: `seq2bert/tree_picture.py` draws by the same rules. */

import { textWidth } from "../../shared/tokens.ts";

/** A node as Python sends it. */
export type ShortNode = readonly [parent: number, token: string, logProb: number, kept: number];

export interface TreeNode {
  place: number;
  parent: number;
  token: string;
  logProb: number;
  kept: boolean;
  /** How many tokens the beginning has with this one. */
  step: number;
  finished: boolean;
}

export interface Spot {
  x: number;
  y: number;
}

export interface TreeLayout {
  /** The left upper corner of each node, in the order of the nodes. */
  spots: readonly Spot[];
  /** Of all boxes. */
  box: { width: number; height: number };
  /** From one step to the next. */
  across: number;
  width: number;
  height: number;
  steps: number;
}

const EOS = "<eos>";
export const TOP = 26;
export const ROW = 28;
export const BOX = 24;
const FONT = 13;
/** Room for the sign, the number and the margins of a box, beside the word. */
const BESIDE = 80;
const GAP = 34;

/** The nodes of an answer, with what follows from their parents. */
export function treeNodes(short: readonly ShortNode[]): TreeNode[] {
  const nodes: TreeNode[] = [];
  for (const [place, [parent, token, logProb, kept]] of short.entries()) {
    const step = (nodes[parent]?.step ?? 0) + 1;
    nodes.push({ place, parent, token, logProb, kept: Boolean(kept), step, finished: token === EOS });
  }
  return nodes;
}

/** What a box says for a token. */
export function boxLabel(token: string): string {
  return token === EOS ? "end" : token;
}

/** A column for each step; in it the nodes of one parent together, in the order of their parents. */
export function layOut(nodes: readonly TreeNode[], labels: readonly string[]): TreeLayout {
  const steps = nodes.reduce((most, { step }) => Math.max(most, step), 0);
  const wide = Math.ceil(Math.max(0, ...labels.map((label) => textWidth(label) * FONT))) + BESIDE;
  const spots: Spot[] = nodes.map(() => ({ x: 0, y: 0 }));
  let most = 1;
  for (let step = 1; step <= steps; step += 1) {
    const column = nodes.filter((node) => node.step === step);
    const height = (parent: number): number => spots[parent]?.y ?? 0;
    column.sort((a, b) => height(a.parent) - height(b.parent) || a.place - b.place);
    for (const [row, { place }] of column.entries()) {
      spots[place] = { x: 4 + (step - 1) * (wide + GAP), y: TOP + row * ROW };
    }
    most = Math.max(most, column.length);
  }
  return {
    spots,
    box: { width: wide, height: BOX },
    across: wide + GAP,
    width: 8 + steps * wide + Math.max(0, steps - 1) * GAP,
    height: TOP + most * ROW,
    steps,
  };
}

/** log p / length^penalty; `<eos>` counts in the length. */
export function score({ logProb, step }: TreeNode, penalty: number): number {
  return logProb / step ** penalty;
}

/** The results, the best first; those that met the limit come last. Of equal ones the first. */
export function rank(nodes: readonly TreeNode[], found: readonly number[], penalty: number): TreeNode[] {
  const results = found.map((place) => nodes[place]).filter((node) => node !== undefined);
  return results.sort((a, b) => Number(b.finished) - Number(a.finished) || score(b, penalty) - score(a, penalty));
}

/** The places of a node and of all before it, the first word first. */
export function path(nodes: readonly TreeNode[], place: number): number[] {
  const places: number[] = [];
  for (let at = place; at >= 0; at = nodes[at]?.parent ?? -1) places.unshift(at);
  return places;
}

/** The words up to a node, without `<eos>`. */
export function beginning(nodes: readonly TreeNode[], place: number): string[] {
  return path(nodes, place)
    .map((at) => nodes[at]?.token ?? "")
    .filter((token) => token !== EOS);
}
