// The course of the map's error: so far, now, and as forecast; and what is odd about the data.
import { $, colour, element, plain, short, withoutCommands } from "./dom.js";
import { CONFIG, choice, drawMap } from "./map_view.js";
import { layout } from "./map_axes.js";
import { pictureOf } from "./map_files.js";
import { plainLayer } from "./map_layers.js";
import { offer } from "./save.js";

let waiting = false;

export async function drawError(id) {
  let data;
  try { data = await (await fetch(`/api/campaigns/${id}/error`)).json(); } catch { if (waiting) setTimeout(() => drawError(id), 2000); return; } // the page says that the server does not answer
  const line = $("error-busy");
  line.hidden = !data.working;
  line.querySelector("progress").max = data.total;
  line.querySelector("progress").value = data.done;
  line.lastChild.textContent = `${data.doing || "waiting for its turn"}, step ${data.done + 1} of ${data.total + 1}`;
  if (data.working) { waiting = true; setTimeout(() => drawError(id), 700); } else if (waiting) { waiting = false; redraw(id); }
  if (data.problem) { $("advice").hidden = false; $("advice").textContent = data.problem; }
  const known = data.course;
  if (!known) return;
  const judged = known.may_stop !== null;
  $("advice").hidden = !judged && !data.problem;
  if (judged) $("advice").textContent = (known.may_stop ? "You may stop: " : "Go on: ") + known.reason + ".";
  $("advice").classList.toggle("stop", known.may_stop === true);
  $("error-card").classList.toggle("outdated", data.outdated); // pale until that of the values as they are now is there
  $("aim").hidden = !known.aim;
  if (known.aim) $("aim").textContent = `Aim: ${known.aim.sentence}. Errors are weighted by it.`;
  numbers(data, known);
  $("findings").replaceChildren(...[...(data.prior ?? []), ...(data.offsets ?? [])].map((worth) => element("li", {}, `${worth}.`)), ...data.findings.map((found) => finding(id, found)));
  const k = Number($("map-form").elements.response.value) || 0, accent = colour("--accent");
  const last = known.counts.at(-1), ahead = known.forecast.map((_, i) => last + i);
  const name = data.units[k] ? `error (${short(data.units[k], 20)})` : "error";
  const span = [Math.min(...known.counts), ahead.at(-1) ?? last];
  const traces = [
    { type: "scatter", mode: "lines+markers", name: "so far", x: known.counts, y: known.errors.map((e) => e[k]), line: { color: accent, width: 3 }, marker: { size: 8 } },
    ...known.band.map((edge, i) => ({ type: "scatter", mode: "lines", showlegend: false, hoverinfo: "skip", x: ahead, y: edge.map((e) => e[k]), line: { width: 0 }, fill: i ? "tonexty" : "none", fillcolor: "rgba(128, 128, 160, 0.18)" })),
    { type: "scatter", mode: "lines", name: "forecast", x: ahead, y: known.forecast.map((e) => e[k]), line: { color: accent, width: 2, dash: "dot" } },
  ];
  const limit = typeof data.stop.error === "number" ? data.stop.error : data.stop.error?.[data.responses[k]];
  if (limit) {
    traces.push({ type: "scatter", mode: "lines", name: "good enough", x: span, y: [limit, limit], line: { color: colour("--good"), width: 2, dash: "dash" } });
  }
  if (!globalThis.Plotly) return; // it is drawn as soon as the script is there
  const base = layout();
  $("error-plot").hidden = $("error-note").hidden = $("error-save").hidden = false;
  $("error-note").textContent = `${data.responses.length > 1 ? `Shown: ${data.responses[k]}. ` : ""}Root mean square over the whole domain, as estimated with the first measurements, with all of them, and as forecast: in four campaigns of five the true error stays within the band. Leaving out one measurement at a time compares the map with single values, noise included, and only where something was measured: so the two numbers differ.`;
  Plotly.react("error-plot", traces, { ...base, showlegend: true, legend: { orientation: "h", traceorder: "normal", x: 1, xanchor: "right", y: 1.02, yanchor: "bottom" },
    xaxis: { ...base.xaxis, fixedrange: true, title: { text: "measurements", standoff: 10 } }, yaxis: { ...base.yaxis, fixedrange: true, title: { text: plain(name), standoff: 12 }, rangemode: "tozero" } }, CONFIG);
  offer($("error-save"), () => `${document.querySelector("h1").textContent} error`, { svg: () => pictureOf("error-plot", "svg"), png: () => pictureOf("error-plot", "png"), rows: () => rowsOf(data, known) });
}

/** The course as a table: every error that was estimated, and the forecast with its band, of all responses. */
function rowsOf({ responses }, { counts, errors, forecast, band }) {
  const after = (i) => counts.at(-1) + i, line = (what, n, all) => [what, n, ...responses.flatMap((_, j) => all.map((values) => values?.[j] ?? ""))];
  return [["what", "measurements", ...responses.flatMap((name) => [name, `${name}_low`, `${name}_high`])],
    ...counts.map((n, i) => line("so far", n, [errors[i], null, null])), ...forecast.map((values, i) => line("forecast", after(i), [values, band[0]?.[i], band[1]?.[i]]))];
}

/** What would be next is known now: it belongs into the acquisition layers. */
function redraw(id) {
  const { layer } = choice();
  if (!plainLayer(layer)) drawMap(id);
}

/** What was found, what to do, and the way to the experiments that it is about. */
function finding(id, found) {
  const item = element("li", {}, `${found.sentence} ${withoutCommands(found.advice)}`);
  for (const number of found.experiments.slice(0, 12)) item.append(" ", element("a", { href: `/c/${id}/e/${number}` }, `experiment ${number}`));
  return item;
}

/** A line of three numbers for each response. */
function numbers(data, known) {
  const after = known.forecast.length - 1;
  $("error-numbers").replaceChildren(...data.responses.map((name, j) => {
    const list = document.createElement("dl");
    list.className = "counts";
    for (const [what, value] of [[`error of ${name}`, known.now[j].value], [`after ${after} more`, known.forecast.at(-1)[j]], ["error where a measurement is left out", known.now[j].leave_one_out], ["noise of one measurement", known.now[j].noise]]) {
      const [box, dt, dd, unit] = ["div", "dt", "dd", "span"].map((tag) => document.createElement(tag));
      dt.textContent = what;
      dd.textContent = `${Number(Number(value).toPrecision(3))} `;
      unit.className = "unit";
      unit.textContent = data.units[j] || "";
      dd.append(unit);
      box.append(dt, dd);
      list.append(box);
    }
    return list;
  }));
}
