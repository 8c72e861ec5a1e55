import assert from "node:assert/strict";
import { test } from "node:test";
import { EDITS, editedTree } from "../../templates/page/edits.js";
import { ancestorsOf, nameOf } from "../../templates/page/tree.js";
import { randomTree, seeded } from "./trees.mjs";

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
