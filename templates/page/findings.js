// The findings of the comparison by function, worst first, and the rows that show them.
import { rowsOfSymbol, weightOf } from "./tree.js";

const SEVERITIES = ["severe", "degraded", "maybe", "none"];
const MOST_ROWS = 10;
const LEAST_OF_FINDING = 0.05; // share of the largest row of the finding

// Returns the findings of each symbol, worst first. Equal findings stay in the order of the report.
export function findingsBySymbol(findings) {
  const found = new Map();
  for (const finding of findings) found.set(finding.symbol, [...(found.get(finding.symbol) ?? []), finding]);
  for (const list of found.values()) list.sort((a, b) => rankOf(a) - rankOf(b));
  return found;
}

export function rankOf(finding) {
  const rank = SEVERITIES.indexOf(finding?.severity);
  return rank < 0 ? SEVERITIES.length : rank;
}

// Returns the label that reports use for a finding.
export function tagOf(finding) {
  return finding?.tag ?? finding?.severity ?? "";
}

// Returns how the change affects a function with a finding, or "" if this is unknown.
export function reachOf(page, symbol) {
  return page.header.findings.find((finding) => finding.symbol === symbol && finding.reach)?.reach ?? "";
}

// Returns all findings of a function as texts, followed by the text of reachOf. Findings on call paths are marked.
// Without `complete`, the texts do not name the strategies.
export function findingWords(page, symbol, complete = true) {
  const found = page.header.findings
    .filter((finding) => finding.symbol === symbol)
    .sort((a, b) => rankOf(a) - rankOf(b))
    .map((finding) => {
      const strategies = complete && finding.strategies?.length ? ` (${finding.strategies.join(", ")})` : "";
      const tag = tagOf(finding);
      const way = finding.direction !== "better" || tag.includes("better") ? tag : `${tag}, better`;
      return `finding: ${way}${finding.rows?.length ? " in a call path" : ""}${strategies}`;
    });
  return [...found, reachOf(page, symbol)].filter(Boolean);
}

// Returns the rows of a finding's call path, or of its function. An edited tree has other call paths.
export function pathRows(tree, { rows = null, symbol }) {
  if (tree.edited || !rows?.length)
    return [...rowsOfSymbol(tree, symbol)].filter((row) => row && weightOf(tree, row) > 0);
  return [...rows];
}

// Returns the rows that show a finding, the widest first: the rows of its call path, or of its function.
export function rowsOfFinding(tree, finding) {
  const found = pathRows(tree, finding);
  found.sort((a, b) => weightOf(tree, b) - weightOf(tree, a) || a - b);
  return found
    .filter((node) => weightOf(tree, node) >= LEAST_OF_FINDING * weightOf(tree, found[0]))
    .slice(0, MOST_ROWS);
}
