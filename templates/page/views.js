// The width and the start of every row in every view. A parent is never narrower than its children together.
import { inclusiveOf } from "./tree.js";

// Each has a button above the graph and a key, in this order.
export const VIEWS = ["after", "before"];

export const VIEW_NAMES = { after: "After", before: "Before" };
export const VIEW_HELP = { after: "Widths from the after side", before: "Widths from the before side" };

// Returns the pictures of a view, each with separate widths. The differences are below the picture of a side.
export function sidesOf(view, strip) {
  return strip ? [view, "diff"] : [view];
}

// Returns the exact ratio of the before side, as numerator and denominator: of the numbers of runs, or of both totals.
export function ratioOf(choice, tree, runs) {
  const own = { num: runs[1], den: runs[0] };
  if (choice === "none") return own;
  if (!tree.before[0] || !tree.after[0]) return { ...own, refused: "one side is empty" };
  return { num: tree.after[0], den: tree.before[0] };
}

export function scaled(value, ratio) {
  return (value * ratio.num) / ratio.den;
}

export function widthsOf(tree, view, ratio) {
  if (view === "after") return tree.after;
  if (view === "before") return tree.before;
  const own = new Float64Array(tree.size);
  for (let i = 0; i < tree.size; i++) own[i] = Math.abs(tree.afterSelf[i] - scaled(tree.beforeSelf[i], ratio));
  return inclusiveOf(tree.parent, own);
}

// Children start at the left edge of their parent, sorted by name in every view unless another order is selected.
export function startsOf(tree, widths, order = "name", ratio = { num: 1, den: 1 }) {
  const start = new Float64Array(tree.size);
  if (order === "name") {
    const next = new Float64Array(tree.size);
    for (let i = 1; i < tree.size; i++) {
      const above = tree.parent[i];
      start[i] = next[above];
      next[above] += widths[i];
      next[i] = start[i];
    }
    return start;
  }
  // both sides are used, so that a box stays in place when the view changes
  const key = (i) =>
    order === "width"
      ? Math.max(scaled(tree.before[i], ratio), tree.after[i])
      : Math.abs(tree.after[i] - scaled(tree.before[i], ratio));
  const children = [];
  for (let i = 0; i < tree.size; i++) {
    children.length = 0;
    for (let child = i + 1; child < tree.end[i]; child = tree.end[child]) children.push(child);
    if (children.length > 1) children.sort((a, b) => key(b) - key(a) || a - b);
    let at = start[i];
    for (const child of children) {
      start[child] = at;
      at += widths[child];
    }
  }
  return start;
}

const NEARLY_ALL = 0.99;
const LONG_CHAIN = 8; // frames
export const FOLDS = ["long", "all", "none"];

// Returns the row of every node if call chains are folded: a child with over 99 % of its parent joins the parent's row.
// By default, only chains of more than eight frames are folded.
export function foldedRows(tree, marked, fold = "all") {
  const { size, parent, end, before, after, symbol } = tree;
  const rows = new Int32Array(size);
  const joins = new Uint8Array(size + 1); // whether a node may join the row of its parent
  for (let i = 2; i < size; i++) {
    const above = parent[i];
    if (above !== i - 1 || end[i] !== end[above]) continue;
    const isNearlyAll = before[i] + after[i] > NEARLY_ALL * (before[above] + after[above]);
    if (isNearlyAll && !marked.has(symbol[i])) joins[i] = 1;
  }
  const length = new Int32Array(size); // of the chain from a node on; then of its whole chain
  for (let i = size - 1; i > 0; i--) length[i] = joins[i + 1] ? length[i + 1] + 1 : 1;
  for (let i = 1; i < size; i++) {
    if (joins[i]) length[i] = length[i - 1];
    rows[i] = rows[parent[i]] + (joins[i] && (fold === "all" || length[i] > LONG_CHAIN) ? 0 : 1);
  }
  return rows;
}

// Whether a node is drawn inside the box of its parent.
export function isFolded(pane, node) {
  return node > 0 && pane.rows[node] === pane.rows[pane.tree.parent[node]];
}
