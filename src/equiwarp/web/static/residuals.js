// Measured against predicted: each value beside what the map says without it; a point leads to its experiment.
import { remember, viewed } from "./address.js";
import { $, ask, busy, digits, element, shape, withDeviation, withoutCommands } from "./dom.js";
import { ticks } from "./panel.js";
import { offer, svgOf } from "./save.js";

const FAR = 3;
let found = null, id = 0, chosen = 0;

export async function residuals(campaign) {
  id = campaign;
  const box = $("residuals");
  if (!box) return;
  const stop = busy($("residuals-busy"), "Leaving out one value at a time", id);
  try { found = await ask(`/api/campaigns/${id}/residuals`); } catch (error) { $("residuals-problem").textContent = error.message; return; } finally { stop(); }
  box.replaceChildren(...found.left_out.map((one, k) => element("section", { class: "response" }, element("h3", { "data-caption": "" }, title(one, k)), element("p", { class: "quiet" }, words(one, k)), shape("svg", { id: `scatter-${k}`, class: "square", role: "img" }))));
  $("odd").replaceChildren(...found.findings.map(odd));
  table();
  new ResizeObserver(paint).observe(box);
  offer($("residuals-save"), () => `measured against predicted in ${document.querySelector("h1").textContent}`, { svg: () => svgOf(box), rows });
  if (Number(viewed("experiment"))) pick(Number(viewed("experiment")));
}

const unit = (k) => (found.units[k] ? ` ${found.units[k]}` : "");
const title = (one, k) => one.response + (found.units[k] ? ` in ${found.units[k]}` : "");

/** How often the map knew how uncertain it is, and the two errors beside each other. */
function words(one, k) {
  const e = found.errors[k];
  return `${Math.round(100 * one.within)} % of ${one.ids.length} values lie within two deviations. Leave-one-out error ${digits(e.leave_one_out, 3)}${unit(k)}, noise included and at the measured places only; map error ${digits(e.value, 3)}${unit(k)}, over the whole domain and without the noise of a measurement (${digits(e.noise, 2)}${unit(k)}).`;
}

function odd(finding) {
  const item = element("li", {}, `${finding.sentence} ${withoutCommands(finding.advice)} `);
  for (const number of finding.experiments.slice(0, 12)) {
    const button = element("button", { type: "button", class: "small plain" }, `experiment ${number}`);
    button.addEventListener("click", () => pick(number));
    item.append(button, " ");
  }
  return item;
}

/** Experiments whose value of a response contradicts the others, as the findings name them. */
const contradicting = (response) => new Set(found.findings.filter((f) => f.kind === "contradicted" && f.response === response).flatMap((f) => f.experiments));

function paint() {
  found.left_out.forEach((one, k) => draw($(`scatter-${k}`), one, k));
}

