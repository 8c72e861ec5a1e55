// Describes a context, with the same figures for the popup, the lower pane and screen readers.
import { findingWords } from "./findings.js";
import { GLYPHS, sourceOf } from "./blueprint.js";
import { element } from "./dom.js";
import { formatShare, formatSigned, formatSignedShare, formatValue, growthOf } from "./format.js";
import { nameOf, placeOf } from "./tree.js";
import { scaled } from "./views.js";
import { SOURCE_WORDS, changeOf, isNear, meanOf } from "./words.js";

const STATE_WORDS = {
  slower: "slower",
  faster: "faster",
  added: "only after",
  removed: "only before",
  unchanged: "unchanged",
  other: "small stacks merged to limit the size of the page",
};

// Returns rows of label, before, after and change. There is no row for values that were not counted.
function figureRows(page, figures, node) {
  const { tree, ratio, header } = page;
  const share = (values) => (values[0] ? values[node] / values[0] : 0);
  const rows = [
    [
      "Share",
      formatShare(share(tree.before)),
      formatShare(share(tree.after)),
      formatSignedShare(share(tree.after) - share(tree.before)).replace(" %", " pp"),
    ],
  ];
  for (const [label, before, after] of [
    ["Total", tree.before[node], tree.after[node]],
    ...(node ? [["Self", tree.beforeSelf[node], tree.afterSelf[node]]] : []),
  ]) {
    const old = scaled(before, ratio);
    const near = isNear(after, old);
    const relative = before ? (near ? "0 %" : growthOf(old, after)) : after ? "new" : "-";
    const shown = near
      ? changeOf(page, 0)
      : header.estimated
        ? "estimated"
        : `${changeOf(page, after - old)} (${relative})`;
    rows.push([label, meanOf(page, before, 0), meanOf(page, after, 1), shown]);
  }
  if (figures.counted && node > 0) {
    // estimated parts are no integers
    const calls = [tree.callsBefore[node] / header.runs[0], tree.callsAfter[node] / header.runs[1]].map((count) =>
      Number(count.toFixed(1)),
    );
    rows.push([
      "Calls",
      formatValue(calls[0], "count"),
      formatValue(calls[1], "count"),
      formatSigned(calls[1] - calls[0], "count"),
    ]);
  }
  return rows;
}

export function verdictWords(page, figures, node, partner) {
  const { tree } = page;
  const isMoved =
    tree.totalBefore && figures.state[node] === "unchanged" && Math.abs(figures.shift[node]) >= figures.bar[node];
  const words = [isMoved ? "not slower or faster over all its calls" : STATE_WORDS[figures.state[node]]];
  if (tree.symbol[node] >= 0) words.push(SOURCE_WORDS[sourceOf(tree, node)]);
  if (partner !== undefined)
    words.push(`moved ${figures.state[node] === "added" ? "from" : "to"} ${nameOf(tree, tree.parent[partner])}`);
  words.push(...findingWords(page, tree.symbol[node]));
  return words.filter(Boolean).join(", ");
}

export function boxSentence(page, figures, node, partner) {
  const rows = figureRows(page, figures, node).map(
    ([label, before, after, change]) => `${label.toLowerCase()} ${before} to ${after}, ${change}`,
  );
  return [nameOf(page.tree, node), verdictWords(page, figures, node, partner), ...rows, placeOf(page.tree, node)]
    .filter(Boolean)
    .join("; ");
}

export function figuresTable(page, figures, node) {
  const table = element("table");
  const head = element("tr");
  head.append(
    element("th", page.header.estimated ? "This call path, estimated" : "This call path"),
    ...["Before", "After", "Change"].map((title) => element("th", title)),
  );
  table.append(head);
  for (const [label, ...cells] of figureRows(page, figures, node)) {
    const row = element("tr");
    row.append(element("th", label), ...cells.map((cell) => element("td", cell)));
    table.append(row);
  }
  return table;
}

export function titleOf(page, figures, node) {
  const title = element("b");
  const glyph = GLYPHS[figures.state[node]];
  if (glyph) title.append(`${glyph} `);
  title.append(element("bdi", nameOf(page.tree, node)));
  return title;
}

// Explains the width of a box.
export function widthWords(page, figures) {
  if (figures.counted)
    return page.header.estimated ? "width: calls more or less, divided by call edge" : "width: calls more or less";
  return figures.sampled
    ? "width: samples, because this profile has no call counts"
    : "width: change in steps of 0.01 % of the whole, because this profile has no call counts";
}
