// The findings above the graph, and the panel with all findings and the subtrees that explain the other changes.
import { shadesOf, stateOf } from "./colour.js";
import { testsRepeats } from "./context.js";
import { byId, element, linkButton, makeButton, nameElement } from "./dom.js";
import { findingGlyph } from "./draw.js";
import { reachOf, rowsOfFinding, tagOf } from "./findings.js";
import { formatChosenShare, numeral } from "./format.js";
import { whatChanged } from "./symbols.js";
import { nameOf, once, symbolName } from "./tree.js";
import { changeOf, changeText } from "./words.js";

const CHIPS = 3;
const LEAST_DIFFERENCE = 0.005; // share of the whole
const MOST_DIFFERENCES = 5;

export function makeChanges(page) {
  let list = [];

  function showAside() {
    const { header } = page;
    const aside = byId("aside");
    aside.replaceChildren();
    const sentence = wholeSentence();
    if (sentence) aside.append(`${sentence} `);
    if (header.cut) {
      const { nodes, threshold } = header.cut;
      aside.append(
        ` ${numeral(nodes)} frames below ${formatChosenShare(threshold)} of both sides are one row “other”.`,
      );
    }
  }

  function wholeSentence() {
    const { tree, whole } = page;
    if (!whole.before[0] && !whole.after[0]) return "Both sides are empty.";
    if (!tree.before[0] && !tree.after[0]) return "Nothing is left.";
    if (!tree.before[0]) return "The before side is empty: everything is new.";
    if (!tree.after[0]) return "The after side is empty: everything is gone.";
    return tree.beforeSelf.every((value, node) => value === tree.afterSelf[node]) ? "Both sides are identical." : "";
  }

  function showFindings() {
    const { findings } = page.header;
    byId("findings").hidden = byId("found").hidden = !findings.length;
    const count = numeral(findings.length);
    byId("overview-open").textContent =
      findings.length > CHIPS ? `All ${count} findings` : findings.length ? "All changes" : "Largest differences";
    const tested = page.sample || testsRepeats(page);
    const doubt = !tested ? ", not tested" : page.scale.coloured ? "" : ", all within noise";
    byId("changed-title").textContent = `Largest differences${doubt}`;
    byId("findings").replaceChildren(...findings.slice(0, CHIPS).map(chipOf));
    byId("found-list").replaceChildren(...findings.map(entryOf));
  }

  // A button with the name of a function, its change, and the callee that explains most of the change.
  function chipOf(finding) {
    const [basis, , growth] = finding.change ?? ["", "", ""];
    const button = makeButton("", () => page.openFinding(finding), finding.direction);
    const name = element("b");
    name.append(nameElement(symbolName(page.whole, finding.symbol)));
    button.append(
      name,
      element("span", `${basis}${growth}${finding.severity === "maybe" ? ", possible" : ""}`),
      ...partsOf(finding, 1),
    );
    const caller = callerOf(finding);
    button.title = [
      symbolName(page.whole, finding.symbol),
      tagOf(finding),
      changeText(finding),
      ...(finding.facts ?? []),
      caller && `in ${caller}`,
      partsText(finding),
      finding.reach,
    ]
      .filter(Boolean)
      .join("; ");
    return button;
  }

  function entryOf(finding) {
    const entry = element("li", undefined, finding.part ? "part" : "");
    const caller = callerOf(finding);
    entry.append(
      element("i", findingGlyph(finding), finding.direction),
      nameLink(symbolName(page.whole, finding.symbol), () => page.openFinding(finding)),
      element("b", tagOf(finding)),
      element("span", [changeText(finding), ...(finding.facts ?? [])].join(", ")),
    );
    const more = element("small", caller ? `in ${caller} ` : "", "reach");
    more.append(...partsOf(finding));
    const reach = reachOf(page, finding.symbol);
    if (reach) more.append(` ${reach}`);
    if (more.textContent) entry.append(more);
    return entry;
  }

  // Names the callees that explain the change of a finding, or only the first `most` of them without their changes.
  function partsOf(finding, most) {
    if (!finding.parts) return [];
    const [word, parts] = finding.parts;
    const part = element("span", `${word} `, "new");
    parts.slice(0, most).forEach(([name, text], at) => {
      const shown = element("b");
      shown.append(nameElement(name));
      part.append(at ? ", " : "", shown, most || !text ? "" : ` ${text}`);
    });
    return [part];
  }

  function partsText({ parts: [word, parts] = ["", []] }) {
    return parts.length && `${word} ${parts.map((part) => part.join(" ").trim()).join(", ")}`;
  }

  function callerOf({ rows, symbol }) {
    const caller = rows?.length ? page.whole.parent[rowsOfFinding(page, page.whole, { rows, symbol })[0]] : 0;
    return caller > 0 ? nameOf(page.whole, caller) : "";
  }

  function nameLink(name, action) {
    const open = linkButton("", action);
    open.append(nameElement(name));
    open.title = name;
    return open;
  }

  // Returns the largest differences of a page on which no difference is certain.
  function uncertainDifferences() {
    const { level } = shadesOf(page.tree, {
      ratio: page.ratio,
      basis: "inclusive",
      gate: LEAST_DIFFERENCE,
      chance: false,
    });
    return whatChanged(page.tree, page.ratio, level)
      .slice(0, MOST_DIFFERENCES)
      .map((entry) => ({ ...entry, uncertain: true }));
  }

  function showChanged() {
    byId("changed").hidden = !list.length;
    byId("changed-list").replaceChildren(
      ...list.map(({ node, delta, uncertain }) => {
        const entry = element("li");
        const glyph = { new: "+", gone: "×" }[stateOf(page.tree, node)] ?? (delta > 0 ? "▲" : "▼");
        const caller = page.tree.parent[node];
        const below = element("small", caller > 0 ? `in ${nameOf(page.tree, caller)}` : "");
        const tone = uncertain ? "" : delta > 0 === !page.higher ? "worse" : "better";
        const reach = reachOf(page, page.tree.symbol[node]);
        entry.append(
          element("i", glyph, tone),
          nameLink(nameOf(page.tree, node), () => page.openNode(node)),
          below,
          element("span", changeOf(page, delta)),
          ...(reach ? [element("small", reach, "reach")] : []),
        );
        return entry;
      }),
    );
  }

  page.on("scale", () => {
    showAside();
    showFindings();
    if (page.state.basis !== "inclusive") return;
    const { tree, scale } = page;
    list = once(scale.level, "changed", () => {
      if (page.header.findings.length) return []; // all other differences are within noise
      // the costs of an estimated call path are no measurements
      const changed = page.header.estimated ? [] : whatChanged(tree, page.ratio, scale.level);
      return changed.length ? changed : uncertainDifferences();
    });
    showChanged();
  });
}
