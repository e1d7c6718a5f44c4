// Parallel coordinates: every parameter and response an axis, every setting a line; limits leave those that interest.
import { remember, viewed } from "./address.js";
import { $, ask, busy, digits, element, shape, short } from "./dom.js";
import { axisScale, axisTicks } from "./panel.js";
import { offer, svgOf } from "./save.js";
import { shade } from "./scales.js";

const HEIGHT = 420, TOP = 58, BOTTOM = 22, ROOM = 84, LEFT = 60;
let found = null, axes = [], kept = {};

export async function parallel(id) {
  if (!$("parallel")) return;
  const stop = busy($("parallel-busy"), "Computing the map at many places", id);
  try { found = await ask(`/api/campaigns/${id}/places`); } catch (error) { $("parallel-problem").textContent = error.message; return; } finally { stop(); }
  const spread = (k) => [...found.map.values, ...found.measured.values].map((row) => row[k]).filter((v) => v !== null);
  axes = [...found.parameters, ...found.responses.map((name, k) => ({ name, unit: found.units[k], labels: [], scale: "linear", low: Math.min(...spread(k)), high: Math.max(...spread(k)), response: true }))].map((axis) => ({ settings: [], ...axis }));
  try { kept = JSON.parse(viewed("kept", "{}")) ?? {}; } catch { kept = {}; }
  if (viewed("lines") === "measured") $("par-what").value = "measured";
  $("parallel-limits").replaceChildren(...axes.map(limit));
  $("parallel").replaceChildren(shape("svg", { id: "lines", class: "parallel", role: "img", "aria-label": "Parallel axes", height: HEIGHT }));
  $("parallel-form").addEventListener("input", paint);
  $("parallel-form").addEventListener("submit", (event) => event.preventDefault());
  new ResizeObserver(paint).observe(document.querySelector(".wide"));
  offer($("parallel-save"), () => `all parameters of ${document.querySelector("h1").textContent}`, { svg: () => svgOf($("parallel")), rows: () => [axes.map((a) => a.name), ...lines().filter(within)] });
}

/** What is drawn: each line a list of numbers, one an axis. */
const lines = () => { const { at, values } = found[$("par-what").value]; return at.map((row, i) => [...row, ...values[i]]); };
const within = (line) => axes.every(({ name }, k) => !kept[name] || (line[k] !== null && (kept[name][0] === null || line[k] >= kept[name][0]) && (kept[name][1] === null || line[k] <= kept[name][1])));

/** Limits of one axis, to type: the keyboard does what a drag does. */
function limit(axis, k) {
  const box = element("fieldset", { class: "between" }, element("legend", {}, `${axis.name}${axis.unit ? ` in ${axis.unit}` : ""}`));
  if (axis.labels.length) {
    const select = element("select", { id: `keep-${k}`, "aria-label": `${axis.name}: which` }, element("option", { value: "" }, "all"), ...axis.labels.map((name, i) => element("option", { value: i }, name)));
    select.addEventListener("input", () => { set(axis.name, select.value === "" ? null : [Number(select.value), Number(select.value)]); });
    box.append(select);
  } else for (const [i, word] of ["from", "to"].entries()) {
    const input = element("input", { id: `keep-${k}-${i}`, inputmode: "decimal", autocomplete: "off", placeholder: word, "aria-label": `${axis.name} ${word}` });
    input.addEventListener("input", () => {
      const pair = kept[axis.name] ?? [null, null], value = input.value.trim() === "" ? null : Number(input.value.replace(",", "."));
      if (value === null || Number.isFinite(value)) set(axis.name, pair.map((v, j) => (j === i ? value : v)));
    });
    box.append(input);
  }
  return box;
}

function set(name, pair) {
  if (pair && pair.some((v) => v !== null)) kept[name] = pair; else delete kept[name];
  paint();
}

function paint() {
  const svg = $("lines"), width = Math.max(document.querySelector(".wide").clientWidth, LEFT + ROOM * (axes.length - 1) + 70), step = (width - LEFT - 70) / Math.max(axes.length - 1, 1);
  svg.setAttribute("viewBox", `0 0 ${width} ${HEIGHT}`);
  svg.setAttribute("width", width);
  const x = (k) => LEFT + k * step, ys = axes.map((axis) => { const scale = axisScale(axis.high > axis.low || axis.labels.length ? axis : { ...axis, low: axis.low - 1, high: axis.high + 1 }); return (v) => TOP + (1 - scale.share(v)) * (HEIGHT - TOP - BOTTOM); });
  const all = lines(), chosen = Number($("par-colour").value) + found.parameters.length, axis = axes[chosen], left = all.filter(within).sort((a, b) => a[chosen] - b[chosen]);
  const path = (line) => line.map((v, k) => (v === null ? "" : `${x(k).toFixed(1)},${ys[k](v).toFixed(1)}`)).filter(Boolean).join(" ");
  const parts = all.filter((line) => !within(line)).map((line) => shape("polyline", { points: path(line), class: "pale" }));
  for (const line of left) parts.push(shape("polyline", { points: path(line), class: "kept", stroke: `rgb(${shade("viridis", (line[chosen] - axis.low) / ((axis.high - axis.low) || 1))})` }));
  axes.forEach((one, k) => parts.push(...upright(one, k, x(k), ys[k], step)));
  svg.replaceChildren(...parts);
  svg.setAttribute("aria-label", `Parallel axes of ${axes.map((a) => a.name).join(", ")}: ${left.length} of ${all.length} lines within the limits`);
  say(all.length, left);
  fields();
  remember({ kept: Object.keys(kept).length ? JSON.stringify(kept) : "", lines: $("par-what").value === "map" ? "" : "measured" });
}

