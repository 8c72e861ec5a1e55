// Reads the evolution: the names and columns of the versions, and the order of the lines.

export const MOST_SHOWN = 12;
const STANDARD_ERRORS = 4;

export function readEvolution(document) {
  const { versions } = document;
  const column = (values) => Float64Array.from(versions, (_, at) => values[at] ?? NaN);
  const metrics = [];
  const lines = document.benchmarks.map((row, number) => ({
    number,
    name: row.name,
    metric: metricOf(row, metrics),
    middle: column(row.values),
    low: column(row.low),
    high: column(row.high),
    count: row.n,
    breaks: row.breaks,
    known: row.source_known,
    jumps: [],
  }));
  const jumps = document.jumps.map((jump, number) => {
    const { line, ratio, noise, href } = jump;
    const [from, to] = jump.at;
    const worse = jump.direction === "worse";
    // Halving and doubling have the same size; a change from or to zero has the largest.
    const size = ratio === null || ratio <= -1 ? Infinity : Math.abs(Math.log1p(ratio));
    return { number, line, from, to, values: [jump.from, jump.to], ratio, worse, noise, href, size };
  });
  for (const jump of jumps) lines[jump.line].jumps.push(jump);
  return { versions, lines, jumps, metrics, metric: metrics.findIndex(({ name }) => name === document.metric) };
}

// Returns the number of the metric of a line, which is added if it is new.
function metricOf({ metric: name, unit, better }, metrics) {
  const known = metrics.findIndex((other) => other.name === name && other.unit === unit);
  return known < 0 ? metrics.push({ name, unit, better }) - 1 : known;
}

export function largestJump(line) {
  return line.jumps.reduce((largest, jump) => Math.max(largest, jump.size), 0);
}

// Returns the change from the first to the last known value as a fraction, or null if there are no values.
export function wholeChange(line) {
  const known = [...line.middle].filter(Number.isFinite);
  return known.length > 1 && known[0] > 0 ? known.at(-1) / known[0] - 1 : null;
}

// Returns "worse" or "better" for a change of a line with a jump that is beyond the noise of the jump, as in the graph,
// and otherwise "".
export function toneOfChange(page, line, change) {
  if (!line.jumps.some((jump) => Math.abs(Math.log1p(change)) > STANDARD_ERRORS * jump.noise)) return "";
  return change > 0 === (page.evolution.metrics[line.metric].better === "lower") ? "worse" : "better";
}

// Returns the lines of a metric, sorted by the largest jump, then by the overall change, then by name.
export function rankedLines(evolution, metric) {
  const rows = evolution.lines
    .filter((line) => line.metric === metric)
    .map((line) => [line, largestJump(line), Math.abs(Math.log1p(wholeChange(line) ?? 0))]);
  rows.sort((a, b) => compare(b[1], a[1]) || compare(b[2], a[2]) || compare(a[0].name, b[0].name));
  return rows.map(([line]) => line);
}

export function matching(lines, query) {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  return lines.filter((line) => words.every((word) => line.name.toLowerCase().includes(word)));
}

function compare(a, b) {
  return a < b ? -1 : a > b ? 1 : 0;
}

// Returns the first and last index of each range of versions with values and the same benchmark source.
export function stretchesOf(line) {
  const found = [];
  let first = -1;
  for (let at = 0; at <= line.middle.length; at++) {
    const known = at < line.middle.length && Number.isFinite(line.middle[at]);
    const broken = line.breaks.includes(at);
    if (first >= 0 && (!known || broken)) {
      found.push([first, at - 1]);
      first = -1;
    }
    if (known && first < 0) first = at;
  }
  return found;
}

// Returns the versions at which the machine changed.
export function machineChanges(versions) {
  const changes = [];
  let last = null;
  versions.forEach(({ machine }, at) => {
    if (machine === null) return;
    if (last !== null && machine !== last) changes.push(at);
    last = machine;
  });
  return changes;
}
