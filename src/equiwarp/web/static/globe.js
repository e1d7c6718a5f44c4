// A turnable globe on a canvas, seen from afar. Drag it, or use the arrow keys.
import { short } from "./dom.js";
import { ticks } from "./panel.js";
import { shade } from "./scales.js";
import { barWidth, colourBar, penOf, seenFrom, spot, turnable } from "./turning.js";

const STEPS = 256, DEGREE = Math.PI / 180;
const FONT = "14px system-ui, sans-serif";

export class Globe {
  /** It faces a direction, "azimuth,elevation" in degrees; `turnedTo` hears of another one. */
  constructor(canvas, facing = "", turnedTo = () => {}) {
    const [azimuth, elevation] = /^-?[\d.]+,-?[\d.]+$/.test(facing) ? facing.split(",").map((v) => Number(v) * DEGREE) : [-0.6, 0.4];
    Object.assign(this, { canvas, turn: -azimuth, tilt: Math.min(Math.max(elevation, -1.5), 1.5) });
    turnable(this, canvas);
    this.moved = () => turnedTo([Math.atan2(Math.sin(-this.turn), Math.cos(this.turn)), this.tilt].map((v) => Math.round(v / DEGREE)).join(","));
  }

  show(data) {
    this.data = data;
    const known = (data.values || []).filter((v) => v !== null);
    [this.low, this.high] = data.ends ?? [Math.min(...known), Math.max(...known)];
    this.known = known.length > 0;
    this.colours = Array.from({ length: STEPS }, (_, k) => shade(data.scale, k / (STEPS - 1)));
    this.paint();
  }

  paint() {
    const pen = penOf(this.canvas);
    if (!pen) return;
    const { draw, width, height, dense } = pen, barred = this.known && !this.data.ends;
    const numbers = barred ? ticks(this.low, this.high, 5) : [], beside = barred ? 40 + barWidth(draw, numbers, FONT) : 18;
    const radius = Math.min(0.45 * height, (width - 18 - beside) / 2), cx = barred ? radius + 18 : width / 2, cy = height / 2;
    this.centre = { cx, cy, radius };
    this.surface(draw, cx * dense, cy * dense, radius * dense);
    draw.scale(dense, dense);
    const at = (p) => [cx + radius * p[0], cy - radius * p[1]];
    this.axes(draw, at);
    this.marks = [];
    for (const point of [...this.data.design, ...this.data.next.map((p) => ({ ...p, role: "next" }))]) {
      const p = seenFrom(this, point.place), state = point.role, near = p[2] > -0.02;
      draw.globalAlpha = Math.max(0.4, 1 - 2 * (point.apart ?? 0)); // faint where it lies off the slice
      if (!near && state !== "pending" && state !== "next" && !this.stands(point)) continue;
      (near ? mark : beyond)(draw, ...at(p), state);
      if (this.stands(point)) spot(draw, ...at(p));
      this.marks.push({ point, at: at(p) });
    }
    draw.globalAlpha = 1;
    if (barred) colourBar(draw, { x: cx + radius + 26, height, colours: this.colours, low: this.low, high: this.high, ticks: numbers, title: this.data.title, text: this.data.text, font: FONT });
  }

  /** Whether an experiment stands out, because the pointer is on its row of the table. */
  stands(point) {
    return point.id !== undefined && point.id === this.data.spot;
  }

  /** The mark under the pointer, and the cell; null beside the globe. */
  under(event) {
    if (!this.centre) return { point: null, cell: null };
    const box = this.canvas.getBoundingClientRect(), x = event.clientX - box.left, y = event.clientY - box.top;
    const near = (this.marks ?? []).filter((m) => Math.hypot(m.at[0] - x, m.at[1] - y) < 11);
    return { point: near.at(-1)?.point ?? null, cell: this.cellBelow(x, y) };
  }

  cellBelow(x, y) {
    const { cx, cy, radius } = this.centre, u = (x - cx) / radius, v = (cy - y) / radius, out = u * u + v * v;
    if (out > 1) return null;
    const a = Math.cos(this.turn), b = Math.sin(this.turn), c = Math.cos(this.tilt), d = Math.sin(this.tilt);
    const w = Math.sqrt(1 - out), towards = c * w - d * v, up = c * v + d * w, [rows, columns] = this.data.shape;
    const part = (share, n) => Math.min(Math.max(Math.floor(share * n), 0), n - 1);
    return part(Math.asin(Math.min(Math.max(up, -1), 1)) / Math.PI + 0.5, rows) * columns + part(Math.atan2(a * u - b * towards, b * u + a * towards) / (2 * Math.PI) + 0.5, columns);
  }

