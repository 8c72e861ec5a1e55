import assert from "node:assert/strict";
import { test } from "node:test";
import { tidy } from "../../templates/page/blueprint_layout.js";
import { randomTree, seeded } from "./trees.mjs";

function children(tree, node) {
  const found = [];
  for (let i = node + 1; i < tree.end[node]; i = tree.end[i]) found.push(i);
  return found;
}

function laidOut(tree, seed) {
  const random = seeded(seed);
  const sizes = Array.from({ length: tree.size }, () => ({ width: 10 + Math.floor(random() * 150), height: 4 + Math.floor(random() * 92) }));
  return tidy(0, (node) => children(tree, node), (node) => sizes[node]);
}

test("no boxes touch, children keep their order, parents are centred above them", () => {
  for (let seed = 1; seed <= 30; seed++) {
    const tree = randomTree(seed, 150);
    const { boxes, width, height } = laidOut(tree, seed);
    assert.equal(boxes.size, tree.size);
    const levels = new Map();
    for (const [node, box] of boxes) {
      assert.ok(box.x - box.width / 2 >= -1e-6 && box.x + box.width / 2 <= width + 1e-6);
      assert.ok(box.y >= 0 && box.y + box.height <= height + 1e-6);
      if (!levels.has(box.depth)) levels.set(box.depth, []);
      levels.get(box.depth).push([node, box]);
      const below = children(tree, node).map((child) => boxes.get(child));
      for (const child of below) assert.ok(child.y >= box.y + box.height);
      if (below.length) assert.ok(Math.abs((below[0].x + below[below.length - 1].x) / 2 - box.x) < 1e-6);
    }
    for (const level of levels.values()) {
      level.sort(([one], [two]) => one - two);
      for (let i = 1; i < level.length; i++) {
        const [, left] = level[i - 1];
        const [, right] = level[i];
        assert.ok(right.x - right.width / 2 - (left.x + left.width / 2) >= 14 - 1e-6, "boxes of one line in preorder");
      }
    }
  }
});

test("a lone box and a chain of twenty thousand have a place", () => {
  const alone = tidy(0, () => [], () => ({ width: 50, height: 20 }));
  assert.deepEqual(alone.boxes.get(0), { x: 25, y: 0, width: 50, height: 20, depth: 0 });
  const chain = tidy(0, (node) => (node < 20_000 ? [node + 1] : []), () => ({ width: 10, height: 4 }));
  assert.equal(chain.boxes.size, 20_001);
  assert.equal(chain.width, 10);
});
