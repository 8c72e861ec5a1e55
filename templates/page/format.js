// Formats numbers as text: units, percentages and signs.

/** @type {[number, string][]} */
const TIME_STEPS = [
  [1e9, "s"],
  [1e6, "ms"],
  [1e3, "µs"],
  [1, "ns"],
];
/** @type {[number, string][]} */
const BYTE_STEPS = [
  [2 ** 40, "TiB"],
  [2 ** 30, "GiB"],
  [2 ** 20, "MiB"],
  [2 ** 10, "KiB"],
  [1, "B"],
];
/** @type {[number, string][]} */
const COUNT_STEPS = [
  [1e12, "T"],
  [1e9, "G"],
  [1e6, "M"],
  [1, ""],
];
const MINUS = "\u2212";
const SMALLEST_PERCENT = 0.005;
const MULTIPLE = 1.995; // smallest ratio that is shown as such (2.0x) and not as a percentage
const LARGEST_MULTIPLE = 1000;
const SMALLEST_SHARED = 0.005; // in the unit of the larger value

// Formats `value` times 10^`exponent` in its unit, with three digits or as an integer, as the reports do
// (report/numbers.py).
export function formatValue(value, unit, exponent = 0) {
  if (!Number.isFinite(value)) return "-";
  const { amount, step, isBase, name } = inUnit(value, unit, exponent);
  return `${digits(amount / step, isBase)}${name}`;
}

// Formats two values in the unit of the larger one: "0.70 → 1.61 s". If the smaller one would be too small, each has
// its own.
export function formatFromTo(before, after, unit, exponent = 0) {
  const { step, isBase, name } = inUnit(Math.abs(after) > Math.abs(before) ? after : before, unit, exponent);
  const parts = [before, after].map((value) => inUnit(value, unit, exponent).amount / step);
  const own = parts.some((part) => !Number.isFinite(part) || (part && Math.abs(part) < SMALLEST_SHARED));
  return own
    ? `${formatValue(before, unit, exponent)} → ${formatValue(after, unit, exponent)}`
    : `${parts.map((part) => digits(part, isBase)).join(" → ")}${name}`;
}

// Returns the value in the smallest unit, and the size and the name of the unit in which it is shown.
function inUnit(value, unit, exponent) {
  const steps = { nanoseconds: TIME_STEPS, bytes: BYTE_STEPS }[unit] ?? COUNT_STEPS;
  const amount = value * 10 ** exponent;
  // 999.7 µs is formatted as 1.00 ms, because rounding would give 1000 µs
  const from = (at) =>
    steps === COUNT_STEPS
      ? steps[at][0]
      : at + 1 < steps.length
        ? Math.min(999.5 * steps[at + 1][0], steps[at][0] - steps[at + 1][0] / 2)
        : 0;
  const [step, sign] = steps.find((_, at) => Math.abs(amount) >= from(at)) ?? steps[steps.length - 1];
  const name = [sign, steps === COUNT_STEPS && unit !== "count" ? unit : ""].filter(Boolean).join(" ");
  return { amount, step, isBase: step === steps[steps.length - 1][0], name: name && ` ${name}` };
}

export function formatSigned(value, unit, exponent = 0) {
  const text = formatValue(Math.abs(value), unit, exponent);
  if (!(value !== 0) || !/[1-9]/.test(text)) return formatValue(0, unit, exponent);
  return (value > 0 ? "+" : MINUS) + text;
}

// Formats a fraction as a percentage, as in the reports (report/numbers.py): "5.8 %", "<0.01 %", "120 %".
export function formatShare(fraction) {
  if (fraction === null || !Number.isFinite(fraction)) return "-";
  const size = Math.abs(fraction) * 100;
  if (size > 0 && size < SMALLEST_PERCENT) return "<0.01 %";
  const places = size >= 99.95 || !size ? 0 : size >= 0.095 ? 1 : 2;
  return `${fraction < 0 ? MINUS : ""}${grouped(size.toFixed(places))} %`;
}

