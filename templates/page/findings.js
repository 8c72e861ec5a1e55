// The findings of the comparison by function, the worst first, and the rows that show them.
import { weightOf, widestOf } from "./tree.js";

const SEVERITIES = ["severe", "degraded", "maybe", "none"];

// The findings of each symbol, worst first; equal ones stay in the order of the report.
export function findingsBySymbol(findings) {
  const found = new Map();
  for (const finding of findings) found.set(finding.symbol, [...(found.get(finding.symbol) ?? []), finding]);
  for (const list of found.values()) list.sort((a, b) => rankOf(a) - rankOf(b));
  return found;
}

// The worst finding of each symbol, which marks its frames.
export function worstBySymbol(findings) {
  return new Map([...findingsBySymbol(findings)].map(([symbol, [worst]]) => [symbol, worst]));
}

export function rankOf(finding) {
  const rank = SEVERITIES.indexOf(finding?.severity);
  return rank < 0 ? SEVERITIES.length : rank;
}

// The label of a finding in reports.
export function tagOf(finding) {
  return finding?.tag ?? finding?.severity ?? "";
}

function taggedWay(finding) {
  const word = tagOf(finding);
  return word.includes(finding.direction) ? word : `${word}, ${finding.direction}`;
}

// How the change affects a function with a finding, as text; empty if unknown.
export function reachOf(page, symbol) {
  return page.header.findings.find((finding) => finding.symbol === symbol && finding.reach)?.reach ?? "";
}

// All findings of a function as texts; a finding on call paths is marked as such. The last text is from reachOf.
export function findingWords(page, symbol) {
  const found = page.header.findings
    .filter((finding) => finding.symbol === symbol)
    .sort((a, b) => rankOf(a) - rankOf(b))
    .map((finding) => `finding: ${taggedWay(finding)}${finding.rows?.length ? " in a call path" : ""}${finding.strategies?.length ? ` (${finding.strategies.join(", ")})` : ""}`);
  return [...found, reachOf(page, symbol)].filter(Boolean);
}

// The row that shows a finding: the widest row of its call paths or of its function; -1 if there is none.
export function rowOfFinding(tree, { rows, symbol }) {
  if (rows?.length) return rows.reduce((a, b) => (weightOf(tree, b) > weightOf(tree, a) ? b : a));
  return widestOf(tree, symbol);
}
