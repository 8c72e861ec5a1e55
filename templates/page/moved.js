// Finds cost that only moved: a function has other callers than before, but costs about the same in total.
import { ROOT } from "./codec.js";
import { CERTAIN, evidence, levelOfChange } from "./colour.js";
import { symbolSums } from "./symbols.js";
import { scaled } from "./views.js";

const ABOUT_EQUAL = 0.1; // largest relative difference
const COMPARABLE = 0.5; // largest relative difference that chance may explain

// Returns shades in which a call path of one side has the colour of the cost that did not move to or from another
// caller. `moved` marks the paths that became neutral. The moved functions are those of the tree `whole`, from which
// `tree` may have been merged.
export function withoutMoved(tree, shades, options, whole = tree) {
  const isMoved = movedSymbols(whole, options);
  if (!isMoved.includes(1)) return { ...shades, moved: null };
  const level = shades.level.slice();
  const moved = new Uint8Array(tree.size);
  const covered = new Float64Array(tree.size); // the part of a path's cost that belongs to moved functions
  const owner = tree.up ? startsOfPaths(tree) : tree.symbol;
  for (let i = tree.size - 1; i > 0; i--) {
    const symbol = owner[i];
    const before = tree.before[i];
    const after = tree.after[i];
    if (before && after) continue;
    if (symbol >= 0 && isMoved[symbol]) covered[i] = before + after;
    covered[tree.parent[i]] += covered[i];
    if (!level[i] || !covered[i]) continue;
    if (options.basis === "self" && !isMoved[symbol]) continue;
    const left = options.basis === "self" ? 0 : before + after - covered[i];
    level[i] = levelOfChange(tree, shades, before ? [left, 0] : [0, left], options);
    moved[i] = Number(!level[i]);
  }
  return { ...shades, level, moved };
}

// Returns the function whose cost each row of callers shows: the first one of its path.
function startsOfPaths(tree) {
  const owner = tree.symbol.slice();
  for (let i = 1; i < tree.size; i++) if (tree.symbol[tree.parent[i]] !== ROOT) owner[i] = owner[tree.parent[i]];
  return owner;
}

// Marks the functions that have both new and gone call paths, and about the same cost on both sides.
function movedSymbols(tree, { ratio, normalisation, sample }) {
  const sums = symbolSums(tree);
  const states = new Uint8Array(tree.names.length); // 1: has a new path, 2: has a gone path
  for (let i = 1; i < tree.size; i++) {
    const symbol = tree.symbol[i];
    if (symbol >= 0 && !tree.before[i]) states[symbol] |= 1;
    if (symbol >= 0 && !tree.after[i]) states[symbol] |= 2;
  }
  return states.map((state, symbol) => {
    if (state !== 3) return 0;
    const before = sums.before[symbol];
    const after = sums.after[symbol];
    const old = scaled(before, ratio);
    const apart = Math.abs(after - old) / Math.max(after, old);
    if (apart <= ABOUT_EQUAL) return 1;
    const z = evidence(before, after, tree.totals[0], tree.totals[1], ratio, normalisation, sample);
    return apart <= COMPARABLE && Math.abs(z) < CERTAIN ? 1 : 0;
  });
}
