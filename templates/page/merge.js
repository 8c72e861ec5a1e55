// Trees merged from the calls: reversed from the leaves, and callers and callees of one symbol. Each of these has
// the columns of a tree, so the code that draws, colours and describes the call tree also works for them.
import { OTHER, ROOT } from "./codec.js";
import { makeTree, once } from "./tree.js";

const COMPLETE_BELOW = 60000;
const SMALLEST_SHARE = 5e-5; // share of both totals; smaller callers are too narrow to see and are merged into one row

export function callTreeOf(tree) {
  return tree;
}

// Reverses every stack, starting from its leaf: the children of a row are its callers.
export function reversedTree(tree) {
  const own = [];
  for (let i = 1; i < tree.size; i++) if (tree.beforeSelf[i] > 0 || tree.afterSelf[i] > 0) own.push(i);
  return mergedTree(tree, ROOT, Int32Array.from(own), { up: true, before: tree.beforeSelf, after: tree.afterSelf, started: true });
}

// The callers of the symbol. A recursive symbol counts once per stack, at its outermost occurrence.
export function callersOf(tree, symbol) {
  return mergedTree(tree, symbol, outermostOf(tree, symbol), { up: true, before: tree.before, after: tree.after });
}

// The callees of the symbol.
export function calleesOf(tree, symbol) {
  return mergedTree(tree, symbol, outermostOf(tree, symbol), { up: false, before: tree.before, after: tree.after });
}

function outermostOf(tree, symbol) {
  const rows = [];
  for (let i = 0; i < tree.size; ) {
    if (tree.symbol[i] === symbol && (tree.before[i] > 0 || tree.after[i] > 0)) {
      rows.push(i);
      i = tree.end[i];
    } else {
      i++;
    }
  }
  return Int32Array.from(rows);
}

// Builds the tree depth-first, without recursion. An entry is a row of the call tree
// and, for callers, the row with its value.
function mergedTree(tree, rootSymbol, start, { up, before, after, started = false }) {
  const smallest = tree.size < COMPLETE_BELOW ? 0 : SMALLEST_SHARE;
  const rank = ranksOf(tree);
  const rows = { symbol: [], depth: [], before: [], after: [], hidden: [] };
  const scratch = { slot: new Int32Array(tree.names.length + 1).fill(-1) };
  const todo = [{ symbol: rootSymbol, depth: 0, places: start, owners: start, first: started }];
  while (todo.length) {
    const { symbol, depth, places, owners, first, hidden = 0 } = todo.pop();
    const [sumBefore, sumAfter] = sumsOf(owners, before, after);
    rows.symbol.push(symbol);
    rows.depth.push(depth);
    rows.hidden.push(hidden);
    rows.before.push(sumBefore);
    rows.after.push(sumAfter);
    if (hidden) continue;
    const groups = first ? groupsOf(tree, scratch, places, owners, "same") : groupsOf(tree, scratch, places, owners, up ? "up" : "down");
    groups.sort((a, b) => rank[b.symbol + 1] - rank[a.symbol + 1]);
    const rest = [];
    let merged = 0;
    for (const group of groups) {
      const carriers = up ? group.owners : group.places;
      if (isSmallGroup(tree, carriers, before, after, smallest)) {
        for (const row of carriers) rest.push(row);
        merged += 1;
      } else {
        todo.push({ symbol: group.symbol, depth: depth + 1, places: group.places, owners: carriers, hidden: group.symbol === OTHER ? group.places.length : 0 });
      }
    }
    if (merged) todo.push({ symbol: OTHER, depth: depth + 1, places: [], owners: rest, hidden: merged });
  }
  return { ...assembled(tree, rows), totals: tree.totals };
}

// Returns the entries one call further, grouped by symbol.
function groupsOf(tree, { slot }, places, owners, step) {
  const groups = [];
  const add = (place, owner) => {
    const symbol = tree.symbol[place];
    if (symbol === ROOT) return;
    let at = slot[symbol + 1];
    if (at < 0) {
      at = slot[symbol + 1] = groups.length;
      groups.push({ symbol, places: [], owners: [] });
    }
    groups[at].places.push(place);
    groups[at].owners.push(owner);
  };
  for (let i = 0; i < places.length; i++) {
    const place = places[i];
    if (step === "same") add(place, owners[i]);
    else if (step === "up") add(tree.parent[place], owners[i]);
    else for (let child = place + 1; child < tree.end[place]; child = tree.end[child]) if (tree.before[child] > 0 || tree.after[child] > 0) add(child, child);
  }
  for (const group of groups) slot[group.symbol + 1] = -1;
  return groups;
}

function isSmallGroup(tree, owners, before, after, smallest) {
  if (!smallest) return false;
  const [sumBefore, sumAfter] = sumsOf(owners, before, after);
  return sumBefore < smallest * tree.totals[0] && sumAfter < smallest * tree.totals[1];
}

function sumsOf(owners, before, after) {
  let sumBefore = 0;
  let sumAfter = 0;
  for (const row of owners) {
    sumBefore += before[row];
    sumAfter += after[row];
  }
  return [sumBefore, sumAfter];
}

// Returns the rank of each symbol by name. Entry 0 is `other`, which comes last.
export function ranksOf(tree) {
  return once(tree.names, "ranks", () => ranksOfNames(tree));
}

function ranksOfNames(tree) {
  const order = tree.names.map((_, symbol) => symbol).sort((a, b) => (tree.names[a] < tree.names[b] ? -1 : tree.names[a] > tree.names[b] ? 1 : a - b));
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
    evidence: null,
    evidenceSelf: null,
  });
}
