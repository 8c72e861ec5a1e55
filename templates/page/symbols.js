// The table of symbols: overweight says which symbol grew more than its size explains.
import { scaled } from "./views.js";

const WORTH_RATING = 0.05;
const SMALL_CHANGE = 0.01;

// One entry for each symbol; a stack counts once for a symbol however often it recurs.
export function symbolSums(tree) {
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
  return sums;
}

export function symbolRows(tree, ratio) {
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
  return { rows: rows.sort(byWeight), growth, small: isSmall(tree, ratio, growth) };
}

// Below 1 % of the whole the change is too small to apportion.
function isSmall(tree, ratio, growth) {
  return Math.abs(growth) < SMALL_CHANGE * Math.max(tree.after[0], scaled(tree.before[0], ratio));
}

export function isWorthRating(row) {
  return row.responsibility !== null && Math.abs(row.responsibility) >= WORTH_RATING;
}

function byWeight(one, two) {
  return isWorthRating(two) - isWorthRating(one) || byOverweight(one, two);
}

function byOverweight(one, two) {
  return (
    (two.overweight ?? -Infinity) - (one.overweight ?? -Infinity) ||
    Math.abs(two.delta) - Math.abs(one.delta) ||
    two.before - one.before ||
    compareText(one.name, two.name)
  ) || 0;
}

// Rows by one column; rows without a value stay last in both directions.
export function sortRows(rows, key, descending) {
  if (key === "weight") return [...rows].sort(byWeight);
  if (key === "plain") return [...rows].sort(byOverweight);
  const sign = descending ? -1 : 1;
  return [...rows].sort((one, two) => {
    if (key === "name") return sign * compareText(one.name, two.name);
    if ((one[key] === null) !== (two[key] === null)) return one[key] === null ? 1 : -1;
    if (typeof one[key] === "string") return sign * compareText(one[key], two[key]) || compareText(one.name, two.name);
    return sign * (one[key] - two[key]) || Math.abs(two.delta) - Math.abs(one.delta) || compareText(one.name, two.name);
  });
}

function compareText(one, two) {
  return one < two ? -1 : one > two ? 1 : 0;
}

const LONGEST_LIST = 10;
const EXPLAINS = 0.5;
const NEARLY_WHOLE = 0.9;

// The subtrees that explain the change: at most ten, the largest first, none inside another. From a changed subtree
// the way leads down as long as one child holds more than half of its change, so the list names places, not `main`.
export function whatChanged(tree, ratio, level) {
  const change = (node) => tree.after[node] - scaled(tree.before[node], ratio);
  const growth = change(0);
  const found = [];
  for (let i = 1; i < tree.size; ) {
    const next = level[i] ? guiltyChild(tree, i, change, level) : 0;
    if (!level[i] || next) {
      // a neutral subtree may hold changes that cancel out
      i++;
      continue;
    }
    found.push({ node: i, delta: change(i), responsibility: growth ? change(i) / growth : null });
    i = tree.end[i];
  }
  found.sort((one, two) => Math.abs(two.delta) - Math.abs(one.delta) || one.node - two.node);
  return found.slice(0, LONGEST_LIST);
}

function guiltyChild(tree, node, change, level) {
  const whole = change(node);
  // what nearly every stack passes through explains nothing, as long as something below it does
  const common = tree.before[node] >= NEARLY_WHOLE * tree.before[0] && tree.after[node] >= NEARLY_WHOLE * tree.after[0];
  for (let child = node + 1; child < tree.end[node]; child = tree.end[child]) {
    if (level[child] && common) return child;
    if (level[child] && Math.sign(level[child]) === Math.sign(whole) && change(child) / whole > EXPLAINS) return child;
  }
  return 0;
}
