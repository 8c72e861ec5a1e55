// State shared by all parts of the page. A part gets the `page`, listens to its events and changes it through `set`:
//
//   page.header, page.whole    the header and the complete tree; never change. If header.alone is true,
//                              both sides are the same profile, and nothing is compared
//   page.state                 the user's choices (see `initial`); change them with page.set({ key: value })
//   page.tree                  the tree after the edits (see edits.js)
//   page.ratio, page.tableRatio  scale its before side
//   page.shapes                the trees that are drawn: [calls], [reversed] or [callers, callees] of a symbol
//   page.shades                the colours of each shape, and the rows that lead to a frame with a higher cost
//   page.panes                 the pictures, each with widths and starts
//   page.levelOf(before, after, passed)  the colour level of a change; `passed` is the result of a test, or null
//   page.findings              the worst finding of each symbol; header.findings are all of them
//   page.on(event, listener)   events, ordered by their dependencies: tree, shape, ratio, colour, scale (only if the
//                              colours of page.tree changed), layout, zoom, focus; independent events: search, theme,
//                              tab, box
//   page.goTo(node, shape)     zooms; page.focusOn(node, shape) selects a node. A node is a row of page.shapes[shape]
//   page.openNode(node)        shows a row of page.tree in the graph, or in the table if there is no graph
//   page.isOpen(node)          whether page.openNode(node) would change nothing
//   page.openSymbol(symbol)    shows the symbol's widest row; page.openFinding(finding) the row of a finding
//   page.openInGraph(node)     shows a row in the graph
//
// Listeners run after everything that depends on a change has been updated.
import { ROOT } from "./codec.js";
import { byId } from "./dom.js";
import { GATES, carriersOf, leadingTo, levelOfChange, relatedTo, shadesOf } from "./colour.js";
import { rowsOfFinding } from "./findings.js";
import { withoutMoved } from "./moved.js";
import { reversedTree, calleesOf, callersOf } from "./merge.js";
import { editedTree } from "./edits.js";
import { ancestorsOf, once, pathHashes, widestOf } from "./tree.js";
import { foldedRows, ratioOf, sidesOf, startsOf, widthsOf } from "./views.js";

const LEAST_WIDTH = 40; // pixels of a frame that is opened, if its caller is wide enough
const FOLLOWS = {
  tree: ["tree", "shape", "ratio", "colour", "scale", "layout", "zoom", "focus"],
  shape: ["shape", "colour", "layout", "zoom", "focus"],
  ratio: ["ratio", "colour", "scale", "layout", "zoom", "focus"],
  colour: ["colour", "scale", "focus"],
  scale: ["scale"],
  layout: ["layout", "zoom", "focus"],
  zoom: ["zoom", "focus"],
  focus: ["focus"],
  search: ["search"],
  theme: ["theme"],
  tab: ["tab"],
  box: ["box"],
};
const CHANGED_BY = {
  edits: "tree",
  sandwich: "shape",
  reversed: "shape",
  k: "ratio",
  basis: "colour",
  chance: "colour",
  view: "layout",
  order: "layout",
  fold: "layout",
  zoom: "zoom",
  focus: "focus",
  q: "search",
  regex: "search",
  case: "search",
  mine: "colour",
  theme: "theme",
  tab: "tab",
  box: "box",
};
const ORDER = Object.keys(FOLLOWS);

