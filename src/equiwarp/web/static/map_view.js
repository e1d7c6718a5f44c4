// The map of a campaign: what is chosen, asked for and drawn. What it shows stands in the address.
import { compact, heldInAddress, remember, viewed } from "./address.js";
import { $, ask, busy, colour, sentence, six } from "./dom.js";
import { Globe } from "./globe.js";
import { layout, onPhone } from "./map_axes.js";
import { figureOf } from "./map_figures.js";
import { caption, nextShown, plainLayer, scaleOf, scaleTitle } from "./map_layers.js";
import { pointed } from "./map_pointer.js";
import { besideRows, pictureOf, rowsOf } from "./map_files.js";
import { clicked, placesOf } from "./map_place.js";
import { goodness, limitsText, proposeLimits } from "./overlay.js";
import { offer } from "./save.js";
import { drawBeside } from "./small_maps.js";
import { Surface } from "./surface.js";
import { explain } from "./terms.js";

export const CONFIG = { displayModeBar: false, responsive: true };
let globe = null, surface = null, answer = null, beside = null, asked = 0, request = null, marked = null;

/** Where a slider, or the choice of a category, stands, in the units of its axis; for each category it is the first. */
function held(slider) {
  const { scale, low, high, settings } = slider.dataset, input = slider.querySelector("input, select");
  const place = input.value === "each" ? 0 : Number(input.value);
  if (settings) return settings.split(" ").map(Number)[place];
  const share = place / 200;
  return scale === "log" ? low * (high / low) ** share : Number(low) + share * (high - low);
}

export function choice() {
  const form = $("map-form");
  const axes = [...form.querySelectorAll(".axis")].map((s) => s.value);
  const at = {};
  for (const slider of form.querySelectorAll(".slider")) {
    slider.hidden = axes.includes(slider.dataset.axis);
    if (slider.hidden) continue;
    at[slider.dataset.axis] = held(slider);
    const output = slider.querySelector("output");
    if (output) output.textContent = six(at[slider.dataset.axis]);
  }
  return { axes, at, response: form.elements.response.value, ...layerOf(form.elements.layer.value), upto: upto(), each: each(form), picture: form.elements.picture?.value ?? "" };
}

/** The axis of which every category is shown, beside each other; empty if one category is chosen. */
function each(form) {
  const chosen = [...form.querySelectorAll(".slider:not([hidden]) select")].find((select) => select.value === "each");
  return chosen?.closest(".slider").dataset.axis ?? "";
}
const labelsOf = (axis) => [...document.querySelectorAll("#map-form .slider")].find((s) => s.dataset.axis === axis).dataset.labels.split("\n");

/** The layer that is chosen and, of a difference, to what. */
function layerOf(value) {
  const [, minus] = /^difference-(.+)$/.exec(value) ?? [];
  return minus ? { layer: "difference", minus, chosen: value } : { layer: value, minus: "", chosen: value };
}

/** How many measurements the map rests on, if it is an earlier one. */
function upto() {
  const slider = $("m-upto");
  return slider && Number(slider.value) < Number(slider.max) ? Number(slider.value) : null;
}

/** Put into the controls what the address says. */
function restore(form) {
  for (const name of ["response", "layer", "picture"]) {
    const wanted = viewed(name), select = form.elements[name];
    if (select && [...select.options].some((option) => option.value === wanted)) select.value = wanted;
  }
  const axes = new URLSearchParams(location.search).getAll("axis"), selects = [...form.querySelectorAll(".axis")];
  if (axes.length === selects.length && new Set(axes).size === axes.length && selects.every((s, k) => [...s.options].some((o) => o.value === axes[k]))) selects.forEach((s, k) => { s.value = axes[k]; });
  const at = heldInAddress();
  for (const slider of form.querySelectorAll(".slider")) if (slider.dataset.axis in at) setSlider(slider, at[slider.dataset.axis]);
  for (const slider of form.querySelectorAll(".slider:has(select)")) if (slider.dataset.axis === viewed("each")) slider.querySelector("select").value = "each";
  if ($("m-upto") && viewed("upto")) { $("m-upto").value = viewed("upto"); $("m-upto").closest("details").open = true; }
}

function setSlider(slider, value) {
  const { scale, low, high, settings } = slider.dataset, input = slider.querySelector("input, select");
  if (settings) {
    const all = settings.split(" ").map(Number);
    input.value = all.indexOf(all.reduce((best, s) => (Math.abs(s - value) < Math.abs(best - value) ? s : best)));
  } else input.value = Math.round(200 * (scale === "log" ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low)));
}

