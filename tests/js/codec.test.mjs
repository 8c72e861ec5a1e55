import assert from "node:assert/strict";
import { test } from "node:test";
import { deflateSync } from "node:zlib";
import { base64ToBytes, inflate, readSignedVarints, readVarints, shapeFromPops, splitColumns } from "../../templates/page/codec.js";

test("varints of every length come back", () => {
  const bytes = Uint8Array.of(0, 127, 128, 1, 255, 255, 255, 255, 255, 255, 255, 15);
  assert.deepEqual([...readVarints(bytes, 4)], [0, 127, 128, 2 ** 53 - 1]);
});

test("signed varints keep their sign beyond 53 bits", () => {
  assert.deepEqual([...readSignedVarints(Uint8Array.of(0, 1, 2, 3, 255, 1), 5)], [0, -1, 1, -2, -128]);
  const large = readSignedVarints(Uint8Array.of(...Array(9).fill(255), 1), 1)[0];
  assert.equal(large, -(2 ** 63));
});

test("the stream comes back through base64 and deflate", async () => {
  const content = Uint8Array.from({ length: 3000 }, (_, i) => i % 251);
  const text = `\n${deflateSync(content).toString("base64")}\n`;
  assert.deepEqual(await inflate(base64ToBytes(text)), content);
});

test("pops give parents, depths and ends", () => {
  const { parent, depth, end } = shapeFromPops([0, 0, 0, 1, 2]);
  assert.deepEqual([...parent], [-1, 0, 1, 1, 0]);
  assert.deepEqual([...depth], [0, 1, 2, 2, 1]);
  assert.deepEqual([...end], [5, 4, 3, 4, 5]);
});

test("columns that do not add up are refused", () => {
  assert.throws(() => splitColumns([["a", 2]], Uint8Array.of(1, 2, 3)), /damaged/);
  assert.deepEqual([...splitColumns([["a", 1], ["unknown", 2]], Uint8Array.of(1, 2, 3)).get("unknown")], [2, 3]);
});
