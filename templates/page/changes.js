// The causes above the graph, and the panel with all findings and the subtrees that explain the change.
import { shadesOf, stateOf } from "./colour.js";
import { byId, element, linkButton, makeButton } from "./dom.js";
import { reachOf, rowOfFinding, tagOf } from "./findings.js";
import { formatShare, growthOf } from "./format.js";
import { symbolSums, whatChanged } from "./symbols.js";
import { nameOf, once, symbolName } from "./tree.js";
import { changeOf } from "./words.js";
import { ratioSentence } from "./settings.js";
import { ratioOf, scaled } from "./views.js";

const CAUSES = 3;
const LEAST_DIFFERENCE = 0.005; // share of the whole
const MOST_DIFFERENCES = 5;

export function makeChanges(page) {
  let list = [];

  function showAside() {
    const { header, state } = page;
    const aside = byId("aside");
    aside.replaceChildren();
    const sentence = wholeSentence();
    if (sentence) aside.append(`${sentence} `);
    const [gone, fresh] = oneSided();
    if (gone) aside.append(linkButton(`${formatShare(gone)} of before`, () => page.set({ view: "elided", tab: "graph" })), " has no counterpart. ");
    if (fresh) aside.append(linkButton(`${formatShare(fresh)} of after`, () => page.set({ view: "union", tab: "graph" })), " is new. ");
    aside.append(ratioSentence(page));
    const [before, after] = header.runs;
    if (before > 1 || after > 1) aside.append(` Values are means of ${before} and ${after} runs.`);
    if (!page.scale.coloured && !sentence) aside.append(" No frame changed enough to be coloured, so these differences may be noise.");
    if (header.cut) {
      const { nodes, threshold, before: cutBefore, after: cutAfter } = header.cut;
      aside.append(` ${nodes.toLocaleString("en")} frames below ${Number((threshold * 100).toPrecision(3))} % of both sides are merged into “other” (${formatShare(cutBefore)} of before, ${formatShare(cutAfter)} of after).`);
    }
    if (state.drop.size) aside.append(" Some stacks are left out on both sides.");
  }

  function wholeSentence() {
    const { tree, whole } = page;
    if (!whole.before[0] && !whole.after[0]) return "Both sides are empty.";
    if (!tree.before[0] && !tree.after[0]) return "Nothing is left.";
    if (!tree.before[0] && whole.before[0]) return "Nothing is left of the before side.";
    if (!tree.after[0] && whole.after[0]) return "Nothing is left of the after side.";
    if (!tree.before[0]) return "The before side is empty: everything is new.";
    if (!tree.after[0]) return "The after side is empty: everything is gone.";
    return tree.beforeSelf.every((value, node) => value === tree.afterSelf[node]) ? "Both sides are identical." : "";
  }

  // Returns the shares that exist on one side only. The header has the shares of the tree before small stacks were merged.
  function oneSided() {
    const { tree } = page;
    if (page.tree === page.whole) return page.header.one_sided;
    let [gone, fresh] = [0, 0];
    for (let i = 0; i < tree.size; i++) {
      if (tree.before[i] === 0) fresh += tree.afterSelf[i];
      if (tree.after[i] === 0) gone += tree.beforeSelf[i];
    }
    return [tree.before[0] ? gone / tree.before[0] : 0, tree.after[0] ? fresh / tree.after[0] : 0];
  }

  function showFindings() {
    const { findings } = page.header;
    byId("findings").hidden = !findings.length;
    const more = findings.length - CAUSES;
    byId("overview-open").textContent = more > 0 ? `${more.toLocaleString("en")} more` : findings.length ? "All changes" : "Largest differences";
    // Two recordings of one program differ too, so without a finding differences are not called changes.
    byId("changed-title").textContent = findings.length ? "What changed" : "Largest differences";
    const sums = symbolSums(page.whole);
    const ratio = ratioOf("none", page.whole, page.header.runs);
    byId("findings").replaceChildren(...findings.slice(0, CAUSES).map((finding) => chipOf(finding, sums, ratio)));
    byId("all-findings").replaceChildren(...findings.slice(CAUSES).map((finding) => chipOf(finding, sums, ratio)));
  }

  // A button with the name of a function and its change: the cost by which it was judged, or self if that is chosen.
  function chipOf(finding, sums, ratio) {
    const { rows, symbol } = finding;
    const changeIn = (column) => ["before", "after"].map((side) => (rows?.length ? rows.reduce((whole, row) => whole + page.whole[side + column][row], 0) : sums[side + column][symbol]));
    const growths = { self: changeIn("Self"), total: changeIn("") };
    const textOfGrowth = ([before, after]) => growthOf(scaled(before, ratio), after);
    const basis = page.state.basis === "self" || finding.judged === "self" ? "self" : "total";
    const differs = basis === "self" && page.state.basis !== "self" && textOfGrowth(growths.self) !== textOfGrowth(growths.total);
    const button = makeButton("", () => page.openFinding(finding), finding.direction);
    const caller = rows?.length ? page.whole.parent[rowOfFinding(page.whole, finding)] : 0;
    button.append(element("b", symbolName(page.whole, symbol)), element("span", `${differs ? "self " : ""}${textOfGrowth(growths[basis])}`), ...(finding.severity === "maybe" ? [element("span", "?")] : []), ...(finding.new ? [element("small", `new: ${finding.new}`)] : []));
    const numbers = Object.entries(growths).map(([name, [before, after]]) => `${name} ${changeOf(page, after - scaled(before, ratio), ratio)}`);
    button.title = [tagOf(finding), ...numbers, caller > 0 ? `in ${nameOf(page.whole, caller)}` : "", finding.reach].filter(Boolean).join("; ");
    return button;
  }

  // Returns the largest differences of a page on which no difference is certain.
  function uncertainDifferences() {
    const { level } = shadesOf(page.tree, { ratio: page.ratio, basis: "inclusive", gate: LEAST_DIFFERENCE, chance: false });
    return whatChanged(page.tree, page.ratio, level).slice(0, MOST_DIFFERENCES).map((entry) => ({ ...entry, uncertain: true }));
  }

  function showChanged() {
    byId("changed").hidden = !list.length;
    byId("changed-list").replaceChildren(
      ...list.map(({ node, delta, responsibility, uncertain }) => {
        const entry = element("li");
        const glyph = { new: "+", gone: "×" }[stateOf(page.tree, node)] ?? (delta > 0 ? "▲" : "▼");
        const open = linkButton("", () => {
          page.openNode(node);
        });
        open.append(element("bdi", nameOf(page.tree, node)));
        const caller = page.tree.parent[node];
        const below = element("small", caller > 0 ? `in ${nameOf(page.tree, caller)}` : "");
        const numbers = [changeOf(page, delta), ...(responsibility === null || uncertain ? [] : [`${formatShare(responsibility)} of the net change`])].join(" · ");
        const tone = uncertain ? "" : delta > 0 === !page.higher ? "worse" : "better";
        const reach = reachOf(page, page.tree.symbol[node]);
        entry.append(element("i", glyph, tone), open, below, element("span", numbers), ...(reach ? [element("small", reach, "reach")] : []));
        return entry;
      }),
    );
  }

  page.on("colour", () => {
    showAside();
    showFindings();
    if (page.state.basis !== "inclusive") return;
    const { tree, scale } = page;
    list = once(scale.level, "changed", () => {
      const changed = whatChanged(tree, page.ratio, scale.level);
      return changed.length || page.header.findings.length ? changed : uncertainDifferences();
    });
    showChanged();
  });
}
