/**
 * Greedy and beam search in the browser: `seq2bert/beam.py`, tie for tie.
 */

/** By kind of attention the weights of one step, each a list (layer, head, key). */
export type Weights = Readonly<Record<string, Float32Array>>;

/** What a step gives for each hypothesis of the beam. */
export interface Stepped<State> {
  state: State;
  /** Log-probabilities of the next token, one list for each hypothesis. */
  logProbs: readonly Float32Array[];
  /** Attention of this step, for each hypothesis. */
  attention: readonly Weights[];
}

/** A translator that has read one sentence. */
export interface Reader<State> {
  /** How many layers and heads each kind of attention has. */
  readonly heads: Readonly<Record<string, readonly [layers: number, heads: number]>>;
  start(): State;
  step(tokens: readonly number[], state: State): Promise<Stepped<State>>;
  /** The given rows of a state; a row may be taken several times. */
  select(state: State, rows: readonly number[]): State;
}

export interface Hypothesis {
  tokens: readonly number[];
  logProb: number;
  finished: boolean;
  logProbs: readonly Float32Array[];
  attention: readonly Weights[];
}

export interface SearchOptions {
  bos: number;
  eos: number;
  width: number;
  prefix: readonly number[];
  /** At most so many tokens are written, `<eos>` not counted. */
  maxLength: number;
  /** Hears of every step: the live hypotheses, what may follow each, and the pairs that were kept. */
  watch?: (live: readonly Hypothesis[], logProbs: readonly Float32Array[], chosen: readonly Pair[]) => void;
}

/** A live hypothesis, by its place, and a token that follows it. */
export type Pair = readonly [row: number, token: number];

/** Log p divided by the number of tokens, `<eos>` counted. */
export function score(hypothesis: Hypothesis): number {
  return hypothesis.logProb / Math.max(1, hypothesis.tokens.length);
}

/** The finished hypotheses, the best first, then those that met the limit. */
export async function search<State>(reader: Reader<State>, options: SearchOptions): Promise<Hypothesis[]> {
  const { bos, eos, width, prefix, maxLength, watch } = options;
  let live: Hypothesis[] = [{ tokens: [], logProb: 0, finished: false, logProbs: [], attention: [] }];
  let state = reader.start();
  const done: Hypothesis[] = [];
  const cut = new Map<string, Hypothesis>();
  for (let position = 0; position <= maxLength; position += 1) {
    const stepped = await reader.step(
      live.map(({ tokens }) => tokens[tokens.length - 1] ?? bos),
      state,
    );
    const forced = prefix[position];
    const chosen: Pair[] = forced === undefined ? likeliest(live, stepped.logProbs, width - done.length) : [[0, forced]];
    watch?.(live, stepped.logProbs, chosen);
    const kept: (readonly [row: number, hypothesis: Hypothesis])[] = [];
    for (const [row, token] of chosen) {
      const parent = live[row] as Hypothesis;
      const logProbs = stepped.logProbs[row] as Float32Array;
      const longer: Hypothesis = {
        tokens: [...parent.tokens, token],
        logProb: parent.logProb + (logProbs[token] ?? 0),
        finished: token === eos,
        logProbs: [...parent.logProbs, logProbs],
        attention: [...parent.attention, stepped.attention[row] as Weights],
      };
      if (longer.finished) done.push(longer);
      // at the limit only <eos> may still come
      else if (position === maxLength) cut.set(parent.tokens.join(), parent);
      else kept.push([row, longer]);
    }
    live = kept.map(([, hypothesis]) => hypothesis);
    if (live.length === 0 || done.length >= width) break;
    const rows = kept.map(([row]) => row);
    const same = rows.length === stepped.logProbs.length && rows.every((row, place) => row === place);
    state = same ? stepped.state : reader.select(stepped.state, rows);
  }
  const ranked = (group: Hypothesis[]): Hypothesis[] => group.sort((a, b) => score(b) - score(a));
  return [...ranked(done), ...ranked([...cut.values()])];
}

/**
 * The (hypothesis, token) pairs with the largest log-probability; of equal ones the first. What has
 * probability 0 is none of them.
 */
export function likeliest(live: readonly Hypothesis[], logProbs: readonly Float32Array[], count: number): Pair[] {
  const best: { row: number; token: number; total: number }[] = [];
  for (const [row, hypothesis] of live.entries()) {
    for (const [token, logProb] of (logProbs[row] as Float32Array).entries()) {
      const total = hypothesis.logProb + logProb;
      if (!(total > -Infinity)) continue;
      const last = best[best.length - 1];
      if (last && best.length === count && total <= last.total) continue;
      let place = best.length;
      while (place > 0 && total > (best[place - 1] as { total: number }).total) place -= 1;
      best.splice(place, 0, { row, token, total });
      if (best.length > count) best.pop();
    }
  }
  return best.map(({ row, token }) => [row, token] as const);
}

/** The places of the largest numbers, the largest first; of equal ones the first. */
export function largest(numbers: Float32Array, count: number): number[] {
  const best: number[] = [];
  for (const [place, number] of numbers.entries()) {
    const last = best[best.length - 1];
    if (last !== undefined && best.length === count && number <= (numbers[last] as number)) continue;
    let at = best.length;
    while (at > 0 && number > (numbers[best[at - 1] as number] as number)) at -= 1;
    best.splice(at, 0, place);
    if (best.length > count) best.pop();
  }
  return best;
}
