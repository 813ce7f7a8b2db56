/**
 * The contract between a widget and whoever hosts it (Jupyter's anywidget, or our site), as far as
 * our widgets use it. A widget module has one default export: a `Widget`.
 */

export type Callback = (...args: unknown[]) => void;

export interface Model {
  get(name: string): unknown;
  set(name: string, value: unknown): void;
  save_changes(): void;
  on(event: string, callback: Callback): void;
  off(event?: string | null, callback?: Callback | null): void;
  send(content: unknown, callbacks?: unknown, buffers?: ArrayBuffer[] | ArrayBufferView[]): void;
}

export interface RenderProps {
  model: Model;
  el: HTMLElement;
  /** Aborted when the view goes away; older hosts leave it out and call the clean-up alone. */
  signal?: AbortSignal;
}

export type Cleanup = () => void;

export interface Widget {
  initialize?(props: { model: Model; signal?: AbortSignal }): void | Cleanup | Promise<void | Cleanup>;
  render(props: RenderProps): void | Cleanup | Promise<void | Cleanup>;
}

/** The widget of a view that lives until its signal is aborted, by the host or by the clean-up. */
export function widgetOf(show: (model: Model, el: HTMLElement, signal: AbortSignal) => unknown): Widget {
  return {
    render({ model, el, signal }) {
      const life = new AbortController();
      signal?.addEventListener("abort", () => life.abort());
      show(model, el, life.signal);
      return () => life.abort();
    },
  };
}
