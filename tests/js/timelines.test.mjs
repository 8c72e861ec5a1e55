import assert from "node:assert/strict";
import { test } from "node:test";
import { makePage } from "../../templates/page/context.js";
import { makeFragment, parseFragment } from "../../templates/page/link.js";
import { binSums, binsAt, binsOf, isPart, isUnequal, partOf, partText, rangeText, textOfBins, threadsIn } from "../../templates/page/timelines.js";
import { randomTree, seeded, treeOf } from "./trees.mjs";

const NOTHING = { timeBefore: "", timeAfter: "", threadsBefore: "", threadsAfter: "" };
const HEADER = { findings: [], runs: [1, 1], normalisation: "none", better: "lower", g: 1, sample_value: 0 };

// A timeline with the values of `own` in random cells.
function timelineOf(own, threads, bins, random, width = 2 ** 26) {
  const side = { span: bins * width - 1, width, bins, threads, start: new Int32Array(own.length + 1), cell: [], value: [] };
  own.forEach((value, i) => {
    side.start[i] = side.cell.length;
    const cells = [...new Set([0, 1, 2].map(() => Math.floor(random() * threads.length) * 128 + Math.floor(random() * bins)))].sort((a, b) => a - b);
    for (const [at, cell] of value ? cells.entries() : []) {
      side.cell.push(cell);
      side.value.push(Math.floor(value / cells.length) + (at ? 0 : value % cells.length));
    }
  });
  side.start[own.length] = side.cell.length;
  return side;
}

function timed(seed, threads = ["main", "worker", "io"]) {
  const random = seeded(seed);
  const tree = randomTree(seed);
  return { tree, timelines: [timelineOf(tree.beforeSelf, threads, 100, random), timelineOf(tree.afterSelf, threads, 70, random)] };
}

test("the parts of the time add up to the whole tree", () => {
  for (let seed = 1; seed < 6; seed++) {
    const { tree, timelines } = timed(seed);
    const parts = [[0, 13], [13, 14], [14, 70]].map(([from, to]) => partOf(tree, timelines, { ...NOTHING, timeAfter: textOfBins(timelines[1], from, to) }));
    const sums = Float64Array.from(tree.after, (_, i) => parts.reduce((sum, part) => sum + part.after[i], 0));
    assert.deepEqual(sums, tree.after);
    for (const part of parts) assert.deepEqual(part.before, tree.before);
    assert.ok(parts.every((part) => part.after[0] < tree.after[0]));
  }
});

test("the threads add up to the whole tree, on each side separately", () => {
  const { tree, timelines } = timed(7);
  const parts = timelines[0].threads.map((name) => partOf(tree, timelines, { ...NOTHING, threadsBefore: name }));
  const sums = Float64Array.from(tree.before, (_, i) => parts.reduce((sum, part) => sum + part.before[i], 0));
  assert.deepEqual(sums, tree.before);
  assert.ok(parts.every((part) => part.before[0] > 0 && part.after[0] === tree.after[0]));
});

test("the part is the sum of the chosen cells", () => {
  const { tree, timelines } = timed(8);
  const part = partOf(tree, timelines, { ...NOTHING, timeBefore: textOfBins(timelines[0], 20, 40), threadsBefore: "io\nmain" });
  const chosen = [...binSums(timelines[0], [0, 2])].slice(20, 40).reduce((sum, value) => sum + value, 0);
  assert.equal(part.before[0], chosen);
  assert.ok(chosen > 0 && chosen < tree.before[0]);
  assert.deepEqual(part.totals, [chosen, tree.after[0]]);
  assert.deepEqual([part.evidence, part.evidenceSelf], [null, null]);
});

test("the whole recording is the tree itself", () => {
  const { tree, timelines } = timed(9);
  const all = { ...NOTHING, timeBefore: "0-6.7", threadsAfter: "main\nworker\nio" };
  for (const state of [NOTHING, all, { ...NOTHING, timeAfter: "nonsense", threadsBefore: "unknown" }]) {
    assert.equal(partOf(tree, timelines, state), tree);
    assert.equal(isPart(timelines, state), false);
  }
});

test("a side without times is never reduced", () => {
  const { tree, timelines } = timed(10);
  const part = partOf(tree, [null, timelines[1]], { ...NOTHING, timeBefore: "1-2", timeAfter: "1-2" });
  assert.deepEqual(part.before, tree.before);
  assert.ok(part.after[0] < tree.after[0]);
});

test("every range of bins survives its text", () => {
  const random = seeded(3);
  for (const width of [1, 2 ** 10, 2 ** 26, 2 ** 33, 2 ** 50]) {
    for (const bins of [1, 2, 64, 128]) {
      const side = { width, bins, span: width * bins - 1 };
      for (let i = 0; i < 30; i++) {
        const from = Math.floor(random() * bins);
        const to = from + 1 + Math.floor(random() * (bins - from));
        assert.deepEqual(binsOf(side, textOfBins(side, from, to)), from === 0 && to === bins ? null : [from, to]);
      }
    }
  }
});

