/** A widget's model without a kernel: the state that the notebook stored, behind the same contract. */

import { SITE } from "../engines/pick.ts";
import type { Callback, Model } from "../shared/anywidget.ts";
import { services } from "./services.ts";

export interface StoredBuffer {
  path: (string | number)[];
  encoding: string;
  data: string;
}

export interface StoredWidget {
  module: string;
  state: Record<string, unknown>;
  buffers?: StoredBuffer[];
}

/** The stored state with its buffers put back where they belong, as DataViews as in Jupyter. */
export function restore(stored: StoredWidget): Record<string, unknown> {
  const state = structuredClone(stored.state);
  for (const { path, encoding, data } of stored.buffers ?? []) {
    if (encoding !== "base64") throw new Error(`its data are stored as ${encoding}, not as base64`);
    const last = path[path.length - 1];
    if (last === undefined) continue;
    let holder: unknown = state;
    for (const step of path.slice(0, -1)) holder = (holder as Record<string | number, unknown>)?.[step];
    if (typeof holder !== "object" || holder === null) throw new Error("its data have no place in its state");
    (holder as Record<string | number, unknown>)[last] = decode(data);
  }
  return state;
}

function decode(base64: string): DataView {
  const text = atob(base64);
  const bytes = Uint8Array.from(text, (character) => character.charCodeAt(0));
  return new DataView(bytes.buffer);
}

export class StoredModel implements Model {
  readonly [SITE] = services;
  private readonly listeners = new Map<string, Set<Callback>>();

  /** `changed` hears of every change that a view makes. */
  constructor(
    private readonly state: Record<string, unknown>,
    private readonly changed: (name: string, value: unknown) => void = () => {},
  ) {}

  get(name: string): unknown {
    return this.state[name];
  }

  set(name: string, value: unknown): void {
    if (Object.is(this.state[name], value)) return;
    this.state[name] = value;
    this.changed(name, value);
    this.tell(`change:${name}`, this, value);
    this.tell("change", this);
  }

  /** There is no kernel to save to; every view of this model has heard already. */
  save_changes(): void {}

  /** There is no kernel to answer; a widget that needs one asks `experimental.invoke` and is told. */
  send(): void {}

  on(event: string, callback: Callback): void {
    for (const name of event.split(/\s+/)) {
      const known = this.listeners.get(name) ?? new Set();
      this.listeners.set(name, known.add(callback));
    }
  }

  off(event?: string | null, callback?: Callback | null): void {
    const names = event ? event.split(/\s+/) : [...this.listeners.keys()];
    for (const name of names) {
      if (callback) this.listeners.get(name)?.delete(callback);
      else this.listeners.delete(name);
    }
  }

  readonly widget_manager = {
    get_model: (): Promise<never> => Promise.reject(new Error("other widgets cannot be reached on this page")),
  };

  private tell(event: string, ...args: unknown[]): void {
    for (const callback of [...(this.listeners.get(event) ?? [])]) callback(...args);
  }
}

/** What the contract offers beside the model; calls into Python are refused, not left hanging. */
export const experimental = {
  invoke: (name: string): Promise<never> =>
    Promise.reject(new Error(`${name} needs Python, and there is no kernel on this page`)),
};
