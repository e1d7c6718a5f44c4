// The map of a campaign: what is chosen, asked for and drawn. What it shows stands in the address.
import { compact, heldInAddress, remember, viewed } from "./address.js";
import { $, ask, busy, colour, element, sentence, six, withDeviation } from "./dom.js";
import { Globe } from "./globe.js";
import { caption, figureOf, layout, nextShown, plainLayer, scaleOf } from "./map_figures.js";
import { offer } from "./save.js";

export const CONFIG = { displayModeBar: false, responsive: true };
let globe = null, answer = null, asked = 0, request = null, marked = null, ours = 0;

/** Where a slider stands, in the units of its axis. */
function held(slider) {
  const { scale, low, high, settings } = slider.dataset;
  const place = Number(slider.querySelector("input").value);
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
    const { labels } = slider.dataset; // names of categories, one a line
    slider.querySelector("output").textContent = labels ? labels.split("\n")[at[slider.dataset.axis]] : six(at[slider.dataset.axis]);
  }
  return { axes, at, response: form.elements.response.value, ...layerOf(form.elements.layer.value), upto: upto() };
}

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
  for (const name of ["response", "layer"]) {
    const wanted = viewed(name), select = form.elements[name];
    if ([...select.options].some((option) => option.value === wanted)) select.value = wanted;
  }
  const axes = new URLSearchParams(location.search).getAll("axis"), selects = [...form.querySelectorAll(".axis")];
  if (axes.length === selects.length && new Set(axes).size === axes.length && selects.every((s, k) => [...s.options].some((o) => o.value === axes[k]))) selects.forEach((s, k) => { s.value = axes[k]; });
  const at = heldInAddress();
  for (const slider of form.querySelectorAll(".slider")) if (slider.dataset.axis in at) setSlider(slider, at[slider.dataset.axis]);
  if ($("m-upto") && viewed("upto")) { $("m-upto").value = viewed("upto"); $("m-upto").closest("details").open = true; }
}

function setSlider(slider, value) {
  const { scale, low, high, settings } = slider.dataset, input = slider.querySelector("input");
  if (settings) {
    const all = settings.split(" ").map(Number);
    input.value = all.indexOf(all.reduce((best, s) => (Math.abs(s - value) < Math.abs(best - value) ? s : best)));
  } else input.value = Math.round(200 * (scale === "log" ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low)));
}

