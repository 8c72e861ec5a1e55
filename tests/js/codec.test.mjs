import assert from "node:assert/strict";
import { test } from "node:test";
import { readSigned, splitColumns } from "../../templates/page/codec.js";

test("signed numbers keep their sign beyond 53 bits", () => {
  assert.deepEqual([...readSigned(Uint8Array.of(0, 1, 2, 3, 255, 0, 0, 0, 0, 1), 5)], [0, -1, 1, -2, -256]);
  const large = readSigned(new Uint8Array(8).fill(255), 1)[0];
  assert.equal(large, -(2 ** 63));
});

test("columns that do not add up are refused", () => {
  assert.throws(() => splitColumns([["a", 2]], Uint8Array.of(1, 2, 3)), /damaged/);
  assert.deepEqual([...splitColumns([["a", 1], ["unknown", 2]], Uint8Array.of(1, 2, 3)).get("unknown")], [2, 3]);
});
