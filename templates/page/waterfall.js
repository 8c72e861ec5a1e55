// The bar from before to after: parts whose changes add up exactly to the change of the total.
import { OTHER, ROOT } from "./codec.js";
import { byId, element, makeButton } from "./dom.js";
import { pathRows } from "./findings.js";
import { formatSignedShare, shorten } from "./format.js";
import { whatChanged } from "./symbols.js";
import { once, symbolName } from "./tree.js";
import { scaled } from "./views.js";
import { changeOf, fromTo } from "./words.js";

const LEAST_PART = 0.005; // of the larger total; smaller parts belong to the rest
const MOST_PARTS = 6;
const MOST_OWNERS = 30;
const REST = -3;
const LOWEST = Math.min(ROOT, OTHER);
const ABOUT_FOUND = 0.01; // relative; a smaller difference between a bar and a finding is not shown
const LONGEST_PART = 28; // characters

// Divides the change of the total between the findings, in the order of the report, the other functions that changed,
// and the rest. Each row's own change counts for the first part that contains the row, so no change counts twice. A
// finding about self cost contains no callees. Cost of a function that one part gained and another part lost only
// moved, and counts for neither.
export function partsOfChange(tree, ratio, level, findings) {
  const owners = new Map([[REST, 0]]); // the number of each part
  const owner = new Uint8Array(tree.size);
  const add = (symbol, rows, own) => {
    if (symbol < 0 || owners.has(symbol) || owners.size > MOST_OWNERS) return;
    const part = owners.size;
    owners.set(symbol, part);
    for (const row of rows) for (let i = row; i < (own ? row + 1 : tree.end[row]); i++) owner[i] ||= part;
  };
  for (const finding of findings)
    if (!finding.part) add(finding.symbol, pathRows(tree, finding), finding.judged === "self");
  const others = new Map();
  for (const { node } of whatChanged(tree, ratio, level))
    others.set(tree.symbol[node], [...(others.get(tree.symbol[node]) ?? []), node]);
  for (const [symbol, rows] of others) add(symbol, rows);
  const deltas = changesOf(tree, ratio, owner, owners.size);
  const whole = Math.max(tree.after[0], scaled(tree.before[0], ratio));
  const parts = [...owners]
    .map(([symbol, at]) => ({ symbol, delta: deltas[at] }))
    .filter(({ symbol, delta }) => symbol !== REST && Math.abs(delta) >= LEAST_PART * whole);
  const shown = parts
    .sort((a, b) => Math.abs(b.delta) - Math.abs(a.delta))
    .slice(0, MOST_PARTS)
    .sort((a, b) => b.delta - a.delta);
  const total = tree.after[0] - scaled(tree.before[0], ratio);
  return { shown, rest: total - shown.reduce((sum, { delta }) => sum + delta, 0), total, whole };
}

// Returns the change of each part without the cost that moved between parts.
function changesOf(tree, ratio, owner, count) {
  const { size, symbol, afterSelf, beforeSelf } = tree;
  const first = new Int32Array(tree.names.length - LOWEST).fill(-1); // of the functions with rows of a part
  let length = 0;
  for (let i = 0; i < size; i++) {
    if (!owner[i] || first[symbol[i] - LOWEST] >= 0) continue;
    first[symbol[i] - LOWEST] = length;
    length += count;
  }
  const own = new Float64Array(length); // by function and part
  for (let i = 0; i < size; i++) {
    const at = first[symbol[i] - LOWEST];
    if (at >= 0) own[at + owner[i]] += afterSelf[i] - scaled(beforeSelf[i], ratio);
  }
  const deltas = new Float64Array(count);
  for (let from = 0; from < own.length; from += count) {
    let [gained, lost] = [0, 0];
    for (let at = from; at < from + count; at++) {
      if (own[at] > 0) gained += own[at];
      else lost -= own[at];
    }
    if (!gained && !lost) continue;
    const [sign, kept] = gained >= lost ? [1, 1 - lost / gained] : [-1, 1 - gained / lost];
    for (let at = 0; at < count; at++) if (own[from + at] * sign > 0) deltas[at] += own[from + at] * kept;
  }
  return deltas;
}

export function makeWaterfall(page) {
  const { header } = page;
  if (header.alone || header.estimated) return;
  const box = byId("waterfall");

  // The parts of an edited tree are computed after its picture.
  function showLater() {
    if (page.tree === page.whole) return show();
    box.replaceChildren("…");
    return requestAnimationFrame(() => setTimeout(show));
  }

  function show() {
    const { tree, ratio } = page;
    const { shown, rest, total, whole } = once(page.scale, "waterfall", () =>
      partsOfChange(tree, ratio, page.scale.level, header.findings),
    );
    box.hidden = !shown.length;
    if (box.hidden) return;
    const all = Math.abs(rest) + shown.reduce((sum, { delta }) => sum + Math.abs(delta), 0);
    const width = (delta) => `${((100 * Math.abs(delta)) / all).toFixed(2)} 1 0`;
    const bars = shown.map(({ symbol, delta }) => {
      const name = symbolName(tree, symbol);
      const change = changeOf(page, delta);
      const other = partOf(symbol, delta);
      const button = makeButton("", () => open(symbol), delta > 0 === !page.higher ? "worse" : "better");
      button.append(element("bdi", shorten(name, LONGEST_PART)), " ", element("span", `${change}${other}`));
      button.title =
        `${name}: ${change}${other}, ${formatSignedShare(delta / whole)} of the total` +
        `${other && "; the rest only moved, or belongs to another part"}`;
      button.style.flex = width(delta);
      return button;
    });
    const noise = element("span", undefined, "rest");
    noise.title = `all others, within noise or small: ${changeOf(page, rest)}`;
    noise.append(element("span", noise.title));
    noise.style.flex = width(rest);
    const [before, after] = fromTo(page, tree.before[0], tree.after[0]).split(" → ");
    const label = element("p", "Where the change of the total comes from", "quiet");
    box.replaceChildren(label, element("b", before), ...bars, ...(rest ? [noise] : []), element("b", after));
    box.setAttribute("aria-label", `Parts of the change of the total, ${changeOf(page, total)}`);
  }

  function findingOf(symbol) {
    return header.findings.find((entry) => entry.symbol === symbol);
  }

  // Returns the change of a finding as the headline states it, if the bar shows only a part of it.
  function partOf(symbol, delta) {
    const finding = findingOf(symbol);
    if (!finding?.delta || page.tree !== page.whole || page.state.k !== "none") return "";
    const found = (finding.delta * header.runs[1]) / (header.g * 10 ** header.exponent);
    return Math.abs(found - delta) <= ABOUT_FOUND * Math.abs(delta) ? "" : ` of ${changeOf(page, found)}`;
  }

  function open(symbol) {
    const finding = findingOf(symbol);
    if (finding) page.openFinding(finding);
    else page.openSymbol(symbol);
  }

  page.on("scale", showLater);
}
