// Reads a page's header and data from standard input and writes the decoded timelines, and the self values of parts of
// the recording, for the test in Python.
import { base64ToBytes, decodeColumns, inflate } from "../../templates/page/codec.js";
import { decodeTimelines, partOf } from "../../templates/page/timelines.js";
import { makeTree } from "../../templates/page/tree.js";

const parts = [];
for await (const part of process.stdin) parts.push(part);
const { header, data, times, states } = JSON.parse(Buffer.concat(parts).toString("utf8"));
const tree = makeTree(decodeColumns(header, await inflate(base64ToBytes(data))));
const timelines = decodeTimelines(header, await inflate(base64ToBytes(times)), tree);
const sides = timelines.map((side) => side && { ...side, start: [...side.start], cell: [...side.cell], value: [...side.value] });
const own = states.map((state) => partOf(tree, timelines, state)).map(({ beforeSelf, afterSelf }) => [[...beforeSelf], [...afterSelf]]);
process.stdout.write(JSON.stringify({ sides, own }));
