// The tab strip. app.js lists the panels, each of this form:
//
//   { key, title, build(page, section), show?(), missing?(page) -> reason, keys?: { key: action } }
//
// `build` is called once, when the tab is first opened, with its <section> (empty unless the page's HTML has one with
// the id `panel-KEY`); `show` each time it is opened; `missing` returns why there is nothing to show (the tab is then
// disabled, with the reason as its title), or "". `keys` are active while the tab is open and no text is being typed.
import { byId, element } from "./dom.js";

export function makeTabs(page, panels) {
  const strip = byId("tabs");
  const tabs = new Map();
  for (const panel of panels) {
    const tab = element("button", panel.title, "tab");
    tab.type = "button";
    tab.id = `tab-${panel.key}`;
    tab.setAttribute("role", "tab");
    tab.setAttribute("aria-controls", `panel-${panel.key}`);
    const reason = panel.missing?.(page);
    if (reason) {
      tab.setAttribute("aria-disabled", "true");
      tab.title = reason;
    }
    tab.addEventListener("click", () => reason || page.set({ tab: panel.key }));
    const section = byId(`panel-${panel.key}`) ?? element("section");
    section.id = `panel-${panel.key}`;
    section.classList.add("panel");
    section.setAttribute("role", "tabpanel");
    section.setAttribute("aria-labelledby", tab.id);
    section.hidden = true;
    if (!section.parentElement) byId("panels").append(section);
    strip.append(tab);
    tabs.set(panel.key, { panel, tab, section, built: false, reason });
  }
  const open = () => {
    if (!tabs.has(page.state.tab) || tabs.get(page.state.tab).reason) page.state.tab = panels.find((panel) => !tabs.get(panel.key).reason).key;
    for (const [key, entry] of tabs) {
      const chosen = key === page.state.tab;
      entry.tab.setAttribute("aria-selected", String(chosen));
      entry.tab.tabIndex = chosen ? 0 : -1;
      entry.section.hidden = !chosen;
      if (!chosen) continue;
      if (!entry.built) entry.panel.build(page, entry.section);
      entry.built = true;
      entry.panel.show?.();
    }
  };
  strip.addEventListener("keydown", (event) => {
    const usable = [...tabs.values()].filter((entry) => !entry.reason);
    const at = usable.findIndex((entry) => entry.panel.key === page.state.tab);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1 + usable.length, Home: 0, End: usable.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    const next = usable[to % usable.length];
    page.set({ tab: next.panel.key });
    next.tab.focus();
  });
  page.panelKeys = () => tabs.get(page.state.tab)?.panel.keys ?? {};
  page.on("tab", open);
}
