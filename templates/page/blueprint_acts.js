// What a reader can do with a box: show and hide others.
import { MOST_BOXES, childrenOf, hasHidden, hideBelow, hotPath, reveal, showAll, showChildren } from "./blueprint.js";
import { announce } from "./dom.js";

export function makeBoxActs(view) {
  const { page, parts } = view;
  const { frame } = parts;

  function actionsOf(node) {
    const { tree } = page;
    const items = [];
    if (hotPath(tree, view.figures, node).length) items.push(["Delta hot path", "H", () => follow(node)]);
    if (hasHidden(tree, view.shown, node)) {
      items.push(["Subnodes", "Enter", () => expand(node)]);
      items.push(["All subnodes", "A", () => expandAll(node)]);
    }
    if (shownBelow(node)) items.push(["Hide all subnodes", "X", () => collapse(node)]);
    if (node > 0) items.push(["Hide this box", "Del", () => hide(node)]);
    if (!page.header.estimated) items.push(["In the flame graph", "G", () => page.openInGraph(node)]);
    return items;
  }

  function shownBelow(node) {
    return childrenOf(page.tree, view.figures, node).some((child) => view.shown.has(child));
  }

  function follow(node) {
    const path = hotPath(page.tree, view.figures, node);
    if (!path.length) return announce("No child has half of this change.");
    for (const other of path) view.shown.add(other);
    redraw(path[path.length - 1]);
    return undefined;
  }

  function expand(node) {
    reportHidden(showChildren(page.tree, view.figures, view.shown, node));
    redraw(node);
  }

  function expandAll(node) {
    reportHidden(showAll(page.tree, view.figures, view.shown, node));
    redraw(node);
  }

  function collapse(node) {
    hideBelow(page.tree, view.shown, node);
    redraw(node);
  }

  function hide(node) {
    hideBelow(page.tree, view.shown, node);
    view.shown.delete(node);
    redraw(page.tree.parent[node]);
  }

  function toggle(node) {
    if (hasHidden(page.tree, view.shown, node)) expand(node);
    else if (shownBelow(node)) collapse(node);
  }

  function reportHidden(left) {
    parts.note.textContent = left
      ? `${left.toLocaleString("en")} smaller call paths stay hidden; ` +
        `at most ${MOST_BOXES.toLocaleString("en")} boxes are drawn.`
      : "";
    if (left) announce(parts.note.textContent);
  }

  // Redraws the tree and keeps the box at the same position on the screen.
  function redraw(node) {
    const before = view.layout.places.get(node);
    const offset = before && [before.x * view.scale - frame.scrollLeft, before.y * view.scale - frame.scrollTop];
    view.render();
    const after = view.layout.places.get(node);
    if (offset) {
      frame.scrollLeft = after.x * view.scale - offset[0];
      frame.scrollTop = after.y * view.scale - offset[1];
    }
    view.choose(node, true);
  }

  function goTo(node) {
    reveal(page.tree, view.shown, node);
    view.render();
    view.choose(node, true);
  }

  return { actionsOf, follow, expand, expandAll, collapse, hide, toggle, goTo };
}
