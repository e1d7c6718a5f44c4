// The map as a file: as a picture, and as a table of its numbers.
import { $, shape } from "./dom.js";
import { raster, svgOf } from "./save.js";

/** What plotly or a canvas shows, as a file. */
export async function pictureOf(shown, format) {
  if ($(shown).tagName === "CANVAS") {
    if (format === "png") return new Promise((done) => $(shown).toBlob(done, "image/png"));
    const { clientWidth: width, clientHeight: height } = $(shown);
    return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><image width="${width}" height="${height}" href="${$(shown).toDataURL()}"/></svg>`;
  }
  if (shown === "small-maps") return besideAsFile(format);
  const { clientWidth: width, clientHeight: height } = $(shown), url = await Plotly.toImage(shown, { format, width, height, scale: format === "png" ? 2 : 1 });
  const text = url.slice(url.indexOf(",") + 1);
  if (format === "svg") return decodeURIComponent(text);
  return new Blob([Uint8Array.from(atob(text), (c) => c.charCodeAt(0))], { type: "image/png" });
}

/** The maps of all categories in one picture. */
async function besideAsFile(format) {
  const drawings = [...$("small-maps").querySelectorAll("[data-k]")], around = $("small-maps").getBoundingClientRect();
  const parts = await Promise.all(drawings.map(async (node) => {
    const { x, y, width, height } = node.getBoundingClientRect();
    const href = node.tagName === "CANVAS" ? node.toDataURL() : await Plotly.toImage(node, { format: "png", width, height, scale: 2 });
    return shape("image", { x: x - around.x, y: y - around.y, width, height, href });
  }));
  return format === "svg" ? svgOf($("small-maps"), parts) : raster(svgOf($("small-maps"), parts));
}

/** Of all categories, one after the other. */
export function besideRows(axis, labels, answers) {
  const all = answers.map(rowsOf);
  return [[axis, ...all[0][0]], ...all.flatMap((table, k) => table.slice(1).map((row) => [labels[k], ...row]))];
}

/** The numbers of the picture: a row a cell, with all layers that are there. */
export function rowsOf(answer) {
  const names = Object.keys(answer.layers), cells = answer.layers.mean?.length ?? 0, listed = answer.grid[0]?.length === cells;
  const titles = answer.kind === "globe" ? ["azimuth", "elevation"] : answer.kind === "ternary" ? ["across", "up"] : answer.axes.map((axis) => axis.name);
  const place = (i) => (listed ? answer.grid.map((g) => g[i]) : [answer.grid[0][i % answer.shape[1]], answer.grid[1][Math.floor(i / answer.shape[1])]]);
  return [[...titles, ...names], ...Array.from({ length: cells }, (_, i) => [...place(i), ...names.map((name) => answer.layers[name][i])])];
}
