// The pointer on a globe or a surface: what is under it, and what a click there opens. Flat maps have plotly for that.
import { $, element } from "./dom.js";
import { choose, opened } from "./map_place.js";
import { cellReading, globeReading, pointReading } from "./map_readings.js";

/** Listen to a canvas; `now` gives what is drawn there, the answer, the layer, and how an experiment is made to stand out. */
export function pointed(canvas, now) {
  const there = (event) => now().drawn?.under(event) ?? {};
  canvas.addEventListener("pointermove", (event) => tip(event, there(event), now()));
  canvas.addEventListener("pointerleave", () => { $("tip").hidden = true; });
  canvas.addEventListener("click", (event) => pressed(there(event), now()));
}

/** A click that did not turn it: the experiment there, or the place. */
function pressed({ point, cell }, { drawn }) {
  if (!drawn || drawn.turned) return;
  if (point?.id) opened(point.id);
  else if (Number.isInteger(cell)) choose(cell);
}

/** What the map says in a cell. */
function cellLines({ answer, layer }, cell) {
  if (answer.kind === "globe") return globeReading(answer, layer, cell);
  const [across, up] = answer.axes, columns = answer.shape[1];
  return cellReading(answer, layer, cell, [[across, answer.grid[0][cell % columns]], [up, answer.grid[1][Math.floor(cell / columns)]]]);
}

/** Beside the pointer: the experiment, or what the map says there; nothing while it is turned. */
function tip(event, { point, cell }, shown) {
  const box = $("tip"), said = () => (point ? pointReading(shown.answer, point) : Number.isInteger(cell) ? cellLines(shown, cell) : []);
  const lines = event.buttons ? [] : said();
  box.hidden = !lines.length;
  box.replaceChildren(...lines.map((line) => element("div", {}, line)));
  const around = box.parentElement.getBoundingClientRect(), left = event.clientX - around.left + 14;
  box.style.left = `${Math.max(0, Math.min(left, around.width - box.offsetWidth))}px`;
  box.style.top = `${event.clientY - around.top + 14}px`;
  shown.light(point?.id ?? null);
}
