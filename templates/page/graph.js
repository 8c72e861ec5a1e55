// The pictures: one pane per side or direction, with hover, zoom and keyboard commands.
import { paletteOf } from "./colour.js";
import { isShown } from "./context.js";
import { showEmpty, showFocus } from "./details.js";
import { announce, byId, themeOf } from "./dom.js";
import { boxOf, nodeAt, paint, planOf } from "./draw.js";
import { fitFrames, makeFrame, measureFrames, nameFrame, planned } from "./frame.js";
import { makeSourcePane } from "./source.js";
import { hideTip, showTip } from "./tip.js";
import { neighbourOf } from "./walk.js";

const AFTER_PICTURE = 50; // milliseconds
const MOVING = 300; // milliseconds
const MOST_MOVING = 30_000; // frames
const still = window.matchMedia("(prefers-reduced-motion: reduce)");
const preferred = window.matchMedia("(prefers-color-scheme: dark)");

// Returns widths and starts between those of two panes, as parts of the root.
function betweenOf(old, now, root, part) {
  const mixed = (column) =>
    now[column].map((value, node) => {
      const [first, second] = [old[column][node], value].map((at, side) => {
        const { widths, starts } = [old, now][side];
        return widths[root] > 0 ? (at - (column === "starts" ? starts[root] : 0)) / widths[root] : 0;
      });
      return first + (second - first) * part;
    });
  return { widths: mixed("widths"), starts: mixed("starts") };
}

