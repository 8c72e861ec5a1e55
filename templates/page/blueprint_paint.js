// Draws the boxes and calls of the blueprint as SVG. Names are inserted as text nodes only.
import { GLYPHS, childrenOf, hasHidden, heightOf, sourceOf, widthOf } from "./blueprint.js";
import { tidy } from "./blueprint_layout.js";
import { svgElement } from "./dom.js";
import { findingGlyph } from "./draw.js";
import { shorten } from "./format.js";
import { isEdited, nameOf } from "./tree.js";

const LETTER = 6.3;
const LARGE_LETTER = 8.6; // in the labels of findings
const LONGEST_LABEL = 18;
const LONGEST_OF_FINDING = 60;
const LABEL_ROOM = 17;
const MARGIN = 24;
const EDGE = 3;
const HALO = 4;

// Computes the layout of the shown boxes as a tidy tree. Each box is at least as wide as its label.
export function layOutBoxes({ tree, figures, shown, marks }) {
  const labels = new Map();
  const sizeOf = (node) => {
    const box = { width: widthOf(figures.count[node]), height: heightOf(figures.height[node]) };
    const label = boxLabel(tree, figures, node, marks, box);
    labels.set(node, { ...label, box });
    return {
      width: Math.max(box.width, label.inside ? 0 : label.text.length * (label.large ? LARGE_LETTER : LETTER)),
      height: box.height,
    };
  };
  const { boxes, width, height } = tidy(
    0,
    (node) => childrenOf(tree, figures, node).filter((child) => shown.has(child)),
    sizeOf,
  );
  const places = new Map();
  for (const [node, at] of boxes) {
    const { box, ...label } = labels.get(node);
    places.set(node, { x: at.x + MARGIN, y: at.y + MARGIN, ...box, depth: at.depth, ...label });
  }
  return { places, width: width + 2 * MARGIN, height: height + 2 * MARGIN + LABEL_ROOM };
}

function boxLabel(tree, figures, node, marks, box) {
  const finding = marks.findings.get(tree.symbol[node]);
  const signs = [
    GLYPHS[figures.state[node]],
    marks.moved.has(node) ? "↷" : "",
    finding ? findingGlyph(finding) : "",
    isEdited(sourceOf(tree, node)) ? "◆" : "",
    leadsToSlower(figures, node) ? "↓" : "",
  ].join("");
  const prefix = signs && `${signs} `;
  const name = nameOf(tree, node);
  if (finding) {
    const text = prefix + shorten(name, LONGEST_OF_FINDING);
    return { text, large: true, inside: box.height >= LABEL_ROOM && text.length * LARGE_LETTER + 10 <= box.width };
  }
  const room = Math.floor((box.width - 10) / LETTER) - prefix.length;
  const inside = box.height >= LABEL_ROOM && room >= Math.min(name.length, 8);
  return { text: prefix + shorten(name, inside ? room : LONGEST_LABEL), large: false, inside };
}

function leadsToSlower({ leads, state }, node) {
  return leads[node] === 1 && state[node] !== "slower";
}

export function paintBoxes(svg, scene) {
  const { tree, figures, shown, layout } = scene;
  const calls = [];
  const boxes = svgElement("g", { role: "presentation" });
  const families = new Map(); // the boxes below each box
  for (const node of layout.places.keys()) {
    const above = tree.parent[node];
    if (!families.has(above)) families.set(above, []);
    families.get(above).push(node);
  }
  for (const [node, at] of layout.places) {
    if (node > 0) calls.push(callLine(layout.places.get(tree.parent[node]), at));
    const siblings = families.get(tree.parent[node]);
    boxes.append(
      drawnBox(tree, figures, node, at, {
        hidden: hasHidden(tree, shown, node),
        siblings,
        expanded: families.has(node),
      }),
    );
  }
  svg.setAttribute("viewBox", `0 0 ${tenth(layout.width)} ${tenth(layout.height)}`);
  svg.replaceChildren(
    patterns(),
    svgElement("path", { class: "calls", d: calls.join("") }),
    svgElement("g", { class: "halos" }),
    boxes,
  );
}

// The marks of call paths that only one side has: dots and stripes, as in the graph.
function patterns() {
  const made = svgElement("defs");
  for (const [state, mark] of [
    ["added", svgElement("circle", { cx: "2", cy: "2", r: "1" })],
    ["removed", svgElement("rect", { width: "1.2", height: "5" })],
  ]) {
    const pattern = svgElement("pattern", {
      ...{ id: `boxes-${state}`, width: "5", height: "5", patternUnits: "userSpaceOnUse" },
      patternTransform: state === "removed" ? "rotate(45)" : "",
    });
    pattern.append(mark);
    made.append(pattern);
  }
  return made;
}

// Draws a frame around each of the nodes, behind the boxes.
export function paintHalos(svg, layout, nodes, selected) {
  const halos = nodes.map((node) => {
    const at = layout.places.get(node);
    const [left, top] = [at.x - at.width / 2 - HALO, at.y - HALO];
    return svgElement("rect", {
      class: node === selected ? "chosen" : "same",
      x: tenth(left),
      y: tenth(top),
      width: tenth(at.width + 2 * HALO),
      height: tenth(at.height + 2 * HALO),
      rx: "4",
    });
  });
  svg.querySelector(".halos").replaceChildren(...halos);
}

function callLine(above, below) {
  const [top, bottom] = [above.y + above.height, below.y];
  const middle = (top + bottom) / 2 + 4;
  return (
    `M${tenth(above.x)} ${tenth(top)}C${tenth(above.x)} ${tenth(middle)} ` +
    `${tenth(below.x)} ${tenth(middle)} ${tenth(below.x)} ${tenth(bottom)}`
  );
}

function drawnBox(tree, figures, node, at, { hidden, siblings, expanded }) {
  const state = figures.state[node];
  const group = svgElement("g", {
    id: boxId(node),
    class: ["box", state, hidden ? "thick" : "", leadsToSlower(figures, node) ? "leads" : ""].filter(Boolean).join(" "),
    role: "treeitem",
    "aria-level": String(at.depth + 1),
    "aria-posinset": String(siblings.indexOf(node) + 1),
    "aria-setsize": String(siblings.length),
    "aria-selected": "false",
    "aria-label":
      `${nameOf(tree, node)}, ` + `${state}${leadsToSlower(figures, node) ? ", calls a slower function" : ""}`,
    "data-node": String(node),
  });
  if (tree.end[node] > node + 1) group.setAttribute("aria-expanded", String(expanded));
  const place = {
    ...{ x: tenth(at.x - at.width / 2), y: tenth(at.y) },
    ...{ width: tenth(at.width), height: tenth(at.height), rx: "1.5" },
  };
  group.append(svgElement("rect", { class: "shape", ...place }));
  if (state === "added" || state === "removed")
    group.append(svgElement("rect", { ...place, fill: `url(#boxes-${state})` }));
  if (isEdited(sourceOf(tree, node)))
    group.append(svgElement("rect", { class: "edited", ...place, width: tenth(Math.min(EDGE, at.width / 5)) }));
  group.append(
    svgElement(
      "text",
      {
        class: `${at.inside ? "inside" : "below"}${at.large ? " large" : ""}`,
        x: tenth(at.x),
        y: tenth(at.inside ? at.y + at.height / 2 + 4 : at.y + at.height + (at.large ? 16 : 13)),
      },
      at.text,
    ),
  );
  return group;
}

export function boxId(node) {
  return `box-${node}`;
}

function tenth(value) {
  return String(Math.round(value * 10) / 10);
}
