// The panel of the evolution blueprint: shown and selected boxes, and pointer and keyboard input.
import { MOST_BOXES, boxLinkOf, childrenOf, figuresOf, firstShown, hasHidden, hideBelow, hotPath, mostChanged, movedContexts, reveal, rowsOfFinding, showAll, showChildren } from "./blueprint.js";
import { makeMenu } from "./blueprint_menu.js";
import { boxId, layOutBoxes, paintBoxes, paintHalos, shownSiblings } from "./blueprint_paint.js";
import { boxSentence, figuresTable, titleOf, verdictWords, widthWords } from "./blueprint_words.js";
import { leadingTo } from "./colour.js";
import { announce, element, linkButton, makeButton, outwardLink, svgElement } from "./dom.js";
import { drawnRuns } from "./runs.js";
import { makeSourcePane } from "./source.js";
import { hideTip } from "./tip.js";
import { nameOf, nodeOfKey, once, placeOf } from "./tree.js";
import { allCallsOf, linkOf } from "./words.js";

const RULES = { min_shift: 0.005, sigma: 3 };
const SMALLEST_SCALE = 0.12;
const LARGEST_SCALE = 3;
const READABLE_SCALE = 0.8;
const DRAG_FROM = 4;
const SMALLEST_HEIGHT = 320; // pixels
const FLASH = 1600; // milliseconds

export const blueprintPanel = {
  key: "blueprint",
  title: "Blueprint",
  build(page, section) {
    blueprintPanel.view = makeBlueprint(page, section);
  },
  show: () => blueprintPanel.view.refresh(),
  prepare: [
    figuresIn,
    measured,
    (page) => {
      page.prepareTab("blueprint");
      blueprintPanel.view.prepare();
    },
  ],
};

function figuresIn({ tree, ratio, header, sample, higher, unequal }) {
  const rules = { ...RULES, ...header.blueprint, ...(unequal ? { min_shift: Infinity } : {}) };
  return once(tree, `figures ${ratio.num}/${ratio.den}`, () => figuresOf(tree, { ratio, runs: header.runs, higher, sample, rules }));
}

function measured(page) {
  const { tree, ratio, header } = page;
  return once(tree, `measured ${ratio.num}/${ratio.den}`, () => {
    const figures = figuresIn(page);
    const leads = leadingTo(tree, (node) => figures.state[node] === "slower");
    return { ...figures, leads, most: mostChanged(tree, figures), moved: movedContexts(tree, figures, header.runs) };
  });
}

