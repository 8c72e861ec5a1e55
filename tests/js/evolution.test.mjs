import assert from "node:assert/strict";
import { test } from "node:test";
import { rankedLines, readEvolution } from "../../templates/page/evolution_data.js";
import { bandPath, extentOf, linePath, ticksOf, valuesOn } from "../../templates/page/evolution_scale.js";

const row = (name, metric, values, more = {}) => ({ name, metric, unit: "x", better: "lower", values, low: values, high: values, n: values.map((value) => (value === null ? 0 : 1)), breaks: [], source_known: true, ...more });
const DOCUMENT = {
  metric: "calls",
  versions: [{ name: "v1", machine: "a" }, { name: "v2", machine: null }, { name: "v3", machine: "a" }, { name: "v4", machine: "b" }],
  benchmarks: [
    row("load", "calls", [100, null, 150, 150]),
    row("parse", "calls", [100, 100, 40, 40], { low: [90, 100, 30, 40], high: [110, 100, 50, 40], n: [3, 3, 3, 3], source_known: false }),
    row("Render", "calls", [50, 50, 60, 60], { breaks: [2] }),
    row("load", "time", [5e6, 5e6, 5e6, 5e6]),
  ],
  jumps: [
    { line: 1, at: [1, 2], from: 100, to: 40, ratio: -0.6, direction: "better", noise: 0.01, href: "jumps/a.html" },
    { line: 0, at: [0, 2], from: 100, to: 150, ratio: 0.5, direction: "worse", noise: 0, href: null },
  ],
};
const evolution = readEvolution(DOCUMENT);
const [load, parse, render] = evolution.lines;

test("lines are sorted by their largest jump, then by their whole change, then by name", () => {
  assert.deepEqual(rankedLines(evolution, 0).map((line) => line.name), ["parse", "load", "Render"]);
  assert.deepEqual(rankedLines(evolution, 1).map((line) => line.number), [3]);
  const fromZero = readEvolution({ ...DOCUMENT, jumps: [...DOCUMENT.jumps, { line: 2, at: [0, 1], from: 0, to: 5, ratio: null, direction: "worse", noise: 0, href: null }] });
  assert.equal(rankedLines(fromZero, 0)[0].name, "Render");
});

test("axes hold all values; a linear one begins at zero", () => {
  assert.deepEqual(extentOf([load], "linear"), [0, 150 * 1.06]);
  const [low, high] = extentOf([parse], "log");
  assert.ok(low < 30 && low > 20 && high > 110 && high < 130);
  const index = extentOf([valuesOn(load, "index")], "index");
  assert.ok(index[0] < 100 && index[1] > 150);
  for (const scale of ["linear", "log", "index"]) assert.ok(extentOf([], scale)[1] > extentOf([], scale)[0]);
  const flat = extentOf([{ middle: Float64Array.from([7]), low: Float64Array.from([7]), high: Float64Array.from([7]) }], "log");
  assert.ok(flat[0] < 7 && flat[1] > 7);
});

test("ticks are few, even and round", () => {
  assert.deepEqual(ticksOf([0, 10], "linear", 5), [0, 2, 4, 6, 8, 10]);
  assert.deepEqual(ticksOf([94, 118], "index", 5), [95, 100, 105, 110, 115]);
  assert.deepEqual(ticksOf([0.9, 1200], "log", 5), [1, 10, 100, 1000]);
  assert.deepEqual(ticksOf([1, 60], "log", 5), [1, 2, 5, 10, 20, 50]);
  for (const [low, high] of [[0, 1e-9], [0, 3e14], [99.999, 100.001], [0, 1]]) {
    const ticks = ticksOf([low, high], "linear", 6);
    assert.ok(ticks.length >= 2 && ticks.length <= 8, `${low} to ${high}: ${ticks}`);
    assert.ok(ticks.every((tick) => tick >= low - 1e-9 * high && tick <= high * (1 + 1e-8)));
  }
});

test("paths are drawn through known values, and bands where runs differ", () => {
  const x = (at) => at * 10;
  const y = (value) => value;
  assert.equal(linePath(load, x, y), "M20 150L30 150");
  assert.equal(linePath(parse, x, y), "M0 100L10 100L20 40L30 40");
  assert.equal(bandPath(load, x, y), "");
  assert.equal(bandPath(parse, x, y), "M0 110L10 100L20 50L30 40L30 40L20 30L10 100L0 90Z");
});
