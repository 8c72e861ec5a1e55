// Decodes the columns of the page: base64, one zlib stream, varints in preorder.

export function base64ToBytes(text) {
  const raw = atob(text.trim());
  const bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
  return bytes;
}

export async function inflate(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

// Reads varints as doubles, which are exact up to 2^53. A non-zero value never becomes zero.
export function readVarints(bytes, count) {
  const values = new Float64Array(count);
  let at = 0;
  for (let i = 0; i < count; i++) {
    let byte = bytes[at++];
    let value = byte & 127;
    let scale = 128;
    while (byte > 127) {
      byte = bytes[at++];
      value += (byte & 127) * scale;
      scale *= 128;
    }
    values[i] = value;
  }
  return values;
}

// The lowest bit is the sign. It is read before the value can lose precision.
export function readSignedVarints(bytes, count) {
  const values = new Float64Array(count);
  let at = 0;
  for (let i = 0; i < count; i++) {
    let byte = bytes[at++];
    const negative = byte & 1;
    let value = (byte & 127) >> 1;
    let scale = 64;
    while (byte > 127) {
      byte = bytes[at++];
      value += (byte & 127) * scale;
      scale *= 128;
    }
    values[i] = negative ? -value - 1 : value;
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

export function decodeColumns(header, bytes) {
  const size = header.nodes;
  const parts = splitColumns(header.columns, bytes);
  const text = (name) => JSON.parse(new TextDecoder().decode(parts.get(name)));
  const names = text("names");
  const beforeSelf = readVarints(parts.get("before"), size);
  let afterSelf;
  if (parts.has("after")) {
    afterSelf = readVarints(parts.get("after"), size);
  } else {
    afterSelf = readSignedVarints(parts.get("change"), size);
    for (let i = 0; i < size; i++) afterSelf[i] += beforeSelf[i];
  }
  const symbol = Int32Array.from(readVarints(parts.get("name"), size), (value) => value - 2);
  const hidden = new Int32Array(size);
  let cuts = 0;
  for (let i = 0; i < size; i++) if (symbol[i] === OTHER) cuts++;
  const counts = readVarints(parts.get("other"), cuts);
  for (let i = 0, next = 0; i < size; i++) if (symbol[i] === OTHER) hidden[i] = counts[next++];
  return {
    size,
    symbol,
    beforeSelf,
    afterSelf,
    hidden,
    names,
    files: text("files"),
    fileOf: readVarints(parts.get("file"), names.length),
    lineOf: readVarints(parts.get("line"), names.length),
    ...optionalColumns(header, parts, size, names.length),
    ...shapeFromPops(readVarints(parts.get("pops"), size)),
  };
}

// Columns that only some profiles have. A missing column is null, never zero.
function optionalColumns(header, parts, size, symbols) {
  const has = (name) => parts.has(name);
  const text = (name) => (has(name) ? JSON.parse(new TextDecoder().decode(parts.get(name))) : []);
  const callsBefore = has("calls") ? readVarints(parts.get("calls"), size) : null;
  const callsAfter = callsBefore && readSignedVarints(parts.get("calls_change"), size);
  for (let i = 0; callsAfter && i < size; i++) callsAfter[i] += callsBefore[i];
  const states = header.source_states ?? ["unknown"];
  const codes = has("source") ? readVarints(parts.get("source"), symbols) : null;
  return {
    callsBefore,
    callsAfter,
    evidence: has("evidence") ? readBits(parts.get("evidence"), size) : null,
    evidenceSelf: has("evidence_self") ? readBits(parts.get("evidence_self"), size) : null,
    // the exact inclusive values of each symbol if the tree is estimated
    totalBefore: has("total_before") ? readVarints(parts.get("total_before"), symbols) : null,
    totalAfter: has("total_after") ? readVarints(parts.get("total_after"), symbols) : null,
    outside: has("outside") ? readVarints(parts.get("outside"), symbols) : null,
    sources: codes && Array.from(codes, (code) => states[code] ?? "unknown"),
    formers: text("formers"),
    formerOf: has("former") ? readVarints(parts.get("former"), symbols) : null,
    links: text("links"),
    linkOf: has("link") ? readVarints(parts.get("link"), symbols) : null,
    lineCosts: new Map(text("lines").map((lines) => [lines.symbol, lines])),
    singleRuns: has("single_runs") ? text("single_runs")[0] : null,
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