function makeBlueprint(page, section) {
  const parts = scaffold(page, section);
  const { frame, svg, count, pane, popup } = parts;
  const menu = makeMenu(section, frame);
  const source = makeSourcePane(page, parts.source);
  const view = { scale: 1, selected: 0, shown: null, stale: true, link: "", steps: 0, flash: 0, room: 0 };
  let figures;
  let marks;
  let layout;
  let drag = null;

  // ---- shown boxes ------------------------------------------------------------------------------------------

  function refresh() {
    prepare();
    openLink();
    if (!view.drawn) draw();
    if (!view.placed) show();
    if (!view.fitted) centre(view.selected);
    view.fitted = true;
    if (view.steps !== page.state.boxSteps) showOpened();
  }

  // Draws the boxes. The panel may be hidden.
  function prepare() {
    if (view.stale) measure();
    if (!view.shown) start();
    if (!view.drawn) draw();
  }

  function measure() {
    const { moved, ...found } = measured(page);
    figures = found;
    marks = { moved, findings: page.findings };
    view.stale = view.drawn = false;
    showLegend();
  }

  function start() {
    view.shown = firstShown(page.tree, figures, new Set(page.header.findings.flatMap((finding) => rowsOfFinding(page.tree, finding))));
    if (view.shown.size === 1) {
      parts.note.textContent = "No call path changed enough to be shown at once; the first level is open.";
      showChildren(page.tree, figures, view.shown, 0);
    }
    view.selected = firstOfFindings();
    view.link = "";
    view.drawn = view.fitted = false;
  }

  function firstOfFindings() {
    const [finding] = page.header.findings;
    return (finding && rowsOfFinding(page.tree, finding)[0]) ?? 0;
  }

  function render() {
    draw();
    show();
  }

  function draw() {
    layout = layOutBoxes({ tree: page.tree, figures, shown: view.shown, marks });
    if (!layout.places.has(view.selected)) view.selected = 0;
    svg.style.display = "none"; // until its size is known, so that the browser lays it out once
    paintBoxes(svg, { tree: page.tree, figures, shown: view.shown, layout });
    view.drawn = true;
    view.placed = false;
  }

  function show() {
    takeRoom();
    const width = frame.clientWidth;
    if (!view.fitted) view.scale = fittingScale();
    resize(width);
    svg.style.display = "";
    view.placed = true;
    const [drawn, all] = [layout.places.size, page.tree.size].map((size) => size.toLocaleString("en"));
    count.textContent = drawn === all ? `All ${all} call paths are shown` : `${drawn} of ${all} call paths are shown: those that changed most, and those that you opened`;
    showSelected();
  }

  function resize(width = frame.clientWidth) {
    svg.setAttribute("width", String(Math.ceil(layout.width * view.scale)));
    svg.setAttribute("height", String(Math.ceil(layout.height * view.scale)));
    // a picture that is smaller than its frame is centred
    frame.classList.toggle("roomy", layout.width * view.scale < width);
  }

  // Uses the height of the window below the controls, so that the legend is visible without scrolling.
  function takeRoom() {
    const top = frame.getBoundingClientRect().top + window.scrollY;
    const room = Math.max(SMALLEST_HEIGHT, Math.floor(window.innerHeight - top - parts.note.offsetHeight - parts.legend.offsetHeight - 2));
    if (room === view.room) return;
    view.room = room;
    for (const part of [frame, pane]) part.style.setProperty("--room", `${room}px`);
  }

  // The scale that shows the whole picture if it is readable, otherwise 1.
  function fittingScale() {
    const whole = Math.min(frame.clientWidth / layout.width, tallest() / layout.height);
    return whole >= READABLE_SCALE ? Math.min(1, whole) : 1;
  }

  function centre(node) {
    const at = layout.places.get(node);
    frame.scrollLeft = at.x * view.scale - frame.clientWidth / 2;
    frame.scrollTop = (at.y + at.height / 2) * view.scale - frame.clientHeight / 2;
  }

  // Shows the box that a click on a cause or a name selected.
  function showOpened() {
    view.steps = page.state.boxSteps;
    if (view.scale < READABLE_SCALE) zoom(1, false);
    centre(view.selected);
    frame.scrollIntoView({ block: "nearest" });
    const { tree } = page;
    const finding = page.findings.get(tree.symbol[view.selected]);
    const boxes = finding ? rowsOfFinding(tree, finding) : [];
    const at = boxes.indexOf(view.selected);
    parts.note.textContent = at >= 0 && boxes.length > 1 ? `${nameOf(tree, view.selected)} has ${boxes.length} boxes, one for each of its call paths. This is number ${at + 1}; click the cause again for the next one.` : "";
    takeRoom();
    resize();
    announce(boxSentence(page, figures, view.selected, marks.moved.get(view.selected)));
    clearTimeout(view.flash);
    frame.classList.add("opened");
    view.flash = setTimeout(() => frame.classList.remove("opened"), FLASH);
  }

  function tallest() {
    return Number.parseFloat(getComputedStyle(frame).maxHeight) || window.innerHeight;
  }

  function fitWhole() {
    zoom(Math.min(1, frame.clientWidth / layout.width, tallest() / layout.height), false);
    frame.scrollLeft = frame.scrollTop = 0;
  }

  function zoom(scale, keep = true, at = [frame.clientWidth / 2, frame.clientHeight / 2]) {
    const chosen = Math.min(LARGEST_SCALE, Math.max(SMALLEST_SCALE, scale));
    const [x, y] = [(frame.scrollLeft + at[0]) / view.scale, (frame.scrollTop + at[1]) / view.scale];
    view.scale = chosen;
    resize();
    if (keep) {
      frame.scrollLeft = x * chosen - at[0];
      frame.scrollTop = y * chosen - at[1];
    }
  }

  function intoView(node) {
    const at = layout.places.get(node);
    const room = 40;
    const [left, top] = [(at.x - at.width / 2) * view.scale, at.y * view.scale];
    const [right, bottom] = [(at.x + at.width / 2) * view.scale, (at.y + at.height + 16) * view.scale];
    if (left - room < frame.scrollLeft) frame.scrollLeft = left - room;
    else if (right + room > frame.scrollLeft + frame.clientWidth) frame.scrollLeft = right + room - frame.clientWidth;
    if (top - room < frame.scrollTop) frame.scrollTop = top - room;
    else if (bottom + room > frame.scrollTop + frame.clientHeight) frame.scrollTop = bottom + room - frame.clientHeight;
  }

  // ---- selected box -----------------------------------------------------------------------------------------

  function choose(node, announced = false) {
    view.selected = node;
    intoView(node);
    showSelected();
    if (announced) announce(boxSentence(page, figures, node, marks.moved.get(node)));
    view.link = boxLinkOf(page.tree, node);
    page.set({ box: view.link });
  }

  // Marks the selected box and the other boxes of its function.
  function mark() {
    for (const [kind, chosen] of [[".selected", false], [`#${boxId(view.selected)}`, true]]) {
      const box = svg.querySelector(kind);
      box?.classList.toggle("selected", chosen);
      box?.setAttribute("aria-selected", String(chosen));
    }
    const symbol = page.tree.symbol[view.selected];
    const same = [...layout.places.keys()].filter((node) => node === view.selected || (symbol >= 0 && page.tree.symbol[node] === symbol));
    paintHalos(svg, layout, same, view.selected);
    frame.setAttribute("aria-activedescendant", boxId(view.selected));
  }

  function showSelected() {
    const node = view.selected;
    const { tree } = page;
    mark();
    const partner = marks.moved.get(node);
    const head = element("h3");
    head.append(...titleOf(page, figures, node).childNodes);
    const place = placeOf(tree, node);
    const link = linkOf(tree, node);
    const everywhere = allCallsOf(page, tree, node);
    const below = [everywhere && element("p", `${everywhere[0].toUpperCase()}${everywhere.slice(1)}`), drawnRuns(page, tree.symbol[node])];
    pane.replaceChildren(head, ...(place ? [link ? outwardLink(place, link) : element("code", place)] : []), element("p", verdictWords(page, figures, node, partner), "quiet"), figuresTable(page, figures, node), ...below.filter(Boolean));
    if (partner !== undefined) pane.append(element("p"), linkButton("Show its other call path", () => goTo(partner)));
    const actions = element("p", undefined, "buttons");
    for (const [title, key, action] of menuItems(node)) {
      const button = makeButton(title, action, "plain");
      if (key) button.title = `${title} (${key})`;
      actions.append(button);
    }
    pane.append(actions);
    source.show(tree.symbol[node]);
  }

  function goTo(node) {
    reveal(page.tree, view.shown, node);
    render();
    choose(node, true);
  }

  // ---- actions ----------------------------------------------------------------------------------------------

  function menuItems(node) {
    const { tree } = page;
    const items = [];
    if (hotPath(tree, figures, node).length) items.push(["Delta hot path", "H", () => follow(node)]);
    if (hasHidden(tree, view.shown, node)) {
      items.push(["Subnodes", "Enter", () => expand(node)]);
      items.push(["All subnodes", "A", () => expandAll(node)]);
    }
    if (shownBelow(node)) items.push(["Hide all subnodes", "X", () => collapse(node)]);
    if (node > 0) items.push(["Hide this box", "Del", () => hide(node)]);
    if (!page.header.blueprint?.estimated) items.push(["In the flame graph", "G", () => page.openInGraph(node)]);
    return items;
  }

  function shownBelow(node) {
    return childrenOf(page.tree, figures, node).some((child) => view.shown.has(child));
  }

  function follow(node) {
    const path = hotPath(page.tree, figures, node);
    if (!path.length) return announce("No child has half of this change.");
    for (const other of path) view.shown.add(other);
    redraw(path[path.length - 1]);
    return undefined;
  }

  function expand(node) {
    reportHidden(showChildren(page.tree, figures, view.shown, node));
    redraw(node);
  }

  function expandAll(node) {
    reportHidden(showAll(page.tree, figures, view.shown, node));
    redraw(node);
  }

  function collapse(node) {
    hideBelow(page.tree, view.shown, node);
    redraw(node);
  }

  function hide(node) {
    hideBelow(page.tree, view.shown, node);
    view.shown.delete(node);
    redraw(page.tree.parent[node]);
  }

  function toggle(node) {
    if (hasHidden(page.tree, view.shown, node)) expand(node);
    else if (shownBelow(node)) collapse(node);
  }

  function reportHidden(left) {
    parts.note.textContent = left ? `${left.toLocaleString("en")} smaller call paths stay hidden; at most ${MOST_BOXES.toLocaleString("en")} boxes are drawn.` : "";
    if (left) announce(parts.note.textContent);
  }

  // Redraws the tree and keeps the box at the same position on the screen.
  function redraw(node) {
    const before = layout.places.get(node);
    const offset = before && [before.x * view.scale - frame.scrollLeft, before.y * view.scale - frame.scrollTop];
    render();
    const after = layout.places.get(node);
    if (offset) {
      frame.scrollLeft = after.x * view.scale - offset[0];
      frame.scrollTop = after.y * view.scale - offset[1];
    }
    choose(node, true);
  }

  function openMenu(node, x, y) {
    hidePopup();
    choose(node);
    menu.open(menuItems(node), x, y, nameOf(page.tree, node));
  }

  // ---- links ------------------------------------------------------------------------------------------------

  // Selects the box in the state of the page. Without a box, the first finding is selected.
  function openLink() {
    const linked = page.state.box;
    if (linked === view.link) return;
    view.link = linked;
    if (!linked || linked === boxLinkOf(page.tree, 0)) return select(linked ? 0 : firstOfFindings());
    const cut = linked.indexOf("~");
    const keys = (cut < 0 ? linked : linked.slice(0, cut)).split(".").filter((key) => /^[0-9a-f]{16}$/.test(key));
    const nodes = keys.map((key) => nodeOfKey(page.hashesOf(page.tree), key));
    const known = nodes.findIndex((node) => node >= 0);
    parts.note.textContent = known === 0 ? "" : `${cut < 0 ? "The linked call path" : linked.slice(cut + 1)} is not in this profile; ${known > 0 ? "its nearest known caller is chosen" : "the root is chosen"}.`;
    return select(known >= 0 ? nodes[known] : 0);
  }

  function select(node) {
    view.selected = node;
    reveal(page.tree, view.shown, node);
    render();
    if (view.fitted) intoView(node);
  }

  // ---- keys and pointers ------------------------------------------------------------------------------------

  const keys = {
    ArrowUp: (node) => page.tree.parent[node],
    ArrowDown: (node) => childrenOf(page.tree, figures, node).find((child) => view.shown.has(child)),
    ArrowLeft: (node) => beside(node, -1),
    ArrowRight: (node) => beside(node, 1),
    Home: () => 0,
  };
  const acts = { Enter: toggle, " ": toggle, h: follow, a: expandAll, x: collapse, Delete: hide, g: page.openInGraph, d: () => parts.source.scrollIntoView({ block: "nearest" }), m: menuAt, "+": () => zoom(view.scale * 1.25), "=": () => zoom(view.scale * 1.25), "-": () => zoom(view.scale / 1.25), 0: fitWhole };

  function beside(node, step) {
    if (!node) return undefined;
    const siblings = shownSiblings(page.tree, figures, view.shown, node);
    return siblings[siblings.indexOf(node) + step];
  }

  function menuAt(node) {
    const edge = svg.querySelector(`#${boxId(node)}`).getBoundingClientRect();
    openMenu(node, edge.left, edge.bottom);
  }

  frame.addEventListener("keydown", (event) => {
    if (event.altKey || event.metaKey || event.ctrlKey) return;
    const node = view.selected;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if (event.key === "ContextMenu" || (event.key === "F10" && event.shiftKey)) menuAt(node);
    else if (Object.hasOwn(keys, key)) {
      const next = keys[key](node);
      if (next !== undefined && next >= 0) choose(next, true);
    } else if (Object.hasOwn(acts, key)) {
      if (!(key === "Delete" && !node)) acts[key](node);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  });

  function nodeAt(event) {
    const box = event.target instanceof Element ? event.target.closest("[data-node]") : null;
    return box ? Number(box.getAttribute("data-node")) : -1;
  }

  frame.addEventListener("contextmenu", (event) => {
    const node = nodeAt(event);
    if (node < 0) return;
    event.preventDefault();
    openMenu(node, event.clientX, event.clientY);
  });
  frame.addEventListener("click", (event) => {
    const node = nodeAt(event);
    if (node >= 0 && !drag?.moved) choose(node);
  });
  frame.addEventListener("dblclick", (event) => {
    const node = nodeAt(event);
    if (node >= 0) toggle(node);
  });
  frame.addEventListener("pointerdown", (event) => {
    drag = event.button === 0 && event.pointerType === "mouse" ? { x: event.clientX, y: event.clientY, left: frame.scrollLeft, top: frame.scrollTop, moved: false } : null;
  });
  frame.addEventListener("pointermove", (event) => {
    if (drag && event.buttons & 1) {
      const [x, y] = [event.clientX - drag.x, event.clientY - drag.y];
      drag.moved ||= Math.abs(x) + Math.abs(y) > DRAG_FROM;
      if (drag.moved) {
        frame.classList.add("dragged");
        frame.scrollLeft = drag.left - x;
        frame.scrollTop = drag.top - y;
        hidePopup();
      }
      return;
    }
    frame.classList.remove("dragged");
    const node = nodeAt(event);
    if (node < 0 || event.pointerType !== "mouse") hidePopup();
    else showPopup(node);
  });
  frame.addEventListener("pointerleave", hidePopup);
  frame.addEventListener("scroll", hidePopup);
  frame.addEventListener(
    "wheel",
    (event) => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      const edge = frame.getBoundingClientRect();
      zoom(view.scale * 2 ** (-event.deltaY / 240), true, [event.clientX - edge.left, event.clientY - edge.top]);
    },
    { passive: false },
  );

  function showPopup(node) {
    hideTip();
    if (popup.dataset.node !== String(node)) {
      popup.dataset.node = String(node);
      const place = placeOf(page.tree, node);
      popup.replaceChildren(titleOf(page, figures, node), ...(place ? [element("code", place)] : []), figuresTable(page, figures, node), element("p", verdictWords(page, figures, node, marks.moved.get(node))));
    }
    popup.hidden = false;
    const box = svg.querySelector(`#${boxId(node)} .shape`).getBoundingClientRect();
    const { width, height } = popup.getBoundingClientRect();
    popup.style.left = `${Math.max(8, Math.min(box.left, document.documentElement.clientWidth - width - 8))}px`;
    const below = box.bottom + 20;
    popup.style.top = `${below + height <= window.innerHeight || box.top - height - 8 < 0 ? below : box.top - height - 8}px`;
  }

  function hidePopup() {
    popup.hidden = true;
    popup.dataset.node = "";
  }

  // ---- controls and legend ----------------------------------------------------------------------------------

  function showLegend() {
    parts.widths.textContent = `${widthWords(page, figures)}; logarithmic.`;
    parts.heights.textContent = `height: change in % of the whole${page.state.k === "none" ? "" : ", before scaled"}`;
    parts.unknown.hidden = Boolean(page.tree.sources) && !page.tree.sources.includes("unknown");
  }

  parts.onZoom({ in: () => zoom(view.scale * 1.25), out: () => zoom(view.scale / 1.25), fit: fitWhole, first: () => {
    start();
    render();
    view.fitted = true;
    centre(view.selected);
    choose(view.selected);
  } });

  const renew = (fresh) => () => {
    view.stale = true;
    if (fresh) view.shown = null;
    if (!section.hidden) refresh();
  };
  page.on("tree", renew(true));
  page.on("ratio", renew(false));
  const resizeIfOpen = () => {
    if (section.hidden || !layout) return;
    takeRoom();
    resize();
  };
  new ResizeObserver(resizeIfOpen).observe(frame);
  window.addEventListener("resize", resizeIfOpen);
  page.on("colour", () => !section.hidden && layout && !view.stale && showSelected());
  return { prepare, refresh };
}

