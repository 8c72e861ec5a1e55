// Which rows are coloured, how strongly, and the two palettes.
import { OTHER } from "./codec.js";
import { scaled } from "./views.js";

export const LEVELS = 32;
export const FIRST_LEVEL = 4;
export const CERTAIN = 4;
const NEW_SAMPLES = 16;
const SMALLEST_REFERENCE = 0.001;

export const GATES = { inclusive: 0.001, self: 0.0001 };

// The smallest value of z that no longer looks like chance; NaN where the values are no sample counts.
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

// Levels from -32 (less) to +32 (more), 0 = neutral; the reference belongs to the whole tree, so a colour keeps its meaning.
export function shadesOf(tree, options) {
  const { ratio, normalisation, basis, mode, gate, sample } = options;
  const self = basis === "self";
  const before = self ? tree.beforeSelf : tree.before;
  const after = self ? tree.afterSelf : tree.after;
  const whole = Math.max(tree.after[0], scaled(tree.before[0], ratio));
  const level = new Int8Array(tree.size);
  const passed = [];
  if (!(whole > 0)) return { level, reference: SMALLEST_REFERENCE, coloured: 0, whole: 0 };
  for (let i = 0; i < tree.size; i++) {
    const delta = after[i] - scaled(before[i], ratio);
    if (delta === 0 || Math.abs(delta) < gate * whole || tree.symbol[i] === OTHER) continue;
    if (unsure(before[i], after[i], tree, options) || (sample && few(tree, i, sample))) continue;
    if (Math.abs(delta) <= 1e-12 * whole) continue;
    passed.push(i);
  }
  const sizes = Float64Array.from(passed, (i) => Math.abs(after[i] - scaled(before[i], ratio)) / whole).sort();
  const reference = sizes.length
    ? Math.max(SMALLEST_REFERENCE, sizes[Math.ceil(0.98 * sizes.length) - 1])
    : SMALLEST_REFERENCE;
  for (const i of passed) {
    const old = scaled(before[i], ratio);
    const delta = after[i] - old;
    const strength =
      mode === "relative"
        ? Math.abs(delta) / Math.max(after[i], old)
        : Math.sqrt(Math.min(1, Math.abs(delta) / whole / reference));
    level[i] = Math.sign(delta) * Math.max(FIRST_LEVEL, Math.round(LEVELS * Math.min(1, strength)));
  }
  return { level, reference, coloured: passed.length, whole };
}

function unsure(before, after, tree, { ratio, normalisation, sample }) {
  const z = evidence(before, after, tree.before[0], tree.after[0], ratio, normalisation, sample);
  return Math.abs(z) < CERTAIN;
}

// A new path that the other side would have shown fewer than 16 times proves nothing.
export function few(tree, node, sample) {
  if (!sample || (tree.before[node] > 0 && tree.after[node] > 0)) return false;
  const { before, after } = tree;
  const expected =
    before[node] > 0 ? (before[node] * after[0]) / before[0] : (after[node] * before[0]) / after[0];
  return expected / sample < NEW_SAMPLES;
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

// Fill and label colour for the levels -32..32; entry 32 is neutral.
export function paletteOf(theme, higherIsBetter) {
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