export function mapControls(id, drawError) {
  const form = $("map-form");
  let timer = 0;
  ours = id;
  restore(form);
  form.addEventListener("submit", (event) => event.preventDefault());
  const changed = (event) => {
    if (event.target.classList.contains("axis")) distinct(form, event.target);
    if (event.target.name === "response") drawError(id);
    if (event.target.name === "layer" && answer && (answer.layers[event.target.value] || !answer.layers.mean)) { told(); paint(); return; }
    clearTimeout(timer);
    timer = setTimeout(() => drawMap(id), 120);
  };
  form.addEventListener("input", changed);
  $("m-upto")?.addEventListener("input", changed); // it belongs to the form, and stands below the map
  const again = () => { paint(); drawError(id); };
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", again);
  document.addEventListener("themechange", again);
  document.addEventListener("pointerover", (event) => mark(event.target.closest?.("[data-experiment]")?.dataset.experiment));
  document.addEventListener("focusin", (event) => mark(event.target.closest?.("[data-experiment]")?.dataset.experiment));
  $("globe").addEventListener("click", (event) => { const cell = globe?.cellAt(event); if (cell !== null && cell !== undefined) choose(cell); });
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
function query() {
  const { axes, at, response, layer, upto, minus } = choice(), asking = new URLSearchParams({ response, at: JSON.stringify(at), layers: !plainLayer(layer) });
  for (const axis of axes) asking.append("axis", axis);
  if (upto !== null) asking.set("upto", upto);
  if (minus) asking.set("minus", minus);
  return asking;
}

/** The address holds what is shown. */
function told() {
  const { axes, at, response, chosen: layer, upto } = choice();
  remember({ axis: axes, at: Object.keys(at).length ? compact(at) : "", response: response === "0" ? "" : response, layer: layer === "mean" ? "" : layer, upto });
}

/** Ask for the map; a coarse one first, where the whole one takes a while. What was asked before is given up. */
export async function drawMap(id) {
  const mine = ++asked, { layer, upto } = choice(), deep = !plainLayer(layer);
  request?.abort();
  request = new AbortController();
  if (answer) told();
  dim(Boolean(answer) && !answer.layers[layer]);
  const stop = busy($("map-busy"), deep ? "Computing what drives the next choice" : upto === null ? "Fitting the map" : `Fitting the map of ${upto} measurements`);
  try {
    for (const coarse of deep || upto !== null ? [false] : [true, false]) {
      const got = await fetch(`/api/campaigns/${id}/map?${query()}&coarse=${coarse}`, { signal: request.signal });
      const data = await got.json();
      if (mine !== asked) return;
      $("map-card").classList.toggle("outdated", !got.ok);
      if (!got.ok) { $("map-said").textContent = sentence(data.message); return; }
      answer = data;
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

/** What is drawn is not what was chosen: it pales until that is there. */
const dim = (on) => $("map-card").classList.toggle("waiting", on);

function paint() {
  if (!answer || (answer.kind !== "globe" && !globalThis.Plotly)) return; // it is drawn as soon as the script is there
  const { layer } = choice(), values = answer.layers[layer];
  document.querySelector(".next-key").hidden = !answer.next.length || plainLayer(layer);
  $("map-said").textContent = answer.measurements ? caption(answer, layer) : "The map appears with the first value.";
  $("map-legend").hidden = false;
  asItWas();
  const label = `${layer === "mean" ? "value" : layer} of ${answer.response}, ${answer.measurements} measurements, ${answer.design.length} points of the design`;
  if (answer.kind === "globe") {
    $("globe").hidden = false;
    $("globe").dataset.drawn = "yes";
    $("globe").setAttribute("aria-label", `Globe: ${label}; turn it with the arrow keys`);
    globe = globe || new Globe($("globe"));
    globe.show({ values, shape: answer.shape, design: answer.design, next: nextShown(layer, answer), scale: scaleOf(layer), text: colour("--text"), card: colour("--card") });
  } else {
    const plot = $("map-plot"), first = !plot.dataset.drawn;
    plot.hidden = false;
    plot.dataset.drawn = "yes";
    plot.setAttribute("aria-label", label);
    const [traces, extra] = figureOf(answer, layer, marked);
    Plotly.react(plot, traces, { ...layout(), ...extra }, CONFIG);
    if (first) {
      plot.on("plotly_click", clicked);
      plot.on("plotly_hover", ({ points }) => light(points.at(-1).customdata));
      plot.on("plotly_unhover", () => light(null));
    }
  }
  offer($("map-save"), () => `${document.querySelector("h1").textContent} ${answer.response} ${layer}`, { svg: () => picture("svg"), png: () => picture("png"), rows });
}

/** The map as a file. */
async function picture(format) {
  if (answer.kind === "globe") {
    if (format === "png") return new Promise((done) => $("globe").toBlob(done, "image/png"));
    const { clientWidth: width, clientHeight: height } = $("globe");
    return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><image width="${width}" height="${height}" href="${$("globe").toDataURL()}"/></svg>`;
  }
  const url = await Plotly.toImage("map-plot", { format, width: $("map-plot").clientWidth, height: $("map-plot").clientHeight, scale: format === "png" ? 2 : 1 });
  const text = url.slice(url.indexOf(",") + 1);
  if (format === "svg") return decodeURIComponent(text);
  return new Blob([Uint8Array.from(atob(text), (c) => c.charCodeAt(0))], { type: "image/png" });
}

/** The numbers of the picture: a row a cell, with all layers that are there. */
function rows() {
  const names = Object.keys(answer.layers), cells = answer.layers.mean?.length ?? 0, listed = answer.grid[0]?.length === cells;
  const titles = answer.kind === "globe" ? ["longitude", "latitude"] : answer.kind === "ternary" ? ["across", "up"] : answer.axes.map((axis) => axis.name);
  const place = (i) => (listed ? answer.grid.map((g) => g[i]) : [answer.grid[0][i % answer.shape[1]], answer.grid[1][Math.floor(i / answer.shape[1])]]);
  return [[...titles, ...names], ...Array.from({ length: cells }, (_, i) => [...place(i), ...names.map((name) => answer.layers[name][i])])];
}

/** Which state is shown, and how good the map was then. */
function asItWas() {
  const slider = $("m-upto");
  if (!slider) return;
  const most = Math.max(answer.measured, 1), atEnd = Number(slider.value) >= Number(slider.max);
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
  if (answer && answer.kind !== "globe") paint();
}

/** A click on the map: the experiment there, or what the map says there and what one can do. */
function clicked({ points }) {
  const point = points.at(-1), experiment = points.map((p) => p.customdata).find((n) => typeof n === "number");
  if (experiment) { opened(experiment); return; }
  const { pointNumber: n } = point;
  if (answer.kind === "line" || answer.kind === "list") { if (typeof n === "number") choose(n); return; }
  if (Array.isArray(n)) choose(n[0] * answer.shape[1] + n[1]);
}

async function choose(cell) {
  try {
    const found = await ask(`/api/campaigns/${ours}/map/${cell}?${query()}`);
    if (found.experiments.length) { opened(found.experiments.at(-1), found); return; }
    show(found, []);
  } catch (error) { $("place").replaceChildren(error.message); }
}

async function opened(number, found = null) {
  const e = await ask(`/api/campaigns/${ours}/experiments/${number}`);
  light(number);
  document.querySelector(`tr[data-experiment="${number}"]`)?.scrollIntoView({ block: "nearest" });
  const said = Object.entries(e.values ?? {}).map(([name, value]) => `${name} ${six(value)}`).join(", ") || e.state;
  const link = e.state === "pending" && $(`e${number}`) ? `#e${number}` : `/c/${ours}/e/${number}`;
  show({ ...found, point: e.point }, [element("b", {}, `Experiment ${number}: ${said}`), element("a", { class: "button plain", href: link }, "Open it")], false);
}

/** What is known of a place. */
function show(found, more, free = true) {
  const units = Object.fromEntries([...document.querySelectorAll("[data-unit]")].map((node) => [node.dataset.unit, node.dataset.of]));
  const where = Object.entries(found.point).map(([name, value]) => `${name} ${typeof value === "string" ? value : six(value)}${units[name] ? ` ${units[name]}` : ""}`).join(", ");
  const says = (found.predicted ?? []).map((p) => element("b", {}, `${p.response} ${withDeviation(p.mean, p.deviation)}${p.unit ? ` ${p.unit}` : ""}`));
  const buttons = [...more.filter((node) => node.tagName === "A")];
  if (free) {
    const add = element("button", { type: "button", class: "plain" }, "Add an experiment here");
    add.addEventListener("click", () => addAt(found.point, add));
    buttons.push(add);
    if (answer.kind !== "globe" && answer.kind !== "list") buttons.push(element("a", { class: "button plain", href: `/c/${ours}/profiler?at=${encodeURIComponent(compact(found.at))}` }, "Profile through here"));
  }
  $("place").replaceChildren(element("p", {}, where), element("p", { class: "says" }, ...more.filter((node) => node.tagName !== "A"), ...says), element("p", { class: "buttons" }, ...buttons));
}

async function addAt(point, button) {
  button.disabled = true;
  try {
    const [made] = await ask(`/api/campaigns/${ours}/ask`, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ n: 1, fixed: point }) });
    $("place").replaceChildren(`Experiment ${made.id} is to be run there.`);
    document.dispatchEvent(new Event("campaignchange"));
  } catch (error) { $("place").append(element("p", { class: "problem" }, error.message)); }
}
