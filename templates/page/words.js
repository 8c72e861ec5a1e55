// Describes a node, with the same text for the tooltip, the details line and screen readers.
import { ROOT } from "./codec.js";
import { isUncertainTotal, testsRepeats } from "./context.js";
import { MERGED, evidence, few, stateOf } from "./colour.js";
import { leadsToWorse } from "./draw.js";
import { findingWords, reachOf } from "./findings.js";
import { formatFromTo, formatShare, formatSigned, formatValue, growthOf, numeral } from "./format.js";
import { symbolSums } from "./symbols.js";
import { nameOf, placeOf } from "./tree.js";
import { scaled } from "./views.js";

const SAME = 1e-12;

// Formats a value summed over the runs of a side as the mean per run, with its unit.
export function meanOf(page, value, side) {
  return formatValue((value * page.header.g) / page.header.runs[side], page.header.unit, page.header.exponent);
}

// Formats the means of both sides with a common unit.
export function fromTo({ header: { g, runs, unit, exponent } }, before, after) {
  return formatFromTo((before * g) / runs[0], (after * g) / runs[1], unit, exponent);
}

// Returns a share of the net change as text, or "" if the total did not change or if changes cancel each other out.
export function explains(page, responsibility, suffix = " of the net change") {
  const known = page.header.total_changed && responsibility > 0 && responsibility <= 1;
  return known ? `${formatShare(responsibility)}${suffix}` : "";
}

// Formats a difference between the sides. A difference from a scaled side is marked and has no sample unit.
export function changeOf(page, delta, ratio = page.ratio) {
  const isScaled = scales(page, ratio);
  const text = formatSigned(perRun(page, delta), isScaled ? scaledUnit(page) : page.header.unit, page.header.exponent);
  return isScaled ? `${text} (scaled)` : text;
}

// Whether the ratio does more than compensate for different numbers of runs.
function scales({ header }, ratio) {
  return ratio.num * header.runs[0] !== ratio.den * header.runs[1];
}

function perRun({ header }, value) {
  return (value * header.g) / header.runs[1];
}

function scaledUnit({ header }) {
  return ["nanoseconds", "bytes"].includes(header.unit) ? header.unit : "";
}

export function isNear(a, b) {
  return Math.abs(a - b) <= SAME * Math.max(a, b);
}

export function describe(page, shape, node) {
  const tree = page.shapes[shape];
  const { ratio } = page;
  const growth = tree.totals[1] - scaled(tree.totals[0], ratio);
  const isScaled = scales(page, ratio);
  const costs = [
    ["Total", tree.before[node], tree.after[node], "new"],
    ["Self", tree.beforeSelf[node], tree.afterSelf[node], "from 0"],
  ];
  // the total has a self cost only if stacks are missing, which a note explains
  const lines = costs.slice(0, tree.symbol[node] === ROOT ? 1 : 2).map(([label, before, after, fromNothing]) => {
    const old = scaled(before, ratio);
    const delta = after - old;
    const near = isNear(after, old);
    return {
      label,
      before: meanOf(page, before, 0),
      scaled: isScaled ? formatValue(perRun(page, old), scaledUnit(page), page.header.exponent) : "",
      after: meanOf(page, after, 1),
      change: changeOf(page, near ? 0 : delta),
      relative: before ? (near ? "0 %" : growthOf(old, after)) : after ? fromNothing : "-",
      brief: page.header.alone
        ? meanOf(page, after, 1)
        : isScaled
          ? `${meanOf(page, before, 0)} (scaled ` +
            `${formatValue(perRun(page, old), scaledUnit(page), page.header.exponent)}) → ${meanOf(page, after, 1)}`
          : fromTo(page, before, after),
      growth: near ? "unchanged" : `${growthOf(old, after)}${doubtOf(page, tree, node)}`,
      responsibility: growth && !near && node > 0 ? explains(page, delta / growth) : "",
    };
  });
  const part = (value, total) => formatShare(total ? value / total : 0);
  const shares = page.header.alone
    ? `${part(tree.after[node], tree.totals[1])} of the run`
    : `${part(tree.before[node], tree.totals[0])} of before, ${part(tree.after[node], tree.totals[1])} of after`;
  return {
    name: nameOf(tree, node),
    place: placeOf(tree, node),
    link: linkOf(tree, node),
    everywhere: allCallsOf(page, tree, node),
    lines,
    shares,
    calls: callsOf(page, tree, node),
    verdict: verdictOf(page, shape, node),
    brief: briefOf(page, shape, node).join(", "),
  };
}

// Returns the change of a row's function over all of its call paths, or "" if the row has this change alone. It is the
// change of the finding of this function, if there is one and the page shows unscaled values of all stacks.
export function allCallsOf(page, tree, node) {
  const symbol = tree.symbol[node];
  if (symbol < 0 || page.header.alone) return "";
  const finding = page.findings.get(symbol);
  const column = finding?.judged === "self" ? "Self" : "";
  const sums = symbolSums(page.tree);
  const [here, all] = [tree, sums].map((values, at) =>
    ["before", "after"].map((side) => values[side + column][at ? symbol : node]),
  );
  // the costs of an estimated call path are no measurements
  const isEstimated = page.header.estimated && finding?.change;
  if (!isEstimated && all.every((value, side) => isNear(value, here[side]))) return "";
  const known = page.tree === page.whole && page.state.k === "none" && !finding?.rows?.length && finding?.change;
  if (known) return `all calls ${changeText(finding)}`;
  return `all calls ${column && "self "}${fromTo(page, ...all)} (${growthOf(scaled(all[0], page.ratio), all[1])})`;
}

