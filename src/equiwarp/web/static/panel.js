// One small drawing: a curve with its band, bars for categories, points; the profiler and the main effects use it.
import { digits, shape, short } from "./dom.js";

const MARGIN = { left: 46, right: 10, top: 8, bottom: 40 };

/** Round numbers between two ends, about so many. */
export function ticks(low, high, most = 4) {
  if (!(high > low)) return [low];
  const rough = (high - low) / most, power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((k) => k * power).find((s) => s >= rough * 0.999);
  const from = Math.ceil(low / step - 1e-9), count = Math.floor(high / step + 1e-9) - from + 1;
  return Array.from({ length: Math.max(count, 0) }, (_, k) => Number(((from + k) * step).toPrecision(12)));
}

/** Whether an axis is an angle: from end to end it is half a turn or a whole one. */
const isAngle = ({ unit, low, high, periodic, settings }) => !settings?.length && (periodic || (unit === "°" && (high - low) % 180 === 0));
/** Quarters of the way, from end to end: the ticks of an angle. */
export const quarters = ({ low, high }) => [0, 1, 2, 3, 4].map((k) => low + k * (high - low) / 4);

/** Where values lie along an axis, as shares of it, and back. */
export function axisScale(axis) {
  const n = axis.labels.length;
  if (n) return { share: (v) => (v + 0.5) / n, value: (s) => Math.min(Math.max(Math.floor(s * n), 0), n - 1) };
  if (axis.scale === "log") return { share: (v) => Math.log(v / axis.low) / Math.log(axis.high / axis.low), value: (s) => axis.low * (axis.high / axis.low) ** s };
  return { share: (v) => (v - axis.low) / (axis.high - axis.low), value: (s) => axis.low + s * (axis.high - axis.low) };
}

/** The value that can be set nearest to a share of the axis. */
export function settable(axis, share) {
  const value = axisScale(axis).value(Math.min(Math.max(share, 0), 1));
  if (axis.labels.length || !axis.settings.length) return value;
  return axis.settings.reduce((best, s) => (Math.abs(s - value) < Math.abs(best - value) ? s : best));
}

/** Ticks of an axis: names of categories, powers of ten, round numbers. */
export function axisTicks(axis, width) {
  if (axis.labels.length) return axis.labels.map((name, i) => [i, short(name, Math.max(4, Math.floor(width / axis.labels.length / 6.4)))]);
  if (isAngle(axis)) return quarters(axis).filter((_, k) => width >= 150 || k % 2 === 0).map((v) => [v, digits(v, 3)]);
  if (axis.settings?.length && axis.settings.length < 8) return axis.settings.map((v) => [v, digits(v, 4)]);
  if (axis.scale !== "log") return ticks(axis.low, axis.high, width < 150 ? 3 : 4).map((v) => [v, digits(v, 5)]);
  const all = [];
  for (let p = Math.floor(Math.log10(axis.low)); p <= Math.log10(axis.high); p += 1) for (const k of [1, 3]) all.push(k * 10 ** p);
  return all.filter((v) => v >= axis.low * 0.999 && v <= axis.high * 1.001).map((v) => [Number(v.toPrecision(3)), digits(v, 3)]);
}

/**
 * Draw a panel into an svg element.
 * data: axis, range [low, high] of the response, grid, mean, low, high, points [{x, y, alpha}], at (or null), label.
 */
