// The profiler: the map along every parameter through one setting, which is dragged; all responses below each other.
import { compact, heldInAddress, remember } from "./address.js";
import { $, ask, busy, digits, element, shape, withDeviation } from "./dom.js";
import { axisScale, drawPanel, settable } from "./panel.js";
import { offer, svgOf } from "./save.js";

let shown = null, wanted = null, under = false, id = 0;
const ranges = []; // of each response: it grows, and never shrinks under somebody's finger

export async function profiler(campaign) {
  id = campaign;
  await renew({ at: heldInAddress(), moved: "" });
  if (!shown) return;
  new ResizeObserver(() => paint()).observe($("profiles"));
  offer($("profiles-save"), () => `profile of ${document.querySelector("h1").textContent}`, { svg: () => svgOf($("profiles")), rows });
  $("add-here").addEventListener("submit", addHere);
}

/** Ask for the profiles through a setting. One request at a time; of what is wanted meanwhile, the last counts. */
async function renew(setting) {
  wanted = setting;
  if (under) return;
  under = true;
  const stop = busy($("profile-busy"), shown ? "Predicting" : "Fitting the map", id);
  try {
    while (wanted) {
      const { at, moved } = wanted;
      wanted = null;
      const query = new URLSearchParams({ at: compact(at), moved });
      shown = await ask(`/api/campaigns/${id}/profile?${query}`);
      $("profile-problem").textContent = "";
      paint();
    }
    remember({ at: compact(shown.at) });
  } catch (error) {
    $("profile-problem").textContent = error.message;
  } finally { under = false; stop(); }
}

/** One axis at a value: at once in the drawing, and the curves as soon as they are there. */
function move(axis, value) {
  if (!Number.isFinite(value) || shown.at[axis.name] === value) return;
  renew({ at: { ...shown.at, ...(wanted?.at ?? {}), [axis.name]: value }, moved: axis.name });
}

const textOf = (axis, value) => (axis.labels.length ? axis.labels[Math.round(value)] : digits(value, 5));
const unitOf = (unit) => (unit ? ` ${unit}` : "");

function paint() {
  if (!shown) return;
  if (!$("profiles").children.length) build();
  readOut();
  shown.axes.forEach((axis, a) => control(axis, a));
  shown.responses.forEach((name, k) => {
    ranges[k] = grown(ranges[k], k);
    shown.curves.forEach((curve, a) => {
      const axis = shown.axes[a], svg = $(`profile-${k}-${a}`), [mean, sd] = [curve.mean[k], curve.deviation[k]];
      const edge = (sign) => mean.map((m, i) => (m === null ? null : m + sign * 2 * sd[i]));
      drawPanel(svg, {
        axis, range: ranges[k], grid: curve.grid, mean, low: edge(-1), high: edge(1), at: shown.at[axis.name], here: shown.here?.[0][k] ?? null,
        points: curve.near.filter(([i]) => shown.values[k][i] !== null).map(([i, x, away]) => ({ x, y: shown.values[k][i], alpha: Math.max(1 - 2.5 * away, 0.12) })),
        label: `${name} along ${axis.name}${ends(axis, curve.grid, mean)}`,
      });
    });
  });
}

/** In words, for those who cannot see it: from where to where a curve runs. */
function ends(axis, grid, mean) {
  const known = mean.map((m, i) => [m, grid[i]]).filter(([m]) => m !== null);
  if (!known.length) return ": nothing is allowed here";
  const say = ([m, g]) => `${digits(m, 4)} at ${textOf(axis, g)}`;
  return `: from ${say(known[0])} to ${say(known.at(-1))}`;
}

/** A range of the response that holds the measured values, the curves, and most of their bands. */
function grown(before, k) {
  const values = shown.values[k].filter((v) => v !== null), spread = Math.max(...values) - Math.min(...values) || Math.abs(values[0]) || 1;
  const bounds = [Math.min(...values) - spread / 2, Math.max(...values) + spread / 2];
  let [low, high] = before ?? [Math.min(...values), Math.max(...values)];
  for (const { mean, deviation } of shown.curves) {
    mean[k].forEach((m, i) => {
      if (m === null) return;
      low = Math.min(low, Math.max(m - 2 * deviation[k][i], bounds[0]), m);
      high = Math.max(high, Math.min(m + 2 * deviation[k][i], bounds[1]), m);
    });
  }
  return [low, high];
}

