// The parser imports JSON as bundlers do; node wants to be told so.
import { readFile } from "node:fs/promises";

export async function load(url, context, next) {
  if (!url.endsWith(".json")) return next(url, context);
  return { format: "module", shortCircuit: true, source: `export default ${await readFile(new URL(url), "utf8")}` };
}
