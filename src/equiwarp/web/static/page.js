// The page's own module: quicker forms, live updates, and the drawings. Everything works without it.
import { drawError } from "./error_course.js";
import { howGood, search } from "./list.js";
import { drawMap, mapControls } from "./map_view.js";

const root = document.getElementById("campaign");
const id = root?.dataset.campaign;
const said = document.getElementById("said");
let quiet = 0;
/** A line that stays in sight for a while, wherever one has scrolled to. */
const say = (text) => {
  said.textContent = text;
  clearTimeout(quiet);
  quiet = setTimeout(() => { said.textContent = ""; }, 12000);
};

/** A plain decimal number, or null: 1,5 is never guessed. */
function number(text) {
  return /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(text.trim()) ? Number(text) : null;
}

async function send(url, body) {
  const answer = await fetch(url, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  const data = await answer.json().catch(() => ({}));
  if (!answer.ok) throw Object.assign(new Error(reason(data) || `The server said ${answer.status}.`), { status: answer.status });
  return data;
}

/** Fields by the name that a data attribute gives them, without the empty ones; null if all are empty. */
function namedFields(form, attribute) {
  const filled = [...form.querySelectorAll(`[data-${attribute}]`)].filter((input) => (input.type === "checkbox" ? input.checked : input.value.trim()));
  if (!filled.length) return null;
  return Object.fromEntries(filled.map((input) => [input.dataset[attribute], number(input.value) ?? input.value.trim()]));
}

/** Texts by name: a day may be called 1. */
function namedTexts(form, attribute) {
  const named = namedFields(form, attribute);
  return named && Object.fromEntries(Object.entries(named).map(([name, value]) => [name, String(value)]));
}

/** A refusal in words: what is wrong with each field, if it says so and the message has not said it yet. */
function reason({ message, problems }) {
  const untold = (problems ?? []).filter((p) => !message.includes(p.message));
  if (!untold.length) return message;
  const fields = untold.map((p) => (p.path && !p.path.startsWith("body") ? `${p.path}: ${p.message}` : p.message));
  return `${message.replace(/:$/, "")}: ${fields.join("; ")}`;
}

/** What a number with a comma may be meant to be; nothing to say of other texts. */
function hintFor(text) {
  const [, whole, rest] = /^([+-]?\d+),(\d+)$/.exec(text) ?? [];
  if (!rest) return "";
  const thousands = rest.length === 3 ? `${whole}${rest} if the comma separates thousands, else ` : "";
  return `; write ${thousands}${whole}.${rest} with a decimal point`;
}

function valuesOf(form) {
  const values = {}, inputs = [...form.querySelectorAll("[data-response]")];
  const some = inputs.length > 1 && inputs.some((input) => input.value.trim());
  for (const input of inputs) {
    const limit = /^\s*[<>≤≥]\s*(.+)$/.exec(input.value);
    const value = limit && number(limit[1]) !== null ? input.value.trim() : number(input.value);
    if (some && !input.value.trim()) continue; // the other responses come later
    if (value === null) {
      input.focus();
      const hint = hintFor(input.value.trim());
      throw new Error(`${input.dataset.response}: ${input.value.trim() ? `“${input.value}” is not a number${hint}` : "type the value first"}.`);
    }
    values[input.dataset.response] = value;
  }
  return values;
}

/** Seconds for which experiments are held; null until told. */
function leaseOf(form) {
  const text = form.elements.hours?.value.trim(), hours = Number(text?.replace(",", "."));
  if (text && !(hours > 0)) throw new Error(`Held for: “${text}” is not a number of hours.`);
  return text ? 3600 * hours : null;
}

/** What each kind of form sends, and what is said when it worked. */
const VERBS = {
  tell: (form) => [{
    values: valuesOf(form), since: form.elements.since.value, sure: Boolean(form.elements.sure?.checked),
    at: namedFields(form, "at"), sample: form.elements.sample?.value.trim() || null, block: namedTexts(form, "block"),
  }, "Saved."],
  amend: (form) => [{ values: valuesOf(form), since: form.elements.since.value, reason: form.elements.reason.value, sure: Boolean(form.elements.sure?.checked) }, "Corrected; the old value stays in the history."],
  fail: (form) => [{ reason: form.elements.reason.value, since: form.elements.since.value }, "Noted."],
  ask: (form) => [{
    n: Number(form.elements.n.value), fixed: namedFields(form, "fix"), shared: Object.keys(namedFields(form, "share") ?? {}),
    order: form.elements.order?.value || null, block: namedTexts(form, "block"),
    lease: leaseOf(form),
  }, "New experiments are ready."],
  release: () => [{}, "Released."],
};

async function submit(event) {
  const form = event.target.closest("form[data-api]");
  if (!form || form.dataset.verb === undefined) return;
  event.preventDefault();
  const problem = form.querySelector(".problem");
  const buttons = [...form.querySelectorAll("button")];
  const label = event.submitter?.textContent;
  const started = Date.now();
  const clock = setInterval(() => {
    if (event.submitter) event.submitter.textContent = `${label} … ${Math.round((Date.now() - started) / 1000)} s`;
  }, 1000);
  problem.textContent = "";
  try {
    const url = event.submitter?.dataset.api || form.dataset.api;
    if (form.dataset.verb === "table") {
      if (!(await sendTable(form, url, event.submitter))) return;
    } else {
      const [body, done] = VERBS[form.dataset.verb](form);
      buttons.forEach((b) => { b.disabled = true; });
      await send(url, body);
      say(done);
      if (form.dataset.verb === "amend") { location.replace(`${location.pathname}?said=amended`); return; }
      form.closest(".experiment")?.remove();
      const next = document.querySelector("#cards .tell input[data-response]");
      if (form.dataset.verb === "tell" && next) next.focus();
    }
    await refresh(true);
  } catch (error) {
    problem.textContent = error.message;
    if (error.status === 409) refresh(true);
  } finally {
    clearInterval(clock);
    if (event.submitter) event.submitter.textContent = label;
    buttons.forEach((b) => { b.disabled = false; });
  }
}

/** First what the file says, then, with the button below that, the file is taken; true if it was. */
async function sendTable(form, url, button) {
  const pasted = form.elements.pasted.value, shown = form.querySelector(".preview");
  const file = form.elements.csv.files[0] ?? (pasted.trim() ? new File([pasted], "the pasted cells") : null);
  if (!file) throw new Error("Choose a file, or paste cells.");
  const taking = button?.classList.contains("take");
  if (!taking) shown.replaceChildren();
  const flags = Object.fromEntries(["actual", "again", "sure"].filter((name) => form.elements[name]?.checked).map((name) => [name, true]));
  const body = { base64: await base64(file), name: file.name, ...flags };
  if (!taking) {
    showPreview(shown, await send(`${url}?dry_run=true`, body));
    return false;
  }
  const answer = await send(url, body);
  say(Object.entries(answer).filter(([, n], i) => n || !i).map(([what, n]) => `${n} ${what}`).join(", ") + ".");
  form.reset();
  shown.replaceChildren();
  return true;
}

async function base64(file) {
  const bytes = new Uint8Array(await file.arrayBuffer());
  let text = "";
  for (let i = 0; i < bytes.length; i += 32768) text += String.fromCharCode(...bytes.subarray(i, i + 32768));
  return btoa(text);
}

/** A table of what would be taken, what is not read of the file, and the button that takes it. */
function showPreview(shown, { columns, rows, count, refused, notes }) {
  const cell = (kind, text) => Object.assign(document.createElement(kind), { textContent: text ?? "" });
  const line = (kind, cells) => { const tr = document.createElement("tr"); tr.append(...cells.map((c) => cell(kind, c))); return tr; };
  const table = Object.assign(document.createElement("table"), { className: "rows" });
  table.createTHead().append(line("th", columns));
  table.createTBody().append(...rows.map((row) => line("td", row)));
  const box = Object.assign(document.createElement("div"), { className: "scroll", tabIndex: 0 });
  box.append(table);
  shown.replaceChildren(cell("p", count > rows.length ? `Of ${count} rows, the first ${rows.length}:` : "This is what would be taken:"), box);
  shown.append(...notes.map((note) => Object.assign(cell("p", `Note: ${note}.`), { className: "note" })));
  if (refused) shown.append(Object.assign(cell("p", `${refused === 1 ? "1 row is" : `${refused} rows are`} refused, so nothing of it can be taken.`), { className: "problem" }));
  else shown.append(Object.assign(cell("button", shown.dataset.take), { type: "submit", className: "take" }));
}

// Live: a version number every two seconds; the changed parts of the page only when it grew.
let version = Number(root?.dataset.version || 0);

async function refresh(now = false) {
  if (!root) return;
  const seen = (await (await fetch(`/api/campaigns/${id}/version`)).json()).version;
  document.getElementById("lost").hidden = true;
  if (seen === version && !now) return;
  version = seen;
  const text = await (await fetch(`/c/${id}/parts${location.search}`)).text();
  const fresh = new DOMParser().parseFromString(text, "text/html");
  local(fresh);
  merge(fresh);
  drawMap(id);
  drawError(id);
}

/** Put in what is new. Nothing else moves: a card may be under somebody's finger, or hold what is being typed. */
function merge(fresh) {
  for (const part of ["counts", "rows-box"]) {
    const old = document.getElementById(part), next = fresh.getElementById(part);
    if (old.innerHTML !== next.innerHTML) old.replaceWith(next);
  }
  const list = document.getElementById("cards"), incoming = fresh.getElementById("cards");
  for (const card of [...list.children]) {
    const same = incoming.querySelector(`#${card.id}`);
    const typed = [...card.querySelectorAll("input:not([type=hidden])")].some((input) => (input.type === "checkbox" ? input.checked : input.value !== input.defaultValue)) || card.contains(document.activeElement);
    if (same && (typed || same.dataset.since === card.dataset.since)) continue;
    if (same) card.replaceWith(same);
    else if (typed) supersede(card);
    else card.remove();
  }
  for (const card of [...incoming.children]) if (!document.getElementById(card.id)) list.append(card);
  document.getElementById("none")?.remove();
  const none = fresh.getElementById("none");
  if (none) list.before(none);
}

function supersede(card) {
  card.classList.add("superseded");
  const problem = card.querySelector(".problem");
  if (!problem.textContent) problem.textContent = "Somebody else has dealt with this experiment. What you typed is kept here until you leave the page.";
}

async function live() {
  if (document.visibilityState === "visible") {
    try { await refresh(); } catch { document.getElementById("lost").hidden = false; }
  }
  setTimeout(live, 2000);
}

function drops() {
  for (const form of document.querySelectorAll(".drop")) {
    const over = (on) => (event) => { event.preventDefault(); form.classList.toggle("over", on); };
    form.addEventListener("dragover", over(true));
    form.addEventListener("dragleave", over(false));
    form.addEventListener("drop", (event) => {
      over(false)(event);
      form.elements.csv.files = event.dataTransfer.files;
      form.elements.pasted.value = "";
      form.requestSubmit(form.querySelector("button"));
    });
  }
}

/** Of the form for a new campaign, only what belongs to the chosen kind. */
function kinds() {
  const form = document.getElementById("new");
  if (!form) return;
  const show = () => {
    const kind = form.elements.kind.value;
    for (const part of form.querySelectorAll("[data-for]")) part.hidden = !part.dataset.for.split(" ").includes(kind);
    for (const field of form.querySelectorAll(".row .field:has([id^=p])")) {
      const extra = /-(unit|scale|step|levels)$/.test(field.querySelector("input, select").id);
      field.hidden = kind === "simplex" && extra;
    }
  };
  form.addEventListener("change", show);
  show();
  (form.querySelector("[aria-invalid=true]") || document.getElementById(location.hash.slice(1)))?.focus();
}

/** What was wrong is no longer said once it is being mended. */
function mended(event) {
  const problem = event.target.closest("form")?.querySelector(".problem[role=alert]");
  if (problem) problem.textContent = "";
}

/** Times as the clock on the wall shows them. */
function local(within) {
  for (const time of within.querySelectorAll("time[datetime]")) {
    const at = new Date(time.dateTime);
    if (!Number.isNaN(at.valueOf())) time.textContent = at.toLocaleString([], { dateStyle: "short", timeStyle: "short" });
  }
}

/** The token may stand behind the # of the address, which browsers send to nobody. */
function login() {
  const form = document.getElementById("login");
  if (!form || !location.hash) return;
  form.elements.token.value = decodeURIComponent(location.hash.slice(1));
  history.replaceState(null, "", location.pathname);
  form.requestSubmit();
}

/** Colours change at once; the form does the same without script. */
function themes() {
  document.getElementById("theme").addEventListener("submit", (event) => {
    event.preventDefault();
    const theme = event.submitter.value;
    fetch("/theme", { method: "POST", body: new URLSearchParams({ theme, to: "/new" }) });
    if (theme === "auto") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    for (const button of event.target.querySelectorAll("button")) button.setAttribute("aria-pressed", button === event.submitter);
    document.dispatchEvent(new Event("themechange"));
  });
}

search();
howGood();
themes();
login();
addEventListener("hashchange", login);
kinds();
local(document);
if (said.textContent) say(said.textContent);
document.addEventListener("submit", submit);
document.addEventListener("input", mended);
if (root) {
  drops();
  mapControls(id, drawError);
  document.addEventListener("campaignchange", () => refresh(true));
  setTimeout(live, 2000);
}
document.documentElement.dataset.ready = "true"; // from here on forms are ours; before, they post as without script
