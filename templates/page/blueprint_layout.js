// Tidy tree layout in linear time: Buchheim, Jünger and Leipert, "Improving Walker's algorithm to run in linear time"
// (2002), for boxes of different widths, without recursion. The tallest box of a depth sets the height of its row.

const GAP_BESIDE = 14;
const GAP_BELOW = 34;

// `childrenOf(node)` returns the children in order; `sizeOf(node)` returns {width, height}.
// Returns the left and top positions of each box and the size of the whole layout.
export function tidy(rootNode, childrenOf, sizeOf) {
  const order = [];
  const root = vertex(rootNode, null, 0, 0, sizeOf);
  const stack = [root];
  while (stack.length) {
    const at = stack.pop();
    order.push(at);
    at.children = childrenOf(at.node).map((child, index) => vertex(child, at, index, at.depth + 1, sizeOf));
    for (let i = at.children.length - 1; i >= 0; i--) stack.push(at.children[i]);
  }
  for (const at of postorder(root)) firstWalk(at);
  for (const at of order) {
    at.x = at.prelim + (at.parent ? at.parent.passed : 0);
    at.passed = (at.parent ? at.parent.passed : 0) + at.mod;
  }
  return placed(order);
}

function vertex(node, parent, number, depth, sizeOf) {
  const { width, height } = sizeOf(node);
  const made = {
    node,
    parent,
    number,
    depth,
    width,
    height,
    children: [],
    thread: null,
    prelim: 0,
    mod: 0,
    change: 0,
    shift: 0,
    passed: 0,
    x: 0,
  };
  made.ancestor = made;
  return made;
}

function postorder(root) {
  const out = [];
  const stack = [root];
  while (stack.length) {
    const at = stack.pop();
    out.push(at);
    for (const child of at.children) stack.push(child);
  }
  return out.reverse();
}

// All children are placed before their parent, from left to right, so this separates them in order.
function firstWalk(parent) {
  const { children } = parent;
  if (!children.length) return;
  let fallback = children[0];
  for (const child of children) {
    const left = child.number ? children[child.number - 1] : null;
    const middle = child.children.length
      ? (child.children[0].prelim + child.children[child.children.length - 1].prelim) / 2
      : 0;
    if (left) {
      child.prelim = left.prelim + apart(left, child);
      child.mod = child.children.length ? child.prelim - middle : 0;
    } else {
      child.prelim = middle;
      child.mod = 0;
    }
    fallback = apportion(child, left, fallback);
  }
  executeShifts(parent);
  if (!parent.parent) parent.prelim = (children[0].prelim + children[children.length - 1].prelim) / 2;
}

function apart(left, right) {
  return (left.width + right.width) / 2 + GAP_BESIDE;
}

function apportion(at, left, fallback) {
  if (!left) return fallback;
  let insideRight = at;
  let outsideRight = at;
  let insideLeft = left;
  let outsideLeft = at.parent.children[0];
  let sumInsideRight = insideRight.mod;
  let sumOutsideRight = outsideRight.mod;
  let sumInsideLeft = insideLeft.mod;
  let sumOutsideLeft = outsideLeft.mod;
  while (nextRight(insideLeft) && nextLeft(insideRight)) {
    insideLeft = nextRight(insideLeft);
    insideRight = nextLeft(insideRight);
    outsideLeft = nextLeft(outsideLeft);
    outsideRight = nextRight(outsideRight);
    outsideRight.ancestor = at;
    const shift =
      insideLeft.prelim + sumInsideLeft + apart(insideLeft, insideRight) - (insideRight.prelim + sumInsideRight);
    if (shift > 0) {
      moveSubtree(insideLeft.ancestor.parent === at.parent ? insideLeft.ancestor : fallback, at, shift);
      sumInsideRight += shift;
      sumOutsideRight += shift;
    }
    sumInsideLeft += insideLeft.mod;
    sumInsideRight += insideRight.mod;
    sumOutsideLeft += outsideLeft.mod;
    sumOutsideRight += outsideRight.mod;
  }
  if (nextRight(insideLeft) && !nextRight(outsideRight)) {
    outsideRight.thread = nextRight(insideLeft);
    outsideRight.mod += sumInsideLeft - sumOutsideRight;
  }
  if (nextLeft(insideRight) && !nextLeft(outsideLeft)) {
    outsideLeft.thread = nextLeft(insideRight);
    outsideLeft.mod += sumInsideRight - sumOutsideLeft;
    return at;
  }
  return fallback;
}

function nextLeft(at) {
  return at.children.length ? at.children[0] : at.thread;
}

function nextRight(at) {
  return at.children.length ? at.children[at.children.length - 1] : at.thread;
}

function moveSubtree(from, to, shift) {
  const between = to.number - from.number;
  to.change -= shift / between;
  to.shift += shift;
  from.change += shift / between;
  to.prelim += shift;
  to.mod += shift;
}

function executeShifts(parent) {
  let shift = 0;
  let change = 0;
  for (let i = parent.children.length - 1; i >= 0; i--) {
    const child = parent.children[i];
    child.prelim += shift;
    child.mod += shift;
    change += child.change;
    shift += child.shift + change;
  }
}

function placed(order) {
  const deepest = Math.max(...order.map((at) => at.depth));
  const heights = new Array(deepest + 1).fill(0);
  for (const at of order) heights[at.depth] = Math.max(heights[at.depth], at.height);
  const tops = [0];
  for (let depth = 0; depth < deepest; depth++) tops.push(tops[depth] + heights[depth] + GAP_BELOW);
  let left = Number.POSITIVE_INFINITY;
  let right = Number.NEGATIVE_INFINITY;
  for (const at of order) {
    left = Math.min(left, at.x - at.width / 2);
    right = Math.max(right, at.x + at.width / 2);
  }
  const boxes = new Map(
    order.map((at) => [
      at.node,
      { x: at.x - left, y: tops[at.depth], width: at.width, height: at.height, depth: at.depth },
    ]),
  );
  return { boxes, width: right - left, height: tops[deepest] + heights[deepest] };
}
