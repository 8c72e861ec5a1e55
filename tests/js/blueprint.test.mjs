import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import {
  FIRST_BOXES,
  MOST_BOXES,
  childrenOf,
  figuresOf,
  firstShown,
  hasHidden,
  heightOf,
  hideBelow,
  hotPath,
  movedContexts,
  showAll,
  showChildren,
  widthOf,
} from "../../templates/page/blueprint.js";
import { nameOf } from "../../templates/page/tree.js";
import { randomTree, treeOf } from "./trees.mjs";

const RULES = { min_shift: 0.005, severe_shift: 0.05, sigma: 3 };
const PLAIN = { ratio: { num: 1, den: 1 }, runs: [1, 1], higher: false, sample: null, rules: RULES };

function withSources(tree, sources) {
  return { ...tree, sources: tree.names.map((name) => sources[name] ?? "unknown") };
}

function states(tree, figures) {
  const found = {};
  for (let i = 1; i < tree.size; i++) {
    found[nameOf(tree, i)] = figures.state[i];
  }
  return found;
}

test("a state for each change of a call path", () => {
  const tree = treeOf([
    ["main/slow", 100, 200],
    ["main/fast", 200, 100],
    ["main/fresh", 0, 50],
    ["main/gone", 50, 0],
    ["main/even", 1000, 1000],
  ]);
  assert.deepEqual(states(tree, figuresOf(tree, PLAIN)), {
    main: "unchanged",
    slow: "slower",
    fast: "faster",
    fresh: "added",
    gone: "removed",
    even: "unchanged",
  });
});

test("a share that rises while the cost does not is unchanged", () => {
  const tree = treeOf([["main/steady", 100, 100], ["main/other", 900, 100]]);
  const figures = figuresOf(tree, PLAIN);
  const found = states(tree, figures);
  assert.equal(found.steady, "unchanged");
  assert.equal(found.other, "faster");
});

test("samples must also be beyond three standard errors", () => {
  const rare = treeOf([["main/a", 10, 16], ["main/b", 90, 84]]);
  assert.equal(states(rare, figuresOf(rare, { ...PLAIN, sample: 1 })).a, "unchanged");
  const many = treeOf([["main/a", 1000, 1600], ["main/b", 9000, 8400]]);
  assert.equal(states(many, figuresOf(many, { ...PLAIN, sample: 1 })).a, "slower");
  assert.equal(states(rare, figuresOf(rare, PLAIN)).a, "slower");
});

test("higher is better swaps slower and faster", () => {
  const tree = treeOf([["main/a", 100, 300], ["main/b", 300, 100]]);
  const found = states(tree, figuresOf(tree, { ...PLAIN, higher: true }));
  assert.deepEqual([found.a, found.b], ["faster", "slower"]);
});

test("heights and widths follow the stated formulas and their limits", () => {
  assert.deepEqual([0, 0.01, -0.05, 0.9].map(heightOf), [6, 10, 26, 96]);
  assert.deepEqual([0, 9, -999, 1e12].map(widthOf), [10, 34, 82, 160]);
});

test("widths come from calls for each run, else samples, else steps of the whole", () => {
  const tree = treeOf([["main/a", 100, 300]]);
  const counted = { ...tree, callsBefore: Float64Array.of(0, 2, 20), callsAfter: Float64Array.of(0, 4, 90) };
  assert.deepEqual([...figuresOf(counted, { ...PLAIN, runs: [2, 3] }).count].map(Math.round), [0, 0, 20]);
  assert.equal(figuresOf(tree, { ...PLAIN, sample: 10 }).count[2], 20);
  assert.equal(Math.round(figuresOf(tree, PLAIN).count[2]), Math.round((200 / 300) * 1e4));
});

test("a moved context is paired with its other place", () => {
  const tree = treeOf([
    ["main/old/helper", 100, 0],
    ["main/old/far", 100, 0],
    ["main/new/helper", 0, 95],
    ["main/new/far", 0, 300],
  ]);
  const partner = movedContexts(tree, figuresOf(tree, PLAIN), [1, 1]);
  const names = [...partner.keys()].map((node) => nameOf(tree, node));
  assert.deepEqual(names.sort(), ["helper", "helper"]);
  for (const [node, other] of partner) assert.equal(partner.get(other), node);
});

