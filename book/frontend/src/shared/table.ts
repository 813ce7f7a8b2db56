/** The text twin of a picture: a real table, folded away, for screen readers and for copying. */

import { html } from "./dom.ts";
import { shown } from "./tokens.ts";
import { format } from "./weights.ts";

export interface TableTwin {
  caption: string;
  queryTokens: readonly string[];
  keyTokens: readonly string[];
  weight(query: number, key: number): number;
  /** Words that stand beside a weight. */
  note?(query: number, key: number): string;
}

export function table(twin: TableTwin): HTMLTableElement {
  const head = html(
    "tr",
    {},
    html("td"),
    ...twin.keyTokens.map((token) => html("th", { scope: "col" }, html("bdi", {}, shown(token)))),
  );
  const rows = twin.queryTokens.map((token, query) =>
    html(
      "tr",
      {},
      html("th", { scope: "row" }, html("bdi", {}, shown(token))),
      ...twin.keyTokens.map((_, key) =>
        html("td", {}, [format(twin.weight(query, key)), twin.note?.(query, key)].filter(Boolean).join(" ")),
      ),
    ),
  );
  return html(
    "table",
    { class: "s2b-table" },
    html("caption", {}, twin.caption),
    html("thead", {}, head),
    html("tbody", {}, ...rows),
  );
}

/** A folded box whose content is made when it is open: a table costs more than the picture does. */
export interface Fold {
  element: HTMLDetailsElement;
  /** Show what `make` makes, now or when the box is opened. */
  show(make: () => Node): void;
}

export function fold(summary: string): Fold {
  const box = html("div", { class: "s2b-table-box", tabindex: 0, role: "group", "aria-label": summary });
  const element = html("details", { class: "s2b-twin" }, html("summary", {}, summary), box);
  let pending: (() => Node) | null = null;
  const fill = (): void => {
    if (!element.open || !pending) return;
    box.replaceChildren(pending());
    pending = null;
  };
  element.addEventListener("toggle", fill);
  return {
    element,
    show(make) {
      pending = make;
      fill();
    },
  };
}
