// Stores the state of the page in the URL fragment, and restores it.
import { byId, showFragment } from "./dom.js";
import { LINKED, makeFragment, parseFragment } from "./link.js";
import { keyOfSymbol, keysOfPath, nameOf, nodeOfKey, weightOf, widestOf } from "./tree.js";

const LONGEST_PATH = 4; // hashes of the frame and, as a fallback, of its callers
const PAUSE = 100; // milliseconds

export function makeAddress(page) {
  let written = null;
  let opening = false;
  let waiting = 0;
  let lastStep;

  // The browser needs several milliseconds to change the address, so this is done in a pause after the interactions.
  function remember() {
    if (opening) return;
    clearTimeout(waiting);
    waiting = setTimeout(write, PAUSE);
  }

  function fragmentNow() {
    const tree = page.shapes[0];
    const { state } = page;
    const node = state.zoom[0];
    const chosen = state.focus.shape ? node : state.focus.node;
    return makeFragment(
      {
        ...state,
        edits: state.edits.map(({ kind, symbol }) => ({
          kind,
          hash: keyOfSymbol(page.whole, symbol),
          name: page.whole.names[symbol].replaceAll("\n", " "),
        })),
        sandwich: state.sandwich < 0 ? "" : page.whole.names[state.sandwich],
        zoom: keysOfPath(tree, node, LONGEST_PATH),
        zoomName: node ? nameOf(tree, node) : "",
        at: chosen === node ? [] : keysOfPath(tree, chosen, LONGEST_PATH),
        atName: nameOf(tree, chosen),
      },
      page.defaults,
    );
  }

  function write() {
    clearTimeout(waiting);
    const before = written;
    written = fragmentNow();
    const step = stepNow();
    if (written !== before || step !== lastStep) showFragment(written, step !== lastStep);
    lastStep = step;
  }

  // Tab, view, frame, and frames and boxes that were opened by a click on a function: going back
  // in the browser restores their previous values.
  function stepNow() {
    const { tab, view, sandwich, zoom, boxSteps, edits } = page.state;
    return [tab, view, sandwich, boxSteps, ...edits.flatMap(Object.values), ...zoom].join();
  }

  function open() {
    const fragment = location.hash.replace(/^#/, "");
    if (fragment === written) return;
    clearTimeout(waiting);
    written = fragment;
    const linked = parseFragment(location.hash);
    opening = true;
    const { state, whole } = page;
    for (const key of LINKED) state[key] = key in linked ? linked[key] : page.defaults[key];
    state.edits = (linked.edits ?? [])
      .map(({ kind, hash }) => ({ kind, symbol: whole.names.findIndex((_, at) => keyOfSymbol(whole, at) === hash) }))
      .filter(({ symbol }) => symbol >= 0);
    state.sandwich = linked.sandwich ? widestSymbol(linked.sandwich) : -1;
    if (state.sandwich >= 0 && state.tab === "graph") state.tab = "sandwich";
    if (state.sandwich < 0 && state.tab === "sandwich") state.tab = "graph";
    state.zoom = [0];
    state.focus = { shape: 0, node: 0 };
    byId("query").value = state.q;
    page.renew();
    const missing = [
      unknownOf(linked),
      openPath(linked.zoom, linked.zoomName, page.goTo) ||
        openFinding(linked) ||
        openFrame(linked) ||
        openPath(linked.at, linked.atName, page.focusOn),
    ]
      .filter(Boolean)
      .join(" ");
    const opensAtFinding = state.tab === "graph" || page.header.estimated;
    if (page.header.findings.length && opensAtFinding && !state.focus.node && !fragmentNow())
      page.openFinding(page.header.findings[0]);
    page.renew(["search", "tab"]);
    if (missing) page.showMessage(missing);
    opening = false;
    lastStep = stepNow();
  }

  function unknownOf({ sandwich, edits = [] }) {
    const names = [
      ...(sandwich && page.state.sandwich < 0 ? [sandwich] : []),
      ...edits.filter(({ name }) => !page.whole.names.includes(name)).map(({ name }) => name),
    ];
    return names.length ? `${names.join(", ")} is not in this profile.` : "";
  }

  // Opens a frame, or its nearest known caller.
  function openPath(keys = [], name, open) {
    if (!keys.length) return "";
    const hashes = page.hashesOf(page.shapes[0]);
    const nodes = keys.map((key) => nodeOfKey(hashes, key));
    const known = nodes.findIndex((node) => node >= 0);
    if (known >= 0) open(nodes[known], 0);
    if (known === 0) return "";
    return (
      `${name || "The linked frame"} is not in this profile; ` +
      `${known > 0 ? "its nearest known caller is shown" : "the whole graph is shown"}.`
    );
  }

  function openFinding({ finding, findingName }) {
    if (!finding) return "";
    const marked = page.header.findings.find(({ key }) => key === finding);
    if (!marked)
      return findingName
        ? openFrame({ frame: findingName })
        : "The linked finding is not in this profile; the whole graph is shown.";
    page.openFinding(marked);
    return "";
  }

  function openFrame({ frame }) {
    if (!frame) return "";
    const symbol = widestSymbol(frame);
    if (symbol < 0) return `${frame} is not in this profile; the whole graph is shown.`;
    page.openSymbol(symbol);
    return "";
  }

  // Returns the function with the widest frame among the functions with this name.
  function widestSymbol(name) {
    let best = -1;
    let width = -1;
    page.tree.names.forEach((other, symbol) => {
      if (other !== name) return;
      const node = widestOf(page.tree, symbol);
      const value = node < 0 ? 0 : weightOf(page.tree, node);
      if (value > width) {
        best = symbol;
        width = value;
      }
    });
    return best;
  }

  for (const event of ["colour", "zoom", "focus", "search", "tab", "box"]) page.on(event, remember);
  window.addEventListener("hashchange", open);
  page.writeAddress = write;
  return open;
}
