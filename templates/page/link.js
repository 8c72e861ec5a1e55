// The URL fragment, which contains the state of the view without pixels and node numbers.
import { EDITS } from "./edits.js";
import { FOLDS, VIEWS } from "./views.js";

const CHOICES = {
  view: VIEWS,
  k: ["none", "total"],
  basis: ["inclusive", "self"],
  order: ["name", "width", "delta"],
  fold: FOLDS,
};
const SWITCHES = ["regex", "case", "reversed", "chance", "mine"];
const TEXTS = ["tab", "q", "box"];
const PATHS = ["zoom", "at"]; // the frame that fills the picture, and the selected frame
const PATH_KEY = /^[0-9a-f]{16}$/;

// The state keys that are stored in a URL unchanged.
export const LINKED = [...Object.keys(CHOICES), ...SWITCHES, ...TEXTS];

export function parseFragment(fragment) {
  /** @type {any} */
  const state = {};
  for (const part of fragment.replace(/^#/, "").split("&")) {
    const cut = part.indexOf("=");
    if (cut < 0) continue;
    const key = part.slice(0, cut);
    const value = decoded(part.slice(cut + 1));
    if (value === null) continue;
    if (Object.hasOwn(CHOICES, key)) {
      if (CHOICES[key].includes(value)) state[key] = value;
    } else if (TEXTS.includes(key) || key === "frame" || key === "sandwich") {
      state[key] = value;
    } else if (SWITCHES.includes(key)) {
      state[key] = value === "1";
    } else if (PATHS.includes(key)) {
      state[key] = value
        .split("~")[0]
        .split(".")
        .filter((hash) => PATH_KEY.test(hash));
      state[`${key}Name`] = nameBehind(value);
    } else if (key === "finding") {
      state.finding = value.split("~")[0];
      state.findingName = nameBehind(value);
    } else if (key === "edits") {
      state.edits = value
        .split("\n")
        .map((line) => /^([a-z]+)\.([0-9a-f]{16})~(.*)$/s.exec(line))
        .filter((found) => found && Object.hasOwn(EDITS, found[1]))
        .map(([, kind, hash, name]) => ({ kind, hash, name }));
    }
  }
  return state;
}

// Writes only differences from the defaults, so that the default page has no fragment. The default view depends on
// which sides have values, so every other fragment includes the view.
export function makeFragment(state, defaults) {
  const parts = [];
  const add = (key, value) => parts.push(`${key}=${encodeURIComponent(wellFormed(value))}`);
  for (const key of [...Object.keys(CHOICES), "tab"]) {
    if (key !== "view" && state[key] !== defaults[key]) add(key, String(state[key]));
  }
  if (state.box) add("box", state.box);
  if (state.q) add("q", state.q);
  for (const key of SWITCHES) if (state[key] !== defaults[key]) add(key, state[key] ? "1" : "0");
  if (state.sandwich) add("sandwich", state.sandwich);
  if (state.edits?.length)
    add("edits", state.edits.map(({ kind, hash, name }) => `${kind}.${hash}~${name}`).join("\n"));
  for (const key of PATHS) if (state[key]?.length) add(key, `${state[key].join(".")}~${state[key + "Name"]}`);
  if (parts.length || state.view !== defaults.view) parts.unshift(`view=${state.view}`);
  return parts.join("&");
}

// A URL cannot contain a lone surrogate.
function wellFormed(text) {
  return text.replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, "\ufffd");
}

function nameBehind(value) {
  return value.includes("~") ? value.slice(value.indexOf("~") + 1) : "";
}

function decoded(text) {
  try {
    return decodeURIComponent(text.replace(/\+/g, "%20"));
  } catch {
    return null;
  }
}
