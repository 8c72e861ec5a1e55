// The views above the graph, and two panels: all changes and the settings.
import { GATES } from "./colour.js";
import { DEFAULT_COLOURS } from "./context.js";
import { announce, byId, element, radioChoices, themeOf } from "./dom.js";
import { formatChosenShare, formatRatio } from "./format.js";
import { symbolSums } from "./symbols.js";
import { MAIN_VIEWS, VIEWS, VIEW_HELP, VIEW_NAMES, ratioOf, sidesOf } from "./views.js";
import { keysOfPath } from "./tree.js";

const NORMS = { none: "As they are", total: "Equal totals", factor: "Factor", anchor: "Anchor" };
const GATE_STEPS = [0, 0.00001, 0.00003, 0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1];
const CLASSIC_COLOURS = {
  view: "after",
  basis: "self",
  mode: "contribution",
  ramp: "linear",
  reference: "max",
  gate: 0,
  chance: false,
};
const CHOICES_OF = {
  views: ["view", namesOf(MAIN_VIEWS), VIEW_HELP],
  "more-views": ["view", namesOf(VIEWS.slice(MAIN_VIEWS.length)), VIEW_HELP],
  norms: ["k", NORMS, {}],
  bases: [
    "basis",
    { inclusive: "Total", self: "Self" },
    {
      inclusive: "The cost of a function with everything it calls",
      self: "The cost of a function without the functions it calls",
    },
  ],
  modes: [
    "mode",
    { contribution: "% of the whole", relative: "% of its own", absolute: "Amount" },
    {
      contribution: "How much of the whole a frame's change is",
      relative: "How much a frame changed against itself",
      absolute: "The change in its unit",
    },
  ],
  ramps: [
    "ramp",
    { sqrt: "Square root", linear: "Linear" },
    { sqrt: "Small changes stay visible", linear: "Twice the change is twice as strong" },
  ],
  folds: [
    "fold",
    { long: "Long ones", all: "All", none: "None" },
    {
      long: "Chains of more than eight frames",
      all: "Every frame with over 99 % of its caller's cost joins its caller",
    },
  ],
  orders: ["order", { name: "Name", width: "Width", delta: "Change" }, {}],
  scales: [
    "scale",
    { common: "Common scale", own: "Own total" },
    { common: "A pixel has the same value on both sides", own: "Both sides fill their half" },
  ],
};

function namesOf(views) {
  return Object.fromEntries(views.map((view) => [view, VIEW_NAMES[view]]));
}

