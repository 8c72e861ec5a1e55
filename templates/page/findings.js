// The findings of the comparison by function, worst first, and the rows that show them.
import { rowsOfSymbol, weightOf } from "./tree.js";

const MOST_ROWS = 10;
const LEAST_OF_FINDING = 0.05; // share of the largest row of the finding

// Returns the label that reports use for a finding.
export function tagOf(finding) {
  return finding?.tag ?? finding?.severity ?? "";
}

// Returns how the change affects a function with a finding, or "" if this is unknown.
export function reachOf(page, symbol) {
  return page.header.findings.find((finding) => finding.symbol === symbol && finding.reach)?.reach ?? "";
}

// Returns all findings of a function as texts, followed by the text of reachOf. Findings on call paths are marked.
export function findingWords(page, symbol) {
  const found = page.header.findings
    .filter((finding) => finding.symbol === symbol)
    .map((finding) => {
      const tag = tagOf(finding);
      const way = finding.direction !== "better" || tag.includes("better") ? tag : `${tag}, better`;
      return `finding: ${way}${finding.rows?.length ? " in a call path" : ""}`;
    });
  return [...found, reachOf(page, symbol)].filter(Boolean);
}

// Returns the rows of a finding's call path, or of its function. An edited tree has other call paths.
export function pathRows(tree, { rows = null, symbol }) {
  if (tree.edited || !rows?.length)
    return [...rowsOfSymbol(tree, symbol)].filter((row) => row && weightOf(tree, row) > 0);
  return [...rows];
}

// Returns the rows that show a finding: the rows of its call path, or of its function. Those that changed most in its
// direction come first. `isSpread` states whether none of them has half of their change.
export function rowsOfFinding({ header: { runs } }, tree, finding) {
  const column = finding.judged === "self" ? "Self" : "";
  const sign = Math.sign(finding.delta || 1);
  const change = (row) => sign * (tree[`after${column}`][row] - (tree[`before${column}`][row] * runs[1]) / runs[0]);
  const rows = pathRows(tree, finding).sort((a, b) => change(b) - change(a) || a - b);
  const shown = rows.filter((row, at) => !at || change(row) >= LEAST_OF_FINDING * change(rows[0])).slice(0, MOST_ROWS);
  const whole = rows.reduce((sum, row) => sum + change(row), 0);
  return Object.assign(shown, { isSpread: rows.length > 1 && 2 * change(rows[0]) < whole });
}
