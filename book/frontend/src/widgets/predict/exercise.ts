/** The state of the exercise: what is marked and what is revealed, example by example. */

import { cellName } from "../../shared/alignment.ts";
import type { Model } from "../../shared/anywidget.ts";
import { cells, decodeMaps, StateError, type AttentionMap, type Cell } from "../../shared/state.ts";

export interface Exercise {
  /** The example that is shown. */
  map: number;
  /** The cells that are marked, for each example. */
  marks: readonly (readonly Cell[])[];
  /** Whether the answer is shown, for each example. */
  revealed: readonly boolean[];
}

/** The examples. Throws a StateError for what cannot be predicted or scored. */
export function readMaps(model: Model): AttentionMap[] {
  const maps = decodeMaps(model.get("maps"), model.get("weights"));
  for (const [index, map] of maps.entries()) {
    if (map.layers * map.heads !== 1) throw new StateError(`map ${index + 1} has more than one head`);
    if (map.sure.length === 0) throw new StateError(`map ${index + 1} has no sure gold links`);
  }
  return maps;
}

/** What the reader has done so far. Throws a StateError that says what is wrong with it. */
export function readExercise(model: Model, maps: readonly AttentionMap[]): Exercise {
  const chosen = model.get("map");
  const map = typeof chosen === "number" && Number.isInteger(chosen) ? chosen : 0;
  const known = maps.map((_, index) => String(index));

  const marks = model.get("marks") ?? {};
  if (typeof marks !== "object" || Array.isArray(marks)) throw new StateError("the marks are not a record");
  const lists = marks as Record<string, unknown>;
  for (const index of Object.keys(lists)) {
    if (!known.includes(index)) throw new StateError(`there are marks for example ${index}, which does not exist`);
  }

  const revealed = model.get("revealed") ?? [];
  if (!Array.isArray(revealed) || !revealed.every((index) => known.includes(String(index)))) {
    throw new StateError("the list of revealed examples is damaged");
  }
  return {
    map: Math.min(Math.max(map, 0), maps.length - 1),
    marks: maps.map(({ queryTokens, keyTokens }, index) =>
      cells(lists[index], queryTokens.length, keyTokens.length, `the marks of example ${index + 1}`),
    ),
    revealed: known.map((index) => revealed.map(String).includes(index)),
  };
}

/** The traits of an exercise, as Python holds them: examples without marks are left out. */
export function traits({ map, marks, revealed }: Exercise): Record<string, unknown> {
  return {
    map,
    marks: Object.fromEntries(marks.flatMap((list, index) => (list.length > 0 ? [[index, list]] : []))),
    revealed: revealed.flatMap((on, index) => (on ? [index] : [])),
  };
}

/** The exercise after a mark was set or taken away; a row may have several. */
export function toggled(exercise: Exercise, query: number, key: number): Exercise {
  const marks = exercise.marks[exercise.map] ?? [];
  const name = cellName(query, key);
  const others = marks.filter((cell) => cellName(...cell) !== name);
  const now: Cell[] = others.length < marks.length ? others : [...marks, [query, key]];
  now.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  return { ...exercise, marks: replaced(exercise.marks, exercise.map, now) };
}

/** The exercise with the answer of its example shown. */
export function revealing(exercise: Exercise): Exercise {
  return { ...exercise, revealed: replaced(exercise.revealed, exercise.map, true) };
}

/** The exercise with its example as it was in the beginning. */
export function startedOver(exercise: Exercise): Exercise {
  return {
    ...exercise,
    marks: replaced(exercise.marks, exercise.map, []),
    revealed: replaced(exercise.revealed, exercise.map, false),
  };
}

function replaced<T>(list: readonly T[], index: number, by: T): T[] {
  return list.map((item, at) => (at === index ? by : item));
}
