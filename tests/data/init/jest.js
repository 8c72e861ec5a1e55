const tests = [];
globalThis.it = globalThis.test = (title, body) => tests.push([title, body]);
globalThis.jest = { setTimeout() {} };
globalThis.afterAll = (body) => tests.push(["after", body]);
let checks = 0;
globalThis.expect = (value) => ({ toBe(other) { checks++; if (value !== other) throw new Error(value); } });
expect.getState = () => ({ testPath: process.cwd() + "/a.test.js" });
require("./repeated-jest.cjs");
let sums = 0;
test("sums", () => { for (let n = 0; n < 1e5; n++) sums += n; expect(1 + 1).toBe(2); });
test("fails", () => expect(1).toBe(2));
test("takes a callback", (done) => done());
(async () => {
  for (const [title, body] of tests) await Promise.resolve().then(() => body(() => {})).catch(() => {});
  console.log(checks);
})();
