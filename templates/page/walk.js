// Keyboard navigation between frames.
import { isDrawn } from "./context.js";
import { isFolded, scaled } from "./views.js";

// Returns the drawn siblings of a node, including the node itself, from left to right.
export function siblingsOf(page, node, shape) {
  const tree = page.shapes[shape];
  if (node === 0) return [0];
  const above = tree.parent[node];
  const list = [];
  for (let i = above + 1; i < tree.end[above]; i = tree.end[i]) if (isDrawn(page, i, shape)) list.push(i);
  const { starts } = page.panes.find((pane) => pane.shape === shape);
  return page.state.order === "name" ? list : list.sort((a, b) => starts[a] - starts[b]);
}

// Returns the frame one step away (parent, widest child, next or previous sibling), or -1 if there is none.
export function neighbourOf(page, direction) {
  const { shape, node } = page.state.focus;
  const tree = page.shapes[shape];
  const pane = page.panes.find((other) => other.shape === shape);
  if (direction === "parent") {
    let above = tree.parent[node];
    while (above > 0 && isFolded(pane, above)) above = tree.parent[above];
    return above;
  }
  if (direction === "child") {
    let best = -1;
    let from = node;
    while (from + 1 < tree.end[from] && isFolded(pane, from + 1)) from += 1;
    const size = (i) => Math.max(scaled(tree.before[i], page.ratio), tree.after[i]);
    for (let i = from + 1; i < tree.end[from]; i = tree.end[i])
      if (isDrawn(page, i, shape) && (best < 0 || size(i) > size(best))) best = i;
    return best;
  }
  const siblings = siblingsOf(page, node, shape);
  return siblings[siblings.indexOf(node) + (direction === "next" ? 1 : -1)] ?? -1;
}