export function drawPanel(svg, data) {
  const width = svg.clientWidth || 240, height = svg.clientHeight || 180, { axis, range } = data;
  const inner = { w: width - MARGIN.left - MARGIN.right, h: height - MARGIN.top - MARGIN.bottom };
  const scale = axisScale(axis), x = (v) => MARGIN.left + scale.share(v) * inner.w;
  const y = (v) => MARGIN.top + (1 - Math.min(Math.max((v - range[0]) / (range[1] - range[0]), 0), 1)) * inner.h;
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  svg.setAttribute("aria-label", data.label);
  svg.dataset.left = MARGIN.left; svg.dataset.inner = inner.w;
  const parts = [...frame(axis, range, x, y, inner, height)];
  const drawn = data.grid.map((g, i) => ({ x: x(g), m: data.mean[i], lo: data.low[i], hi: data.high[i], g })).filter((p) => p.m !== null);
  if (axis.labels.length) parts.push(...bars(drawn, y, inner.w / axis.labels.length, data.at));
  else if (axis.settings.length && axis.settings.length < 12) parts.push(...stems(drawn, y));
  else parts.push(...curve(data, x, y));
  for (const p of data.points ?? []) parts.push(shape("circle", { cx: x(p.x), cy: y(p.y), r: 3, class: "measured", opacity: p.alpha }));
  if (data.at !== null && data.at !== undefined && !axis.labels.length) {
    parts.push(shape("line", { x1: x(data.at), x2: x(data.at), y1: MARGIN.top, y2: MARGIN.top + inner.h, class: "now" }));
    const here = data.here ?? null;
    if (here !== null) {
      parts.push(shape("line", { x1: MARGIN.left, x2: MARGIN.left + inner.w, y1: y(here), y2: y(here), class: "now level" }));
      parts.push(shape("circle", { cx: x(data.at), cy: y(here), r: 5, class: "knob" }));
    }
  }
  svg.replaceChildren(...parts);
}

/** Axes with ticks and names. */
function frame(axis, range, x, y, inner, height) {
  const found = [], bottom = MARGIN.top + inner.h;
  for (const v of ticks(range[0], range[1])) {
    found.push(shape("line", { x1: MARGIN.left, x2: MARGIN.left + inner.w, y1: y(v), y2: y(v), class: "grid" }));
    found.push(shape("text", { x: MARGIN.left - 6, y: y(v) + 4, "text-anchor": "end", class: "tick" }, digits(v, 4)));
  }
  let end = -Infinity;
  for (const [v, text] of axisTicks(axis, inner.w)) {
    const half = text.length * 3.4;
    if (x(v) - half < end + 6) continue; // no two numbers touch
    end = x(v) + half;
    const at = Math.min(Math.max(x(v), half + 2), MARGIN.left + inner.w + MARGIN.right - half - 2);
    found.push(shape("text", { x: at, y: bottom + 15, "text-anchor": "middle", class: "tick" }, text));
  }
  found.push(shape("line", { x1: MARGIN.left, x2: MARGIN.left + inner.w, y1: bottom, y2: bottom, class: "axis" }));
  const unit = axis.unit ? ` (${short(axis.unit, 10)})` : "";
  found.push(shape("text", { x: MARGIN.left + inner.w / 2, y: height - 7, "text-anchor": "middle", class: "name" }, short(axis.name, Math.max(8, Math.floor((inner.w + 2 * MARGIN.right) / 7.2) - unit.length)) + unit));
  return found;
}

/** The mean as a line, its band behind it; a gap where the domain has none. */
function curve({ grid, mean, low, high }, x, y) {
  const runs = [], found = [];
  grid.forEach((g, i) => {
    if (mean[i] === null) return;
    if (i === 0 || mean[i - 1] === null) runs.push([]);
    runs.at(-1).push(i);
  });
  const path = (points) => points.map(([a, b], k) => `${k ? "L" : "M"}${a.toFixed(1)},${b.toFixed(1)}`).join("");
  for (const run of runs) {
    const edge = [...run.map((i) => [x(grid[i]), y(high[i])]), ...[...run].reverse().map((i) => [x(grid[i]), y(low[i])])];
    found.push(shape("path", { d: `${path(edge)}Z`, class: "band" }));
    found.push(shape("path", { d: path(run.map((i) => [x(grid[i]), y(mean[i])])), class: "mean" }));
  }
  return found;
}

/** Categories: a bar each, with a whisker of two deviations; the one that is set stands out. */
function bars(drawn, y, room, at) {
  const base = y(-Infinity);
  return drawn.flatMap((p) => [
    shape("rect", { x: p.x - room * 0.32, width: room * 0.64, y: y(p.m), height: Math.max(base - y(p.m), 1), class: p.g === at ? "bar set" : "bar" }),
    shape("line", { x1: p.x, x2: p.x, y1: y(p.lo), y2: y(p.hi), class: "whisker" }),
  ]);
}

/** A few settings: a point each, with a whisker. */
const stems = (drawn, y) => drawn.flatMap((p) => [
  shape("line", { x1: p.x, x2: p.x, y1: y(p.lo), y2: y(p.hi), class: "whisker" }),
  shape("circle", { cx: p.x, cy: y(p.m), r: 4.5, class: "stem" }),
]);
