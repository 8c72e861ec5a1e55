// The source of the selected function before and after, with the cost of each line. Sources are
// inserted as text nodes only.
import { LEVELS, paletteOf } from "./colour.js";
import { element, linkButton, nameElement, themeOf } from "./dom.js";
import { numeral } from "./format.js";
import { costsAt, linesOf } from "./lines.js";
import { outermostOf } from "./merge.js";
import { symbolName, weightOf } from "./tree.js";
import { changeOf, meanOf } from "./words.js";

function unifiedLines([first, second, lines]) {
  let [before, after] = [first, second];
  return lines.map((line) => {
    const mark = { "-": "\u2212", "+": "+" }[line[0]] ?? " ";
    return {
      mark,
      text: line.slice(1),
      before: mark === "+" ? null : before++,
      after: mark === "\u2212" ? null : after++,
    };
  });
}

const NAME = /[A-Za-z_$][\w$]*/g;

function lastPart(name) {
  return name
    .replace(/[<(].*/, "")
    .match(NAME)
    ?.pop();
}

// Returns the widest row of each function that this one calls, by the last part of its name, as its source has it.
function calleesByName(tree, symbol) {
  const found = new Map();
  for (const call of outermostOf(tree, symbol))
    for (let row = call + 1; row < tree.end[call]; row++) {
      if (tree.symbol[row] < 0 || tree.symbol[row] === symbol) continue;
      const name = lastPart(tree.names[tree.symbol[row]]);
      if (!(found.has(name) && weightOf(tree, found.get(name)) >= weightOf(tree, row))) found.set(name, row);
    }
  return found;
}

// Scrolls to the first changed line with a cost, or else to the first changed line.
function showChanged(box) {
  const rows = [...box.querySelectorAll("tr:is(.added, .removed)")];
  const row = rows.find((changed) => changed.querySelector(".cost:not(:empty)")) ?? rows[0];
  if (row) box.scrollTop = row.offsetTop - box.clientHeight / 2;
}

// Makes the content of a pane. Its function `show` shows a function, and `mark` the lines that call a function.
export function makeSourcePane(page, pane) {
  let symbol = -1;

  // Shows a function whose source is known, and otherwise leaves the one that is shown or the first finding's.
  function show(chosen) {
    const known = page.tree.sourceDiffs;
    const wanted = [chosen, symbol, ...page.header.findings.map((finding) => finding.symbol), ...known.keys()];
    symbol = wanted.find((one) => known.has(one)) ?? -1;
    pane.hidden = symbol < 0;
    if (symbol >= 0) render();
  }

  function render() {
    const { hunks, paths, origin } = page.tree.sourceDiffs.get(symbol);
    const lines = linesOf(page, symbol);
    const head = element("div", undefined, "head");
    const title = element("h2", "Source of ");
    title.append(nameElement(symbolName(page.tree, symbol)));
    const [before, after] = paths;
    const named = before && after && before !== after ? `${before} → ${after}` : (after ?? before ?? "");
    head.append(title, element("code", named), element("span", origin, "quiet"));
    pane.replaceChildren(head);
    if (hunks.length) showChanged(pane.appendChild(tableOf(hunks, lines)));
    else pane.append(element("p", "Both versions are the same.", "quiet"));
    if (lines) pane.append(element("p", aboutLines(lines), "quiet"));
  }

  function tableOf(hunks, lines) {
    const box = element("div", undefined, "scroll");
    box.tabIndex = 0;
    box.setAttribute("role", "region");
    box.setAttribute("aria-label", "Source before and after");
    const table = element("table", undefined, "diff");
    const makeRow = makeRowOf(page, lines, calleesByName(page.tree, symbol));
    if (lines) table.append(headOf());
    const body = element("tbody");
    for (const hunk of hunks) {
      if (hunks.length > 1) body.append(separator(`from line ${hunk[0]} before, ${hunk[1]} after`));
      for (const line of unifiedLines(hunk)) body.append(makeRow(line));
    }
    table.append(body);
    box.append(table);
    return box;
  }

  function mark(called) {
    for (const name of pane.querySelectorAll("[data-calls]"))
      name.closest("tr").classList.toggle("calls", Number(name.dataset.calls) === called);
  }

  function aboutLines({ omitted }) {
    const { tree, state } = page;
    const cost = state.basis === "self" ? "self cost" : "cost with the functions that it calls";
    return [
      `Each line has its ${cost}, as the mean per run${page.header.unit === "samples" ? ", in samples" : ""}.`,
      omitted ? `${numeral(omitted)} lines with smaller costs are not shown.` : "",
      tree === page.whole ? "" : "Costs of lines are those of all stacks.",
    ]
      .filter(Boolean)
      .join(" ");
  }

  for (const event of ["scale", "theme"]) page.on(event, () => symbol >= 0 && !pane.closest("[hidden]") && render());
  return { show, mark };
}

const MARK_WORDS = { "\u2212": "removed", "+": "added", " ": "same" };

// Returns a function that makes one row of the table. Without line costs, the row has no cost cells.
function makeRowOf(page, lines, callees) {
  const palette = paletteOf(themeOf(page), page.higher);

  return ({ mark, text, before, after }) => {
    const row = element("tr", undefined, MARK_WORDS[mark]);
    const costs = lines && costsAt(page, lines, before, after);
    const cost = (side) =>
      element("td", costs.costs[side] ? withoutUnit(meanOf(page, costs.costs[side], side)) : "", "cost");
    row.append(
      numberCell(before),
      numberCell(after),
      element("td", mark, "mark"),
      ...(costs ? [cost(0), cost(1), changeCell(costs)] : []),
      codeCell(text),
    );
    return row;
  };

  // The names of called functions are links to their boxes. A box and the lines that call it are marked together.
  function codeCell(text) {
    const cell = element("td", undefined, "line");
    const code = element("code");
    const clean = text.replace(/[\u202a-\u202e\u2066-\u2069]/g, "\ufffd");
    let from = 0;
    for (const { 0: name, index } of clean.matchAll(NAME)) {
      const node = callees.get(name);
      if (node === undefined) continue;
      const link = linkButton(name, () => page.openNode(node));
      link.dataset.calls = page.tree.symbol[node];
      for (const event of ["pointerenter", "focus"]) link.addEventListener(event, () => page.pointTo(node));
      for (const event of ["pointerleave", "blur"]) link.addEventListener(event, () => page.pointTo(-1));
      code.append(clean.slice(from, index), link);
      from = index + name.length;
    }
    code.append(clean.slice(from));
    cell.append(code);
    return cell;
  }

  function changeCell({ costs, change, level }) {
    const cell = element("td", costs[0] || costs[1] ? withoutUnit(changeOf(page, change)) : "", "cost");
    if (level) {
      cell.style.background = palette.fills[level + LEVELS];
      cell.style.color = palette.labels[level + LEVELS];
      cell.prepend(level > 0 ? "▲ " : "▼ ");
    }
    return cell;
  }
}

function withoutUnit(text) {
  return text.replace(" samples", ""); // the unit is named below the table
}

function headOf() {
  const row = element("tr");
  for (const title of ["Old", "New", "", "Before", "After", "Change", "Source"]) {
    const cell = element(title ? "th" : "td", title);
    if (title) cell.scope = "col";
    row.append(cell);
  }
  const head = element("thead");
  head.append(row);
  return head;
}

function separator(text) {
  const row = element("tr", undefined, "hunk");
  const cell = element("td", text);
  cell.colSpan = 7;
  row.append(cell);
  return row;
}

function numberCell(number) {
  return element("td", number ? String(number) : "", "number");
}
