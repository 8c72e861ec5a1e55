// The activity of both sides over time, above the graph. A time range and threads can be chosen, and the page then
// shows only the chosen part of the recordings. A choice applies to both sides, or with Shift to one.
import { announce, byId, element, linkButton, makeButton, svgElement } from "./dom.js";
import { formatShare } from "./format.js";
import { PART_KEYS } from "./link.js";
import { popover } from "./settings.js";
import {
  SIDES,
  binSums,
  binsAt,
  binsOf,
  isPart,
  partText,
  rangeText,
  textOfBins,
  threadsIn,
  timeText,
} from "./timelines.js";

const PAGE_STEP = 10; // bins
const CLICK = 3; // pixels; a shorter movement is a click, which shows all times
const EVERYTHING = Object.fromEntries(PART_KEYS.map((key) => [key, ""]));

export function makeActivity(page) {
  const shown = [];
  for (const [index, side] of page.timelines.entries()) if (side) shown.push(makeLane(page, side, index, shown));
  byId("activity").append(...shown.map((lane) => lane.box));
  for (const lane of shown) if (lane.name) popover(lane.name);
  const highest = Math.max(...shown.map((lane) => lane.highest));
  page.on("tree", () => {
    for (const lane of shown) lane.show(highest);
    showPart(page);
  });
}

// Names in the header the part that is shown, and what is not limited to this part.
function showPart(page) {
  const { state, timelines } = page;
  byId("part").hidden = !isPart(timelines, state);
  const unequal = page.unequal ? " Only one side is limited, so changes have no colours." : "";
  byId("part").replaceChildren(
    "Part shown: ",
    element("b", partsText(page)),
    `.${unequal} Findings and totals concern the whole run. `,
    linkButton("Show the whole run", () => page.set(EVERYTHING)),
  );
}

function partsText({ state, timelines, header }) {
  return timelines
    .map((side, index) => {
      if (!side) return "";
      const [name, part] = [SIDES[index], (key) => state[`${key}${SIDES[index]}`]];
      return `${header.alone ? "" : `${name.toLowerCase()}: `}${partText(side, part("time"), part("threads"))}`;
    })
    .filter(Boolean)
    .join("; ");
}

// Makes the lane of a side. `lanes` are those of all sides.
function makeLane(page, side, index, lanes) {
  const label = SIDES[index];
  const keys = { time: `time${label}`, threads: `threads${label}` };
  const box = element("section", undefined, "lane");
  const range = element("span", undefined, "range");
  const plot = element("div", undefined, "plot");
  const shade = element("div", undefined, "window");
  const edges = ["start", "end"].map((end) => makeEdge(end));
  const menu = side.threads.length > 1 ? threadMenu(page, index) : null;
  const sums = binSums(side, threadsIn(side, ""));
  // Values per run and nanosecond, so that both sides have one vertical scale although their bins differ.
  const runs = page.header.runs[index];
  const unit = side.width * runs;
  const lines = [element("b", page.header.alone ? "Activity" : label), range, ...(menu ? [menu.box] : [])];
  const head = element("div", undefined, "lane-head");
  let current = [0, side.bins];

  plot.title =
    `Drag to show a part of the ` +
    `time${page.timelines.includes(null) ? "" : ", the same share of both sides; with Shift, of this side only"}. ` +
    `Click to show all of it.${runs > 1 ? ` The ${runs} runs are added up from their start.` : ""}`;
  head.append(...lines);
  box.setAttribute("aria-label", `Activity ${label.toLowerCase()}`);
  shade.append(...edges);
  plot.append(shade);
  box.append(head, plot);
  listenToPointer();

  function makeEdge(end) {
    const edge = element("div", undefined, `edge ${end}`);
    edge.tabIndex = 0;
    edge.setAttribute("role", "slider");
    edge.setAttribute("aria-label", `${label}: ${end} of the shown time`);
    edge.setAttribute("aria-valuemin", "0");
    edge.setAttribute("aria-valuemax", String(side.bins));
    edge.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const at = end === "start" ? current[0] : current[1];
      const to = {
        ArrowLeft: at - 1,
        ArrowDown: at - 1,
        ArrowRight: at + 1,
        ArrowUp: at + 1,
        PageDown: at - PAGE_STEP,
        PageUp: at + PAGE_STEP,
        Home: 0,
        End: side.bins,
      }[event.key];
      if (to === undefined && event.key !== "Escape") return;
      event.preventDefault();
      if (event.key === "Escape") choose(0, side.bins);
      else if (end === "start") choose(Math.max(Math.min(to, current[1] - 1), 0), current[1], event.shiftKey);
      else choose(current[0], Math.min(Math.max(to, current[0] + 1), side.bins), event.shiftKey);
    });
    return edge;
  }

  function listenToPointer() {
    let begin = null; // where the movement began: the pixel and the bin, or the fixed edge
    const binAt = (event, round) => {
      const { left, width } = plot.getBoundingClientRect();
      return Math.min(Math.max(round(((event.clientX - left) / width) * side.bins), 0), side.bins);
    };
    const rangeTo = (event) => {
      if (begin.fixed === null)
        return [Math.min(begin.from, binAt(event, Math.floor)), Math.max(begin.to, binAt(event, Math.ceil))];
      const at = binAt(event, Math.round);
      return at === begin.fixed
        ? [Math.min(at, side.bins - 1), Math.min(at, side.bins - 1) + 1]
        : [Math.min(at, begin.fixed), Math.max(at, begin.fixed)];
    };
    plot.addEventListener("pointerdown", (event) => {
      if (event.button) return;
      const edge = edges.indexOf(event.target);
      begin = {
        pixel: event.clientX,
        from: binAt(event, Math.floor),
        to: binAt(event, Math.ceil),
        fixed: edge < 0 ? null : current[1 - edge],
      };
      plot.setPointerCapture(event.pointerId);
    });
    plot.addEventListener("pointermove", (event) => {
      if (begin && Math.abs(event.clientX - begin.pixel) > CLICK)
        for (const lane of lanes) lane.draw(...rangeIn(lane, ...rangeTo(event), event.shiftKey));
    });
    plot.addEventListener("pointerup", (event) => {
      if (!begin) return;
      if (Math.abs(event.clientX - begin.pixel) > CLICK) choose(...rangeTo(event), event.shiftKey);
      else if (begin.fixed === null) choose(0, side.bins);
      begin = null;
    });
    plot.addEventListener("pointercancel", () => {
      begin = null;
      for (const lane of lanes) lane.draw(...lane.chosen());
    });
  }

  // Returns the range of another lane that is the same share of its time, or its own range if only this lane changes.
  function rangeIn(lane, from, to, alone) {
    return alone && lane.side !== side ? lane.chosen() : binsAt(lane.side, from / side.bins, to / side.bins);
  }

  function choose(from, to, alone = false) {
    page.set(
      Object.fromEntries(lanes.map((lane) => [lane.key, textOfBins(lane.side, ...rangeIn(lane, from, to, alone))])),
    );
    announce(partsText(page));
  }

  // Draws a range. While the pointer moves, the range is not yet chosen.
  function draw(from, to) {
    shade.classList.toggle("whole", from <= 0 && to >= side.bins);
    shade.style.left = `${(100 * from) / side.bins}%`;
    shade.style.right = `${100 - (100 * to) / side.bins}%`;
    [from, to].forEach((bin, at) => {
      edges[at].setAttribute("aria-valuenow", String(bin));
      edges[at].setAttribute("aria-valuetext", timeText(side, Math.min(bin * side.width, side.span)));
    });
    const whole = timeText(side, side.span);
    range.textContent =
      from > 0 || to < side.bins
        ? `${rangeText(side, from, to)} of ${whole}`
        : `${whole} wall time${runs > 1 ? ", longest run" : ""}`;
  }

  function show(highest) {
    const { state } = page;
    current = binsOf(side, state[keys.time]) ?? [0, side.bins];
    draw(...current);
    const chosen = threadsIn(side, state[keys.threads]);
    const picture = svgElement("svg", {
      viewBox: `0 0 ${side.bins} 1`,
      preserveAspectRatio: "none",
      "aria-hidden": "true",
    });
    const path = (values, name) => svgElement("path", { class: name, d: steps(values, unit * highest) });
    picture.append(path(sums, "all"));
    if (chosen.length < side.threads.length) picture.append(path(binSums(side, chosen), "part"));
    plot.querySelector("svg")?.remove();
    plot.prepend(picture);
    menu?.show(chosen);
  }

  return {
    box,
    side,
    key: keys.time,
    chosen: () => current,
    draw,
    show,
    name: menu?.name,
    highest: Math.max(...sums) / unit,
  };
}

