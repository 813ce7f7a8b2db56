import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import type { Model } from "../src/shared/anywidget.ts";
import widget from "../src/widgets/heatmap/index.ts";
import { fixture, freshPage, model, openTable, settle, uniform } from "./page.ts";

let page: Document;
beforeEach(() => {
  page = freshPage();
});

async function draw(source: Model, signal?: AbortSignal): Promise<{ el: HTMLElement; cleanup: () => void }> {
  const el = page.createElement("div");
  page.body.append(el);
  const cleanup = (await widget.render(signal ? { model: source, el, signal } : { model: source, el })) as () => void;
  return { el, cleanup };
}

const cell = (el: Element, query: number, key: number): Element =>
  el.querySelector(`rect[role=gridcell][data-query="${query}"][data-key="${key}"]`)!;
const readout = (el: Element): string => el.querySelector("[role=status]")!.textContent!;
const texts = (el: Element, selector: string): (string | null)[] =>
  [...el.querySelectorAll(selector)].map((one) => one.textContent);
const levels = (el: Element): number[][] =>
  [...el.querySelectorAll("[role=row]")].map((row) =>
    [...row.querySelectorAll("[role=gridcell]")].map((one) =>
      Number(/s2b-w(\d+)/.exec(one.getAttribute("class")!)![1]),
    ),
  );
const event = (type: string, init: Record<string, unknown> = {}): Event => {
  const make = type === "keydown" ? "KeyboardEvent" : "Event";
  return new (window as any)[make](type, { bubbles: true, cancelable: true, ...init });
};

test("rows are the queries and columns the keys, in the order of the sentence", async () => {
  const { el } = await draw(model({ layer: 1 }));
  assert.deepEqual(texts(el, ".s2b-rows .s2b-label"), fixture.maps[0].query_tokens);
  assert.deepEqual(texts(el, ".s2b-cells .s2b-label"), fixture.maps[0].key_tokens);
  openTable(el);
  assert.deepEqual(texts(el, "tbody th"), fixture.maps[0].query_tokens);
  assert.deepEqual(texts(el, "thead th"), fixture.maps[0].key_tokens);
});

test("the planted cell is the bright one in the picture, in the readout and in the table", async () => {
  const { el } = await draw(model({ layer: 1 }));
  const { query, key } = fixture.planted;
  const bright = levels(el).flatMap((row, q) => row.flatMap((n, k) => (n > 50 ? [[q, k]] : [])));
  assert.deepEqual(bright, [[query, key]]);
  cell(el, query, key).dispatchEvent(event("pointerover"));
  assert.equal(readout(el), "query dort (4) → key sleeps (2): 0.97");
  openTable(el);
  const row = el.querySelectorAll("tbody tr")[query]!;
  assert.deepEqual(texts(row, "td"), ["0.00", "0.97", "0.00", "0.00", "0.00", "0.00", "0.00"]);
});

