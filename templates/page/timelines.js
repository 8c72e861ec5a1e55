// The values of the rows by thread and time: decodes them, and reduces the tree to a part of the recording. The state
// of
// the page contains the chosen part of each side as strings, so that a link remains valid for a similar profile:
//
//   timeBefore, timeAfter        seconds since the start of the recording, such as "1.2-3.4", or "" for all times
//   threadsBefore, threadsAfter  names of threads, separated by line breaks, or "" for all threads
//
// Pages of profiles without times do not contain this module and activity.js. Other modules use these two modules only
// if `page.timelines` exists.
import { readVarints } from "./codec.js";
import { makeTree } from "./tree.js";

export const SIDES = ["Before", "After"];
const MOST_BINS = 128; // the number of a cell is thread * MOST_BINS + bin
const SECOND = 1e9; // nanoseconds
const DIGITS = 6; // number of digits of the seconds in a link

// Returns the timelines of both sides, or null for a side without times. `start` contains the first entry of each row,
// `cell` and `value` the entries, and `bins` the number of bins, each `width` nanoseconds long.
export function decodeTimelines(header, bytes, tree) {
  let at = 0;
  const parts = header.timelines.columns.map((length) => bytes.subarray(at, (at += length)));
  return header.timelines.sides.map((side, index) => {
    if (!side) return null;
    const [counts, cells, values] = parts.splice(0, 3);
    return decodeSide(
      side,
      tree.size,
      index ? tree.afterSelf : tree.beforeSelf,
      [counts, cells, values],
      side.g / header.g,
    );
  });
}

function decodeSide({ span, scale, entries, threads }, size, own, [counts, cells, values], unit) {
  let rows = 0;
  for (let i = 0; i < size; i++) if (own[i] > 0) rows++;
  const count = readVarints(counts, rows);
  const value = readVarints(values, entries - rows);
  const cell = readVarints(cells, entries);
  const width = 2 ** scale;
  const side = {
    span,
    width,
    bins: Math.floor(span / width) + 1,
    threads: distinctNames(threads),
    start: new Int32Array(size + 1),
    cell: new Int32Array(entries),
    value: new Float64Array(entries),
  };
  let entry = 0;
  let next = 0;
  for (let i = 0, row = 0; i < size; i++) {
    side.start[i] = entry;
    if (!(own[i] > 0)) continue;
    const end = entry + count[row++];
    let rest = own[i];
    for (let place = 0; entry < end; entry++) {
      place += cell[entry];
      side.cell[entry] = place;
      side.value[entry] = entry < end - 1 ? value[next++] * unit : Math.max(rest, 0);
      rest -= side.value[entry];
    }
  }
  side.start[size] = entry;
  return side;
}

function distinctNames(names) {
  const times = new Map();
  return names.map((name) => {
    times.set(name, (times.get(name) ?? 0) + 1);
    return times.get(name) > 1 ? `${name} (${times.get(name)})` : name;
  });
}

// Returns a time range's first bin and the bin after its end, or null for all times.
export function binsOf(side, text) {
  const match = /^(\d{1,12}(?:\.\d{1,12})?)-(\d{1,12}(?:\.\d{1,12})?)$/.exec(text);
  if (!match) return null;
  const [from, to] = [match[1], match[2]].map((seconds) =>
    Math.min(Math.round((Number(seconds) * SECOND) / side.width), side.bins),
  );
  return from < to && (from > 0 || to < side.bins) ? [from, to] : null;
}

// Returns the bins of a range that is given as shares of all bins, at least one bin.
export function binsAt(side, from, to) {
  const first = Math.min(Math.round(from * side.bins), side.bins - 1);
  return [first, Math.max(Math.round(to * side.bins), first + 1)];
}

// Returns the text of a range of bins, or "" for all bins.
export function textOfBins(side, from, to) {
  const seconds = (bin) =>
    Number(((bin * side.width) / SECOND).toPrecision(DIGITS))
      .toFixed(12)
      .replace(/\.?0+$/, "");
  return from <= 0 && to >= side.bins ? "" : `${seconds(from)}-${seconds(to)}`;
}

