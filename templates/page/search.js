// Finds symbols by text or regular expression. Shares count only the outermost match in a stack.

export function matcherOf(query, { regex = false, matchCase = false } = {}) {
  if (!query) return { matches: null };
  if (!regex) {
    const text = matchCase ? query : query.toLowerCase();
    return { matches: (name) => (matchCase ? name : name.toLowerCase()).includes(text) };
  }
  try {
    const pattern = new RegExp(query, matchCase ? "u" : "iu");
    return { matches: (name) => pattern.test(name) };
  } catch (error) {
    return { matches: null, problem: `not a pattern: ${error.message}` };
  }
}

export function matchingSymbols(names, matches) {
  const found = new Uint8Array(names.length);
  for (let i = 0; i < names.length; i++) if (matches(names[i])) found[i] = 1;
  return found;
}

// Returns the matching rows below `root`, and their share of `root` on each side.
export function searchBelow(tree, found, root) {
  const nodes = [];
  let before = 0;
  let after = 0;
  let outer = root;
  for (let i = root; i < tree.end[root]; i++) {
    const symbol = tree.symbol[i];
    if (symbol < 0 || !found[symbol] || (tree.before[i] === 0 && tree.after[i] === 0)) continue;
    nodes.push(i);
    if (i < outer) continue;
    before += tree.before[i];
    after += tree.after[i];
    outer = tree.end[i];
  }
  return {
    nodes,
    before: tree.before[root] ? before / tree.before[root] : 0,
    after: tree.after[root] ? after / tree.after[root] : 0,
  };
}
