import assert from "node:assert/strict";
import { test } from "node:test";
import { shadesOf } from "../../templates/page/colour.js";
import { withoutMoved } from "../../templates/page/moved.js";
import { calleesOf, callersOf, reversedTree } from "../../templates/page/merge.js";
import { treeOf } from "./trees.mjs";

const OPTIONS = { ratio: { num: 1, den: 1 }, normalisation: "none", basis: "inclusive", mode: "contribution", gate: 0.001, sample: 1 };

// Returns the coloured and the moved call paths of a tree, or of a tree that is merged from it.
function shaded(lines, options = {}, merged = (tree) => tree) {
  const whole = treeOf(lines);
  const tree = merged(whole);
  const chosen = { ...OPTIONS, ...options };
  const { level, moved } = withoutMoved(tree, shadesOf(tree, chosen), chosen, whole);
  const path = (node) => (node ? [...path(tree.parent[node]), tree.names[tree.symbol[node]]] : []);
  const paths = (marks) => [...(marks ?? []).keys()].filter((node) => marks[node] && node).map((node) => path(node).join("/"));
  return { coloured: paths(level), moved: paths(moved) };
}

test("a function with another caller and the same cost is neutral", () => {
  const found = shaded([["a", 900, 900], ["a/f", 500, 0], ["b", 900, 900], ["b/f", 0, 510]]);
  assert.deepEqual(found, { coloured: ["a", "b"], moved: ["a/f", "b/f"] });
});

test("a function with another caller and a higher cost is coloured", () => {
  const found = shaded([["a", 900, 900], ["a/f", 500, 0], ["b", 900, 900], ["b/f", 0, 900]]);
  assert.deepEqual([found.coloured.filter((path) => path.endsWith("f")), found.moved], [["a/f", "b/f"], []]);
});

test("a new caller has the colour of the cost that did not move", () => {
  const small = shaded([["a", 900, 900], ["a/f", 500, 0], ["a/wrap", 0, 1], ["a/wrap/f", 0, 500]]);
  assert.deepEqual(small, { coloured: [], moved: ["a/f", "a/wrap", "a/wrap/f"] });
  const large = shaded([["a", 900, 900], ["a/f", 500, 0], ["a/wrap", 0, 300], ["a/wrap/f", 0, 500]]);
  assert.deepEqual([large.coloured, large.moved], [["a", "a/wrap"], ["a/f", "a/wrap/f"]]);
});

const MOVED = [["a", 900, 900], ["a/f", 500, 0], ["a/f/g", 300, 0], ["b", 900, 900], ["b/f", 0, 510], ["b/f/g", 0, 310]];

test("reversed stacks and callers of a moved function are neutral", () => {
  assert.deepEqual(shaded(MOVED, {}, reversedTree).coloured, []);
  const callers = shaded(MOVED, {}, (tree) => callersOf(tree, tree.names.indexOf("f")));
  assert.deepEqual([callers.coloured, callers.moved], [[], ["a", "b"]]);
});

test("a moved function is neutral among the callees of its callers", () => {
  const callees = shaded(MOVED, {}, (tree) => calleesOf(tree, tree.names.indexOf("a")));
  assert.deepEqual([callees.coloured, callees.moved], [[], ["f", "f/g"]]);
});