export function mapControls(id, drawError) {
  const form = $("map-form");
  let timer = 0;
  placesOf(() => ({ ours: id, answer, query, light }));
  restore(form);
  form.addEventListener("submit", (event) => event.preventDefault());
  const changed = (event) => {
    if (event.target.classList.contains("axis")) distinct(form, event.target);
    if (event.target.value === "each") for (const other of form.querySelectorAll(".slider select")) if (other !== event.target && other.value === "each") other.selectedIndex = 0;
    if (event.target.closest("#limits") || event.target.name === "picture") { told(); paint(); return; }
    if (event.target.name === "response") drawError(id);
    if (event.target.name === "layer" && answer && (answer.layers[event.target.value] || !answer.layers.mean)) { told(); paint(); return; }
    clearTimeout(timer);
    timer = setTimeout(() => drawMap(id), 120);
  };
  form.addEventListener("input", changed);
  $("m-upto")?.addEventListener("input", changed); // it belongs to the form, and stands below the map
  const again = () => { paint(); drawError(id); };
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", again);
  onPhone.addEventListener("change", () => { anew(); again(); }); // the colours lie above the map on a phone
  document.addEventListener("themechange", again);
  document.addEventListener("pointerover", (event) => mark(event.target.closest?.("[data-experiment]")?.dataset.experiment));
  document.addEventListener("focusin", (event) => mark(event.target.closest?.("[data-experiment]")?.dataset.experiment));
  for (const name of ["globe", "surface"]) pointed($(name), () => ({ drawn: { globe, surface }[name], answer, layer: choice().layer, light }));
  const begin = () => { drawMap(id); drawError(id); };
  if (globalThis.Plotly) begin(); else addEventListener("load", () => {
    if (globalThis.Plotly) begin();
    else $("map-said").textContent = "The script that draws did not arrive. Reload the page; the report below has the map, too.";
  });
}

/** Two axes never show the same parameter: the other one takes what this one had. */
function distinct(form, changed) {
  const all = [...form.querySelectorAll(".axis")];
  const free = [...changed.options].map((o) => o.value).filter((v) => !all.some((s) => s.value === v));
  for (const other of all) if (other !== changed && other.value === changed.value) other.value = changed.dataset.before || free[0];
  for (const select of all) select.dataset.before = select.value;
}

/** What is shown, as the API takes it. */
function query(more = {}) {
  const { axes, at, response, layer, upto, minus } = choice(), asking = new URLSearchParams({ response, at: JSON.stringify({ ...at, ...more }), layers: !plainLayer(layer) });
  if (layer === "overlay") asking.set("overlay", true);
  for (const axis of axes) asking.append("axis", axis);
  if (upto !== null) asking.set("upto", upto);
  if (minus) asking.set("minus", minus);
  return asking;
}

/** The address holds what is shown. */
function told() {
  const { axes, at, response, chosen: layer, upto, each, picture } = choice();
  const good = layer === "overlay" && answer?.overlaid ? limitsText(answer.overlaid.length) : "";
  remember({ each, picture, good, axis: axes, at: Object.keys(at).length ? compact(at) : "", response: response === "0" ? "" : response, layer: layer === "mean" ? "" : layer, upto });
}

/** Ask for the map; a coarse one first, where the whole one takes a while. What was asked before is given up. */
export async function drawMap(id) {
  const mine = ++asked, { layer, upto, each } = choice(), deep = !plainLayer(layer);
  request?.abort();
  request = new AbortController();
  if (answer) told();
  dim(Boolean(answer) && !answer.layers[layer]);
  const stop = busy($("map-busy"), deep ? "Computing what drives the next choice" : upto === null ? "Fitting the map" : `Fitting the map of ${upto} measurements`, id);
  try {
    for (const coarse of deep || upto !== null ? [false] : [true, false]) {
      const got = await fetch(`/api/campaigns/${id}/map?${query()}&coarse=${coarse}`, { signal: request.signal });
      const data = await got.json();
      if (mine !== asked) return;
      $("map-card").classList.toggle("outdated", !got.ok);
      if (!got.ok) { $("map-said").textContent = sentence(data.message); return; }
      const others = each && !data.coarse && data.layers.mean ? await forEach(id, each, data) : null;
      if (mine !== asked) return;
      answer = data;
      beside = others;
      dim(false);
      paint();
      if (!answer.coarse) return;
    }
  } catch (error) {
    if (mine === asked && error.name !== "AbortError") $("map-said").textContent = "The map could not be computed, because the server does not answer.";
  } finally {
    stop();
  }
}

/** The map of every category, the first of which is known. */
async function forEach(id, axis, first) {
  const found = [first];
  for (let k = 1; k < labelsOf(axis).length; k += 1) found.push(await ask(`/api/campaigns/${id}/map?${query({ [axis]: k })}&coarse=false`, { signal: request.signal }));
  return found;
}

/** What is drawn is not what was chosen: it pales until that is there. */
const dim = (on) => $("map-card").classList.toggle("waiting", on);

/** Which of the drawings the choice wants: the maps of all categories, a globe, a surface, or the flat map. */
function drawing(picture, values) {
  if (beside) return "small-maps";
  if (answer.kind === "globe") return "globe";
  const smooth = answer.kind === "plane" && values && answer.axes.every((axis) => !axis.labels.length) && answer.shape.every((n) => n >= 8);
  return picture === "surface" && smooth ? "surface" : "map-plot";
}

