import assert from "node:assert/strict";
import { test } from "node:test";
import { calleesOf, callersOf, reversedTree } from "../../templates/page/merge.js";
import { ancestorsOf, nameOf } from "../../templates/page/tree.js";
import { randomTree, treeOf } from "./trees.mjs";

// The rows of a tree as `a/b/c before after`, self values for `own`.
function paths(tree, own = false) {
  const [before, after] = own ? [tree.beforeSelf, tree.afterSelf] : [tree.before, tree.after];
  return Array.from({ length: tree.size }, (_, row) => `${ancestorsOf(tree, row).map((above) => nameOf(tree, above)).join("/")} ${before[row]} ${after[row]}`);
}

test("callers and callees of a symbol count a recursive stack once", () => {
  const tree = treeOf([["m/f/g/f/h", 10, 20], ["m/f", 1, 1], ["n/f/h", 4, 4], ["m/x", 9, 9]]);
  const f = tree.names.indexOf("f");
  assert.deepEqual(paths(callersOf(tree, f)), ["f 15 25", "f/m 11 21", "f/n 4 4"]);
  assert.deepEqual(paths(calleesOf(tree, f)), ["f 15 25", "f/g 10 20", "f/g/f 10 20", "f/g/f/h 10 20", "f/h 4 4"]);
});

test("merged trees keep both totals and nest", () => {
  for (const seed of [1, 2, 3, 4]) {
    const tree = randomTree(seed, 120);
    for (const merged of [reversedTree(tree), calleesOf(tree, 0), callersOf(tree, 0)]) {
      assert.ok(merged.beforeSelf.every((value) => value >= 0) && merged.afterSelf.every((value) => value >= 0));
      assert.deepEqual(merged.totals, [tree.before[0], tree.after[0]]);
      for (let row = 0; row < merged.size; row++) assert.ok(merged.end[row] > row && merged.end[row] <= merged.size);
    }
    assert.deepEqual([reversedTree(tree).before[0], reversedTree(tree).after[0]], [tree.before[0], tree.after[0]]);
    assert.equal(calleesOf(tree, 0).before[0], callersOf(tree, 0).before[0]);
  }
});

test("callers too small for any screen become one row", () => {
  const lines = Array.from({ length: 61000 }, (_, i) => [`root/caller${i % 40000}/x${i % 3}/leaf`, 1, 1]);
  const tree = reversedTree(treeOf(lines));
  assert.ok(tree.size < 100);
  const others = Array.from(tree.symbol, (symbol, row) => (symbol === -1 ? row : -1)).filter((row) => row >= 0);
  assert.ok(others.length > 0 && others.every((row) => tree.hidden[row] > 0));
  assert.deepEqual([tree.before[0], tree.after[0]], [61000, 61000]);
});

test("a stack of ten thousand frames is merged without recursion", () => {
  const deep = treeOf([[Array.from({ length: 10000 }, (_, i) => (i % 2 ? "odd" : "even")).join("/"), 3, 4]]);
  assert.equal(reversedTree(deep).size, 10001);
  assert.equal(callersOf(deep, deep.names.indexOf("odd")).size, 2);
  assert.equal(calleesOf(deep, deep.names.indexOf("odd")).size, 9999);
});
