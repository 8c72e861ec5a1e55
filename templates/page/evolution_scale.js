// The axes of the evolution: values on each scale, ticks, and SVG paths.
import { stretchesOf } from "./evolution_data.js";

export const REACH = 13; // distance in pixels at which a mark can be selected
const ROOM = 0.06; // margin above and below the drawn values, as a fraction of the height

// Returns the values of a line on a scale: unchanged, or relative to a first value of 100.
export function valuesOn(line, scale) {
  if (scale !== "index") return line;
  const base = line.middle.find((value) => Number.isFinite(value) && value > 0);
  const scaled = (values) => values.map((value) => (value / base) * 100);
  return { ...line, middle: scaled(line.middle), low: scaled(line.low), high: scaled(line.high) };
}

// Returns the smallest and largest value to draw. A linear axis starts at zero, so that heights can be
// compared. Other axes fit the data.
export function extentOf(lines, scale) {
  let low = Infinity;
  let high = -Infinity;
  for (const line of lines) {
    for (let at = 0; at < line.middle.length; at++) {
      if (!Number.isFinite(line.middle[at])) continue;
      if (scale !== "log" || line.low[at] > 0) low = Math.min(low, line.low[at]);
      if (scale !== "log" || line.high[at] > 0) high = Math.max(high, line.high[at]);
    }
  }
  if (!(low <= high)) return [1, 10];
  if (scale === "log")
    return low === high ? [low / 2, high * 2] : [low / (high / low) ** ROOM, high * (high / low) ** ROOM];
  if (scale === "index") {
    low = Math.min(low, 100);
    high = Math.max(high, 100);
    const room = Math.max((high - low) * ROOM, 1);
    return [Math.max(low - room, 0), high + room];
  }
  return [Math.min(low, 0), high > 0 ? high * (1 + ROOM) : 1];
}

// Returns a function that maps a value to the distance from the top in pixels.
export function heightOf(/** @type {number[]} */ [low, high], scale, top, bottom) {
  const place =
    scale === "log" ? (value) => Math.log(value / low) / Math.log(high / low) : (value) => (value - low) / (high - low);
  return (value) => bottom - Math.max(-1, Math.min(2, place(value))) * (bottom - top);
}

export function ticksOf([low, high], scale, count) {
  return scale === "log" && high / low > 20 ? decades(low, high, count) : evenTicks(low, high, count);
}

function evenTicks(low, high, count) {
  const step = niceStep((high - low) / count);
  const first = Math.ceil(low / step - 1e-9);
  const ticks = [];
  for (let at = first; at * step <= high * (1 + 1e-9); at++)
    ticks.push(at === 0 ? 0 : Number((at * step).toPrecision(12)));
  return ticks;
}

function niceStep(size) {
  const power = 10 ** Math.floor(Math.log10(size));
  return [1, 2, 2.5, 5, 10].find((step) => step * power >= size * (1 - 1e-9)) * power;
}

function decades(low, high, count) {
  const ticks = [];
  for (let power = Math.floor(Math.log10(low)); 10 ** power <= high; power++) {
    for (const digit of [1, 2, 5])
      if (digit * 10 ** power >= low && digit * 10 ** power <= high) ticks.push(digit * 10 ** power);
  }
  if (ticks.length <= count * 1.5) return ticks;
  const tens = ticks.filter((tick) => Number.isInteger(Number(Math.log10(tick).toFixed(6))));
  const step = Math.ceil(tens.length / count);
  return tens.filter((_, at) => at % step === 0);
}

// Returns the versions to name below the axis, including the first and the last, evenly spaced without overlap.
export function labelled(count, room, width) {
  const step = Math.max(1, Math.ceil((width * count) / Math.max(room, 1)));
  const chosen = [];
  for (let at = count - 1; at >= 0; at -= step) chosen.unshift(at);
  if (chosen.length > 1) chosen[0] = 0;
  return chosen;
}

export function linePath(line, x, y) {
  return stretchesOf(line)
    .map(([first, last]) => {
      const points = [];
      for (let at = first; at <= last; at++) points.push(`${round(x(at))} ${round(y(line.middle[at]))}`);
      return first === last ? "" : `M${points.join("L")}`;
    })
    .join("");
}

// Returns straight lines across versions without values in which the benchmark's source did not change.
export function bridgePath(line, x, y) {
  const stretches = stretchesOf(line);
  return stretches
    .slice(1)
    .map(([first], number) => {
      const last = stretches[number][1];
      const broken = line.breaks.some((at) => at > last && at <= first);
      return broken
        ? ""
        : `M${round(x(last))} ${round(y(line.middle[last]))}L${round(x(first))} ${round(y(line.middle[first]))}`;
    })
    .join("");
}

// Returns the spread of the runs as one area per range of versions, or nothing if the runs are equal.
export function bandPath(line, x, y) {
  return stretchesOf(line)
    .map(([first, last]) => {
      const upper = [];
      const lower = [];
      let wide = false;
      for (let at = first; at <= last; at++) {
        wide ||= line.high[at] > line.low[at];
        upper.push(`${round(x(at))} ${round(y(line.high[at]))}`);
        lower.unshift(`${round(x(at))} ${round(y(line.low[at]))}`);
      }
      return wide && first < last ? `M${[...upper, ...lower].join("L")}Z` : "";
    })
    .join("");
}

export function round(pixels) {
  return Math.round(pixels * 10) / 10;
}

// Returns the nearest jump mark near the pointer. At similar distances, the mark of the selected line is preferred.
export function nearestMark(marks, left, top, chosen) {
  let best = null;
  let distance = Infinity;
  for (const mark of marks) {
    const away = Math.min(Math.hypot(mark.left - left, mark.top - top), Math.hypot(mark.left - left, mark.arrow - top));
    const counted = mark.line === chosen ? away - REACH / 3 : away;
    if (away <= REACH && counted < distance) [best, distance] = [mark, counted];
  }
  return best;
}

// Returns the line whose value at a version is nearest to a height, or null if no line has a value there.
export function nearestLine(lines, at, y, height) {
  let best = null;
  let distance = Infinity;
  for (const line of lines) {
    if (!Number.isFinite(line.middle[at])) continue;
    const away = Math.abs(y(line.middle[at]) - height);
    if (away < distance) [best, distance] = [line, away];
  }
  return best;
}
