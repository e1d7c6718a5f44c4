// Colours from low to high, evenly spaced: the same in plots, on the globe and in the report.

export const SCALES = {
  viridis: ["#440154", "#482878", "#3e4989", "#31688e", "#26828e", "#1f9e89", "#35b779", "#6ece58", "#b5de2b", "#fde725"],
  magma: ["#000004", "#180f3d", "#440f76", "#721f81", "#9e2f7f", "#cd4071", "#f1605d", "#fd9668", "#feca8d", "#fcfdbf"],
  blues: ["#f7fbff", "#deebf7", "#c6dbef", "#9ecae1", "#6baed6", "#4292c6", "#2171b5", "#08519c", "#08306b"],
  diverging: ["#2166ac", "#67a9cf", "#d1e5f0", "#f7f7f7", "#fddbc7", "#ef8a62", "#b2182b"],
  greens: ["#f7fcf5", "#e5f5e0", "#c7e9c0", "#a1d99b", "#74c476", "#41ab5d", "#238b45", "#006d2c"],
  greys: ["#303030", "#ffffff"],
  oranges: ["#fff5eb", "#fee6ce", "#fdd0a2", "#fdae6b", "#fd8d3c", "#f16913", "#d94801", "#a63603", "#7f2704"],
};

/** As plotly wants it. */
export const stops = (name) => SCALES[name].map((colour, i, all) => [i / (all.length - 1), colour]);

/** Red, green and blue at a share between 0 and 1. */
export function shade(name, share) {
  const all = SCALES[name], place = Math.min(Math.max(share, 0), 1) * (all.length - 1);
  const low = Math.min(Math.floor(place), all.length - 2), part = place - low;
  const [from, to] = [all[low], all[low + 1]].map((c) => [1, 3, 5].map((i) => parseInt(c.slice(i, i + 2), 16)));
  return from.map((v, i) => Math.round(v + part * (to[i] - v)));
}