test("any other text is all times", () => {
  const side = { width: 2 ** 26, bins: 100, span: 100 * 2 ** 26 - 1 };
  for (const text of ["", "1", "-1-2", "2-1", "1-1", "1e3-2e3", "NaN-1", "200-300", "1-2-3", "<b>", `${"9".repeat(400)}-1`, "0-9999999"]) assert.equal(binsOf(side, text), null, text);
  assert.deepEqual(binsOf(side, "5-9999999"), [75, 100]);
});

test("unknown names choose all threads", () => {
  const side = { threads: ["a", "b", "c"] };
  assert.deepEqual(threadsIn(side, "c\na\nx"), [0, 2]);
  assert.deepEqual(threadsIn(side, "x"), [0, 1, 2]);
  assert.deepEqual(threadsIn(side, ""), [0, 1, 2]);
});

test("texts have the unit and the precision of the recording", () => {
  const side = (span, width, threads = ["a"]) => ({ span, width, bins: Math.floor(span / width) + 1, threads });
  const five = side(5e9, 2 ** 26, ["a", "b", "c"]);
  assert.equal(rangeText(five, 18, 51), "1.21–3.42 s");
  assert.equal(partText(five, textOfBins(five, 18, 51), "b"), "1.21–3.42 s of 5.00 s, 1 of 3 threads");
  assert.equal(partText(five, "", ""), "all 5.00 s, 3 threads");
  const last = side(5e9, 2 ** 26);
  assert.equal(partText(last, textOfBins(last, 50, last.bins), ""), "3.36–5.00 s of 5.00 s");
  assert.equal(rangeText(side(120e9, 2 ** 30), 10, 20), "11–21 s");
  assert.equal(rangeText(side(3e6, 2 ** 15), 0, 10), "0.00–0.33 ms");
  assert.equal(rangeText(side(100, 1), 5, 10), "5–10 ns");
});

test("the chosen part is in the link and in the state", () => {
  const { tree, timelines } = timed(11);
  globalThis.window = { innerWidth: 1400, addEventListener() {} };
  const page = makePage(HEADER, tree, timelines);
  page.renew();
  assert.equal(page.tree, tree);
  page.set({ timeAfter: textOfBins(timelines[1], 3, 9), threadsBefore: "worker\n<b>" });
  assert.deepEqual(page.shapes[0].after, page.tree.after);
  assert.ok(page.tree.after[0] < tree.after[0] && page.tree.before[0] < tree.before[0]);
  const linked = parseFragment(makeFragment({ ...page.state, sandwich: "", zoom: [] }, page.defaults));
  for (const key of Object.keys(NOTHING)) assert.equal(linked[key] ?? "", page.state[key], key);
  page.set(NOTHING);
  assert.equal(page.tree, tree);
});

test("dropped stacks and a part of the time reduce the tree together", () => {
  const tree = treeOf([["m/a", 4, 4], ["m/b", 6, 6]]);
  const side = { span: 3, width: 1, bins: 4, threads: ["t"], start: Int32Array.of(0, 0, 0, 2, 4), cell: [0, 1, 1, 3], value: [1, 3, 2, 4] };
  globalThis.window = { innerWidth: 1400, addEventListener() {} };
  const page = makePage(HEADER, tree, [null, side]);
  page.renew();
  page.set({ timeAfter: "0-0.000000002", edits: [{ kind: "drop", symbol: tree.names.indexOf("b") }] });
  assert.deepEqual([page.tree.before[0], page.tree.after[0]], [4, 4]);
  page.set({ edits: [] });
  assert.deepEqual([page.tree.before[0], page.tree.after[0]], [10, 6]);
});

test("a share of the time has at least one bin on each side", () => {
  assert.deepEqual(binsAt({ bins: 100 }, 0.2, 0.6), [20, 60]);
  assert.deepEqual(binsAt({ bins: 4 }, 0.99, 1), [3, 4]);
  assert.deepEqual(binsAt({ bins: 4 }, 0.3, 0.31), [1, 2]);
  assert.deepEqual(binsAt({ bins: 1 }, 0, 0.1), [0, 1]);
});

test("no frame has a colour while only one side is limited", () => {
  const { tree, timelines } = timed(12);
  const alone = { ...timelines[0], threads: ["main"] };
  const half = Object.fromEntries(timelines.map((side, at) => [at ? "timeAfter" : "timeBefore", textOfBins(side, 0, 35)]));
  const unequal = (sides, state) => isUnequal(sides, { ...NOTHING, ...state });
  assert.deepEqual([unequal(timelines, {}), unequal(timelines, half), unequal(timelines, { timeAfter: half.timeAfter }), unequal([null, timelines[1]], half)], [false, false, true, true]);
  assert.deepEqual(["main", "io"].map((threadsAfter) => unequal([alone, timelines[1]], { threadsAfter })), [false, true]);
  globalThis.window = { innerWidth: 1400, addEventListener() {} };
  const page = makePage(HEADER, tree, timelines);
  page.renew();
  assert.ok(page.scale.coloured > 0);
  page.set({ timeAfter: half.timeAfter });
  assert.equal(page.scale.coloured, 0);
  assert.ok(page.scale.level.every((level) => level === 0));
  page.set(half);
  assert.ok(page.scale.coloured > 0);
});
