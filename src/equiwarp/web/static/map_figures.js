// The figures of the map, one for each kind of picture, as traces and layout for plotly.
import { $, angles, colour, digits, plain, short, six, withDeviation } from "./dom.js";
import { LINES } from "./overlay.js";
import { quarters, ticks } from "./panel.js";
import { stops } from "./scales.js";

const LAYERS = { mean: "viridis", deviation: "magma", variance: "blues", equalized: "blues", warped: "blues", equalizer: "greys", stretch: "oranges", score: "blues", works: "greys", difference: "diverging", overlay: "greens" };
const WORDS = {
  mean: "", deviation: "One standard deviation of the map",
  variance: "What is left of the uncertainty, as a share of what it was. Alone it favours the boundary.",
  equalized: "The same, divided by what any design of this size leaves near the boundary.",
  warped: "The same in a geometry that is stretched where the response varies: the full method maximises this.",
  equalizer: "What the variance is multiplied by: below 1 near faces and corners.",
  works: "The probability that an experiment works here, learnt from those that failed.",
  overlay: "The probability that all responses are good here: each within the limits that you give.",
  score: "What this campaign's own rule for choosing maximises, its best place here being 1.",
  stretch: "How many times longer lengths are in the warped geometry: more than 1 where the response varies.",
};
const EVENLY = "This campaign's own rule spreads its points evenly and weighs no place against another, so there is nothing to colour. Diamonds are the points that it would hand out next.";
/** Layers that come with every map; the others are what drives the next choice. */
export const plainLayer = (layer) => ["mean", "deviation", "works", "difference", "overlay"].includes(layer);
export const scaleOf = (layer) => LAYERS[layer];

let answer = null, spot = null, range = null;

/** Traces and layout of what a map answered; the experiment `marked` stands out. Beside other maps, `ends` is the range of their common colours. */
export function figureOf(data, layer, marked = null, ends = null) {
  answer = data;
  spot = marked;
  range = ends;
  const draw = { line: lineOf, plane: planeOf, ternary: ternaryOf, list: listOf }[answer.kind];
  return draw(layer, answer.layers[layer]);
}

export const nextShown = (layer, data = answer) => (plainLayer(layer) ? [] : data.next);
export const measured = (data = answer) => data.response + (data.unit ? ` in ${data.unit}` : "");

/** What the colours mean; what the faint points are, where there are any. */
export function caption(data, layer) {
  answer = data;
  const many = `${data.measurements} measurement${data.measurements === 1 ? "" : "s"}`;
  const faint = doubts() + around() + (answer.design.some((p) => p.apart > 0.05) ? " Faint points lie off this slice." : "");
  if (layer === "mean") return `${measured()}, from ${many}.${data.kind === "line" ? " The band is two standard deviations." : ""}${faint}`;
  if (layer === "difference") return `This map less ${$("m-layer").selectedOptions[0].dataset.other}: red where this one is higher, blue where it is lower.${faint}`;
  if (layer === "score" && !data.layers.score?.some((v) => v !== null)) return EVENLY + faint;
  return (layer === "deviation" ? `${WORDS.deviation} of ${measured()}.` : WORDS[layer]) + faint;
}

/** Of axes that wrap: nobody should look for a step between their ends. */
function around() {
  const names = answer.axes.filter((axis) => axis.periodic).map((axis) => axis.name);
  return names.length ? ` The two ends of ${names.join(" and of ")} are one and the same.` : "";
}

/** What keeps one from believing the picture: it is coarse, or rests on few values. */
function doubts() {
  if (answer.coarse) return ` A coarse map from ${answer.measurements} of ${answer.measured} values; the whole one is being fitted.`;
  return answer.early ? " So few values say little yet: between them, this is a guess." : "";
}

export function layout() {
  const axis = { gridcolor: colour("--grid"), linecolor: colour("--quiet"), zeroline: false, automargin: true, title: { standoff: 12 } };
  return {
    paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)", font: { color: colour("--text"), size: 14, family: getComputedStyle(document.body).fontFamily },
    margin: { l: 56, r: 26, t: 16, b: 50 }, xaxis: axis, yaxis: axis, showlegend: false, hovermode: "closest", dragmode: false,
    hoverlabel: { font: { size: 15 } },
  };
}

