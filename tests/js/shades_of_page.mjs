// Reads pages and colour options from standard input and writes the level of every row, for the test in Python.
import { base64ToBytes, decodeColumns, inflate } from "../../templates/page/codec.js";
import { shadesOf } from "../../templates/page/colour.js";
import { makeTree } from "../../templates/page/tree.js";
import { ratioOf } from "../../templates/page/views.js";

const parts = [];
for await (const part of process.stdin) parts.push(part);
const levels = [];
for (const { header, data, options } of JSON.parse(Buffer.concat(parts).toString("utf8"))) {
  const tree = makeTree(decodeColumns(header, await inflate(base64ToBytes(data))));
  const ratio = ratioOf(options.normalisation, tree, header.runs, "1");
  const sample = header.sample_value ? header.sample_value / header.g : null;
  const repeats = options.normalisation === "none"; // they were tested for values as they were recorded
  levels.push([...shadesOf(tree, { ...options, ratio, sample, repeats }).level]);
}
process.stdout.write(JSON.stringify(levels));
