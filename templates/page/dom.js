// Small helpers for elements. Names from profiles are inserted as text nodes only.
import { shorten, shortenPlace } from "./format.js";

const LONGEST_CHIP = 40; // characters

/** @type {(id: string) => any} */
export const byId = (id) => document.getElementById(id);

export function element(tag, text, className) {
  const made = document.createElement(tag);
  if (text !== undefined) made.textContent = text;
  if (className) made.className = className;
  return made;
}

export function makeButton(text, action, className) {
  const button = element("button", text, className);
  button.type = "button";
  button.addEventListener("click", action);
  return button;
}

export function linkButton(text, action) {
  return makeButton(text, action, "link");
}

export function themeOf(page) {
  if (page.printing) return "light";
  if (page.state.theme !== "auto") return page.state.theme;
  return window.matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

// Returns a name, which may be shortened; its title is the full name.
export function nameElement(name, length = LONGEST_CHIP) {
  const made = element("bdi", shorten(name, length));
  if (made.textContent !== name) made.title = name;
  return made;
}

// A link to another page.
export function outwardLink(text, address) {
  const link = element("a", text);
  link.href = address;
  link.rel = "noopener noreferrer";
  link.target = "_blank";
  return link;
}

// Returns the place of a function in the source, without its first folders if it is long, as a link if it has one.
export function placeElement(place, link = "") {
  const text = shortenPlace(place);
  const shown = link ? outwardLink(text || "source", link) : element("code", text);
  if (text !== place) shown.title = place;
  return shown;
}

// Announces a sentence to screen readers.
export function announce(text) {
  byId("live").textContent = text;
}

export function svgElement(tag, attributes = {}, text) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  if (text !== undefined) made.textContent = text;
  return made;
}

// Appends a radio button for each entry of `titles`; `choose` is called with the selected value.
export function radioChoices(parent, name, titles, choose, checked) {
  for (const [value, title] of Object.entries(titles)) {
    const label = element("label");
    const input = element("input");
    Object.assign(input, { type: "radio", name, value, checked: value === checked });
    input.addEventListener("change", () => choose(value));
    label.append(input, element("span", title));
    parent.append(label);
  }
}

// Writes the URL fragment. If `step` is true, the browser's history gets a new entry.
export function showFragment(text, step) {
  try {
    history[step ? "pushState" : "replaceState"](null, "", `#${text}`);
  } catch {
    // some viewers forbid this, and the page works without a link
  }
}
