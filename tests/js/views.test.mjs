import assert from "node:assert/strict";
import { test } from "node:test";
import { planOf, runsOf } from "../../templates/page/draw.js";
import { nameOf } from "../../templates/page/tree.js";
import { VIEWS, foldedRows, isFolded, ratioOf, sidesOf, startsOf, widthsOf } from "../../templates/page/views.js";
import { randomTree, treeOf } from "./trees.mjs";

const ONE = { num: 1, den: 1 };
const SEEDS = Array.from({ length: 40 }, (_, seed) => seed + 1);

function sceneOf(tree, widths, width) {
  return { tree, widths, starts: startsOf(tree, widths), rows: tree.depth, root: 0, width };
}

test("children are never wider than their parent, in every view and ratio", () => {
  for (const seed of SEEDS) {
    const tree = randomTree(seed);
    for (const ratio of [ONE, { num: 3, den: 7 }, ratioOf("total", tree, [1, 1])]) {
      for (const view of VIEWS.flatMap((one) => sidesOf(one, true))) {
        const widths = widthsOf(tree, view, ratio);
        const below = new Float64Array(tree.size);
        for (let i = 1; i < tree.size; i++) below[tree.parent[i]] += widths[i];
        for (let i = 0; i < tree.size; i++) assert.ok(below[i] <= widths[i] * (1 + 1e-12), `${view} ${seed} ${i}`);
      }
    }
  }
});

test("boxes of one row never overlap and stay inside their parent", () => {
  for (const seed of SEEDS.slice(0, 10)) {
    const tree = randomTree(seed);
    const widths = widthsOf(tree, "diff", ONE);
    const starts = startsOf(tree, widths);
    const right = new Map();
    for (let i = 1; i < tree.size; i++) {
      const above = tree.parent[i];
      assert.ok(starts[i] >= starts[above] && starts[i] + widths[i] <= starts[above] + widths[above]);
      assert.ok(starts[i] >= (right.get(tree.depth[i]) ?? 0));
      right.set(tree.depth[i], starts[i] + widths[i]);
    }
  }
});

test("total is refused when a side is empty, and exact otherwise", () => {
  assert.match(ratioOf("total", treeOf([["a", 0, 5]]), [1, 1]).refused, /empty/);
  assert.deepEqual(ratioOf("total", treeOf([["a", 3, 7]]), [1, 1]), { num: 7, den: 3 });
});

test("none compares per run", () => {
  assert.deepEqual(ratioOf("none", treeOf([["a", 3, 7]]), [2, 5]), { num: 5, den: 2 });
});

test("a tree of twenty thousand levels has widths and places", () => {
  const tree = treeOf([[Array.from({ length: 20000 }, (_, i) => `f${i % 9}`).join("/"), 3, 4]]);
  const widths = widthsOf(tree, "diff", ONE);
  assert.equal(widths[20000], 1);
  assert.equal(startsOf(tree, widths)[20000], 0);
  assert.equal(planOf(sceneOf(tree, widths, 4000)).deepest, 20000);
});

test("rows too narrow to draw do not count for the height", () => {
  const tree = treeOf([["a", 1000, 1000], ["b/c/d", 1, 1]]);
  assert.equal(planOf(sceneOf(tree, tree.after, 100)).deepest, 1);
  assert.equal(planOf(sceneOf(tree, tree.after, 1000)).deepest, 3);
  assert.equal(planOf(sceneOf(tree, tree.after, 1000)).legible, 1);
});

test("narrow boxes leave a sliver, and boxes below another root are found", () => {
  const tree = treeOf([["a/c", 900, 900], ["b/d", 1, 1]]);
  const { rows } = planOf(sceneOf(tree, tree.after, 100));
  assert.deepEqual(rows.map(({ nodes }) => nodes.map((node) => nameOf(tree, node))), [["all"], ["a"], ["c"]]);
  assert.deepEqual(rows.map(({ slivers }) => slivers), [[], [99], []]);
  const zoomed = planOf({ ...sceneOf(tree, tree.after, 100), root: 3, full: 1 });
  assert.deepEqual(zoomed.rows.map(({ nodes }) => nodes), [[0], [3], [4]]);
});

test("siblings are sorted by name, width or change, in the same order in every view", () => {
  const tree = treeOf([["m/a", 10, 10], ["m/b", 30, 40], ["m/c", 20, 90]]);
  const places = (order, view) => {
    const starts = startsOf(tree, widthsOf(tree, view, ONE), order, ONE);
    return ["a", "b", "c"].sort((one, two) => starts[tree.symbol.indexOf(tree.names.indexOf(one))] - starts[tree.symbol.indexOf(tree.names.indexOf(two))]).join("");
  };
  for (const view of ["after", "before", "diff"]) {
    assert.equal(places("name", view), "abc");
    assert.equal(places("width", view), "cba");
    assert.equal(places("delta", view), "cba");
  }
});

test("a straight chain takes one row, a mark or a second child ends it", () => {
  const tree = treeOf([["m/a/b/c", 500, 500], ["m/a/b/c/d", 1, 0], ["m/a/b/c/e", 1, 1]]);
  const rows = foldedRows(tree, new Map());
  assert.deepEqual([...rows], [0, 1, 1, 1, 1, 2, 2]);
  assert.deepEqual([...foldedRows(tree, new Map([[tree.names.indexOf("b"), {}]]))], [0, 1, 1, 2, 2, 3, 3]);
  assert.deepEqual(Array.from(rows, (_, node) => isFolded({ rows, tree }, node)), [false, false, true, true, true, false, false]);
});

test("by default only chains of more than eight frames are folded", () => {
  const chain = (frames) => treeOf([[`m/${Array.from({ length: frames }, (_, at) => `f${at}`).join("/")}`, 5, 5], ["n", 1, 1]]);
  const rowsOf = (frames) => Math.max(...foldedRows(chain(frames), new Map(), "long"));
  assert.equal(rowsOf(7), 8);
  assert.equal(rowsOf(8), 1);
});

test("adjacent pixels are one range", () => {
  assert.deepEqual(runsOf([1, 2, 3, 7, 9, 10]), [[1, 4], [7, 8], [9, 11]]);
  assert.deepEqual(runsOf([]), []);
});
