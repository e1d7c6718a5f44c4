// Several responses over each other: where all of them are good, by limits that the viewer gives.
import { viewed } from "./address.js";
import { $, digits } from "./dom.js";

/** One colour a response, for the lines of its limits. */
export const LINES = ["#d1246a", "#b45f00", "#0b5cad", "#6b3fa0", "#111111"];

const inputs = (k) => [...document.querySelectorAll(`#limits [data-response="${k}"]`)];
const number = (text) => (text.trim() === "" || !Number.isFinite(Number(text.replace(",", "."))) ? null : Number(text.replace(",", ".")));

/** What is typed: from and to of each response, null where there is no limit. */
export const limits = (count) => Array.from({ length: count }, (_, k) => inputs(k).map((input) => number(input.value)));

/** As the address holds it. */
export const limitsText = (count) => JSON.stringify(limits(count));

/** Limits from the address; where there are none, the upper half of what the map says, to begin with. */
export function proposeLimits(overlaid) {
  if ($("limits").dataset.ready) return;
  $("limits").dataset.ready = "yes";
  let held = null;
  try { held = JSON.parse(viewed("good", "null")); } catch { /* a broken link: as if there were none */ }
  overlaid.forEach(({ mean }, k) => {
    const known = mean.filter((v) => v !== null), middle = (Math.min(...known) + Math.max(...known)) / 2;
    const pair = Array.isArray(held?.[k]) ? held[k] : [Number(digits(middle, 2)), null];
    inputs(k).forEach((input, i) => { input.value = typeof pair[i] === "number" ? String(pair[i]) : ""; });
  });
}

/** The probability that all responses are within their limits, in each cell; their deviations taken as independent. */
export function goodness(overlaid) {
  const wanted = limits(overlaid.length);
  overlaid.forEach((r, k) => { r.limits = wanted[k]; });
  return overlaid[0].mean.map((_, i) => (overlaid[0].mean[i] === null ? null : overlaid.reduce((share, { mean, deviation, limits: [low, high] }) => {
    const sd = Math.max(deviation[i], 1e-12 * (1 + Math.abs(mean[i])));
    return share * ((high === null ? 1 : normal((high - mean[i]) / sd)) - (low === null ? 0 : normal((low - mean[i]) / sd)));
  }, 1))).map((p) => (p === null ? null : Math.max(p, 0)));
}

/** The share of a normal distribution below z (Abramowitz and Stegun 26.2.17, to 1e-7). */
export function normal(z) {
  const t = 1 / (1 + 0.2316419 * Math.abs(z));
  const tail = Math.exp(-z * z / 2) / Math.sqrt(2 * Math.PI) * t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  return z > 0 ? 1 - tail : tail;
}