/** One axis with its name, its ticks, what is kept of it, and the strip on which one drags. */
function upright(axis, k, x, y, step) {
  const name = short(axis.name, Math.floor(step / 8)), parts = [shape("line", { x1: x, x2: x, y1: TOP, y2: HEIGHT - BOTTOM, class: "axis" }), shape("text", { x, y: 18, "text-anchor": "middle", class: "name", ...(axis.response ? { "font-weight": 700 } : {}) }, name)];
  if (axis.unit) parts.push(shape("text", { x, y: 36, "text-anchor": "middle", class: "tick" }, short(axis.unit, 12)));
  const marks = axis.labels.length ? axis.labels.map((text, i) => [i, short(text, 10)]) : axisTicks(axis, HEIGHT);
  for (const [v, text] of marks) parts.push(shape("text", { x: x - 7, y: y(v) + 4, "text-anchor": "end", class: "tick" }, text));
  const pair = kept[axis.name];
  if (pair) {
    const [low, high] = axis.labels.length ? [pair[0] - 0.5, pair[1] + 0.5] : [pair[0] ?? axis.low, pair[1] ?? axis.high], [a, b] = [y(high), y(low)].map((v) => Math.min(Math.max(v, TOP), HEIGHT - BOTTOM));
    parts.push(shape("rect", { x: x - 7, width: 14, y: a, height: Math.max(b - a, 2), class: "brush" }));
  }
  const strip = shape("rect", { x: x - 16, width: 32, y: TOP - 6, height: HEIGHT - TOP - BOTTOM + 12, class: "strip", "data-axis": k });
  drag(strip, axis);
  return [...parts, strip];
}

/** Drag along an axis: what lies between is kept. A click takes the limits away. */
function drag(strip, axis) {
  strip.addEventListener("pointerdown", (event) => {
    event.preventDefault();
    const box = $("lines").getBoundingClientRect(), height = box.height / HEIGHT, from = event.clientY, scale = axisScale(axis);
    const value = (clientY) => scale.value(Math.min(Math.max(1 - ((clientY - box.top) / height - TOP) / (HEIGHT - TOP - BOTTOM), 0), 1));
    const moved = (e) => { if (Math.abs(e.clientY - from) > 3) set(axis.name, [value(from), value(e.clientY)].sort((a, b) => a - b).map((v) => Number(v.toPrecision(4)))); };
    const done = (e) => { removeEventListener("pointermove", moved); removeEventListener("pointerup", done); if (Math.abs(e.clientY - from) <= 3) set(axis.name, null); };
    addEventListener("pointermove", moved);
    addEventListener("pointerup", done);
  });
}

/** How many are left, and where they lie. */
function say(count, left) {
  const what = $("par-what").value === "map" ? "places" : "measurements";
  const where = left.length && left.length < count ? found.parameters.map((axis, k) => {
    const some = left.map((line) => line[k]);
    if (axis.labels.length) return `${axis.name} ${[...new Set(some)].sort().map((v) => axis.labels[v]).join(" or ")}`;
    return `${axis.name} ${digits(Math.min(...some), 3)} to ${digits(Math.max(...some), 3)}${axis.unit ? ` ${axis.unit}` : ""}`;
  }).join(", ") : "";
  const more = document.querySelector(".wide").scrollWidth > document.querySelector(".wide").clientWidth ? " Push the drawing sideways for the other axes." : "";
  $("parallel-said").textContent = (left.length === count ? `${count} ${what}; nothing is limited.` : left.length ? `${left.length} of ${count} ${what} are left: ${where}.` : `None of ${count} ${what} is left; widen a limit.`) + more;
}

/** The fields say what a drag set. */
function fields() {
  axes.forEach((axis, k) => {
    const pair = kept[axis.name] ?? [null, null];
    if (axis.labels.length) $(`keep-${k}`).value = pair[0] === null ? "" : String(pair[0]);
    else [0, 1].forEach((i) => { const input = $(`keep-${k}-${i}`); if (document.activeElement !== input) input.value = pair[i] === null ? "" : String(pair[i]); });
  });
}
