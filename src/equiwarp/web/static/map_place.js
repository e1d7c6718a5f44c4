// A place in the map: what it says there, the experiment that was measured there, or one to run.
import { compact } from "./address.js";
import { $, ask, element, six, unitsByName, withDeviation } from "./dom.js";
import { STATES } from "./map_readings.js";

let now = () => ({});

/** Who asks: a function that gives the campaign, the map as it is shown, its query, and how an experiment is made to stand out. */
export const placesOf = (shown) => { now = shown; };

/** A click on the map: the experiment there, or what the map says there and what one can do. */
export function clicked({ points }, more = {}) {
  const { answer } = now();
  const point = points.at(-1), experiment = points.map((p) => p.customdata).find((n) => typeof n === "number");
  if (experiment) { opened(experiment); return; }
  const { pointNumber: n } = point;
  if (answer.kind === "line" || answer.kind === "list") { if (typeof n === "number") choose(n, more); return; }
  if (Array.isArray(n)) choose(n[0] * answer.shape[1] + n[1], more);
}

export async function choose(cell, more = {}) {
  const { ours, query } = now();
  try {
    const found = await ask(`/api/campaigns/${ours}/map/${cell}?${query(more)}`);
    if (found.experiments.length) { opened(found.experiments.at(-1), found); return; }
    show(found, []);
  } catch (error) { $("place").replaceChildren(error.message); }
}

/** What stands before a value that is a limit. */
const signOf = (e, name) => (e.below?.includes(name) ? "<" : e.above?.includes(name) ? ">" : "");

/** The experiment that was measured there, or is to be run. */
export async function opened(number, found = null) {
  const { ours, light } = now();
  const e = await ask(`/api/campaigns/${ours}/experiments/${number}`);
  light(number);
  document.querySelector(`tr[data-experiment="${number}"]`)?.scrollIntoView({ block: "nearest" });
  const units = unitsByName(), said = Object.entries(e.values ?? {}).map(([name, value]) => `${name} ${signOf(e, name)}${six(value)}${units[name] ? ` ${units[name]}` : ""}`).join(", ") || (STATES[e.state] ?? e.state);
  const link = e.state === "pending" && $(`e${number}`) ? `#e${number}` : `/c/${ours}/e/${number}`;
  show({ ...found, point: e.point }, [element("b", {}, `Experiment ${number}: ${said}`), element("a", { class: "button plain", href: link }, "Open it")], false);
}

/** What is known of a place. */
function show(found, more, free = true) {
  const { ours, answer } = now();
  const units = unitsByName();
  const where = Object.entries(found.point).map(([name, value]) => `${name} ${typeof value === "string" ? value : six(value)}${units[name] ? ` ${units[name]}` : ""}`).join(", ");
  const pointed = found.direction ? ` (azimuth ${found.direction.azimuth}°, elevation ${found.direction.elevation}°)` : "";
  const says = (found.predicted ?? []).map((p) => element("b", {}, `${p.response} ${withDeviation(p.mean, p.deviation)}${p.unit ? ` ${p.unit}` : ""}`));
  const buttons = [...more.filter((node) => node.tagName === "A")];
  if (free) {
    const add = element("button", { type: "button", class: "plain" }, "Add an experiment here");
    add.addEventListener("click", () => addAt(found.point, add));
    buttons.push(add);
    if (answer.kind !== "list") buttons.push(element("a", { class: "button plain", href: `/c/${ours}/profiler?at=${encodeURIComponent(compact(found.at))}` }, "Profile through here"));
  }
  $("place").replaceChildren(element("p", {}, where + pointed), element("p", { class: "says" }, ...more.filter((node) => node.tagName !== "A"), ...says), element("p", { class: "buttons" }, ...buttons));
}

async function addAt(point, button) {
  const { ours } = now();
  button.disabled = true;
  try {
    const [made] = await ask(`/api/campaigns/${ours}/ask`, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ n: 1, fixed: point }) });
    $("place").replaceChildren(`Experiment ${made.id} is to be run there.`);
    document.dispatchEvent(new Event("campaignchange"));
  } catch (error) { $("place").append(element("p", { class: "problem" }, error.message)); }
}
