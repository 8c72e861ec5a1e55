// Formats numbers as text: units, percentages and signs.

const TIMES = { nanoseconds: 1e-9, microseconds: 1e-6, milliseconds: 1e-3, seconds: 1, ns: 1e-9, us: 1e-6, ms: 1e-3, s: 1 };
const TIME_STEPS = [[60, "min"], [1, "s"], [1e-3, "ms"], [1e-6, "µs"], [1e-9, "ns"]];
const BYTE_STEPS = [[2 ** 40, "TiB"], [2 ** 30, "GiB"], [2 ** 20, "MiB"], [2 ** 10, "KiB"], [1, "B"]];
const COUNT_STEPS = [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1, ""]];
const MINUS = "\u2212";
const SMALLEST_PERCENT = 0.005;
const MULTIPLE = 0.5; // relative change above which a ratio is easier to read than a percentage

// Formats `value` times 10^`exponent` in its unit, with three digits or as an integer.
export function formatValue(value, unit, exponent = 0) {
  if (!Number.isFinite(value)) return "-";
  const amount = value * 10 ** exponent;
  if (Object.hasOwn(TIMES, unit)) return stepped(amount * TIMES[unit], TIME_STEPS, "ns");
  if (unit === "bytes" || unit === "B") return stepped(amount, BYTE_STEPS, "B");
  const name = unit === "count" || unit === "" ? "" : ` ${unit}`;
  if (Math.abs(amount) < 1e6) return digits(amount) + name;
  return stepped(amount, COUNT_STEPS, "").replace(/\s(?=$)/, "") + name;
}

// Returns the unit if all values are shown in it, or "" if the unit depends on the size of the value.
export function fixedUnit(unit) {
  return Object.hasOwn(TIMES, unit) || ["bytes", "B", "count", ""].includes(unit) ? "" : unit;
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

// A change as in the headline of a report: "7.4x", "1.62x", "+31.0 %", "new" or "gone".
export function growthOf(before, after) {
  if (!before) return after ? "new" : "0 %";
  if (!after) return "gone";
  const times = after / before;
  if (times - 1 < MULTIPLE) return formatSignedShare(times - 1);
  return `${grouped(times.toFixed(times >= 9.95 ? 0 : times >= 1.995 ? 1 : 2))}x`;
}

export function formatRatio(ratio) {
  const value = ratio.num / ratio.den;
  return value === 1 ? "1" : Number(value.toPrecision(6)).toString();
}

const SHORTEST = 5; // characters; fewer identify no function
const LONGEST_PARSED = 1000; // characters

// Shortens a name: first its template arguments and parameters, then its qualifiers from the left, then its end. Returns
// "" instead of fewer than five characters.
export function shorten(text, length) {
  if (text.length <= length) return text;
  if (length < SHORTEST) return "";
  let name = text.length > LONGEST_PARSED ? `…${text.slice(-LONGEST_PARSED)}` : withoutArguments(text);
  for (let at; [...name].length > length && (at = QUALIFIER.exec(name)); ) name = `…${name.slice(at[0].length)}`;
  const characters = [...name];
  return characters.length <= length ? name : `${characters.slice(0, length - 1).join("")}…`;
}

const QUALIFIER = /^…?[^.:/\\$]*(?:\.|::|[/\\$])(?=[^.:/\\$])/;

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

function stepped(amount, steps, zero) {
  const size = Math.abs(amount);
  if (size === 0) return `0 ${zero}`.trim();
  const [step, name] = steps.find(([from]) => size >= from) ?? steps[steps.length - 1];
  return `${digits(amount / step)} ${name}`.trim();
}

function digits(amount) {
  const size = Math.abs(amount);
  if (Number.isInteger(amount)) return grouped(String(amount));
  if (size >= 1000) return grouped(amount.toFixed(0));
  return Number(amount.toPrecision(3)).toString();
}

function grouped(text) {
  return text.replace(/\B(?=(\d{3})+(?!\d))/g, ",");
}
