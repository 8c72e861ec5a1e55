// Paints the visible rows of the graph on a canvas as large as the viewport, and finds the box at a point.
import { LEVELS, stateOf } from "./colour.js";
import { SHORTEST, counted, shorten } from "./format.js";
import { isEdited, nameOf, once } from "./tree.js";

const SMALLEST_BOX = 0.5; // pixels
const LEGIBLE = 3; // pixels
const DETAILED = 3; // pixels; narrower boxes have no marks
const CHARACTER = 6.7;
const LABEL_FROM = 3 * CHARACTER + 8;
const NARROW_LETTERS = /^[ -~…▲▼↓◆×]*$/;
const FONT = '11px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace';
const BOLD = `bold ${FONT}`;
export const FAINT = 0.25; // opacity of callers that only carry a finding's cost
export const UNMATCHED = 0.4; // opacity of frames outside of the search, which keep their hue
const FOREIGN = -LEVELS - 1; // in place of the level of a frame outside the repository

export const INKS = {
  light: {
    back: "#ffffff",
    line: "#8f959c",
    sliver: "#c9ced4",
    other: "#dfe2e6",
    mark: "rgba(20,24,28,.5)",
    edge: "#14181c",
    match: "#7a3ff2",
  },
  dark: {
    back: "#1b1e22",
    line: "#747b84",
    sliver: "#4c5259",
    other: "#2b2f34",
    mark: "rgba(255,255,255,.5)",
    edge: "#f2f4f6",
    match: "#c4a5ff",
  },
};

// The boxes of each row from left to right. Boxes narrower than half a pixel are skipped together with everything below
// them; a sliver marks their position. `deepest` is the deepest row with a box, and `legible` the deepest row with a
// box of at least `LEGIBLE` pixels.
export function planOf(scene) {
  const { tree, widths, starts, root, width, rows: rowOf, full = widths[root], folded, sorted = true } = scene;
  const rows = [];
  const scale = full > 0 ? width / full : 0;
  const smallest = SMALLEST_BOX / scale;
  const wide = LEGIBLE / scale;
  const last = tree.end[root];
  let deepest = rowOf[root];
  let legible = rowOf[root];
  const at = (row) => {
    while (rows.length <= row) rows.push({ nodes: [], slivers: [] });
    return rows[row];
  };
  const { end } = tree;
  const start = starts[root];
  for (let i = root; scale && i < last;) {
    const row = rowOf[i];
    const size = widths[i];
    if (size < smallest) {
      if (size > 0) {
        const pixel = Math.floor((starts[i] - start) * scale);
        const { slivers } = at(row);
        if (slivers[slivers.length - 1] !== pixel) slivers.push(pixel);
      }
      i = end[i];
      continue;
    }
    if (row > deepest) deepest = row;
    if (row > legible && size >= wide) legible = row;
    if (i === root || !folded?.(i)) (row < rows.length ? rows[row] : at(row)).nodes.push(i);
    i++;
  }
  if (!sorted) for (const { nodes } of rows) nodes.sort((a, b) => starts[a] - starts[b]);
  for (let i = tree.parent[root]; i >= 0; i = tree.parent[i])
    if (rowOf[i] < rowOf[root] && !folded?.(i)) at(rowOf[i]).nodes.push(i);
  return { rows, scale, firstRow: 0, deepest, legible };
}

// Returns the left edge and the width in pixels. Ancestors of the root fill the row.
export function boxOf(scene, scale, node) {
  const { tree, widths, starts, root, width } = scene;
  if (node < root && tree.end[node] >= tree.end[root]) return [0, width];
  return [(starts[node] - starts[root]) * scale, widths[node] * scale];
}

export function nodeAt(scene, plan, x, row) {
  const nodes = plan.rows[row - plan.firstRow]?.nodes;
  if (!nodes?.length) return -1;
  let low = 0;
  let high = nodes.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (boxOf(scene, plan.scale, nodes[middle])[0] <= x) low = middle;
    else high = middle - 1;
  }
  const [left, size] = boxOf(scene, plan.scale, nodes[low]);
  return x >= left && x < left + size ? nodes[low] : -1;
}

