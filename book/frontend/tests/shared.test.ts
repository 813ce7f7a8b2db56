import assert from "node:assert/strict";
import { test } from "node:test";
import { layout } from "../src/shared/geometry.ts";
import { move } from "../src/shared/gridkeys.ts";
import { decodeMaps, StateError } from "../src/shared/state.ts";
import { label, shown, textWidth } from "../src/shared/tokens.ts";
import { format, level } from "../src/shared/weights.ts";
import { describe } from "../src/shared/words.ts";
import { bytes, fixture } from "./page.ts";

const decoded = () => decodeMaps(fixture.maps, bytes(fixture.weights));

test("the cell that Python planted is found where Python says it is", () => {
  const { layer, head, query, key, text } = fixture.planted;
  const map = decoded()[0]!;
  assert.equal(format(map.weight(layer, head, query, key)), text);
  assert.equal(map.queryTokens[query], "dort");
  assert.equal(map.keyTokens[key], "sleeps");
  assert.notEqual(format(map.weight(0, 0, query, key)), text);
});

test("a second map begins after the first, and a row of zeros stays zeros", () => {
  const map = decoded()[1]!;
  assert.deepEqual(map.row(0, 0, 0), [0.25, 0.75]);
  assert.deepEqual(map.row(0, 0, 1), [0, 0]);
});

test("tokens get the same labels and widths as in Python's static picture", () => {
  for (const { token, shown: visible, label: short, width } of fixture.tokens) {
    assert.equal(shown(token), visible);
    assert.equal(label(token), short);
    assert.ok(Math.abs(textWidth(token) - width) < 1e-5, `${JSON.stringify(token)}: ${textWidth(token)}`);
  }
});

test("the live picture is laid out as the static one, so nothing jumps", () => {
  for (const [index, map] of decoded().entries()) {
    assert.deepEqual(layout(map.queryTokens, map.keyTokens), fixture.layouts[index]);
  }
  const tokens = fixture.tokens.map(({ token }: { token: string }) => token);
  assert.deepEqual(layout(tokens, [...tokens].reverse()), fixture.odd_layout);
});

test("a weight is painted on the level, and printed with the digits, that Python gives it", () => {
  for (const { weight, level: expected, text } of fixture.levels) {
    assert.equal(level(weight), expected, String(weight));
    assert.equal(format(weight), text);
  }
});

test("the alternative text is Python's, word for word", () => {
  const [planted, small] = decoded();
  assert.equal(describe(planted!, 1, 0), fixture.descriptions[0]);
  assert.equal(describe(small!, 0, 0), fixture.descriptions[1]);
});

const damaged: [string, (maps: any[]) => unknown, RegExp][] = [
  ["no maps", () => undefined, /list of maps is missing/],
  ["an empty list", () => [], /no attention map/],
  ["a null", () => [null], /map 1 is not a record/],
  ["three sizes", ([map]) => [{ ...map, shape: [1, 2, 3] }], /four sizes/],
  ["a query token too few", ([map]) => [{ ...map, query_tokens: map.query_tokens.slice(1) }], /12 x 7 cells, but 11 query/],
  ["numbers for tokens", ([map]) => [{ ...map, key_tokens: [1, 2] }], /key tokens are not a list of texts/],
  ["an offset behind the end", ([map]) => [{ ...map, offset: 999 }], /only 342 are stored/],
  ["a link outside the map", ([map]) => [{ ...map, sure: [[12, 0]] }], /sure links hold a cell outside/],
];

for (const [what, damage, message] of damaged) {
  test(`a state with ${what} is refused with the reason`, () => {
    assert.throws(
      () => decodeMaps(damage(structuredClone(fixture.maps)), bytes(fixture.weights)),
      (error) => error instanceof StateError && message.test(error.message),
    );
  });
}

test("missing, short and impossible weights are refused with the reason", () => {
  assert.throws(() => decodeMaps(fixture.maps, undefined), /weights are missing/);
  assert.throws(() => decodeMaps(fixture.maps, new DataView(new ArrayBuffer(8))), /only 2 are stored/);
  const spoilt = bytes(fixture.weights);
  spoilt.setFloat32(40, Number.NaN, true);
  assert.throws(() => decodeMaps(fixture.maps, spoilt), /holds the weight NaN/);
});

test("keys move the cursor one cell, stop at the edges, and leave other keys alone", () => {
  const at = { row: 1, column: 1 };
  assert.deepEqual(move(at, "ArrowUp", 3, 4), { row: 0, column: 1 });
  assert.deepEqual(move(at, "ArrowDown", 3, 4), { row: 2, column: 1 });
  assert.deepEqual(move({ row: 2, column: 3 }, "ArrowDown", 3, 4), { row: 2, column: 3 });
  assert.deepEqual(move({ row: 2, column: 3 }, "ArrowRight", 3, 4), { row: 2, column: 3 });
  assert.deepEqual(move(at, "End", 3, 4), { row: 1, column: 3 });
  assert.deepEqual(move(at, "Home", 3, 4, true), { row: 0, column: 0 });
  assert.equal(move(at, "Tab", 3, 4), null);
});
