const test = require("node:test");
const sum = require("../lib/sum.js");
test("sums", () => { if (!sum(16)) throw new Error(); });
test("needs its context", (t) => t.test("inner", (inner) => inner.assert.equal(sum(14), 377)));
test("fails", () => { throw new Error("failed"); });
