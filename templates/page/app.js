// Opens the page: decodes the data, connects the parts and restores the state from the URL.
import { makeAddress } from "./address.js";
import { makeChanges } from "./changes.js";
import { decodeColumns } from "./codec.js";
import { makePage } from "./context.js";
import { byId } from "./dom.js";
import { makeEdits } from "./edits.js";
import { makeFinder } from "./finder.js";
import { makeGraph } from "./graph.js";
import { makeKeys } from "./keys.js";
import { makeLegend } from "./legend.js";
import { showFailure, unpack } from "./packed.js";
import { makeSaving } from "./save.js";
import { makeRuns } from "./runs.js";
import { makeSettings } from "./settings.js";
import { makeTable } from "./table.js";
import { makeTabs } from "./tabs.js";
import { makeTrail } from "./trail.js";
import { makeWaterfall } from "./waterfall.js";
import { makeTree } from "./tree.js";

async function start(panels) {
  const header = JSON.parse(byId("header").textContent);
  const tree = makeTree(decodeColumns(header, await unpack("data")));
  const page = makePage(header, tree);
  byId("static").remove();
  byId("app").hidden = false;
  const graph = makeGraph(page);
  for (const make of [
    makeRuns,
    makeSettings,
    makeSaving,
    makeLegend,
    makeFinder,
    makeEdits,
    makeTrail,
    makeChanges,
    makeWaterfall,
    makeKeys,
  ])
    make(page);
  byId("panel-graph").hidden = true; // the tabs show it, unless the profile has no stacks
  if (header.estimated) byId("panel-symbols").append(document.querySelector(".bottom"), byId("source"));
  for (const panel of panels) panel.install(page);
  const table = { key: "symbols", title: "Table", build: makeTable };
  const ofGraph = [
    { key: "graph", title: "Graph", build() {}, show: graph.fit },
    { key: "sandwich", title: "Sandwich", panel: "graph", build() {}, show: graph.fit },
  ];
  makeTabs(page, [...(header.estimated ? [] : ofGraph), table, ...panels]);
  makeAddress(page)();
}

// Opens the page with these panels besides the graph, the sandwich and the table.
export function openPage(panels) {
  start(panels).catch((error) => showFailure("The interactive graph", error, "the static picture is shown instead"));
}
