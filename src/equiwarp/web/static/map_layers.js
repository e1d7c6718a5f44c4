// What the layers of a map are: their colours, their titles, and what is said of them below the choice.
import { $, six } from "./dom.js";

const COLOURS = { mean: "viridis", deviation: "magma", variance: "blues", equalized: "blues", warped: "blues", equalizer: "greys", stretch: "oranges", score: "blues", works: "greys", difference: "diverging", overlay: "greens" };
const TITLES = { variance: "uncertainty left, as a share", equalized: "the same, edges evened out", warped: "the same, steep places enlarged", equalizer: "times, near edges", stretch: "times longer", works: "probability", score: "share of the best", overlay: "probability that all are good" };
const WORDS = {
  variance: "What is left of the uncertainty, as a share of what it was. Alone it favours the boundary.",
  equalized: "The same, divided by what any design of this size leaves near the boundary.",
  warped: "The same in a geometry that is stretched where the response varies: the full method maximises this.",
  equalizer: "What the variance is multiplied by: below 1 near faces and corners.",
  works: "The probability that an experiment works here, learnt from those that failed.",
  overlay: "The probability that all responses are good here: each within the limits that you give.",
  score: "What this campaign's own rule for choosing maximises, its best place here being 1.",
  stretch: "How many times longer lengths are in the warped geometry: more than 1 where the response varies.",
};
const EVENLY = "This campaign's own rule spreads its points evenly and weighs no place against another, so there is nothing to colour. Diamonds are the points that it would hand out next.";

/** Layers that come with every map; the others are what drives the next choice. */
export const plainLayer = (layer) => ["mean", "deviation", "works", "difference", "overlay"].includes(layer);
export const scaleOf = (layer) => COLOURS[layer];
/** Layers of probabilities: their colours go from 0 to 1. */
export const isShare = (layer) => layer === "overlay" || layer === "works";
export const nextShown = (layer, answer) => (plainLayer(layer) ? [] : answer.next);
export const levelsShown = (layer, answer) => (plainLayer(layer) && layer !== "difference" && layer !== "overlay" ? answer.levels : []);

export const measured = (answer) => answer.response + (answer.unit ? ` in ${answer.unit}` : "");
/** What the colours stand for, with the unit. */
export function scaleTitle(layer, answer) {
  if (layer === "mean") return measured(answer);
  if (layer === "deviation") return `± ${measured(answer)}`;
  return layer === "difference" ? `difference of ${measured(answer)}` : TITLES[layer];
}

/** What the colours mean, and what else one sees in the picture. */
export const caption = (answer, layer, shown = "") => meaning(answer, layer) + doubts(answer) + around(answer) + marks(answer, layer, shown);

function meaning(answer, layer) {
  const many = `${answer.values} measurement${answer.values === 1 ? "" : "s"}`;
  if (layer === "mean") return `${measured(answer)}, from ${many}.${answer.kind === "line" ? " The band is two standard deviations." : ""}`;
  if (layer === "deviation") return `One standard deviation of the map of ${measured(answer)}.`;
  if (layer === "difference") return `This map less ${$("m-layer").selectedOptions[0].dataset.other}: red where this one is higher, blue where it is lower.`;
  return layer === "score" && !answer.layers.score?.some((v) => v !== null) ? EVENLY : WORDS[layer];
}

/** What keeps one from believing the picture: it is coarse, or rests on few values. */
function doubts(answer) {
  if (answer.coarse) return ` A coarse map from ${answer.measurements} of ${answer.measured} values; the whole one is being fitted.`;
  return answer.early ? " So few values say little yet: between them, this is a guess." : "";
}

/** Of axes that wrap: nobody should look for a step between their ends. */
function around(answer) {
  const names = answer.axes.filter((axis) => axis.periodic).map((axis) => axis.name);
  return names.length ? ` The two ends of ${names.join(" and of ")} are one and the same.` : "";
}

/** Lines and points that the legend does not explain. */
function marks(answer, layer, shown) {
  const levels = shown !== "surface" && (answer.kind === "plane" || answer.kind === "ternary") ? levelsShown(layer, answer) : [];
  const line = levels.length ? ` The white line is where ${answer.response} is ${levels.map(six).join(" or ")}${answer.unit ? ` ${answer.unit}` : ""}.` : "";
  const faint = shown !== "surface" && answer.design.some((p) => p.apart > 0.05) ? " Faint points lie off this slice." : "";
  const far = answer.kind === "globe" && answer.design.some((p) => p.role === "pending") ? " Broken rings are to run on the far side." : "";
  return line + faint + far;
}
