// Ties the page together: state, controls, keys, tooltip and the table. All names reach the page as text nodes.
import { base64ToBytes, decodeColumns, inflate } from "./codec.js";
import { CERTAIN, GATES, LEVELS, evidence, few, paletteOf, shadesOf, stateOf } from "./colour.js";
import { glyphOf, nodeAt, paint, planOf } from "./draw.js";
import { formatRatio, formatShare, formatSigned, formatSignedShare, formatValue } from "./format.js";
import { makeFragment, parseFragment } from "./link.js";
import { matcherOf, matchingSymbols, searchBelow } from "./search.js";
import { isWorthRating, sortRows, symbolRows, symbolSums } from "./symbols.js";
import { ancestorsOf, makeTree, nameOf, nodeOfKey, pathHashes, pathKey, placeOf, placeOfSymbol, widestOf, withoutSymbols } from "./tree.js";
import { VIEWS, deepestDrawn, ratioOf, scaled, startsOf, widthsOf } from "./views.js";

const byId = (id) => document.getElementById(id);
const ROWS_AT_FIRST = 25;
const ROWS_MORE = 200;
const VIEW_NAMES = { after: "After", before: "Before", union: "Union", elided: "Elided", diff: "Diff" };
const VIEW_HELP = {
  after: "Widths from the after side",
  before: "Widths from the before side",
  union: "Both sides in one picture: each frame as wide as its larger side",
  elided: "Only what vanished",
  diff: "Widths show how much changed",
};
const COLUMNS = [
  ["name", "Function"],
  ["before", "Before"],
  ["after", "After"],
  ["delta", "Change"],
  ["relative", "Change %"],
  ["selfDelta", "Self change"],
  ["responsibility", "Responsibility"],
  ["overweight", "Overweight"],
];
const TIP_HEADS = { "": "", before: "Before", scaled: "Scaled", after: "After", change: "Change", relative: "" };
const COLUMN_HELP = {
  selfDelta: "Change outside of called functions",
  responsibility: "Part of the whole change that passes through this function",
  overweight: "100 % = grew exactly like the whole program",
};

async function start() {
  const header = JSON.parse(byId("header").textContent);
  const bytes = await inflate(base64ToBytes(byId("data").textContent));
  byId("data").remove();
  const whole = makeTree(decodeColumns(header, bytes));
  byId("static").remove();
  byId("app").hidden = false;
  makePage(header, whole);
}

