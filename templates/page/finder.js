// Search: matches, their share of each side, and navigation between them.
import { announce, byId, linkButton } from "./dom.js";
import { counted, formatShare, numeral } from "./format.js";
import { matcherOf, matchingSymbols, searchBelow } from "./search.js";
import { sentenceOf } from "./words.js";

export function makeFinder(page) {
  let result = null;
  let at = -1;

  function find(announced) {
    const { q, regex } = page.state;
    const { matches, problem } = matcherOf(q, { regex, matchCase: page.state.case });
    const shape = page.state.focus.shape;
    const tree = page.shapes[shape];
    page.found = matches ? matchingSymbols(tree.names, matches) : null;
    result = page.found ? searchBelow(tree, page.found, page.state.zoom[shape]) : null;
    at = -1;
    const count = result?.nodes.length ?? 0;
    const shares = () =>
      page.header.alone
        ? `${formatShare(result.after)} of the run`
        : `${formatShare(result.before)} of before, ${formatShare(result.after)} of after`;
    const summary = result ? `${counted(count, "frame matches", "frames match")}: ${shares()}` : (problem ?? "");
    byId("next").disabled = byId("previous").disabled = !count;
    const outside = result && page.state.zoom[shape] ? searchBelow(tree, page.found, 0).nodes.length - count : 0;
    const more = `${numeral(outside)} more in the whole graph`;
    byId("matched").replaceChildren(
      summary,
      ...(outside ? [" here; ", linkButton(more, () => showEveryMatch(shape))] : []),
    );
    byId("matched").hidden = !summary;
    byId("regex").setAttribute("aria-pressed", String(page.state.regex));
    byId("case").setAttribute("aria-pressed", String(page.state.case));
    if (byId("query").value !== q) byId("query").value = q;
    if (announced) announce(outside ? `${summary} here; ${more}` : summary);
  }

  function showEveryMatch(shape) {
    page.zoomTo(0, shape);
    page.chooseNode(0, shape);
  }

  // Each change of the pictures makes a new result.
  function visibleMatches(shape) {
    if (!result) return [];
    const widths = page.panes.filter((pane) => pane.shape === shape).map((pane) => pane.widths);
    result.visible ??= result.nodes.filter((node) => widths.some((width) => width[node] > 0));
    return result.visible;
  }

  page.step = (direction) => {
    const { shape } = page.state.focus;
    const visible = visibleMatches(shape);
    if (!visible.length) return;
    at = (at + direction + visible.length + (at < 0 && direction < 0 ? 1 : 0)) % visible.length;
    page.chooseNode(visible[at], shape);
    announce(`Match ${at + 1} of ${visible.length}: ${sentenceOf(page, shape, visible[at])}`);
  };

  page.on("search", () => find(true));
  page.on("zoom", () => find(false));
  byId("query").addEventListener("input", (event) => page.set({ q: event.target.value }));
  for (const key of ["regex", "case"]) byId(key).addEventListener("click", () => page.set({ [key]: !page.state[key] }));
  byId("next").addEventListener("click", () => page.step(1));
  byId("previous").addEventListener("click", () => page.step(-1));
}
