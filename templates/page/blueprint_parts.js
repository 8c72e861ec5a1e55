// The elements of the blueprint that never change.
import { element, makeButton, svgElement } from "./dom.js";

// Creates the elements of the panel that never change.
export function scaffold(page, section) {
  section.classList.add("blueprint");
  section.classList.toggle("higher", page.higher);
  const bar = element("div", undefined, "toolbar");
  bar.setAttribute("role", "toolbar");
  bar.setAttribute("aria-label", "Blueprint");
  const buttons = element("div", undefined, "buttons");
  const made = {};
  for (const [key, sign, title] of [
    ["out", "−", "Smaller (−)"],
    ["in", "+", "Larger (+)"],
    ["fit", "Fit", "Fit the whole picture (0)"],
    ["first", "Reset", "The first boxes"],
  ]) {
    made[key] = makeButton(sign, () => made.actions[key](), "opener");
    made[key].title = title;
    made[key].setAttribute("aria-label", title);
    buttons.append(made[key]);
  }
  const count = element("span", undefined, "count");
  count.setAttribute("role", "status");
  bar.append(buttons, count);
  const estimated = page.header.estimated
    ? element(
        "p",
        "Estimated from edges: this profile has callers and callees, but no stacks. " +
          "The cost of each function is divided in proportion to its call edges.",
        "aside",
      )
    : null;
  const note = element("p", undefined, "quiet");
  note.setAttribute("role", "status");
  const frame = element("div", undefined, "frame");
  frame.tabIndex = 0;
  frame.setAttribute("role", "tree");
  frame.setAttribute(
    "aria-label",
    "Evolution blueprint: call paths. Arrow keys move, Enter " +
      "opens and closes, H hot path, A all subnodes, X hides.",
  );
  const svg = svgElement("svg", { role: "presentation" });
  frame.append(svg);
  const legend = makeBlueprintLegend();
  const stage = element("div", undefined, "stage");
  const pane = element("section", undefined, "figures");
  pane.setAttribute("aria-label", "The selected box");
  const source = element("section", undefined, "source");
  source.setAttribute("aria-label", "Source of the chosen function");
  stage.append(frame, pane);
  const popup = element("div", undefined, "tip");
  popup.hidden = true;
  section.append(...(estimated ? [estimated] : []), bar, stage, note, legend.legend, source, popup);
  return {
    ...{
      frame,
      svg,
      count,
      pane,
      source,
      popup,
      note,
      ...legend,
    },
    onZoom: (actions) => {
      made.actions = actions;
    },
  };
}

function makeBlueprintLegend() {
  const figure = element("figure", undefined, "legend");
  figure.setAttribute("aria-label", "Meaning of boxes");
  const list = element("ul", undefined, "marks");
  const entries = [
    ["slower", "▲ slower"],
    ["faster", "▼ faster"],
    ["added", "+ only after"],
    ["removed", "× only before"],
    ["unchanged", "unchanged"],
    ["unchanged thick", "has hidden subnodes"],
    ["edited", "◆ source changed"],
  ].map(([kind, text]) => entry(kind, text));
  list.append(
    ...entries,
    element("li", "↷ moved to another call path"),
    element("li", "‼ ! ? finding: severe, degraded, possible"),
    element("li", "↓ red edge: calls a slower function"),
  );
  const bars = element("div", undefined, "bars");
  for (const points of [1, 5]) {
    const bar = element("i");
    bar.style.height = `${6 + 4 * points}px`;
    const size = element("span");
    size.append(bar, `${points} %`);
    bars.append(size);
  }
  const heights = element("span");
  const widths = element("span");
  bars.append(heights, widths);
  figure.append(list, bars);
  return { legend: figure, heights, widths };

  function entry(kind, text) {
    const item = element("li");
    item.append(element("i", undefined, `swatch ${kind}`), text);
    return item;
  }
}
