// The panel of the evolution blueprint: shown and selected boxes, and pointer and keyboard input.
import { boxLinkOf, figuresOf, firstShown, mostChanged, movedContexts, reveal, showChildren } from "./blueprint.js";
import { makeBoxActs } from "./blueprint_acts.js";
import { listenToBoxes } from "./blueprint_input.js";
import { layOutBoxes, paintBoxes } from "./blueprint_paint.js";
import { makeBoxPane } from "./blueprint_pane.js";
import { scaffold } from "./blueprint_parts.js";
import { makeRoom } from "./blueprint_room.js";
import { widthWords } from "./blueprint_words.js";
import { leadingTo } from "./colour.js";
import { rowsOfFinding } from "./findings.js";
import { makeSourcePane } from "./source.js";
import { nodeOfKey, once } from "./tree.js";

const RULES = { min_shift: 0.005, sigma: 3 }; // the default thresholds of the strategy call_context

export const blueprintPanel = {
  key: "blueprint",
  title: "Blueprint",
  install,
  build(page, section) {
    blueprintPanel.view = makeBlueprint(page, section);
  },
  show: () => blueprintPanel.view.refresh(),
};

// Opens rows as boxes while the blueprint is open, or if there is no graph.
function install(page) {
  const { openNode, isOpen } = page;
  const showsBoxes = () => page.state.tab === "blueprint" || page.header.estimated;
  page.openNode = (node) =>
    showsBoxes()
      ? page.set({ tab: "blueprint", box: boxLinkOf(page.tree, node), boxSteps: page.state.boxSteps + 1 })
      : openNode(node);
  page.isOpen = (node) => (showsBoxes() ? boxLinkOf(page.tree, node) === page.state.box : isOpen(node));
}

function measured(page) {
  const { tree, ratio, header, sample, higher } = page;
  return once(tree, `measured ${ratio.num}/${ratio.den}`, () => {
    const figures = figuresOf(tree, { ratio, runs: header.runs, higher, sample, rules: RULES });
    const leads = leadingTo(tree, (node) => figures.state[node] === "slower");
    return { ...figures, leads, most: mostChanged(tree, figures), moved: movedContexts(tree, figures, header.runs) };
  });
}

function makeBlueprint(page, section) {
  const parts = scaffold(page, section);
  const { frame, svg, count } = parts;
  /** @type {any} */
  const view = {
    ...{ page, parts, source: makeSourcePane(page, parts.source) },
    ...{ figures: null, marks: null, layout: null },
    ...{ scale: 1, selected: 0, shown: null, stale: true, drawn: false, placed: false, fitted: false },
    ...{ link: "", steps: 0, flash: 0, room: 0, render, start },
  };
  Object.assign(view, makeRoom(view), makeBoxPane(view), makeBoxActs(view));

  function refresh() {
    prepare();
    openLink();
    if (!view.placed) render();
    if (!view.fitted) view.centre(view.selected);
    view.fitted = true;
    if (view.steps !== page.state.boxSteps) view.showOpened();
  }

  // Draws the boxes. The panel may be hidden.
  function prepare() {
    if (view.stale) measure();
    if (!view.shown) start();
    if (!view.drawn) draw();
    if (!view.placed) show();
  }

  function measure() {
    const { moved, ...found } = measured(page);
    view.figures = found;
    view.marks = { moved, findings: page.findings };
    view.stale = view.drawn = false;
    showLegend();
  }

  function start() {
    view.shown = firstShown(
      page.tree,
      view.figures,
      new Set(page.header.findings.flatMap((finding) => rowsOfFinding(page, page.tree, finding))),
    );
    if (view.shown.size === 1) {
      parts.note.textContent = "No call path changed enough to be shown at once; the first level is open.";
      showChildren(page.tree, view.figures, view.shown, 0);
    }
    view.selected = firstOfFindings();
    view.link = "";
    view.drawn = view.fitted = false;
  }

  function firstOfFindings() {
    const [finding] = page.header.findings;
    return (finding && rowsOfFinding(page, page.tree, finding)[0]) ?? 0;
  }

  function render() {
    draw();
    show();
  }

  function draw() {
    view.layout = layOutBoxes({ tree: page.tree, figures: view.figures, shown: view.shown, marks: view.marks });
    if (!view.layout.places.has(view.selected)) view.selected = 0;
    svg.style.display = "none"; // until its size is known, so that the browser lays it out once
    paintBoxes(svg, { tree: page.tree, figures: view.figures, shown: view.shown, layout: view.layout });
    view.drawn = true;
    view.placed = false;
  }

  function show() {
    view.takeRoom();
    const width = frame.clientWidth;
    if (!view.fitted) view.scale = view.fittingScale();
    view.resize(width);
    svg.style.display = "";
    view.placed = true;
    const [drawn, all] = [view.layout.places.size, page.tree.size].map((size) => size.toLocaleString("en"));
    count.textContent =
      drawn === all
        ? `All ${all} call paths are shown`
        : `${drawn} of ${all} call paths are shown: those that changed most, and those that you opened`;
    view.showSelected();
  }

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
    parts.note.textContent =
      known === 0
        ? ""
        : `${cut < 0 ? "The linked call path" : linked.slice(cut + 1)} is not in this ` +
          `profile; ${known > 0 ? "its nearest known caller is chosen" : "the root is chosen"}.`;
    return select(known >= 0 ? nodes[known] : 0);
  }

  function select(node) {
    view.selected = node;
    reveal(page.tree, view.shown, node);
    render();
    if (view.fitted) view.intoView(node);
  }

  function showLegend() {
    parts.widths.textContent = `${widthWords(page, view.figures)}; logarithmic.`;
    parts.heights.textContent = `height: change in % of the whole${page.state.k === "none" ? "" : ", before scaled"}`;
  }

  parts.onZoom({
    in: () => view.zoom(view.scale * 1.25),
    out: () => view.zoom(view.scale / 1.25),
    fit: view.fitWhole,
    first: () => {
      start();
      render();
      view.fitted = true;
      view.centre(view.selected);
      view.choose(view.selected);
    },
  });

  const renew = (fresh) => () => {
    view.stale = true;
    if (fresh) view.shown = null;
    if (!section.hidden) refresh();
  };
  page.on("tree", renew(true));
  page.on("ratio", renew(false));
  const resizeIfOpen = () => {
    if (section.hidden || !view.layout) return;
    view.takeRoom();
    view.resize();
  };
  new ResizeObserver(resizeIfOpen).observe(frame);
  window.addEventListener("resize", resizeIfOpen);
  page.on("colour", () => !section.hidden && view.layout && !view.stale && view.showSelected());
  listenToBoxes(view);
  return { refresh };
}
