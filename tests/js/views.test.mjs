import assert from "node:assert/strict";
import { test } from "node:test";
import { planOf } from "../../templates/page/draw.js";
import { nameOf } from "../../templates/page/tree.js";
import { VIEWS, ratioOf, sidesOf, startsOf, widthsOf } from "../../templates/page/views.js";
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

test("a tree of twenty thousand levels has widths and places", () => {
  const tree = treeOf([[Array.from({ length: 20000 }, (_, i) => `f${i % 9}`).join("/"), 3, 4]]);
  const widths = widthsOf(tree, "diff", ONE);
  assert.equal(widths[20000], 1);
  assert.equal(startsOf(tree, widths)[20000], 0);
  assert.equal(planOf(sceneOf(tree, widths, 4000)).deepest, 20000);
});

test("narrow boxes leave a sliver, and boxes below another root are found", () => {
  const tree = treeOf([["a/c", 900, 900], ["b/d", 1, 1]]);
  const { rows } = planOf(sceneOf(tree, tree.after, 100));
  assert.deepEqual(rows.map(({ nodes }) => nodes.map((node) => nameOf(tree, node))), [["all"], ["a"], ["c"]]);
  assert.deepEqual(rows.map(({ slivers }) => slivers), [[], [99], []]);
  const zoomed = planOf({ ...sceneOf(tree, tree.after, 100), root: 3, full: 1 });
  assert.deepEqual(zoomed.rows.map(({ nodes }) => nodes), [[0], [3], [4]]);
});
