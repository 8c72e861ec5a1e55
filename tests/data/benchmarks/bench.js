import { bench, describe } from "vitest";
describe("parse", () => {
  bench("small", () => {
    parse(small);
  });
  bench("large", () => {
    parse(large);
  });
});
