// What the reader does to the call tree of both sides: only the calls of a function, or its recursion collapsed.
import { MERGED } from "./colour.js";
import { announce, byId, element, makeButton } from "./dom.js";
import { outermostOf, ranksOf } from "./merge.js";
import { UNKNOWN, makeTree, once, rowsOfSymbol, symbolName, weightOf, widestOf } from "./tree.js";

export const EDITS = {
  focus: {
    title: "Only its calls",
    chip: "Only calls of",
    help: "Only the calls of this function, from all its callers (o)",
  },
  collapse: {
    title: "Collapse recursion",
    chip: "Collapsed:",
    help: "One frame for all nested calls of this function (k)",
  },
};

const editKey = ({ kind, symbol }) => `${kind} ${symbol}`;

// Applies the edits one after the other. Each result is stored with the tree before it, so undo costs nothing.
export function editedTree(tree, edits) {
  return edits.reduce((before, edit) => once(before, editKey(edit), () => regrouped(before, edit)), tree);
}

// Returns the tree in which every row has the row that stands for it. Each row's own cost counts once, for that row, so
// a collapsed tree has the same totals; a focused tree has the totals of the function. `origin` maps the rows of the
// page's complete tree to the new rows.
function regrouped(tree, { kind, symbol: chosen }) {
  const { size, parent, symbol } = tree;
  const made = rowMaker(size);
  const stands = new Int32Array(size);
  const outermost = new Int32Array(size).fill(-1); // the new row of the outermost call of the chosen function
  const sources = new Int32Array(size);
  const source = new Int32Array(size);
  const mixes = new Uint8Array(size); // whether rows with other callers may join the row's callees
  if (kind === "focus") mixes[0] = 1;
  const isLeftOut = (row) => kind === "focus" && outermost[row] < 0;
  for (let i = 0; i < size; i++) {
    const above = parent[i];
    const outer = i ? outermost[above] : -1;
    if (i && mixes[above]) mixes[i] = 1;
    if (symbol[i] === chosen && kind === "collapse" && outer >= 0) {
      stands[i] = outermost[i] = outer;
      continue;
    }
    const apart = i > 0 && kind === "focus" && outer < 0 && symbol[i] !== chosen;
    stands[i] = apart ? 0 : made.rowOf(i ? stands[above] : -1, symbol[i], i > 0 && mixes[above] > 0);
    outermost[i] = outer < 0 && symbol[i] === chosen ? stands[i] : outer;
    if (kind === "collapse" && outermost[i] >= 0) mixes[i] = 1;
    sources[stands[i]] += 1;
    source[stands[i]] = i;
  }
  const { place, ...shape } = inOrder(tree, made);
  const { size: rows } = shape;
  const [beforeSelf, afterSelf, hidden] = [new Float64Array(rows), new Float64Array(rows), new Int32Array(rows)];
  const origin = new Int32Array(size).fill(-1); // the new place of each row
  for (let i = 0; i < size; i++) {
    if (isLeftOut(i)) continue;
    const at = place[stands[i]];
    origin[i] = at;
    beforeSelf[at] += tree.beforeSelf[i];
    afterSelf[at] += tree.afterSelf[i];
    hidden[at] += tree.hidden[i];
  }
  const found = makeTree({
    ...tree,
    ...shape,
    ...{ beforeSelf, afterSelf, hidden },
    ...{ ...UNKNOWN, callsBefore: null, callsAfter: null },
    origin: tree.origin ? tree.origin.map((row) => (row < 0 ? -1 : origin[row])) : origin,
  });
  const evidence = (bits, before, after) => {
    if (!tree[bits]) return;
    found[bits] = new Uint8Array(found.size).fill(MERGED);
    for (let i = 0; i < made.size; i++) {
      const [to, from] = [place[i], source[i]];
      if (sources[i] === 1 && found[before][to] === tree[before][from] && found[after][to] === tree[after][from])
        found[bits][to] = tree[bits][from];
    }
  };
  evidence("evidence", "before", "after");
  evidence("evidenceSelf", "beforeSelf", "afterSelf");
  return found;
}

// Makes at most `most` rows, one for each symbol below each row. The table is faster than a map of 300,000 rows.
function rowMaker(most) {
  const mask = 2 ** Math.ceil(Math.log2(2 * most + 2)) - 1;
  const table = new Int32Array(mask + 1).fill(-1);
  const made = {
    size: 0,
    parent: new Int32Array(most),
    symbol: new Int32Array(most),
    mixes: new Uint8Array(most),
    rowOf,
  };

  // A row below a row that mixes nothing is always new.
  function rowOf(parent, symbol, mixed) {
    if (!mixed) return add(parent, symbol);
    made.mixes[parent] = 1;
    let slot = Math.imul(parent + 1, 0x9e3779b1) ^ Math.imul(symbol + 3, 0x85ebca6b);
    for (slot = (slot ^ (slot >>> 15)) & mask; ; slot = (slot + 1) & mask) {
      const row = table[slot];
      if (row < 0) break;
      if (made.parent[row] === parent && made.symbol[row] === symbol) return row;
    }
    table[slot] = made.size;
    return add(parent, symbol);
  }

  function add(parent, symbol) {
    made.parent[made.size] = parent;
    made.symbol[made.size] = symbol;
    return made.size++;
  }

  return made;
}

