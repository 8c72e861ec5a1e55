// The table of functions: sorts and filters functions, and opens one in the graph.
import { byId, element, linkButton, makeButton, placeElement } from "./dom.js";
import { reachOf, tagOf } from "./findings.js";
import { counted, formatShare, growthOf, numeral } from "./format.js";
import { sortRows, symbolRows } from "./symbols.js";
import { glyphOf } from "./draw.js";
import { isEdited, placeOfSymbol, rowsOfSymbol, symbolName } from "./tree.js";
import { SOURCE_WORDS, changeOf, isNear, meanOf } from "./words.js";

const ROWS_AT_FIRST = 25;
const ROWS_MORE = 200;
const WORD_COLUMNS = new Set(["severity", "reach", "source"]);
const TEXT_COLUMNS = new Set(["name", "reach", "source"]); // sorted in ascending order first

const COLUMNS = [
  { key: "name", title: "Function" },
  {
    key: "severity",
    title: "Finding",
    help: "Findings of the comparison on this function",
    needs: (page) => page.findings.size > 0,
  },
  { key: "before", title: "Before", needs: compares },
  { key: "after", title: "After" },
  { key: "delta", title: "Change", help: "Sorted by size, without the sign", needs: compares },
  { key: "relative", title: "Relative", needs: compares },
  { key: "afterSelf", title: "Self after", help: "Cost outside of called functions" },
  { key: "selfDelta", title: "Self change", help: "Change outside of called functions", needs: compares },
  {
    key: "responsibility",
    title: "Responsibility",
    help: "Change of this function as a part of the net change; more than 100 % if other functions became faster",
    needs: totalChanged,
  },
  {
    key: "overweight",
    title: "Overweight",
    help: "100 % = grew in proportion to the whole program",
    needs: totalChanged,
  },
  {
    key: "reach",
    title: "Reach",
    help: "How the change reaches the function",
    needs: (page) => page.header.findings.some((finding) => finding.reach),
  },
  { key: "source", title: "Source", help: "Whether its source changed", needs: (page) => Boolean(page.whole.sources) },
];

function compares(page) {
  return !page.header.alone;
}

function totalChanged(page) {
  return page.header.total_changed;
}

