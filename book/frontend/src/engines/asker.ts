/** Asks one thing at a time; of what is asked meanwhile only the last counts. */

import type { Answered, Engine, Request } from "./engine.ts";

export interface Listener {
  /** A request is on its way. */
  waiting(): void;
  /** Nothing has come back for a while. */
  slow(): void;
  answered(answered: Answered, request: Request): void;
  failed(error: unknown, request: Request): void;
}

/** After so many milliseconds a request counts as slow, and a newer one is sent all the same. */
export const SLOW = 5_000;

export class Asker {
  private turn = 0;
  private underway: { turn: number; slow: boolean } | null = null;
  private next: Request | null = null;

  constructor(
    private readonly engine: () => Promise<Engine>,
    private readonly listener: Listener,
    private readonly patience = SLOW,
  ) {}

  /** Ask, now or as soon as what is under way is done. */
  ask(request: Request): void {
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

  private async send(request: Request): Promise<void> {
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
      const answered = await (await this.engine()).translate(request);
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
