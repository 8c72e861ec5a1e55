// The table of symbols. Overweight shows which symbols grew more than their share of the whole.
import { once } from "./tree.js";
import { scaled } from "./views.js";

// Returns one entry per symbol. A recursive symbol counts once per stack. In an estimated tree, the exact totals of the
// symbols replace the sums over their call paths.
export function symbolSums(tree) {
  return once(tree, "sums", () => sumsOfSymbols(tree));
}

function sumsOfSymbols(tree) {
  const count = tree.names.length;
  const sums = {
    before: new Float64Array(count),
    after: new Float64Array(count),
    beforeSelf: new Float64Array(count),
    afterSelf: new Float64Array(count),
  };
  const covered = new Int32Array(count);
  for (let i = 0; i < tree.size; i++) {
    const symbol = tree.symbol[i];
    if (symbol < 0) continue;
    sums.beforeSelf[symbol] += tree.beforeSelf[i];
    sums.afterSelf[symbol] += tree.afterSelf[i];
    if (i < covered[symbol]) continue;
    covered[symbol] = tree.end[i];
    sums.before[symbol] += tree.before[i];
    sums.after[symbol] += tree.after[i];
  }
  return tree.totalBefore ? { ...sums, before: tree.totalBefore, after: tree.totalAfter } : sums;
}

export function symbolRows(tree, ratio) {
  return once(tree, `rows ${ratio.num}/${ratio.den}`, () => rowsOfSymbols(tree, ratio));
}

function rowsOfSymbols(tree, ratio) {
  const sums = symbolSums(tree);
  const total = tree.before[0];
  const growth = tree.after[0] - scaled(total, ratio);
  const rows = [];
  for (let symbol = 0; symbol < tree.names.length; symbol++) {
    const before = sums.before[symbol];
    const after = sums.after[symbol];
    if (!before && !after) continue;
    const old = scaled(before, ratio);
    const delta = after - old;
    const rated = growth !== 0 && before > 0 && after > 0;
    rows.push({
      symbol,
      name: tree.names[symbol],
      before,
      after,
      delta,
      relative: before ? delta / old : null,
      afterSelf: sums.afterSelf[symbol],
      selfDelta: sums.afterSelf[symbol] - scaled(sums.beforeSelf[symbol], ratio),
      responsibility: growth === 0 ? null : delta / growth,
      overweight: rated ? (delta * total) / (before * growth) : null,
      state: before ? (after ? "both" : "gone") : "new",
    });
  }
  // A change below 1 % of the whole is too small to attribute to functions.
  const small = Math.abs(growth) < 0.01 * Math.max(tree.after[0], scaled(tree.before[0], ratio));
  return { rows: sortRows(rows, "delta", true), growth, small };
}

function byChange(a, b) {
  return Math.abs(b.delta) - Math.abs(a.delta) || b.before - a.before || compareText(a.name, b.name);
}

// Sorts rows by one column. Equal rows keep their order, which is by the size of their change. Rows without a value are last in both
// directions. Changes ("delta") are sorted by size, without their sign.
export function sortRows(rows, key, descending) {
  const sign = descending ? -1 : 1;
  if (key === "delta") return [...rows].sort((a, b) => -sign * byChange(a, b));
  return [...rows].sort((a, b) => {
    if (key === "name") return sign * compareText(a.name, b.name);
    if ((a[key] === null) !== (b[key] === null)) return a[key] === null ? 1 : -1;
    const order = typeof a[key] === "string" ? compareText(a[key], b[key]) : a[key] - b[key];
    return sign * order;
  });
}

function compareText(a, b) {
  return a < b ? -1 : a > b ? 1 : 0;
}

const LONGEST_LIST = 10;
const EXPLAINS = 0.5;
const NEARLY_WHOLE = 0.9;

// Returns at most ten subtrees that explain the change, largest first and not nested. The search descends from a
// changed subtree while one child has more than half of the change, so that the result is more specific than `main`.
export function whatChanged(tree, ratio, level) {
  const change = (node) => tree.after[node] - scaled(tree.before[node], ratio);
  const found = [];
  for (let i = 1; i < tree.size;) {
    const next = level[i] ? responsibleChild(tree, i, change, level) : 0;
    if (!level[i] || next) {
      // a neutral subtree may contain changes that cancel out
      i++;
      continue;
    }
    found.push({ node: i, delta: change(i) });
    i = tree.end[i];
  }
  found.sort((a, b) => Math.abs(b.delta) - Math.abs(a.delta) || a.node - b.node);
  return found.slice(0, LONGEST_LIST);
}

function responsibleChild(tree, node, change, level) {
  const whole = change(node);
  // a function in nearly every stack explains nothing if a function below it explains the change
  const common = tree.before[node] >= NEARLY_WHOLE * tree.before[0] && tree.after[node] >= NEARLY_WHOLE * tree.after[0];
  for (let child = node + 1; child < tree.end[node]; child = tree.end[child]) {
    if (level[child] && common) return child;
    if (level[child] && Math.sign(level[child]) === Math.sign(whole) && change(child) / whole > EXPLAINS) return child;
  }
  return 0;
}
