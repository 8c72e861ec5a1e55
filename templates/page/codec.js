// Decodes the columns of the page: numbers in preorder.

// Reads the lowest bytes of all numbers, then the next bytes, as doubles, which are exact up to 2^53.
export function readNumbers(bytes, count) {
  const values = new Float64Array(count);
  for (let at = 0, scale = 1; at < bytes.length; at += count, scale *= 256)
    for (let i = 0; i < count; i++) values[i] += bytes[at + i] * scale;
  return values;
}

// The lowest bit is the sign. It is read before the value can lose precision.
export function readSigned(bytes, count) {
  const values = readNumbers(bytes.subarray(count), count);
  for (let i = 0; i < count; i++) {
    values[i] = values[i] * 128 + (bytes[i] >> 1);
    if (bytes[i] & 1) values[i] = -values[i] - 1;
  }
  return values;
}

function readBits(bytes, count) {
  const bits = new Uint8Array(count);
  for (let i = 0; i < count; i++) bits[i] = (bytes[i >> 3] >> (i & 7)) & 1;
  return bits;
}

// Splits the stream by the table in the header. Unknown columns are ignored.
export function splitColumns(table, bytes) {
  const parts = new Map();
  let at = 0;
  for (const [name, length] of table) {
    parts.set(name, bytes.subarray(at, at + length));
    at += length;
  }
  if (at !== bytes.length) throw new Error("the data of this page is damaged: its columns do not add up");
  return parts;
}

// A missing column is null, never zero.
export function decodeColumns(header, bytes) {
  const size = header.nodes;
  const parts = splitColumns(header.columns, bytes);
  const read = (name, count, reader = /** @type {any} */ (readNumbers)) =>
    parts.has(name) ? reader(parts.get(name), count) : null;
  const text = (name) => read(name, 0, (part) => JSON.parse(new TextDecoder().decode(part))) ?? [];
  const names = text("names");
  // a name lacks the characters that it shares with the name before
  read("shared", names.length).forEach((length, i) => (names[i] = (names[i - 1] ?? "").slice(0, length) + names[i]));
  const symbols = names.length;
  const { parent, depth, end } = shapeFromPops(read("pops", size));
  const rows = [[], []];
  for (let i = 0; i < size; i++) rows[Number(end[i] > i + 1)].push(i);
  const order = rows.flat();
  const inner = rows[1].length;
  // values of the rows without children come first
  const arranged = (values) => {
    const found = new Float64Array(size);
    order.forEach((row, i) => (found[row] = values[i]));
    return found;
  };
  // a difference is stored instead of the second column
  const add = (values, changes) => values && changes && values.map((value, i) => value + changes[i]);
  const before = read("before", size);
  const first = read("first", inner);
  const next = read("next", size - 1 - inner, readSigned);
  const cut = [];
  const symbol = new Int32Array(size).fill(ROOT);
  const hidden = new Int32Array(size);
  const last = new Int32Array(size); // symbol of the last child so far
  for (let i = 1, at = 0; i < size; i++) {
    const step = next[i - 1 - at];
    // the number of a first child, or the difference to the sibling before, which is 0 for OTHER
    symbol[i] = parent[i] === i - 1 ? first[at++] - 2 : step ? last[parent[i]] + step : OTHER;
    last[parent[i]] = symbol[i];
    if (symbol[i] === OTHER) cut.push(i);
  }
  read("other", cut.length).forEach((count, i) => (hidden[cut[i]] = count));
  const callsBefore = read("calls", size);
  const states = header.source_states ?? ["unknown"];
  const codes = read("source", symbols);
  return {
    size,
    symbol,
    beforeSelf: arranged(before),
    afterSelf: arranged(read("after", size) ?? add(before, read("change", size, readSigned))),
    hidden,
    names,
    parent,
    depth,
    end,
    files: text("files"),
    fileOf: read("file", symbols),
    lineOf: read("line", symbols),
    callsBefore,
    callsAfter: add(callsBefore, read("calls_change", size, readSigned)),
    evidence: read("evidence", size, readBits),
    evidenceSelf: read("evidence_self", size, readBits),
    // the exact inclusive values of each symbol if the tree is estimated
    totalBefore: read("total_before", symbols),
    totalAfter: read("total_after", symbols),
    outside: read("outside", symbols),
    sources: codes && Array.from(codes, (code) => states[code] ?? "unknown"),
    formers: text("formers"),
    formerOf: read("former", symbols),
    links: text("links"),
    linkOf: read("link", symbols),
    lineCosts: new Map(text("lines").map((lines) => [lines.symbol, lines])),
    singleRuns: text("single_runs")[0] ?? null,
    sourceDiffs: new Map(text("sources").map((source) => [source.symbol, source])),
  };
}

export const ROOT = -2;
export const OTHER = -1;

// Computes depth, parent and end (the index after the subtree) from the number of levels that end before each row.
export function shapeFromPops(pops) {
  const size = pops.length;
  const parent = new Int32Array(size);
  const depth = new Int32Array(size);
  const end = new Int32Array(size).fill(size);
  parent[0] = -1;
  let open = 0;
  for (let i = 1; i < size; i++) {
    for (let closed = pops[i]; closed > 0; closed--) {
      end[open] = i;
      open = parent[open];
    }
    parent[i] = open;
    depth[i] = depth[open] + 1;
    open = i;
  }
  return { parent, depth, end };
}
