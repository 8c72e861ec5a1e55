import assert from "node:assert/strict";
import { test } from "node:test";
import { symbolRows, whatChanged } from "../../templates/page/symbols.js";
import { treeOf } from "./trees.mjs";

const ONE = { num: 1, den: 1 };
const STACKS = [
  "main", "main/f", "main/f/j", "main/f/j/x", "main/f/j/y", "main/f/j/z", "main/f/k", "main/f/k/x", "main/f/l", "main/f/l/x",
  "main/g/j", "main/g/j/x", "main/g/j/y", "main/g/j/z", "main/g/k", "main/g/k/x", "main/g/k/y", "main/g/k/z",
];

function example(change) {
  return treeOf(STACKS.map((stack) => [stack, 5, change(stack) ?? 5]));
}

const endsInX = (stack, value) => (stack.endsWith("/x") ? value : undefined);
const SECOND = (stack) => (stack === "main/f/k" ? 10 : undefined);
const THIRD = (stack) => endsInX(stack, 6);
const FOURTH = (stack) => (/^main\/f\/j(\/[xyz])?$/.test(stack) ? 6 : undefined);
const FIFTH = (stack) => endsInX(stack, 4) ?? (/^main\/[fg]\/k$/.test(stack) ? 15 : undefined);

const GOLDEN = [
  ["one stack doubled", SECOND, `
    k 30 35 5 100.00 300.00; f 45 50 5 100.00 200.00; main 90 95 5 100.00 100.00; j 40 40 0 0.00 0.00; x 25 25 0 0.00 0.00;
    y 15 15 0 0.00 0.00; z 15 15 0 0.00 0.00; l 10 10 0 0.00 0.00; g 40 40 0 0.00 0.00`],
  ["one leaf grew everywhere", THIRD, `
    x 25 30 5 100.00 360.00; l 10 11 1 20.00 180.00; f 45 48 3 60.00 120.00; k 30 32 2 40.00 120.00; main 90 95 5 100.00 100.00;
    j 40 42 2 40.00 90.00; g 40 42 2 40.00 90.00; y 15 15 0 0.00 0.00; z 15 15 0 0.00 0.00`],
  ["one subtree grew", FOURTH, `
    j 40 44 4 100.00 225.00; f 45 49 4 100.00 200.00; y 15 16 1 25.00 150.00; z 15 16 1 25.00 150.00; main 90 94 4 100.00 100.00;
    x 25 26 1 25.00 90.00; k 30 30 0 0.00 0.00; l 10 10 0 0.00 0.00; g 40 40 0 0.00 0.00`],
  ["growth and shrinking", FIFTH, `
    k 30 48 18 120.00 360.00; g 40 48 8 53.33 120.00; main 90 105 15 100.00 100.00; f 45 52 7 46.67 93.33; y 15 15 0 0.00 0.00;
    z 15 15 0 0.00 0.00; j 40 38 -2 -13.33 -30.00; l 10 9 -1 -6.67 -60.00; x 25 20 -5 -33.33 -120.00`],
];

for (const [title, change, expected] of GOLDEN) {
  test(`overweight: ${title}`, () => {
    const { rows } = symbolRows(example(change), ONE);
    const shown = rows.map((row) =>
      [row.name, row.before, row.after, row.delta, ...[row.responsibility, row.overweight].map((part) => (part * 100 + 0).toFixed(2).replace(/^-0\.00$/, "0.00"))].join(" "),
    );
    assert.deepEqual(new Set(shown), new Set(expected.trim().split(/;\s*/)));
  });
}

test("a symbol of one side only is listed but not rated", () => {
  const { rows } = symbolRows(treeOf([["a", 10, 10], ["a/new", 0, 5], ["a/gone", 3, 0]]), ONE);
  const of = (name) => rows.find((row) => row.name === name);
  assert.deepEqual([of("new").state, of("new").overweight, of("new").relative], ["new", null, null]);
  assert.deepEqual([of("gone").state, of("gone").overweight, of("gone").responsibility], ["gone", null, -1.5]);
});

test("what changed: the smallest subtrees, at most ten", () => {
  const tree = treeOf([["m/load/parse", 100, 900], ["m/load/read", 100, 110], ["m/gone", 90, 0], ["m/quiet/up", 100, 300], ["m/quiet/down", 300, 100]]);
  const level = Int8Array.from({ length: tree.size }, (_, row) => Math.sign(tree.after[row] - tree.before[row]));
  const list = whatChanged(tree, ONE, level);
  assert.deepEqual(list.map(({ node, delta }) => [tree.names[tree.symbol[node]], delta]), [["parse", 800], ["down", -200], ["up", 200], ["gone", -90], ["read", 10]]);
  assert.equal(list[0].delta, 800);
  const many = treeOf(Array.from({ length: 30 }, (_, i) => [`m/f${i}`, 10, 20 + i]));
  assert.equal(whatChanged(many, ONE, new Int8Array(many.size).fill(1)).length, 10);
});
