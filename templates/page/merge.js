// Trees merged from the calls: reversed from the leaves, and callers and callees of one symbol. Each of these has
// the columns of a tree, so the code that draws, colours and describes the call tree also works for them.
import { OTHER, ROOT } from "./codec.js";
import { symbolSums } from "./symbols.js";
import { UNKNOWN, makeTree, once, rowsOfSymbol } from "./tree.js";

const COMPLETE_BELOW = 60000;
const SMALLEST_SHARE = 5e-5; // share of both totals; smaller callers are too narrow to see and are merged into one row

// Reverses every stack, starting from its leaf: the children of a row are its callers.
export function reversedTree(tree) {
  return once(tree, "reversed", () => {
    const own = [];
    for (let i = 1; i < tree.size; i++) if (tree.beforeSelf[i] > 0 || tree.afterSelf[i] > 0) own.push(i);
    return mergedTree(tree, ROOT, own, { up: true, before: tree.beforeSelf, after: tree.afterSelf, started: true });
  });
}

// The callers of the symbol. A recursive symbol counts once per stack, at its outermost occurrence.
export function callersOf(tree, symbol) {
  return once(tree, `callers ${symbol}`, () => treeAround(tree, symbol, true));
}

// The callees of the symbol.
export function calleesOf(tree, symbol) {
  return once(tree, `callees ${symbol}`, () => treeAround(tree, symbol, false));
}

function treeAround(tree, symbol, up) {
  const { before, after } = tree;
  const merged = mergedTree(tree, symbol, outermostOf(tree, symbol), { up, before, after });
  // The self cost of a function is the sum over all its frames, also over those that it calls itself.
  const sums = symbolSums(tree);
  merged.beforeSelf[0] = sums.beforeSelf[symbol];
  merged.afterSelf[0] = sums.afterSelf[symbol];
  return merged;
}

// All calls of the symbol, as children of the root.
export function focusedTree(tree, symbol) {
  const { before, after } = tree;
  return mergedTree(tree, ROOT, outermostOf(tree, symbol), { up: false, before, after, started: true });
}

// The tree in which each outermost call of the symbol stands for all its calls below it.
export function collapsedTree(tree, symbol) {
  const inner = innerCalls(tree, symbol);
  const [before, after] = [tree.before, tree.after].map((values) => withoutInner(tree, values, inner));
  return mergedTree(tree, ROOT, [0], { up: false, before, after, inner });
}

// Maps each call of the symbol to its calls below it, or to null if it is below another call.
function innerCalls(tree, symbol) {
  const found = new Map();
  let outer = -1;
  for (const row of rowsOfSymbol(tree, symbol)) {
    if (outer >= 0 && row < tree.end[outer]) {
      found.get(outer).push(row);
      found.set(row, null);
    } else {
      outer = row;
      found.set(row, []);
    }
  }
  return found;
}

// Returns inclusive values without the cost of inner calls, which counts for the outermost call instead.
function withoutInner({ size, parent }, values, inner) {
  const kept = values.slice();
  const moved = new Float64Array(size);
  for (let i = size - 1; i > 0; i--) {
    if (inner.get(i)) continue; // here the cost of the inner calls counts
    moved[parent[i]] += inner.has(i) ? values[i] : moved[i];
    kept[i] -= moved[i];
  }
  return kept;
}

// The calls of the symbol that have a cost and are not inside another one.
export function outermostOf(tree, symbol) {
  const rows = [];
  let end = 0;
  for (const row of rowsOfSymbol(tree, symbol)) {
    if (row < end || !(tree.before[row] > 0 || tree.after[row] > 0)) continue;
    rows.push(row);
    end = tree.end[row];
  }
  return rows;
}