export function makeGraph(page) {
  let frames = [];
  let scheduled = false;
  let due = {}; // what the next animation frame does: "fit", "reveal", "paint" or "scroll"
  let fitted = ""; // the measures that the last fit used
  let source = null;
  let waiting = 0;
  const back = [];

  function build() {
    const names = page.panes.map((pane) => `${pane.shape}${pane.isStrip}`).join();
    const grid = byId("panes");
    if (grid.dataset.panes !== names) {
      grid.dataset.panes = names;
      grid.classList.toggle("several", page.panes.length > 1);
      frames = page.panes.map((pane, index) => makeFrame(pane, index));
      frames.forEach(listen);
      grid.replaceChildren(...frames.map((frame) => frame.figure));
    }
    for (const [index, pane] of page.panes.entries()) {
      const frame = frames[index];
      const moves = frame.pane.tree === pane.tree && frame.pane.view !== pane.view && frame.plan && !still.matches;
      const from = moves && pane.tree.size <= MOST_MOVING ? frame.pane : null;
      frame.figure.className = `pane ${pane.view}`;
      Object.assign(frame, { pane, plan: null, from, since: performance.now() });
    }
  }

  // ---- drawing ------------------------------------------------------------------------------------------------

  // The listeners of an event change the page first. Its layout is computed once, in the animation frame after them.
  function request(task) {
    due[task] = true;
    if (scheduled) return;
    scheduled = true;
    requestAnimationFrame(drawNow);
  }

  const fit = () => request("fit");
  const draw = () => request("paint");

  function drawNow() {
    scheduled = false;
    if (byId("panel-graph").hidden) return;
    const { fit: changed, reveal: moved, paint: repaint } = due;
    due = {};
    if (changed) for (const frame of frames) nameFrame(page, frame);
    const measures = measureFrames(frames);
    const fits = changed || measures.key !== fitted;
    if (fits) fitFrames(page, frames, measures);
    fitted = measures.key;
    if (moved) reveal();
    for (const frame of frames) {
      if (fits || repaint || frame.scene.offset !== frame.graph.scrollTop) drawFrame(frame);
      else rings(frame);
    }
  }

  function drawFrame(frame) {
    const { pane, graph, canvas, scene } = frame;
    const theme = themeOf(page);
    const { height, rowHeight, count } = scene;
    const from = Math.floor(graph.scrollTop / rowHeight);
    const to = Math.ceil((graph.scrollTop + height) / rowHeight);
    const turned = (row) => Math.ceil(scene.extent / rowHeight) - 1 - row;
    const [firstRow, lastRow] = pane.flip ? [turned(to), turned(from)] : [from, to];
    Object.assign(scene, {
      shades: page.shades[pane.shape],
      width: graph.clientWidth, // a scroll bar may have appeared
      firstRow: Math.max(firstRow, 0),
      lastRow: Math.min(lastRow, count - 1),
      offset: graph.scrollTop,
      theme,
      palette: paletteOf(theme, page.higher),
      found: page.found,
      findings: page.findings,
      outside: page.state.mine ? page.whole.outside : null,
    });
    const shown = ({ rows, ...plan }) => ({
      ...plan,
      rows: rows.slice(scene.firstRow, scene.lastRow + 1),
      firstRow: scene.firstRow,
    });
    frame.plan = shown(planned(page, pane, scene.root, scene.width));
    const part = frame.from ? (performance.now() - frame.since) / MOVING : 1;
    if (part < 1) {
      const between = { ...scene, ...betweenOf(frame.from, pane, scene.root, part), full: 1 };
      paint(canvas, between, shown(planOf(between)));
      requestAnimationFrame(() => frame.from && drawFrame(frame));
    } else {
      frame.from = null;
      paint(canvas, scene, frame.plan);
    }
    canvas.dataset.painted = pane.view;
    rings(frame);
  }

  function rings(frame) {
    const { pane, plan } = frame;
    if (!plan) return;
    const { hovered } = page;
    place(frame, frame.hover, hovered && hovered.shape === pane.shape ? hovered.node : -1);
    const { focus } = page.state;
    place(
      frame,
      frame.focus,
      focus.shape === pane.shape && frames.some(({ graph }) => graph === document.activeElement) ? focus.node : -1,
    );
  }

  function place(frame, ring, node) {
    const { scene, plan, pane } = frame;
    const above = node >= 0 && node < scene.root && pane.tree.end[node] >= pane.tree.end[scene.root];
    const shown =
      node >= 0 && (above || (node >= scene.root && node < pane.tree.end[scene.root] && pane.widths[node] > 0));
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
        source?.mark(node < 0 ? -1 : page.shapes[shape].symbol[node]);
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
      if (node < 0) return;
      page.showSideOf(node, frame.pane.shape);
      zoomTo(node, frame.pane.shape);
    });
    graph.addEventListener("scroll", () => {
      hideTip();
      for (const other of frames)
        if (
          other.pane.shape === frame.pane.shape &&
          !other.pane.isStrip &&
          !frame.pane.isStrip &&
          other.graph.scrollTop !== graph.scrollTop
        )
          other.graph.scrollTop = graph.scrollTop;
      if (frame.scene?.offset !== graph.scrollTop) request("scroll");
    });
    graph.addEventListener("focus", () => {
      if (page.state.focus.shape !== frame.pane.shape)
        page.focusOn(page.state.zoom[frame.pane.shape], frame.pane.shape);
      else frames.forEach(rings);
    });
    graph.addEventListener("blur", () => frames.forEach(rings));
  }

  // Returns the top and bottom of a node's row on the screen.
  function rowEdges(frame, node) {
    const top =
      frame.graph.getBoundingClientRect().top + frame.scene.rowTop(frame.pane.rows[node]) - frame.graph.scrollTop;
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
        graph.scrollTop = Math.max(
          0,
          pane.flip ? top - scene.height + 7 * scene.rowHeight : top - Math.min(6 * scene.rowHeight, scene.height / 2),
        );
      }
    }
  }

  function move(direction) {
    const node = neighbourOf(page, direction);
    if (node < 0) return;
    const { shape } = page.state.focus;
    if (!isShown(page, node, shape)) page.goTo(direction === "parent" ? node : page.shapes[shape].parent[node], shape);
    chooseNode(node, shape);
  }

  function chooseNode(node, shape = page.state.focus.shape) {
    page.focusOn(node, shape);
    const frame =
      frames.find(({ pane, graph }) => pane.shape === shape && graph === document.activeElement) ??
      frames.find(({ pane }) => pane.shape === shape && pane.widths[node] > 0);
    frame?.graph.focus({ preventScroll: true });
    request("reveal");
  }

  // The source is shown after the picture above it, so that a zoom does not wait for the source.
  function showSource() {
    const { sourceDiffs } = page.tree;
    const { shape, node } = page.state.focus;
    const symbol = page.shapes[shape].symbol[node];
    const section = byId("source");
    section.hidden = !sourceDiffs.size;
    source ??= makeSourcePane(page, section);
    clearTimeout(waiting);
    if (!section.hidden) waiting = setTimeout(() => source.show(symbol), AFTER_PICTURE);
  }

  byId("panel-graph").classList.toggle("sourced", page.whole.sourceDiffs.size > 0);
  page.showMessage = (text) => {
    const message = byId("message");
    message.textContent = text;
    message.hidden = !text;
    if (text) announce(text);
  };
  page.drawNow = () => {
    fit();
    drawNow();
  };
  page.pointTo = (node) => {
    page.hovered = node < 0 || page.shapes[0] !== page.tree ? null : { shape: 0, node };
    frames.forEach(rings);
  };
  page.zoomTo = zoomTo;
  page.zoomBack = zoomBack;
  page.chooseNode = chooseNode;
  page.move = move;

  page.on("layout", () => {
    build();
    showEmpty(page);
  });
  page.on("zoom", () => {
    request("fit");
    request("reveal");
  });
  page.on("focus", () => {
    showFocus(page, frames);
    frames.forEach(rings);
  });
  for (const event of ["colour", "search", "theme"]) page.on(event, draw);
  page.on("focus", showSource);
  preferred.addEventListener("change", () => page.renew(["theme"]));
  new ResizeObserver(() => {
    if (frames.length && !byId("panel-graph").hidden && measureFrames(frames).key !== fitted) fit();
  }).observe(document.querySelector("main"));
  return { fit };
}
