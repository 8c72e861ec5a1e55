// The width of every row in every view, and where it starts. A parent is never narrower than its children.
import { inclusiveOf } from "./tree.js";

export const VIEWS = ["after", "before", "union", "elided", "diff"];

// The ratio applied to the before side: exact, as numerator and denominator.
export function ratioOf(choice, tree, runs, factor) {
  const own = { num: runs[1], den: runs[0] };
  if (choice === "total") {
    if (!tree.before[0] || !tree.after[0]) return { ...own, refused: "one side is empty" };
    return { num: tree.after[0], den: tree.before[0] };
  }
  if (choice === "factor") {
    const exact = parseFactor(factor);
    if (!exact) return { ...own, refused: "the factor must be a positive number or a ratio such as 3/2" };
    return { num: own.num * exact.num, den: own.den * exact.den };
  }
  return own;
}

export function parseFactor(text) {
  const match = /^\s*(\d+(?:\.\d+)?)\s*(?:[/:]\s*(\d+(?:\.\d+)?))?\s*$/.exec(text ?? "");
  if (!match) return null;
  const digits = Math.max(...[match[1], match[2] ?? ""].map((part) => (part.split(".")[1] ?? "").length));
  const whole = (part) => Math.round(Number(part) * 10 ** digits);
  const num = whole(match[1]);
  const den = whole(match[2] ?? "1");
  return num > 0 && den > 0 && Number.isSafeInteger(num) && Number.isSafeInteger(den) ? { num, den } : null;
}

export function scaled(value, ratio) {
  return (value * ratio.num) / ratio.den;
}

export function widthsOf(tree, view, ratio) {
  if (view === "after") return tree.after;
  if (view === "before") return tree.before;
  const own = new Float64Array(tree.size);
  for (let i = 0; i < tree.size; i++) {
    if (view === "elided") {
      own[i] = tree.after[i] === 0 ? tree.beforeSelf[i] : 0;
    } else {
      const before = scaled(tree.beforeSelf[i], ratio);
      own[i] = view === "union" ? Math.max(before, tree.afterSelf[i]) : Math.abs(tree.afterSelf[i] - before);
    }
  }
  return inclusiveOf(tree.parent, own);
}

// Children stand from the left edge of their parent, in the order of their names in every view.
export function startsOf(tree, widths) {
  const start = new Float64Array(tree.size);
  const next = new Float64Array(tree.size);
  for (let i = 1; i < tree.size; i++) {
    const above = tree.parent[i];
    start[i] = next[above];
    next[above] += widths[i];
    next[i] = start[i];
  }
  return start;
}

// The deepest row that is wide enough to be drawn below `root`.
export function deepestDrawn(tree, widths, root, minimum) {
  let deepest = tree.depth[root];
  for (let i = root; i < tree.end[root]; ) {
    if (widths[i] < minimum || widths[i] === 0) {
      i = tree.end[i];
      continue;
    }
    if (tree.depth[i] > deepest) deepest = tree.depth[i];
    i++;
  }
  return deepest;
}
