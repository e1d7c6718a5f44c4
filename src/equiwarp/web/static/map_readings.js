// What a map says under the pointer: the settings with their units and the value there, or the experiment.
import { angles, digits, plain, six, unitsByName, withDeviation } from "./dom.js";
import { scaleTitle } from "./map_layers.js";

export const STATES = { done: "measured", pending: "to run", failed: "failed", next: "would be next" };
const unit = (u) => (u ? ` ${u}` : "");
const alongAxis = (axis, v) => `${axis.name} ${axis.labels.length ? axis.labels[Math.round(v)] : six(Number(v.toPrecision(4)))}${unit(axis.unit)}`;

/** What the map says in a cell, line by line: where it is, and the value that the layer is about. */
function sayings(answer, layer, i, where) {
  const value = (name) => answer.layers[name]?.[i];
  if (value(layer) === null || value(layer) === undefined) return where;
  if (layer === "overlay") return [...where, ...answer.overlaid.map((r) => `${r.response} ${withDeviation(r.mean[i], r.deviation[i])}${unit(r.unit)}`), `all good: ${Math.round(100 * value(layer))} %`];
  if (layer === "mean" || layer === "deviation") return [...where, `${answer.response} ${withDeviation(value("mean"), value("deviation"))}${unit(answer.unit)}`];
  return [...where, `${scaleTitle(layer, answer)} ${digits(value(layer), 3)}`];
}

/** The same at places [axis, value]. */
export const cellReading = (answer, layer, i, places) => sayings(answer, layer, i, places.map(([axis, v]) => alongAxis(axis, v)));

/** The same for plotly; the last line is bold. */
export function reading(answer, layer, i, places) {
  const lines = cellReading(answer, layer, i, places).map(plain);
  return lines.length > places.length ? [...lines.slice(0, -1), `<b>${lines.at(-1)}</b>`].join("<br>") : lines.join("<br>");
}

/** What a globe says in a cell: the direction as two angles, and the value. */
export function globeReading(answer, layer, cell) {
  const [longitude, latitude] = [answer.grid[0][cell % answer.shape[1]], answer.grid[1][Math.floor(cell / answer.shape[1])]];
  return sayings(answer, layer, cell, [`azimuth ${Math.round(longitude)}°, elevation ${Math.round(latitude)}°`]);
}

/** An experiment in the picture, line by line: what it is, its settings, its value. */
export function pointReading(answer, p, state = p.role) {
  const units = unitsByName(), named = Object.entries(p.point).filter(([name]) => answer.kind !== "globe" || name in answer.at);
  const where = [...(answer.kind === "globe" ? [angles(p.place)] : []), ...named.map(([name, v]) => `${name} ${typeof v === "string" ? v : six(v)}${unit(units[name])}`)];
  return [`${p.id ? `Experiment ${p.id}, ` : ""}${STATES[state]}`, ...where, ...(known(p) ? [`${answer.response} ${p.limit ?? six(p.value)}${unit(answer.unit)}`] : [])];
}

const known = (p) => p.value !== null && p.value !== undefined;
/** The same for plotly; a value is bold. */
export const pointWords = (answer, p, state) => pointReading(answer, p, state).map((line, i, all) => (i === all.length - 1 && known(p) ? `<b>${plain(line)}</b>` : plain(line))).join("<br>");
