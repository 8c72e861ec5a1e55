// The texts that are shown below the pictures or replace them.
import { stateOf } from "./colour.js";
import { isDrawn } from "./context.js";
import { byId, element, nameElement, placeElement } from "./dom.js";
import { glyphOf } from "./draw.js";
import { solid } from "./format.js";
import { symbolSums } from "./symbols.js";
import { isEdited } from "./tree.js";
import { rowsOfFinding } from "./findings.js";
import { siblingsOf } from "./walk.js";
import { describe, sentenceOf } from "./words.js";

const ABOUT_ALL = 0.002;
const LONGEST_DETAIL = 120; // characters

// Shows the selected frame as text, in the line below the picture and for screen readers.
export function showFocus(page, frames) {
  const { shape, node } = page.state.focus;
  const tree = page.shapes[shape];
  const details = byId("details");
  const empty = !isDrawn(page, node, shape);
  for (const { item, pane } of frames) {
    // a picture without the selected frame has the one that fills it
    const at = pane.shape === shape ? node : page.state.zoom[pane.shape];
    const siblings = siblingsOf(page, at, pane.shape);
    item.textContent = sentenceOf(page, pane.shape, at);
    item.setAttribute("aria-level", String(pane.tree.depth[at] + 1));
    item.setAttribute("aria-posinset", String(siblings.indexOf(at) + 1));
    item.setAttribute("aria-setsize", String(siblings.length));
  }
  if (empty) {
    details.replaceChildren();
    return;
  }
  const { name, place, link, everywhere, lines, shares, brief } = describe(page, shape, node);
  const symbol = tree.symbol[node];
  const finding = page.findings.get(symbol);
  const isSelf = finding?.judged === "self" && !page.header.alone;
  const [shown, other] = isSelf ? [lines[1], lines[0]] : lines;
  const heading = element("b");
  const { level } = page.shades[shape];
  const growth = page.header.alone ? shares : shown.growth;
  const differ = other && other.brief !== shown.brief;
  const numbers = `${isSelf && differ ? "self " : ""}${shown.brief} (${growth})`;
  const more = differ && !everywhere ? `, ${other.label.toLowerCase()} ${other.brief}` : "";
  const one = everywhere && (page.header.estimated || isOnlyPlace(page, tree, node));
  const here = everywhere && `${hereOf(page, symbol, node)} `;
  heading.append(
    glyphOf(stateOf(tree, node), level[node], finding, isEdited(tree.sources?.[symbol])),
    nameElement(name, LONGEST_DETAIL),
  );
  details.replaceChildren(
    heading,
    " ",
    placeElement(place, link),
    element("span", solid([everywhere, one ? "" : here + numbers + more, brief].filter(Boolean).join(" · "))),
  );
}

// Whether a row has about all of the cost of its function, so that both numbers differ only by rounding.
function isOnlyPlace(page, tree, node) {
  const sums = symbolSums(page.tree);
  return ["before", "after", "beforeSelf", "afterSelf"].every(
    (column) => Math.abs(sums[column][tree.symbol[node]] - tree[column][node]) <= ABOUT_ALL * tree[column][node],
  );
}

// Returns "here:", or which place of the function the frame is, if a click on the finding opens several places in turn.
function hereOf(page, symbol, node) {
  const finding = page.shapes[0] === page.tree && page.findings.get(symbol);
  const places = finding ? rowsOfFinding(page, page.tree, finding) : [];
  return places.length > 1 && places.includes(node)
    ? `place ${places.indexOf(node) + 1} of ${places.length}:`
    : "here:";
}

export function showEmpty(page) {
  const refused = page.ratio.refused && page.state.k !== "none" ? `Not normalised: ${page.ratio.refused}.` : "";
  const drawn = page.panes.some((pane) => !pane.isStrip && pane.widths[0] > 0);
  page.showMessage(refused || (drawn ? "" : emptyReason(page, page.state.view)));
}

export function emptyReason(page, view) {
  if (!page.tree.before[0] && !page.tree.after[0])
    return page.tree !== page.whole ? "Nothing is left." : "Both sides are empty: there is nothing to draw.";
  if (page.tree !== page.whole && page.whole[view]?.[0]) return `Nothing is left of the ${view} side.`;
  if (view === "diff") return "Both sides are the same.";
  return `The ${view} side is empty.`;
}
