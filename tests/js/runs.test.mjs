import assert from "node:assert/strict";
import { test } from "node:test";
import { aboutRuns, singleRunsOf } from "../../templates/page/runs.js";
import { treeOf } from "./trees.mjs";

const [ROOT, OTHER, WORK] = [-2, -1, 1];
const RUNS = {
  shown: [0, 3, 2],
  all: [0, 3, 80],
  factors: [0.8, 1.1],
  reasons: "everything takes 1.2x the time",
  rows: [
    [-1, 0, 1, 100, 104, 102, 120, 160],
    [WORK, 1, 0, 10, 12, 11, 30, 32],
    [WORK, 2, 0, 40, 44, 42, 60, 68],
    [0, 2, -1, 5, 5, 5, 5, 5],
  ],
};

function pageOf({ basis = "inclusive", findings = [], runs = RUNS } = {}) {
  const whole = { ...treeOf([["main/work", 100, 300]]), singleRuns: runs };
  return { header: { unit: "samples", exponent: 0, runs: [3, 80], g: 1 }, whole, tree: whole, state: { basis }, findings: new Map(findings) };
}

test("evidence about another cost is not shown", () => {
  const reasons = "none of the other 251 ways shows as large a change";
  const about = (finding, rows) => {
    const page = pageOf({ findings: [[WORK, { reasons, ...finding }]], runs: { ...RUNS, rows } });
    return aboutRuns(page, WORK, singleRunsOf(page, WORK));
  };
  const [, own, total] = RUNS.rows;
  assert.match(about({ judged: "total" }, [total]), /^None of/);
  assert.match(about({ judged: "total" }, [own]), /^Values as recorded/);
  assert.match(about({ judged: "self" }, [total]), /^Values as recorded/);
  assert.match(about({ judged: "total", new: "audit, log" }, [total]), /^None of/);
  assert.match(about({ judged: "total", new: "audit" }, [own, [WORK, 3, 0, 40, 44, 42, 60, 68]]), /^New function audit: none of/);
});

test("the caption has the evidence and the common factor", () => {
  const page = pageOf({ findings: [[WORK, { judged: "self", reasons: "none of the other 251 ways shows as large a change" }]] });
  assert.equal(
    aboutRuns(page, WORK, singleRunsOf(page, WORK)),
    "None of the other 251 ways shows as large a change. Values as recorded; the verdict corrects each run for the speed of the machine (0.80x to 1.10x). After: 2 of 80 runs.",
  );
  assert.equal(aboutRuns(page, ROOT, singleRunsOf(page, ROOT)), "Everything takes 1.2x the time. After: 2 of 80 runs.");
  const waiting = pageOf({ runs: { ...RUNS, waiting: true } });
  assert.match(aboutRuns(waiting, WORK, singleRunsOf(waiting, WORK)), /Functions that only wait are left out\./);
  assert.doesNotMatch(aboutRuns(waiting, ROOT, singleRunsOf(waiting, ROOT)), /wait/);
  const unjudged = pageOf({ runs: { ...RUNS, reasons: null } });
  assert.equal(aboutRuns(unjudged, WORK, singleRunsOf(unjudged, WORK)), "After: 2 of 80 runs.");
  assert.equal(aboutRuns(unjudged, ROOT, singleRunsOf(unjudged, ROOT)), "After: 2 of 80 runs.");
  const even = pageOf({ runs: { ...RUNS, factors: [1, 1], reasons: "" } });
  assert.doesNotMatch(aboutRuns(even, WORK, singleRunsOf(even, WORK)), /common factor/);
});
