// The colour level of each row, and the two palettes.
import { OTHER } from "./codec.js";
import { once, rowsOfSymbol } from "./tree.js";
import { scaled } from "./views.js";

export const LEVELS = 32;
export const FIRST_LEVEL = 4;
export const CERTAIN = 4;
const NEW_SAMPLES = 16;
export const MERGED = 2; // in place of the result of a test: the row is the sum of rows that were tested one by one
const SMALLEST_REFERENCE = 0.001;

export const GATES = { inclusive: 0.001, self: 0.0001 };

// Returns the z value of a change, or NaN if the values are not sample counts.
export function evidence(before, after, beforeTotal, afterTotal, ratio, normalisation, sample) {
  if (!sample) return Number.NaN;
  const nb = before / sample;
  const na = after / sample;
  if (normalisation === "total") {
    const allBefore = beforeTotal / sample;
    const allAfter = afterTotal / sample;
    const p = (na + nb) / (allAfter + allBefore);
    const spread = Math.sqrt(p * (1 - p) * (1 / allAfter + 1 / allBefore));
    return spread > 0 ? (na / allAfter - nb / allBefore) / spread : 0;
  }
  const k = ratio.num / ratio.den;
  const spread = Math.sqrt(na + k * k * nb);
  return spread > 0 ? (na - k * nb) / spread : 0;
}

// Computes the colour scale of a page and the level of every row, from -32 (less) to +32 (more); 0 is neutral.
//
// `gate` is a share of the whole; `chance` keeps insignificant changes neutral, except those of a finding, and with
// `related`, rows that it does not mark; `fixed` uses the reference of another tree instead of the 98th percentile of
// the coloured changes. The reference depends on the whole tree, not on the zoom, so a colour has one meaning per page.
export function shadesOf(tree, options) {
  const { ratio, basis, gate, sample, chance = true, fixed, isFound, related } = options;
  const self = basis === "self";
  const before = self ? tree.beforeSelf : tree.before;
  const after = self ? tree.afterSelf : tree.after;
  const whole = Math.max(tree.totals[1], scaled(tree.totals[0], ratio));
  const level = new Int8Array(tree.size);
  if (!(whole > 0)) return { level, reference: SMALLEST_REFERENCE, coloured: 0, whole: 0 };
  const change = new Float64Array(tree.size);
  const sizes = new Float64Array(tree.size);
  let coloured = 0;
  const { num, den } = ratio;
  const certain = chance ? certainty(tree, options) : null;
  for (let i = 0; i < tree.size; i++) {
    const delta = after[i] - (before[i] * num) / den;
    const size = Math.abs(delta) / whole;
    if (delta === 0 || size < gate || size <= 1e-12 || tree.symbol[i] === OTHER) continue;
    if (chance && !isFound?.(tree.symbol[i], delta)) {
      if (related && !(certain && related[i])) continue;
      if (certain && (!certain(before[i], after[i], i) || (sample && few(tree, i, sample)))) continue;
    }
    change[i] = delta;
    sizes[coloured++] = size;
  }
  const reference = fixed ?? referenceOf(sizes.subarray(0, coloured));
  const scale = { level, reference, coloured, whole };
  for (let i = 0; i < tree.size; i++) if (change[i] !== 0) level[i] = levelOn(scale, change[i]);
  return scale;
}

function levelOn({ reference, whole }, delta) {
  // the square root keeps small changes visible
  const strength = Math.sqrt(Math.abs(delta) / whole / reference);
  return Math.sign(delta) * Math.max(FIRST_LEVEL, Math.round(LEVELS * Math.min(1, strength)));
}

// Returns the level of any change on a tree's scale. The significance is tested by z unless `passed` is known.
export function levelOfChange(
  tree,
  scale,
  [before, after],
  { ratio, normalisation, gate, sample, chance = true, passed = null },
) {
  const old = scaled(before, ratio);
  const size = Math.abs(after - old) / scale.whole;
  if (!(size >= gate) || size <= 1e-12 || (chance && passed === false)) return 0;
  if (chance && sample) {
    const z = evidence(before, after, tree.totals[0], tree.totals[1], ratio, normalisation, sample);
    if ((passed === null && Math.abs(z) < CERTAIN) || fewOf(before, after, tree.totals, sample)) return 0;
  }
  return levelOn(scale, after - old);
}

