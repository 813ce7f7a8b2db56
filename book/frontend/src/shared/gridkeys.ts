/** Moving a cursor over a grid by keyboard, as the ARIA grid pattern describes it. */

export interface Position {
  row: number;
  column: number;
}

/** Where a key leads from a cell, or null when the key is not one of the grid's. */
export function move(
  from: Position,
  key: string,
  rows: number,
  columns: number,
  control = false,
): Position | null {
  const last = { row: rows - 1, column: columns - 1 };
  switch (key) {
    case "ArrowUp":
      return { ...from, row: Math.max(0, from.row - 1) };
    case "ArrowDown":
      return { ...from, row: Math.min(last.row, from.row + 1) };
    case "ArrowLeft":
      return { ...from, column: Math.max(0, from.column - 1) };
    case "ArrowRight":
      return { ...from, column: Math.min(last.column, from.column + 1) };
    case "Home":
      return control ? { row: 0, column: 0 } : { ...from, column: 0 };
    case "End":
      return control ? last : { ...from, column: last.column };
    case "PageUp":
      return { ...from, row: 0 };
    case "PageDown":
      return { ...from, row: last.row };
    default:
      return null;
  }
}