test("the place of a cell on the paper is that of its labels", async () => {
  const { el } = await draw(model({ layer: 1 }));
  const { query, key } = fixture.planted;
  const { cell: size, top } = fixture.layouts[0];
  assert.equal(Number(cell(el, query, key).getAttribute("x")), key * size + 0.5);
  assert.equal(Number(cell(el, query, key).getAttribute("y")), top + query * size + 0.5);
  const rowLabel = el.querySelectorAll(".s2b-rows .s2b-label")[query]!;
  assert.ok(Math.abs(Number(rowLabel.getAttribute("y")) - (top + (query + 0.5) * size)) < 6);
  const columnLabel = el.querySelectorAll(".s2b-cells .s2b-label")[key]!;
  const x = Number(/translate\(([\d.]+)/.exec(columnLabel.getAttribute("transform")!)![1]);
  assert.ok(x > key * size && x < (key + 1) * size);
});

test("repeated tokens stay apart: each cell is read by its position", async () => {
  const { el } = await draw(model());
  cell(el, 4, 4).dispatchEvent(event("pointerover"));
  assert.equal(readout(el), "query la (5) → key the (5): 0.14");
  cell(el, 0, 0).dispatchEvent(event("pointerover"));
  assert.equal(readout(el), "query la (1) → key the (1): 0.14");
});

test("leaving the picture brings the resting text back", async () => {
  const { el } = await draw(model());
  const before = readout(el);
  cell(el, 1, 1).dispatchEvent(event("pointerover"));
  assert.notEqual(readout(el), before);
  el.querySelector(".s2b-scroll")!.dispatchEvent(event("pointerleave"));
  assert.equal(readout(el), before);
});

test("arrow keys move a roving tab stop and read out the cell", async () => {
  const { el } = await draw(model({ layer: 1 }));
  (cell(el, 0, 0) as unknown as HTMLElement).focus();
  for (const key of ["ArrowDown", "ArrowDown", "ArrowDown", "ArrowRight"]) {
    page.activeElement!.dispatchEvent(event("keydown", { key }));
  }
  assert.equal(page.activeElement, cell(el, 3, 1));
  assert.equal(readout(el), "query dort (4) → key sleeps (2): 0.97");
  assert.equal(el.querySelectorAll('[role=gridcell][tabindex="0"]').length, 1);
  page.activeElement!.dispatchEvent(event("keydown", { key: "End" }));
  assert.equal(page.activeElement, cell(el, 3, 6));
});

test("Enter holds the row, dims the others and shows its bars; Escape lets go", async () => {
  const source = model({ layer: 1 });
  const { el } = await draw(source);
  (cell(el, 3, 0) as unknown as HTMLElement).focus();
  page.activeElement!.dispatchEvent(event("keydown", { key: "Enter" }));
  await settle();
  assert.equal(source.get("query"), 3);
  assert.equal(el.querySelectorAll("[role=row].s2b-dim").length, 11);
  const heights = [...el.querySelectorAll(".s2b-bar-key")].map((bar) => Number(bar.getAttribute("height")));
  assert.equal(heights.indexOf(Math.max(...heights)), 1);
  assert.match(readout(el), /row dort \(4\) looks most at sleeps \(2\): 0\.97/);
  page.activeElement!.dispatchEvent(event("keydown", { key: "Escape" }));
  await settle();
  assert.equal(source.get("query"), -1);
  assert.equal(el.querySelectorAll(".s2b-dim").length, 0);
});

test("a click on a row label holds that row, and a second click lets go", async () => {
  const source = model();
  const { el } = await draw(source);
  const target = el.querySelector('.s2b-target[data-query="5"]')!;
  target.dispatchEvent(event("click"));
  await settle();
  assert.equal(source.get("query"), 5);
  target.dispatchEvent(event("click"));
  await settle();
  assert.equal(source.get("query"), -1);
});

test("two views of one model stay in step", async () => {
  const source = model();
  const first = await draw(source);
  const second = await draw(source);
  const select = first.el.querySelectorAll("select")[1]!;
  select.selectedIndex = 1;
  select.dispatchEvent(event("change"));
  await settle();
  assert.equal(source.get("layer"), 1);
  assert.deepEqual(levels(first.el), levels(second.el));
  assert.equal(levels(second.el)[3]![1], 97);
  assert.equal(second.el.querySelectorAll("select")[1]!.selectedIndex, 1);
});

test("controls are shown only where there is something to choose", async () => {
  const { el } = await draw(model({ ...uniform(["a", "b"], ["c"]) }));
  const hidden = [...el.querySelectorAll("label")].filter((one) => one.hidden).length;
  assert.equal(hidden, 4);
  assert.equal(el.querySelectorAll("select").length, 3);
});

test("choosing another map draws its tokens and keeps the selection inside its bounds", async () => {
  const source = model({ layer: 1, head: 1, query: 11 });
  const { el } = await draw(source);
  const select = el.querySelector("select")!;
  select.selectedIndex = 1;
  select.dispatchEvent(event("change"));
  await settle();
  assert.deepEqual(["map", "layer", "head", "query"].map((name) => source.get(name)), [1, 0, 0, -1]);
  assert.deepEqual(texts(el, ".s2b-rows .s2b-label"), ["x", "y", "z"]);
  assert.deepEqual(levels(el), [[25, 75], [0, 0], [100, 0]]);
});

test("gold links are outlined in their cells: sure ones solid, possible ones dashed", async () => {
  const { el } = await draw(model());
  const at = (kind: string): (string | null)[] =>
    [...el.querySelectorAll(`.s2b-golds .s2b-${kind}`)].map((one) => one.getAttribute("data-gold"));
  assert.deepEqual(at("sure").sort(), ["3,1", "8,5"]);
  assert.deepEqual(at("possible"), ["9,1"]);
});

test("drawing ten times into one place leaves one picture", async () => {
  const el = page.createElement("div");
  page.body.append(el);
  const source = model();
  for (let time = 0; time < 10; time += 1) await widget.render({ model: source, el });
  assert.equal(el.children.length, 1);
  assert.equal(el.querySelectorAll("[role=grid]").length, 1);
  for (let time = 0; time < 10; time += 1) {
    source.set("maps", structuredClone(fixture.maps));
    await settle();
  }
  assert.equal(el.querySelectorAll("[role=grid]").length, 1);
});

test("five on a page have no id in common", async () => {
  for (let time = 0; time < 5; time += 1) await draw(model());
  const ids = [...page.querySelectorAll("[id]")].map((one) => one.id);
  assert.equal(new Set(ids).size, ids.length);
  assert.equal(page.querySelectorAll("[role=grid]").length, 5);
});

test("markup in a token is text and nothing else", async () => {
  const odd = ["<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "&amp;"];
  const { el } = await draw(model(uniform(odd, [...odd].reverse())));
  cell(el, 1, 0).dispatchEvent(event("pointerover"));
  assert.equal(el.querySelectorAll("script, img").length, 0);
  assert.ok(readout(el).includes("<img src=x onerror=alert(1)>"));
  openTable(el);
  assert.deepEqual(texts(el, "tbody th"), odd);
});

test("emoji, right-to-left, empty and blank tokens are shown and read out", async () => {
  const { el } = await draw(model(uniform(["👩‍👩‍👧", "שלום", ""], [" ", "مرحبا"])));
  assert.deepEqual(texts(el, ".s2b-rows .s2b-label"), ["👩‍👩‍👧", "שלום", "∅"]);
  cell(el, 1, 1).dispatchEvent(event("pointerover"));
  assert.equal(readout(el), "query שלום (2) → key مرحبا (2): 0.50");
  assert.equal(el.querySelectorAll(".s2b-readout bdi").length, 2);
});

test("a damaged state shows one plain message and raises nothing; good data bring it back", async () => {
  const source = model({ weights: undefined });
  const { el } = await draw(source);
  assert.match(el.querySelector(".s2b-message")!.textContent!, /cannot be drawn: the weights are missing/);
  assert.equal(el.querySelectorAll("[role=grid]").length, 0);
  source.set("weights", model().get("weights"));
  await settle();
  assert.equal(el.querySelectorAll(".s2b-message").length, 0);
  assert.equal(el.querySelectorAll("[role=grid]").length, 1);
});

test("a view that is gone no longer listens and leaves nothing behind", async () => {
  const source = model();
  const life = new AbortController();
  const first = await draw(source, life.signal);
  const second = await draw(source);
  life.abort();
  second.cleanup();
  source.set("layer", 1);
  await settle();
  assert.equal(first.el.childNodes.length + second.el.childNodes.length, 0);
});

test("several changes of one message lead to one drawing, from the last state", async () => {
  const source = model();
  const { el } = await draw(source);
  source.set("map", 1);
  source.set("layer", 0);
  source.set("map", 0);
  source.set("layer", 1);
  await settle();
  assert.equal(levels(el)[3]![1], 97);
});

test("the legend names only the kinds of gold links that there are", async () => {
  const { el } = await draw(model());
  const name = (): string => el.querySelector(".s2b-foot .s2b-tick")!.textContent!;
  assert.equal(name(), "gold linkssurepossible");
  const other = await draw(model({ maps: [{ ...fixture.maps[0], possible: fixture.maps[0].sure }] }));
  assert.equal(other.el.querySelector(".s2b-foot .s2b-tick")!.textContent, "gold linkssure");
});

test("the table is made when it is opened, and follows from then on", async () => {
  const changing = model();
  const { el } = await draw(changing);
  assert.equal(el.querySelectorAll("table").length, 0);
  openTable(el);
  const before = texts(el, "tbody td");
  changing.set("layer", 1);
  await settle();
  assert.equal(el.querySelectorAll("table").length, 1);
  assert.notDeepEqual(texts(el, "tbody td"), before);
});
