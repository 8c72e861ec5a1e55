import assert from "node:assert/strict";
import { test } from "node:test";
import { levelOfChange, shadesOf } from "../../templates/page/colour.js";
import { costsAt, linesOf } from "../../templates/page/lines.js";
import { treeOf } from "./trees.mjs";

const OPTIONS = { ratio: { num: 1, den: 1 }, normalisation: "none", basis: "inclusive", mode: "contribution", gate: 0.001, sample: null };

function pageOf(rows, { basis = "inclusive", repeats = false, chance = false } = {}) {
  const tree = treeOf([["main/work", 100, 300]]);
  if (repeats) tree.evidence = new Uint8Array(tree.size);
  tree.lineCosts = new Map([[1, { symbol: 1, rows, omitted: 3 }]]);
  const scale = shadesOf(tree, { ...OPTIONS, repeats, chance });
  return { header: { g: 10 }, tree, scale, ratio: OPTIONS.ratio, state: { basis, k: "none" }, levelOf: (before, after, passed = null) => levelOfChange(tree, scale, [before, after], { ...OPTIONS, passed }) };
}

test("a line that replaces another line is compared with it", () => {
  const page = pageOf([[4, 0, 0, 1000, 0, 0], [0, 5, 0, 0, 0, 600]]);
  assert.equal(costsAt(page, linesOf(page, 1), 4, 5).change, -40);
  assert.deepEqual(costsAt(page, linesOf(page, 1), 9, null).costs, [0, 0]);
});

test("without significance over repeated runs a line stays neutral", () => {
  const rows = (bits) => [[4, 4, 0, 0, 1000, 2000, bits]];
  const level = (bits, options) => {
    const page = pageOf(rows(bits), { repeats: true, ...options });
    return costsAt(page, linesOf(page, 1), 4, 4).level;
  };
  assert.equal(level(0), 0);
  assert.equal(level(1), 0);
  assert.ok(level(2) > 0);
  assert.ok(level(1, { basis: "self" }) > 0);
  assert.equal(level(2, { chance: true }), 0, "a line whose function has no colour");
});
