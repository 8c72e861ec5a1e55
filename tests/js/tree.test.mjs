import assert from "node:assert/strict";
import { test } from "node:test";
import { OTHER, ROOT } from "../../templates/page/codec.js";
import { once, rowsOfSymbol, widestOf } from "../../templates/page/tree.js";
import { randomTree, treeOf } from "./trees.mjs";

test("a stored value that is used stays, and an unused one is computed again", () => {
  const owner = {};
  let computed = 0;
  const read = (key) => once(owner, key, () => ++computed);
  const first = read("used");
  read("unused");
  for (let i = 0; i < 100; i++) {
    read(`other ${i}`);
    assert.equal(read("used"), first);
  }
  const before = computed;
  read("unused");
  assert.equal(computed, before + 1);
});

test("rows of a symbol are complete and in order", () => {
  const tree = randomTree(5, 200);
  for (let symbol = ROOT; symbol < tree.names.length; symbol++) {
    const rows = Array.from(tree.symbol, (other, row) => (other === symbol ? row : -1)).filter((row) => row >= 0);
    assert.deepEqual([...rowsOfSymbol(tree, symbol)], rows);
  }
  assert.deepEqual([...rowsOfSymbol(tree, OTHER)], []);
});

test("the widest row of a symbol is the first of the largest rows", () => {
  const tree = treeOf([["a/x", 3, 1], ["b/x", 5, 2], ["c/x", 1, 5]]);
  const row = widestOf(tree, tree.names.indexOf("x"));
  assert.equal(tree.names[tree.symbol[tree.parent[row]]], "b");
  assert.equal(widestOf(tree, OTHER), -1);
});