// Creates the elements of the panel that never change.
function scaffold(page, section) {
  section.classList.add("blueprint");
  const bar = element("div", undefined, "toolbar");
  bar.setAttribute("role", "toolbar");
  bar.setAttribute("aria-label", "Blueprint");
  const buttons = element("div", undefined, "buttons");
  const made = {};
  for (const [key, sign, title] of [["out", "−", "Smaller (−)"], ["in", "+", "Larger (+)"], ["fit", "Fit", "Fit the whole picture (0)"], ["first", "Reset", "The first boxes"]]) {
    made[key] = makeButton(sign, () => made.actions[key](), "opener");
    made[key].title = title;
    made[key].setAttribute("aria-label", title);
    buttons.append(made[key]);
  }
  const count = element("span", undefined, "count");
  count.setAttribute("role", "status");
  bar.append(buttons, count);
  const estimated = page.header.blueprint?.estimated
    ? element("p", "Estimated from edges: this profile has callers and callees, but no stacks. The cost of each function is divided in proportion to its call edges.", "aside")
    : null;
  const note = element("p", undefined, "quiet");
  note.setAttribute("role", "status");
  const frame = element("div", undefined, "frame");
  frame.tabIndex = 0;
  frame.setAttribute("role", "tree");
  frame.setAttribute("aria-label", "Evolution blueprint: call paths. Arrow keys move, Enter opens and closes, H hot path, A all subnodes, X hides, M menu.");
  const svg = svgElement("svg", { role: "presentation" });
  frame.append(svg);
  const legend = makeBlueprintLegend();
  const stage = element("div", undefined, "stage");
  const pane = element("section", undefined, "figures");
  pane.setAttribute("aria-label", "The selected box");
  const source = element("section", undefined, "source");
  source.setAttribute("aria-label", "Source of the chosen function");
  stage.append(frame, pane);
  const popup = element("div", undefined, "tip");
  popup.hidden = true;
  section.append(...(estimated ? [estimated] : []), bar, stage, note, legend.figure, source, popup);
  return {
    ...{ frame, svg, count, pane, source, popup, note, legend: legend.figure, widths: legend.widths, heights: legend.heights, unknown: legend.unknown },
    onZoom: (actions) => {
      made.actions = actions;
    },
  };
}

