// Axes and bars of colours, as plotly takes them.
import { $, colour, digits, plain, short, six } from "./dom.js";
import { isShare, scaleOf, scaleTitle } from "./map_layers.js";
import { quarters } from "./panel.js";
import { stops } from "./scales.js";

export const onPhone = matchMedia("(max-width: 600px)");
const UPRIGHT = { thickness: 14, len: 0.95, nticks: 8, outlinewidth: 0 }, LYING = { orientation: "h", thickness: 12, len: 1, nticks: 6, outlinewidth: 0, x: 0.5, y: 1, yref: "container", yanchor: "top" };

export function layout() {
  const axis = { gridcolor: colour("--grid"), linecolor: colour("--quiet"), zeroline: false, automargin: true, title: { standoff: 12 } };
  return {
    paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)", font: { color: colour("--text"), size: 14, family: getComputedStyle(document.body).fontFamily },
    margin: { l: 56, r: 26, t: 16, b: 50 }, xaxis: axis, yaxis: axis, showlegend: false, hovermode: "closest", dragmode: false,
    hoverlabel: { font: { size: 15 } },
  };
}

/** Margins and notes of a map. On a phone the colours lie above it with their title; beside other maps it has none of its own. */
export function around({ answer, layer, range, values }, usual = null, notes = []) {
  if (range) return { ...(usual ? { margin: usual } : {}), annotations: notes };
  const { l, r, t, b } = usual ?? layout().margin;
  if (!onPhone.matches || !values) return { margin: { l, r, t, b }, annotations: notes };
  const title = { text: titleOf(layer, answer), x: 0.5, xref: "paper", y: 1, yref: "paper", yanchor: "bottom", yshift: 4, showarrow: false, font: { size: 13 } };
  return { margin: { l, r: Math.min(r, 20), t: 70, b }, annotations: [...notes, title] };
}
const titleOf = (layer, answer) => plain(short(scaleTitle(layer, answer), 34));

/** Colours of a layer: beside other maps, in the range that they share and without a bar. */
export function tinted({ answer, layer, range }) {
  const ends = range ?? (isShare(layer) ? [0, 1] : null);
  const bar = onPhone.matches ? LYING : { ...UPRIGHT, title: { text: titleOf(layer, answer), side: "right", font: { size: 13 } } };
  return { colorscale: stops(scaleOf(layer)), ...(layer === "difference" && !ends ? { zmid: 0 } : {}), ...(ends ? { zmin: ends[0], zmax: ends[1] } : {}), ...(range ? { showscale: false } : { colorbar: bar }) };
}

/** Maps of few values, and coarse ones, are pale: they must not look as certain as they would from hundreds. */
export const paleness = (answer) => (answer.early || answer.coarse ? { opacity: 0.65 } : {});

/** Room beside the ends of an axis: half a cell where its settings are few, a little where points stand on it. */
function room(answer, { settings: s, labels }, ends) {
  if (answer.kind === "list") return [0.05, 0.05].map((share) => share * (ends[1] - ends[0]));
  return s.length > 1 && (s.length < 8 || labels.length) ? [(s[1] - s[0]) / 2, (s.at(-1) - s.at(-2)) / 2] : [0, 0];
}

/** An axis from end to end. */
export function axisOf(answer, axis, upright = false) {
  const box = $("map-plot"), most = Math.max(16, Math.floor(((upright ? box.clientHeight : box.clientWidth) - 110) / 9)); // letters that fit
  const log = axis.scale === "log", ends = log ? [Math.log10(axis.low), Math.log10(axis.high)] : [axis.low, axis.high];
  const [before, after] = log ? [0, 0] : room(answer, axis, ends);
  const unit = axis.unit ? ` (${short(axis.unit, 20)})` : "", name = short(axis.name, most - unit.length) + unit;
  return { ...layout().xaxis, title: { text: plain(name), standoff: 12 }, fixedrange: true, range: [ends[0] - before, ends[1] + after], ...(log ? { type: "log" } : {}), ...ticksOf(axis) };
}

/** Where plotly's own ticks would not do: names, few settings, quarters of the way around, powers of ten. */
function ticksOf(axis) {
  if (axis.labels.length) return { tickvals: axis.settings, ticktext: axis.labels.map((name) => plain(short(name, 16))) };
  if (axis.settings.length && axis.settings.length < 8) return { tickvals: axis.settings };
  if (axis.periodic && !axis.settings.length) return { tickvals: quarters(axis), ticktext: quarters(axis).map((v) => digits(v, 3)) };
  return axis.scale === "log" ? decades(axis) : {};
}

/** Ticks of a log axis, written out: 1, 2, 5 of each power of ten, or the powers alone where there are many. */
function decades({ low, high }) {
  const from = Math.floor(Math.log10(low)), powers = Array.from({ length: Math.ceil(Math.log10(high)) - from + 1 }, (_, k) => k + from);
  const tickvals = powers.flatMap((p) => (powers.length > 4 ? [1] : [1, 2, 5]).map((v) => v * 10 ** p)).filter((v) => v >= low * 0.999 && v <= high * 1.001);
  return tickvals.length > 1 ? { tickvals, ticktext: tickvals.map(six) } : {};
}
