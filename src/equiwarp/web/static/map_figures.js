// The figures of the map, one for each kind of picture, as traces and layout for plotly.
import { $, colour, plain, short } from "./dom.js";
import { around, axisOf, layout, paleness, tinted } from "./map_axes.js";
import { cells, contours, cover } from "./map_cells.js";
import { measured, nextShown, scaleTitle } from "./map_layers.js";
import { onCurve, points } from "./map_points.js";
import { reading } from "./map_readings.js";
import { triangle } from "./triangle.js";

/** Traces and layout of what a map answered; the experiment `spot` stands out. Beside other maps, `range` is that of their common colours. */
export function figureOf(answer, layer, spot = null, range = null) {
  const draw = { line, plane, ternary: triangle, list }[answer.kind];
  return draw({ answer, layer, values: answer.layers[layer], spot, range });
}

/** The two axes of a flat map and its margins. */
const flat = (shown) => ({ xaxis: axisOf(shown.answer, shown.answer.axes[0]), yaxis: axisOf(shown.answer, shown.answer.axes[1], true), ...around(shown) });

function plane(shown) {
  const { answer, values } = shown;
  if (!values) return [points(shown), flat(shown)];
  const heat = {
    type: answer.shape.some((n) => n < 8) ? "heatmap" : "contour", x: answer.grid[0], y: answer.grid[1], z: cells(answer, values), ...tinted(shown), ...paleness(answer), ncontours: 24,
    contours: { coloring: "heatmap" }, line: { width: 0.4, color: "rgba(255,255,255,0.35)" }, connectgaps: false, hoverongaps: false, text: readings(shown), hovertemplate: "%{text}<extra></extra>",
  };
  return [[heat, ...contours(shown), ...cover(answer), ...points(shown)], flat(shown)];
}

/** A reading for each cell of the picture, row by row. */
const readings = ({ answer, layer }) => answer.grid[1].map((y, r) => answer.grid[0].map((x, c) => reading(answer, layer, r * answer.shape[1] + c, [[answer.axes[0], x], [answer.axes[1], y]])));

function list(shown) {
  const { answer, layer, values } = shown;
  const all = {
    type: "scatter", mode: "markers", x: answer.grid[0], y: answer.grid[1], text: answer.grid[0].map((x, i) => reading(answer, layer, i, [[answer.axes[0], x], [answer.axes[1], answer.grid[1][i]]])), hovertemplate: "%{text}<extra></extra>",
    marker: { size: $("map-plot").clientWidth < 500 ? 9 : 16, symbol: "square", color: values || "#999999", ...(values ? tinted(shown) : {}), ...paleness(answer), showscale: Boolean(values), line: { color: colour("--quiet"), width: 1 } },
  };
  return [[all, ...points(shown)], flat(shown)];
}

/** One parameter: the value as a curve with its band, or another layer over nothing. */
function line(shown) {
  const { answer, layer, values } = shown, x = answer.grid[0];
  const upright = (design, hue) => design.map((p) => ({ type: "line", x0: p.place[0], x1: p.place[0], y0: 0, y1: 1, yref: "paper", line: { color: hue, width: 2, dash: "dot" } }));
  const waiting = upright(answer.design.filter((p) => p.role === "pending"), "#d1246a");
  const said = { text: x.map((v, i) => reading(answer, layer, i, [[answer.axes[0], v]])), hovertemplate: "%{text}<extra></extra>" };
  const stroke = { color: colour("--accent"), width: 3 }, xaxis = axisOf(answer, answer.axes[0]), yaxis = { ...layout().yaxis, fixedrange: true };
  if (layer !== "mean") {
    const curve = { type: "scatter", mode: "lines", x, y: values || [], line: stroke, fill: "tozeroy", fillcolor: "rgba(80,140,210,0.2)", ...said };
    const marks = points(shown).map((t) => ({ ...t, y: t.x.map((at) => onCurve(answer, layer, at)) }));
    return [[curve, ...marks], { xaxis, yaxis: { ...yaxis, ...titled(scaleTitle(layer, answer)), rangemode: "tozero" }, shapes: [...waiting, ...upright(nextShown(layer, answer), "#ffb000")] }];
  }
  return [[...band(answer, values), ...(values ? [{ type: "scatter", mode: "lines", x, y: values, line: { ...stroke, ...(answer.early ? { dash: "dash" } : {}) }, ...said }] : []), ...points(shown)],
    { xaxis, yaxis: { ...yaxis, ...titled(measured(answer)) }, shapes: waiting }];
}

const titled = (text) => ({ title: { text: plain(short(text, 30)), standoff: 12 } });

/** Two deviations to both sides of the curve. */
function band(answer, values) {
  if (!values) return [];
  const edge = (sign) => ({ type: "scatter", mode: "lines", x: answer.grid[0], y: values.map((v, i) => (v === null ? null : v + sign * 2 * answer.layers.deviation[i])), line: { width: 0 }, hoverinfo: "skip" });
  return [edge(-1), { ...edge(1), fill: "tonexty", fillcolor: "rgba(80,140,210,0.28)" }];
}
