// The tooltip, which is above or below its row and never covers it.
import { byId, element, placeElement } from "./dom.js";
import { shorten } from "./format.js";
import { describe } from "./words.js";

const TIP_HEADS = { before: "Before", scaled: "Scaled", after: "After", change: "Change", relative: "" };
const GAP = 8;
const LONGEST_NAME = 240; // characters

export function showTip(page, shape, node, x, /** @type {number[]} */ [top, bottom], isNew) {
  const tip = byId("tip");
  if (isNew || tip.hidden) fillTip(tip, describe(page, shape, node), page.header.alone);
  tip.hidden = false;
  const { width, height } = tip.getBoundingClientRect();
  tip.style.left = `${Math.max(GAP, Math.min(x - 24, document.documentElement.clientWidth - width - GAP))}px`;
  const below = bottom + GAP;
  const above = top - height - GAP;
  // if there is no space above or below the row, the tooltip is below; the details line has the same text
  tip.style.top = `${below + height <= window.innerHeight || above < 0 ? below : above}px`;
}

export function hideTip() {
  byId("tip").hidden = true;
}

function fillTip(tip, { name, place, everywhere, lines, shares, calls, verdict }, alone) {
  const keys = alone ? ["after"] : ["before", ...(lines[0].scaled ? ["scaled"] : []), "after", "change", "relative"];
  const head = element("tr");
  if (!alone) head.append(element("td"), ...keys.map((key) => element("th", TIP_HEADS[key])));
  const body = lines.map((line) => {
    const row = element("tr");
    row.append(element("th", line.label), ...keys.map((key) => element("td", line[key])));
    return row;
  });
  const grid = element("table");
  grid.append(head, ...body);
  const title = element("b");
  title.append(element("bdi", shorten(name, LONGEST_NAME)));
  tip.replaceChildren(
    title,
    ...(place ? [placeElement(place)] : []),
    grid,
    element("p", [everywhere, lines[0].responsibility, shares, calls, verdict].filter(Boolean).join("; ")),
  );
}
