// What the comparison found: all findings of a function, the worst first, and where each of them can be seen.
import { weightOf, widestOf } from "./tree.js";

const SEVERITIES = ["severe", "degraded", "maybe", "none"];

// For each symbol its findings, the worst first; those alike stay in the order of the report.
export function findingsBySymbol(findings) {
  const found = new Map();
  for (const finding of findings) found.set(finding.symbol, [...(found.get(finding.symbol) ?? []), finding]);
  for (const list of found.values()) list.sort((one, two) => rankOf(one) - rankOf(two));
  return found;
}

// The worst finding of each symbol: the one whose mark its frames bear.
export function worstBySymbol(findings) {
  return new Map([...findingsBySymbol(findings)].map(([symbol, [worst]]) => [symbol, worst]));
}

export function rankOf(finding) {
  const rank = SEVERITIES.indexOf(finding?.severity);
  return rank < 0 ? SEVERITIES.length : rank;
}

// The word by which reports call a finding.
export function tagOf(finding) {
  return finding?.tag ?? finding?.severity ?? "";
}

function taggedWay(finding) {
  const word = tagOf(finding);
  return word.includes(finding.direction) ? word : `${word}, ${finding.direction}`;
}

// How the change can have come to a function with a finding, in words; empty where nobody asked.
export function reachOf(page, symbol) {
  return page.header.findings.find((finding) => finding.symbol === symbol && finding.reach)?.reach ?? "";
}

// All findings of a function in words; one that speaks of call paths says so where others do not. Its reach is said once.
export function findingWords(page, symbol) {
  const found = page.header.findings
    .filter((finding) => finding.symbol === symbol)
    .sort((one, two) => rankOf(one) - rankOf(two))
    .map((finding) => `finding: ${taggedWay(finding)}${finding.rows?.length ? " in a call path" : ""}${finding.strategies?.length ? ` (${finding.strategies.join(", ")})` : ""}`);
  return [...found, reachOf(page, symbol)].filter(Boolean);
}

// The row where a finding is seen best: the widest of its call paths, or of its function; -1 where there is none.
export function rowOfFinding(tree, { rows, symbol }) {
  if (rows?.length) return rows.reduce((one, two) => (weightOf(tree, two) > weightOf(tree, one) ? two : one));
  return widestOf(tree, symbol);
}
