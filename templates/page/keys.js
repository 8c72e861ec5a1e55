// Keyboard commands, which are inactive while the user types text.
import { byId } from "./dom.js";
import { FOLDS } from "./views.js";
import { linkOf } from "./words.js";

export function makeKeys(page) {
  const graphKeys = {
    ArrowLeft: () => page.move("previous"),
    ArrowRight: () => page.move("next"),
    ArrowUp: () => page.move(turned() ? "child" : "parent"),
    ArrowDown: () => page.move(turned() ? "parent" : "child"),
    Home: () => page.chooseNode(page.state.zoom[page.state.focus.shape]),
    Enter: () => page.zoomTo(page.state.focus.node),
    " ": () => page.zoomTo(page.state.focus.node),
    Backspace: page.zoomBack,
  };
  const pageKeys = {
    Escape: () => page.reset(),
    "/": () => byId("query").focus(),
    n: () => page.step(1),
    N: () => page.step(-1),
    r: () => page.set({ reversed: !page.state.reversed, sandwich: -1, zoom: [0] }),
    f: () => page.set({ fold: FOLDS[(FOLDS.indexOf(page.state.fold) + 1) % FOLDS.length] }),
    s: () => page.openTab(page.state.sandwich >= 0 ? "graph" : "sandwich"),
    t: () => page.openTab(page.state.tab === "symbols" ? "graph" : "symbols"),
    v: () => !page.header.alone && page.set({ view: page.state.view === "after" ? "before" : "after" }),
    m: () => page.set({ mine: !page.state.mine }),
    b: () => page.set({ basis: page.state.basis === "self" ? "inclusive" : "self" }),
    o: () => page.edit("focus"),
    k: () => page.edit("collapse"),
    d: openSource,
    y: () => page.copyLink(),
    "?": () => {
      byId("help-open").click();
      byId("help-open").focus();
    },
  };

  function turned() {
    return page.panes.find((pane) => pane.shape === page.state.focus.shape).flip;
  }

  function openSource() {
    const { shape, node } = page.state.focus;
    const link = linkOf(page.shapes[shape], node);
    if (link) window.open(link, "_blank", "noopener,noreferrer");
    else page.showMessage("This page has no link to the source of that function.");
  }

  page.openSandwich = (symbol) =>
    page.set({ sandwich: symbol, reversed: false, zoom: [0, 0], focus: { shape: 1, node: 0 }, tab: "sandwich" });
  page.reset = () =>
    page.set({
      q: "",
      ...(page.state.sandwich >= 0 ? { sandwich: -1, tab: "graph" } : {}),
      zoom: [0],
      focus: { shape: 0, node: 0 },
    });

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    const { target } = event;
    if (
      target instanceof HTMLElement &&
      target.matches("input:not([type=radio]):not([type=checkbox]), select, textarea")
    ) {
      if (event.key === "Escape") /** @type {HTMLElement} */ (document.querySelector(".graph"))?.focus();
      else if (event.key === "Enter" && target.id === "query") page.step(event.shiftKey ? -1 : 1);
      return;
    }
    const inGraph = target instanceof HTMLElement && target.classList.contains("graph");
    const own =
      target instanceof HTMLElement && target.matches("[role=tab], [type=radio]") && event.key.startsWith("Arrow");
    if (own || (event.key === " " && !inGraph) || (event.key === "Enter" && !inGraph)) return;
    const action = (inGraph && graphKeys[event.key]) || page.panelKeys()[event.key] || pageKeys[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  });
}
