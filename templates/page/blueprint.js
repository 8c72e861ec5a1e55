// The evolution blueprint's numbers: what became of each calling context, how large its box is, and which boxes are shown.
import { OTHER } from "./codec.js";
import { scaled } from "./views.js";

const SAME_COST = 0.1;
const STEP_OF_WHOLE = 1e-4;

// Shares and changes of every row. `by` is "share" (of each side's own total) or "absolute" (with the page's factor).
export function figuresOf(tree, { ratio, runs, by, higher, sample, rules }) {
  const [wholeBefore, wholeAfter] = [tree.before[0], tree.after[0]];
  const whole = Math.max(wholeAfter, scaled(wholeBefore, ratio));
  const counted = Boolean(tree.callsBefore);
  const size = tree.size;
  const figures = {
    by,
    counted,
    sampled: !counted && Boolean(sample),
    shift: new Float64Array(size),
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
    figures.shift[i] = by === "share" ? to - from : whole ? figures.delta[i] / whole : 0;
    figures.bar[i] = Math.max(rules.min_shift, sample ? rules.sigma * errorOf(from, to, wholeBefore / sample, wholeAfter / sample) : 0);
    if (counted) figures.count[i] = tree.callsAfter[i] / runs[1] - tree.callsBefore[i] / runs[0];
    else figures.count[i] = sample ? figures.delta[i] / sample / runs[1] : whole ? figures.delta[i] / whole / STEP_OF_WHOLE : 0;
    figures.state[i] = stateOfContext(tree, figures, i, higher);
  }
  return figures;
}

function errorOf(from, to, samplesBefore, samplesAfter) {
  const one = samplesBefore ? (from * (1 - from)) / samplesBefore : 0;
  const other = samplesAfter ? (to * (1 - to)) / samplesAfter : 0;
  return Math.sqrt(Math.max(one + other, 0));
}

// slower and faster need both: a share that shifted beyond the bar, and a cost that moved the same way.
function stateOfContext(tree, figures, node, higher) {
  if (tree.symbol[node] === OTHER) return "other";
  if (tree.before[node] === 0 && tree.after[node] > 0) return "added";
  if (tree.after[node] === 0 && tree.before[node] > 0) return "removed";
  const worse = higher ? -1 : 1;
  const shift = figures.shift[node] * worse;
  const delta = figures.delta[node] * worse;
  if (shift >= figures.bar[node] && delta > 0) return "slower";
  if (shift <= -figures.bar[node] && delta < 0) return "faster";
  return "unchanged";
}

// The six colours and the third source state: strong only where the function's own source is known to have changed.
export function shadeOf(tree, figures, node) {
  const state = figures.state[node];
  if (state !== "slower" && state !== "faster") return { fill: state, dotted: false };
  const source = sourceOf(tree, node);
  return { fill: source === "changed" ? `${state}-changed` : state, dotted: source === "unknown" };
}

export function sourceOf(tree, node) {
  return tree.symbol[node] < 0 ? "unknown" : tree.sources?.[tree.symbol[node]] ?? "unknown";
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

// Contexts a function lost and gained with similar cost: for each such row the row it moved to or came from.
export function movedContexts(tree, figures) {
  const gone = new Map();
  const fresh = [];
  for (let i = 1; i < tree.size; i++) {
    const symbol = tree.symbol[i];
    if (symbol < 0) continue;
    if (figures.state[i] === "removed") {
      if (!gone.has(symbol)) gone.set(symbol, []);
      gone.get(symbol).push(i);
    } else if (figures.state[i] === "added") fresh.push(i);
  }
  const cost = (node) => Math.abs(figures.delta[node]);
  const partner = new Map();
  for (const node of fresh.sort((one, two) => cost(two) - cost(one) || one - two)) {
    const left = gone.get(tree.symbol[node])?.filter((other) => !partner.has(other) && similar(cost(node), cost(other))) ?? [];
    if (!left.length) continue;
    const best = left.reduce((one, two) => (Math.abs(cost(two) - cost(node)) < Math.abs(cost(one) - cost(node)) ? two : one));
    partner.set(node, best);
    partner.set(best, node);
  }
  return partner;
}

function similar(one, two) {
  return Math.abs(one - two) <= SAME_COST * Math.max(one, two);
}

export const FIRST_BOXES = 500;
const RELEVANT = 40;
export const MOST_BOXES = 4000;
const MOST_CHILDREN = 200;

// The root, and what matters most with everything above it; at most 500 boxes.
export function firstShown(tree, figures, findings = new Set()) {
  const shown = new Set([0]);
  const beyond = [];
  for (let i = 1; i < tree.size; i++) if (Math.abs(figures.shift[i]) >= figures.bar[i] && tree.symbol[i] !== OTHER) beyond.push(i);
  const top = (weight) => [...beyond].sort((one, two) => weight(two) - weight(one) || one - two).slice(0, RELEVANT);
  const wanted = new Set([...top((i) => Math.abs(figures.shift[i])), ...top((i) => Math.abs(figures.selfDelta[i]))]);
  for (const node of findings) wanted.add(node);
  for (const node of wanted) {
    const path = [];
    for (let i = node; i >= 0 && !shown.has(i); i = tree.parent[i]) path.push(i);
    if (shown.size + path.length > FIRST_BOXES) continue;
    for (const i of path) shown.add(i);
  }
  return shown;
}

// Stacks that were dropped leave rows without any value.
function isHere(tree, node) {
  return tree.before[node] > 0 || tree.after[node] > 0 || (tree.callsBefore !== null && tree.callsBefore !== undefined && tree.callsBefore[node] + tree.callsAfter[node] > 0);
}

export function childrenOf(tree, figures, node) {
  const children = [];
  for (let i = node + 1; i < tree.end[node]; i = tree.end[i]) if (isHere(tree, i)) children.push(i);
  return children.sort((one, two) => Math.abs(figures.delta[two]) - Math.abs(figures.delta[one]) || one - two);
}

export function hasHidden(tree, shown, node) {
  for (let i = node + 1; i < tree.end[node]; i = tree.end[i]) if (!shown.has(i) && isHere(tree, i)) return true;
  return false;
}

// From the node the child with the largest change of the same sign, while it is at least half of its parent's.
export function hotPath(tree, figures, node) {
  const path = [];
  for (let at = node; ; ) {
    const change = figures.delta[at];
    let best = -1;
    for (let i = at + 1; i < tree.end[at]; i = tree.end[i]) {
      if (figures.delta[i] * change > 0 && (best < 0 || Math.abs(figures.delta[i]) > Math.abs(figures.delta[best]))) best = i;
    }
    if (best < 0 || Math.abs(figures.delta[best]) < Math.abs(change) / 2) return path;
    path.push(best);
    at = best;
  }
}

// Each of these returns how many boxes stayed away because there would be too many.
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
    for (const parent of level) for (let i = parent + 1; i < tree.end[parent]; i = tree.end[i]) if (isHere(tree, i)) below.push(i);
    below.sort((one, two) => Math.abs(figures.delta[two]) - Math.abs(figures.delta[one]) || one - two);
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
