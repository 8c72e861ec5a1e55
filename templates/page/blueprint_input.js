// The keys and the pointer in the blueprint.
import { childrenOf } from "./blueprint.js";

const DRAG_FROM = 4;

export function listenToBoxes(view) {
  const { page, parts } = view;
  const { frame } = parts;
  let drag = null;

  const keys = {
    ArrowUp: (node) => page.tree.parent[node],
    ArrowDown: (node) => childrenOf(page.tree, view.figures, node).find((child) => view.shown.has(child)),
    ArrowLeft: (node) => beside(node, -1),
    ArrowRight: (node) => beside(node, 1),
    Home: () => 0,
  };
  const acts = {
    Enter: view.toggle,
    " ": view.toggle,
    h: view.follow,
    a: view.expandAll,
    x: view.collapse,
    Delete: view.hide,
    g: page.openInGraph,
    d: () => parts.source.scrollIntoView({ block: "nearest" }),
    "+": () => view.zoom(view.scale * 1.25),
    "=": () => view.zoom(view.scale * 1.25),
    "-": () => view.zoom(view.scale / 1.25),
    0: view.fitWhole,
  };

  function beside(node, step) {
    if (!node) return undefined;
    const children = childrenOf(page.tree, view.figures, page.tree.parent[node]);
    const siblings = children.filter((other) => view.shown.has(other));
    return siblings[siblings.indexOf(node) + step];
  }

  frame.addEventListener("keydown", (event) => {
    if (event.altKey || event.metaKey || event.ctrlKey) return;
    const node = view.selected;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if (Object.hasOwn(keys, key)) {
      const next = keys[key](node);
      if (next !== undefined && next >= 0) view.choose(next, true);
    } else if (Object.hasOwn(acts, key)) {
      if (!(key === "Delete" && !node)) acts[key](node);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  });

  function nodeAt(event) {
    const box = event.target instanceof Element ? event.target.closest("[data-node]") : null;
    return box ? Number(box.getAttribute("data-node")) : -1;
  }

  frame.addEventListener("click", (event) => {
    const node = nodeAt(event);
    if (node >= 0 && !drag?.moved) view.choose(node);
  });
  frame.addEventListener("dblclick", (event) => {
    const node = nodeAt(event);
    if (node >= 0) view.toggle(node);
  });
  frame.addEventListener("pointerdown", (event) => {
    drag =
      event.button === 0 && event.pointerType === "mouse"
        ? { x: event.clientX, y: event.clientY, left: frame.scrollLeft, top: frame.scrollTop, moved: false }
        : null;
  });
  frame.addEventListener("pointermove", (event) => {
    if (drag && event.buttons & 1) {
      const [x, y] = [event.clientX - drag.x, event.clientY - drag.y];
      drag.moved ||= Math.abs(x) + Math.abs(y) > DRAG_FROM;
      if (drag.moved) {
        frame.classList.add("dragged");
        frame.scrollLeft = drag.left - x;
        frame.scrollTop = drag.top - y;
        view.hidePopup();
      }
      return;
    }
    frame.classList.remove("dragged");
    const node = nodeAt(event);
    if (node < 0 || event.pointerType !== "mouse") view.hidePopup();
    else view.showPopup(node);
  });
  frame.addEventListener("pointerleave", view.hidePopup);
  frame.addEventListener("scroll", view.hidePopup);
  frame.addEventListener(
    "wheel",
    (event) => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      const edge = frame.getBoundingClientRect();
      view.zoom(view.scale * 2 ** (-event.deltaY / 240), true, [event.clientX - edge.left, event.clientY - edge.top]);
    },
    { passive: false },
  );
}
