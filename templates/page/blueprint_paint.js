// Draws the blueprint's boxes and calls as SVG. Names reach it as text nodes only.
import { GLYPHS, childrenOf, hasHidden, heightOf, shadeOf, sourceOf, widthOf } from "./blueprint.js";
import { tidy } from "./blueprint_layout.js";
import { shorten } from "./format.js";
import { nameOf } from "./tree.js";

const NAMESPACE = "http://www.w3.org/2000/svg";
const LETTER = 6.3;
const LONGEST_LABEL = 18;
const LABEL_ROOM = 17;
const MARGIN = 24;
const CORNER = 9;

// Where everything stands: the tidy tree of the shown boxes, each as wide as its label at least.
export function layOutBoxes({ tree, figures, shown, marks }) {
  const labels = new Map();
  const sizeOf = (node) => {
    const box = { width: widthOf(figures.count[node]), height: heightOf(figures.shift[node]) };
    const label = labelOf(tree, figures, node, marks, box);
    labels.set(node, { ...label, box });
    return { width: Math.max(box.width, label.inside ? 0 : label.text.length * LETTER), height: box.height };
  };
  const { boxes, width, height } = tidy(0, (node) => childrenOf(tree, figures, node).filter((child) => shown.has(child)), sizeOf);
  const places = new Map();
  for (const [node, at] of boxes) {
    const { box, text, inside } = labels.get(node);
    places.set(node, { x: at.x + MARGIN, y: at.y + MARGIN, ...box, depth: at.depth, text, inside });
  }
  return { places, width: width + 2 * MARGIN, height: height + 2 * MARGIN + LABEL_ROOM };
}

function labelOf(tree, figures, node, marks, box) {
  const signs = [GLYPHS[figures.state[node]], marks.moved.has(node) ? "↷" : "", marks.findings.has(tree.symbol[node]) ? "◆" : ""].join("");
  const name = `${signs}${signs ? " " : ""}${nameOf(tree, node)}`;
  const room = Math.floor((box.width - 10) / LETTER);
  const inside = box.height >= LABEL_ROOM && room >= Math.min(name.length, 8);
  return { text: shorten(name, inside ? room : LONGEST_LABEL), inside };
}

export function paintBoxes(svg, scene) {
  const { tree, figures, shown, layout, selected } = scene;
  const calls = make("g", { class: "calls" });
  const boxes = make("g", { role: "presentation" });
  for (const [node, at] of layout.places) {
    if (node > 0) calls.append(callOf(layout.places.get(tree.parent[node]), at));
    boxes.append(boxOf(tree, figures, node, at, { hidden: hasHidden(tree, shown, node), selected: node === selected, shown }));
  }
  svg.setAttribute("viewBox", `0 0 ${round(layout.width)} ${round(layout.height)}`);
  svg.replaceChildren(calls, boxes);
}

function callOf(above, below) {
  const [top, bottom] = [above.y + above.height, below.y];
  const middle = (top + bottom) / 2 + 4;
  return make("path", { d: `M${round(above.x)} ${round(top)}C${round(above.x)} ${round(middle)} ${round(below.x)} ${round(middle)} ${round(below.x)} ${round(bottom)}` });
}

function boxOf(tree, figures, node, at, { hidden, selected, shown }) {
  const { fill, dotted } = shadeOf(tree, figures, node);
  const siblings = node ? siblingsOf(tree, figures, shown, node) : [0];
  const group = make("g", {
    id: boxId(node),
    class: ["box", fill, dotted ? "dotted" : "", hidden ? "thick" : "", selected ? "selected" : ""].filter(Boolean).join(" "),
    role: "treeitem",
    "aria-level": String(at.depth + 1),
    "aria-posinset": String(siblings.indexOf(node) + 1),
    "aria-setsize": String(siblings.length),
    "aria-selected": String(selected),
    "aria-label": `${nameOf(tree, node)}, ${figures.state[node]}`,
    "data-node": String(node),
  });
  if (tree.end[node] > node + 1) group.setAttribute("aria-expanded", String([...children(tree, node)].some((child) => shown.has(child))));
  const left = at.x - at.width / 2;
  group.append(make("rect", { class: "halo", x: round(left - 4), y: round(at.y - 4), width: round(at.width + 8), height: round(at.height + 8), rx: "4" }));
  group.append(make("rect", { class: "shape", x: round(left), y: round(at.y), width: round(at.width), height: round(at.height), rx: "1.5" }));
  const source = sourceOf(tree, node);
  if (source === "added" || source === "removed") {
    const right = left + at.width;
    group.append(make("path", { class: "corner", d: `M${round(right - CORNER)} ${round(at.y)}H${round(right)}V${round(at.y + Math.min(CORNER, at.height))}Z` }));
  }
  const label = make("text", { class: at.inside ? "inside" : "below", x: round(at.x), y: round(at.inside ? at.y + at.height / 2 + 4 : at.y + at.height + 13) });
  label.textContent = at.text;
  group.append(label);
  return group;
}

function* children(tree, node) {
  for (let i = node + 1; i < tree.end[node]; i = tree.end[i]) yield i;
}

export function siblingsOf(tree, figures, shown, node) {
  return childrenOf(tree, figures, tree.parent[node]).filter((other) => shown.has(other));
}

export function boxId(node) {
  return `box-${node}`;
}

function make(tag, attributes) {
  const made = document.createElementNS(NAMESPACE, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}

function round(value) {
  return String(Math.round(value * 10) / 10);
}
