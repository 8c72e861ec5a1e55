// The part of the address behind `#`: what is shown, without pixels and node numbers.
import { VIEWS } from "./views.js";

const CHOICES = {
  view: VIEWS,
  k: ["none", "total", "factor"],
  basis: ["inclusive", "self"],
  mode: ["contribution", "relative"],
};

export function parseFragment(fragment) {
  const state = {};
  for (const part of fragment.replace(/^#/, "").split("&")) {
    const cut = part.indexOf("=");
    if (cut < 0) continue;
    const key = part.slice(0, cut);
    const value = decoded(part.slice(cut + 1));
    if (value === null) continue;
    if (Object.hasOwn(CHOICES, key)) {
      if (CHOICES[key].includes(value)) state[key] = value;
    } else if (["factor", "q", "frame"].includes(key)) {
      state[key] = value;
    } else if (key === "regex" || key === "case" || key === "flip") {
      state[key] = value === "1";
    } else if (key === "zoom") {
      state.zoom = value.split("~")[0].split(".").filter((hash) => /^[0-9a-f]{16}$/.test(hash));
      state.zoomName = value.includes("~") ? value.slice(value.indexOf("~") + 1) : "";
    } else if (key === "drop") {
      state.drop = value.split("\n").filter(Boolean);
    }
  }
  return state;
}

// Only what differs from the defaults is written, so a plain page has a plain address.
export function makeFragment(state, defaults) {
  const parts = [];
  const add = (key, value) => parts.push(`${key}=${encodeURIComponent(value)}`);
  for (const key of Object.keys(CHOICES)) if (state[key] !== defaults[key]) add(key, state[key]);
  if (state.k === "factor") add("factor", state.factor);
  if (state.q) add("q", state.q);
  for (const key of ["regex", "case", "flip"]) if (state[key]) add(key, "1");
  if (state.drop?.length) add("drop", state.drop.join("\n"));
  if (state.zoom?.length) add("zoom", `${state.zoom.join(".")}~${state.zoomName}`);
  return parts.join("&");
}

function decoded(text) {
  try {
    return decodeURIComponent(text.replace(/\+/g, "%20"));
  } catch {
    return null;
  }
}
