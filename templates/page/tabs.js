// The tab strip. app.js lists the panels, each of this form:
//
//   { key, title, panel?, build(page, section), show?(), keys?: { key: action } }
//
// `panel` is the key of another tab whose section it shares. `build` is called once, when the tab is first opened, with
// its <section> (empty unless the page's HTML has one with the id `panel-KEY`); `show` each time it is opened. `keys` are
// active while the tab is open and no text is being typed.
import { byId, element } from "./dom.js";
import { symbolSums } from "./symbols.js";

export function makeTabs(page, panels) {
  const strip = byId("tabs");
  const tabs = new Map();
  for (const panel of panels) {
    const tab = element("button", panel.title, "tab");
    tab.type = "button";
    tab.id = `tab-${panel.key}`;
    tab.setAttribute("role", "tab");
    const id = `panel-${panel.panel ?? panel.key}`;
    tab.setAttribute("aria-controls", id);
    tab.addEventListener("click", () => page.openTab(panel.key));
    const section = byId(id) ?? element("section");
    section.id = id;
    section.classList.add("panel");
    section.setAttribute("role", "tabpanel");
    section.hidden = true;
    if (!section.parentElement) byId("panels").append(section);
    strip.append(tab);
    tabs.set(panel.key, { panel, tab, section, built: false });
  }
  page.prepareTab = (key) => {
    const entry = tabs.get(key);
    if (!entry.built) entry.panel.build(page, entry.section);
    entry.built = true;
  };
  const open = () => {
    if (!tabs.has(page.state.tab)) page.state.tab = page.defaults.tab;
    for (const { section } of tabs.values()) section.hidden = true;
    for (const [key, entry] of tabs) {
      const chosen = key === page.state.tab;
      entry.tab.setAttribute("aria-selected", String(chosen));
      entry.tab.tabIndex = chosen ? 0 : -1;
      if (!chosen) continue;
      entry.section.hidden = false;
      entry.section.setAttribute("aria-labelledby", entry.tab.id);
      byId("views").hidden = page.header.alone || entry.section.id !== "panel-graph";
      page.prepareTab(key);
      entry.panel.show?.();
    }
  };
  strip.addEventListener("keydown", (event) => {
    const usable = [...tabs.values()];
    const at = usable.findIndex((entry) => entry.panel.key === page.state.tab);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1 + usable.length, Home: 0, End: usable.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    const next = usable[to % usable.length];
    page.openTab(next.panel.key);
    next.tab.focus();
  });
  // The sandwich is a state of the graph: its tab opens the sandwich of a function, and the graph's tab closes it.
  page.openTab = (key) => {
    const { state } = page;
    if (key === "sandwich") page.openSandwich(state.sandwich >= 0 ? state.sandwich : chosenSymbol(page));
    else if (key === "graph" && state.sandwich >= 0)
      page.set({ sandwich: -1, zoom: [0], focus: { shape: 0, node: 0 }, tab: key });
    else page.set({ tab: key });
  };
  page.panelKeys = () => tabs.get(page.state.tab)?.panel.keys ?? {};
  page.on("tab", open);
}

// The function of the selected frame, of the first finding, or with the largest self cost.
export function chosenSymbol(page) {
  const { shape, node } = page.state.focus;
  const symbol = page.shapes[shape].symbol[node];
  if (symbol >= 0) return symbol;
  if (page.header.findings.length) return page.header.findings[0].symbol;
  const { afterSelf, beforeSelf } = symbolSums(page.tree);
  return page.tree.names.reduce(
    (best, _, at) => (afterSelf[at] + beforeSelf[at] > afterSelf[best] + beforeSelf[best] ? at : best),
    0,
  );
}