function referenceOf(sizes) {
  if (!sizes.length) return SMALLEST_REFERENCE;
  const sorted = sizes.slice().sort();
  return Math.max(SMALLEST_REFERENCE, sorted[Math.ceil(0.98 * sorted.length) - 1]);
}

// Returns whether a change is significant by the test of repeated runs or, if that does not apply to this scale, by z.
function certainty(tree, { ratio, normalisation, basis, sample, repeats }) {
  const bits = repeats ? (basis === "self" ? tree.evidenceSelf : tree.evidence) : null;
  if (!bits && !sample) return null;
  const byChance = (before, after) =>
    !sample ||
    Math.abs(evidence(before, after, tree.totals[0], tree.totals[1], ratio, normalisation, sample)) >= CERTAIN;
  return bits
    ? (before, after, node) => (bits[node] === MERGED ? byChance(before, after) : bits[node] === 1)
    : byChance;
}

// A new path is not significant if fewer than 16 samples of it are expected on the other side.
export function few(tree, node, sample) {
  return fewOf(tree.before[node], tree.after[node], tree.totals, sample);
}

function fewOf(before, after, totals, sample) {
  if (!sample || (before > 0 && after > 0)) return false;
  const expected = before > 0 ? (before * totals[1]) / totals[0] : (after * totals[0]) / totals[1];
  return expected / sample < NEW_SAMPLES;
}

// Marks the rows of findings, and all rows above and below them. The report found no change in any other function.
export function relatedTo(tree, findings) {
  const marks = new Uint8Array(tree.size);
  for (const symbol of findings.keys())
    for (const row of rowsOfSymbol(tree, symbol)) if (!marks[row]) marks.fill(1, row, tree.end[row]);
  for (let i = tree.size - 1; i > 0; i--) if (marks[i]) marks[tree.parent[i]] = 1;
  return marks;
}

// Marks the rows above a row that costs more (or less, if higher values are better), so that these rows can be found
// even if they have no colour of their own.
export function leadingTo(tree, marked) {
  const leads = new Uint8Array(tree.size);
  for (let i = tree.size - 1; i > 0; i--) if (leads[i] || marked(i)) leads[tree.parent[i]] = 1;
  return leads;
}

// Marks the rows that cost more only because of a finding below them.
export function carriersOf(tree, level, findings) {
  const carries = new Uint8Array(tree.size);
  for (let i = tree.size - 1; i > 0; i--) {
    const above = tree.parent[i];
    if (level[i] * level[above] > 0 && (carries[i] || findings.has(tree.symbol[i]))) carries[above] = 1;
  }
  return carries;
}

export function stateOf(tree, node) {
  if (tree.symbol[node] === OTHER) return "other";
  if (tree.before[node] === 0 && tree.after[node] > 0) return "new";
  if (tree.after[node] === 0 && tree.before[node] > 0) return "gone";
  return "both";
}

const ENDS = {
  light: { less: [0x21, 0x66, 0xac], none: [0xf4, 0xf4, 0xf4], more: [0xb2, 0x18, 0x2b] },
  dark: { less: [0x43, 0x93, 0xc3], none: [0x3a, 0x3d, 0x42], more: [0xd6, 0x60, 0x4d] },
};

// Fill and label colours for the levels -32..32; entry 32 is neutral.
export function paletteOf(theme, higherIsBetter) {
  return once(ENDS[theme], higherIsBetter, () => makePalette(theme, higherIsBetter));
}

function makePalette(theme, higherIsBetter) {
  const { less, none, more } = ENDS[theme];
  const fills = [];
  const labels = [];
  for (let level = -LEVELS; level <= LEVELS; level++) {
    const goal = level < 0 === !higherIsBetter ? less : more;
    const part = Math.abs(level) / LEVELS;
    const rgb = none.map((from, channel) => Math.round(from + (goal[channel] - from) * part));
    fills.push(`rgb(${rgb.join(",")})`);
    labels.push(labelOn(rgb));
  }
  return { fills, labels };
}

export function labelOn(rgb) {
  const light = luminance(rgb);
  return 1.05 / (light + 0.05) > (light + 0.05) / 0.05 ? "#fff" : "#000";
}

export function luminance(rgb) {
  const [red, green, blue] = rgb.map((value) => {
    const part = value / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
