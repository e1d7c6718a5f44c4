// What matters: shares of the variation as bars with intervals, and main effects.
import { $, ask, busy, digits, element, shape, short } from "./dom.js";
import { drawPanel } from "./panel.js";
import { offer, svgOf } from "./save.js";

let found = null;

export async function effects(id) {
  const box = $("effects");
  if (!box) return;
  const stop = busy($("effects-busy"), "Fitting the map without parts of the data", id);
  try { found = await ask(`/api/campaigns/${id}/sensitivity`); } catch (error) { $("effects-problem").textContent = error.message; return; } finally { stop(); }
  box.replaceChildren(...found.responses.map((name, k) => row(name, k, [shape("svg", { id: `shares-${k}`, class: "shares", role: "img" })])));
  $("curves").replaceChildren(...found.responses.map((name, k) => row(name, k, of(name).map((_, a) => shape("svg", { id: `effect-${k}-${a}`, class: "panel", role: "img" })))));
  Object.assign($("effects-note"), { textContent: found.note, hidden: !found.note });
  new ResizeObserver(paint).observe(box);
  const title = document.querySelector("h1").textContent;
  offer($("effects-save"), () => `what matters in ${title}`, { svg: () => svgOf(box), rows: shares });
  offer($("curves-save"), () => `main effects in ${title}`, { svg: () => svgOf($("curves")), rows: curves });
}

const of = (name) => found.effects.filter((e) => e.response === name);
const row = (name, k, drawings) => element("section", { class: "response" }, element("h3", { "data-caption": "" }, `${name}${found.units[k] ? ` in ${found.units[k]}` : ""}`), element("div", { class: drawings.length > 1 || drawings[0].classList.contains("panel") ? "panels" : "" }, ...drawings));

function paint() {
  found.responses.forEach((name, k) => {
    drawShares($(`shares-${k}`), of(name), name);
    const all = of(name).flatMap((e) => [...e.curve.low, ...e.curve.high, ...e.curve.mean]).filter((v) => v !== null);
    const [low, high] = [Math.min(...all), Math.max(...all)], range = high > low ? [low, high] : [low - 1, low + 1];
    of(name).forEach((e, a) => {
      const { at, mean } = e.curve, labels = found.categories[e.parameter] ?? [];
      const axis = found.axes.find((known) => known.name === e.parameter) ?? { name: e.parameter, unit: "", labels, settings: labels.length ? at : at.length < 12 ? at : [], scale: "linear", low: Math.min(...at), high: Math.max(...at) };
      drawPanel($(`effect-${k}-${a}`), { axis, range, grid: at, mean, low: e.curve.low, high: e.curve.high, label: `Mean of ${name} along ${e.parameter}: from ${digits(mean[0], 4)} to ${digits(mean.at(-1), 4)}` });
    });
  });
}

/** Bars with whiskers, the parameter that matters most on top. */
function drawShares(svg, effects, name) {
  const ranked = [...effects].sort((a, b) => b.total[0] - a.total[0]), width = svg.clientWidth, step = 46, left = Math.min(170, width * 0.36), room = width - left - 64;
  const height = ranked.length * step + 30, x = (v) => left + v * room;
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  svg.setAttribute("height", height);
  svg.setAttribute("aria-label", `Shares of the variation of ${name}: ${ranked.map((e) => `${e.parameter} ${percent(e.total[0])}`).join(", ")}`);
  const parts = (room < 240 ? [0, 0.5, 1] : [0, 0.25, 0.5, 0.75, 1]).flatMap((v) => [
    shape("line", { x1: x(v), x2: x(v), y1: 4, y2: height - 24, class: "grid" }),
    shape("text", { x: x(v), y: height - 8, "text-anchor": "middle", class: "tick" }, percent(v)),
  ]);
  ranked.forEach((e, i) => {
    const y = 8 + i * step, bar = (share, top, kind) => [
      shape("rect", { x: left, y: y + top, width: Math.max(share[0] * room, 1), height: 15, class: kind }),
      shape("line", { x1: x(share[1]), x2: x(share[2]), y1: y + top + 7.5, y2: y + top + 7.5, class: "whisker" }),
    ];
    parts.push(shape("text", { x: left - 8, y: y + 20, "text-anchor": "end", class: "name" }, short(e.parameter, Math.floor(left / 8))));
    parts.push(...bar(e.total, 0, "bar"), ...bar(e.first, 17, "bar set"));
    parts.push(shape("text", { x: x(Math.max(e.total[2], e.total[0])) + 6, y: y + 13, class: "tick" }, percent(e.total[0])));
  });
  svg.replaceChildren(...parts);
}

const percent = (v) => `${Math.round(100 * v)} %`;
const shares = () => [["response", "parameter", "alone", "alone_low", "alone_high", "with_others", "with_others_low", "with_others_high"], ...found.effects.map((e) => [e.response, e.parameter, ...e.first, ...e.total])];
const curves = () => [["response", "parameter", "at", "mean", "low", "high"], ...found.effects.flatMap((e) => e.curve.at.map((at, i) => [e.response, e.parameter, found.categories[e.parameter]?.[at] ?? at, e.curve.mean[i], e.curve.low[i], e.curve.high[i]]))];
