// The list of campaigns: how good the map of each is, and the search among their names.

/** How good the maps of the list are, where nobody has looked since the server began: of those in sight, one after the other. */
export function howGood() {
  let turn = Promise.resolve();
  const seen = new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries) if (isIntersecting) { seen.unobserve(target); turn = turn.then(() => judge(target)); }
  });
  for (const line of document.querySelectorAll("[data-unknown]")) seen.observe(line.closest("li"));
}

/** Compute it for one campaign, and say so. */
async function judge(item) {
  const line = item.querySelector("[data-unknown]");
  try {
    let known = { working: true };
    while (known.working && !known.course) {
      if (line.textContent === "") line.textContent = "; computing how good the map is …";
      known = await (await fetch(`/api/campaigns/${line.dataset.unknown}/error`)).json();
      if (known.working && !known.course) await new Promise((done) => { setTimeout(done, 1000); });
    }
    line.textContent = known.course ? `; map error ${Number(known.course.now[0].value.toPrecision(3))}${known.units[0] ? ` ${known.units[0]}` : ""}${known.course.may_stop ? ", " : ""}` : "";
    if (known.course?.may_stop) line.append(Object.assign(document.createElement("b"), { textContent: "may stop" }));
  } catch { line.textContent = ""; }
}

/** Of many campaigns, those whose names hold what is typed. */
export function search() {
  const box = document.getElementById("search"), all = [...document.querySelectorAll(".campaigns > li")];
  if (!box) return;
  box.addEventListener("input", (event) => {
    const wanted = event.target.value.trim().toLowerCase();
    for (const item of all) item.hidden = !item.dataset.name.toLowerCase().includes(wanted);
    const away = document.querySelector(".put-away");
    if (away && wanted) away.open = [...away.querySelectorAll("li")].some((item) => !item.hidden);
    document.getElementById("none-found").hidden = all.some((item) => !item.hidden);
  });
}
