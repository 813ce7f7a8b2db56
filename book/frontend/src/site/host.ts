/** Mounting the widgets of a page from their stored state. */

import type { Widget } from "../shared/anywidget.ts";
import { reason } from "./charts.ts";
import { PageMemory } from "./memory.ts";
import { experimental, restore, StoredModel, type StoredWidget } from "./model.ts";

export type Modules = Record<string, () => Promise<{ default: Widget | (() => Widget | Promise<Widget>) }>>;

interface Mounted {
  model: StoredModel;
  widget: Promise<Widget>;
}

/**
 * Mount every `figure.s2b-widget` of a page. Only modules of the list are ever loaded.
 *
 * The static picture stays until the live one is complete, and stays for good, with one line that
 * says why, when that cannot be.
 */
export async function mountWidgets(root: Document, modules: Modules): Promise<void> {
  const figures = [...root.querySelectorAll<HTMLElement>("figure.s2b-widget:not([data-live])")];
  if (figures.length === 0) return;
  let states: Record<string, StoredWidget> = {};
  let fault: unknown = null;
  try {
    states = JSON.parse(root.getElementById("s2b-widget-state")?.textContent ?? "{}");
  } catch {
    fault = new Error("the stored state of this page is damaged");
  }
  const mounted = new Map<string, Mounted>();
  const memory = new PageMemory(root.defaultView ?? window);
  await Promise.all(
    figures.map(async (figure) => {
      figure.dataset["live"] = "loading";
      try {
        if (fault) throw fault;
        await mount(figure, states, modules, mounted, memory);
        figure.dataset["live"] = "true";
      } catch (error) {
        figure.dataset["live"] = "failed";
        const why = root.createElement("p");
        why.className = "s2b s2b-why";
        why.textContent = `This is a still picture here: ${reason(error)}.`;
        figure.append(why);
      }
    }),
  );
}

async function mount(
  figure: HTMLElement,
  states: Record<string, StoredWidget>,
  modules: Modules,
  mounted: Map<string, Mounted>,
  memory: PageMemory,
): Promise<void> {
  const id = figure.dataset["model"] ?? "";
  const shared = mounted.get(id) ?? open(id, states, modules, memory);
  // set before anything is awaited, so that two figures of one model share it and stay in step
  mounted.set(id, shared);
  const widget = await shared.widget;
  const el = document.createElement("div");
  el.className = "s2b-live";
  const life = new AbortController();
  try {
    // the clean-up that comes back is not kept: a page's widgets stay as long as the page
    await widget.render({ model: shared.model, el, signal: life.signal, experimental } as never);
  } catch (error) {
    life.abort();
    throw error;
  }
  figure.replaceChildren(el);
}

function open(
  id: string,
  states: Record<string, StoredWidget>,
  modules: Modules,
  memory: PageMemory,
): Mounted {
  const stored = Object.hasOwn(states, id) ? states[id] : undefined;
  if (!stored) throw new Error("its state was not stored with the page");
  const load = Object.hasOwn(modules, stored.module) ? modules[stored.module] : undefined;
  if (!load) throw new Error(`the site has no widget named ${JSON.stringify(stored.module)}`);
  const model = new StoredModel({ ...restore(stored), ...memory.of(id) }, (name, value) =>
    memory.keep(id, name, value),
  );
  const widget = load().then(async ({ default: exported }) => {
    const ready = typeof exported === "function" ? await exported() : exported;
    await ready.initialize?.({ model, experimental } as never);
    return ready;
  });
  return { model, widget };
}