// Returns the outline of bars whose largest possible height is 1.
function steps(values, highest) {
  const bars = [...values].map((value, bin) => `V${(1 - (highest ? value / highest : 0)).toFixed(4)}H${bin + 1}`);
  return `M0 1${bars.join("")}V1Z`;
}

// The button and the panel with a check box for each thread of a side. If both sides have the same threads, the choice
// applies to both.
function threadMenu(page, index) {
  const side = page.timelines[index];
  const label = SIDES[index];
  const keys = SIDES.filter((_, at) => page.timelines[at]?.threads.join("\n") === side.threads.join("\n")).map(
    (title) => `threads${title}`,
  );
  const choose = (text) => page.set(Object.fromEntries(keys.map((key) => [key, text])));
  const name = `threads-${label.toLowerCase()}`;
  const box = element("div", undefined, "menu");
  const opener = element("button", undefined, "opener");
  const panel = element("div", undefined, "popover threads");
  const all = makeButton("All threads", () => choose(""), "plain");
  const sums = side.threads.map((_, thread) => binSums(side, [thread]).reduce((sum, value) => sum + value, 0));
  const whole = sums.reduce((sum, value) => sum + value, 0);
  const boxes = side.threads.map((thread) => {
    const input = element("input");
    input.type = "checkbox";
    input.addEventListener("change", () => {
      const names = side.threads.filter((_, at) => boxes[at].checked);
      choose(names.length < side.threads.length ? names.join("\n") : "");
      announce(partsText(page));
    });
    input.dataset.thread = thread;
    return input;
  });
  opener.type = "button";
  opener.id = `${name}-open`;
  opener.setAttribute("aria-expanded", "false");
  opener.setAttribute("aria-controls", name);
  panel.id = name;
  panel.hidden = true;
  panel.setAttribute("role", "group");
  panel.setAttribute("aria-label", `Threads ${label.toLowerCase()}`);
  panel.append(
    ...boxes.map((input, thread) => {
      const entry = element("label", undefined, "check");
      entry.append(
        input,
        element("bdi", side.threads[thread]),
        element("span", formatShare(whole ? sums[thread] / whole : 0), "quiet"),
      );
      return entry;
    }),
    all,
  );
  box.append(opener, panel);
  return {
    box,
    name,
    show(chosen) {
      const some = chosen.length < side.threads.length;
      boxes.forEach((input, thread) => (input.checked = chosen.includes(thread)));
      all.hidden = !some;
      opener.textContent = `${some ? `${chosen.length} of ` : ""}${side.threads.length} threads`;
    },
  };
}
