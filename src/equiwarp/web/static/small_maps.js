// A map for each category, beside each other, in common colours.
import { $, colour, digits, element } from "./dom.js";
import { Globe } from "./globe.js";
import { layout } from "./map_axes.js";
import { figureOf } from "./map_figures.js";
import { nextShown, scaleOf, scaleTitle } from "./map_layers.js";
import { SCALES } from "./scales.js";

const globes = new Map();

/** The lowest and the highest value of a layer in all of them. */
function endsOf(answers, layer) {
  const known = answers.flatMap((a) => a.layers[layer] ?? []).filter((v) => v !== null);
  const [low, high] = [Math.min(...known), Math.max(...known)];
  if (layer !== "difference") return [low, high];
  const most = Math.max(-low, high);
  return [-most, most];
}

/** Draw answers, one a label; `chosen(k, points)` hears of a click in the k-th. */
export function drawBeside(axis, labels, answers, layer, { config, marked, chosen }) {
  const box = $("small-maps"), ends = endsOf(answers, layer), list = box.querySelector(".each");
  if (list.children.length !== answers.length || list.dataset.axis !== axis) {
    list.dataset.axis = axis;
    globes.clear();
    list.replaceChildren(...labels.map((name, k) => element("figure", {}, element("figcaption", {}, `${axis}: ${name}`),
      answers[0].kind === "globe" ? element("canvas", { class: "globe", tabindex: "0", role: "img", "data-k": k }) : element("div", { class: "plot small", role: "img", "data-k": k }))));
  }
  answers.forEach((answer, k) => {
    const drawing = list.children[k].lastChild;
    drawing.setAttribute("aria-label", `${answer.response} where ${axis} is ${labels[k]}`);
    if (answer.kind === "globe") { globe(drawing, answer, layer, ends, marked); return; }
    const [traces, extra] = figureOf(answer, layer, marked, ends), first = !drawing.dataset.drawn;
    drawing.dataset.drawn = "yes";
    Plotly.react(drawing, traces, { ...layout(), margin: { l: 52, r: 14, t: 8, b: 46 }, ...extra }, config);
    if (first) drawing.on("plotly_click", ({ points }) => chosen(k, points));
  });
  bar(box.querySelector(".scale"), scaleOf(layer), ends, scaleTitle(layer, answers[0]));
}

function globe(canvas, answer, layer, ends, marked) {
  if (!globes.has(canvas)) globes.set(canvas, new Globe(canvas));
  globes.get(canvas).show({ values: answer.layers[layer], shape: answer.shape, design: answer.design, next: nextShown(layer, answer), spot: marked, names: answer.vector, scale: scaleOf(layer), ends, text: colour("--text"), card: colour("--card") });
}

/** The colours that all of them share. */
function bar(line, scale, ends, title) {
  line.replaceChildren(element("span", {}, digits(ends[0], 3)), element("i"), element("span", {}, digits(ends[1], 3)), element("b", {}, title));
  line.querySelector("i").style.background = `linear-gradient(90deg, ${SCALES[scale].join(", ")})`;
}
