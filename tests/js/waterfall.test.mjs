import assert from "node:assert/strict";
import { test } from "node:test";
import { carriersOf } from "../../templates/page/colour.js";
import { partsOfChange } from "../../templates/page/waterfall.js";
import { randomTree, treeOf } from "./trees.mjs";

const ONE = { num: 1, den: 1 };

function named(tree, { shown, rest }) {
  return [...shown.map(({ symbol, delta }) => [tree.names[symbol], delta]), ["rest", rest]];
}

function partsOf(lines, ...findings) {
  const tree = treeOf(lines);
  const level = new Int8Array(tree.size);
  return named(tree, partsOfChange(tree, ONE, level, findings.map((name) => ({ symbol: tree.names.indexOf(name) }))));
}

test("the parts and the rest add up to the change of the total", () => {
  for (let seed = 1; seed <= 40; seed++) {
    const tree = randomTree(seed);
    for (const ratio of [ONE, { num: 3, den: 7 }]) {
      const level = Int8Array.from({ length: tree.size }, (_, i) => (i % 3) - 1);
      const { shown, rest, total } = partsOfChange(tree, ratio, level, [{ symbol: 2 }, { symbol: 0 }]);
      const expected = tree.after[0] - (tree.before[0] * ratio.num) / ratio.den;
      assert.ok(Math.abs(total - expected) < 1e-6);
      assert.ok(Math.abs(shown.reduce((sum, { delta }) => sum + delta, rest) - expected) < 1e-6);
    }
  }
});

test("a finding inside another one counts once, for the first", () => {
  const lines = [["main/outer", 10, 15], ["main/outer/inner", 20, 80], ["main/inner", 1, 6]];
  assert.deepEqual(partsOf(lines, "outer", "inner"), [["outer", 65], ["inner", 5], ["rest", 0]]);
  assert.deepEqual(partsOf(lines, "inner", "outer"), [["inner", 65], ["outer", 5], ["rest", 0]]);
});

test("cost that moved between parts counts for neither", () => {
  const lines = [["main/slow", 0, 30], ["main/slow/write", 0, 50], ["main/write", 50, 0], ["main/other", 20, 19]];
  assert.deepEqual(partsOf(lines, "slow"), [["slow", 30], ["rest", -1]]);
});

test("callers that grew with a finding only carry its cost", () => {
  const tree = treeOf([["main/up/slow", 10, 90], ["main/down", 50, 10], ["main/flat/slow", 1, 2]]);
  const level = Int8Array.from(tree.symbol, (symbol) => ({ main: 5, up: 9, slow: 9, down: -9 })[tree.names[symbol]] ?? 0);
  const carries = carriersOf(tree, level, new Map([[tree.names.indexOf("slow"), {}]]));
  assert.deepEqual(Array.from(carries, (mark, i) => mark && (tree.names[tree.symbol[i]] ?? "all")).filter(Boolean), ["main", "up"]);
});