// Returns whether a row costs more because it is called more often or because a call costs more, if calls are counted.
function callsOf({ header: { runs }, ratio }, tree, node) {
  const calls = [tree.callsBefore?.[node] / runs[0], tree.callsAfter?.[node] / runs[1]];
  const growth = tree.after[node] / scaled(tree.before[node], ratio);
  if (!(calls[0] > 0 && calls[1] > 0 && growth > 0 && growth < Infinity)) return "";
  const [often, more] = [Math.log(calls[1] / calls[0]), Math.log(growth)];
  const counts = `${numeral(calls[0])} → ${numeral(calls[1])} calls`;
  if (!more) return counts;
  if (often * more > 0 && Math.abs(often) >= Math.abs(more) / 2)
    return `${counts}: called ${Number((calls[1] / calls[0]).toPrecision(2))}x as often`;
  return `${counts}: ${more > 0 ? "more" : "less"} per call`;
}

// Returns the change of a finding as in all reports: "self 14 → 103 samples (7.4x)".
export function changeText({ change: [basis, amounts, growth] = ["", "", ""] }) {
  return `${basis}${amounts} (${growth})`;
}

// Links to the function's line in the diff, or to its file at the compared commit.
export function linkOf(tree, node) {
  const place = tree.symbol[node] >= 0 ? tree.linkOf?.[tree.symbol[node]] : 0;
  const link = place ? tree.links[place - 1] : "";
  return /^https?:\/\//.test(link) ? link : "";
}

// Returns the word for doubt about the change of the total, for the root of the whole tree.
function doubtOf(page, tree, node) {
  const isTotal = tree.symbol[node] === ROOT && page.tree === page.whole && page.state.k === "none";
  return isTotal && page.header.total_doubt ? `, ${page.header.total_doubt}` : "";
}

function verdictOf(page, shape, node) {
  const tree = page.shapes[shape];
  const kind = stateOf(tree, node);
  if (kind === "other") return "small stacks merged to limit the size of the page";
  const words = [];
  const rare = few(tree, node, page.sample);
  if (kind === "new") words.push(rare ? "new (few samples)" : "new: only after");
  if (kind === "gone") words.push(rare ? "gone (few samples)" : "gone: only before");
  if (kind === "both") {
    const level = page.shades[shape].level[node];
    if (level) words.push(directionWord(page, level));
    else if (!page.header.alone)
      words.push(
        isNear(scaled(tree.before[node], page.ratio), tree.after[node])
          ? "unchanged"
          : isUncertainTotal(page, tree, node)
            ? page.header.total_doubt || "possible"
            : "too small or within noise",
      );
  }
  const z = evidence(tree.before[node], tree.after[node], ...tree.totals, page.ratio, page.state.k, page.sample);
  if (tree.evidence && tree.evidence[node] !== MERGED && testsRepeats(page))
    words.push(
      tree.evidence[node] ? "changed more than repeated runs differ" : "changed no more than repeated runs differ",
    );
  else if (Number.isFinite(z) && z) words.push(`z ${z < 0 ? "\u2212" : ""}${Math.abs(z).toFixed(1)}`);
  return [...words, ...briefOf(page, shape, node, true)].join(", ");
}

// Returns what a reviewer needs besides the numbers. `complete` adds what the numbers state too.
function briefOf(page, shape, node, complete = false) {
  const tree = page.shapes[shape];
  const shades = page.shades[shape];
  const kind = stateOf(tree, node);
  const source = tree.sources?.[tree.symbol[node]];
  return [
    !complete && kind === "new" ? "only after" : !complete && kind === "gone" ? "only before" : "",
    shades.moved?.[node] ? "its cost moved between callers" : "",
    leadsToWorse(shades, node) ? `calls a frame that ${directionWord(page, shades.worse)}` : "",
    ...findingWords(page, tree.symbol[node]),
    source && source !== "unknown" && (complete || source !== "same") && !reachOf(page, tree.symbol[node])
      ? SOURCE_WORDS[source]
      : "",
  ].filter(Boolean);
}

export const SOURCE_WORDS = {
  changed: "its source changed",
  same: "its source is the same",
  added: "added by this change",
  removed: "removed by this change",
  renamed: "renamed by this change",
  unknown: "source not compared",
};

function directionWord(page, level) {
  const ahead = page.state.view === "before";
  const word = level > 0 ? (ahead ? "will grow" : "grew") : ahead ? "will shrink" : "shrank";
  return page.higher ? `${word} (${level > 0 ? "better" : "worse"})` : word;
}

export function sentenceOf(page, shape, node) {
  const { name, place, everywhere, lines, shares, calls, verdict } = describe(page, shape, node);
  const numbers = lines.map((line) => {
    const from = line.scaled ? `${line.before} (scaled ${line.scaled})` : line.before;
    const compared = `${from} → ${line.after}, ${line.change} (${line.relative})`;
    return `${line.label.toLowerCase()} ${page.header.alone ? line.brief : compared}`;
  });
  return [name, place, everywhere, ...numbers, lines[0].responsibility, shares, calls, verdict]
    .filter(Boolean)
    .join("; ");
}
