// The line costs of a function, in the page's measure: self or total.
import { testsRepeats } from "./context.js";
import { rowsOfSymbol } from "./tree.js";
import { scaled } from "./views.js";

// Returns rows with the lines and costs of both sides and their change, or null if the page has no lines of the symbol.
// A line number of 0 means that the line does not exist on that side.
export function linesOf(page, symbol) {
  const entry = page.tree.lineCosts?.get(symbol);
  if (!entry) return null;
  const measure = page.state.basis === "self" ? 0 : 1;
  const rows = entry.rows.map(([first, second, ...values]) => ({
    numbers: [first, second],
    costs: [values[measure] / page.header.g, values[2 + measure] / page.header.g],
    passed: values.length > 4 ? Boolean(values[4] & (measure + 1)) : null,
  }));
  const known = [0, 1].map(
    (side) => new Map(rows.filter((row) => row.numbers[side]).map((row) => [row.numbers[side], row])),
  );
  const isColoured = rowsOfSymbol(page.tree, symbol).some((row) => page.scale.level[row]);
  return { rows, known, omitted: entry.omitted ?? 0, isColoured };
}

// Returns the costs and the change of a displayed row. On a side without the line, the number is null. A line has a
// colour only if its function has one. If the repeated runs were tested, its change must be significant, too; a line that
// replaces another line is tested on its own.
export function costsAt(page, lines, before, after) {
  const rows = [before, after].map((number, side) => lines.known[side].get(number));
  const costs = rows.map((row, side) => row?.costs[side] ?? 0);
  const tested = testsRepeats(page) && rows.some((row) => row && row.passed !== null);
  const passed = tested ? rows.some((row) => row?.passed) : null;
  return {
    costs,
    change: costs[1] - scaled(costs[0], page.ratio),
    level: lines.isColoured ? page.levelOf(...costs, passed) : 0,
  };
}
