// A mixture of three components as a triangle: round amounts along its edges, and corners that say what they are.
import { colour, plain, short, six } from "./dom.js";
import { around, paleness, tinted } from "./map_axes.js";
import { cells, contours, cover } from "./map_cells.js";
import { points } from "./map_points.js";
import { reading } from "./map_readings.js";
import { ticks } from "./panel.js";

const TOP = Math.sqrt(3) / 2;

/** Where a share of a component lies on its edge, the text beside it, and the line of equal amounts that begins there. */
const EDGES = [
  { tick: (s) => ({ x: 1 - s, y: 0, xanchor: "center", yanchor: "top", yshift: -2 }), line: (s) => [[1 - s, 0], [(1 - s) / 2, (1 - s) * TOP]] },
  { tick: (s) => ({ x: (1 + s) / 2, y: (1 - s) * TOP, xanchor: "left", yanchor: "middle", xshift: 5 }), line: (s) => [[(1 + s) / 2, (1 - s) * TOP], [s, 0]] },
  { tick: (s) => ({ x: s / 2, y: s * TOP, xanchor: "right", yanchor: "middle", xshift: -5 }), line: (s) => [[s / 2, s * TOP], [1 - s / 2, s * TOP]] },
];

export function triangle(shown) {
  const { answer, values } = shown, edge = colour("--text"), outline = (x, y, more) => ({ type: "scatter", mode: "lines", x, y, hoverinfo: "skip", ...more });
  const lines = answer.axes.flatMap((axis, k) => amounts(answer, axis).map(([, s]) => EDGES[k].line(s)))
    .map(([a, b]) => outline([a[0], b[0]], [a[1], b[1]], { line: { color: "rgba(128,128,128,0.5)", width: 1 } }));
  // Cells stick out over the edges: what lies outside is covered.
  const outside = outline([-0.2, 1.2, 1.2, -0.2, -0.2, 0, 0.5, 1, 0, -0.2], [-0.2, -0.2, 1.2, 1.2, -0.2, 0, TOP, 0, 0, -0.2], { fill: "toself", fillcolor: colour("--card"), line: { width: 0 } });
  const frame = outline([0, 1, 0.5, 0], [0, 0, TOP, 0], { line: { color: edge, width: 2 } });
  const corner = (k, x, y, yanchor, xanchor) => ({ x, y, yanchor, xanchor, showarrow: false, text: blend(answer, k), font: { size: 15, color: edge } });
  const corners = [corner(0, -0.1, -0.05, "top", "left"), corner(1, 1.1, -0.05, "top", "right"), corner(2, 0.5, TOP + 0.02, "bottom", "center")];
  const hidden = { visible: false, fixedrange: true };
  return [[...(values ? [heat(shown), ...contours(shown), ...cover(answer), outside] : []), ...lines, frame, ...points(shown)], {
    xaxis: { ...hidden, range: [-0.1, 1.1] }, yaxis: { ...hidden, range: [-0.2, TOP + 0.16], scaleanchor: "x" },
    ...around(shown, { l: 10, r: 10, t: 10, b: 10 }, [...corners, ...edgeTicks(answer)]),
  }];
}

const heat = (shown) => ({
  type: "contour", x: shown.answer.grid[0], y: shown.answer.grid[1], z: cells(shown.answer, shown.values), contours: { coloring: "heatmap" }, line: { width: 0.4, color: "rgba(255,255,255,0.35)" }, ncontours: 24, connectgaps: false,
  ...tinted(shown), ...paleness(shown.answer), hoverongaps: false, text: shares(shown), hovertemplate: "%{text}<extra></extra>",
});

/** At each cell, the three components and what the map says. */
function shares({ answer, layer }) {
  return answer.grid[1].map((y, r) => answer.grid[0].map((x, c) => {
    const third = y / TOP, second = x - third / 2, parts = [1 - second - third, second, third];
    return reading(answer, layer, r * answer.shape[1] + c, answer.axes.map((axis, k) => [axis, axis.low + answer.left * Math.min(Math.max(parts[k], 0), 1)]));
  }));
}

/** What a corner is: its component, and the least of the others where there must be some. */
function blend(answer, k) {
  const others = answer.axes.filter((axis, j) => j !== k && axis.low > 0).map((axis) => `${plain(short(axis.name, 12))} ${six(axis.low)}`);
  const { name, low } = answer.axes[k], most = others.length ? ` ${six(Number((low + answer.left).toPrecision(4)))}` : "";
  return `<b>${plain(short(name, 22))}</b>${most}${others.length ? `<br><span style="font-size:12px">with ${others.join(", ")}</span>` : ""}`;
}

/** Round amounts of each component along its edge, as shares of what the triangle shares out. */
const amounts = ({ left }, axis) => ticks(axis.low, axis.low + left, 5).map((v) => [v, (v - axis.low) / left]).filter(([, s]) => s > 0.06 && s < 0.94);
const edgeTicks = (answer) => answer.axes.flatMap((axis, k) => amounts(answer, axis).map(([v, s]) => ({ ...EDGES[k].tick(s), showarrow: false, text: six(v), font: { size: 12, color: colour("--quiet") } })));
