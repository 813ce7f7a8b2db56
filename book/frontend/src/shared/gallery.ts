/**
 * Thumbnails to choose one from, as the ARIA listbox pattern describes it: one of them can be
 * reached with Tab, the arrow keys move, and where one stands is what is chosen.
 */

import { html } from "./dom.ts";
import { move } from "./gridkeys.ts";
import type { AttentionMap } from "./state.ts";
import { Thumbnail } from "./thumbnail.ts";

export interface Card {
  title: string;
  /** Null where there is no attention; then `instead` is said in the place of the picture. */
  map: AttentionMap | null;
  instead?: readonly string[];
  layer?: number;
  head?: number;
  /** Short lines below the picture. */
  facts: readonly string[];
  /** Is this still the picture of something else, while the new one is on its way or never came? */
  old?: boolean;
}

interface Item {
  element: HTMLElement;
  thumbnail: Thumbnail;
  none: HTMLElement;
  title: HTMLElement;
  facts: HTMLElement[];
}

export class Gallery {
  readonly element: HTMLElement;
  private readonly items: Item[] = [];
  private chosen = -1;

  /** `name` says what the thumbnails are; `onChoose` hears which one is wanted. */
  constructor(
    name: string,
    private readonly onChoose: (place: number) => void,
  ) {
    this.element = html("div", { class: "s2b-thumbs", role: "listbox", "aria-label": name });
    this.element.addEventListener("click", (event) => {
      const place = this.items.findIndex(({ element }) => element.contains(event.target as Node));
      if (place >= 0) this.choose(place);
    });
    this.element.addEventListener("keydown", (event) => this.key(event));
  }

  show(cards: readonly Card[], chosen: number): void {
    while (this.items.length < cards.length) this.add();
    for (const { element } of this.items.splice(cards.length)) element.remove();
    this.chosen = chosen;
    for (const [place, card] of cards.entries()) {
      const { element, thumbnail, none, title, facts } = this.items[place] as Item;
      const picture = card.map ? thumbnail.element : none;
      if (element.firstChild !== picture) element.firstChild?.replaceWith(picture);
      if (card.map) thumbnail.show(card.map, card.layer, card.head);
      else if (told(none) !== JSON.stringify(card.instead ?? [])) {
        none.replaceChildren(...(card.instead ?? []).map((line) => html("span", {}, line)));
      }
      write(title, card.title);
      while (facts.length < card.facts.length) facts.push(element.appendChild(html("span", { class: "s2b-thumb-fact" })));
      for (const gone of facts.splice(card.facts.length)) gone.remove();
      for (const [at, fact] of facts.entries()) write(fact, card.facts[at] ?? "");
      element.classList.toggle("s2b-old", card.old === true);
      element.classList.toggle("s2b-chosen", place === chosen);
      element.setAttribute("aria-selected", String(place === chosen));
      element.tabIndex = place === chosen ? 0 : -1;
    }
  }

  private add(): void {
    const thumbnail = new Thumbnail();
    const title = html("span", { class: "s2b-thumb-title" });
    const element = html("div", { class: "s2b-thumb", role: "option" }, thumbnail.element, title);
    const none = html("span", { class: "s2b-thumb-none" });
    this.items.push({ element, thumbnail, none, title, facts: [] });
    this.element.append(element);
  }

  private key(event: KeyboardEvent): void {
    if (event.altKey || event.metaKey || event.ctrlKey) return;
    const columns = this.columns();
    const at = this.items.findIndex(({ element }) => element === document.activeElement);
    if (at < 0) return;
    const last = this.items.length - 1;
    let next: number | null = null;
    if (event.key === "Enter" || event.key === " ") next = at;
    else if (event.key === "Home") next = 0;
    else if (event.key === "End") next = last;
    // in reading order, so that the end of a row leads to the next one
    else if (event.key === "ArrowLeft") next = Math.max(0, at - 1);
    else if (event.key === "ArrowRight") next = Math.min(last, at + 1);
    else {
      const from = { row: Math.floor(at / columns), column: at % columns };
      const to = move(from, event.key, Math.ceil(this.items.length / columns), columns);
      const place = to ? to.row * columns + to.column : null;
      // the last row may be shorter
      if (place !== null) next = place <= last ? place : at;
    }
    if (next === null) return;
    event.preventDefault();
    // a notebook has its own meaning for keys
    event.stopPropagation();
    this.choose(next);
    this.items[next]?.element.focus();
  }

  private choose(place: number): void {
    if (place !== this.chosen) this.onChoose(place);
  }

  /** How many stand in a row at the moment. */
  private columns(): number {
    const top = this.items[0]?.element.offsetTop;
    const next = this.items.findIndex(({ element }) => element.offsetTop !== top);
    return next < 0 ? Math.max(1, this.items.length) : next;
  }
}

function told(element: Element): string {
  return JSON.stringify([...element.children].map(({ textContent }) => textContent));
}

function write(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}
