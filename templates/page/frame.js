// One picture: its elements, its size and its visible rows.
import { element } from "./dom.js";
import { SMALLEST_BOX } from "./draw.js";
import { emptyReason } from "./details.js";
import { nameOf } from "./tree.js";
import { VIEW_NAMES, deepestDrawn, isFolded, scaled } from "./views.js";
import { meanOf } from "./words.js";

const DIRECTIONS = ["Callers", "Callees"];
const LEGIBLE = 3; // pixels

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

// Sets the height and the scene of every pane. A picture is as high as its readable rows.
// Users scroll or zoom to see deeper, narrow stacks.
export function fitFrames(page, frames) {
  const rowHeight = window.matchMedia("(pointer: coarse)").matches ? 24 : 19;
  const counts = new Map();
  const legible = new Map();
  const raise = (most, key, count) => most.set(key, Math.max(most.get(key) ?? 1, count));
  for (const { pane, graph } of frames) {
    const root = page.state.zoom[pane.shape];
    const pixel = fullOf(page, pane, root) / Math.max(graph.clientWidth, 1);
    if (!(pane.widths[root] > 0)) continue;
    const rowsFrom = (pixels) => deepestDrawn(pane.tree, pane.widths, root, pixels * pixel, pane.rows) + 1;
    raise(counts, groupOf(pane), rowsFrom(SMALLEST_BOX));
    raise(legible, groupOf(pane), rowsFrom(LEGIBLE) + 1);
  }
  for (const frame of frames) {
    const { pane, graph, spacer, canvas } = frame;
    const count = counts.get(groupOf(pane)) ?? 1;
    const tallest = Math.max(10 * rowHeight, Math.round(window.innerHeight * tallestPart(page, pane)));
    const height = pane.widths[0] ? Math.min(Math.max(Math.min(count, legible.get(groupOf(pane)) ?? 1), 4) * rowHeight, tallest) : 2 * rowHeight;
    graph.style.height = `${height}px`;
    spacer.style.height = `${Math.max(count * rowHeight, height)}px`;
    canvas.style.height = `${height}px`;
    const extent = Math.max(height, count * rowHeight);
    frame.scene = {
      tree: pane.tree,
      widths: pane.widths,
      starts: pane.starts,
      rows: pane.rows,
      root: page.state.zoom[pane.shape],
      full: fullOf(page, pane, page.state.zoom[pane.shape]),
      sorted: page.state.order === "name",
      folded: page.state.fold ? (node) => isFolded(pane, node) : null,
      outlines: pane.view === "elided",
      width: graph.clientWidth,
      height,
      rowHeight,
      count,
      extent,
      rowTop: (row) => (pane.flip ? extent - (row + 1) * rowHeight : row * rowHeight),
    };
    frame.plan = null;
    nameFrame(page, frame);
  }
}

// Panes that scroll together have the same height.
function groupOf(pane) {
  return pane.view === "diff" ? `differences ${pane.shape}` : pane.shape;
}

function tallestPart(page, pane) {
  const several = page.shapes.length > 1 ? 0.6 : 1;
  if (page.state.view !== "side") return 0.68 * several;
  return (pane.view === "diff" ? 0.24 : page.state.strip ? 0.46 : 0.62) * several;
}

// Returns the value that fills the width of a pane.
function fullOf(page, pane, root) {
  const own = pane.widths[root];
  if (page.state.view !== "side" || page.state.scale !== "common" || pane.view === "diff") return own;
  const { num, den } = page.ratio;
  const old = scaled(pane.tree.before[root], page.ratio);
  const most = Math.max(old, pane.tree.after[root]);
  return pane.view === "before" ? (most * den) / num : most;
}

function nameFrame(page, frame) {
  const { pane } = frame;
  const root = page.state.zoom[pane.shape];
  const label = [...(page.shapes.length > 1 ? [DIRECTIONS[pane.shape]] : []), ...(page.state.view === "side" || page.shapes.length === 1 ? [pane.view === "diff" ? "Differences" : VIEW_NAMES[pane.view]] : [])].join(", ");
  frame.graph.setAttribute("aria-label", `Flame graph: ${label.toLowerCase()}`);
  const value = pane.view === "before" ? meanOf(page, pane.tree.before[root], 0) : pane.view === "after" ? meanOf(page, pane.tree.after[root], 1) : "";
  const missing = pane.widths[0] && !pane.widths[root] ? `${nameOf(pane.tree, root)} is not on this side` : !pane.widths[0] ? emptyReason(page, pane.view) : "";
  frame.caption.replaceChildren(element("b", label), ...(value ? [" ", element("span", value)] : []), ...(missing ? [" ", element("em", missing)] : []));
}