// Sorts the rows by name below each row, callers first. `place` is the new number of each row. Rows below a row that
// mixes nothing are in order already.
function inOrder(tree, made) {
  const { size, parent, symbol, mixes } = made;
  const rank = ranksOf(tree);
  const [child, next] = [new Int32Array(size).fill(-1), new Int32Array(size).fill(-1)];
  for (let row = size - 1; row > 0; row--) {
    next[row] = child[parent[row]];
    child[parent[row]] = row;
  }
  for (let row = 0; row < size; row++) {
    if (!mixes[row]) continue;
    const below = [];
    for (let at = child[row]; at >= 0; at = next[at]) below.push(at);
    below.sort((a, b) => rank[symbol[a] + 1] - rank[symbol[b] + 1]);
    child[row] = below[0] ?? -1;
    below.forEach((at, number) => (next[at] = below[number + 1] ?? -1));
  }
  const place = new Int32Array(size);
  const shape = {
    size,
    symbol: new Int32Array(size),
    depth: new Int32Array(size),
    parent: new Int32Array(size).fill(-1),
    end: new Int32Array(size).fill(size),
  };
  let row = 0;
  for (let at = 0; at < size; at++) {
    place[row] = at;
    shape.symbol[at] = made.symbol[row];
    if (row) {
      shape.parent[at] = place[made.parent[row]];
      shape.depth[at] = shape.depth[shape.parent[at]] + 1;
    }
    if (child[row] >= 0) {
      row = child[row];
      continue;
    }
    for (; row && next[row] < 0; row = made.parent[row]) shape.end[place[row]] = at + 1;
    if (row) shape.end[place[row]] = at + 1;
    row = next[row];
  }
  return { place, ...shape };
}

// Whether a function calls itself, directly or through others.
export function isRecursive(tree, symbol) {
  let end = 0;
  for (const row of rowsOfSymbol(tree, symbol)) {
    if (row < end) return true;
    end = tree.end[row];
  }
  return false;
}

const UNZOOMED = { zoom: [0], focus: { shape: 0, node: 0 } };

export function makeEdits(page) {
  const buttons = Object.entries(EDITS).map(([kind, { title, help }]) => {
    const button = makeButton(title, () => page.edit(kind), "plain");
    button.title = help;
    return [kind, button];
  });
  byId("edits").append(...buttons.map(([, button]) => button));

  const chosen = () => {
    const { shape, node } = page.state.focus;
    return page.shapes[shape].symbol[node];
  };

  function isPossible(kind, symbol) {
    return symbol >= 0 && (kind !== "collapse" || isRecursive(page.tree, symbol));
  }

  function showButtons() {
    const symbol = chosen();
    for (const [kind, button] of buttons) {
      button.hidden = !isPossible(kind, symbol);
      if (button.hidden && button === document.activeElement) page.chooseNode(page.state.focus.node);
    }
    const { title } = EDITS.focus;
    buttons[0][1].textContent = symbol >= 0 && outermostOf(page.tree, symbol).length > 1 ? "All places as one" : title;
  }

  function showChips() {
    const { edits } = page.state;
    byId("chips").hidden = !edits.length;
    byId("chips").replaceChildren(
      ...edits.map((edit) => {
        const name = symbolName(page.whole, edit.symbol);
        const chip = makeButton(`${EDITS[edit.kind].chip} `, () => change(edits.filter((other) => other !== edit)));
        chip.append(element("bdi", name));
        chip.setAttribute("aria-label", `Undo: ${EDITS[edit.kind].title} ${name}`);
        return chip;
      }),
    );
  }

  // The selected function stays selected if it is still there.
  function change(edits) {
    const symbol = chosen();
    page.set({ edits, ...UNZOOMED });
    const { tree, state } = page;
    if (symbol < 0 || state.tab !== "graph" || state.sandwich >= 0 || state.reversed) return;
    const row = widestOf(tree, symbol);
    if (row > 0 && weightOf(tree, row) > 0) page.openInGraph(row);
  }

  page.edit = (kind) => {
    const symbol = chosen();
    if (!isPossible(kind, symbol)) return;
    change([...page.state.edits, { kind, symbol }]);
    announce(`${EDITS[kind].title}: ${symbolName(page.whole, symbol)}`);
  };
  page.on("focus", showButtons);
  page.on("tree", showChips);
}