/** What the map says at the setting, always in sight. */
function readOut() {
  const box = $("read-out");
  if (!shown.here) {
    box.replaceChildren(element("div", {}, element("dt", {}, "This setting is not allowed"), element("dd", {}, "–")));
  } else {
    const works = shown.works === null ? [] : [element("div", {}, element("dt", {}, "it works"), element("dd", {}, `${Math.round(100 * shown.works)} %`))];
    box.replaceChildren(...shown.responses.map((name, k) => element("div", {}, element("dt", {}, name),
      element("dd", {}, withDeviation(shown.here[0][k], shown.here[1][k]), " ", element("span", { class: "unit" }, shown.units[k] || "")))), ...works);
  }
  $("add-here").querySelector("button").disabled = !shown.point;
  $("profile-said").textContent = `From ${shown.measurements} measurement${shown.measurements === 1 ? "" : "s"}. The line is the map, the band two standard deviations; ± is one. Dots are measurements near this setting. Drag in a drawing, or use the sliders.`;
  const link = $("to-map");
  link.href = `/c/${id}?at=${encodeURIComponent(compact(shown.at))}${facing()}`;
}

/** The direction that a globe shall face, if the setting has one. */
function facing() {
  const { azimuth, elevation } = shown.at;
  return Number.isFinite(azimuth) && Number.isFinite(elevation) ? `&facing=${Math.round(azimuth)},${Math.round(elevation)}` : "";
}

/** Controls and drawings, once. */
function build() {
  $("settings").replaceChildren(...shown.axes.map((axis, a) => {
    const range = element("input", { type: "range", id: `s-${a}`, min: 0, max: axis.settings.length ? axis.settings.length - 1 : 200, step: 1 });
    range.addEventListener("input", () => move(axis, axis.settings.length ? axis.settings[Number(range.value)] : axisScale(axis).value(Number(range.value) / 200)));
    const value = element("input", { type: "text", inputmode: "decimal", "aria-label": `${axis.name}${unitOf(axis.unit)}, as a number`, class: "exact", autocomplete: "off" });
    value.addEventListener("change", () => { const typed = Number(value.value.replace(",", ".")); if (value.value.trim() && Number.isFinite(typed)) move(axis, Math.min(Math.max(typed, axis.low), axis.high)); else control(axis, a); });
    const label = element("label", { for: `s-${a}` }, axis.name, axis.unit ? element("span", { class: "unit" }, ` ${axis.unit}`) : "");
    return element("div", { class: "field setting" }, label, axis.labels.length ? element("output", { class: "exact" }) : value, range);
  }));
  $("profiles").replaceChildren(...shown.responses.map((name, k) => {
    const panels = shown.axes.map((axis, a) => {
      const svg = shape("svg", { id: `profile-${k}-${a}`, class: "panel", role: "img" });
      drag(svg, axis);
      return svg;
    });
    return element("section", { class: "response" }, element("h3", { "data-caption": "" }, `${name}${shown.units[k] ? ` in ${shown.units[k]}` : ""}`), element("div", { class: "panels" }, ...panels));
  }));
}

function control(axis, a) {
  const range = $(`s-${a}`), exact = range.parentElement.querySelector(".exact"), value = shown.at[axis.name];
  if (document.activeElement !== range || !under) range.value = axis.settings.length ? axis.settings.indexOf(settable(axis, axisScale(axis).share(value))) : Math.round(200 * axisScale(axis).share(value));
  range.setAttribute("aria-valuetext", `${textOf(axis, value)}${unitOf(axis.unit)}`);
  if (exact.tagName === "OUTPUT") exact.textContent = textOf(axis, value);
  else if (document.activeElement !== exact) exact.value = textOf(axis, value);
}

/** A finger or the mouse in a drawing sets its parameter. */
function drag(svg, axis) {
  const set = (event) => {
    const box = svg.getBoundingClientRect();
    move(axis, settable(axis, (event.clientX - box.left - Number(svg.dataset.left)) / Number(svg.dataset.inner)));
  };
  svg.addEventListener("pointerdown", (event) => { svg.setPointerCapture(event.pointerId); set(event); });
  svg.addEventListener("pointermove", (event) => { if (svg.hasPointerCapture(event.pointerId)) set(event); });
}

/** The curves as a table: one row a point. */
function rows() {
  const head = ["along", "at", ...shown.responses.flatMap((name) => [name, `${name}_sd`])];
  return [head, ...shown.curves.flatMap((curve, a) => curve.grid.map((g, i) => [curve.axis, textOf(shown.axes[a], g), ...shown.responses.flatMap((_, k) => [curve.mean[k][i], curve.deviation[k][i]])]))];
}

/** An experiment at this setting, to run. */
async function addHere(event) {
  event.preventDefault();
  try {
    const [made] = await ask(`/api/campaigns/${id}/ask`, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ n: 1, fixed: shown.point }) });
    $("added").replaceChildren("To run now: ", element("a", { href: `/c/${id}#e${made.id}` }, `experiment ${made.id}`), ".");
  } catch (error) { $("added").textContent = error.message; }
}
