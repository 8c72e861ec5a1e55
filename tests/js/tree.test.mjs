import assert from "node:assert/strict";
import { test } from "node:test";
import { OTHER, ROOT } from "../../templates/page/codec.js";
import { rowsOfSymbol } from "../../templates/page/tree.js";
import { randomTree } from "./trees.mjs";

test("rows of a symbol are complete and in order", () => {
  const tree = randomTree(5, 200);
  for (let symbol = ROOT; symbol < tree.names.length; symbol++) {
    const rows = Array.from(tree.symbol, (other, row) => (other === symbol ? row : -1)).filter((row) => row >= 0);
    assert.deepEqual([...rowsOfSymbol(tree, symbol)], rows);
  }
  assert.deepEqual([...rowsOfSymbol(tree, OTHER)], []);
});