function paint() {
  if (!answer || (answer.kind !== "globe" && !globalThis.Plotly)) return; // it is drawn as soon as the script is there
  const { layer, picture, each } = choice();
  $("limits").hidden = layer !== "overlay";
  for (const one of beside ?? [answer]) overlay(one, layer);
  const values = answer.layers[layer], shown = drawing(picture, values);
  document.querySelector(".next-key").hidden = !answer.next.length || plainLayer(layer);
  $("map-said").textContent = answer.measurements ? caption(answer, layer, shown) : "The map appears with the first value.";
  explain($("map-said"), layer);
  legend(shown);
  asItWas();
  for (const name of ["small-maps", "globe", "surface", "map-plot"]) $(name).hidden = name !== shown;
  $(shown).dataset.drawn = "yes";
  const label = `${layer === "mean" ? "value" : layer} of ${answer.response}, ${answer.values} measurements, ${answer.design.length} points of the design`;
  const colours = { scale: scaleOf(layer), title: scaleTitle(layer, answer), text: colour("--text"), card: colour("--card"), line: colour("--quiet") };
  if (shown === "small-maps") drawBeside(each, labelsOf(each), beside, layer, { config: CONFIG, marked, chosen: (k, points) => clicked({ points }, { [each]: k }) });
  else if (shown === "globe") {
    $("globe").setAttribute("aria-label", `Globe: ${label}; turn it with the arrow keys`);
    globe = globe || new Globe($("globe"), viewed("facing"), (facing) => remember({ facing }));
    globe.show({ values, shape: answer.shape, design: answer.design, next: nextShown(layer, answer), pale: answer.early || answer.coarse, spot: marked, names: answer.vector, ...colours });
  } else if (shown === "surface") {
    $("surface").setAttribute("aria-label", `Surface: ${label}; turn it with the arrow keys`);
    $("surface").classList.toggle("pale", answer.early || answer.coarse);
    surface = surface || new Surface($("surface"));
    surface.show({ ...answer, values, design: layer === "mean" ? answer.design : [], spot: marked, ...colours });
  } else flat(layer, label);
  offer($("map-save"), () => `${document.querySelector("h1").textContent} ${answer.response} ${layer}`, { svg: () => pictureOf(shown, "svg"), png: () => pictureOf(shown, "png"), rows: () => (beside ? besideRows(each, labelsOf(each), beside) : rowsOf(answer)) });
}

/** The flat map is drawn from nothing: plotly cannot turn a bar of colours. */
function anew() {
  const plot = $("map-plot");
  if (!plot.dataset.heard) return;
  Plotly.purge(plot);
  delete plot.dataset.heard;
}

/** The marks that there are; on a surface, those that are measured. */
function legend(shown) {
  $("map-legend").hidden = !answer.design.length;
  $("place").hidden = $("map-save").hidden = !answer.measurements; // nothing can be asked of no map
  for (const state of ["done", "pending", "failed"]) $("map-legend").querySelector(`.${state}`).parentElement.hidden = !answer.design.some((p) => p.role === state) || (shown === "surface" && state !== "done");
}

function flat(layer, label) {
  const plot = $("map-plot"), first = !plot.dataset.heard;
  plot.dataset.heard = "yes";
  plot.setAttribute("aria-label", label);
  const [traces, extra] = figureOf(answer, layer, marked);
  Plotly.react(plot, traces, { ...layout(), ...extra }, CONFIG);
  if (!first) return;
  plot.on("plotly_click", clicked);
  plot.on("plotly_hover", ({ points }) => light(points.at(-1).customdata));
  plot.on("plotly_unhover", () => light(null));
}

/** Where all responses are good, computed from what the map says of each. */
function overlay(one, layer) {
  if (layer !== "overlay" || !one.overlaid) return;
  proposeLimits(one.overlaid);
  one.layers.overlay = goodness(one.overlaid);
}

/** Which state is shown, and how good the map was then. */
function asItWas() {
  const slider = $("m-upto");
  if (!slider) return;
  $("history").hidden = answer.measured <= 3;
  $("map-form").querySelector("option[value=works]").hidden = !answer.layers.works;
  const most = Math.max(answer.measured, 4), atEnd = Number(slider.value) >= Number(slider.max);
  slider.max = most;
  if (atEnd) slider.value = most;
  const error = answer.error === null ? "" : `, map error ${Number(answer.error.toPrecision(3))}${answer.unit ? ` ${answer.unit}` : ""}`;
  $("m-upto-said").textContent = answer.upto === null ? `now: ${answer.measured} measurements${error}` : `after ${answer.upto} of ${answer.measured} measurements${error}`;
}

/** An experiment stands out in the table and in the map, wherever the pointer is on it. */
function light(number) {
  for (const row of document.querySelectorAll("[data-experiment]")) row.classList.toggle("picked", number !== null && Number(row.dataset.experiment) === number);
}

function mark(number) {
  const wanted = number === undefined ? null : Number(number);
  if (wanted === marked) return;
  marked = wanted;
  light(marked);
  if (answer) paint();
}
