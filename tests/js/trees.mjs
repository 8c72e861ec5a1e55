// Trees for the tests: from folded lines with two values, or random ones from a seed.
import { shapeFromPops } from "../../templates/page/codec.js";
import { makeTree } from "../../templates/page/tree.js";

export function treeOf(lines) {
  const root = { children: new Map(), before: 0, after: 0 };
  for (const [stack, before, after] of lines) {
    let at = root;
    for (const name of stack.split("/")) {
      if (!at.children.has(name)) at.children.set(name, { children: new Map(), before: 0, after: 0 });
      at = at.children.get(name);
    }
    at.before += before;
    at.after += after;
  }
  const rows = [];
  const todo = [["", 0, root]];
  while (todo.length) {
    const [name, depth, node] = todo.pop();
    rows.push({ name, depth, before: node.before, after: node.after });
    const children = [...node.children].sort(([one], [two]) => (one < two ? 1 : -1));
    for (const [child, below] of children) todo.push([child, depth + 1, below]);
  }
  const names = [...new Set(rows.slice(1).map((row) => row.name))].sort();
  const numbers = new Map(names.map((name, number) => [name, number]));
  const pops = rows.map((row, i) => (i ? rows[i - 1].depth + 1 - row.depth : 0));
  return makeTree({
    size: rows.length,
    symbol: Int32Array.from(rows, (row, i) => (i ? numbers.get(row.name) : -2)),
    beforeSelf: Float64Array.from(rows, (row) => row.before),
    afterSelf: Float64Array.from(rows, (row) => row.after),
    hidden: new Int32Array(rows.length),
    names,
    files: [],
    fileOf: new Float64Array(names.length),
    lineOf: new Float64Array(names.length),
    ...shapeFromPops(pops),
  });
}

export function seeded(seed) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

export function randomTree(seed, stacks = 60) {
  const random = seeded(seed);
  const pick = (limit) => Math.floor(random() * limit);
  return treeOf(
    Array.from({ length: stacks }, () => {
      const stack = Array.from({ length: 1 + pick(7) }, () => "abcdef"[pick(6)]).join("/");
      return [stack, pick(4) ? pick(500) : 0, pick(4) ? pick(500) : 0];
    }),
  );
}

export function swapped(tree) {
  return { ...tree, beforeSelf: tree.afterSelf, afterSelf: tree.beforeSelf, before: tree.after, after: tree.before };
}

// The hash of a row's path as text, as links contain it.
export function pathKey(hashes, node) {
  return [hashes.high[node], hashes.low[node]].map((part) => (part >>> 0).toString(16).padStart(8, "0")).join("");
}