function makePage(header, whole) {
  const [runsBefore, runsAfter] = header.runs;
  const higher = header.better === "higher";
  const unit = header.unit;
  const sample = header.sample_value ? header.sample_value / header.g : null;
  const hashes = pathHashes(whole);
  const findings = new Map(header.findings.map((finding) => [finding.symbol, finding]));
  const preferred = window.matchMedia("(prefers-color-scheme: dark)");
  const defaults = { view: whole.after[0] ? "after" : "before", k: header.normalisation, basis: "inclusive", mode: "contribution" };
  const state = {
    ...defaults,
    factor: "1",
    q: "",
    regex: false,
    case: false,
    flip: false,
    drop: new Set(),
    zoom: 0,
    focused: 0,
    hovered: -1,
    theme: "auto",
    sort: "weight",
    descending: true,
    filter: "",
    rows: ROWS_AT_FIRST,
  };
  const canvas = byId("canvas");
  const graph = byId("graph");
  let tree = whole;
  let ratio;
  let tableRatio;
  let shades;
  let widths;
  let starts;
  let scene;
  let plan;
  let found = null;
  let result = null;
  let table;
  let scheduled = false;
  let matchAt = -1;

  const mean = (value, runs) => formatValue((value * header.g) / runs, unit, header.exponent);
  const meanChange = (value) => formatSigned((value * header.g) / runsAfter, unit, header.exponent);
  const theme = () => (state.theme === "auto" ? (preferred.matches ? "dark" : "light") : state.theme);
  const isEmpty = !whole.before[0] && !whole.after[0];

  // ---- state to picture -------------------------------------------------------------------------------------

  function rebuild() {
    tree = withoutSymbols(whole, state.drop);
    measure();
  }

  function measure() {
    ratio = ratioOf(state.k, tree, header.runs, state.factor);
    tableRatio = state.k === "total" ? ratioOf("none", tree, header.runs) : ratio;
    colour();
    layOut();
    fillTable();
    showAside();
  }

  function colour() {
    shades = shadesOf(tree, {
      ratio,
      normalisation: ratio.refused ? "none" : state.k,
      basis: state.basis,
      mode: state.mode,
      gate: GATES[state.basis],
      sample,
    });
    showLegend();
  }

  function layOut() {
    widths = widthsOf(tree, state.view, ratio);
    starts = startsOf(tree, widths);
    while (state.zoom > 0 && !widths[state.zoom]) state.zoom = tree.parent[state.zoom];
    if (!inside(state.focused)) state.focused = state.zoom;
    fit();
    find(false);
    showTrail();
    showDetails(state.focused);
    showPressed();
    say(emptyReason());
  }

  function inside(node) {
    return node >= state.zoom && node < tree.end[state.zoom] && widths[node] > 0;
  }

  function emptyReason() {
    if (ratio.refused && state.k !== "none") return `Not normalised: ${ratio.refused}.`;
    if (widths[0]) return "";
    if (isEmpty) return "Both sides are empty: there is nothing to draw.";
    if (state.view === "elided") return "Nothing vanished: every path of the before side still exists.";
    if (state.view === "diff") return "Nothing differs: both sides are the same.";
    return state.view === "after" ? "The after side is empty." : "The before side is empty.";
  }

  function fit() {
    const rowHeight = window.matchMedia("(pointer: coarse)").matches ? 24 : 19;
    const width = graph.clientWidth;
    const smallest = width > 0 ? (widths[state.zoom] / width) * 0.5 : 0;
    const count = deepestDrawn(tree, widths, state.zoom, smallest) + 1;
    const tallest = Math.max(240, Math.round(window.innerHeight * 0.68));
    const height = widths[0] ? Math.min(Math.max(count * rowHeight, 5 * rowHeight), tallest) : 2 * rowHeight;
    graph.style.height = `${height + 2}px`;
    byId("spacer").style.height = `${Math.max(count * rowHeight, height)}px`;
    canvas.style.height = `${height}px`;
    scene = { width: graph.clientWidth, height, rowHeight, count };
    draw();
  }

  function draw() {
    if (scheduled) return;
    scheduled = true;
    requestAnimationFrame(() => {
      scheduled = false;
      drawNow();
    });
  }

  function drawNow() {
    const { width, height, rowHeight, count } = scene;
    const from = Math.floor(graph.scrollTop / rowHeight);
    const to = Math.ceil((graph.scrollTop + height) / rowHeight);
    const turned = (row) => count - 1 - row;
    const [firstRow, lastRow] = state.flip ? [turned(to), turned(from)] : [from, to];
    Object.assign(scene, {
      tree,
      widths,
      starts,
      shades,
      width,
      root: state.zoom,
      firstRow: Math.max(firstRow, 0),
      lastRow: Math.min(lastRow, count - 1),
      rowTop: (row) => (state.flip ? Math.max(height, count * rowHeight) - (row + 1) * rowHeight : row * rowHeight) - graph.scrollTop,
      theme: theme(),
      palette: paletteOf(theme(), higher),
      found,
      findings,
      hovered: state.hovered,
      focused: document.activeElement === graph ? state.focused : -1,
      outlines: state.view === "elided",
    });
    plan = planOf(scene);
    paint(canvas, scene, plan);
    canvas.dataset.painted = state.view;
  }

  function zoomTo(node) {
    state.zoom = node;
    state.focused = node;
    state.hovered = -1;
    hideTip();
    fit();
    reveal(node);
    find(false);
    showTrail();
    showDetails(node);
    remember();
  }

  function reveal(node) {
    const { rowHeight, count, height } = scene;
    const row = state.flip ? count - 1 - tree.depth[node] : tree.depth[node];
    const top = row * rowHeight;
    if (top < graph.scrollTop || top + rowHeight > graph.scrollTop + height) {
      graph.scrollTop = Math.max(0, top - Math.min(6 * rowHeight, height / 2));
    }
    draw();
  }

  // ---- words ------------------------------------------------------------------------------------------------

  function describe(node) {
    const growth = tree.after[0] - scaled(tree.before[0], ratio);
    const lines = [];
    const isScaled = ratio.num * runsBefore !== ratio.den * runsAfter;
    for (const [label, before, after] of [
      ["Inclusive", tree.before[node], tree.after[node]],
      ["Self", tree.beforeSelf[node], tree.afterSelf[node]],
    ]) {
      const old = scaled(before, ratio);
      const delta = after - old;
      const near = Math.abs(delta) <= 1e-12 * Math.max(after, old);
      lines.push({
        label,
        before: mean(before, runsBefore),
        scaled: isScaled ? mean(old, runsAfter) : "",
        after: mean(after, runsAfter),
        change: near ? mean(0, 1) : meanChange(delta),
        relative: before ? (near ? "0 %" : formatSignedShare(delta / old)) : after ? "new" : "-",
        responsibility: growth && !near ? `${formatShare(delta / growth)} of the whole change` : "",
      });
    }
    const shares = `${formatShare(tree.before[0] ? tree.before[node] / tree.before[0] : 0)} of before, ${formatShare(tree.after[0] ? tree.after[node] / tree.after[0] : 0)} of after`;
    return { name: nameOf(tree, node), place: placeOf(tree, node), lines, shares, verdict: verdictOf(node) };
  }

  function verdictOf(node) {
    const words = [];
    const kind = stateOf(tree, node);
    if (kind === "other") return "many small stacks merged to keep the page small";
    const rare = few(tree, node, sample);
    if (kind === "new") words.push(rare ? "new (few samples)" : "new: only after");
    if (kind === "gone") words.push(rare ? "gone (few samples)" : "gone: only before");
    const level = shades.level[node];
    if (kind === "both") {
      if (level) words.push(level > 0 ? moreWord() : lessWord());
      else words.push(tree.before[node] * ratio.num === tree.after[node] * ratio.den ? "unchanged" : "below the gate");
    }
    const z = evidence(tree.before[node], tree.after[node], tree.before[0], tree.after[0], ratio, state.k, sample);
    if (Number.isFinite(z) && z) words.push(`z ${z < 0 ? "\u2212" : ""}${Math.abs(z).toFixed(1)}`);
    const finding = findings.get(tree.symbol[node]);
    if (finding) words.push(`finding: ${finding.severity}, ${finding.direction}`);
    return words.join(", ");
  }

  function moreWord() {
    return state.view === "before" ? "will grow" : "grew";
  }

  function lessWord() {
    return state.view === "before" ? "will shrink" : "shrank";
  }

  function sentenceOf(node) {
    const { name, place, lines, shares, verdict } = describe(node);
    const numbers = lines.map((line) => `${line.label.toLowerCase()} ${fromOf(line)} → ${line.after}, ${line.change} (${line.relative})`);
    return [name, place, ...numbers, lines[0].responsibility, shares, verdict].filter(Boolean).join("; ");
  }

  function fromOf(line) {
    return line.scaled ? `${line.before} (scaled ${line.scaled})` : line.before;
  }

  function showDetails(node) {
    const shown = node >= 0 && widths[0] ? node : -1;
    const details = byId("details");
    const item = byId("item");
    if (shown < 0) {
      details.textContent = "";
      item.textContent = "";
      return;
    }
    const { name, place, lines, shares, verdict } = describe(shown);
    const [all, own] = lines;
    details.replaceChildren(
      element("b", glyphOf(stateOf(tree, shown), shades.level[shown], findings.has(tree.symbol[shown])) + name),
      ...(place ? [" ", element("code", place)] : []),
      element("span", [`${fromOf(all)} → ${all.after}, ${all.change} (${all.relative})`, `self ${fromOf(own)} → ${own.after}, ${own.change}`, all.responsibility, shares, verdict].filter(Boolean).join("; ")),
    );
    const siblings = siblingsOf(shown);
    item.textContent = sentenceOf(shown);
    item.setAttribute("aria-level", String(tree.depth[shown] + 1));
    item.setAttribute("aria-posinset", String(siblings.indexOf(shown) + 1));
    item.setAttribute("aria-setsize", String(siblings.length));
  }

  function showTip(node, x, y) {
    const tip = byId("tip");
    const { name, place, lines, shares, verdict } = describe(node);
    const head = element("tr");
    const keys = ["before", ...(lines[0].scaled ? ["scaled"] : []), "after", "change", "relative"];
    for (const key of ["", ...keys]) head.append(element("th", TIP_HEADS[key]));
    const body = lines.map((line) => {
      const row = element("tr");
      row.append(element("th", line.label));
      for (const key of keys) row.append(element("td", line[key]));
      return row;
    });
    const grid = element("table");
    grid.append(head, ...body);
    tip.replaceChildren(element("b", name), ...(place ? [element("code", place)] : []), grid, element("p", [lines[0].responsibility, shares, verdict].filter(Boolean).join("; ")));
    tip.hidden = false;
    const { width, height } = tip.getBoundingClientRect();
    tip.style.left = `${Math.max(8, Math.min(x + 14, document.documentElement.clientWidth - width - 8))}px`;
    tip.style.top = `${y + 18 + height > window.innerHeight ? Math.max(8, y - height - 12) : y + 18}px`;
  }

  function hideTip() {
    byId("tip").hidden = true;
  }

  function say(text) {
    const message = byId("message");
    message.textContent = text;
    message.hidden = !text;
    if (text) byId("live").textContent = text;
  }

  function showAside() {
    const aside = byId("aside");
    aside.replaceChildren();
    const sentence = wholeSentence();
    if (sentence) aside.append(`${sentence} `);
    const [gone, fresh] = oneSided();
    if (gone) aside.append(linkButton(`${formatShare(gone)} elided`, () => choose("view", "elided")), " of before vanished. ");
    if (fresh) aside.append(linkButton(`${formatShare(fresh)} new`, () => choose("view", "union")), " in after. ");
    if (!ratio.refused) aside.append(ratio.num === ratio.den ? "Values are compared as they are." : `Before is multiplied by ${formatRatio(ratio)}: ${originOfRatio()}.`);
    if (runsBefore > 1 || runsAfter > 1) aside.append(` Values are means of ${runsBefore} and ${runsAfter} runs.`);
    if (!shades.coloured && !sentence) aside.append(" No frame changed enough to be coloured.");
    if (header.cut) {
      aside.append(` ${header.cut.nodes.toLocaleString("en")} frames below ${Number((header.cut.threshold * 100).toPrecision(3))} % of both sides are merged into “other” (${formatShare(header.cut.before)} of before, ${formatShare(header.cut.after)} of after).`);
    }
  }

  function originOfRatio() {
    if (state.k === "total") return "both totals made equal";
    return state.k === "factor" ? "your factor" : `${runsAfter} runs after, ${runsBefore} before`;
  }

  function wholeSentence() {
    if (isEmpty) return "Both sides are empty.";
    if (!tree.before[0] && !tree.after[0]) return "Nothing is left.";
    if (!tree.before[0]) return "The before side is empty: everything is new.";
    if (!tree.after[0]) return "The after side is empty: everything is gone.";
    return tree.beforeSelf.every((value, node) => value === tree.afterSelf[node]) ? "Both sides are identical." : "";
  }

  // The shares that exist on one side only; those of the complete tree stand in the header, from before small stacks were merged.
  function oneSided() {
    if (!state.drop.size) return header.one_sided;
    let fresh = 0;
    for (let i = 0; i < tree.size; i++) if (tree.before[i] === 0) fresh += tree.afterSelf[i];
    const gone = widthsOf(tree, "elided", ratio)[0];
    return [tree.before[0] ? gone / tree.before[0] : 0, tree.after[0] ? fresh / tree.after[0] : 0];
  }

  function showLegend() {
    const palette = paletteOf(theme(), higher);
    const swatches = [];
    for (let level = -LEVELS; level <= LEVELS; level += 4) {
      const swatch = element("i");
      swatch.style.background = palette.fills[level + LEVELS];
      swatches.push(swatch);
    }
    byId("swatches").replaceChildren(...swatches);
    const ticks = [-1, -0.5, 0, 0.5, 1].map((at) => {
      const amount = state.mode === "relative" ? at : Math.sign(at) * at * at * shades.reference;
      return element("span", at ? formatSignedShare(amount, amount && Math.abs(amount) < 0.001 ? 3 : 2) : "0");
    });
    byId("ticks").replaceChildren(...ticks);
    byId("less").textContent = higher ? "less after the change: worse" : "less after the change";
    byId("more").textContent = higher ? "more after the change: better" : "more after the change";
    const gate = formatShare(GATES[state.basis]);
    const test = sample ? ` and beyond chance (|z| ≥ ${CERTAIN})` : "; these values are no sample counts, so chance is not tested";
    const scale = state.mode === "relative" ? "of the frame's own value" : "of the whole";
    byId("gate").textContent = `Scale: change in % ${scale}, ${state.basis === "self" ? "own cost only" : "called functions included"}. Coloured from ${gate} of the whole${test}. Neutral: below that.`.replace(/ (?=[%≥]|\d+\))/g, "\u00a0");
    byId("finding-mark").hidden = !findings.size;
    byId("other-mark").hidden = !header.cut;
  }

  function showTrail() {
    const path = ancestorsOf(tree, state.zoom);
    const shown = path.length > 9 ? [path[0], -1, ...path.slice(-7)] : path;
    byId("trail").replaceChildren(
      ...shown.map((node) => {
        const entry = element("li");
        if (node < 0) entry.append(`… ${path.length - 8} frames …`);
        else if (node === state.zoom) {
          const current = element("span", nameOf(tree, node));
          current.setAttribute("aria-current", "location");
          entry.append(current);
        } else entry.append(linkButton(nameOf(tree, node), () => zoomTo(node)));
        return entry;
      }),
    );
  }

  function showFindings() {
    const nav = byId("findings");
    nav.hidden = !findings.size;
    const sums = symbolSums(whole);
    const shown = [...findings.values()].slice(0, 12);
    nav.replaceChildren(
      ...shown.map((finding) => {
        const delta = sums.after[finding.symbol] - scaled(sums.before[finding.symbol], ratioOf("none", whole, header.runs));
        const button = element("button");
        button.type = "button";
        button.className = finding.direction;
        button.append(element("b", whole.names[finding.symbol]), element("span", `${finding.severity} · ${meanChange(delta)}`));
        button.addEventListener("click", () => openSymbol(finding.symbol));
        return button;
      }),
    );
  }

  function showChips() {
    const chips = byId("chips");
    chips.hidden = !state.drop.size;
    chips.replaceChildren(
      ...(state.drop.size ? [element("span", "Without stacks through")] : []),
      ...[...state.drop].map((symbol) => {
        const chip = element("button", `${whole.names[symbol]} ×`);
        chip.type = "button";
        chip.setAttribute("aria-label", `Bring back ${whole.names[symbol]}`);
        chip.addEventListener("click", () => {
          state.drop.delete(symbol);
          pivoted(`${whole.names[symbol]} is back`);
        });
        return chip;
      }),
    );
  }

  function pivoted(text) {
    showChips();
    rebuild();
    remember();
    byId("live").textContent = text;
  }

  // ---- search -----------------------------------------------------------------------------------------------

  function find(announce = true) {
    const { matches, problem } = matcherOf(state.q, { regex: state.regex, matchCase: state.case });
    found = matches ? matchingSymbols(tree.names, matches) : null;
    result = found ? searchBelow(tree, found, state.zoom) : null;
    matchAt = -1;
    const summary = !state.q
      ? ""
      : problem ??
        `${result.nodes.length.toLocaleString("en")} ${result.nodes.length === 1 ? "frame matches" : "frames match"}: ${formatShare(result.before)} of before, ${formatShare(result.after)} of after`;
    byId("next").disabled = byId("previous").disabled = !result?.nodes.length;
    let line = byId("matched");
    if (!line) {
      line = element("p");
      line.id = "matched";
      line.className = "matched";
      byId("graph").before(line);
    }
    line.textContent = summary;
    line.hidden = !summary;
    if (announce) {
      byId("live").textContent = summary;
      remember();
    }
    draw();
  }

  function step(direction) {
    const visible = result?.nodes.filter((node) => widths[node] > 0) ?? [];
    if (!visible.length) return;
    matchAt = (matchAt + direction + visible.length + (matchAt < 0 && direction < 0 ? 1 : 0)) % visible.length;
    focusOn(visible[matchAt]);
    byId("live").textContent = `Match ${matchAt + 1} of ${visible.length}: ${sentenceOf(state.focused)}`;
  }

  function focusOn(node) {
    state.focused = node;
    showDetails(node);
    graph.focus({ preventScroll: true });
    reveal(node);
  }

  // ---- table ------------------------------------------------------------------------------------------------

  function fillTable() {
    table = symbolRows(tree, tableRatio);
    showTable();
  }

  function showTable() {
    const note = [];
    if (state.k === "total") note.push("Rated without normalisation: equal totals leave nothing to share out.");
    if (!table.rows.length) note.push("No function has a value.");
    else if (!table.growth) note.push("Both totals are equal: nothing to share out.");
    else if (table.small) note.push("The whole changed too little to share it out.");
    else note.push("Overweight of 100 % grew like the whole; it rises towards the root of the guilty part and stays level below it. Functions with at least 5 % of the whole change stand first.");
    byId("table-note").textContent = note.join(" ");
    byId("symbols").classList.toggle("unrated", table.small);
    byId("columns").replaceChildren(...COLUMNS.map(([key, title]) => headCell(key, title)), spareHead());
    const wanted = state.filter.toLowerCase();
    const rows = sortRows(table.rows, state.sort, state.descending).filter(
      (row) => !wanted || row.name.toLowerCase().includes(wanted) || placeOfSymbol(tree, row.symbol).toLowerCase().includes(wanted),
    );
    byId("rows").replaceChildren(...rows.slice(0, state.rows).map(bodyRow));
    const left = rows.length - state.rows;
    byId("more-rows").hidden = left <= 0;
    byId("more-rows").textContent = `Show ${Math.min(left, ROWS_MORE).toLocaleString("en")} more of ${left.toLocaleString("en")}`;
  }

  function headCell(key, title) {
    const cell = element("th");
    cell.scope = "col";
    const button = element("button", title);
    button.type = "button";
    if (COLUMN_HELP[key]) button.title = COLUMN_HELP[key];
    if (state.sort === key) cell.setAttribute("aria-sort", state.descending ? "descending" : "ascending");
    button.addEventListener("click", () => {
      state.descending = state.sort === key ? !state.descending : key !== "name";
      state.sort = key;
      showTable();
      byId("columns").children[COLUMNS.findIndex(([other]) => other === key)].firstChild.focus();
    });
    cell.append(button);
    return cell;
  }

  function spareHead() {
    const cell = element("th");
    cell.append(element("span", "Drop"));
    cell.firstChild.className = "unseen";
    return cell;
  }

  function bodyRow(row) {
    const line = element("tr");
    const name = element("th");
    name.scope = "row";
    const open = linkButton((findings.has(row.symbol) ? "◆ " : "") + row.name, () => openSymbol(row.symbol));
    open.title = "Show in the graph";
    name.append(open);
    const place = placeOfSymbol(tree, row.symbol);
    if (place) name.append(element("code", place));
    const near = Math.abs(row.delta) <= 1e-12 * Math.max(row.before, row.after);
    const tone = near || !row.delta ? "" : row.delta > 0 === !higher ? "worse" : "better";
    const drop = element("button", "Drop");
    drop.type = "button";
    drop.title = "Leave out every stack through this function, on both sides";
    drop.setAttribute("aria-label", `Leave out stacks through ${row.name}`);
    drop.addEventListener("click", () => {
      state.drop.add(row.symbol);
      pivoted(`Stacks through ${row.name} are left out`);
    });
    const dropCell = element("td");
    dropCell.append(drop);
    const weak = isWorthRating(row) ? "" : "weak";
    line.append(
      name,
      element("td", mean(row.before, runsBefore)),
      element("td", mean(row.after, runsAfter)),
      element("td", near ? mean(0, 1) : meanChange(row.delta), tone),
      element("td", row.state === "both" ? formatSignedShare(near ? 0 : row.relative) : row.state, tone),
      element("td", meanChange(row.selfDelta)),
      element("td", formatShare(row.responsibility), "rating"),
      element("td", formatShare(row.overweight), `rating ${weak}`),
      dropCell,
    );
    return line;
  }

  function openSymbol(symbol) {
    const node = widestOf(tree, symbol);
    if (node < 0) return;
    if (!widths[node]) {
      state.view = "union";
      layOut();
    }
    zoomTo(node);
    graph.focus({ preventScroll: true });
    graph.scrollIntoView({ block: "center" });
  }

  // ---- controls ---------------------------------------------------------------------------------------------

  function makeSegments(id, key, options, help = {}) {
    for (const [value, title] of options) {
      const label = element("label");
      const input = element("input");
      input.type = "radio";
      input.name = key;
      input.value = value;
      if (help[value]) label.title = help[value];
      input.addEventListener("change", () => choose(key, value));
      label.append(input, element("span", title));
      byId(id).append(label);
    }
  }

  function choose(key, value) {
    state[key] = value;
    if (key === "view") layOut();
    else if (key === "k") measure();
    else {
      colour();
      showDetails(state.focused);
      draw();
    }
    showPressed();
    remember();
    if (key === "view") byId("live").textContent = `${VIEW_NAMES[value]}: ${VIEW_HELP[value]}`;
  }

  function showPressed() {
    for (const [id, key] of [["views", "view"], ["norms", "k"], ["bases", "basis"]]) {
      for (const input of byId(id).querySelectorAll("input")) input.checked = input.value === state[key];
    }
    byId("mode").value = state.mode;
    byId("factor-field").hidden = state.k !== "factor";
    byId("flip").setAttribute("aria-pressed", String(state.flip));
    byId("regex").setAttribute("aria-pressed", String(state.regex));
    byId("case").setAttribute("aria-pressed", String(state.case));
    const total = byId("norms").querySelector('[value="total"]');
    const refused = ratioOf("total", tree, header.runs).refused;
    total.disabled = Boolean(refused) && state.k !== "total";
    total.parentElement.title = refused ? `Not possible: ${refused}` : "Scale the before side so that both totals are equal";
  }

  function flip() {
    state.flip = !state.flip;
    graph.scrollTop = state.flip ? byId("spacer").offsetHeight : 0;
    showPressed();
    draw();
    remember();
  }

  function reset() {
    state.q = "";
    byId("query").value = "";
    zoomTo(0);
  }

  function siblingsOf(node) {
    if (node === 0) return [0];
    const above = tree.parent[node];
    const list = [];
    for (let i = above + 1; i < tree.end[above]; i = tree.end[i]) if (widths[i] > 0) list.push(i);
    return list;
  }

  function neighbour(direction) {
    const node = state.focused;
    if (direction === "parent") return tree.parent[node];
    if (direction === "child") {
      let best = -1;
      for (let i = node + 1; i < tree.end[node]; i = tree.end[i]) if (widths[i] > 0 && (best < 0 || widths[i] > widths[best])) best = i;
      return best;
    }
    const siblings = siblingsOf(node);
    return siblings[siblings.indexOf(node) + (direction === "next" ? 1 : -1)] ?? -1;
  }

  function move(direction) {
    const node = neighbour(direction);
    if (node < 0) return;
    if (!inside(node)) zoomTo(node === tree.parent[state.focused] ? node : tree.parent[node]);
    focusOn(node);
  }

  const graphKeys = {
    ArrowLeft: () => move("previous"),
    ArrowRight: () => move("next"),
    ArrowUp: () => move(state.flip ? "child" : "parent"),
    ArrowDown: () => move(state.flip ? "parent" : "child"),
    Home: () => focusOn(state.zoom),
    Enter: () => zoomTo(state.focused),
    " ": () => zoomTo(state.focused),
    Backspace: () => zoomTo(Math.max(tree.parent[state.zoom], 0)),
  };

  const pageKeys = {
    Escape: reset,
    "/": () => byId("query").focus(),
    n: () => step(1),
    N: () => step(-1),
    i: flip,
    t: () => {
      byId("symbols-title").focus();
      byId("symbols").scrollIntoView();
    },
    "?": toggleHelp,
  };

  function toggleHelp() {
    byId("help").hidden = !byId("help").hidden;
    byId("keys").setAttribute("aria-expanded", String(!byId("help").hidden));
  }

  function pressed(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const typing = event.target instanceof HTMLElement && event.target.matches("input:not([type=radio]), select, textarea");
    if (typing) {
      if (event.key === "Escape") graph.focus();
      else if (event.key === "Enter" && event.target.id === "query") step(event.shiftKey ? -1 : 1);
      return;
    }
    const view = VIEWS[Number(event.key) - 1];
    const action = (event.target === graph && graphKeys[event.key]) || pageKeys[event.key] || (view && (() => choose("view", view)));
    if (!action) return;
    event.preventDefault();
    action();
  }

  // ---- address ----------------------------------------------------------------------------------------------

  let written = null;

  function remember() {
    const path = ancestorsOf(whole, state.zoom).slice(1).reverse().slice(0, 4);
    written = makeFragment(
      {
        ...state,
        drop: [...state.drop].map((symbol) => whole.names[symbol]),
        zoom: path.map((node) => pathKey(hashes, node)),
        zoomName: state.zoom ? nameOf(whole, state.zoom) : "",
      },
      defaults,
    );
    try {
      history.replaceState(null, "", written ? `#${written}` : "#");
    } catch {
      // Some places that show artifacts forbid it; the page works without a link.
    }
  }

  function openFragment() {
    if (location.hash.replace(/^#/, "") === written) return;
    const wanted = parseFragment(location.hash);
    for (const key of ["view", "k", "basis", "mode", "factor", "q", "regex", "case", "flip"]) {
      if (key in wanted) state[key] = wanted[key];
      else if (key in defaults) state[key] = defaults[key];
    }
    byId("query").value = state.q;
    byId("factor").value = state.factor;
    state.drop = new Set((wanted.drop ?? []).map((name) => whole.names.indexOf(name)).filter((symbol) => symbol >= 0));
    const nodes = (wanted.zoom ?? []).map((key) => nodeOfKey(hashes, key));
    const known = nodes.findIndex((node) => node >= 0);
    state.zoom = known >= 0 ? nodes[known] : 0;
    showChips();
    rebuild();
    reveal(state.zoom);
    if (nodes.length && known !== 0) say(`${wanted.zoomName || "The linked frame"} is not in this profile; ${known > 0 ? "its nearest known caller is shown" : "the whole graph is shown"}.`);
    if (wanted.frame) {
      const symbol = widestSymbol(wanted.frame);
      if (symbol >= 0) openSymbol(symbol);
      else say(`${wanted.frame} is not in this profile; the whole graph is shown.`);
    }
  }

  // Several functions may share a name: the one with the widest frame is meant.
  function widestSymbol(name) {
    let best = -1;
    let width = -1;
    tree.names.forEach((other, symbol) => {
      if (other !== name) return;
      const node = widestOf(tree, symbol);
      const value = node < 0 ? 0 : Math.max(tree.before[node], tree.after[node]);
      if (value > width) {
        best = symbol;
        width = value;
      }
    });
    return best;
  }

  // ---- wiring -----------------------------------------------------------------------------------------------

  function pointedAt(event) {
    if (!plan) return -1;
    const edge = graph.getBoundingClientRect();
    const x = event.clientX - edge.left - graph.clientLeft;
    const y = event.clientY - edge.top - graph.clientTop + graph.scrollTop;
    const { rowHeight, count, height } = scene;
    const row = state.flip ? Math.floor((Math.max(height, count * rowHeight) - y) / rowHeight) : Math.floor(y / rowHeight);
    return nodeAt(scene, plan, x, row);
  }

  function listen() {
    makeSegments("views", "view", VIEWS.map((view) => [view, VIEW_NAMES[view]]), VIEW_HELP);
    makeSegments("norms", "k", [["none", "None"], ["total", "Total"], ["factor", "Factor"]], {
      none: "Compare the values as they are, for each run",
      factor: "Multiply the before side by a number of yours",
    });
    makeSegments("bases", "basis", [["inclusive", "Inclusive"], ["self", "Self"]], {
      inclusive: "The change of a frame with everything it calls",
      self: "Only the change of the frame's own cost",
    });
    graph.addEventListener("pointermove", (event) => {
      const node = pointedAt(event);
      if (node !== state.hovered) {
        state.hovered = node;
        draw();
      }
      if (node < 0) hideTip();
      else if (event.pointerType === "mouse") showTip(node, event.clientX, event.clientY);
      graph.classList.toggle("over", node >= 0);
    });
    graph.addEventListener("pointerleave", () => {
      state.hovered = -1;
      hideTip();
      draw();
    });
    graph.addEventListener("click", (event) => {
      const node = pointedAt(event);
      if (node >= 0) zoomTo(node);
    });
    graph.addEventListener("scroll", () => {
      hideTip();
      draw();
    });
    graph.addEventListener("focus", draw);
    graph.addEventListener("blur", draw);
    document.addEventListener("keydown", pressed);
    byId("query").addEventListener("input", (event) => {
      state.q = event.target.value;
      find();
    });
    for (const key of ["regex", "case"]) {
      byId(key).addEventListener("click", () => {
        state[key] = !state[key];
        showPressed();
        find();
      });
    }
    byId("next").addEventListener("click", () => step(1));
    byId("previous").addEventListener("click", () => step(-1));
    byId("factor").addEventListener("change", (event) => {
      state.factor = event.target.value;
      measure();
      remember();
    });
    byId("mode").addEventListener("change", (event) => choose("mode", event.target.value));
    byId("flip").addEventListener("click", flip);
    byId("reset").addEventListener("click", reset);
    byId("keys").addEventListener("click", toggleHelp);
    byId("theme").addEventListener("click", () => {
      state.theme = { auto: theme() === "dark" ? "light" : "dark", light: "dark", dark: "light" }[state.theme];
      showTheme();
    });
    preferred.addEventListener("change", showTheme);
    byId("filter").addEventListener("input", (event) => {
      state.filter = event.target.value;
      state.rows = ROWS_AT_FIRST;
      showTable();
    });
    byId("more-rows").addEventListener("click", () => {
      state.rows += ROWS_MORE;
      showTable();
    });
    window.addEventListener("hashchange", openFragment);
    new ResizeObserver(fit).observe(document.querySelector("main"));
  }

  function showTheme() {
    if (state.theme !== "auto") document.documentElement.dataset.theme = state.theme;
    showLegend();
    draw();
  }

  function element(tag, text, className) {
    const made = document.createElement(tag);
    if (text !== undefined) made.textContent = text;
    if (className) made.className = className;
    return made;
  }

  function linkButton(text, action) {
    const button = element("button", text, "link");
    button.type = "button";
    button.addEventListener("click", action);
    return button;
  }

  listen();
  showFindings();
  openFragment();
}

start().catch((error) => {
  const note = document.createElement("p");
  note.className = "message";
  note.textContent = `The interactive graph could not be opened (${error.message}); the static picture is shown instead.`;
  document.querySelector("main").prepend(note);
});