// Builds the tree depth-first, without recursion. An entry has rows of the call tree as its places and, for callers,
// the rows with its values as its owners.
function mergedTree(tree, rootSymbol, start, { up, before, after, started = false, inner = new Map() }) {
  const smallest = tree.size < COMPLETE_BELOW ? 0 : SMALLEST_SHARE;
  const [smallestBefore, smallestAfter] = tree.totals.map((total) => smallest * total);
  const rank = once(tree.names, "ranks", () => ranksOf(tree));
  const rows = { symbol: [], depth: [], before: [], after: [], hidden: [], source: [] };
  const grouping = { tree, before, after, inner, slot: new Int32Array(tree.names.length + 1).fill(-1) };
  const root = newGroup(rootSymbol);
  for (const row of start) addTo(grouping, root, row, row);
  root.owners = up ? root.places : null;
  const todo = [root];
  while (todo.length) {
    const group = todo.pop();
    rows.symbol.push(group.symbol);
    rows.depth.push(group.depth);
    rows.hidden.push(group.hidden);
    rows.before.push(group.before);
    rows.after.push(group.after);
    rows.source.push(group.places.length === 1 ? group.places[0] : -1);
    if (group.hidden) continue;
    const step = started && group === root ? "same" : up ? "up" : "down";
    const rest = newGroup(OTHER, group.depth + 1);
    for (const next of groupsOf(grouping, group, step).sort((a, b) => rank[b.symbol + 1] - rank[a.symbol + 1])) {
      if (next.before < smallestBefore && next.after < smallestAfter) {
        rest.before += next.before;
        rest.after += next.after;
        rest.hidden += 1;
      } else {
        if (next.symbol === OTHER) next.hidden = next.places.reduce((sum, row) => sum + tree.hidden[row], 0);
        todo.push(next);
      }
    }
    if (rest.hidden) todo.push(rest);
  }
  return { ...assembled(tree, rows), totals: tree.totals, up };
}

function newGroup(symbol, depth = 0) {
  return { symbol, depth, hidden: 0, before: 0, after: 0, places: [], owners: null };
}

function addTo({ before, after }, group, place, owner) {
  group.places.push(place);
  group.owners?.push(owner);
  group.before += before[owner];
  group.after += after[owner];
}

// Returns the entries one call further, grouped by symbol.
function groupsOf(grouping, { places, owners, depth }, step) {
  const { tree, inner, slot } = grouping;
  const { symbol, parent, end, before, after } = tree;
  const groups = [];
  const add = (place, owner) => {
    if (symbol[place] === ROOT) return;
    let at = slot[symbol[place] + 1];
    if (at < 0) {
      at = slot[symbol[place] + 1] = groups.length;
      groups.push(newGroup(symbol[place], depth + 1));
      if (owners) groups[at].owners = [];
    }
    addTo(grouping, groups[at], place, owner);
  };
  for (let i = 0; i < places.length; i++) {
    if (step === "same") add(places[i], owners?.[i] ?? places[i]);
    else if (step === "up") add(parent[places[i]], owners[i]);
    else
      for (const row of [places[i], ...(inner.get(places[i]) ?? [])])
        for (let child = row + 1; child < end[row]; child = end[child])
          if ((before[child] > 0 || after[child] > 0) && inner.get(child) !== null) add(child, child);
  }
  for (const group of groups) slot[group.symbol + 1] = -1;
  return groups;
}

// Returns the rank of each symbol by name. Entry 0 is `other`, which comes last.
function ranksOf(tree) {
  const order = tree.names
    .map((_, symbol) => symbol)
    .sort((a, b) => (tree.names[a] < tree.names[b] ? -1 : tree.names[a] > tree.names[b] ? 1 : a - b));
  const rank = new Int32Array(order.length + 1);
  order.forEach((symbol, place) => (rank[symbol + 1] = place));
  rank[0] = order.length;
  return rank;
}

function assembled(tree, rows) {
  const size = rows.symbol.length;
  const depth = Int32Array.from(rows.depth);
  const parent = new Int32Array(size);
  const end = new Int32Array(size).fill(size);
  const beforeSelf = Float64Array.from(rows.before);
  const afterSelf = Float64Array.from(rows.after);
  const open = [];
  for (let i = 0; i < size; i++) {
    while (open.length > depth[i]) end[open.pop()] = i;
    parent[i] = open.length ? open[open.length - 1] : -1;
    open.push(i);
    if (parent[i] < 0) continue;
    beforeSelf[parent[i]] -= rows.before[i];
    afterSelf[parent[i]] -= rows.after[i];
  }
  return makeTree({
    ...tree,
    size,
    symbol: Int32Array.from(rows.symbol),
    depth,
    parent,
    end,
    beforeSelf,
    afterSelf,
    hidden: Int32Array.from(rows.hidden),
    source: rows.source,
    ...UNKNOWN,
  });
}