export function makePage(header, whole) {
  const listeners = new Map(ORDER.map((event) => [event, []]));
  const defaults = initial(header, whole);
  const page = {
    header,
    whole,
    tree: whole,
    defaults,
    state: { ...defaults, edits: [], zoom: [0], focus: { shape: 0, node: 0 }, theme: "auto" },
    // the first finding of a function, which is the most important one, marks its frames
    findings: new Map([...header.findings].reverse().map((finding) => [finding.symbol, finding])),
    sample: header.sample_value ? header.sample_value / header.g : null,
    higher: header.better === "higher",
    found: null,
    hovered: null,
    on: (event, listener) => listeners.get(event).push(listener),
    set(patch) {
      Object.assign(page.state, patch);
      const steps = new Set(Object.keys(patch).flatMap((key) => FOLLOWS[CHANGED_BY[key]] ?? []));
      page.renew(ORDER.filter((step) => steps.has(step)));
    },
    renew(steps = FOLLOWS.tree) {
      const { scale } = page;
      for (const step of steps) COMPUTE[step]?.(page);
      for (const step of steps)
        if (step !== "scale" || page.scale !== scale) for (const listener of listeners.get(step)) listener();
    },
    goTo(node, shape = 0) {
      const zoom = page.shapes.map((_, at) => (at === shape ? node : (page.state.zoom[at] ?? 0)));
      page.set({ zoom, focus: { shape, node } });
    },
    focusOn: (node, shape = page.state.focus.shape) => page.set({ focus: { shape, node } }),
    // Opens a side on which the row has a width, unless the view shows it.
    showSideOf(node, shape = 0) {
      if (!isDrawn(page, node, shape)) page.set({ view: page.shapes[shape].after[node] > 0 ? "after" : "before" });
    },
    openNode(node) {
      if (!header.estimated) return openInGraph(page, node);
      page.showSideOf(node);
      page.set({ tab: "symbols", focus: { shape: 0, node }, boxSteps: page.state.boxSteps + 1 });
      // a page that opens shows its headline
      if (page.state.boxSteps > 1) byId("details").scrollIntoView({ block: "nearest" });
    },
    isOpen(node) {
      const isTreeShown = page.state.tab === "graph" && page.shapes[0] === page.tree;
      return page.state.focus.node === node && (header.estimated || isTreeShown);
    },
    openInGraph: (node) => openInGraph(page, node),
    openSymbol(symbol) {
      const node = widestOf(page.tree, symbol);
      if (node >= 0) page.openNode(node);
    },
    // Places without half of the change are opened together. Otherwise recursion is collapsed, and each further click
    // opens the next place of the finding.
    openFinding(finding) {
      const rows = rowsOfFinding(page, page.tree, finding);
      if (rows.isSpread && !header.estimated) return page.openSandwich(finding.symbol);
      const path = header.estimated ? [] : ancestorsOf(page.tree, rows[0] ?? 0).map((row) => page.tree.symbol[row]);
      const symbol = path.find((own, at) => own >= 0 && path.indexOf(own) < at);
      if (symbol !== undefined) {
        const edits = [...page.state.edits, { kind: "collapse", symbol }];
        page.set({ edits, zoom: [0], focus: { shape: 0, node: 0 } });
        page.openFinding(finding);
      } else if (rows.length) page.openNode(rows[(rows.findIndex((node) => page.isOpen(node)) + 1) % rows.length]);
    },
    hashesOf,
  };
  return page;
}

function initial(header, whole) {
  return {
    tab: header.estimated ? "symbols" : "graph", // a path that is estimated shows no finding
    view: whole.after[0] ? "after" : "before",
    k: header.normalisation,
    basis: "inclusive",
    chance: true,
    q: "",
    regex: false,
    case: false,
    mine: false,
    reversed: false,
    box: "",
    boxSteps: 0, // counts the boxes and frames that were opened by their function
    sandwich: -1,
    fold: "long",
    order: "name",
  };
}

