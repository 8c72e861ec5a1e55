// The views above the graph, and two panels: all changes and the settings.
import { announce, byId, radioChoices, themeOf } from "./dom.js";
import { formatRatio } from "./format.js";
import { VIEW_HELP, VIEW_NAMES } from "./views.js";

const CHOICES_OF = {
  views: ["view", VIEW_NAMES, VIEW_HELP],
  bases: [
    "basis",
    { inclusive: "Total", self: "Self" },
    {
      inclusive: "The cost of a function with everything it calls",
      self: "The cost of a function without the functions it calls",
    },
  ],
  orders: ["order", { name: "Name", width: "Width", delta: "Change" }, {}],
};

export function makeSettings(page) {
  for (const [id, [key, options, help]] of Object.entries(CHOICES_OF)) segments(id, key, options, help);
  for (const name of ["overview", "notes", "help", "settings"]) if (byId(name)) popover(name);
  byId("chance").addEventListener("change", ({ target: { checked } }) => page.set({ chance: checked }));
  byId("mine").addEventListener("click", () => page.set({ mine: !page.state.mine }));
  byId("mine").hidden = !page.whole.outside?.includes(1);
  byId("theme").addEventListener("click", () => page.set({ theme: themeOf(page) === "dark" ? "light" : "dark" }));

  function segments(id, key, titles, help) {
    radioChoices(byId(id), key, titles, (value) => {
      page.set({ [key]: value });
      if (key === "view") announce(`${VIEW_NAMES[value]}: ${VIEW_HELP[value]}`);
    });
    for (const input of byId(id).querySelectorAll("input"))
      if (help[input.value]) input.parentElement.title = help[input.value];
  }

  function showState() {
    const { state } = page;
    for (const [id, [key]] of Object.entries(CHOICES_OF)) {
      for (const input of byId(id).querySelectorAll("input[type=radio]"))
        input.checked = input.value === state[/** @type {string} */ (key)];
    }
    byId("chance").checked = state.chance;
    byId("chance").disabled = !page.sample && !page.tree.evidence;
    byId("mine").setAttribute("aria-pressed", String(state.mine));
    const scale = page.ratio.refused ? "; not scaled" : `; before × ${formatRatio(page.ratio)}`;
    const cost = state.basis === "self" ? "self cost" : "total cost";
    byId("measure").textContent = ` · ${cost}${state.k === "none" ? "" : scale}`;
  }

  page.on("ratio", showState);
  page.on("colour", showState);
  page.on("layout", showState);
  page.on("theme", () => page.state.theme !== "auto" && (document.documentElement.dataset.theme = page.state.theme));
}

// A button and its popover, which Escape and a click elsewhere close.
export function popover(name) {
  const button = byId(`${name}-open`);
  const box = byId(name);
  const toggle = (open) => {
    box.hidden = !open;
    button.setAttribute("aria-expanded", String(open));
    if (!open) return;
    box.style.left = "";
    const over = box.getBoundingClientRect().right - document.documentElement.clientWidth + 8;
    if (over > 0) box.style.left = `${-over}px`;
  };
  button.addEventListener("click", () => toggle(box.hidden));
  document.addEventListener("pointerdown", ({ target }) => {
    if (!box.hidden && !box.contains(target) && !button.contains(target)) toggle(false);
  });
  box.parentElement.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || box.hidden) return;
    event.stopPropagation();
    toggle(false);
    button.focus();
  });
  box.parentElement.addEventListener("focusout", (event) => {
    if (event.relatedTarget && !box.parentElement.contains(event.relatedTarget)) toggle(false);
  });
}