/** Maps of few values, and coarse ones, are pale: they must not look as certain as they would from hundreds. */
const paleness = () => (answer.early || answer.coarse ? { opacity: 0.65 } : {});
const onPhone = matchMedia("(max-width: 600px)");

/** Room beside the ends of an axis: half a cell where its settings are few, a little where points stand on it. */
function room({ settings: s, labels }, ends) {
  if (answer.kind === "list") return [0.05, 0.05].map((share) => share * (ends[1] - ends[0]));
  return s.length > 1 && (s.length < 8 || labels.length) ? [(s[1] - s[0]) / 2, (s.at(-1) - s.at(-2)) / 2] : [0, 0];
}

/** An axis from end to end. */
function axisOf(axis, upright = false) {
  const box = $("map-plot"), most = Math.max(16, Math.floor(((upright ? box.clientHeight : box.clientWidth) - 110) / 9)); // letters that fit
  const log = axis.scale === "log", ends = log ? [Math.log10(axis.low), Math.log10(axis.high)] : [axis.low, axis.high];
  const [before, after] = log ? [0, 0] : room(axis, ends);
  const unit = axis.unit ? ` (${short(axis.unit, 20)})` : "", name = short(axis.name, most - unit.length) + unit;
  return {
    ...layout().xaxis, title: { text: plain(name), standoff: 12 }, fixedrange: true, range: [ends[0] - before, ends[1] + after],
    ...(log ? { type: "log", ...decades(axis) } : {}), ...(axis.periodic && !axis.settings.length ? { tickvals: quarters(axis), ticktext: quarters(axis).map((v) => digits(v, 3)) } : {}), ...(axis.settings.length && axis.settings.length < 8 ? { tickvals: axis.settings } : {}),
    ...(axis.labels.length ? { tickvals: axis.settings, ticktext: axis.labels.map((name) => plain(short(name, 16))) } : {}),
  };
}

/** Ticks of a log axis, written out: 1, 2, 5 of each power of ten, or the powers alone where there are many. */
function decades({ low, high }) {
  const from = Math.floor(Math.log10(low)), powers = Array.from({ length: Math.ceil(Math.log10(high)) - from + 1 }, (_, k) => k + from);
  const tickvals = powers.flatMap((p) => (powers.length > 4 ? [1] : [1, 2, 5]).map((v) => v * 10 ** p)).filter((v) => v >= low * 0.999 && v <= high * 1.001);
  return tickvals.length > 1 ? { tickvals, ticktext: tickvals.map(six) } : {};
}

const TITLES = { variance: "share of variance left", equalized: "equalized share", warped: "equalized, warped", equalizer: "edge correction", stretch: "times longer", works: "probability", score: "share of the best", overlay: "probability that all are good" };
/** What the colours stand for, with the unit. */
export const scaleTitle = (layer, data = answer) => { answer = data; return titleOf(layer); };
const titleOf = (layer) => (layer === "difference" ? `difference of ${measured()}` : layer === "mean" ? measured() : layer === "deviation" ? `± ${measured()}` : TITLES[layer]);
const UPRIGHT = { thickness: 14, len: 0.95, nticks: 8 }, LYING = { orientation: "h", thickness: 12, len: 1, nticks: 6, x: 0.5, y: 1.03, yanchor: "bottom" };
/** On a phone the colours lie above the map, which has the whole width. */
const bar = (layer) => ({ ...(onPhone.matches ? LYING : UPRIGHT), outlinewidth: 0, title: { text: plain(short(titleOf(layer), 34)), side: onPhone.matches ? "top" : "right", font: { size: 13 } } });
const SHARES = ["overlay", "works"];
function tinted(layer) {
  const ends = range ?? (SHARES.includes(layer) ? [0, 1] : null);
  return { colorscale: stops(LAYERS[layer]), ...(layer === "difference" && !ends ? { zmid: 0 } : {}), ...(ends ? { zmin: ends[0], zmax: ends[1] } : {}), ...(range ? { showscale: false } : { colorbar: bar(layer) }) };
}