export function makeSettings(page) {
  for (const [id, [key, options, help]] of Object.entries(CHOICES_OF)) segments(id, key, options, help);
  for (const name of ["overview", "notes", "help", "settings"]) if (byId(name)) popover(name);
  for (const [id, key] of [
    ["flip", "flip"],
    ["reversed", "reversed"],
    ["strip", "strip"],
    ["chance", "chance"],
  ]) {
    byId(id).addEventListener("change", (event) =>
      page.set(
        key === "reversed"
          ? { reversed: event.target.checked, sandwich: -1, zoom: [0] }
          : { [key]: event.target.checked },
      ),
    );
  }
  byId("factor").addEventListener("change", (event) => page.set({ k: "factor", factor: event.target.value }));
  byId("anchor").addEventListener("change", (event) =>
    page.set({ k: "anchor", anchor: event.target.value, subtree: "" }),
  );
  byId("anchor-this").addEventListener("click", () => {
    const { shape, node } = page.state.focus;
    const symbol = page.shapes[shape].symbol[node];
    if (symbol >= 0) page.set({ k: "anchor", anchor: page.tree.names[symbol], subtree: "" });
  });
  byId("anchor-path").addEventListener("click", () => {
    const { node } = page.state.focus;
    const symbol = page.tree.symbol[node];
    if (symbol >= 0)
      page.set({ k: "anchor", anchor: page.tree.names[symbol], subtree: keysOfPath(page.tree, node, 1)[0] ?? "" });
  });
  byId("reference").addEventListener("change", (event) =>
    page.set({ reference: Number(event.target.value) || event.target.value }),
  );
  byId("gate").max = String(GATE_STEPS.length - 1);
  byId("gate").addEventListener("input", (event) => page.set({ gate: GATE_STEPS[Number(event.target.value)] }));
  byId("gate-auto").addEventListener("click", () => page.set({ gate: "auto" }));
  byId("classic").addEventListener("click", () => page.set(CLASSIC_COLOURS));
  byId("usual").addEventListener("click", () => page.set(DEFAULT_COLOURS));
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
    for (const key of ["flip", "reversed", "strip", "chance"]) byId(key).checked = state[key];
    byId("scales").hidden = state.view !== "side";
    byId("strip-field").hidden = sidesOf(state.view, true).length === sidesOf(state.view, false).length;
    byId("factor").value = state.factor;
    byId("anchor").value = state.anchor;
    byId("anchor-path").disabled = state.reversed || state.sandwich >= 0; // these pictures merge call paths
    byId("reference").value = String(state.reference);
    byId("reference").disabled = state.mode === "relative";
    for (const input of byId("ramps").querySelectorAll("input")) input.disabled = state.mode === "relative";
    byId("chance").disabled = !page.sample && !page.tree.evidence;
    const gate = state.gate === "auto" ? GATES[state.basis] : state.gate;
    byId("gate").value = String(GATE_STEPS.findLastIndex((step) => step <= gate));
    const shown = gate ? formatChosenShare(gate) : "off";
    byId("gate").setAttribute("aria-valuetext", shown);
    byId("gate-value").textContent = `${shown}${state.gate === "auto" ? " (default)" : ""}`;
    byId("gate-auto").hidden = state.gate === "auto";
    byId("measure").textContent =
      ` · ${state.basis === "self" ? "self" : "total"} cost${state.k === "none" ? "" : `; ${compareState()}`}`;
    limitNorms();
  }

  function compareState() {
    const { ratio } = page;
    return ratio.refused ? "not scaled" : `before × ${formatRatio(ratio)}`;
  }

  // The title of a disabled choice explains why it is disabled.
  function limitNorms() {
    const reasons = {
      total: ratioOf("total", page.tree, page.header.runs).refused,
      anchor:
        page.state.anchor && !page.state.subtree && page.state.k !== "anchor"
          ? ratioOf("anchor", page.tree, page.header.runs, page.state.anchor).refused
          : "",
    };
    for (const [key, text] of [
      ["none", "Compare the values as they are, for each run"],
      ["total", "Scale the before side so that both totals are equal"],
      ["factor", "Multiply the before side by a number"],
      ["anchor", "Scale so that a function that did not change is equal"],
    ]) {
      const input = byId("norms").querySelector(`[value="${key}"]`);
      input.disabled = Boolean(reasons[key]) && page.state.k !== key;
      input.parentElement.title = reasons[key] ? `Not possible: ${reasons[key]}` : text;
    }
    byId("factor-field").hidden = page.state.k !== "factor";
    byId("anchor-field").hidden = page.state.k !== "anchor";
    byId("compare-note").replaceChildren(
      page.ratio.refused ? `Not possible: ${page.ratio.refused}.` : `${ratioSentence(page)}`,
    );
  }

  function listAnchors() {
    const list = byId("anchors");
    const sums = symbolSums(page.tree);
    const order = page.tree.names
      .map((_, symbol) => symbol)
      .filter((symbol) => sums.before[symbol] > 0 && sums.after[symbol] > 0);
    order.sort((a, b) => sums.after[b] - sums.after[a]);
    list.replaceChildren(
      ...order.slice(0, 300).map((symbol) => {
        const option = element("option");
        option.value = page.tree.names[symbol];
        return option;
      }),
    );
  }

  page.on("ratio", showState);
  page.on("colour", showState);
  page.on("layout", showState);
  page.on("tree", () => (byId("anchors").dataset.full = ""));
  byId("anchor").addEventListener("focus", () => {
    if (byId("anchors").dataset.full) return;
    byId("anchors").dataset.full = "1";
    listAnchors();
  });
  page.on("theme", () => page.state.theme !== "auto" && (document.documentElement.dataset.theme = page.state.theme));
}

// Returns the factor with all digits and where it comes from.
export function ratioSentence(page) {
  const { ratio, state } = page;
  const [before, after] = page.header.runs;
  if (ratio.refused) return "";
  const exact = Number.isSafeInteger(ratio.num) && Number.isSafeInteger(ratio.den) ? reduced(ratio) : null;
  const fraction =
    exact && exact.den !== 1 ? ` = ${exact.num.toLocaleString("en")} / ${exact.den.toLocaleString("en")}` : "";
  if (state.k === "none") return "Values are compared as they were recorded.";
  const origin = {
    total: "both totals made equal",
    factor: "your factor",
    anchor: `${state.anchor}${state.subtree ? " in its call path" : ""} made equal`,
  }[state.k];
  const more = state.k === "factor" && before !== after ? `, times ${after} runs after to ${before} before` : "";
  return `Before is multiplied by ${formatRatio(ratio)}${fraction}: ${origin}${more}.`;
}

function reduced({ num, den }) {
  let [a, b] = [num, den];
  while (b) [a, b] = [b, a % b];
  return { num: num / a, den: den / a };
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
