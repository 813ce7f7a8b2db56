/** Asks one thing at a time; of what is asked meanwhile only the last counts. */

import type { Engine, Question, Reply } from "./engine.ts";

export interface Listener<Q extends Question, A extends Reply> {
  /** A request is on its way. */
  waiting(): void;
  /** Nothing has come back for a while. */
  slow(): void;
  answered(answered: A, request: Q): void;
  failed(error: unknown, request: Q): void;
}

/** After so many milliseconds a request counts as slow, and a newer one is sent all the same. */
export const SLOW = 5_000;

export class Asker<Q extends Question, A extends Reply> {
  private turn = 0;
  private underway: { turn: number; slow: boolean } | null = null;
  private next: Q | null = null;

  constructor(
    private readonly kind: string,
    private readonly engine: () => Promise<Engine>,
    private readonly listener: Listener<Q, A>,
    private readonly patience = SLOW,
  ) {}

  /** Ask, now or as soon as what is under way is done. */
  ask(request: Q): void {
    if (this.underway && !this.underway.slow) {
      this.next = request;
      return;
    }
    this.next = null;
    void this.send(request);
  }

  /** Forget what is under way: its answer will not be heard. */
  forget(): void {
    this.next = null;
    this.underway = null;
    this.turn += 1;
  }

  private async send(request: Q): Promise<void> {
    const mine = { turn: (this.turn += 1), slow: false };
    this.underway = mine;
    this.listener.waiting();
    const timer = setTimeout(() => {
      mine.slow = true;
      if (mine.turn !== this.turn) return;
      this.listener.slow();
      this.proceed();
    }, this.patience);
    try {
      const answered = await (await this.engine()).ask<A>(this.kind, request);
      if (mine.turn === this.turn) this.listener.answered(answered, request);
    } catch (error) {
      if (mine.turn === this.turn) this.listener.failed(error, request);
    } finally {
      clearTimeout(timer);
      if (this.underway === mine) this.underway = null;
    }
    if (!this.underway) this.proceed();
  }

  private proceed(): void {
    const request = this.next;
    this.next = null;
    if (request) void this.send(request);
  }
}