export function formatSignedShare(fraction) {
  const text = formatShare(fraction);
  if (text.startsWith("<")) return "≈0 %";
  return fraction > 0 && Number.isFinite(fraction) ? `+${text}` : text;
}

// Formats a threshold or the end of a scale, which may be far below 0.01 %.
export function formatChosenShare(fraction, digits = 3) {
  return `${Number((fraction * 100).toPrecision(digits))} %`;
}

// A change as in the reports: "7.4x", "+62.0 %", "−31.0 %", "new" or "gone".
export function growthOf(before, after) {
  if (!before) return after ? "new" : "0 %";
  if (!after) return "gone";
  const times = after / before;
  if (times < MULTIPLE) return formatSignedShare(times - 1);
  return times > LARGEST_MULTIPLE
    ? `>${grouped(String(LARGEST_MULTIPLE))}x`
    : `${times.toFixed(times >= 9.95 ? 0 : 1)}x`;
}

// Keeps each number and the word after it, such as its unit, on one line.
export function solid(text) {
  return text.replace(/(\d) (?=\S)/g, "$1\u00a0");
}

export function formatRatio(ratio) {
  const value = ratio.num / ratio.den;
  return value === 1 ? "1" : Number(value.toPrecision(6)).toString();
}

export const SHORTEST = 5; // characters; fewer identify no function
const LONGEST_PARSED = 1000; // characters

// Shortens a name: first its template arguments and parameters, then its qualifiers from the left, then its end.
// Returns "" instead of fewer than five characters.
export function shorten(text, length) {
  if (text.length <= length) return text;
  if (length < SHORTEST) return "";
  let name = text.length > LONGEST_PARSED ? `…${text.slice(-LONGEST_PARSED)}` : withoutArguments(text);
  for (let at; [...name].length > length && (at = QUALIFIER.exec(name));) name = `…${name.slice(at[0].length)}`;
  const characters = [...name];
  return characters.length <= length ? name : `${characters.slice(0, length - 1).join("")}…`;
}

const QUALIFIER = /^…?[^.:/\\$]*(?:\.|::|[/\\$])(?=[^.:/\\$])/;

// Shortens a place such as "src/parse/lexer.py:120" by its folders from the left. The file and the line stay whole.
export function shortenPlace(place, length = LONGEST_PLACE) {
  let rest = place;
  while (FOLDER.test(rest) && (rest === place ? rest : `…/${rest}`).length > length) rest = rest.replace(FOLDER, "");
  return rest === place ? place : `…/${rest}`;
}

const LONGEST_PLACE = 40; // characters; a phone shows them in one line
const FOLDER = /^[^/\\]*[/\\](?=.)/;

// Replaces what is in <> or () behind a name by "…", for example in "map<int, long>::find(int)".
function withoutArguments(text) {
  let depth = 0;
  let out = "";
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if ((character === "<" || character === "(") && (depth || /[\w\s>]/.test(text[at - 1] ?? "."))) {
      if (!depth) out += `${character}…`;
      depth += 1;
    } else if ((character === ">" || character === ")") && depth) {
      depth -= 1;
      if (!depth) out += character;
    } else if (!depth) out += character;
  }
  return depth ? text : out;
}

function digits(amount, isBase) {
  const number = Number(amount.toPrecision(9)); // without rounding errors of sums
  const size = Math.abs(number);
  if (size >= 99.95 || (Number.isInteger(number) && (isBase || !number))) return grouped(number.toFixed(0));
  return size >= 0.00995 ? number.toFixed(size >= 9.995 ? 1 : 2) : Number(number.toPrecision(2)).toString();
}

function grouped(text) {
  return text.replace(/\B(?=(\d{3})+(?!\d))/g, ",");
}

export function numeral(count) {
  return count.toLocaleString("en");
}

export function counted(count, noun, plural = `${noun}s`) {
  return `${numeral(count)} ${count === 1 ? noun : plural}`;
}
