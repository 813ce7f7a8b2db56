/** Buttons that take a picture, its numbers or its address along. */

import { html } from "./dom.ts";
import type { Picture } from "./picture.ts";
import { asCsv, asPng, asSvg, take } from "./save.ts";
import type { AttentionMap } from "./state.ts";

export interface Copied {
  drawing: Picture;
  map: AttentionMap;
  /** Which head the picture shows; the first one when left out. */
  layer?: number;
  head?: number;
  /** What the picture is called, as a file and in it. */
  name: string;
  title: string;
}

/**
 * `what` gives what is shown at the moment, or null while nothing is. `link` gives the address
 * that leads to it, where there is one.
 */
export function copyMenu(what: () => Copied | null, link?: () => string): HTMLElement {
  const taken = html("span", { class: "s2b-taken", role: "status" });
  const menu = html("div", { class: "s2b-menu", role: "group", "aria-label": "Copy" }, "Copy");
  const offer = (name: string, copy: (of: Copied) => Promise<"copied" | "saved">): void => {
    const kind = name.length > 3 ? name.toLowerCase() : name;
    const button = html("button", { type: "button", class: "s2b-button" }, name);
    button.addEventListener("click", async () => {
      const of = what();
      if (!of) return;
      taken.textContent = "";
      try {
        taken.textContent = (await copy(of)) === "copied" ? `${kind} copied` : `${kind} saved as a file`;
      } catch {
        taken.textContent = `${kind} could not be made here`;
      }
    });
    menu.append(button);
  };
  const picture = ({ drawing, title }: Copied): string => asSvg(drawing, title);
  offer("PNG", async (of) => take(await asPng(picture(of)), `${of.name}.png`));
  offer("SVG", (of) => take(picture(of), `${of.name}.svg`));
  offer("CSV", ({ map, layer = 0, head = 0, name }) => take(asCsv(map, layer, head), `${name}.csv`));
  if (link) offer("Link", ({ name }) => take(link(), `${name}.txt`));
  menu.append(taken);
  return menu;
}

/** The name of a file that holds a picture of a sentence. */
export function fileName(map: AttentionMap): string {
  return `attention-${map.keyTokens.slice(0, 4).join("-").replace(/[^\p{L}\p{N}-]/gu, "")}`;
}