export function makeTable(page) {
  let table;
  let stale = true;
  let shownRows = ROWS_AT_FIRST;
  // the findings come first, in the order of the report, and then the largest changes
  let sort = page.header.alone ? "after" : page.findings.size ? "severity" : "delta";
  let descending = true;
  const names = page.header.alone ? { after: "Total", afterSelf: "Self" } : {};
  const columns = COLUMNS.filter((column) => column.needs?.(page) ?? true).map((column) => ({
    ...column,
    title: names[column.key] ?? column.title,
  }));

  // Times, sizes and counts choose their unit by their size; any other unit is stated above the table instead.
  const unit = ["nanoseconds", "bytes", "count"].includes(page.header.unit) ? "" : page.header.unit;

  // Returns a value without its unit.
  function bare(text) {
    return unit && text.endsWith(` ${unit}`) ? text.slice(0, -unit.length - 1) : text;
  }

  // A hidden table is filled when it is shown or printed.
  function refresh() {
    if (stale && (page.printing || !byId("panel-symbols").hidden)) fill();
  }

  function fill() {
    stale = false;
    table = symbolRows(page.tree, page.tableRatio);
    for (const row of table.rows) {
      const own = page.findings.get(row.symbol);
      row.severity = own ? -page.header.findings.indexOf(own) : null;
      row.reach = reachOf(page, row.symbol) || null;
      row.source = page.tree.sources?.[row.symbol] ?? null;
    }
    show();
  }

  function note() {
    if (!table.rows.length) return "No function has a value.";
    const notes = unit ? [`Costs in ${unit}.`] : [];
    if (page.header.estimated)
      notes.push("This profile has callers and callees, but no stacks to draw as a flame graph.");
    if (!totalChanged(page)) return notes.join(" ");
    if (page.state.k === "total")
      notes.push("Responsibility and overweight ignore the scale, because equal totals have no change to explain.");
    if (!table.growth) notes.push("Both totals are equal, so there is no change to explain.");
    else if (table.small) notes.push("The change of the whole is too small to explain by functions.");
    else notes.push("An overweight of 100 % means that a function grew by the same factor as the whole.");
    return notes.join(" ");
  }

  function show() {
    byId("table-note").textContent = note();
    byId("panel-symbols").classList.toggle("unrated", table.small);
    byId("columns").replaceChildren(...columns.map(headCell), spareHead());
    const filter = byId("filter").value.toLowerCase();
    const matching = sortRows(table.rows, sort, descending).filter(
      (row) =>
        !filter ||
        row.name.toLowerCase().includes(filter) ||
        placeOfSymbol(page.tree, row.symbol).toLowerCase().includes(filter),
    );
    byId("rows").replaceChildren(...matching.slice(0, shownRows).map(bodyRow));
    const left = matching.length - shownRows;
    byId("more-rows").hidden = left <= 0;
    byId("more-rows").textContent = `Show ${numeral(Math.min(left, ROWS_MORE))} more of ${numeral(left)}`;
    byId("row-count").textContent = counted(matching.length, "function");
  }

  function headCell({ key, title, help }) {
    const cell = element("th");
    cell.scope = "col";
    if (WORD_COLUMNS.has(key)) cell.className = "words";
    const button = makeButton(title, () => {
      descending = sort === key ? !descending : !TEXT_COLUMNS.has(key);
      sort = key;
      show();
      byId("columns").children[columns.findIndex((other) => other.key === key)].firstChild.focus();
    });
    if (help) button.title = help;
    if (sort === key) cell.setAttribute("aria-sort", descending ? "descending" : "ascending");
    cell.append(button);
    return cell;
  }

  function spareHead() {
    const cell = element("th");
    cell.append(element("span", "Actions", "unseen"));
    return cell;
  }

  function bodyRow(row) {
    const line = element("tr");
    const near = isNear(row.after, row.after - row.delta) || !row.delta;
    const isInGraph = (node) => page.scale.level[node] * row.delta > 0;
    const isColoured = !near && rowsOfSymbol(page.tree, row.symbol).some(isInGraph);
    const tone = !isColoured ? "" : row.delta > 0 === !page.higher ? "worse" : "better";
    const cells = {
      name: () => nameCell(row),
      severity: () => findingCell(row),
      before: () => element("td", bare(meanOf(page, row.before, 0))),
      after: () => element("td", bare(meanOf(page, row.after, 1))),
      delta: () => element("td", bare(changeOf(page, near ? 0 : row.delta, page.tableRatio)), tone),
      relative: () =>
        element("td", row.state === "both" && near ? "0 %" : growthOf(row.after - row.delta, row.after), tone),
      afterSelf: () => element("td", bare(meanOf(page, row.afterSelf, 1))),
      selfDelta: () => element("td", bare(changeOf(page, row.selfDelta, page.tableRatio))),
      responsibility: () => element("td", formatShare(row.responsibility), "rating"),
      overweight: () =>
        element("td", formatShare(row.overweight), Math.abs(row.responsibility) >= 0.05 ? "rating" : "rating weak"),
      reach: () => element("td", row.reach ?? "", "words"),
      source: () => element("td", row.source === "unknown" ? "" : row.source, "words"),
    };
    for (const { key, title } of columns) {
      const cell = cells[key]();
      cell.dataset.title = title; // of the cards on a phone
      line.append(cell);
    }
    line.append(actionCell(row));
    if (line.querySelector("td.words") && row.source) line.lastChild.previousSibling.title = SOURCE_WORDS[row.source];
    return line;
  }

  function findingCell(row) {
    const finding = page.findings.get(row.symbol);
    const [basis, , growth] = finding?.change ?? ["", "", ""];
    return element("td", [tagOf(finding), `${basis}${growth}`].filter(Boolean).join(", "), "words");
  }

  function nameCell(row) {
    const cell = element("th");
    cell.scope = "row";
    const open = linkButton("", () => {
      page.openSymbol(row.symbol);
      if (!page.header.estimated) page.chooseNode(page.state.zoom[0], 0);
    });
    open.append(
      glyphOf("both", 0, page.findings.get(row.symbol), isEdited(row.source)),
      element("bdi", symbolName(page.tree, row.symbol)),
    );
    open.title = page.header.estimated ? "Show its source and runs" : "Show in the graph";
    cell.append(open);
    const place = placeOfSymbol(page.tree, row.symbol);
    if (place) cell.append(placeElement(place));
    return cell;
  }

  function actionCell(row) {
    const cell = element("td");
    const name = symbolName(page.tree, row.symbol);
    const sandwich = makeButton("⇕", () => page.openSandwich(row.symbol));
    sandwich.title = "Show its callers and callees";
    sandwich.setAttribute("aria-label", `Show callers and callees of ${name}`);
    if (!page.header.estimated) cell.append(sandwich);
    return cell;
  }

  byId("filter").addEventListener("input", () => {
    shownRows = ROWS_AT_FIRST;
    show();
  });
  byId("more-rows").addEventListener("click", () => {
    shownRows += ROWS_MORE;
    show();
  });
  page.on("scale", () => {
    stale = true;
    refresh();
  });
  for (const event of ["tab", "theme"]) page.on(event, refresh);
  fill();
}