const unit = (u) => (u ? ` ${u}` : "");
const alongAxis = (axis, v) => `${axis.name} ${axis.labels.length ? axis.labels[Math.round(v)] : six(Number(v.toPrecision(4)))}${unit(axis.unit)}`;

/** What the map says in a cell, line by line: where it is, and the value that the layer is about. */
function sayings(layer, i, where) {
  const value = (name) => answer.layers[name]?.[i];
  if (value(layer) === null || value(layer) === undefined) return where;
  if (layer === "overlay") return [...where, ...answer.overlaid.map((r) => `${r.response} ${withDeviation(r.mean[i], r.deviation[i])}${unit(r.unit)}`), `all good: ${Math.round(100 * value(layer))} %`];
  if (layer === "mean" || layer === "deviation") return [...where, `${answer.response} ${withDeviation(value("mean"), value("deviation"))}${unit(answer.unit)}`];
  return [...where, `${titleOf(layer)} ${digits(value(layer), 3)}`];
}

/** The same for plotly, the last line bold. */
function reading(layer, i, places) {
  const lines = sayings(layer, i, places.map(([axis, v]) => alongAxis(axis, v))).map(plain);
  return lines.length > places.length ? [...lines.slice(0, -1), `<b>${lines.at(-1)}</b>`].join("<br>") : lines.join("<br>");
}

/** What a globe says in a cell: the direction as two angles, and the value. */
export function globeReading(data, layer, cell) {
  answer = data;
  const [longitude, latitude] = [data.grid[0][cell % data.shape[1]], data.grid[1][Math.floor(cell / data.shape[1])]];
  return sayings(layer, cell, [`azimuth ${Math.round(longitude)}°, elevation ${Math.round(latitude)}°`]);
}

/** A reading for each cell of the picture, row by row. */
const readings = (layer) => Array.from({ length: answer.shape[0] }, (_, r) => Array.from({ length: answer.shape[1] }, (_, c) =>
  reading(layer, r * answer.shape[1] + c, [[answer.axes[0], answer.grid[0][c]], [answer.axes[1], answer.grid[1][r]]])));
const rowsOf = (values) => Array.from({ length: answer.shape[0] }, (_, i) => (values ? values.slice(i * answer.shape[1], (i + 1) * answer.shape[1]) : []));

/** The design over the picture: measured, to run, failed, and what would be next. */
function points(layer) {
  const small = Math.min(1, Math.sqrt(150 / answer.measurements)); // thousands of points would cover the map
  const style = {
    done: { symbol: "circle", color: "#ffffff", line: { color: "#111111", width: 1.5 * small }, size: Math.max(3, 9 * small) },
    halo: { symbol: "circle-open", color: "#ffffff", line: { width: 6 }, size: 14 },
    pending: { symbol: "circle-open", color: "#d1246a", line: { width: 3 }, size: 14 },
    failed: { symbol: "x", color: "#777777", line: { color: "#ffffff", width: 1.5 }, size: 12 },
    spot: { symbol: "circle-open", color: "#ffb000", line: { width: 4 }, size: 22 },
    next: { symbol: "diamond", color: "#ffb000", line: { color: "#111111", width: 1.5 }, size: 13 },
  };
  const groups = { done: [], halo: [], pending: [], failed: [], next: nextShown(layer).map((p) => ({ ...p, state: "next" })) };
  for (const p of answer.design) groups[p.state].push(p);
  groups.halo = groups.pending; // a pale ring around the red one: it shows on every colour
  groups.spot = answer.design.filter((p) => p.id === spot);
  return Object.entries(groups).filter(([, group]) => group.length).map(([state, group]) => ({
    type: "scatter", mode: "markers", cliponaxis: false, hoverinfo: state === "halo" || state === "spot" ? "skip" : "text",
    x: group.map((p) => p.place[0]), y: group.map((p) => (p.place.length > 1 ? p.place[1] : p.value ?? onCurve(layer, p.place[0]))),
    marker: { ...style[state], opacity: group.map((p) => Math.max(state === "halo" ? 0.25 : 0.4, 1 - 2 * p.apart)) },
    text: group.map((p) => words(p, state)), customdata: group.map((p) => p.id ?? null),
  }));
}