function makeBlueprintLegend() {
  const figure = element("figure", undefined, "legend");
  figure.setAttribute("aria-label", "Meaning of boxes");
  const list = element("ul", undefined, "marks");
  const entries = [
    ["slower-changed", "▲ slower, its source changed"],
    ["slower", "▲ slower, source the same"],
    ["faster-changed", "▼ faster, its source changed"],
    ["faster", "▼ faster, source the same"],
    ["added", "+ only after"],
    ["removed", "× only before"],
    ["unchanged", "unchanged"],
    ["unchanged thick", "has hidden subnodes"],
  ].map(([kind, text]) => entry(kind, text));
  const unknown = entry("slower dotted", "dotted: source unknown");
  list.append(...entries, unknown, element("li", "↷ moved to another call path"), element("li", "◆ finding"), element("li", "↓ red edge: calls a slower function"));
  const bars = element("div", undefined, "bars");
  for (const points of [1, 5]) {
    const bar = element("i");
    bar.style.height = `${6 + 4 * points}px`;
    const size = element("span");
    size.append(bar, `${points} %`);
    bars.append(size);
  }
  const heights = element("span");
  const widths = element("span");
  bars.append(heights, widths);
  figure.append(list, bars);
  return { figure, heights, widths, unknown };

  function entry(kind, text) {
    const item = element("li");
    item.append(element("i", undefined, `swatch ${kind}`), text);
    return item;
  }
}