export function paint(canvas, scene, plan) {
  const { theme, width, height, rowHeight } = scene;
  const ratio = window.devicePixelRatio || 1;
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
  }
  const context = canvas.getContext("2d", { alpha: false });
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  const ink = INKS[theme];
  context.fillStyle = ink.back;
  context.fillRect(0, 0, width, height);
  context.font = FONT;
  context.textBaseline = "middle";
  const patterns = once(ink, "patterns", () => ({
    new: dots(context, ink.mark),
    gone: stripes(context, ink.mark, 1),
    other: stripes(context, ink.mark, -1),
  }));
  plan.rows.forEach(({ nodes, slivers }, index) => {
    const y = scene.rowTop(index + plan.firstRow) - scene.offset;
    if (y > height || y + rowHeight < 0) return;
    context.globalAlpha = 1;
    context.fillStyle = ink.sliver;
    for (const [left, right] of runsOf(slivers)) context.fillRect(left, y, right - left, rowHeight - 1);
    paintNarrow(context, scene, plan.scale, nodes, y);
    for (const node of nodes)
      if (!isNarrow(scene, plan.scale, node)) paintBox(context, scene, plan.scale, node, y, ink, patterns);
  });
  context.globalAlpha = 1;
}

// Whether a frame that is not red leads to a red frame.
export function leadsToWorse({ leads, level, worse }, node) {
  return leads[node] === 1 && level[node] * worse <= 0;
}

// Returns the level of a frame, or `FOREIGN` if only frames of the repository have colours and it is no finding.
function levelIn({ tree, shades, outside, findings }, node) {
  const symbol = tree.symbol[node];
  return outside?.[symbol] === 1 && !findings.has(symbol) ? FOREIGN : shades.level[node];
}

// Narrow boxes have no marks and no gaps, so adjacent boxes of one colour are drawn as one rectangle.
function isNarrow({ tree, widths, root }, scale, node) {
  return node >= root && widths[node] * scale < DETAILED && tree.symbol[node] >= 0;
}

// Returns ranges of adjacent pixels, so that only a few rectangles are drawn.
export function runsOf(pixels) {
  const runs = [];
  for (const pixel of pixels) {
    const last = runs[runs.length - 1];
    if (last && last[1] === pixel) last[1] = pixel + 1;
    else runs.push([pixel, pixel + 1]);
  }
  return runs;
}

function paintNarrow(context, scene, scale, nodes, y) {
  const { tree, widths, starts, root, palette, found, rowHeight } = scene;
  let [level, dim, left, right] = [0, false, 0, 0];
  const flush = () => {
    if (right <= left) return;
    context.globalAlpha = dim ? UNMATCHED : 1;
    context.fillStyle = level === FOREIGN ? INKS[scene.theme].other : palette.fills[level + LEVELS];
    context.fillRect(left, y, right - left, rowHeight - 1);
  };
  const matched = [];
  for (const node of nodes) {
    if (!isNarrow(scene, scale, node)) continue;
    const at = (starts[node] - starts[root]) * scale;
    const size = widths[node] * scale;
    const isFound = found !== null && Boolean(found[tree.symbol[node]]);
    if (isFound) matched.push(at, size);
    const faint = found !== null && !isFound;
    const own = levelIn(scene, node);
    if (at - right > 0.01 || own !== level || faint !== dim) {
      flush();
      [level, dim, left] = [own, faint, at];
    }
    right = at + size;
  }
  flush();
  context.globalAlpha = 1;
  context.fillStyle = INKS[scene.theme].match;
  for (let i = 0; i < matched.length; i += 2) context.fillRect(matched[i], y + rowHeight - 4, matched[i + 1], 3);
}

