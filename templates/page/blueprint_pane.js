// The selected box: its mark, its pane beside the picture, and the tooltip of a box.
import { boxLinkOf } from "./blueprint.js";
import { boxId, paintHalos } from "./blueprint_paint.js";
import { READABLE_SCALE } from "./blueprint_room.js";
import { boxSentence, figuresTable, titleOf, verdictWords } from "./blueprint_words.js";
import { announce, element, linkButton, makeButton, placeElement } from "./dom.js";
import { rowsOfFinding } from "./findings.js";
import { drawnRuns } from "./runs.js";
import { hideTip } from "./tip.js";
import { nameOf, placeOf } from "./tree.js";
import { allCallsOf, linkOf } from "./words.js";

const FLASH = 1600; // milliseconds

export function makeBoxPane(view) {
  const { page, parts } = view;
  const { frame, svg, pane, popup } = parts;

  function choose(node, announced = false) {
    view.selected = node;
    view.intoView(node);
    showSelected();
    if (announced) announce(boxSentence(page, view.figures, node, view.marks.moved.get(node)));
    view.link = boxLinkOf(page.tree, node);
    page.set({ box: view.link });
  }

  // Marks the selected box and the other boxes of its function.
  function mark() {
    for (const [kind, chosen] of [
      [".selected", false],
      [`#${boxId(view.selected)}`, true],
    ]) {
      const box = svg.querySelector(kind);
      box?.classList.toggle("selected", chosen);
      box?.setAttribute("aria-selected", String(chosen));
    }
    const symbol = page.tree.symbol[view.selected];
    const same = [...view.layout.places.keys()].filter(
      (node) => node === view.selected || (symbol >= 0 && page.tree.symbol[node] === symbol),
    );
    paintHalos(svg, view.layout, same, view.selected);
    frame.setAttribute("aria-activedescendant", boxId(view.selected));
  }

  function showSelected() {
    const node = view.selected;
    const { tree } = page;
    mark();
    const partner = view.marks.moved.get(node);
    const head = element("h2");
    head.append(...titleOf(page, view.figures, node).childNodes);
    const place = placeOf(tree, node);
    const link = linkOf(tree, node);
    const everywhere = allCallsOf(page, tree, node);
    const below = [
      everywhere && element("p", `${everywhere[0].toUpperCase()}${everywhere.slice(1)}`),
      drawnRuns(page, tree.symbol[node]),
    ];
    pane.replaceChildren(
      head,
      ...(place ? [placeElement(place, link)] : []),
      element("p", verdictWords(page, view.figures, node, partner), "quiet"),
      figuresTable(page, view.figures, node),
      ...below.filter(Boolean),
    );
    if (partner !== undefined)
      pane.append(
        element("p"),
        linkButton("Show its other call path", () => view.goTo(partner)),
      );
    const actions = element("p", undefined, "buttons");
    for (const [title, key, action] of view.actionsOf(node)) {
      const button = makeButton(title, action, "plain");
      if (key) button.title = `${title} (${key})`;
      actions.append(button);
    }
    pane.append(actions);
    view.source.show(tree.symbol[node]);
  }

  function showPopup(node) {
    hideTip();
    if (popup.dataset.node !== String(node)) {
      popup.dataset.node = String(node);
      const place = placeOf(page.tree, node);
      popup.replaceChildren(
        titleOf(page, view.figures, node),
        ...(place ? [placeElement(place)] : []),
        figuresTable(page, view.figures, node),
        element("p", verdictWords(page, view.figures, node, view.marks.moved.get(node))),
      );
    }
    popup.hidden = false;
    const box = svg.querySelector(`#${boxId(node)} .shape`).getBoundingClientRect();
    const { width, height } = popup.getBoundingClientRect();
    popup.style.left = `${Math.max(8, Math.min(box.left, document.documentElement.clientWidth - width - 8))}px`;
    const below = box.bottom + 20;
    const above = box.top - height - 8;
    popup.style.top = `${below + height <= window.innerHeight || above < 0 ? below : above}px`;
  }

  function hidePopup() {
    popup.hidden = true;
    popup.dataset.node = "";
  }

  // Shows the box that a click on a cause or a name selected.
  function showOpened() {
    view.steps = page.state.boxSteps;
    if (view.scale < READABLE_SCALE) view.zoom(1, false);
    view.centre(view.selected);
    frame.scrollIntoView({ block: "nearest" });
    const { tree } = page;
    const finding = page.findings.get(tree.symbol[view.selected]);
    const boxes = finding ? rowsOfFinding(page, tree, finding) : [];
    const at = boxes.indexOf(view.selected);
    parts.note.textContent =
      at >= 0 && boxes.length > 1
        ? `${nameOf(tree, view.selected)} has ${boxes.length} boxes, one for each of its ` +
          `call paths. This is number ${at + 1}; click the cause again for the next one.`
        : "";
    view.takeRoom();
    view.resize();
    announce(boxSentence(page, view.figures, view.selected, view.marks.moved.get(view.selected)));
    clearTimeout(view.flash);
    frame.classList.add("opened");
    view.flash = setTimeout(() => frame.classList.remove("opened"), FLASH);
  }

  return { choose, showSelected, showPopup, hidePopup, showOpened };
}
