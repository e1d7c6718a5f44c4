// The cells of a map: their rows, the edge where constraints cut them, and lines of equal values.
import { colour } from "./dom.js";
import { levelsShown } from "./map_layers.js";
import { LINES } from "./overlay.js";

const rowsOf = ({ shape: [rows, columns] }, values) => Array.from({ length: rows }, (_, i) => values.slice(i * columns, (i + 1) * columns));

/** Values row by row. Where constraints cut the picture, cells beyond the edge take the value beside it; a cover then draws the edge itself. */
export function cells(answer, values) {
  const rows = rowsOf(answer, values);
  if (!answer.beyond.length) return rows;
  const at = (r, c) => rows[r]?.[c] ?? null;
  return rows.map((row, r) => row.map((v, c) => {
    if (v !== null) return v;
    const straight = [[0, 1], [0, -1], [1, 0], [-1, 0]].map(([i, j]) => [at(r + i, c + j), at(r + 2 * i, c + 2 * j)]).filter(([a]) => a !== null).map(([a, b]) => (b === null ? a : 2 * a - b));
    const near = straight.length ? straight : [[1, 1], [1, -1], [-1, 1], [-1, -1]].map(([i, j]) => at(r + i, c + j)).filter((a) => a !== null);
    return near.length ? near.reduce((a, b) => a + b) / near.length : null;
  }));
}

/** What lies outside the constraints, in the colour of the card. */
export function cover(answer) {
  if (!answer.beyond.length) return [];
  const along = (k) => answer.beyond.flatMap((part) => [...part.map((p) => p[k]), part[0][k], null]);
  return [{ type: "scatter", mode: "lines", x: along(0), y: along(1), fill: "toself", fillcolor: colour("--card"), line: { width: 0 }, hoverinfo: "skip" }];
}

/** Lines along which values have a level: dark under pale, or in a colour of their own. */
function levelLines(answer, values, levels, hue = null) {
  const z = cells(answer, values);
  const line = (level, width, shade) => ({ type: "contour", x: answer.grid[0], y: answer.grid[1], z, showscale: false, hoverinfo: "skip", connectgaps: false, autocontour: false, contours: { start: level, end: level, size: 1, coloring: "none" }, line: { width, color: shade }, name: "level" });
  return levels.flatMap((level) => (hue ? [line(level, 5, colour("--card")), line(level, 3, hue)] : [line(level, 4, "#111111"), line(level, 2, "#ffffff")]));
}

/** The level of the aim, or the limits of all responses. */
export function contours({ answer, layer }) {
  if (layer === "overlay") return answer.overlaid.flatMap((r, k) => levelLines(answer, r.mean, r.limits.filter((v) => v !== null), LINES[k % LINES.length]));
  const levels = levelsShown(layer, answer);
  return levels.length ? levelLines(answer, answer.layers.mean, levels) : [];
}