/** What has no value yet stands on the curve. */
function onCurve(layer, x) {
  const grid = answer.grid[0], values = answer.layers[layer];
  return values ? values[grid.reduce((best, v, i) => (Math.abs(v - x) < Math.abs(grid[best] - x) ? i : best), 0)] : 0;
}

const STATES = { done: "measured", pending: "to run", failed: "failed", next: "would be next" };

/** An experiment in the picture, line by line: what it is, its settings, its value. */
function about(p, state) {
  const units = Object.fromEntries(answer.axes.map((axis) => [axis.name, axis.unit]));
  const where = answer.kind === "globe" ? [angles(p.place)] : Object.entries(p.point).map(([name, v]) => `${name} ${typeof v === "string" ? v : six(v)}${unit(units[name])}`);
  const value = p.value === null || p.value === undefined ? [] : [`${answer.response} ${six(p.value)}${unit(answer.unit)}`];
  return [`${p.id ? `Experiment ${p.id}, ` : ""}${STATES[state]}`, ...where, ...value];
}
export const pointReading = (data, p, state = p.state) => { answer = data; return about(p, state); };

const words = (p, state) => about(p, state).map((line, i, all) => (i === all.length - 1 && p.value !== null && p.value !== undefined ? `<b>${plain(line)}</b>` : plain(line))).join("<br>");

/** Where constraints cut the picture, cells beyond the edge take the value beside it; a cover then draws the edge itself. */
function extended(rows) {
  if (!answer.beyond.length) return rows;
  const at = (r, c) => rows[r]?.[c] ?? null;
  return rows.map((row, r) => row.map((v, c) => {
    if (v !== null) return v;
    const straight = [[0, 1], [0, -1], [1, 0], [-1, 0]].map(([i, j]) => [at(r + i, c + j), at(r + 2 * i, c + 2 * j)]).filter(([a]) => a !== null).map(([a, b]) => (b === null ? a : 2 * a - b));
    const near = straight.length ? straight : [[1, 1], [1, -1], [-1, 1], [-1, -1]].map(([i, j]) => at(r + i, c + j)).filter((a) => a !== null);
    return near.length ? near.reduce((a, b) => a + b) / near.length : null;
  }));
}

function cover() {
  if (!answer.beyond.length) return [];
  const along = (k) => answer.beyond.flatMap((part) => [...part.map((p) => p[k]), part[0][k], null]);
  return [{ type: "scatter", mode: "lines", x: along(0), y: along(1), fill: "toself", fillcolor: colour("--card"), line: { width: 0 }, hoverinfo: "skip" }];
}

/** Lines along which values have a level: dark under pale, or in a colour of their own. */
function levelLines(values, levels, hue = null) {
  const z = extended(rowsOf(values));
  const line = (level, width, shade) => ({ type: "contour", x: answer.grid[0], y: answer.grid[1], z, showscale: false, hoverinfo: "skip", connectgaps: false, autocontour: false, contours: { start: level, end: level, size: 1, coloring: "none" }, line: { width, color: shade }, name: "level" });
  return levels.flatMap((level) => (hue ? [line(level, 5, colour("--card")), line(level, 3, hue)] : [line(level, 4, "#111111"), line(level, 2, "#ffffff")]));
}

/** The level of the aim, or the limits of all responses. */
function contours(layer) {
  if (layer === "overlay") return answer.overlaid.flatMap((r, k) => levelLines(r.mean, r.limits.filter((v) => v !== null), LINES[k % LINES.length]));
  return plainLayer(layer) && layer !== "difference" && answer.levels.length ? levelLines(answer.layers.mean, answer.levels) : [];
}

