// The costs of single runs, as dots: one row for each side on a common axis from 0.
import { ROOT } from "./codec.js";
import { byId, element, svgElement } from "./dom.js";
import { counted, formatValue } from "./format.js";

const [TOTAL, OWN, INCLUSIVE, BROAD] = [0, 1, 2, 3]; // a broad cost is nearly the whole run
const KIND_WORDS = ["Total", "All calls: self cost", "All calls: total cost", "All calls: total cost"];
const GROUPS = { earlier: "Earlier base jobs", before: "Before", after: "After" };
const ROW_HEIGHT = 16; // pixels
const DOT = 4; // pixels

// Returns the runs of a function, or of the total for the symbol of the root, or null if the page has no runs of it.
// The cost is the one by which the function was judged, otherwise the cost that the page shows.
export function singleRunsOf(page, symbol) {
  const { singleRuns } = page.whole;
  const rows = singleRuns?.rows.filter(([of]) => (of < 0 ? ROOT : of) === symbol) ?? [];
  if (!rows.length) return null;
  const judged = page.findings.get(symbol)?.judged ?? (page.state.basis === "self" ? "self" : "total");
  const wanted = judged === "self" ? [OWN] : [INCLUSIVE, BROAD];
  const [, kind, exponent, ...values] = rows.find((row) => wanted.includes(row[1])) ?? rows[0];
  const costs = values.map((value) => value * 10 ** exponent);
  let from = 0;
  const groups = Object.entries(GROUPS).map(([name, label], place) => {
    const part = costs.slice(from, (from += singleRuns.shown[place]));
    return { name, label, values: part, all: singleRuns.all[place], ...summaryOf(part) };
  });
  return { kind, groups: groups.filter((group) => group.values.length), most: Math.max(...costs) };
}

function summaryOf(values) {
  return {
    least: Math.min(...values),
    most: Math.max(...values),
    mean: values.reduce((sum, value) => sum + value, 0) / values.length,
  };
}

function amountOf(page, value) {
  return formatValue(Number(value.toPrecision(9)), page.header.unit, page.header.exponent);
}

// Describes the runs as text, for screen readers and as the alternative of the picture.
export function runsSentence(page, { kind, groups }) {
  const amount = (value) => amountOf(page, value);
  const about = groups.map(
    ({ label, values, all, least, mean, most }) =>
      `${label}: ${numberOfRuns(values.length, all)}, minimum ` +
      `${amount(least)}, mean ${amount(mean)}, maximum ${amount(most)}.`,
  );
  return [`${runsTitle(kind)}.`, ...about].join(" ");
}

function numberOfRuns(shown, all) {
  return (all > shown ? `${shown} of ` : "") + counted(all, "run");
}

function runsTitle(kind) {
  return `${KIND_WORDS[kind]} of each run`;
}

// Explains which values are shown, and which evidence they gave.
export function aboutRuns(page, symbol, { kind, groups }) {
  const { reasons, waiting } = page.whole.singleRuns;
  const factors = page.whole.singleRuns.factors.map((factor) => `${factor.toFixed(2)}x`);
  const divided = kind !== TOTAL && page.whole.singleRuns.factors.some((factor) => factor !== 1);
  const parts = groups
    .filter(({ values, all }) => values.length < all)
    .map(({ label, values, all }) => `${label}: ${numberOfRuns(values.length, all)}`);
  const evidence = kind === TOTAL ? reasons : evidenceOf(page.findings.get(symbol), kind);
  return [
    ...(evidence ? [evidence] : []),
    ...(divided && reasons !== null
      ? [
          `values as recorded; the verdict corrects each run for the speed of the machine ` +
            `(${factors.join(" to ")})`,
        ]
      : []),
    ...(waiting && (kind === INCLUSIVE || kind === BROAD) ? ["functions that only wait are left out"] : []),
    ...parts,
    ...(page.tree === page.whole ? [] : ["values of all stacks"]),
  ]
    .map((text) => `${text[0].toUpperCase()}${text.slice(1)}.`)
    .join(" ");
}

// Returns the evidence for a finding if it is about the kind of cost that is shown. A caller that was not tested itself
// is judged by the cost of the new functions that it calls.
function evidenceOf(finding, kind) {
  if (!finding?.reasons) return "";
  if (finding.new && kind !== INCLUSIVE) return `new function ${finding.new}: ${finding.reasons}`;
  return (finding.judged === "self") === (kind === OWN) ? finding.reasons : "";
}

// Returns a picture of the runs, or null.
export function drawnRuns(page, symbol) {
  const runs = singleRunsOf(page, symbol);
  if (!runs) return null;
  const figure = element("figure", undefined, "runs");
  const picture = element("div", undefined, "dots");
  picture.tabIndex = 0;
  picture.setAttribute("role", "img");
  picture.setAttribute("aria-label", runsSentence(page, runs));
  for (const group of runs.groups)
    picture.append(
      element("span", group.label),
      drawnGroup(page, group, runs.most),
      element("span", `mean ${amountOf(page, group.mean)}`),
    );
  const axis = element("span", undefined, "axis");
  axis.append(element("span", "0"), element("span", amountOf(page, runs.most)));
  picture.append(axis);
  const caption = element("figcaption");
  caption.append(element("b", runsTitle(runs.kind)), " ", element("span", aboutRuns(page, symbol, runs)));
  figure.append(picture, caption);
  return figure;
}

function drawnGroup(page, { name, label, values, mean }, most) {
  const at = (value) => `${((100 * value) / (most || 1)).toFixed(2)}%`;
  const svg = svgElement("svg", { class: name, height: String(ROW_HEIGHT) });
  const middle = String(ROW_HEIGHT / 2);
  svg.append(svgElement("line", { class: "base", x1: "0", x2: "100%", y1: middle, y2: middle }));
  for (const [place, value] of values.entries()) {
    const dot = svgElement("circle", { cx: at(value), cy: middle, r: String(DOT) });
    dot.append(svgElement("title", {}, `${label}, run ${place + 1}: ${amountOf(page, value)}`));
    svg.append(dot);
  }
  svg.append(svgElement("line", { class: "mean", x1: at(mean), x2: at(mean), y1: "0", y2: "100%" }));
  return svg;
}

// Shows the runs of the selected frame below the pictures. The height is fixed, so that the pictures stay in place.
export function makeRuns(page) {
  if (!page.whole.singleRuns) return;
  const box = element("div", undefined, "runs-box");
  box.classList.toggle("long", page.whole.singleRuns.shown[0] > 0);
  byId("details").parentElement.after(box);
  let shown = "";

  function show() {
    const { shape, node } = page.state.focus;
    const symbol = page.shapes[shape].symbol[node];
    const key = `${symbol} ${page.state.basis} ${page.tree === page.whole}`;
    if (key === shown) return;
    shown = key;
    box.replaceChildren(
      drawnRuns(page, symbol) ??
        element("p", "No runs of this function are shown. Its cost is too small, or nearly the whole run.", "quiet"),
    );
  }

  page.on("focus", show);
}
