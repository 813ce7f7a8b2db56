/** Which engine works for a widget: on the site the browser, elsewhere a live kernel. */

import type { Model } from "../shared/anywidget.ts";
import type { Engine, ListedModel, Progress, Subject } from "./engine.ts";
import { KernelEngine } from "./kernel.ts";

/** Under this name the site's host offers what only it has; a host with a kernel offers nothing. */
export const SITE = Symbol.for("seq2bert.site");

export interface SiteServices {
  /** How many bytes an engine will load for a model that is stored, the runtime included. */
  bytes(model: ListedModel): number;
  /** Load what a browser needs to run the widget's models. */
  browserEngine(subject: Subject, progress: Progress): Promise<Engine>;
  /** The address of this page with a fragment. */
  address(fragment: string): string;
  /** Hear the fragment of the page's address, now and whenever it changes. */
  onFragment(hear: (fragment: string) => void, signal: AbortSignal): void;
}

export function siteServices(model: Model): SiteServices | null {
  return (model as { [SITE]?: SiteServices })[SITE] ?? null;
}

/** How long a kernel may take to answer a greeting before the reader is told, in milliseconds. */
export const PATIENCE = 6_000;

export interface Hooks {
  subject: Subject;
  signal: AbortSignal;
  progress: Progress;
}

/** An engine that is there at once, or that is loaded when it is first wanted. */
export class EngineSource {
  private readonly site: SiteServices | null;
  private readonly kernel: KernelEngine | null;
  private loading: Promise<Engine> | null = null;

  constructor(
    model: Model,
    private readonly hooks: Hooks,
  ) {
    this.site = siteServices(model);
    this.kernel = this.site ? null : new KernelEngine(model, hooks.signal);
  }

  /** Does a model of the list answer here? On the site only those that are stored. */
  has(model: number): boolean {
    return this.kernel !== null || Boolean(this.hooks.subject.models[model]?.stored);
  }

  /** Resolves with true when a kernel answers; with false on the site, where there is none. */
  async kernelAnswers(): Promise<boolean> {
    if (!this.kernel) return false;
    await this.kernel.hello();
    return true;
  }

  /** The engine; loaded once, and again after a failure. */
  get(): Promise<Engine> {
    if (this.kernel) return Promise.resolve(this.kernel);
    const site = this.site as SiteServices;
    this.loading ??= site.browserEngine(this.hooks.subject, this.hooks.progress).catch((error: unknown) => {
      this.loading = null;
      throw error;
    });
    return this.loading;
  }
}
