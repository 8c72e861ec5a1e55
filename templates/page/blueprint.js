// Computes the evolution blueprint: the state of each calling context, the size of its box, and which boxes are shown.
import { OTHER } from "./codec.js";
import { keysOfPath, nameOf } from "./tree.js";
import { scaled } from "./views.js";

const SAME_COST = 0.1;
const ROUNDING = 1e-9; // tolerance, so that comparisons with the threshold do not depend on the last digit
const STEP_OF_WHOLE = 1e-4;
const LINK_LENGTH = 4;

// The share and the change of every row. Heights are changes as fractions of the whole, scaled with the page's factor.
// States do not depend on the factor; they are those of the strategy call_context.
export function figuresOf(tree, { ratio, runs, higher, sample, rules }) {
  const [wholeBefore, wholeAfter] = [tree.before[0], tree.after[0]];
  const whole = Math.max(wholeAfter, scaled(wholeBefore, ratio));
  const counted = Boolean(tree.callsBefore);
  const size = tree.size;
  const figures = {
    counted,
    sampled: !counted && Boolean(sample),
    shift: new Float64Array(size),
    height: new Float64Array(size),
    delta: new Float64Array(size),
    selfDelta: new Float64Array(size),
    bar: new Float64Array(size),
    count: new Float64Array(size),
    state: new Array(size),
  };
  for (let i = 0; i < size; i++) {
    const from = wholeBefore ? tree.before[i] / wholeBefore : 0;
    const to = wholeAfter ? tree.after[i] / wholeAfter : 0;
    figures.delta[i] = tree.after[i] - scaled(tree.before[i], ratio);
    figures.selfDelta[i] = tree.afterSelf[i] - scaled(tree.beforeSelf[i], ratio);
    figures.shift[i] = to - from;
    figures.height[i] = whole ? figures.delta[i] / whole : 0;
    figures.bar[i] = Math.max(
      rules.min_shift,
      sample ? rules.sigma * errorOf(from, to, wholeBefore / sample, wholeAfter / sample) : 0,
    );
    if (counted) figures.count[i] = tree.callsAfter[i] / runs[1] - tree.callsBefore[i] / runs[0];
    else
      figures.count[i] = sample
        ? figures.delta[i] / sample / runs[1]
        : whole
          ? figures.delta[i] / whole / STEP_OF_WHOLE
          : 0;
    figures.state[i] = stateOfContext(tree, figures, i, runs, higher);
  }
  return figures;
}

function errorOf(from, to, samplesBefore, samplesAfter) {
  const own = samplesBefore ? (from * (1 - from)) / samplesBefore : 0;
  const other = samplesAfter ? (to * (1 - to)) / samplesAfter : 0;
  return Math.sqrt(Math.max(own + other, 0));
}

// "slower" and "faster" require a shift of the share beyond the threshold, and a cost that changed in the same
// direction.
function stateOfContext(tree, figures, node, runs, higher) {
  if (tree.symbol[node] === OTHER) return "other";
  const known = [
    tree.before[node] > 0 || tree.callsBefore?.[node] > 0,
    tree.after[node] > 0 || tree.callsAfter?.[node] > 0,
  ];
  if (node > 0 && !known[0] && known[1]) return "added";
  if (node > 0 && known[0] && !known[1]) return "removed";
  const worse = higher ? -1 : 1;
  const shift = figures.shift[node] * worse;
  const delta = (tree.after[node] / runs[1] - tree.before[node] / runs[0]) * worse;
  const bar = figures.bar[node] - ROUNDING;
  // An estimated call path may get the cost that another path of the function lost, so the exact cost of all calls
  // decides.
  const symbol = tree.symbol[node];
  const all =
    tree.totalBefore && node > 0
      ? (tree.totalAfter[symbol] / runs[1] - tree.totalBefore[symbol] / runs[0]) * worse
      : delta;
  if (shift >= bar && delta > 0 && all > 0) return "slower";
  if (shift <= -bar && delta < 0 && all < 0) return "faster";
  return "unchanged";
}

export function sourceOf(tree, node) {
  return tree.symbol[node] < 0 ? "unknown" : (tree.sources?.[tree.symbol[node]] ?? "unknown");
}

export const GLYPHS = { slower: "▲", faster: "▼", added: "+", removed: "×", unchanged: "", other: "" };

export function heightOf(shift) {
  return clamp(4, 96, 6 + 4 * Math.abs(shift * 100));
}

export function widthOf(count) {
  return clamp(10, 160, 10 + 24 * Math.log10(1 + Math.abs(count)));
}

function clamp(low, high, value) {
  return Math.min(high, Math.max(low, value));
}

