// The tables: every jump with a link to the page that shows its difference, and every benchmark with a sparkline.
import { byId, element, linkButton, makeButton, svgElement } from "./dom.js";
import { formatShare, formatSignedShare, numeral, shorten } from "./format.js";
import { largestJump, matching, toneOfChange, wholeChange } from "./evolution_data.js";
import { bridgePath, extentOf, heightOf, linePath } from "./evolution_scale.js";

const ROWS = 25;
const MORE = 100;
const NAME_LETTERS = 100; // characters of a name; the full name of a selected benchmark is shown below the chart
const SPARK = { width: 120, height: 26 };

export function makeTables(page) {
  const shownRows = { jumps: ROWS, benchmarks: ROWS };
  const order = { jumps: { key: "size", down: true }, benchmarks: { key: "largest", down: true } };
  const columns = { jumps: jumpColumns(page), benchmarks: benchmarkColumns(page) };

  function fill() {
    const lines = matching(page.lines, page.state.query);
    const jumps = lines.flatMap((line) => page.jumpsOf(line.number));
    show("jumps", jumps, jumps.length === 1 ? "jump" : "jumps");
    show("benchmarks", lines, lines.length === 1 ? "benchmark" : "benchmarks");
  }

  function show(name, rows, noun) {
    const { key, down } = order[name];
    const { value } = columns[name].find((column) => column.key === key);
    const sorted = rows
      .map((row, at) => [row, value(row), at])
      .sort((a, b) => (down ? -1 : 1) * ranked(a[1], b[1]) || a[2] - b[2]);
    const table = byId(name);
    table.tHead.replaceChildren(head(name));
    table.tBodies[0].replaceChildren(...sorted.slice(0, shownRows[name]).map(([row]) => body(name, row)));
    byId(`${name.slice(0, -1)}-count`).textContent = `${rows.length.toLocaleString("en")} ${noun}`;
    const left = rows.length - shownRows[name];
    const more = byId(`more-${name}`);
    more.hidden = left <= 0;
    more.textContent = left > MORE ? `Show ${numeral(MORE)} more of ${numeral(left)}` : `Show ${numeral(left)} more`;
  }

  function head(name) {
    const row = element("tr");
    for (const { key, title, fixed, words } of columns[name]) {
      const cell = element("th");
      cell.scope = "col";
      if (words) cell.className = "words";
      if (fixed) cell.append(element("span", title, title === "Line" ? "" : "unseen"));
      else {
        const chosen = order[name];
        const sort = makeButton(title, () => {
          order[name] = { key, down: chosen.key === key ? !chosen.down : key !== "name" };
          fill();
          byId(name).tHead.querySelector(`[data-key="${key}"]`).focus();
        });
        sort.dataset.key = key;
        if (chosen.key === key) cell.setAttribute("aria-sort", chosen.down ? "descending" : "ascending");
        cell.append(sort);
      }
      row.append(cell);
    }
    return row;
  }

  function body(name, row) {
    const line = element("tr");
    line.append(...columns[name].map(({ cell }) => cell(row)));
    return line;
  }

  for (const name of ["jumps", "benchmarks"]) {
    byId(`more-${name}`).addEventListener("click", () => {
      shownRows[name] += MORE;
      fill();
    });
  }
  return { fill };
}

function ranked(a, b) {
  if (a === b) return 0;
  if (a === null || b === null) return a === null ? -1 : 1;
  return a < b ? -1 : 1;
}

function jumpColumns(page) {
  const line = (jump) => page.evolution.lines[jump.line];
  const version = (at) => page.evolution.versions[at].name;
  return [
    {
      key: "name",
      title: "Benchmark",
      value: (jump) => line(jump).name,
      cell: (jump) => nameCell(line(jump).name, () => page.choose(jump.to, jump.line)),
    },
    {
      key: "size",
      title: "Change",
      value: (jump) => jump.size,
      cell: (jump) =>
        element("td", `${jump.worse ? "▲" : "▼"} ${page.ratioText(jump)}`, jump.worse ? "worse" : "better"),
    },
    {
      key: "to",
      title: "Versions",
      words: true,
      value: (jump) => jump.to,
      cell: (jump) => {
        const cell = element("td", `${version(jump.from)} → ${version(jump.to)}`, "words");
        cell.append(element("small", page.evolution.versions[jump.to].subject));
        return cell;
      },
    },
    {
      key: "before",
      title: "Before",
      value: (jump) => jump.values[0],
      cell: (jump) => element("td", page.format(jump.values[0])),
    },
    {
      key: "after",
      title: "After",
      value: (jump) => jump.values[1],
      cell: (jump) => element("td", page.format(jump.values[1])),
    },
    {
      key: "noise",
      title: "Noise",
      value: (jump) => jump.noise,
      cell: (jump) => element("td", jump.noise > 0 ? `± ${formatShare(Math.expm1(jump.noise))}` : "none", "quiet-cell"),
    },
    { key: "open", title: "Difference", fixed: true, cell: openCell },
  ];

  function openCell(jump) {
    const cell = element("td");
    if (!jump.href) return cell;
    const link = element("a", "Difference");
    link.href = jump.href;
    link.setAttribute("aria-label", `Difference of ${page.jumpText(jump)}`);
    cell.append(link);
    return cell;
  }
}

