// Every figure as PNG, as SVG and as data: a small row of buttons below it.
import { colour, element, shape } from "./dom.js";

/** Below a figure: how to take it along. `figure` gives the text of an SVG file, `rows` a table. */
export function offer(box, name, { svg, png, rows }) {
  const button = (text, work) => {
    const made = element("button", { type: "button", class: "small plain" }, text);
    made.addEventListener("click", work);
    return made;
  };
  const file = (end) => `${name().replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "")}.${end}`;
  box.replaceChildren(
    button("PNG", async () => download(png ? await png() : await raster(svg()), file("png"))),
    button("SVG", async () => download(new Blob([await svg()], { type: "image/svg+xml" }), file("svg"))),
    button("Data (CSV)", () => download(new Blob([csv(rows())], { type: "text/csv" }), file("csv"))),
  );
}

function download(blob, name) {
  const link = element("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

/** Cells with quotation marks where they need them. */
const csv = (rows) => `${rows.map((row) => row.map((cell) => {
  const text = cell === null || cell === undefined ? "" : String(cell);
  return /[",\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
}).join(",")).join("\n")}\n`;

/** What a style sheet gives a drawing; a file has none. */
const STYLES = ["fill", "stroke", "stroke-width", "stroke-dasharray", "font-size", "font-weight", "font-family", "opacity", "fill-opacity"];

function styled(svg) {
  const copy = svg.cloneNode(true), from = [svg, ...svg.querySelectorAll("*")], to = [copy, ...copy.querySelectorAll("*")];
  from.forEach((node, i) => {
    const style = getComputedStyle(node);
    for (const name of STYLES) to[i].setAttribute(name, style.getPropertyValue(name));
    to[i].removeAttribute("class");
  });
  return copy;
}

/** All drawings of a box as one SVG, each where it stands, with the texts marked data-caption. */
export function svgOf(box, more = []) {
  const around = box.getBoundingClientRect(), whole = shape("svg", { xmlns: "http://www.w3.org/2000/svg", width: Math.ceil(around.width), height: Math.ceil(around.height) });
  whole.append(shape("rect", { width: "100%", height: "100%", fill: colour("--card") }));
  for (const svg of more.length ? [] : box.querySelectorAll("svg")) {
    const at = svg.getBoundingClientRect(), copy = styled(svg);
    for (const [name, value] of Object.entries({ x: at.x - around.x, y: at.y - around.y, width: at.width, height: at.height })) copy.setAttribute(name, value);
    whole.append(copy);
  }
  whole.append(...more);
  for (const text of box.querySelectorAll("[data-caption], figcaption")) {
    const at = text.getBoundingClientRect(), style = getComputedStyle(text);
    whole.append(shape("text", { x: at.x - around.x, y: at.y - around.y + at.height * 0.75, fill: style.color, "font-size": style.fontSize, "font-weight": style.fontWeight, "font-family": style.fontFamily }, text.textContent));
  }
  return new XMLSerializer().serializeToString(whole);
}

/** An SVG as a picture of twice its size. */
export async function raster(text) {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  await image.decode();
  const canvas = element("canvas", { width: image.width * 2, height: image.height * 2 });
  const draw = canvas.getContext("2d");
  draw.scale(2, 2);
  draw.drawImage(image, 0, 0);
  return new Promise((done) => canvas.toBlob(done, "image/png"));
}
