// The address of the page holds what is shown, so that a link shows the same to somebody else.

const known = () => new URLSearchParams(location.search);

/** What the address says under a name; the default if nothing. */
export const viewed = (name, otherwise = "") => known().get(name) ?? otherwise;

/** Settings by axis, as the address holds them. */
export function heldInAddress() {
  try {
    const held = JSON.parse(viewed("at", "{}"));
    return Object.fromEntries(Object.entries(held).filter(([, value]) => Number.isFinite(value)));
  } catch { return {}; }
}

/** Put what is shown into the address, without a step in the browser's history; empty values leave it. */
export function remember(shown) {
  const query = known();
  query.delete("said");
  for (const [name, value] of Object.entries(shown)) {
    query.delete(name);
    for (const one of [value].flat()) if (one !== "" && one !== null && one !== undefined) query.append(name, one);
  }
  const text = query.toString();
  history.replaceState(null, "", `${location.pathname}${text ? `?${text}` : ""}${location.hash}`);
}

/** Numbers short enough for an address. */
export const compact = (at) => JSON.stringify(Object.fromEntries(Object.entries(at).map(([name, v]) => [name, Number(Number(v).toPrecision(6))])));
