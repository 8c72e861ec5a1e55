// Small helpers for elements. Names from profiles reach the page only as text nodes.

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

// A link that leaves the page.
export function outwardLink(text, address) {
  const link = element("a", text);
  link.href = address;
  link.rel = "noopener noreferrer";
  link.target = "_blank";
  return link;
}

// One sentence for a screen reader.
export function announce(text) {
  byId("live").textContent = text;
}