function planeOf(layer, values) {
  const heat = {
    type: answer.shape.some((n) => n < 8) ? "heatmap" : "contour", x: answer.grid[0], y: answer.grid[1], z: values ? extended(rowsOf(values)) : [],
    ...tinted(layer), ...paleness(), ncontours: 24,
    contours: { coloring: "heatmap" }, line: { width: 0.4, color: "rgba(255,255,255,0.35)" }, connectgaps: false, hoverongaps: false,
    text: values ? readings(layer) : [], hovertemplate: "%{text}<extra></extra>",
  };
  return [[...(values ? [heat, ...contours(layer), ...cover()] : []), ...points(layer)], { xaxis: axisOf(answer.axes[0]), yaxis: axisOf(answer.axes[1], true) }];
}

function listOf(layer, values) {
  const all = {
    type: "scatter", mode: "markers", x: answer.grid[0], y: answer.grid[1], text: answer.grid[0].map((x, i) => reading(layer, i, [[answer.axes[0], x], [answer.axes[1], answer.grid[1][i]]])), hovertemplate: "%{text}<extra></extra>",
    marker: { size: $("map-plot").clientWidth < 500 ? 9 : 16, symbol: "square", color: values || "#999999", ...(values ? tinted(layer) : {}), ...paleness(), showscale: Boolean(values), line: { color: colour("--quiet"), width: 0.5 } },
  };
  return [[all, ...points(layer)], { xaxis: axisOf(answer.axes[0]), yaxis: axisOf(answer.axes[1], true) }];
}

/** In a triangle, the three components at each cell. */
function shares(layer) {
  const left = answer.left, top = Math.sqrt(3) / 2;
  return answer.grid[1].map((y, r) => answer.grid[0].map((x, c) => {
    const third = y / top, second = x - third / 2, parts = [1 - second - third, second, third];
    return reading(layer, r * answer.shape[1] + c, answer.axes.map((axis, k) => [axis, axis.low + left * Math.min(Math.max(parts[k], 0), 1)]));
  }));
}

/** What a corner is: its component, and the least of the others where there must be some. */
function blend(k) {
  const others = answer.axes.filter((axis, j) => j !== k && axis.low > 0).map((axis) => `${plain(short(axis.name, 12))} ${six(axis.low)}`);
  const { name, low } = answer.axes[k], most = others.length ? ` ${six(Number((low + answer.left).toPrecision(4)))}` : "";
  return `<b>${plain(short(name, 22))}</b>${most}${others.length ? `<br><span style="font-size:12px">with ${others.join(", ")}</span>` : ""}`;
}

/** Round amounts of each component along its edge, as shares of what the triangle shares out. */
const amounts = (axis) => ticks(axis.low, axis.low + answer.left, 5).map((v) => [v, (v - axis.low) / answer.left]).filter(([, s]) => s > 0.06 && s < 0.94);

/** Where a share of a component lies on its edge, the text beside it, and the line of equal amounts that begins there. */
const EDGES = [
  { tick: (s) => [1 - s, 0, "center", "top"], line: (s, top) => [[1 - s, 0], [(1 - s) / 2, (1 - s) * top]] },
  { tick: (s, top) => [1 - (1 - s) / 2, (1 - s) * top, "left", "middle"], line: (s, top) => [[(1 + s) / 2, (1 - s) * top], [s, 0]] },
  { tick: (s, top) => [s / 2, s * top, "right", "middle"], line: (s, top) => [[s / 2, s * top], [1 - s / 2, s * top]] },
];

function edgeTicks(top) {
  return answer.axes.flatMap((axis, k) => amounts(axis).map(([v, s]) => {
    const [x, y, xanchor, yanchor] = EDGES[k].tick(s, top);
    return { x, y, xanchor, yanchor, showarrow: false, text: six(v), font: { size: 12, color: colour("--quiet") } };
  }));
}

