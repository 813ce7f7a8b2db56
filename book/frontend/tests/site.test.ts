import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import widget from "../src/widgets/heatmap/index.ts";
import { prepareCharts } from "../src/site/charts.ts";
import { mountWidgets, type Modules } from "../src/site/host.ts";
import { experimental, restore, StoredModel } from "../src/site/model.ts";
import { fixture, freshPage, settle } from "./page.ts";

let page: Document;
beforeEach(() => {
  page = freshPage();
});

const stored = () => ({
  module: "heatmap",
  state: { maps: structuredClone(fixture.maps), map: 0, layer: 1, head: 0, query: -1 },
  buffers: [{ path: ["weights"], encoding: "base64", data: fixture.weights }],
});
const modules: Modules = { heatmap: async () => ({ default: widget }) };

function write(states: unknown, ...models: string[]): void {
  for (const id of models) {
    const figure = page.createElement("figure");
    figure.className = "s2b-widget";
    figure.dataset["model"] = id;
    figure.append(page.createElement("table"));
    page.body.append(figure);
  }
  const script = page.createElement("script");
  script.type = "application/json";
  script.id = "s2b-widget-state";
  script.textContent = typeof states === "string" ? states : JSON.stringify(states);
  page.body.append(script);
}

const figures = (): HTMLElement[] => [...page.querySelectorAll<HTMLElement>("figure")];

test("a stored widget takes the place of its static picture", async () => {
  write({ one: stored() }, "one");
  await mountWidgets(page, modules);
  assert.equal(figures()[0]!.dataset["live"], "true");
  assert.equal(page.querySelectorAll("[role=grid]").length, 1);
  assert.equal(figures()[0]!.children.length, 1);
});

test("two figures of one model share it and stay in step", async () => {
  write({ one: stored() }, "one", "one");
  await mountWidgets(page, modules);
  page.querySelector('.s2b-target[data-query="2"]')!.dispatchEvent(
    new (window as unknown as { Event: typeof Event }).Event("click", { bubbles: true }),
  );
  await settle();
  for (const figure of figures()) assert.equal(figure.querySelectorAll("[role=row].s2b-dim").length, 11);
});

test("mounting a page again changes nothing", async () => {
  write({ one: stored() }, "one");
  await mountWidgets(page, modules);
  await mountWidgets(page, modules);
  assert.equal(page.querySelectorAll("[role=grid]").length, 1);
});

const faults: [string, unknown, Modules, RegExp][] = [
  ["whose state is missing", {}, modules, /its state was not stored/],
  ["of a damaged page", "{", modules, /stored state of this page is damaged/],
  ["that the build did not list", { one: { ...stored(), module: "../evil" } }, modules, /no widget named "..\/evil"/],
  ["named like a method of objects", { one: { ...stored(), module: "toString" } }, modules, /no widget named/],
  ["whose module does not load", { one: stored() }, { heatmap: () => Promise.reject(new Error("gone")) }, /gone/],
  [
    "that fails while it draws",
    { one: stored() },
    { heatmap: async () => ({ default: { render: () => { throw new Error("no ink"); } } }) },
    /no ink/,
  ],
];

for (const [what, states, list, reason] of faults) {
  test(`a widget ${what} keeps its static picture and says why`, async () => {
    write(states, "one");
    await mountWidgets(page, list);
    const figure = figures()[0]!;
    assert.equal(figure.dataset["live"], "failed");
    assert.equal(figure.querySelectorAll("table").length, 1);
    assert.match(figure.querySelector(".s2b-why")!.textContent!, reason);
  });
}

test("one widget that fails does not take the others with it", async () => {
  write({ good: stored() }, "bad", "good");
  await mountWidgets(page, modules);
  assert.deepEqual(figures().map((figure) => figure.dataset["live"]), ["failed", "true"]);
});

test("who comes back to a page finds it as it was left", async () => {
  write({ one: stored(), two: stored() }, "one", "two");
  await mountWidgets(page, modules);
  const chosen = (figure: HTMLElement): string =>
    [...figure.querySelectorAll("[role=row]")].map((row) => row.getAttribute("aria-selected")).join();
  figures()[0]!.querySelector("rect[data-query=\"1\"]")!.dispatchEvent(new (window as any).Event("click", { bubbles: true }));
  await settle();
  window.dispatchEvent(new (window as any).Event("pagehide"));
  const left = figures().map(chosen);
  assert.notEqual(left[0], left[1]);
  // the same entry of the history, opened again
  page.body.replaceChildren();
  write({ one: stored(), two: stored() }, "one", "two");
  await mountWidgets(page, modules);
  assert.deepEqual(figures().map(chosen), left);
});

test("buffers return to their places as DataViews, nested ones too", () => {
  const state = restore({
    module: "x",
    state: { outer: [{}] },
    buffers: [{ path: ["outer", 0, "inner"], encoding: "base64", data: "AQID" }],
  });
  const view = (state as any).outer[0].inner as DataView;
  assert.ok(view instanceof DataView);
  assert.deepEqual([0, 1, 2].map((at) => view.getUint8(at)), [1, 2, 3]);
});

test("the model tells of changes once, not of values that stay, and no longer after off", () => {
  const heard: unknown[] = [];
  const source = new StoredModel({ a: 1 });
  const callback = (...args: unknown[]): void => void heard.push(args[1]);
  source.on("change:a change:b", callback);
  source.set("a", 1);
  source.set("a", 2);
  source.set("b", 3);
  source.off("change:a", callback);
  source.set("a", 4);
  assert.deepEqual(heard, [2, 3]);
  source.off();
  source.set("b", 5);
  assert.deepEqual(heard, [2, 3]);
});

test("what needs a kernel is refused in words, or does nothing", async () => {
  const source = new StoredModel({});
  source.send();
  source.save_changes();
  await assert.rejects(experimental.invoke("translate"), /translate needs Python, and there is no kernel/);
  await assert.rejects(source.widget_manager.get_model(), /cannot be reached/);
});

function writeChart(): HTMLElement {
  page.body.innerHTML =
    '<figure class="s2b-chart"><svg aria-label="It falls"></svg>' +
    '<script type="application/json" class="s2b-chart-spec">{"mark":"line"}</script></figure>';
  return page.querySelector("figure")!;
}

const touch = (figure: HTMLElement): boolean =>
  figure.dispatchEvent(new (window as unknown as { Event: typeof Event }).Event("pointerenter"));

test("a chart stays a picture until somebody reaches for it, then is drawn once", async () => {
  const figure = writeChart();
  const drawn: unknown[] = [];
  let loads = 0;
  prepareCharts(page, async () => {
    loads += 1;
    return {
      drawChart: async (element, spec) => {
        drawn.push(spec);
        element.innerHTML = "<svg></svg>";
      },
    };
  });
  assert.equal(loads, 0);
  touch(figure);
  touch(figure);
  await settle();
  assert.deepEqual(drawn, [{ mark: "line" }]);
  assert.equal(figure.dataset["live"], "true");
  assert.equal(figure.querySelectorAll("svg").length, 1);
  assert.equal(figure.querySelector("svg")!.getAttribute("aria-label"), "It falls");
});

test("a chart whose live view fails keeps its picture and says why", async () => {
  const figure = writeChart();
  prepareCharts(page, () => Promise.reject(new Error("no network.")));
  touch(figure);
  await settle();
  assert.equal(figure.dataset["live"], "failed");
  assert.equal(figure.querySelectorAll("svg").length, 1);
  assert.equal(figure.querySelector(".s2b-why")!.textContent, "This chart is a still picture here: no network.");
});
