// The legend of the colours.
import { CERTAIN, GATES, LEVELS, paletteOf, stateOf } from "./colour.js";
import { testsRepeats } from "./context.js";
import { byId, element, themeOf } from "./dom.js";
import { findingGlyph } from "./draw.js";
import { formatChosenShare } from "./format.js";
import { isEdited, once } from "./tree.js";

const MOST_MARKS = 4;
const SIGN_WORDS = { "‼": "severe", "!": "degraded", "?": "possible", "✓": "better" };
const TICKS = [-1, -0.5, 0, 0.5, 1];

export function makeLegend(page) {
  const show = () => {
    const { basis, chance, view } = page.state;
    const palette = paletteOf(themeOf(page), page.higher);
    const swatches = [];
    for (let level = -LEVELS; level <= LEVELS; level += 4) {
      const swatch = element("i");
      swatch.style.background = palette.fills[level + LEVELS];
      swatches.push(swatch);
    }
    const { coloured } = page.scale;
    byId("ramp").hidden = !coloured;
    byId("swatches").replaceChildren(...swatches);
    byId("ticks").replaceChildren(...TICKS.map((at) => element("span", at ? tickText(at) : "0")));
    const [less, more] =
      view === "before" ? ["will cost less", "will cost more"] : ["less after the change", "more after the change"];
    byId("less").textContent = page.higher ? `${less}: worse` : less;
    byId("more").textContent = page.higher ? `${more}: better` : more;
    const text = [
      `Scale: change in % of the whole, ${basis === "self" ? "self cost only" : "called functions included"}, square root.`,
      `Coloured from ${formatChosenShare(GATES[basis])} of the whole${tested(chance)}.`,
      coloured ? "" : "No frame is coloured.",
    ].join(" ");
    byId("meaning").textContent = text.replace(/ (?=[%≥]|\d+\))/g, "\u00a0");
    const { tree } = page.panes[0];
    const [shades] = page.shades;
    const has = (symbol) => tree.symbol.includes(symbol);
    const isOf = (state) => tree.symbol.some((_, node) => stateOf(tree, node) === state);
    const words = page.header.findings.map((one) => `${findingGlyph(one)} ${SIGN_WORDS[findingGlyph(one)]}`);
    const signs = [...new Set(words)].join(", ");
    /** @type {[string, string, () => any][]} */
    const marks = [
      ["finding", signs, () => [...page.findings.keys()].some(has)],
      ["edited", "◆ source changed", () => tree.sources?.some((source, symbol) => isEdited(source) && has(symbol))],
      ["pale", "pale: calls a finding", () => shades.carries.includes(1)],
      ["new", "+ only after", () => isOf("new")],
      ["gone", "× only before", () => isOf("gone")],
      ["", "outline: within noise", () => shades.level.includes(0, 1)],
    ];
    const found = once(shades, "marks", () => marks.filter(([, , occurs]) => occurs()).slice(0, MOST_MARKS));
    byId("marks").replaceChildren(
      ...found.map(([kind, text]) => {
        const item = element("li", undefined, kind && `of-${kind}`);
        item.append(element("i", undefined, `mark ${kind}`), text);
        return item;
      }),
    );
  };

  function tested(chance) {
    if (!chance) return ", significant or not";
    if (testsRepeats(page)) return " and significant over repeated runs (4 standard errors)";
    if (page.sample) return ` and significant (|z| ≥ ${CERTAIN})`;
    return "; significance is not tested, because the values are not sample counts";
  }

  function tickText(at) {
    const part = Math.sign(at) * at * at * page.scale.reference;
    return `${part > 0 ? "+" : "\u2212"}${formatChosenShare(Math.abs(part), 2)}`;
  }

  for (const event of ["colour", "layout", "theme"]) page.on(event, show);
  page.on("tab", () => byId(page.state.tab === "symbols" ? "table-note" : "panes").after(byId("marks")));
}