function ternaryOf(layer, values) {
  const top = Math.sqrt(3) / 2, edge = colour("--text");
  const heat = {
    type: "contour", x: answer.grid[0], y: answer.grid[1], z: values ? extended(rowsOf(values)) : [], contours: { coloring: "heatmap" }, line: { width: 0.4, color: "rgba(255,255,255,0.35)" }, ncontours: 24, connectgaps: false, ...tinted(layer), ...paleness(), hoverongaps: false, text: values ? shares(layer) : [], hovertemplate: "%{text}<extra></extra>",
  };
  // Cells stick out over the edges: what lies outside is covered.
  const around = {
    type: "scatter", mode: "lines", x: [-0.2, 1.2, 1.2, -0.2, -0.2, 0, 0.5, 1, 0, -0.2], y: [-0.2, -0.2, 1.2, 1.2, -0.2, 0, top, 0, 0, -0.2],
    fill: "toself", fillcolor: colour("--card"), line: { width: 0 }, hoverinfo: "skip",
  };
  const frame = { type: "scatter", mode: "lines", x: [0, 1, 0.5, 0], y: [0, 0, top, 0], line: { color: edge, width: 2 }, hoverinfo: "skip" };
  const lines = answer.axes.flatMap((axis, k) => amounts(axis).map(([, s]) => EDGES[k].line(s, top)))
    .map(([a, b]) => ({ type: "scatter", mode: "lines", x: [a[0], b[0]], y: [a[1], b[1]], line: { color: "rgba(128,128,128,0.5)", width: 1 }, hoverinfo: "skip" }));
  const corner = (k, x, y, yanchor, xanchor) => ({ x, y, yanchor, xanchor, showarrow: false, text: blend(k), font: { size: 15, color: edge } });
  const hidden = { visible: false, fixedrange: true };
  return [[...(values ? [heat, ...contours(layer), ...cover(), around] : []), ...lines, frame, ...points(layer)], {
    xaxis: { ...hidden, range: [-0.1, 1.1] }, yaxis: { ...hidden, range: [-0.2, top + 0.16], scaleanchor: "x" },
    annotations: [corner(0, -0.1, -0.05, "top", "left"), corner(1, 1.1, -0.05, "top", "right"), corner(2, 0.5, top + 0.02, "bottom", "center"), ...edgeTicks(top)],
    margin: { l: 10, r: 10, t: 10, b: 10 },
  }];
}

function lineOf(layer, values) {
  const x = answer.grid[0], accent = colour("--accent");
  const ask = (points, hue) => points.map((p) => ({ type: "line", x0: p.place[0], x1: p.place[0], y0: 0, y1: 1, yref: "paper", line: { color: hue, width: 2, dash: "dot" } }));
  const waiting = ask(answer.design.filter((p) => p.state === "pending"), "#d1246a");
  if (layer !== "mean") {
    const curve = { type: "scatter", mode: "lines", x, y: values || [], line: { color: accent, width: 3 }, fill: "tozeroy", fillcolor: "rgba(80,140,210,0.2)", text: x.map((v, i) => reading(layer, i, [[answer.axes[0], v]])), hovertemplate: "%{text}<extra></extra>" };
    const marks = points(layer).map((t) => ({ ...t, y: t.x.map((at) => onCurve(layer, at)) }));
    const upright = { ...layout().yaxis, fixedrange: true, rangemode: "tozero" };
    return [[curve, ...marks], { xaxis: axisOf(answer.axes[0]), yaxis: upright, shapes: [...waiting, ...ask(nextShown(layer), "#ffb000")] }];
  }
  const sd = answer.layers.deviation || [], traces = [];
  const at = (sign) => (values || []).map((v, i) => (v === null ? null : v + sign * 2 * sd[i]));
  if (values) {
    traces.push({ type: "scatter", mode: "lines", x, y: at(-1), line: { width: 0 }, hoverinfo: "skip" });
    traces.push({ type: "scatter", mode: "lines", x, y: at(1), line: { width: 0 }, fill: "tonexty", fillcolor: "rgba(80,140,210,0.28)", hoverinfo: "skip" });
    traces.push({ type: "scatter", mode: "lines", x, y: values, line: { color: accent, width: 3, ...(answer.early ? { dash: "dash" } : {}) }, text: x.map((v, i) => reading(layer, i, [[answer.axes[0], v]])), hovertemplate: "%{text}<extra></extra>" });
  }
  return [[...traces, ...points(layer)], { xaxis: axisOf(answer.axes[0]), yaxis: { ...layout().yaxis, fixedrange: true, title: { text: plain(short(measured(), 30)), standoff: 12 } }, shapes: waiting }];
}
