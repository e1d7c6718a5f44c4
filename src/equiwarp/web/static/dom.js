// What every drawing of ours needs: elements, colours, numbers as people read them.

export const $ = (name) => document.getElementById(name);
export const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
/** Six digits, without trailing zeros; nothing for nothing. */
export const six = (v) => (v === null || v === undefined ? "" : String(Number(Number(v).toPrecision(6))));
export const digits = (v, n) => String(Number(Number(v).toPrecision(n)));
export const short = (text, most) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);
/** Plotly reads a little markup in texts; names must never become any. */
export const plain = (text) => String(text).replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");

/** A value with its deviation, both to the digits that the deviation is worth: 62.3 ± 1.2. */
export function withDeviation(value, deviation) {
  if (!(deviation > 0)) return digits(value, 4);
  const places = Math.min(Math.max(1 - Math.floor(Math.log10(deviation)), 0), 12);
  return `${Number(value).toFixed(places)} ± ${Number(deviation).toFixed(places)}`;
}

/** A direction as two angles, which one can point to. */
export function angles([x, y, z]) {
  const degrees = (radians) => `${(radians * 180 / Math.PI).toFixed(1)}°`;
  return `azimuth ${degrees(Math.atan2(y, x))}, elevation ${degrees(Math.asin(Math.min(Math.max(z, -1), 1)))}`;
}

/** Units of parameters and responses by name, as the page has them. */
export const unitsByName = () => Object.fromEntries([...document.querySelectorAll("[data-unit]")].map((node) => [node.dataset.unit, node.dataset.of]));

/** An element with attributes and children; texts stay texts. */
export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

/** An element of a drawing. */
export function shape(tag, attributes = {}, text = "") {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  if (text !== "") made.textContent = text;
  return made;
}

/** A sentence begins with a capital letter and ends with a point. */
export const sentence = (text) => `${text[0].toUpperCase()}${text.slice(1).replace(/\.$/, "")}.`;

/** Ask the API; a refusal is an error with its words. */
export async function ask(url, options = {}) {
  const got = await fetch(url, options).catch((error) => {
    throw error.name === "AbortError" ? error : new Error("The server does not answer.");
  });
  const data = await got.json();
  if (!got.ok) throw new Error(sentence(data.message || `The server said ${got.status}`));
  return data;
}

/** Say what is being computed, how far it is and for how long, in a line that is there from the start; returns how to end that. */
export function busy(line, what, id) {
  const began = Date.now(), bar = line.querySelector("progress");
  let ended = false, far = "";
  const say = () => { line.hidden = false; line.lastChild.textContent = `${what}${far} … ${Math.round((Date.now() - began) / 1000)} s`; };
  const look = async () => {
    say();
    const { done, total } = await ask(`/api/campaigns/${id}/progress`).catch(() => ({ total: 0 })); // whoever waits says that the server is gone
    if (ended) return;
    far = total ? `, step ${Math.min(done + 1, total)} of ${total}` : "";
    if (total) { bar.max = total; bar.value = done; } else bar.removeAttribute("value");
    say();
  };
  const first = setTimeout(look, 300), clock = setInterval(look, 1000);
  return () => { ended = true; clearTimeout(first); clearInterval(clock); line.hidden = true; };
}

/** Advice without the sentences that name shell commands: here are buttons for that. */
export const withoutCommands = (text) => text.replace(/\s?[^.]*`equiwarp [^.]*\./g, "");
