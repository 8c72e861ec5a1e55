// The pictures: one pane for each side or direction, with hover, zoom, keys and the text of the chosen frame.
import { paletteOf, stateOf } from "./colour.js";
import { announce, byId, element, outwardLink } from "./dom.js";
import { boxOf, glyphOf, nodeAt, paint, planOf } from "./draw.js";
import { isDrawn, isShown } from "./context.js";
import { hideTip, showTip } from "./tip.js";
import { describe, fromOf, meanOf, sentenceOf } from "./words.js";
import { isEdited, nameOf } from "./tree.js";
import { VIEW_NAMES, deepestDrawn, isFolded, scaled } from "./views.js";

const DIRECTIONS = ["Callers", "Callees"];
const preferred = window.matchMedia("(prefers-color-scheme: dark)");

export function themeOf(page) {
  return page.state.theme === "auto" ? (preferred.matches ? "dark" : "light") : page.state.theme;
}

export function makeGraph(page) {
  let frames = [];
  let scheduled = false;
  const back = [];

  function build() {
    const wanted = page.panes.map((pane) => `${pane.shape}${pane.view}`).join();
    const grid = byId("panes");
    if (grid.dataset.panes !== wanted) {
      grid.dataset.panes = wanted;
      grid.classList.toggle("several", page.panes.length > 1);
      grid.classList.toggle("side", page.state.view === "side");
      frames = page.panes.map((pane, index) => makeFrame(pane, index));
      grid.replaceChildren(...frames.map((frame) => frame.figure));
    }
    page.panes.forEach((pane, index) => (frames[index].pane = pane));
    page.back = back;
  }

  function makeFrame(pane, index) {
    const figure = element("figure", undefined, `pane ${pane.view}`);
    const caption = element("figcaption");
    const graph = element("div", undefined, "graph");
    const spacer = element("div", undefined, "spacer");
    const canvas = element("canvas");
    const hover = element("div", undefined, "ring");
    const focus = element("div", undefined, "ring chosen");
    const item = element("div", undefined, "unseen");
    canvas.setAttribute("aria-hidden", "true");
    graph.tabIndex = 0;
    graph.setAttribute("role", "tree");
    graph.setAttribute("aria-activedescendant", `item-${index}`);
    item.id = `item-${index}`;
    item.setAttribute("role", "treeitem");
    item.setAttribute("aria-selected", "true");
    spacer.append(canvas, hover, focus);
    graph.append(spacer, item);
    figure.append(caption, graph);
    const frame = { pane, figure, caption, graph, spacer, canvas, hover, focus, item, scene: null, plan: null };
    listen(frame);
    return frame;
  }

  // ---- size ---------------------------------------------------------------------------------------------------

  function fit() {
    if (byId("panel-graph").hidden) return;
    const rowHeight = window.matchMedia("(pointer: coarse)").matches ? 24 : 19;
    const counts = page.shapes.map(() => 1);
    for (const { pane, graph } of frames) {
      const root = page.state.zoom[pane.shape];
      const smallest = (fullOf(pane, root) / Math.max(graph.clientWidth, 1)) * 0.5;
      if (pane.widths[root] > 0) counts[pane.shape] = Math.max(counts[pane.shape], deepestDrawn(pane.tree, pane.widths, root, smallest, pane.rows) + 1);
    }
    for (const frame of frames) {
      const { pane, graph, spacer, canvas } = frame;
      const count = counts[pane.shape];
      const tallest = Math.max(10 * rowHeight, Math.round(window.innerHeight * tallestPart(pane)));
      const height = pane.widths[0] ? Math.min(Math.max(count, 4) * rowHeight, tallest) : 2 * rowHeight;
      graph.style.height = `${height}px`;
      spacer.style.height = `${Math.max(count * rowHeight, height)}px`;
      canvas.style.height = `${height}px`;
      const extent = Math.max(height, count * rowHeight);
      frame.scene = {
        tree: pane.tree,
        widths: pane.widths,
        starts: pane.starts,
        rows: pane.rows,
        root: page.state.zoom[pane.shape],
        full: fullOf(pane, page.state.zoom[pane.shape]),
        sorted: page.state.order === "name",
        folded: page.state.fold ? (node) => isFolded(pane, node) : null,
        outlines: pane.view === "elided",
        width: graph.clientWidth,
        height,
        rowHeight,
        count,
        extent,
        rowTop: (row) => (pane.flip ? extent - (row + 1) * rowHeight : row * rowHeight),
      };
      frame.plan = null;
      caption(frame);
    }
    draw();
  }

  function tallestPart(pane) {
    const several = page.shapes.length > 1 ? 0.6 : 1;
    if (page.state.view !== "side") return 0.68 * several;
    return (pane.view === "diff" ? 0.24 : page.state.strip ? 0.46 : 0.62) * several;
  }

  // The value that fills the width of a pane.
  function fullOf(pane, root) {
    const own = pane.widths[root];
    if (page.state.view !== "side" || page.state.scale !== "common" || pane.view === "diff") return own;
    const { num, den } = page.ratio;
    const old = scaled(pane.tree.before[root], page.ratio);
    const most = Math.max(old, pane.tree.after[root]);
    return pane.view === "before" ? (most * den) / num : most;
  }

  function caption(frame) {
    const { pane } = frame;
    const root = page.state.zoom[pane.shape];
    const label = [...(page.shapes.length > 1 ? [DIRECTIONS[pane.shape]] : []), ...(page.state.view === "side" || page.shapes.length === 1 ? [pane.view === "diff" ? "Differences" : VIEW_NAMES[pane.view]] : [])].join(", ");
    frame.graph.setAttribute("aria-label", `Flame graph: ${label.toLowerCase()}`);
    const value = pane.view === "before" ? meanOf(page, pane.tree.before[root], 0) : pane.view === "after" ? meanOf(page, pane.tree.after[root], 1) : "";
    const missing = pane.widths[0] && !pane.widths[root] ? `${nameOf(pane.tree, root)} is not on this side` : !pane.widths[0] ? emptyReason(page, pane.view) : "";
    frame.caption.replaceChildren(element("b", label), ...(value ? [" ", element("span", value)] : []), ...(missing ? [" ", element("em", missing)] : []));
  }

  // ---- drawing ------------------------------------------------------------------------------------------------

  function draw() {
    if (scheduled) return;
    scheduled = true;
    requestAnimationFrame(() => {
      scheduled = false;
      for (const frame of frames) if (frame.scene) drawFrame(frame);
    });
  }

  function drawFrame(frame) {
    const { pane, graph, canvas, scene } = frame;
    const { height, rowHeight, count } = scene;
    const from = Math.floor(graph.scrollTop / rowHeight);
    const to = Math.ceil((graph.scrollTop + height) / rowHeight);
    const turned = (row) => Math.ceil(scene.extent / rowHeight) - 1 - row;
    const [firstRow, lastRow] = pane.flip ? [turned(to), turned(from)] : [from, to];
    Object.assign(scene, {
      shades: page.shades[pane.shape],
      width: graph.clientWidth,
      firstRow: Math.max(firstRow, 0),
      lastRow: Math.min(lastRow, count - 1),
      offset: graph.scrollTop,
      theme: themeOf(page),
      palette: paletteOf(themeOf(page), page.higher),
      found: page.found,
      findings: page.findings,
    });
    frame.plan = planOf(scene);
    paint(canvas, scene, frame.plan);
    canvas.dataset.painted = pane.view;
    rings(frame);
  }

  function rings(frame) {
    const { pane } = frame;
    const { hovered } = page;
    place(frame, frame.hover, hovered && hovered.shape === pane.shape ? hovered.node : -1);
    const { focus } = page.state;
    place(frame, frame.focus, focus.shape === pane.shape && frames.some(({ graph }) => graph === document.activeElement) ? focus.node : -1);
  }

  function place(frame, ring, node) {
    const { scene, plan, pane } = frame;
    const above = node >= 0 && node < scene.root && pane.tree.end[node] >= pane.tree.end[scene.root];
    const shown = node >= 0 && plan && (above || (node >= scene.root && node < pane.tree.end[scene.root] && pane.widths[node] > 0));
    ring.hidden = !shown;
    if (!shown) return;
    const [left, size] = boxOf(scene, plan.scale, node);
    ring.style.transform = `translate(${Math.floor(left)}px, ${scene.rowTop(pane.rows[node])}px)`;
    ring.style.width = `${Math.max(size, 2)}px`;
    ring.style.height = `${scene.rowHeight - 1}px`;
  }

  // ---- pointing -----------------------------------------------------------------------------------------------

  function pointedAt(frame, event) {
    const { graph, scene, plan } = frame;
    if (!plan) return -1;
    const edge = graph.getBoundingClientRect();
    const x = event.clientX - edge.left - graph.clientLeft;
    const y = event.clientY - edge.top - graph.clientTop + graph.scrollTop;
    const row = frame.pane.flip ? Math.floor((scene.extent - y) / scene.rowHeight) : Math.floor(y / scene.rowHeight);
    return nodeAt(scene, plan, x, row);
  }

  function listen(frame) {
    const { graph } = frame;
    graph.addEventListener("pointermove", (event) => {
      const node = pointedAt(frame, event);
      const { shape } = frame.pane;
      const changed = page.hovered?.node !== node || page.hovered?.shape !== shape;
      if (changed) {
        page.hovered = node < 0 ? null : { shape, node };
        frames.forEach(rings);
        graph.classList.toggle("over", node >= 0);
      }
      if (node < 0) hideTip();
      else if (event.pointerType === "mouse") showTip(page, shape, node, event.clientX, rowEdges(frame, node), changed);
    });
    graph.addEventListener("pointerleave", () => {
      page.hovered = null;
      hideTip();
      frames.forEach(rings);
    });
    graph.addEventListener("click", (event) => {
      const node = pointedAt(frame, event);
      if (node >= 0) zoomTo(node, frame.pane.shape);
    });
    graph.addEventListener("scroll", () => {
      hideTip();
      for (const other of frames) if (other.pane.shape === frame.pane.shape && other.pane.view !== "diff" && frame.pane.view !== "diff" && other.graph.scrollTop !== graph.scrollTop) other.graph.scrollTop = graph.scrollTop;
      draw();
    });
    graph.addEventListener("focus", () => {
      if (page.state.focus.shape !== frame.pane.shape) page.focusOn(page.state.zoom[frame.pane.shape], frame.pane.shape);
      else frames.forEach(rings);
    });
    graph.addEventListener("blur", () => frames.forEach(rings));
  }

  // Top and bottom of a node's row on the screen.
  function rowEdges(frame, node) {
    const top = frame.graph.getBoundingClientRect().top + frame.scene.rowTop(frame.pane.rows[node]) - frame.graph.scrollTop;
    return [top, top + frame.scene.rowHeight];
  }

  function zoomTo(node, shape = page.state.focus.shape) {
    back.push({ shape, node: page.state.zoom[shape], tree: page.shapes[shape] });
    hideTip();
    page.goTo(node, shape);
  }

  function zoomBack() {
    const last = back.pop();
    const { shape } = page.state.focus;
    if (last && last.tree === page.shapes[last.shape]) page.goTo(last.node, last.shape);
    else page.goTo(Math.max(page.shapes[shape].parent[page.state.zoom[shape]], 0), shape);
  }

  function reveal() {
    const { shape, node } = page.state.focus;
    for (const frame of frames) {
      const { pane, graph, scene } = frame;
      if (pane.shape !== shape || !scene) continue;
      const top = scene.rowTop(pane.rows[node]);
      if (top < graph.scrollTop || top + scene.rowHeight > graph.scrollTop + scene.height) {
        graph.scrollTop = Math.max(0, pane.flip ? top - scene.height + 7 * scene.rowHeight : top - Math.min(6 * scene.rowHeight, scene.height / 2));
      }
    }
  }

  // ---- walking ------------------------------------------------------------------------------------------------

  function siblingsOf(node, shape) {
    const tree = page.shapes[shape];
    if (node === 0) return [0];
    const above = tree.parent[node];
    const list = [];
    for (let i = above + 1; i < tree.end[above]; i = tree.end[i]) if (isDrawn(page, i, shape)) list.push(i);
    const { starts } = page.panes.find((pane) => pane.shape === shape);
    return page.state.order === "name" ? list : list.sort((one, two) => starts[one] - starts[two]);
  }

  function neighbour(direction) {
    const { shape, node } = page.state.focus;
    const tree = page.shapes[shape];
    const pane = page.panes.find((one) => one.shape === shape);
    if (direction === "parent") {
      let above = tree.parent[node];
      while (above > 0 && page.state.fold && isFolded(pane, above)) above = tree.parent[above];
      return above;
    }
    if (direction === "child") {
      let best = -1;
      let from = node;
      while (page.state.fold && from + 1 < tree.end[from] && isFolded(pane, from + 1)) from += 1;
      const size = (i) => Math.max(scaled(tree.before[i], page.ratio), tree.after[i]);
      for (let i = from + 1; i < tree.end[from]; i = tree.end[i]) if (isDrawn(page, i, shape) && (best < 0 || size(i) > size(best))) best = i;
      return best;
    }
    const siblings = siblingsOf(node, shape);
    return siblings[siblings.indexOf(node) + (direction === "next" ? 1 : -1)] ?? -1;
  }

  function move(direction) {
    const node = neighbour(direction);
    if (node < 0) return;
    const { shape } = page.state.focus;
    if (!isShown(page, node, shape)) page.goTo(direction === "parent" ? node : page.shapes[shape].parent[node], shape);
    chooseNode(node, shape);
  }

  function chooseNode(node, shape = page.state.focus.shape) {
    page.focusOn(node, shape);
    const frame = frames.find(({ pane, graph }) => pane.shape === shape && graph === document.activeElement) ?? frames.find(({ pane }) => pane.shape === shape && pane.widths[node] > 0);
    frame?.graph.focus({ preventScroll: true });
    reveal();
    draw();
  }

  // ---- words --------------------------------------------------------------------------------------------------

  function tellFocus() {
    const { shape, node } = page.state.focus;
    const tree = page.shapes[shape];
    const details = byId("details");
    const empty = !isDrawn(page, node, shape);
    for (const { item, pane } of frames) {
      if (pane.shape !== shape || empty) {
        item.textContent = "";
        continue;
      }
      const siblings = siblingsOf(node, shape);
      item.textContent = sentenceOf(page, shape, node);
      item.setAttribute("aria-level", String(tree.depth[node] + 1));
      item.setAttribute("aria-posinset", String(siblings.indexOf(node) + 1));
      item.setAttribute("aria-setsize", String(siblings.length));
    }
    if (empty) {
      details.replaceChildren();
      return;
    }
    const { name, place, link, lines, shares, verdict } = describe(page, shape, node);
    const [all, own] = lines;
    const heading = element("b");
    const symbol = tree.symbol[node];
    heading.append(glyphOf(stateOf(tree, node), page.shades[shape].level[node], page.findings.get(symbol), isEdited(tree.sources?.[symbol])), element("bdi", name));
    const file = link ? outwardLink(place || "source", link) : element("code", place);
    details.replaceChildren(
      heading,
      " ",
      file,
      element("span", [`${fromOf(all)} → ${all.after}, ${all.change} (${all.relative})`, `self ${fromOf(own)} → ${own.after}, ${own.change}`, all.responsibility, shares, verdict].filter(Boolean).join("; ")),
    );
  }

  function tellEmpty() {
    const refused = page.ratio.refused && page.state.k !== "none" ? `Not normalised: ${page.ratio.refused}.` : "";
    const drawn = page.panes.some((pane) => pane.widths[0] > 0);
    page.say(refused || (drawn ? "" : emptyReason(page, page.state.view)));
  }

  page.say = (text) => {
    const message = byId("message");
    message.textContent = text;
    message.hidden = !text;
    if (text) announce(text);
  };
  page.zoomTo = zoomTo;
  page.zoomBack = zoomBack;
  page.chooseNode = chooseNode;
  page.move = move;

  page.on("layout", () => {
    build();
    tellEmpty();
  });
  page.on("zoom", () => {
    fit();
    reveal();
  });
  page.on("focus", () => {
    tellFocus();
    frames.forEach((frame) => frame.scene && frame.plan && rings(frame));
  });
  for (const event of ["colour", "search", "theme"]) page.on(event, draw);
  page.on("colour", () => page.panes && tellFocus());
  preferred.addEventListener("change", () => page.renew(["theme"]));
  new ResizeObserver(fit).observe(document.querySelector("main"));
  return { fit };
}

export function emptyReason(page, view) {
  if (!page.tree.before[0] && !page.tree.after[0]) return page.state.drop.size ? "Nothing is left." : "Both sides are empty: there is nothing to draw.";
  if (view === "elided") return "Nothing vanished: every path of the before side still exists.";
  if (view === "diff") return "Nothing differs: both sides are the same.";
  return view === "after" ? "The after side is empty." : view === "before" ? "The before side is empty." : "There is nothing to draw.";
}
