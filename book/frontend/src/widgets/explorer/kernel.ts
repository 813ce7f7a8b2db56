/** The line to Python, where there is one: it gives the pair of a sentence that the reader typed. */

import type { Callback, Model } from "../../shared/anywidget.ts";

export type Answer =
  | { type: "hello" }
  | { type: "answer"; pair: unknown; spans: unknown }
  | { type: "refusal"; message: string };

let asked = 0;

export class Kernel {
  private readonly waiting = new Map<string, (answer: Answer) => void>();

  constructor(
    private readonly model: Model,
    signal: AbortSignal,
  ) {
    const hear: Callback = (content) => {
      const message = content as (Answer & { id?: string }) | null;
      const answered = this.waiting.get(message?.id ?? "");
      if (!message || !answered) return;
      this.waiting.delete(message.id ?? "");
      answered(message);
    };
    model.on("msg:custom", hear);
    signal.addEventListener("abort", () => model.off("msg:custom", hear));
  }

  /** `heard` is called when Python answers; where there is no kernel that is never. */
  ask(content: Record<string, unknown>, heard: (answer: Answer) => void): void {
    // several views hear the answers of one model; the number is of this page, the rest of this view
    const id = `${(asked += 1)}-${Math.random().toString(36).slice(2)}`;
    this.waiting.set(id, heard);
    try {
      this.model.send({ ...content, id });
    } catch {
      // after a restart the line to the kernel is gone
      this.waiting.delete(id);
      heard({ type: "refusal", message: "the kernel no longer knows this widget; run this cell again" });
    }
  }
}
