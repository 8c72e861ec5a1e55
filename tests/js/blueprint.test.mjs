import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { FIRST_BOXES, figuresOf, firstShown, heightOf, movedContexts, widthOf } from "../../templates/page/blueprint.js";
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
