import assert from "node:assert/strict";
import { test } from "node:test";
import { evidence, labelOn, luminance, paletteOf, shadesOf } from "../../templates/page/colour.js";
import { FAINT, INKS, UNMATCHED } from "../../templates/page/draw.js";
import { ratioOf } from "../../templates/page/views.js";
import { randomTree, seeded, swapped, treeOf } from "./trees.mjs";

const ONE = { num: 1, den: 1 };
const OPTIONS = { ratio: ONE, normalisation: "none", basis: "inclusive", mode: "contribution", gate: 0.001, sample: null };

test("proportional sides colour nothing once their totals are equal", () => {
  const tree = randomTree(8);
  const tripled = { ...tree, afterSelf: tree.beforeSelf.map((value) => value * 3), after: tree.before.map((value) => value * 3) };
  const ratio = ratioOf("total", tripled, [1, 1]);
  assert.equal(shadesOf(tripled, { ...OPTIONS, ratio, normalisation: "total", gate: 0 }).coloured, 0);
  assert.ok(shadesOf(tripled, OPTIONS).coloured > 0);
});

test("swapping the sides mirrors every colour", () => {
  for (const seed of [1, 2, 3, 4, 5]) {
    const tree = randomTree(seed);
    for (const extra of [{}, { basis: "self" }, { mode: "relative" }, { sample: 1 }]) {
      const there = shadesOf(tree, { ...OPTIONS, ...extra }).level;
      const back = shadesOf(swapped(tree), { ...OPTIONS, ...extra }).level;
      assert.deepEqual(back, there.map((level) => -level));
    }
  }
});

test("self colours only the changed function, inclusive its callers too", () => {
  const tree = treeOf([["a/b/c", 100, 200], ["a/d", 100, 100]]);
  const at = (name, basis) => shadesOf(tree, { ...OPTIONS, basis }).level[tree.symbol.indexOf(tree.names.indexOf(name))];
  assert.deepEqual(["a", "b", "c", "d"].map((name) => Math.sign(at(name, "inclusive"))), [1, 1, 1, 0]);
  assert.deepEqual(["a", "b", "c", "d"].map((name) => Math.sign(at(name, "self"))), [0, 0, 1, 0]);
});

test("insignificant changes have no colour", () => {
  const random = seeded(99);
  const draw = () => {
    const counts = new Map();
    for (let i = 0; i < 10000; i++) {
      const stack = `m/${Math.floor(random() * 12)}/${Math.floor(random() ** 2 * 40)}`;
      counts.set(stack, (counts.get(stack) ?? 0) + 1);
    }
    return counts;
  };
  const [one, two] = [draw(), draw()];
  const tree = treeOf([...new Set([...one.keys(), ...two.keys()])].map((stack) => [stack, one.get(stack) ?? 0, two.get(stack) ?? 0]));
  assert.ok(shadesOf(tree, { ...OPTIONS, gate: 0 }).coloured > 50);
  assert.ok(shadesOf(tree, { ...OPTIONS, sample: 1 }).coloured <= 1);
});

test("every label is legible on its fill, in both palettes", () => {
  for (const theme of ["light", "dark"]) {
    const { fills, labels } = paletteOf(theme, false);
    fills.forEach((fill, i) => {
      const light = luminance(fill.match(/\d+/g).map(Number));
      const contrast = labels[i] === "#fff" ? 1.05 / (light + 0.05) : (light + 0.05) / 0.05;
      assert.ok(contrast >= 4.5, `${theme} ${i} ${contrast}`);
    });
  }
  assert.equal(labelOn([255, 255, 255]), "#000");
});

test("the test of repeated runs decides, for each basis", () => {
  const tree = { ...treeOf([["a", 100, 150], ["b", 100, 150]]), evidence: Uint8Array.of(1, 1, 0), evidenceSelf: Uint8Array.of(0, 0, 1) };
  const levels = (extra) => Array.from(shadesOf(tree, { ...OPTIONS, repeats: true, ...extra }).level, Math.sign);
  assert.deepEqual(levels({}), [1, 1, 0]);
  assert.deepEqual(levels({ basis: "self" }), [0, 0, 1]);
  assert.deepEqual(levels({ repeats: false }), [1, 1, 1]);
});

test("outlines of unchanged frames and text of dimmed frames have enough contrast", () => {
  const rgbOf = (colour) => (colour[0] === "#" ? colour.slice(1).match(/../g).map((part) => parseInt(part, 16)) : colour.match(/\d+/g).map(Number));
  const contrast = (one, other) => {
    const [less, more] = [luminance(one), luminance(other)].sort((a, b) => a - b);
    return (more + 0.05) / (less + 0.05);
  };
  for (const theme of ["light", "dark"]) {
    const [back, line, edge, other] = ["back", "line", "edge", "other"].map((name) => rgbOf(INKS[theme][name]));
    assert.ok(contrast(line, back) >= 3, `${theme}: ${contrast(line, back)}`);
    for (const fill of [other, ...paletteOf(theme, false).fills.map(rgbOf)]) {
      for (const opacity of [FAINT, UNMATCHED]) {
        const faint = back.map((from, channel) => from + (fill[channel] - from) * opacity);
        assert.ok(contrast(edge, faint) >= 4.5, `${theme} ${fill}: ${contrast(edge, faint)}`);
      }
    }
  }
});
