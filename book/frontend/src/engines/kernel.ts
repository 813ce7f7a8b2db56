/** The engine of a notebook: the learner's own model answers, in the kernel. */

import type { Callback, Model } from "../shared/anywidget.ts";
import { Refusal, type Engine, type Question, type Reply } from "./engine.ts";

interface Waiting {
  resolve(answer: { message: Message; buffers: DataView[] }): void;
  reject(error: Error): void;
}

interface Message {
  type: string;
  id: string;
  message?: string;
}

let asked = 0;

export class KernelEngine implements Engine {
  private readonly waiting = new Map<string, Waiting>();

  constructor(
    private readonly model: Model,
    signal: AbortSignal,
  ) {
    const hear: Callback = (content, buffers) => this.hear(content, buffers);
    model.on("msg:custom", hear);
    signal.addEventListener("abort", () => {
      model.off("msg:custom", hear);
      for (const { reject } of this.waiting.values()) reject(new Refusal("this view was closed"));
      this.waiting.clear();
    });
  }

  /** Resolves when a kernel answers, however late that may be. */
  async hello(): Promise<void> {
    await this.send({ type: "hello" });
  }

  async prepare(): Promise<void> {}

  async ask<A extends Reply>(kind: string, question: Question): Promise<A> {
    const { message, buffers } = await this.send({ type: kind, request: question });
    if (message.type !== "answer") {
      throw new Refusal(message.message ?? "the kernel sent an answer that cannot be read");
    }
    return { ...message, buffers } as unknown as A;
  }

  private send(content: Record<string, unknown>): Promise<{ message: Message; buffers: DataView[] }> {
    // several views hear the answers of one model; the number is of this page, the rest of this view
    const id = `${(asked += 1)}-${Math.random().toString(36).slice(2)}`;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      try {
        this.model.send({ ...content, id });
      } catch {
        // after a restart the line to the kernel is gone
        this.waiting.delete(id);
        reject(new Refusal("the kernel no longer knows this widget; run this cell again"));
      }
    });
  }

  private hear(content: unknown, buffers: unknown): void {
    const message = content as Message | null;
    const waiting = this.waiting.get(message?.id ?? "");
    if (!message || !waiting) return;
    this.waiting.delete(message.id);
    waiting.resolve({ message, buffers: (Array.isArray(buffers) ? buffers : []).map(asView) });
  }
}

/** Hosts hand buffers over as DataView or as ArrayBuffer. */
function asView(buffer: DataView | ArrayBuffer): DataView {
  return buffer instanceof DataView ? buffer : new DataView(buffer);
}