// Pairs removed and added contexts of a function with similar costs, largest cost first. Maps each row to its partner.
export function movedContexts(tree, figures, runs) {
  const sides = { removed: new Map(), added: new Map() };
  for (let i = 1; i < tree.size; i++) {
    const of = sides[figures.state[i]];
    if (!of || tree.symbol[i] < 0) continue;
    if (!of.has(tree.symbol[i])) of.set(tree.symbol[i], []);
    of.get(tree.symbol[i]).push(i);
  }
  const partner = new Map();
  for (const [symbol, removed] of sides.removed) {
    const added = sides.added.get(symbol);
    if (!added) continue;
    const old = removed.map((node) => [tree.before[node] / runs[0], node]).sort(byCost);
    const fresh = added.map((node) => [tree.after[node] / runs[1], node]).sort(byCost);
    for (let i = 0, j = 0; i < old.length && j < fresh.length;) {
      const [before, after] = [old[i][0], fresh[j][0]];
      if (Math.abs(before - after) <= (SAME_COST + ROUNDING) * Math.max(before, after)) {
        partner.set(old[i][1], fresh[j][1]);
        partner.set(fresh[j++][1], old[i++][1]);
      } else if (before > after) i++;
      else j++;
    }
  }
  return partner;
}

function byCost([a, first], [b, second]) {
  return b - a || first - second;
}

export const FIRST_BOXES = 200;
const RELEVANT = 40;
export const MOST_BOXES = 4000;
const MOST_CHILDREN = 200;

// Returns the rows whose share changed most, among those that changed beyond their threshold.
export function mostChanged(tree, { shift, selfDelta, bar }) {
  const beyond = [];
  for (let i = 1; i < tree.size; i++) if (Math.abs(shift[i]) >= bar[i] && tree.symbol[i] !== OTHER) beyond.push(i);
  const top = (weight) => [...beyond].sort((a, b) => weight(b) - weight(a) || a - b).slice(0, RELEVANT);
  return [...top((i) => Math.abs(shift[i])), ...top((i) => Math.abs(selfDelta[i]))];
}

// Returns at most 200 boxes: the root, and the rows with the largest changes and their ancestors.
export function firstShown(tree, figures, findings = new Set()) {
  const shown = new Set([0]);
  const chosen = new Set([...(figures.most ?? mostChanged(tree, figures)), ...findings]);
  for (const node of chosen) {
    const path = [];
    for (let i = node; i >= 0 && !shown.has(i); i = tree.parent[i]) path.push(i);
    if (shown.size + path.length > FIRST_BOXES) continue;
    for (const i of path) shown.add(i);
  }
  return shown;
}

// Rows of dropped stacks have no value.
function isHere(tree, node) {
  return (
    tree.before[node] > 0 ||
    tree.after[node] > 0 ||
    (tree.callsBefore !== null && tree.callsBefore !== undefined && tree.callsBefore[node] + tree.callsAfter[node] > 0)
  );
}

export function childrenOf(tree, figures, node) {
  const children = [];
  for (let i = node + 1; i < tree.end[node]; i = tree.end[i]) if (isHere(tree, i)) children.push(i);
  return children.sort((a, b) => Math.abs(figures.delta[b]) - Math.abs(figures.delta[a]) || a - b);
}

export function hasHidden(tree, shown, node) {
  for (let i = node + 1; i < tree.end[node]; i = tree.end[i]) if (!shown.has(i) && isHere(tree, i)) return true;
  return false;
}

// Follows the child with the largest change of the same sign while this change is at least half of the parent's change.
export function hotPath(tree, figures, node) {
  const path = [];
  for (let at = node; ;) {
    const change = figures.delta[at];
    let best = -1;
    for (let i = at + 1; i < tree.end[at]; i = tree.end[i]) {
      if (figures.delta[i] * change > 0 && (best < 0 || Math.abs(figures.delta[i]) > Math.abs(figures.delta[best])))
        best = i;
    }
    if (best < 0 || Math.abs(figures.delta[best]) < Math.abs(change) / 2) return path;
    path.push(best);
    at = best;
  }
}

// These functions return how many boxes the limit on boxes hides.
export function showChildren(tree, figures, shown, node) {
  const children = childrenOf(tree, figures, node).filter((child) => !shown.has(child));
  const room = Math.min(MOST_CHILDREN, Math.max(0, MOST_BOXES - shown.size));
  for (const child of children.slice(0, room)) shown.add(child);
  return Math.max(0, children.length - room);
}

export function showAll(tree, figures, shown, node) {
  let left = 0;
  let room = Math.min(FIRST_BOXES, MOST_BOXES - shown.size);
  let level = [node];
  while (level.length) {
    const below = [];
    for (const parent of level)
      for (let i = parent + 1; i < tree.end[parent]; i = tree.end[i]) if (isHere(tree, i)) below.push(i);
    below.sort((a, b) => Math.abs(figures.delta[b]) - Math.abs(figures.delta[a]) || a - b);
    level = [];
    for (const child of below) {
      if (!shown.has(child)) {
        if (room <= 0) {
          left += tree.end[child] - child;
          continue;
        }
        shown.add(child);
        room--;
      }
      level.push(child);
    }
  }
  return left;
}

export function hideBelow(tree, shown, node) {
  for (const other of [...shown]) if (other > node && other < tree.end[node]) shown.delete(other);
}

export function reveal(tree, shown, node) {
  for (let i = node; i >= 0; i = tree.parent[i]) shown.add(i);
}

// The text that identifies a box in URLs: hashes of its path and of its nearest callers, and its name.
export function boxLinkOf(tree, node) {
  return node ? `${keysOfPath(tree, node, LINK_LENGTH).join(".")}~${nameOf(tree, node)}` : "all";
}
