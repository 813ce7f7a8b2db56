/** Following a model: several changes of one message lead to one drawing. */

import type { Callback, Model } from "./anywidget.ts";

/**
 * Call `draw` once, a microtask after any of some traits changed, with the names of those that did.
 * It ends with the signal.
 */
export function follow(
  model: Model,
  names: readonly string[],
  signal: AbortSignal,
  draw: (changed: ReadonlySet<string>) => void,
): void {
  let changed: Set<string> | null = null;
  for (const name of names) {
    const callback: Callback = () => {
      if (changed) {
        changed.add(name);
        return;
      }
      changed = new Set([name]);
      queueMicrotask(() => {
        const these = changed ?? new Set<string>();
        changed = null;
        if (!signal.aborted) draw(these);
      });
    };
    model.on(`change:${name}`, callback);
    signal.addEventListener("abort", () => model.off(`change:${name}`, callback));
  }
}

/** Set those of some traits that differ, and send them to the kernel, if there is one. */
export function assign(model: Model, values: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(values)) {
    if (model.get(name) !== value) model.set(name, value);
  }
  model.save_changes();
}
