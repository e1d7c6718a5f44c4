// The design over a map: measured, to run, failed, and what would be next.
import { nextShown } from "./map_layers.js";
import { pointWords } from "./map_readings.js";

/** How a group of points looks; of thousands, each is small, so that the map is seen between them. */
function styles(measurements) {
  const small = Math.min(1, Math.sqrt(150 / measurements));
  return {
    done: { symbol: "circle", color: "#ffffff", line: { color: "#111111", width: 1.5 * small }, size: Math.max(3, 9 * small) },
    halo: { symbol: "circle-open", color: "#ffffff", line: { width: 6 }, size: 14 },
    pending: { symbol: "circle-open", color: "#d1246a", line: { width: 3 }, size: 14 },
    failed: { symbol: "x", color: "#777777", line: { color: "#ffffff", width: 1.5 }, size: 12 },
    spot: { symbol: "circle-open", color: "#ffb000", line: { width: 4 }, size: 22 },
    next: { symbol: "diamond", color: "#ffb000", line: { color: "#111111", width: 1.5 }, size: 13 },
  };
}

/** A trace for each group; the experiment `spot` stands out. */
export function points({ answer, layer, spot }) {
  const style = styles(answer.measurements), having = (state) => answer.design.filter((p) => p.role === state);
  const groups = {
    done: having("done"), halo: having("pending"), // a pale ring around the red one: it shows on every colour
    pending: having("pending"), failed: having("failed"), next: nextShown(layer, answer), spot: answer.design.filter((p) => p.id === spot),
  };
  return Object.entries(groups).filter(([, group]) => group.length).map(([state, group]) => ({
    type: "scatter", mode: "markers", cliponaxis: false, hoverinfo: state === "halo" || state === "spot" ? "skip" : "text",
    x: group.map((p) => p.place[0]), y: group.map((p) => (p.place.length > 1 ? p.place[1] : p.value ?? onCurve(answer, layer, p.place[0]))),
    marker: { ...style[state], opacity: group.map((p) => Math.max(state === "halo" ? 0.25 : 0.4, 1 - 2 * p.apart)) },
    text: group.map((p) => pointWords(answer, p, state)), customdata: group.map((p) => p.id ?? null),
  }));
}

/** What has no value yet stands on the curve. */
export function onCurve(answer, layer, x) {
  const grid = answer.grid[0], values = answer.layers[layer];
  return values ? values[grid.reduce((best, v, i) => (Math.abs(v - x) < Math.abs(grid[best] - x) ? i : best), 0)] : 0;
}