function benchmarkColumns(page) {
  return [
    {
      key: "name",
      title: "Benchmark",
      value: (line) => line.name,
      cell: (line) => nameCell(line.name, () => page.showOnly(line.number)),
    },
    { key: "largest", title: "Largest jump", value: (line) => largestJump(line), cell: largestCell },
    { key: "spark", title: "Line", fixed: true, words: true, cell: sparkCell },
    {
      key: "last",
      title: "Latest",
      value: (line) => lastOf(line),
      cell: (line) => element("td", lastOf(line) === null ? "" : page.format(lastOf(line))),
    },
    {
      key: "whole",
      title: "Whole change",
      value: wholeChange,
      cell: (line) => changeCell(page, line, wholeChange(line)),
    },
    {
      key: "count",
      title: "Jumps",
      value: (line) => line.jumps.length,
      cell: (line) => element("td", line.jumps.length ? String(line.jumps.length) : ""),
    },
    {
      key: "state",
      title: "Source",
      words: true,
      value: (line) => line.breaks.length,
      cell: (line) => element("td", line.breaks.length ? "changed" : line.known ? "same" : "unknown", "words"),
    },
    { key: "show", title: "Shown", fixed: true, cell: showCell },
  ];

  function largestCell(line) {
    const jump = line.jumps.reduce((best, next) => (!best || next.size > best.size ? next : best), null);
    return jump
      ? element("td", `${jump.worse ? "▲" : "▼"} ${page.ratioText(jump)}`, jump.worse ? "worse" : "better")
      : element("td");
  }

  function showCell(line) {
    const cell = element("td");
    const isShown = page.shown.includes(line);
    const button = makeButton(isShown ? "−" : "+", () => page.toggle(line.number));
    button.setAttribute("aria-pressed", String(isShown));
    button.setAttribute("aria-label", `Show ${line.name} in the chart`);
    button.dataset.toggle = line.number;
    cell.append(button);
    return cell;
  }
}

function nameCell(name, action) {
  const cell = element("th");
  cell.scope = "row";
  const open = linkButton("", action);
  open.append(element("bdi", shorten(name, NAME_LETTERS)));
  open.title = name;
  cell.append(open);
  return cell;
}

function changeCell(page, line, change) {
  return element("td", change === null ? "" : formatSignedShare(change), toneOfChange(page, line, change));
}

function lastOf(line) {
  return line.middle.findLast(Number.isFinite) ?? null;
}

// A sparkline with its own axis.
function sparkCell(line) {
  const cell = element("td", undefined, "spark");
  const range = extentOf([line], "log");
  const count = line.middle.length;
  const x = (at) => 4 + (count > 1 ? (at * (SPARK.width - 8)) / (count - 1) : SPARK.width / 2);
  // a range below a tenth of the largest value does not fill the height, so flat lines look flat
  const room = Math.max(Math.log(1.1), Math.log(range[1] / range[0])) - Math.log(range[1] / range[0]);
  const wide = [range[0] * Math.exp(-room / 2), range[1] * Math.exp(room / 2)];
  const y = heightOf(wide, "log", 3, SPARK.height - 3);
  const picture = svgElement("svg", { width: SPARK.width, height: SPARK.height, "aria-hidden": "true" });
  picture.append(svgElement("path", { d: linePath(line, x, y) + bridgePath(line, x, y) }));
  for (const jump of line.jumps)
    picture.append(
      svgElement("circle", {
        class: jump.worse ? "worse" : "better",
        cx: x(jump.to),
        cy: y(line.middle[jump.to]),
        r: 3,
      }),
    );
  cell.append(picture);
  return cell;
}