function draw(svg, one, k) {
  const width = svg.clientWidth, height = svg.clientHeight, [left, right, top, bottom] = [56, 12, 10, 46], all = [...one.measured, ...one.predicted];
  if (!all.length) return;
  const spread = Math.max(...all) - Math.min(...all) || 1, low = Math.min(...all) - 0.06 * spread, high = Math.max(...all) + 0.06 * spread;
  const x = (v) => left + ((Math.min(Math.max(v, low), high) - low) / (high - low)) * (width - left - right), y = (v) => height - bottom - ((v - low) / (high - low)) * (height - top - bottom);
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  svg.setAttribute("aria-label", `${one.response}: measured against predicted, ${one.ids.length} values, ${Math.round(100 * one.within)} % within two deviations`);
  const parts = ticks(low, high, 5).flatMap((v) => [
    shape("line", { x1: x(low), x2: x(high), y1: y(v), y2: y(v), class: "grid" }), shape("text", { x: left - 8, y: y(v) + 4, "text-anchor": "end", class: "tick" }, digits(v, 5)),
    shape("line", { x1: x(v), x2: x(v), y1: y(low), y2: y(high), class: "grid" }), shape("text", { x: x(v), y: height - bottom + 18, "text-anchor": "middle", class: "tick" }, digits(v, 5)),
  ]);
  parts.push(shape("line", { x1: x(low), y1: y(low), x2: x(high), y2: y(high), class: "axis" }));
  parts.push(shape("text", { x: (left + width - right) / 2, y: height - 8, "text-anchor": "middle", class: "name" }, "predicted from the others"));
  parts.push(shape("text", { x: -(height - bottom) / 2, y: 14, transform: "rotate(-90)", "text-anchor": "middle", class: "name" }, "measured"));
  const blamed = contradicting(one.response), many = Math.min(1, Math.sqrt(150 / one.ids.length)); // of thousands, each is small
  one.ids.forEach((number, i) => {
    const far = Math.abs(one.z[i]) >= FAR || blamed.has(number), at = [x(one.predicted[i]), y(one.measured[i])];
    if (far || many > 0.6) parts.push(shape("line", { x1: x(one.predicted[i] - 2 * one.deviation[i]), x2: x(one.predicted[i] + 2 * one.deviation[i]), y1: at[1], y2: at[1], class: far ? "whisker far" : "whisker pale" }));
    const dot = shape("circle", { cx: at[0], cy: at[1], r: far ? 6 : Math.max(2, 6 * many), class: `${far ? "dot-far" : "stem"}${number === chosen ? " picked" : ""}`, "data-experiment": number });
    dot.append(shape("title", {}, `Experiment ${number}: measured ${measured(one, i)}, predicted ${withDeviation(one.predicted[i], one.deviation[i])}${unit(k)}`));
    dot.addEventListener("click", () => pick(number));
    parts.push(dot);
    if (far) parts.push(shape("text", { x: at[0] + 10, y: at[1] - 6, class: "name" }, number));
  });
  svg.replaceChildren(...parts);
}

/** A value, or the limit that was told: it is drawn in the middle of what it leaves open. */
const measured = (one, i) => found.limits[one.ids[i]]?.[one.response] ?? digits(one.measured[i], 5);

/** The values, the farthest first; each line chooses its experiment. */
function table() {
  const lines = found.left_out.flatMap((one, k) => one.ids.map((number, i) => ({ number, k, one, i, z: one.z[i] }))).sort((a, b) => Math.abs(b.z) - Math.abs(a.z)).slice(0, 40);
  const cell = (text) => element("td", { class: "r" }, text);
  const body = lines.map(({ number, k, one, i, z }) => {
    const button = element("button", { type: "button", class: "small plain", "aria-label": `Experiment ${number}: what can be done` }, number);
    button.addEventListener("click", () => pick(number));
    return element("tr", { "data-experiment": number }, element("th", { scope: "row" }, button), element("td", {}, one.response), cell(`${measured(one, i)}${unit(k)}`), cell(`${withDeviation(one.predicted[i], one.deviation[i])}${unit(k)}`), cell(digits(z, 2)));
  });
  const head = ["experiment", "response", "measured", "predicted", "deviations away"].map((text, i) => element("th", { scope: "col", ...(i > 1 ? { class: "r" } : {}) }, text));
  $("residual-rows").replaceChildren(element("thead", {}, element("tr", {}, ...head)), element("tbody", {}, ...body));
}

/** One experiment, everywhere it stands, and what can be done with it. */
function pick(number) {
  chosen = number;
  for (const node of document.querySelectorAll("[data-experiment]")) node.classList.toggle("picked", Number(node.dataset.experiment) === number);
  const lines = found.left_out.flatMap((one, k) => {
    const i = one.ids.indexOf(number);
    return i < 0 ? [] : [element("p", {}, element("b", {}, `${one.response} ${measured(one, i)}${unit(k)}`), ` measured; the others say ${withDeviation(one.predicted[i], one.deviation[i])}${unit(k)}, ${digits(Math.abs(one.z[i]), 2)} deviations away.`)];
  });
  const link = (end, text) => element("a", { class: "button plain", href: `/c/${id}/e/${number}${end}` }, text);
  $("picked").replaceChildren(element("h3", {}, `Experiment ${number}`), ...lines, element("p", { class: "buttons" }, link("#correct", "Correct"), link("#withdraw", "Withdraw"), link("#repeat", "Repeat")));
  remember({ experiment: number });
}

const rows = () => [["experiment", "response", "measured", "predicted", "deviation", "z"], ...found.left_out.flatMap((one) => one.ids.map((number, i) => [number, one.response, one.measured[i], one.predicted[i], one.deviation[i], one.z[i]]))];
