import assert from "node:assert/strict";
import { test } from "node:test";
import { formatChosenShare, formatRatio, formatShare, formatSigned, formatSignedShare, formatValue, growthOf, shorten, shortenPlace } from "../../templates/page/format.js";
import { makeFragment, parseFragment } from "../../templates/page/link.js";
import { matcherOf, matchingSymbols, searchBelow } from "../../templates/page/search.js";
import { ratioOf } from "../../templates/page/views.js";
import { changeOf, describe, explains } from "../../templates/page/words.js";
import { treeOf } from "./trees.mjs";

function pageOf(k, unit, runs = [1, 1]) {
  const tree = treeOf([["escape", 95, 70], ["parse", 5, 230]]);
  const header = { unit, exponent: 0, g: 1, runs, findings: [] };
  const ratio = ratioOf(k, tree, runs);
  return { header, tree, ratio, shapes: [tree], shades: [{ level: new Int8Array(tree.size), leads: new Uint8Array(tree.size), worse: 1 }], state: { k, view: "after" }, sample: null, findings: new Map() };
}

test("values have a readable unit", () => {
  assert.equal(formatValue(1_240_000, "nanoseconds"), "1.24 ms");
  assert.equal(formatValue(90e9, "nanoseconds"), "90.0 s");
  assert.equal(formatValue(15e9, "nanoseconds", -1), "1.50 s");
  assert.equal(formatValue(3 * 2 ** 20, "bytes"), "3.00 MiB");
  assert.equal(formatValue(12345, "samples"), "12,345 samples");
  assert.equal(formatValue(2_500_000, "count"), "2.50 M");
  assert.equal(formatValue(0, "nanoseconds"), "0 ns");
});

test("a scaled change has no unit of samples", () => {
  assert.equal(changeOf(pageOf("total", "samples"), -247.6), "\u2212248 (scaled)");
  assert.equal(changeOf(pageOf("total", "nanoseconds"), 1e6), "+1.00 ms (scaled)");
  const [inclusive] = describe(pageOf("total", "samples"), 0, 1).lines;
  assert.deepEqual([inclusive.before, inclusive.scaled, inclusive.after, inclusive.change], ["95 samples", "285", "70 samples", "\u2212215 (scaled)"]);
});

test("a share of the net change needs a changed total and one direction", () => {
  const page = { header: { total_changed: true } };
  assert.deepEqual([0.5, 1, 1.2, -0.2, null].map((share) => explains(page, share)), ["50.0 % of the net change", "100 % of the net change", "", "", ""]);
  assert.equal(explains({ header: { total_changed: false } }, 0.5), "");
});

test("nothing is ever shown as a signed zero, NaN or infinity", () => {
  assert.equal(formatSigned(-0, "count"), "0");
  assert.equal(formatSigned(-5, "count"), "\u22125");
  assert.equal(formatShare(-0.00001), "<0.01 %");
  assert.equal(formatSignedShare(0.00001), "≈0 %");
  assert.equal(formatSignedShare(0), "0 %");
  assert.equal(formatSignedShare(Infinity), "-");
  assert.equal(formatShare(NaN), "-");
  assert.equal(formatRatio({ num: 2, den: 2 }), "1");
});

test("percentages have at most three digits, except large ones", () => {
  assert.deepEqual([0.0004, 0.0123, 0.5, 0.71283, 0.9996, 1.2345, 12.345].map(formatShare), ["0.04 %", "1.2 %", "50.0 %", "71.3 %", "100 %", "123 %", "1,235 %"]);
  assert.deepEqual([formatSignedShare(0.71283), formatSignedShare(-0.225)], ["+71.3 %", "\u221222.5 %"]);
  assert.deepEqual([0.00001, 0.0003, 0.1].map((share) => formatChosenShare(share)), ["0.001 %", "0.03 %", "10 %"]);
});

test("a change is a ratio or a percentage, depending on its size", () => {
  const grown = [0, 50, 104, 131, 150, 162, 199.6, 410, 995, 123400].map((after) => growthOf(100, after));
  assert.deepEqual(grown, ["gone", "\u221250.0 %", "+4.0 %", "+31.0 %", "+50.0 %", "+62.0 %", "2.0x", "4.1x", "10x", ">1,000x"]);
  assert.deepEqual([growthOf(0, 5), growthOf(0, 0)], ["new", "0 %"]);
});

test("a long name loses its arguments, then its qualifiers, then its end", () => {
  for (const [name, length, short] of [
    ["abc", 3, "abc"],
    ["abcdef", 4, ""],
    ["org.json.JSONObject.getInt", 20, "…JSONObject.getInt"],
    ["org.json.JSONObject.getInt", 12, "…getInt"],
    ["std::map<int, std::pair<a, b>>::find(int)", 20, "std::map<…>::find(…)"],
    ["<a::String as b::FromIterator<char>>::from_iter", 14, "…from_iter"],
    ["text.(*Reader).PeekLine", 20, "…(*Reader).PeekLine"],
    ["report.<locals>.<listcomp>", 14, "…<listcomp>"],
    ["src/lib/index.js:33", 13, "…index.js:33"],
    ["operator<<(int)", 8, "operato…"],
    ["handle_request", 9, "handle_r…"],
    ["a".repeat(100_000), 7, "…aaaaa…"],
  ]) assert.equal(shorten(name, length), short, name);
  assert.equal([...shorten("😀".repeat(10), 5)].length, 5);
});

test("search counts a stack once, within the shown root", () => {
  const tree = treeOf([["a/f/f", 10, 20], ["a/g", 10, 0], ["b/f", 20, 20]]);
  const found = matchingSymbols(tree.names, matcherOf("F").matches);
  assert.deepEqual(searchBelow(tree, found, 0), { nodes: [2, 3, 6], before: 0.75, after: 1 });
  const below = searchBelow(tree, found, 1);
  assert.deepEqual([below.before, below.after, below.nodes.length], [0.5, 1, 2]);
  assert.equal(matcherOf("F", { matchCase: true }).matches("f"), false);
});

test("every choice of the page is in its link", () => {
  const edits = ["focus", "collapse"].map((kind, at) => ({ kind, hash: String(at).repeat(16), name: "x y" }));
  const state = { view: "before", k: "total", basis: "self", order: "delta", chance: false, fold: "all", reversed: true, mine: true, tab: "symbols", sandwich: "f g", q: "a&b=c #+é", regex: true, edits, zoom: ["0123456789abcdef"], zoomName: "std::a<b>" };
  const defaults = { view: "after", k: "none", basis: "inclusive", order: "name", chance: true, fold: "long", reversed: false, mine: false, tab: "graph" };
  assert.deepEqual(parseFragment(`#${makeFragment(state, defaults)}`), state);
  assert.equal(makeFragment({ ...defaults, zoom: [] }, defaults), "");
});

test("a long place loses its first folders and keeps its file and line", () => {
  for (const [place, length, short] of [
    ["go/pkg/mod/github.com/rivo/uniseg/grapheme.go:124", 40, "…/github.com/rivo/uniseg/grapheme.go:124"],
    ["go/pkg/mod/github.com/rivo/uniseg/grapheme.go:124", 24, "…/uniseg/grapheme.go:124"],
    ["C:\\work\\shop\\orders.py:28", 20, "…/shop\\orders.py:28"],
    ["a/very_long_name_of_a_single_file.py:1", 10, "…/very_long_name_of_a_single_file.py:1"],
    ["src/", 2, "src/"],
  ]) assert.equal(shortenPlace(place, length), short, place);
});