function paintBox(context, scene, scale, node, y, ink, patterns) {
  const { tree, shades, palette, rowHeight, found, root, findings } = scene;
  const [left, size] = boxOf(scene, scale, node);
  const isForeign = levelIn(scene, node) === FOREIGN;
  const shade = shades.level[node] + LEVELS;
  const state = stateOf(tree, node);
  const wide = Math.max(size > 3 ? size - 1 : size, 0.5);
  const tall = rowHeight - 1;
  const matched = found && tree.symbol[node] >= 0 && found[tree.symbol[node]];
  const finding = findings.get(tree.symbol[node]);
  const opacity = found && !matched ? UNMATCHED : 1;
  const faint = (node < root && tree.end[node] >= tree.end[root]) || (shades.carries?.[node] === 1 && !finding);
  const sure = finding?.severity === "severe" || finding?.severity === "degraded";
  const isGrey = isForeign || state === "other";
  const hollow = !isForeign && state === "both" && shade === LEVELS;
  context.globalAlpha = opacity;
  if (hollow) frameBox(context, left, y, wide, tall, ink.line, 1);
  else {
    context.globalAlpha = faint ? opacity * FAINT : opacity;
    context.fillStyle = isGrey ? ink.other : palette.fills[shade];
    context.fillRect(left, y, wide, tall);
    context.globalAlpha = opacity;
  }
  if (state !== "both" && size >= 5) {
    context.fillStyle = patterns[state];
    context.fillRect(left, y, wide, tall);
  }
  const leads = leadsToWorse(shades, node);
  if (leads && !isForeign) {
    context.fillStyle = palette.fills[LEVELS * (1 + shades.worse)];
    context.fillRect(left, y + tall - 2, wide, 2);
  }
  const edited = isEdited(tree.sources?.[tree.symbol[node]]);
  if (edited) {
    context.fillStyle = ink.edge;
    context.fillRect(left, y, Math.min(3, wide / 5), tall);
  }
  if (finding && wide > 2) frameBox(context, left, y, wide, tall, ink.edge, sure ? 2 : 1);
  if (matched) {
    context.fillStyle = ink.match;
    context.fillRect(left, y + tall - 3, wide, 3);
  }
  context.globalAlpha = 1;
  if (size < LABEL_FROM) return;
  const indent = edited || finding ? 7 : 4;
  let glyph = glyphOf(state, shades.level[node], finding, edited, leads);
  const room = Math.floor((size - indent - (finding ? 7 : 4)) / CHARACTER);
  if (finding && room - glyph.length < SHORTEST) glyph = ""; // the name of a finding is more than its marks
  const label = shorten(labelOf(scene, node), room - glyph.length);
  if (!label) return;
  if (state !== "both") {
    context.fillStyle = hollow || faint || opacity < 1 ? ink.back : isGrey ? ink.other : palette.fills[shade];
    context.fillRect(
      left + indent - 2,
      y + 1,
      Math.min((label.length + glyph.length) * CHARACTER + 4, wide - indent),
      tall - 2,
    );
  }
  context.fillStyle = hollow || faint || isGrey || opacity < 1 ? ink.edge : palette.labels[shade];
  if (sure) context.font = BOLD;
  const text = glyph + label;
  // a maximum width makes drawing slow and is needed only for other alphabets, whose letters may be wider than expected
  if (NARROW_LETTERS.test(text)) context.fillText(text, left + indent, y + tall / 2 + 0.5);
  else context.fillText(text, left + indent, y + tall / 2 + 0.5, Math.max(size - indent - 3, 1));
  if (sure) context.font = FONT;
}

// A folded chain is labelled with its first and last frames and the number of frames between them.
function labelOf({ tree, folded }, node) {
  let last = node;
  if (folded) while (last + 1 < tree.end[last] && folded(last + 1)) last += 1;
  const between = last - node - 1;
  if (last === node) return nameOf(tree, node);
  return [nameOf(tree, node), ...(between ? [counted(between, "frame")] : []), nameOf(tree, last)].join(" › ");
}

// Returns the mark of a finding: possible, better, severe or degraded.
export function findingGlyph({ severity, direction }) {
  return severity === "maybe" ? "?" : direction === "better" ? "✓" : severity === "severe" ? "‼" : "!";
}

export function glyphOf(state, level, finding, edited, leads = false) {
  const marks = [];
  if (finding) marks.push(findingGlyph(finding));
  if (edited) marks.push("◆");
  if (state === "new") marks.push("+");
  else if (state === "gone") marks.push("×");
  else if (level) marks.push(level > 0 ? "▲" : "▼");
  if (leads) marks.push("↓");
  return marks.length ? `${marks.join("")} ` : "";
}

function frameBox(context, left, top, width, height, colour, thickness) {
  context.strokeStyle = colour;
  context.lineWidth = thickness;
  context.strokeRect(left + thickness / 2, top + thickness / 2, Math.max(width - thickness, 0), height - thickness);
}

function dots(context, colour) {
  return pattern(context, 6, (tile) => {
    tile.fillStyle = colour;
    tile.fillRect(1, 1, 1.5, 1.5);
    tile.fillRect(4, 4, 1.5, 1.5);
  });
}

function stripes(context, colour, direction) {
  return pattern(context, 8, (tile) => {
    tile.strokeStyle = colour;
    tile.lineWidth = 1;
    tile.beginPath();
    for (const shift of [-8, 0, 8]) {
      tile.moveTo(shift + (direction > 0 ? 0 : 8), 8);
      tile.lineTo(shift + (direction > 0 ? 8 : 0), 0);
    }
    tile.stroke();
  });
}

function pattern(context, size, fill) {
  const tile = document.createElement("canvas");
  tile.width = size;
  tile.height = size;
  fill(tile.getContext("2d"));
  return context.createPattern(tile, "repeat");
}
