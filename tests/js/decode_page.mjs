// Reads a page's header and data from standard input and writes the decoded columns, for the test in Python.
import { decodeColumns } from "../../templates/page/codec.js";
import { inflate, textToBytes } from "../../templates/page/packed.js";

const parts = [];
for await (const part of process.stdin) parts.push(part);
const { header, data } = JSON.parse(Buffer.concat(parts).toString("utf8"));
const columns = decodeColumns(header, await inflate(textToBytes(data)));
const plain = (value) => (ArrayBuffer.isView(value) ? [...value] : value instanceof Map ? [...value] : value);
process.stdout.write(JSON.stringify(Object.fromEntries(Object.entries(columns).map(([key, value]) => [key, plain(value)]))));
