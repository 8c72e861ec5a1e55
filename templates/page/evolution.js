// Opens the evolution: decodes the data, connects the chart and the tables, and stores the state in the URL.
import { announce, byId, element, radioChoices, showFragment } from "./dom.js";
import { formatSignedShare, formatValue } from "./format.js";
import { MOST_SHOWN, matching, rankedLines, readEvolution } from "./evolution_data.js";
import { fillShown, makeChart, spreadOf } from "./evolution_chart.js";
import { makeTables } from "./evolution_tables.js";
import { showFailure, unpack } from "./packed.js";

const SCALES = { index: "Index", linear: "Linear", log: "Log" };
const dark = window.matchMedia("(prefers-color-scheme: dark)");

async function start() {
  const evolution = readEvolution(JSON.parse(new TextDecoder().decode(await unpack("data"))));
  byId("static").remove();
  byId("app").hidden = false;
  makeEvolution(evolution);
}

function makeEvolution(evolution) {
  const page = {
    evolution,
    hover: null,
    state: { metric: evolution.metric, scale: "", query: "", chosen: null, at: null, line: null },
  };
  const ranked = [];
  page.jumpsOf = (number) => evolution.lines[number].jumps;
  page.format = (value) => formatValue(value, evolution.metrics[page.state.metric].unit);
  page.valueText = (line, at) => page.format(line.middle[at]);
  page.spreadText = (line, at) => spreadOf(line, at, page.format);
  page.ratioText = (jump) => (jump.ratio === null ? "from zero" : formatSignedShare(jump.ratio));
  page.jumpText = (jump) =>
    `${evolution.lines[jump.line].name}, ${evolution.versions[jump.from].name} to ` +
    `${evolution.versions[jump.to].name}: ${jump.worse ? "worse" : "better"}, ${page.ratioText(jump)}`;
  page.choose = choose;
  page.toggle = toggle;
  page.showOnly = (number) => set({ chosen: [number], line: number });
  page.chart = makeChart(page);
  page.tables = makeTables(page);

  function renew() {
    const { metric, query, chosen } = page.state;
    page.lines = ranked[metric] ??= rankedLines(evolution, metric);
    const open = chosen ? page.lines.filter((line) => chosen.includes(line.number)) : matching(page.lines, query);
    page.shown = open.slice(0, MOST_SHOWN);
    if (!page.shown.some((line) => line.number === page.state.line)) page.state.line = null;
    page.scale = page.state.scale || (page.shown.length > 1 ? "index" : "linear");
    page.chart.draw();
    fillShown(page);
    page.chart.light();
    page.tables.fill();
    showDetails();
    press("metrics", String(metric));
    press("scales", page.scale);
    const left = open.length - page.shown.length;
    byId("chart-hint").textContent = [
      left > 0 ? `${left.toLocaleString("en")} more match; use the filter or the table below to show them.` : "",
      "▲ and ▼ mark jumps for the worse and the better; a jump " +
        "whose profiles are stored is a link to their difference.",
    ]
      .filter(Boolean)
      .join(" ");
    writeAddress();
  }

  function set(change) {
    Object.assign(page.state, change);
    renew();
  }

  function toggle(number) {
    const now = page.shown.map((line) => line.number);
    const next = now.includes(number) ? now.filter((other) => other !== number) : [number, ...now].slice(0, MOST_SHOWN);
    set({ chosen: next.length ? next : null });
    /** @type {HTMLElement} */ (document.querySelector(`[data-toggle="${number}"]`))?.focus();
  }

  // Selects a version and a line. A hidden line becomes visible.
  function choose(at, number) {
    if (number !== null && !page.shown.some((line) => line.number === number)) {
      const others = page.shown.map((line) => line.number).slice(0, MOST_SHOWN - 1);
      set({ chosen: [number, ...others] });
    }
    Object.assign(page.state, { at, line: number });
    page.chart.light();
    showDetails();
    announce(byId("details").textContent);
  }

  // Shows the selected version and value as text.
  function showDetails() {
    const { at, line } = page.state;
    const place = byId("details");
    if (at === null) {
      place.replaceChildren(element("span", "Point at a version, or move with the arrow keys."));
      return;
    }
    const version = evolution.versions[at];
    const parts = [
      element("b", version.name),
      element(
        "span",
        [version.commit?.startsWith(version.name) ? "" : version.commit?.slice(0, 10), version.subject, version.problem]
          .filter(Boolean)
          .join(" · "),
      ),
    ];
    if (line !== null) {
      const chosen = evolution.lines[line];
      const jump = page.jumpsOf(line).find(({ to }) => to === at);
      const value = Number.isFinite(chosen.middle[at])
        ? [page.valueText(chosen, at), page.spreadText(chosen, at)].filter(Boolean).join(", ")
        : "no value";
      parts.push(element("p", `${chosen.name}: ${value}`));
      if (chosen.breaks.includes(at)) parts.push(element("p", "The source of the benchmark changed here."));
      if (jump) parts.push(jumpLine(jump));
    }
    place.replaceChildren(...parts);
  }

  function jumpLine(jump) {
    const words =
      `${jump.worse ? "▲" : "▼"} ${page.ratioText(jump)} against ${evolution.versions[jump.from].name}, ` +
      `from ${page.format(jump.values[0])} to ${page.format(jump.values[1])}`;
    const made = element("p", words, jump.worse ? "worse" : "better");
    if (jump.href) {
      const link = element("a", "Open the difference (Enter)");
      link.href = jump.href;
      made.append(" ", link);
    }
    return made;
  }

  function step(direction) {
    const count = evolution.versions.length;
    const at = page.state.at ?? (direction > 0 ? -1 : count);
    choose(Math.max(0, Math.min(count - 1, at + direction)), page.state.line ?? page.shown[0]?.number ?? null);
  }

  function climb(direction) {
    const at = page.state.at ?? evolution.versions.length - 1;
    const here = page.shown
      .filter((line) => Number.isFinite(line.middle[at]))
      .sort((a, b) => b.middle[at] - a.middle[at]);
    if (!here.length) return;
    const place = here.findIndex((line) => line.number === page.state.line);
    choose(at, here[place < 0 ? 0 : Math.max(0, Math.min(here.length - 1, place + direction))].number);
  }

  function walkJumps(direction) {
    const all = page.shown.flatMap((line) => page.jumpsOf(line.number)).sort((a, b) => a.to - b.to || a.line - b.line);
    if (!all.length) return announce("No jump is shown.");
    const now = all.findIndex((jump) => jump.to === page.state.at && jump.line === page.state.line);
    const next = now < 0 ? (direction > 0 ? 0 : all.length - 1) : (now + direction + all.length) % all.length;
    choose(all[next].to, all[next].line);
  }

  function openJump() {
    const { at, line } = page.state;
    const jump = line === null ? undefined : page.jumpsOf(line).find(({ to }) => to === at);
    if (jump?.href) location.assign(jump.href);
    else
      announce(
        jump
          ? "This jump has no page: its runs stored no profile with calls, or smaller jumps were left out (--pages)."
          : "There is no jump here.",
      );
  }

  const chartKeys = {
    ArrowLeft: () => step(-1),
    ArrowRight: () => step(1),
    ArrowUp: () => climb(-1),
    ArrowDown: () => climb(1),
    Home: () => choose(0, page.state.line),
    End: () => choose(evolution.versions.length - 1, page.state.line),
    Enter: openJump,
  };
  const pageKeys = {
    "/": () => byId("query").focus(),
    n: () => walkJumps(1),
    N: () => walkJumps(-1),
    Escape: reset,
    "?": toggleHelp,
  };

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const target = /** @type {HTMLElement} */ (event.target);
    const typing = target.matches("input[type=search]");
    if (typing && event.key === "Escape") target.blur();
    const action = (event.target === byId("chart") && chartKeys[event.key]) || (!typing && pageKeys[event.key]);
    if (!action) return;
    event.preventDefault();
    action();
  });

  function reset() {
    byId("query").value = "";
    set({ query: "", chosen: null, at: null, line: null });
  }

  function press(id, value) {
    for (const input of byId(id).querySelectorAll("input")) input.checked = input.value === value;
  }

  function readAddress() {
    const fragment = new URLSearchParams(location.hash.slice(1));
    const metric = evolution.metrics.findIndex(({ name }) => name === fragment.get("metric"));
    if (metric >= 0) page.state.metric = metric;
    if (Object.hasOwn(SCALES, fragment.get("scale") ?? "")) page.state.scale = fragment.get("scale");
    page.state.query = fragment.get("q") ?? "";
    byId("query").value = page.state.query;
    const named = fragment.getAll("show");
    const chosen = evolution.lines
      .filter((line) => line.metric === page.state.metric && named.includes(line.name))
      .map((line) => line.number);
    page.state.chosen = chosen.length ? chosen : null;
  }

  function writeAddress() {
    const { metric, scale, query, chosen } = page.state;
    const fragment = new URLSearchParams();
    if (metric !== evolution.metric) fragment.set("metric", evolution.metrics[metric].name);
    if (scale) fragment.set("scale", scale);
    if (query) fragment.set("q", query);
    for (const number of chosen ?? []) fragment.append("show", evolution.lines[number].name);
    showFragment(fragment);
  }

  const metricTitle = ({ name, unit }) =>
    evolution.metrics.filter((other) => other.name === name).length > 1 ? `${name} (${unit})` : name;
  radioChoices(byId("metrics"), "metrics", evolution.metrics.map(metricTitle), (value) =>
    set({ metric: Number(value), chosen: null, line: null }),
  );
  byId("metrics").hidden = evolution.metrics.length < 2;
  radioChoices(byId("scales"), "scales", SCALES, (value) => set({ scale: value }));
  byId("query").addEventListener("input", () => set({ query: byId("query").value, chosen: null }));
  byId("reset").addEventListener("click", reset);
  byId("keys").addEventListener("click", toggleHelp);
  byId("theme").addEventListener("click", () => {
    const root = document.documentElement;
    const now = root.dataset.theme ?? (dark.matches ? "dark" : "light");
    root.dataset.theme = now === "dark" ? "light" : "dark";
  });
  readAddress();
  renew();
}

start().catch((error) => showFailure("The chart", error, "the largest jumps are listed instead"));

function toggleHelp() {
  byId("help").hidden = !byId("help").hidden;
  byId("keys").setAttribute("aria-expanded", String(!byId("help").hidden));
}
