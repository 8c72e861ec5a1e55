import { describe, it } from "node:test";
import sum from "../lib/sum.js";
describe("more", () => { it("waits for a result", async () => { sum(14); }); });