test("the first boxes are the root and whole paths up to a limit", () => {
  for (let seed = 1; seed <= 20; seed++) {
    const tree = randomTree(seed, 400);
    const shown = firstShown(tree, figuresOf(tree, PLAIN));
    assert.ok(shown.has(0) && shown.size <= FIRST_BOXES);
    for (const node of shown) assert.ok(node === 0 || shown.has(tree.parent[node]));
  }
  const deep = treeOf(Array.from({ length: 30 }, (_, i) => [`${"x/".repeat(100)}${i}`, 10, 10 + (i % 2) * 500]));
  assert.ok(firstShown(deep, figuresOf(deep, PLAIN)).size <= FIRST_BOXES);
});

test("a finding is among the first boxes however small it is", () => {
  const tree = treeOf([["main/big", 1000, 2000], ["main/a/tiny", 1, 2]]);
  const node = [...Array(tree.size).keys()].find((i) => nameOf(tree, i) === "tiny");
  const figures = figuresOf(tree, PLAIN);
  assert.ok(!firstShown(tree, figures).has(node));
  assert.ok(firstShown(tree, figures, new Set([node])).has(node));
});

test("the hot path follows the same sign while a child has half of the change", () => {
  const tree = treeOf([
    ["main/a/b/c", 100, 400],
    ["main/a/b/d", 100, 340],
    ["main/a/x", 300, 100],
    ["main/y", 10, 30],
  ]);
  const figures = figuresOf(tree, PLAIN);
  assert.deepEqual(hotPath(tree, figures, 0).map((node) => nameOf(tree, node)), ["main", "a", "b", "c"]);
  const x = [...Array(tree.size).keys()].find((i) => nameOf(tree, i) === "x");
  assert.deepEqual(hotPath(tree, figures, x), []);
});

test("subnodes are shown, all of them, and hidden again", () => {
  const tree = treeOf([["main/a/b", 1, 5], ["main/a/c", 1, 2], ["main/d", 4, 4]]);
  const figures = figuresOf(tree, PLAIN);
  const shown = new Set([0]);
  assert.equal(hasHidden(tree, shown, 0), true);
  assert.equal(showChildren(tree, figures, shown, 0), 0);
  assert.deepEqual([...shown].map((node) => nameOf(tree, node)), ["all", "main"]);
  assert.equal(showAll(tree, figures, shown, 0), 0);
  assert.equal(shown.size, tree.size);
  assert.equal(hasHidden(tree, shown, 0), false);
  hideBelow(tree, shown, 1);
  assert.deepEqual([...shown], [0, 1]);
  assert.deepEqual(childrenOf(tree, figures, 1).map((node) => nameOf(tree, node)), ["a", "d"]);
});

const GOLDEN = JSON.parse(readFileSync(new URL("../data/contexts/states.json", import.meta.url), "utf8"));

for (const { name, better, runs, totals, samples, contexts } of GOLDEN.cases) {
  test(`as the strategy call_context: ${name}`, () => {
    for (const context of contexts) {
      const plain = treeOf([["f", context.before, context.after], ["rest", totals[0] - context.before, totals[1] - context.after]]);
      const tree = withSources(plain, { f: context.source });
      const sample = samples ? totals[0] / samples[0] : null;
      const figures = figuresOf(tree, { ...PLAIN, ratio: { num: runs[1], den: runs[0] }, runs, higher: better === "higher", sample, rules: GOLDEN.rule });
      const node = tree.symbol.indexOf(tree.names.indexOf("f"));
      assert.equal(figures.state[node], context.state, JSON.stringify(context));
      assert.ok(Math.abs(figures.shift[node] - context.shift) < 1e-12);
      assert.ok(Math.abs(figures.bar[node] - context.threshold) < 1e-7);
    }
  });
}
