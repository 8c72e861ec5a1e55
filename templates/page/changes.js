// The summary above the tabs: a sentence, the findings, and the subtrees that explain the change.
import { stateOf } from "./colour.js";
import { byId, element, linkButton, makeButton } from "./dom.js";
import { reachOf, rowOfFinding, tagOf } from "./findings.js";
import { formatShare } from "./format.js";
import { symbolSums, whatChanged } from "./symbols.js";
import { nameOf, symbolName } from "./tree.js";
import { changeOf } from "./words.js";
import { ratioSentence } from "./toolbar.js";
import { ratioOf, scaled, widthsOf } from "./views.js";

const FINDINGS_SHOWN = 12;
const CHANGES_ON_PHONES = 3; // further subtrees are behind a button, so that the graph is not far below

export function makeChanges(page) {
  const phone = window.matchMedia("(max-width: 620px)");
  let unfolded = false;
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
    if (!page.scale.coloured && !sentence) aside.append(" No frame changed enough to be coloured.");
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
    if (!tree.before[0]) return "The before side is empty: everything is new.";
    if (!tree.after[0]) return "The after side is empty: everything is gone.";
    return tree.beforeSelf.every((value, node) => value === tree.afterSelf[node]) ? "Both sides are identical." : "";
  }

  // Returns the shares that exist on one side only. The header has the shares of the tree before small stacks were merged.
  function oneSided() {
    const { tree } = page;
    if (!page.state.drop.size) return page.header.one_sided;
    let fresh = 0;
    for (let i = 0; i < tree.size; i++) if (tree.before[i] === 0) fresh += tree.afterSelf[i];
    const gone = widthsOf(tree, "elided", page.ratio)[0];
    return [tree.before[0] ? gone / tree.before[0] : 0, tree.after[0] ? fresh / tree.after[0] : 0];
  }

  function showFindings() {
    const nav = byId("findings");
    nav.hidden = !page.findings.size;
    // Two recordings of the same program also differ, so differences without a finding are not called changes.
    byId("changed-title").textContent = page.findings.size ? "What changed" : "Largest differences";
    const ratio = ratioOf("none", page.whole, page.header.runs);
    const sums = symbolSums(page.whole);
    nav.replaceChildren(
      ...page.header.findings.slice(0, FINDINGS_SHOWN).map((finding) => {
        const { rows, symbol } = finding;
        const sum = (side) => (rows?.length ? rows.reduce((whole, row) => whole + page.whole[side][row], 0) : sums[side][symbol]);
        const button = makeButton("", () => page.openFinding(finding), finding.direction);
        const caller = rows?.length ? page.whole.parent[rowOfFinding(page.whole, finding)] : 0;
        const place = caller > 0 ? ` · in ${nameOf(page.whole, caller)}` : "";
        button.append(element("b", symbolName(page.whole, symbol)), element("span", `${tagOf(finding)} · ${changeOf(page, sum("after") - scaled(sum("before"), ratio), ratio)}${place}`));
        if (finding.reach) button.append(element("span", finding.reach));
        return button;
      }),
    );
    const more = page.header.findings.length - FINDINGS_SHOWN;
    if (more > 0) nav.append(makeButton(`${more} more in the table`, () => page.set({ tab: "symbols" })));
  }

  function showChanged() {
    const shown = unfolded || !phone.matches ? list : list.slice(0, CHANGES_ON_PHONES);
    byId("changed").hidden = !list.length;
    byId("changed-more").hidden = shown.length === list.length;
    byId("changed-more").textContent = `Show all ${list.length}`;
    byId("changed-list").replaceChildren(
      ...shown.map(({ node, delta, responsibility }) => {
        const entry = element("li");
        const glyph = { new: "+", gone: "×" }[stateOf(page.tree, node)] ?? (delta > 0 ? "▲" : "▼");
        const open = linkButton("", () => {
          page.openNode(node);
        });
        open.append(element("bdi", nameOf(page.tree, node)));
        const caller = page.tree.parent[node];
        const below = element("small", caller > 0 ? `in ${nameOf(page.tree, caller)}` : "");
        const numbers = [changeOf(page, delta), ...(responsibility === null ? [] : [`${formatShare(responsibility)} of the net change`])].join(" · ");
        const tone = delta > 0 === !page.higher ? "worse" : "better";
        const reach = reachOf(page, page.tree.symbol[node]);
        entry.append(element("i", glyph, tone), open, below, element("span", numbers), ...(reach ? [element("small", reach, "reach")] : []));
        return entry;
      }),
    );
  }

  page.on("colour", () => {
    showAside();
    if (page.state.basis !== "inclusive") return;
    list = whatChanged(page.tree, page.ratio, page.scale.level);
    showChanged();
  });
  byId("changed-more").addEventListener("click", () => {
    unfolded = true;
    showChanged();
    byId("changed-list").querySelectorAll("button")[CHANGES_ON_PHONES]?.focus();
  });
  phone.addEventListener("change", showChanged);
  showFindings();
}
