/** Every step as a row of a real table: what those read who do not see the strips. */

import { probabilityText } from "../../shared/alternatives.ts";
import { html } from "../../shared/dom.ts";
import { shown } from "../../shared/tokens.ts";
import type { Walk } from "./walk.ts";

const HEADS = ["step", "reads", "state moves by", "writes", "dot product", "cosine", "probability"];

export function table(walk: Walk): HTMLTableElement {
  const read = walk.source.length;
  const rows = walk.changes.map((moved, row) => {
    const moment = walk.moments[row - read];
    const name = row < read ? `encoder ${row + 1}` : `decoder ${row - read + 1}`;
    const cells = moment
      ? [shown(moment.read), moved.toFixed(1), shown(moment.written.token), ...numbers(moment.written)]
      : [shown(walk.source[row] ?? ""), moved.toFixed(1), "", "", "", ""];
    return html(
      "tr",
      {},
      html("th", { scope: "row" }, name),
      ...cells.map((cell) => html("td", {}, html("bdi", {}, cell))),
    );
  });
  const head = html("tr", {}, ...HEADS.map((name) => html("th", { scope: "col" }, name)));
  const caption = "What each step reads, how far it moves the state, and what the decoder writes";
  return html(
    "table",
    { class: "s2b-table" },
    html("caption", {}, caption),
    html("thead", {}, head),
    html("tbody", {}, ...rows),
  );
}

function numbers({ dot, cosine, probability }: Walk["moments"][number]["written"]): string[] {
  return [dot.toFixed(1), cosine.toFixed(2), probabilityText(probability)];
}
