// Inclusive values, paths and pivots of the decoded tree.
import { OTHER, ROOT } from "./codec.js";
import { counted } from "./format.js";

const MOST_STORED = 24; // values stored for each object
const stored = new WeakMap();
// what is not known of merged rows
export const UNKNOWN = {
  ...{ evidence: null, evidenceSelf: null, totalBefore: null, totalAfter: null },
  ...{ callsBefore: null, callsAfter: null },
};

// Returns a value that is computed once for an object and a key. Values that were not used for long are dropped.
export function once(owner, key, make) {
  if (!stored.has(owner)) stored.set(owner, new Map());
  const values = stored.get(owner);
  const value = values.has(key) ? values.get(key) : make();
  values.delete(key);
  values.set(key, value);
  if (values.size > MOST_STORED) values.delete(values.keys().next().value);
  return value;
}

export function inclusiveOf(parent, own) {
  const total = new Float64Array(own);
  for (let i = total.length - 1; i > 0; i--) total[parent[i]] += total[i];
  return total;
}

// `totals` are the denominators of shares; a merged tree has the totals of the original tree.
export function makeTree(columns) {
  const before = inclusiveOf(columns.parent, columns.beforeSelf);
  const after = inclusiveOf(columns.parent, columns.afterSelf);
  return { ...columns, before, after, totals: [before[0], after[0]] };
}

export function nameOf(tree, node) {
  const symbol = tree.symbol[node];
  if (symbol === ROOT) return "all";
  if (symbol === OTHER) return `other (${counted(tree.hidden[node], "node")})`;
  return symbolName(tree, symbol);
}

// Returns the name of a symbol. A renamed function has both names.
export function symbolName(tree, symbol) {
  const place = tree.formerOf?.[symbol];
  return place ? `${tree.names[symbol]} (was: ${tree.formers[place - 1]})` : tree.names[symbol];
}

export function placeOf(tree, node) {
  return placeOfSymbol(tree, tree.symbol[node]);
}

export function placeOfSymbol(tree, symbol) {
  const file = symbol < 0 ? 0 : tree.fileOf[symbol];
  if (!file) return "";
  return tree.lineOf[symbol] ? `${tree.files[file - 1]}:${tree.lineOf[symbol]}` : tree.files[file - 1];
}

// Whether the pull request changed a function's source.
export function isEdited(source) {
  return source === "changed" || source === "added" || source === "renamed";
}

export function ancestorsOf(tree, node) {
  const path = [];
  for (let i = node; i >= 0; i = tree.parent[i]) path.push(i);
  return path.reverse();
}

// Returns two 32-bit hashes per path, so that a link is valid on any page with this path.
export function pathHashes(tree) {
  const low = new Uint32Array(tree.size);
  const high = new Uint32Array(tree.size);
  const own = tree.names.map((_, symbol) => hashOfSymbol(tree, symbol));
  [low[0], high[0]] = ROOT_HASH;
  for (let i = 1; i < tree.size; i++) {
    const above = tree.parent[i];
    const [first, second] = tree.symbol[i] < 0 ? OTHER_HASH : own[tree.symbol[i]];
    low[i] = mixed(low[above] ^ first, high[above]);
    high[i] = mixed(high[above] ^ second, low[above]);
  }
  return { low, high };
}

// Returns the keys of a node and its nearest callers, at most `length`, the node first. Only its path is hashed.
export function keysOfPath(tree, node, length) {
  let [low, high] = ROOT_HASH;
  const keys = ancestorsOf(tree, node)
    .slice(1)
    .map((i) => {
      const [first, second] = tree.symbol[i] < 0 ? OTHER_HASH : hashOfSymbol(tree, tree.symbol[i]);
      [low, high] = [mixed(low ^ first, high), mixed(high ^ second, low)];
      return hex(high) + hex(low);
    });
  return keys.reverse().slice(0, length);
}

const ROOT_HASH = [0x811c9dc5, 0x9747b28c];
const OTHER_HASH = [1, 2];

// Returns the key of a function in URLs. Functions of one name in several files have different keys.
export function keyOfSymbol(tree, symbol) {
  const [first, second] = hashOfSymbol(tree, symbol);
  return hex(second) + hex(first);
}

function hashOfSymbol(tree, symbol) {
  return hashOfText(`${tree.names[symbol]}\n${tree.files[tree.fileOf[symbol] - 1] ?? ""}`);
}

export function nodeOfKey(hashes, key) {
  const high = Number.parseInt(key.slice(0, 8), 16);
  const low = Number.parseInt(key.slice(8), 16);
  for (let i = 0; i < hashes.low.length; i++) if (hashes.low[i] === low && hashes.high[i] === high) return i;
  return -1;
}

// Returns the rows of a symbol in ascending order. The index of all symbols is computed once.
export function rowsOfSymbol(tree, symbol) {
  const { first, rows } = indexOfSymbols(tree);
  return rows.subarray(first[symbol - ROOT], first[symbol - ROOT + 1]);
}

export function indexOfSymbols(tree) {
  return once(tree.symbol, "rows", () => {
    const { size, symbol } = tree;
    const first = new Int32Array(tree.names.length - ROOT + 2);
    for (let i = 0; i < size; i++) first[symbol[i] - ROOT + 2] += 1;
    for (let i = 2; i < first.length; i++) first[i] += first[i - 1];
    const rows = new Int32Array(size);
    // afterwards an entry is the start of its symbol
    for (let i = 0; i < size; i++) rows[first[symbol[i] - ROOT + 1]++] = i;
    return { first, rows };
  });
}

export function weightOf(tree, node) {
  return Math.max(tree.before[node], tree.after[node]);
}

// Returns the widest row of a symbol, which has the largest value on either side.
export function widestOf(tree, symbol) {
  let best = -1;
  let width = -1;
  for (const row of rowsOfSymbol(tree, symbol)) {
    const value = weightOf(tree, row);
    if (value > width) {
      best = row;
      width = value;
    }
  }
  return best;
}

function hashOfText(text) {
  let first = 0xdeadbeef;
  let second = 0x41c6ce57;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    first = Math.imul(first ^ code, 2654435761);
    second = Math.imul(second ^ code, 1597334677);
  }
  return [mixed(first, second), mixed(second, first)];
}

function mixed(value, salt) {
  let hash = Math.imul(value ^ (value >>> 16), 2246822507) ^ Math.imul(salt ^ (salt >>> 13), 3266489909);
  hash = Math.imul(hash ^ (hash >>> 15), 2246822507);
  return (hash ^ (hash >>> 16)) >>> 0;
}

function hex(value) {
  return value.toString(16).padStart(8, "0");
}
