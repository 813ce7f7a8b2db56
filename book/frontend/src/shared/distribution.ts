/**
 * From a distribution over the next word to another one, and to a word: `seq2bert/sampling.py` in
 * double precision. Everything takes and gives log-probabilities; -Infinity is what may not come.
 */

export type LogProbs = readonly number[] | Float32Array;

/** Largest first; of equal ones the first. */
export function ranked(logProbs: LogProbs): number[] {
  // sort is stable, so equal ones stay in their order
  return Array.from(logProbs, (_, place) => place).sort((a, b) => (logProbs[b] as number) - (logProbs[a] as number) || a - b);
}

function logSoftmax(logits: readonly number[]): number[] {
  const largest = Math.max(...logits);
  const sum = logits.reduce((total, logit) => total + Math.exp(logit - largest), 0);
  return logits.map((logit) => logit - largest - Math.log(sum));
}

/** softmax(logits / temperature); 0 and Infinity are the limits. */
export function withTemperature(logits: LogProbs, temperature: number): number[] {
  const largest = Math.max(...logits);
  return logSoftmax(
    Array.from(logits, (logit) => {
      if (logit === -Infinity) return -Infinity;
      if (temperature === 0) return logit === largest ? 0 : -Infinity;
      return temperature === Infinity ? 0 : (logit - largest) / temperature;
    }),
  );
}

/** Only the k likeliest words are left. */
export function topK(logits: LogProbs, k: number): number[] {
  const stays = new Set(ranked(logits).slice(0, k));
  return logSoftmax(Array.from(logits, (logit, place) => (stays.has(place) ? logit : -Infinity)));
}

/** Only the smallest set of words is left whose probabilities add up to p or more. */
export function topP(logits: LogProbs, p: number): number[] {
  const whole = logSoftmax(Array.from(logits));
  if (p >= 1) return whole;
  const stays = new Set<number>();
  let before = 0;
  for (const place of ranked(logits)) {
    if (before >= p) break;
    stays.add(place);
    before += Math.exp(whole[place] as number);
  }
  return logSoftmax(whole.map((logit, place) => (stays.has(place) ? logit : -Infinity)));
}

/** What sliders ask for; `k` of Infinity keeps all words. */
export interface Rules {
  temperature: number;
  k: number;
  p: number;
}

/** Temperature first, then the k likeliest, then the nucleus of what is left. */
export function apply(logProbs: LogProbs, { temperature, k, p }: Rules): number[] {
  return topP(topK(withTemperature(logProbs, temperature), k), p);
}

/** How many words may come. */
export function staying(logProbs: LogProbs): number {
  return Array.from(logProbs).filter((logProb) => logProb > -Infinity).length;
}

/** -sum p log2 p, in bits. */
export function entropy(logProbs: LogProbs): number {
  return Array.from(logProbs).reduce((sum, logProb) => (logProb > -Infinity ? sum - (Math.exp(logProb) * logProb) / Math.LN2 : sum), 0);
}

/** Draw so many words: how often each came, by its place. `random` gives numbers from 0 up to 1. */
export function draw(logProbs: LogProbs, count: number, random: () => number = Math.random): Map<number, number> {
  const places = ranked(logProbs).filter((place) => (logProbs[place] as number) > -Infinity);
  const counts = new Map<number, number>();
  for (let n = 0; n < count; n += 1) {
    let left = random();
    let chosen = places[0] ?? 0;
    for (const place of places) {
      chosen = place;
      left -= Math.exp(logProbs[place] as number);
      if (left < 0) break;
    }
    counts.set(chosen, (counts.get(chosen) ?? 0) + 1);
  }
  return counts;
}
