// The chart: a line for each shown benchmark, a band for its range, and marks for jumps with links to the pages that
// show their differences.
import { byId, element, linkButton, svgElement } from "./dom.js";
import { formatSignedShare, formatValue, shorten } from "./format.js";
import { machineChanges, stretchesOf, toneOfChange, wholeChange } from "./evolution_data.js";
import {
  REACH,
  bandPath,
  bridgePath,
  extentOf,
  heightOf,
  labelled,
  linePath,
  nearestLine,
  nearestMark,
  round,
  ticksOf,
  valuesOn,
} from "./evolution_scale.js";

const MARGIN = { top: 28, right: 40, bottom: 34, left: 66 };
const MOST_DOTS = 60; // versions; more dots would merge into one thick line
const LETTERS = 11; // maximum number of characters of a version's name below the axis
const LETTER = 7; // pixels
const NEAR = 48; // pixels; maximum distance from the pointer to the line that it selects
const MARK = 6;
const TONES = 8; // number of colours; further lines are dashed

export function makeChart(page) {
  const place = byId("chart");
  let scene = null;

  function draw() {
    const width = Math.max(place.clientWidth, 240);
    const height = Math.round(Math.max(260, Math.min(window.innerHeight * 0.46, 520)));
    const lines = page.shown.map((line) => valuesOn(line, page.scale));
    const range = extentOf(lines, page.scale);
    const inner = width - MARGIN.left - MARGIN.right;
    const count = page.evolution.versions.length;
    const gap = count > 1 ? inner / (count - 1) : 0;
    const x = (at) => (count > 1 ? MARGIN.left + at * gap : MARGIN.left + inner / 2);
    const y = heightOf(range, page.scale, MARGIN.top, height - MARGIN.bottom);
    scene = { width, height, lines, range, inner, gap, count, x, y, marks: [] };
    const root = svgElement("svg", { width, height, viewBox: `0 0 ${width} ${height}` });
    root.append(
      ...grid(),
      ...versions(),
      ...lines.map((line, at) => drawLine(line, at)),
      cursor(),
      ...lines.flatMap((line, at) => jumpMarks(line, at)),
    );
    place.replaceChildren(root);
    place.setAttribute("aria-label", label());
    light();
  }

  function label() {
    const { name } = page.evolution.metrics[page.state.metric];
    return `${name} of ${page.shown.length} benchmarks over ${scene.count} versions`;
  }

  function grid() {
    const { range, height, width, y } = scene;
    const ticks = ticksOf(range, page.scale, Math.max(3, Math.round(height / 80)));
    const parts = ticks.map((tick) => {
      const at = round(y(tick));
      const part = svgElement("g", { class: tick === 100 && page.scale === "index" ? "tick base" : "tick" });
      part.append(
        svgElement("line", { x1: MARGIN.left, x2: width - MARGIN.right, y1: at, y2: at }),
        text(tickText(tick), MARGIN.left - 10, at + 4, "end"),
      );
      return part;
    });
    const { better } = page.evolution.metrics[page.state.metric];
    const unit = page.scale === "index" ? "100 = first version" : "";
    parts.push(
      text([unit, better === "higher" ? "higher is better" : ""].filter(Boolean).join(", "), MARGIN.left, 16, "start"),
    );
    return parts;
  }

  function tickText(tick) {
    return page.scale === "index" ? String(tick) : formatValue(tick, page.evolution.metrics[page.state.metric].unit);
  }

  function versions() {
    const { x, y, height, inner, count, range } = scene;
    const bottom = height - MARGIN.bottom;
    const axis = svgElement("g", { class: "versions" });
    const longest = Math.min(LETTERS, Math.max(...page.evolution.versions.map(({ name }) => name.length)));
    const chosen = new Set(labelled(count, inner, longest * LETTER + 14));
    const half = Math.min(Math.max(scene.gap / 2, 2), 14);
    page.evolution.versions.forEach((version, at) => {
      if (version.problem) {
        const missing = svgElement("g", { class: "missing" });
        missing.append(
          svgElement("rect", {
            x: round(x(at) - half),
            y: MARGIN.top,
            width: round(2 * half),
            height: bottom - MARGIN.top,
          }),
          text("×", x(at), bottom - 5, "middle"),
          title(`${version.name}: ${version.problem}`),
        );
        axis.append(missing);
      }
      if (chosen.has(at)) {
        const name = text(shorten(version.name, LETTERS), x(at), bottom + 20, "middle");
        name.append(title([version.name, version.subject].filter(Boolean).join(": ")));
        axis.append(name, svgElement("line", { x1: x(at), x2: x(at), y1: bottom, y2: bottom + 5 }));
      }
    });
    for (const at of machineChanges(page.evolution.versions)) {
      const rule = svgElement("g", { class: "machine" });
      const middle = round((x(at) + x(at - 1)) / 2);
      const isLate = middle > MARGIN.left + inner / 2;
      rule.append(
        svgElement("line", { x1: middle, x2: middle, y1: MARGIN.top, y2: bottom }),
        text("other machine", isLate ? middle - 4 : middle + 4, MARGIN.top + 10, isLate ? "end" : "start"),
        title(page.evolution.versions[at].machine),
      );
      axis.append(rule);
    }
    axis.append(
      svgElement("line", {
        class: "floor",
        x1: MARGIN.left,
        x2: MARGIN.left + inner,
        y1: round(y(range[0])),
        y2: round(y(range[0])),
      }),
    );
    return [axis];
  }

  function drawLine(line, at) {
    const { x, y, count } = scene;
    const part = svgElement("g", { class: `line ${toneOf(at)}`, "data-line": line.number });
    const band = bandPath(line, x, y);
    if (band) part.append(svgElement("path", { class: "band", d: band }));
    part.append(
      svgElement("path", { class: "stroke", d: linePath(line, x, y) }),
      svgElement("path", { class: "stroke bridge", d: bridgePath(line, x, y) }),
    );
    for (const [first, last] of stretchesOf(line)) {
      const dots = count <= MOST_DOTS ? last : first === last ? first : first - 1;
      for (let number = first; number <= dots; number++)
        part.append(
          svgElement("circle", {
            cx: round(x(number)),
            cy: round(y(line.middle[number])),
            r: first === last ? 3.5 : 2.5,
          }),
        );
    }
    for (const number of line.breaks.filter((at) => Number.isFinite(line.middle[at]))) {
      const mark = text("◇", x(number), y(line.middle[number]) - 8, "middle");
      mark.setAttribute("class", "break");
      mark.append(
        title(`${line.name}: the source of the benchmark changed in ${page.evolution.versions[number].name}`),
      );
      part.append(mark);
    }
    return part;
  }

  function jumpMarks(line, at) {
    return page.jumpsOf(line.number).map((jump) => {
      const left = round(scene.x(jump.to));
      const middle = round(scene.y(line.middle[jump.to]));
      const mark = svgElement(jump.href ? "a" : "g", {
        class: `jump ${jump.worse ? "worse" : "better"} ${toneOf(at)}`,
        "data-line": line.number,
      });
      if (jump.href) mark.setAttribute("href", jump.href);
      else mark.setAttribute("role", "img");
      const words = page.jumpText(jump);
      mark.setAttribute("aria-label", jump.href ? `${words}; open the difference` : words);
      const tip = jump.worse ? middle - MARK - 5 : middle + MARK + 5;
      scene.marks.push({ at: jump.to, line: line.number, left, top: middle, arrow: tip, part: mark });
      const base = jump.worse ? tip + MARK * 1.6 : tip - MARK * 1.6;
      mark.append(
        svgElement("circle", { class: "target", cx: left, cy: middle, r: REACH }),
        svgElement("circle", { class: "spot", cx: left, cy: middle, r: 4 }),
        svgElement("path", {
          d:
            `M${left} ${tip - (jump.worse ? 4 : -4)}L${left + MARK} ` +
            `${base - (jump.worse ? 4 : -4)}L${left - MARK} ${base - (jump.worse ? 4 : -4)}Z`,
        }),
      );
      return mark;
    });
  }

  function cursor() {
    return svgElement("line", {
      class: "cursor",
      y1: MARGIN.top,
      y2: scene.height - MARGIN.bottom,
      visibility: "hidden",
    });
  }

  // Highlights the version, and the line near the pointer.
  function light() {
    const rule = place.querySelector(".cursor");
    const at = page.hover?.at ?? page.state.at;
    const line = page.hover ? page.hover.line : page.state.line;
    rule.setAttribute("visibility", at === null ? "hidden" : "visible");
    if (at !== null) for (const end of ["x1", "x2"]) rule.setAttribute(end, scene.x(at));
    place.classList.toggle("chosen", line !== null);
    place.classList.toggle("pointed", page.hover !== null);
    for (const mark of scene.marks) mark.part.classList.toggle("under-pointer", mark === page.hover?.mark);
    for (const part of /** @type {NodeListOf<SVGElement>} */ (place.querySelectorAll("[data-line]")))
      part.classList.toggle("lit", Number(part.dataset.line) === line);
    for (const item of byId("shown").children) item.classList.toggle("lit", Number(item.dataset.line) === line);
  }

  function under(event) {
    const box = place.getBoundingClientRect();
    const left = event.clientX - box.left;
    const top = event.clientY - box.top;
    return { left, top, mark: nearestMark(scene.marks, left, top, page.state.line) };
  }

  function point(event) {
    const { left, top, mark } = under(event);
    const at = mark?.at ?? (scene.count > 1 ? Math.round((left - MARGIN.left) / scene.gap) : 0);
    if (at < 0 || at >= scene.count || left < MARGIN.left - 20) return leave();
    const line = nearestLine(scene.lines, at, scene.y, top);
    const near = mark ? mark.line : line && Math.abs(scene.y(line.middle[at]) - top) <= NEAR ? line.number : null;
    const moved = !page.hover || page.hover.at !== at || page.hover.line !== near || page.hover.mark !== mark;
    page.hover = { at, line: near, mark };
    if (moved) {
      light();
      fillTip(page, byId("tip"), at, near);
    }
    showTip(event.clientX, event.clientY);
  }

  function showTip(left, top) {
    const tip = byId("tip");
    tip.hidden = false;
    const { width, height } = tip.getBoundingClientRect();
    const room = document.documentElement.clientWidth;
    tip.style.left = `${left + 18 + width > room ? Math.max(left - width - 18, 8) : left + 18}px`;
    tip.style.top = `${Math.max(8, Math.min(top - height / 2, window.innerHeight - height - 8))}px`;
  }

  function leave() {
    if (!page.hover) return;
    page.hover = null;
    byId("tip").hidden = true;
    light();
  }

  // A touch hits the topmost element, because no pointer movement has highlighted a mark before.
  function openMark(event, pressed) {
    const mark = under(event).mark?.part;
    if (!mark || mark === pressed) return;
    event.preventDefault();
    if (mark.hasAttribute("href")) location.assign(mark.getAttribute("href"));
  }

  for (const kind of ["pointerdown", "pointermove"]) place.addEventListener(kind, point);
  place.addEventListener("pointerleave", leave);
  place.addEventListener("click", (event) => {
    const pressed = /** @type {Element} */ (event.target).closest("a");
    if (pressed) return event.detail > 0 ? openMark(event, pressed) : undefined;
    if (!page.hover) return;
    page.choose(page.hover.at, page.hover.line ?? page.state.line);
  });
  new ResizeObserver(() => scene && scene.width !== Math.max(place.clientWidth, 240) && draw()).observe(place);
  return { draw, light };
}