  /** Every pixel of the disc takes the value of the direction that it shows. */
  surface(draw, cx, cy, radius) {
    const { values, shape: [rows, columns] } = this.data, span = this.high - this.low;
    const a = Math.cos(this.turn), b = Math.sin(this.turn), c = Math.cos(this.tilt), d = Math.sin(this.tilt);
    const size = Math.ceil(2 * radius) + 2, image = draw.createImageData(size, size), left = Math.floor(cx - size / 2), top = Math.floor(cy - size / 2);
    for (let j = 0; j < size; j++) for (let i = 0; i < size; i++) {
      const u = (left + i + 0.5 - cx) / radius, v = (cy - top - j - 0.5) / radius, out = Math.hypot(u, v);
      const cover = (1 - out) * radius + 0.5;
      if (cover <= 0) continue;
      const w = Math.sqrt(Math.max(0, 1 - out * out)), towards = c * w - d * v;
      const up = c * v + d * w, x = b * u + a * towards, y = a * u - b * towards;
      const value = values ? between(values, rows, columns, Math.asin(Math.min(Math.max(up, -1), 1)) / Math.PI + 0.5, Math.atan2(y, x) / (2 * Math.PI) + 0.5) : null;
      const colour = value === null ? [136, 136, 136] : this.colours[span > 0 ? Math.round((STEPS - 1) * (value - this.low) / span) : STEPS / 2];
      const k = 4 * (j * size + i);
      [image.data[k], image.data[k + 1], image.data[k + 2]] = colour;
      image.data[k + 3] = Math.min(1, cover) * (value === null ? 100 : this.data.pale ? 165 : 255);
    }
    draw.putImageData(image, left, top);
  }

  axes(draw, at) {
    draw.font = "600 15px system-ui, sans-serif";
    draw.textAlign = "center";
    [[1.06, 0, 0], [0, 1.06, 0], [0, 0, 1.06]].forEach((tip, k) => {
      const p = seenFrom(this, tip);
      if (p[2] < 0) return;
      const name = short(this.data.names?.[k] ?? `x${k + 1}`, 12), half = draw.measureText(name).width / 2 + 2, [left, y] = at(p);
      const x = Math.min(Math.max(left, half), this.canvas.clientWidth - half); // none is cut
      draw.lineWidth = 4;
      draw.strokeStyle = this.data.card;
      draw.strokeText(name, x, y);
      draw.fillStyle = this.data.text;
      draw.fillText(name, x, y);
    });
  }
}

/** A point to run that lies on the far side: its ring, broken. */
function beyond(draw, x, y, state) {
  draw.save();
  draw.setLineDash([3, 3]);
  draw.globalAlpha *= 0.75;
  mark(draw, x, y, state);
  draw.restore();
}

/** The value at a latitude and a longitude, given as shares, between the centres of cells; null where most of the place is a gap. */
function between(values, rows, columns, latitude, longitude) {
  const r = Math.min(Math.max(latitude * rows - 0.5, 0), rows - 1), s = longitude * columns - 0.5 + columns;
  const r0 = Math.min(Math.floor(r), rows - 2), s0 = Math.floor(s), p = r - r0, q = s - s0;
  const cell = (row, column) => values[row * columns + (column % columns)];
  let sum = 0, known = 0;
  for (const [value, share] of [[cell(r0, s0), (1 - p) * (1 - q)], [cell(r0, s0 + 1), (1 - p) * q], [cell(r0 + 1, s0), p * (1 - q)], [cell(r0 + 1, s0 + 1), p * q]]) {
    if (value !== null) { sum += share * value; known += share; }
  }
  return known > 0.5 ? sum / known : null; // an edge between gaps and values is a line, not the outline of cells
}

/** The marks of the plots, drawn by hand. */
function mark(draw, x, y, state) {
  draw.beginPath();
  if (state === "next") [[0, -8], [8, 0], [0, 8], [-8, 0]].forEach(([a, b], k) => draw[k ? "lineTo" : "moveTo"](x + a, y + b));
  else if (state === "failed") [[-5, -5, 5, 5], [-5, 5, 5, -5]].forEach(([a, b, c, d]) => { draw.moveTo(x + a, y + b); draw.lineTo(x + c, y + d); });
  else draw.arc(x, y, state === "done" ? 4.5 : 7, 0, 2 * Math.PI);
  draw.closePath();
  draw.fillStyle = { done: "#ffffff", next: "#ffb000" }[state] || "transparent";
  draw.fill();
  for (const [colour, width] of { pending: [["#ffffff", 5], ["#d1246a", 3]], failed: [["#ffffff", 6], ["#555555", 3]] }[state] || [["#111111", 1.5]]) {
    draw.strokeStyle = colour;
    draw.lineWidth = width;
    draw.stroke();
  }
}