const COMPUTE = {
  tree(page) {
    page.tree = editedTree(page.whole, page.state.edits);
  },
  shape(page) {
    const { sandwich, reversed, focus } = page.state;
    const numbered = page.shapes?.[focus.shape]?.symbol;
    if (sandwich >= 0) page.shapes = [callersOf(page.tree, sandwich), calleesOf(page.tree, sandwich)];
    else page.shapes = [reversed ? reversedTree(page.tree) : page.tree];
    page.state.zoom = page.shapes.map((shape, at) =>
      shape.size > (page.state.zoom[at] ?? 0) ? (page.state.zoom[at] ?? 0) : 0,
    );
    const shape = focus.shape < page.shapes.length ? focus.shape : 0;
    if (shape !== focus.shape || (focus.node && numbered && page.shapes[shape].symbol !== numbered))
      page.state.focus = { shape, node: page.state.zoom[shape] };
    page.hovered = null;
  },
  ratio(page) {
    page.ratio = ratioOf(page.state.k, page.tree, page.header.runs);
    page.tableRatio = ratioOf("none", page.tree, page.header.runs);
  },
  colour(page) {
    const { k, basis, chance } = page.state;
    const options = {
      ratio: page.ratio,
      normalisation: page.ratio.refused ? "none" : k,
      basis,
      gate: page.header.alone ? Infinity : GATES[basis],
      chance,
      sample: page.sample,
      repeats: testsRepeats(page),
      isFound: (symbol, delta) => page.findings.get(symbol)?.delta * delta > 0,
    };
    const worse = page.higher ? -1 : 1;
    // a report that only found that the total changed does not say where, so each row is tested alone
    const isListed = page.header.judged && (page.findings.size > 0 || !page.header.total_changed);
    const shades = (tree, chosen) =>
      once(tree, `shades ${JSON.stringify(chosen)}`, () => {
        const all = shadesOf(tree, { ...chosen, related: isListed && relatedTo(tree, page.findings) });
        if (isUncertainTotal(page, tree, 0)) all.level[0] = 0;
        const found = withoutMoved(tree, all, chosen, page.tree);
        return {
          ...found,
          carries: carriersOf(tree, found.level, page.findings),
          leads: leadingTo(tree, (node) => found.level[node] * worse > 0),
          worse,
        };
      });
    page.scale = shades(page.tree, options);
    page.levelOf = (before, after, passed = null) =>
      levelOfChange(page.tree, page.scale, [before, after], { ...options, passed });
    // A merged tree uses the colour scale of the whole tree, so a colour has one meaning per page.
    page.shades = page.shapes.map((shape) =>
      shape.size === page.tree.size && shape.symbol === page.tree.symbol
        ? page.scale
        : shades(shape, { ...options, fixed: page.scale.reference }),
    );
  },
  layout(page) {
    const { view, order, fold, sandwich } = page.state;
    const isCompared = !page.header.alone && page.whole.before[0] > 0 && page.whole.after[0] > 0;
    page.panes = page.shapes.flatMap((tree, shape) => {
      const rowsOf = (kind) =>
        kind === "none" ? tree.depth : once(tree, `rows ${kind}`, () => foldedRows(tree, page.findings, kind));
      return sidesOf(view, isCompared && sandwich < 0).map((side) => {
        const key = `${side} ${page.ratio.num}/${page.ratio.den}`;
        const widths = once(tree, `widths ${key}`, () => widthsOf(tree, side, page.ratio));
        const starts = once(tree, `starts ${key} ${order}`, () => startsOf(tree, widths, order, page.ratio));
        const isStrip = side === "diff";
        const kind = isStrip ? "all" : fold;
        const plans = once(tree, `plans ${key} ${order} ${kind}`, () => new Map());
        return {
          shape,
          tree,
          view: side,
          isStrip,
          widths,
          rows: rowsOf(kind),
          starts,
          flip: sandwich >= 0 && shape === 0, // callers are above
          plans,
        };
      });
    });
  },
  zoom(page) {
    page.state.zoom = page.state.zoom.map((node, shape) => nearestDrawn(page, node, shape));
  },
  focus(page) {
    const { shape, node } = page.state.focus;
    if (!isShown(page, node, shape)) page.state.focus = { shape, node: page.state.zoom[shape] };
  },
};

// Whether the test of repeated runs applies, which is valid only for unscaled values and the complete set of stacks.
export function testsRepeats(page) {
  return Boolean(page.tree.evidence) && page.state.k === "none";
}

// Whether the row is the total of the comparison, which has a colour only if its change is certain.
export function isUncertainTotal({ header, state }, tree, node) {
  return header.total_certain === false && state.chance && state.basis === "inclusive" && tree.symbol[node] === ROOT;
}

function nearestDrawn(page, node, shape) {
  const tree = page.shapes[shape];
  let at = node < tree.size ? node : 0;
  while (at > 0 && !isDrawn(page, at, shape)) at = tree.parent[at];
  return at;
}

// Whether the node has a width in any picture of the shape. The strip of differences does not count.
export function isDrawn(page, node, shape = 0) {
  return page.panes.some((pane) => pane.shape === shape && !pane.isStrip && pane.widths[node] > 0);
}

export function isShown(page, node, shape = 0) {
  const root = page.state.zoom[shape];
  return node >= root && node < page.shapes[shape].end[root] && (node === root || isDrawn(page, node, shape));
}

// Selects a row of page.tree in a tab and a view that show it, with the callers in which it is wide enough to see.
function openInGraph(page, node) {
  const needed = page.state.sandwich >= 0 || page.state.reversed ? { sandwich: -1, reversed: false } : {};
  if (page.state.tab !== "graph") needed.tab = "graph";
  if (Object.keys(needed).length) page.set(needed);
  page.showSideOf(node);
  const { widths } = page.panes.find((pane) => !pane.isStrip && pane.widths[node] > 0) ?? page.panes[0];
  const least = (widths[node] * window.innerWidth) / LEAST_WIDTH; // of the caller that fills the picture
  let zoom = node;
  while (zoom > 0 && widths[page.tree.parent[zoom]] <= least) zoom = page.tree.parent[zoom];
  page.set({ zoom: [zoom], focus: { shape: 0, node }, boxSteps: page.state.boxSteps + 1 });
}

// Hashes of call paths are needed only for links, so they are computed on demand, once per tree.
function hashesOf(tree) {
  return once(tree.symbol, "hashes", () => pathHashes(tree));
}
