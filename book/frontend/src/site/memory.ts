/** What the reader did on a page, kept with its entry in the browser's history: going back finds it. */

const NAME = "s2b";
const PAUSE = 300;

type Kept = Record<string, Record<string, unknown>>;

export class PageMemory {
  private readonly kept: Kept;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly page: Window) {
    const state: unknown = page.history.state;
    const before = typeof state === "object" && state !== null ? (state as Record<string, unknown>)[NAME] : null;
    this.kept = typeof before === "object" && before !== null ? (before as Kept) : {};
    page.addEventListener("pagehide", () => this.write());
    // a link within the page makes a new entry, which knows nothing yet
    page.addEventListener("hashchange", () => this.write());
  }

  /** What was changed of a model before the reader left this page. */
  of(id: string): Record<string, unknown> {
    return this.kept[id] ?? {};
  }

  keep(id: string, name: string, value: unknown): void {
    (this.kept[id] ??= {})[name] = value;
    // not while somebody types: it costs time, and browsers allow so many changes in so many seconds
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.write(), PAUSE);
  }

  private write(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    if (Object.keys(this.kept).length === 0) return;
    try {
      this.page.history.replaceState({ ...(this.page.history.state as object | null), [NAME]: this.kept }, "");
    } catch {
      // a browser that keeps nothing: the page works all the same, it only forgets
    }
  }
}
