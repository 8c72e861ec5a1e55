// What the reader does to the call tree of both sides: only the calls of a function, or its recursion collapsed.
import { MERGED } from "./colour.js";
import { announce, byId, element, makeButton } from "./dom.js";
import { collapsedTree, focusedTree, outermostOf } from "./merge.js";
import { once, rowsOfSymbol, symbolName, weightOf, widestOf } from "./tree.js";

export const EDITS = {
  focus: {
    title: "Only its calls",
    chip: "Only calls of",
    help: "Only the calls of this function, from all its callers (o)",
    apply: focusedTree,
  },
  collapse: {
    title: "Collapse recursion",
    chip: "Collapsed:",
    help: "One frame for all nested calls of this function (k)",
    apply: collapsedTree,
  },
};

// Applies the edits one after the other. Each result is stored with the tree before it.
export function editedTree(tree, edits) {
  return edits.reduce(
    (before, { kind, symbol }) =>
      once(before, `${kind} ${symbol}`, () => withEvidence(before, EDITS[kind].apply(before, symbol))),
    tree,
  );
}

// A row keeps the results of its tests if it stands for one row with the same values.
function withEvidence(tree, edited) {
  const found = { ...edited, edited: true, totals: [edited.before[0], edited.after[0]] };
  for (const [bits, before, after] of [
    ["evidence", "before", "after"],
    ["evidenceSelf", "beforeSelf", "afterSelf"],
  ]) {
    if (!tree[bits]) continue;
    const isSame = (row, from) =>
      edited[before][row] === tree[before][from] && edited[after][row] === tree[after][from];
    found[bits] = Uint8Array.from(edited.source, (from, row) =>
      from >= 0 && isSame(row, from) ? tree[bits][from] : MERGED,
    );
  }
  return found;
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
    return symbol >= 0 && !page.header.estimated && (kind !== "collapse" || isRecursive(page.tree, symbol));
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
