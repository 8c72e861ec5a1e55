import assert from "node:assert/strict";
import { test } from "node:test";
import { MERGED } from "../../templates/page/colour.js";
import { EDITS, editedTree, isRecursive } from "../../templates/page/edits.js";
import { ancestorsOf, nameOf } from "../../templates/page/tree.js";
import { randomTree, seeded, treeOf } from "./trees.mjs";

const KINDS = Object.keys(EDITS);

function stacksOf(tree) {
  const stacks = new Map();
  for (let i = 0; i < tree.size; i++) {
    const key = ancestorsOf(tree, i).slice(1).map((row) => nameOf(tree, row)).join("/");
    if (tree.beforeSelf[i] || tree.afterSelf[i]) stacks.set(key, [tree.beforeSelf[i], tree.afterSelf[i]]);
  }
  return stacks;
}

// The same edits on stacks as text, one stack after the other.
const TEXT = {
  focus: (names, name) => (names.includes(name) ? names.slice(names.indexOf(name)) : null),
  collapse: (names, name) =>
    names.includes(name) ? [...names.slice(0, names.indexOf(name)), ...names.slice(names.lastIndexOf(name))] : names,
};

function editedStacks(stacks, kind, name) {
  const edited = new Map();
  for (const [key, values] of stacks) {
    const names = TEXT[kind](key ? key.split("/") : [], name);
    if (!names) continue;
    const sums = edited.get(names.join("/")) ?? [0, 0];
    edited.set(names.join("/"), [sums[0] + values[0], sums[1] + values[1]]);
  }
  return edited;
}

const sorted = (stacks) => [...stacks].sort(([one], [two]) => (one < two ? -1 : 1));

function assertSound(tree) {
  for (let i = 1; i < tree.size; i++) {
    const above = tree.parent[i];
    assert.ok(above < i && i < tree.end[above] && tree.end[i] <= tree.end[above] && tree.depth[i] === tree.depth[above] + 1);
    const before = tree.end[i];
    if (before < tree.end[above]) assert.ok(nameOf(tree, i) < nameOf(tree, before), "siblings are sorted and unique");
  }
}

test("edits of the tree equal the same edits of each stack, one after the other", () => {
  for (let seed = 1; seed <= 60; seed++) {
    const random = seeded(seed);
    const whole = randomTree(seed);
    const edits = [];
    let expected = stacksOf(whole);
    for (let step = 0; step < 3; step++) {
      const symbol = Math.floor(random() * whole.names.length);
      const kind = KINDS[Math.floor(random() * KINDS.length)];
      edits.push({ kind, symbol });
      expected = editedStacks(expected, kind, whole.names[symbol]);
      const tree = editedTree(whole, edits);
      assertSound(tree);
      assert.deepEqual(sorted(stacksOf(tree)), sorted(expected), JSON.stringify(edits));
      const totals = [...expected.values()].reduce(([a, b], [before, after]) => [a + before, b + after], [0, 0]);
      assert.deepEqual([tree.before[0], tree.after[0]], totals);
      assert.deepEqual(tree.totals, totals);
    }
    assert.equal(editedTree(whole, []), whole);
    assert.equal(editedTree(whole, edits.slice(0, 1)), editedTree(whole, edits.slice(0, 1)));
  }
});

test("collapsing keeps the totals", () => {
  for (let seed = 1; seed <= 20; seed++) {
    const whole = randomTree(seed);
    for (let symbol = 0; symbol < whole.names.length; symbol++)
      assert.deepEqual(editedTree(whole, [{ kind: "collapse", symbol }]).totals, whole.totals);
  }
});

test("a row keeps the result of its test only if it stands for one row with the same cost", () => {
  const whole = treeOf([["m/a/b", 1, 2], ["m/a/a", 1, 1], ["m/a/a/b", 2, 7], ["m/a/c", 3, 4], ["m/d", 5, 6]]);
  whole.evidence = new Uint8Array(whole.size).fill(1);
  whole.evidenceSelf = new Uint8Array(whole.size).fill(0);
  const tree = editedTree(whole, [{ kind: "collapse", symbol: whole.names.indexOf("a") }]);
  const found = Object.fromEntries(Array.from(tree.symbol, (_, row) => [nameOf(tree, row), [tree.evidence[row], tree.evidenceSelf[row]]]));
  assert.deepEqual(found, { all: [1, 0], m: [1, 0], a: [1, MERGED], b: [MERGED, MERGED], c: [1, 0], d: [1, 0] });
});

test("only functions that call themselves can be collapsed", () => {
  const tree = treeOf([["m/a/b/a", 1, 1], ["m/c", 1, 1], ["c", 1, 1]]);
  assert.deepEqual(tree.names.map((_, symbol) => isRecursive(tree, symbol)), [true, false, false, false]);
});