// Returns the numbers of the chosen threads, or of all threads if no chosen name is known.
export function threadsIn(side, text) {
  const names = new Set(text.split("\n"));
  const chosen = side.threads.map((_, thread) => thread).filter((thread) => names.has(side.threads[thread]));
  return chosen.length ? chosen : side.threads.map((_, thread) => thread);
}

// Describes the chosen part of a side, such as "1.2–3.4 s of 5.0 s, 1 of 3 threads".
export function partText(side, time, threads) {
  const chosen = threadsIn(side, threads).length;
  const all = side.threads.length;
  const whole = timeText(side, side.span);
  const bins = binsOf(side, time);
  const range = bins ? `${rangeText(side, ...bins)} of ${whole}` : `all ${whole}`;
  return all === 1 ? range : `${range}, ${chosen < all ? `${chosen} of ` : ""}${all} threads`;
}

export function rangeText(side, from, to) {
  const [first, last] = [from * side.width, Math.min(to * side.width, side.span)];
  return `${timeText(side, first).replace(/ .*/, "")}–${timeText(side, last)}`;
}

const UNITS = [
  { size: SECOND, unit: "s" },
  { size: 1e6, unit: "ms" },
  { size: 1e3, unit: "µs" },
];

// Formats a time with a unit and decimals that suit the length of the recording.
export function timeText(side, time) {
  const { size, unit } = UNITS.find((step) => side.span >= step.size) ?? { size: 1, unit: "ns" };
  const decimals = Math.min(Math.max(Math.ceil(-Math.log10(side.width / size)), 0), 3);
  return `${(time / size).toFixed(decimals)} ${unit}`;
}

// Whether a part of the recording is chosen on at least one side.
export function isPart(timelines, state) {
  return timelines.some((side, index) => side && Boolean(cellsOf(side, state, index)));
}

// Whether a part of one side would be compared with the whole other side.
export function isUnequal(timelines, state) {
  const [before, after] = timelines.map((side, index) => ({
    time: Boolean(side && binsOf(side, state[`time${SIDES[index]}`])),
    names: side ? threadsIn(side, state[`threads${SIDES[index]}`]).map((thread) => side.threads[thread]) : [],
    all: side ? side.threads.length : 0,
  }));
  const isLimited = ({ names, all }) => names.length < all;
  return (
    before.time !== after.time ||
    (isLimited(before) !== isLimited(after) && before.names.join("\n") !== after.names.join("\n"))
  );
}

// Returns the tree of the chosen part of both sides. Row numbers do not change.
export function partOf(tree, timelines, state) {
  if (!isPart(timelines, state)) return tree;
  const [beforeSelf, afterSelf] = timelines.map((side, index) => {
    const own = index ? tree.afterSelf : tree.beforeSelf;
    const cells = side && cellsOf(side, state, index);
    return cells ? sumsOfCells(side, cells, tree.size) : own;
  });
  return makeTree({ ...tree, beforeSelf, afterSelf, evidence: null, evidenceSelf: null }); // tests used the whole run
}

// Returns whether each cell is chosen, or null if all cells are chosen.
function cellsOf(side, state, index) {
  const bins = binsOf(side, state[`time${SIDES[index]}`]);
  const threads = threadsIn(side, state[`threads${SIDES[index]}`]);
  if (!bins && threads.length === side.threads.length) return null;
  const [from, to] = bins ?? [0, side.bins];
  const cells = new Uint8Array(side.threads.length * MOST_BINS);
  for (const thread of threads) cells.fill(1, thread * MOST_BINS + from, thread * MOST_BINS + to);
  return cells;
}

function sumsOfCells(side, cells, size) {
  const own = new Float64Array(size);
  for (let i = 0; i < size; i++) {
    for (let entry = side.start[i]; entry < side.start[i + 1]; entry++)
      if (cells[side.cell[entry]]) own[i] += side.value[entry];
  }
  return own;
}

// Returns the value of each bin, added up over the given threads.
export function binSums(side, threads) {
  const chosen = new Uint8Array(side.threads.length);
  for (const thread of threads) chosen[thread] = 1;
  const sums = new Float64Array(side.bins);
  for (let entry = 0; entry < side.cell.length; entry++) {
    if (chosen[(side.cell[entry] / MOST_BINS) | 0]) sums[side.cell[entry] % MOST_BINS] += side.value[entry];
  }
  return sums;
}
