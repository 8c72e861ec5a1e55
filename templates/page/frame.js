// One picture: its elements, its size and its visible rows.
import { element } from "./dom.js";
import { planOf } from "./draw.js";
import { emptyReason } from "./details.js";
import { nameOf } from "./tree.js";
import { VIEW_NAMES, isFolded } from "./views.js";
import { allCallsOf, meanOf } from "./words.js";

const DIRECTIONS = ["Callers", "Callees"];
const MOST_PLANS = 6;
const STRIP = "strip";
const PAGE_MARGIN = 8; // pixels below the last line
const SMALLEST_ROOM = 260; // pixels
// largest height of a printed picture, as a share of the width, so that a sheet has room for the header
const PAPER = 0.5;
const touched = window.matchMedia("(pointer: coarse)");

export function makeFrame(pane, index) {
  const figure = element("figure", undefined, `pane ${pane.view}`);
  const caption = element("figcaption");
  const graph = element("div", undefined, "graph");
  const spacer = element("div", undefined, "spacer");
  const canvas = element("canvas");
  const hover = element("div", undefined, "ring");
  const focus = element("div", undefined, "ring chosen");
  const item = element("div", undefined, "unseen");
  canvas.setAttribute("aria-hidden", "true");
  graph.tabIndex = 0;
  graph.setAttribute("role", "tree");
  graph.setAttribute("aria-activedescendant", `item-${index}`);
  item.id = `item-${index}`;
  item.setAttribute("role", "treeitem");
  item.setAttribute("aria-selected", "true");
  spacer.append(canvas, hover, focus);
  graph.append(spacer, item);
  figure.append(caption, graph);
  return { pane, figure, caption, graph, spacer, canvas, hover, focus, item, scene: null, plan: null };
}

// Measures what the size of the pictures depends on. All elements are read before any is changed, because reading after
// a change computes the layout again. The pictures need a new fit if the key changes.
export function measureFrames(frames) {
  const drawnWidths = frames.map(({ graph }) => graph.clientWidth);
  const room = roomFor(frames);
  return { drawnWidths, room, key: `${frames.map(({ graph }) => graph.offsetWidth)} ${room}` };
}

// Sets the height and the scene of every pane. The pictures fill the window; deeper rows are reached by scrolling.
export function fitFrames(page, frames, { drawnWidths, room }) {
  const rowHeight = touched.matches ? 24 : 19;
  const counts = new Map();
  const wanted = new Map();
  const raise = (most, key, count) => most.set(key, Math.max(most.get(key) ?? 1, count));
  for (const [index, { pane }] of frames.entries()) {
    const { deepest, legible } = planned(page, pane, page.state.zoom[pane.shape], drawnWidths[index]);
    raise(counts, groupOf(pane), deepest + 1);
    raise(wanted, groupOf(pane), (legible + 2) * rowHeight);
  }
  const heights = page.printing
    ? new Map([...wanted].map(([key, height]) => [key, Math.min(height, Math.round(PAPER * window.innerWidth))]))
    : heightsOf(wanted, room);
  for (const [index, frame] of frames.entries()) {
    const { pane, graph, spacer, canvas } = frame;
    const count = counts.get(groupOf(pane));
    const height = heights.get(groupOf(pane));
    const extent = Math.max(height, count * rowHeight);
    setHeight(graph, height);
    setHeight(spacer, extent);
    setHeight(canvas, height);
    frame.scene = {
      ...sceneOf(page, pane, page.state.zoom[pane.shape], drawnWidths[index]),
      height,
      rowHeight,
      count,
      extent,
      rowTop: (row) => (pane.flip ? extent - (row + 1) * rowHeight : row * rowHeight),
    };
    frame.plan = null;
  }
}

function setHeight(part, pixels) {
  if (part.style.height !== `${pixels}px`) part.style.height = `${pixels}px`;
}

function sceneOf(page, pane, root, width) {
  return {
    tree: pane.tree,
    widths: pane.widths,
    starts: pane.starts,
    rows: pane.rows,
    root,
    full: pane.widths[root],
    sorted: page.state.order === "name",
    folded: pane.rows === pane.tree.depth ? null : (node) => isFolded(pane, node),
    width,
  };
}

// A picture's plan. The plans used last are stored, because most zooms return to a recent root.
export function planned(page, pane, root, width) {
  const { plans } = pane;
  const scene = sceneOf(page, pane, root, width);
  const key = `${root} ${width} ${scene.full}`;
  const plan = plans.get(key) ?? planOf(scene);
  plans.delete(key);
  plans.set(key, plan);
  if (plans.size > MOST_PLANS) plans.delete(plans.keys().next().value);
  return plan;
}

// The height of the window below the controls, excluding captions and the lines below the pictures.
function roomFor(frames) {
  const panes = frames[0].figure.parentElement;
  const top = panes.getBoundingClientRect().top + window.scrollY;
  const captions = new Map();
  for (const { pane, caption } of frames)
    captions.set(groupOf(pane), Math.max(captions.get(groupOf(pane)) ?? 0, caption.offsetHeight + 1));
  const below = [...panes.parentElement.querySelectorAll("#marks, .bottom")].map((part) => part.offsetHeight);
  const taken = [...captions.values(), ...below].reduce((sum, height) => sum + height, 0);
  return Math.max(window.innerHeight - top - taken - PAGE_MARGIN, SMALLEST_ROOM);
}

// Divides the space between groups of panes: each gets what it needs, or an equal part of what is left.
function heightsOf(wanted, room) {
  const heights = new Map();
  let left = room;
  let groups = wanted.size;
  for (const [key, height] of [...wanted].sort((a, b) => a[1] - b[1])) {
    heights.set(key, Math.floor(Math.min(height, left / groups)));
    left -= heights.get(key);
    groups--;
  }
  return heights;
}

// Panes that scroll together have the same height.
function groupOf(pane) {
  return pane.isStrip ? STRIP : pane.shape;
}

export function nameFrame(page, frame) {
  const { pane } = frame;
  const root = page.state.zoom[pane.shape];
  const label = [
    ...(page.shapes.length > 1 ? [DIRECTIONS[pane.shape]] : []),
    ...(page.shapes.length === 1 ? [VIEW_NAMES[pane.view] ?? "Differences"] : []),
  ].join(", ");
  frame.graph.setAttribute("aria-label", `Flame graph: ${label.toLowerCase()}`);
  const value = pane.isStrip
    ? "width = size of the change"
    : pane.view === "before"
      ? meanOf(page, pane.tree.before[root], 0)
      : pane.view === "after"
        ? meanOf(page, pane.tree.after[root], 1)
        : "";
  const missing =
    pane.widths[0] && !pane.widths[root]
      ? `${nameOf(pane.tree, root)} is not on this side`
      : !pane.widths[0]
        ? emptyReason(page, pane.view)
        : "";
  frame.caption.replaceChildren(
    element("b", label),
    ...(value
      ? [" ", element("span", root && !pane.isStrip && allCallsOf(page, pane.tree, root) ? `here ${value}` : value)]
      : []),
    ...(missing ? [" ", element("em", missing)] : []),
  );
}
