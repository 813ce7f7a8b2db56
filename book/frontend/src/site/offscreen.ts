/**
 * While somebody types into a widget, the browser leaves alone what is off the screen.
 *
 * A chapter has some ten thousand elements of code and formulas, and without this all of them take
 * part in every frame. Only then, and never while a page is read: blocks that were not shown yet
 * would have a guessed height, and the page would jump. `site.css` says what it means.
 */
export function restOffscreen(page: Document): void {
  const root = page.documentElement;
  const typesIn = (target: EventTarget | null): boolean =>
    target instanceof Element && target.matches(".s2b-widget :is(input:not([type]), input[type=text], textarea)");
  page.addEventListener("focusin", (event) => root.classList.toggle("s2b-typing", typesIn(event.target)));
  page.addEventListener("focusout", () => root.classList.remove("s2b-typing"));
}