function toneOf(at) {
  return `tone${at % TONES}${at >= TONES ? " dashed" : ""}`;
}

// Lists the lines beside the chart: colour, name and overall change.
export function fillShown(page) {
  byId("shown").replaceChildren(
    ...page.shown.map((line, at) => {
      const item = element("li", undefined, "");
      item.dataset.line = line.number;
      const last = line.middle.findLastIndex(Number.isFinite);
      const open = linkButton("", () => page.choose(page.state.at ?? last, line.number));
      open.append(element("bdi", line.name));
      open.title = line.name;
      const change = wholeChange(line);
      item.append(
        element("i", undefined, `swatch ${toneOf(at)}`),
        open,
        element("span", change === null ? "" : formatSignedShare(change), toneOfChange(page, line, change)),
      );
      item.addEventListener("pointerenter", () => {
        page.hover = { at: null, line: line.number };
        page.chart.light();
      });
      item.addEventListener("pointerleave", () => {
        page.hover = null;
        page.chart.light();
      });
      return item;
    }),
  );
}

function fillTip(page, tip, at, lit) {
  const version = page.evolution.versions[at];
  const head = element("b");
  head.append(element("bdi", shorten(version.name, 60)));
  const rows = page.shown
    .filter((line) => Number.isFinite(line.middle[at]))
    .sort((a, b) => b.middle[at] - a.middle[at])
    .map((line) => {
      const row = element("tr", undefined, line.number === lit ? "lit" : "");
      const name = element("th");
      name.append(
        element("i", undefined, `swatch ${toneOf(page.shown.indexOf(line))}`),
        element("bdi", shorten(line.name, 42)),
      );
      const jump = page.jumpsOf(line.number).find(({ to }) => to === at);
      row.append(
        name,
        element("td", page.valueText(line, at)),
        element("td", page.spreadText(line, at), "spread"),
        element(
          "td",
          jump ? `${jump.worse ? "▲" : "▼"} ${page.ratioText(jump)}` : "",
          jump ? (jump.worse ? "worse" : "better") : "",
        ),
      );
      return row;
    });
  const table = element("table");
  table.append(...rows);
  tip.replaceChildren(
    head,
    ...(version.subject ? [element("p", shorten(version.subject, 90))] : []),
    ...(version.problem ? [element("p", shorten(version.problem, 160))] : []),
    table,
  );
}

export function spreadOf(line, at, format) {
  return line.count[at] > 1 && line.high[at] > line.low[at]
    ? `${format(line.low[at])} to ${format(line.high[at])}`
    : "";
}

function text(content, x, y, anchor) {
  return svgElement("text", { x: round(x), y: round(y), "text-anchor": anchor }, content);
}

function title(content) {
  return svgElement("title", {}, content);
}
