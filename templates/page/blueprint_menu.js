// The menu of a box, which opens on a right click, on a key or from the lower pane.
import { element, makeButton } from "./dom.js";

// `items` are [title, key, action]. The menu closes after each action and returns the focus to `home`.
export function makeMenu(frame, home) {
  const menu = element("div", undefined, "context-menu");
  menu.setAttribute("role", "menu");
  menu.hidden = true;
  frame.append(menu);

  function open(items, x, y, title) {
    menu.setAttribute("aria-label", title);
    menu.replaceChildren(
      ...items.map(([text, key, action]) => {
        const item = makeButton(text, () => {
          close();
          action();
        });
        item.setAttribute("role", "menuitem");
        item.tabIndex = -1;
        if (key) item.append(element("kbd", key));
        return item;
      }),
    );
    menu.hidden = false;
    const { width, height } = menu.getBoundingClientRect();
    menu.style.left = `${Math.max(4, Math.min(x, document.documentElement.clientWidth - width - 8))}px`;
    menu.style.top = `${Math.max(4, Math.min(y, window.innerHeight - height - 8))}px`;
    menu.firstChild.focus();
  }

  function close(back = true) {
    if (menu.hidden) return;
    menu.hidden = true;
    if (back) home.focus({ preventScroll: true });
  }

  menu.addEventListener("keydown", (event) => {
    const items = [...menu.children];
    const at = items.indexOf(document.activeElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1 + items.length, Home: 0, End: items.length - 1 }[event.key];
    if (event.key === "Escape" || event.key === "Tab") close();
    else if (to !== undefined) items[to % items.length].focus();
    else if (event.key !== "Enter" && event.key !== " ") return;
    if (event.key !== "Enter" && event.key !== " ") event.preventDefault();
    event.stopPropagation();
  });
  document.addEventListener("pointerdown", (event) => {
    if (!menu.contains(event.target)) close(false);
  });
  window.addEventListener("scroll", () => close(false), { capture: true, passive: true });
  return { open, close };
}
