// A turnable globe on a canvas, seen from afar. Drag it, or use the arrow keys.
import { shade } from "./scales.js";

const STEPS = 256;
const FONT = "14px system-ui, sans-serif";

export class Globe {
  constructor(canvas) {
    this.canvas = canvas;
    this.turn = 0.6;
    this.tilt = 0.4;
    let from = null;
    canvas.addEventListener("pointerdown", (e) => { this.turned = false; from = [e.clientX, e.clientY]; canvas.setPointerCapture(e.pointerId); });
    for (const end of ["pointerup", "pointercancel"]) canvas.addEventListener(end, () => { from = null; });
    canvas.addEventListener("pointermove", (e) => {
      if (!from) return;
      if (Math.hypot(e.clientX - from[0], e.clientY - from[1]) > 2) this.turned = true;
      this.by((e.clientX - from[0]) / 150, (e.clientY - from[1]) / 150);
      from = [e.clientX, e.clientY];
    });
    canvas.addEventListener("keydown", (e) => {
      const step = { ArrowLeft: [-0.15, 0], ArrowRight: [0.15, 0], ArrowUp: [0, -0.15], ArrowDown: [0, 0.15] }[e.key];
      if (step) { e.preventDefault(); this.by(...step); }
    });
    addEventListener("resize", () => this.data && this.paint());
  }

  by(turn, tilt) {
    this.turn += turn;
    this.tilt = Math.min(Math.max(this.tilt + tilt, -1.5), 1.5);
    this.paint();
  }

  show(data) {
    this.data = data;
    const known = (data.values || []).filter((v) => v !== null);
    this.low = Math.min(...known);
    this.high = Math.max(...known);
    this.known = known.length > 0;
    this.colours = Array.from({ length: STEPS }, (_, k) => shade(data.scale, k / (STEPS - 1)));
    this.paint();
  }

  /** A point of space as the viewer sees it: x to the right, y up, z towards the viewer. */
  seen([x, y, z]) {
    const a = Math.cos(this.turn), b = Math.sin(this.turn), c = Math.cos(this.tilt), d = Math.sin(this.tilt);
    const right = a * y + b * x, towards = a * x - b * y;
    return [right, c * z - d * towards, d * z + c * towards];
  }

  /** Lengths are in pixels of the page; the canvas has as many as the screen. */
  paint() {
    const width = this.canvas.clientWidth, height = this.canvas.clientHeight, dense = devicePixelRatio || 1;
    if (!width) return;
    Object.assign(this.canvas, { width: Math.round(width * dense), height: Math.round(height * dense) });
    const draw = this.canvas.getContext("2d");
    const ticks = this.known ? ticksOf(this.low, this.high) : [], beside = this.known ? 60 + this.widest(draw, ticks) : 18;
    const radius = Math.min(0.45 * height, (width - 18 - beside) / 2), cx = radius + 18, cy = height / 2;
    this.centre = { cx, cy, radius };
    this.surface(draw, cx * dense, cy * dense, radius * dense);
    draw.scale(dense, dense);
    const at = (p) => [cx + radius * p[0], cy - radius * p[1]];
    this.axes(draw, at);
    for (const { place, state } of [...this.data.design, ...this.data.next.map((p) => ({ ...p, state: "next" }))]) {
      const p = this.seen(place);
      if (p[2] > -0.02) mark(draw, ...at(p), state);
      else if (state === "pending" || state === "next") beyond(draw, ...at(p), state);
    }
    if (this.known) this.bar(draw, cx + radius + 26, height, ticks);
  }

  /** The cell under a click that did not turn the globe; null beside it. */
  cellAt(event) {
    if (this.turned || !this.centre) return null;
    const box = this.canvas.getBoundingClientRect(), { cx, cy, radius } = this.centre;
    const u = (event.clientX - box.left - cx) / radius, v = (cy - event.clientY + box.top) / radius, out = u * u + v * v;
    if (out > 1) return null;
    const a = Math.cos(this.turn), b = Math.sin(this.turn), c = Math.cos(this.tilt), d = Math.sin(this.tilt);
    const w = Math.sqrt(1 - out), towards = c * w - d * v, up = c * v + d * w, [rows, columns] = this.data.shape;
    const part = (share, n) => Math.min(Math.max(Math.floor(share * n), 0), n - 1);
    return part(Math.asin(Math.min(Math.max(up, -1), 1)) / Math.PI + 0.5, rows) * columns + part(Math.atan2(a * u - b * towards, b * u + a * towards) / (2 * Math.PI) + 0.5, columns);
  }

  /** How wide the longest number of the scale is. */
  widest(draw, ticks) {
    draw.font = FONT;
    return Math.max(...ticks.map((v) => draw.measureText(String(v)).width));
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
      image.data[k + 3] = Math.min(1, cover) * (value === null ? 100 : 255);
    }
    draw.putImageData(image, left, top);
  }

  axes(draw, at) {
    draw.font = "600 15px system-ui, sans-serif";
    draw.textAlign = "center";
    [[1.06, 0, 0], [0, 1.06, 0], [0, 0, 1.06]].forEach((tip, k) => {
      const p = this.seen(tip);
      if (p[2] < 0) return;
      const [x, y] = at(p);
      draw.lineWidth = 4;
      draw.strokeStyle = this.data.card;
      draw.strokeText(`x${k + 1}`, x, y);
      draw.fillStyle = this.data.text;
      draw.fillText(`x${k + 1}`, x, y);
    });
  }

  bar(draw, x, height, ticks) {
    for (let k = 0; k < STEPS; k++) {
      draw.fillStyle = `rgb(${this.colours[k]})`;
      draw.fillRect(x, height * (0.85 - 0.7 * (k + 1) / STEPS), 14, height * 0.7 / STEPS + 1);
    }
    draw.fillStyle = this.data.text;
    draw.font = FONT;
    draw.textAlign = "left";
    for (const v of ticks) draw.fillText(String(v), x + 20, height * (0.85 - 0.7 * (this.high > this.low ? (v - this.low) / (this.high - this.low) : 0.5)) + 5);
  }
}

/** Round numbers between two ends, about five of them. */
function ticksOf(low, high) {
  if (!(high > low)) return [Number(low.toPrecision(3))];
  const rough = (high - low) / 4, power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((k) => k * power).find((s) => s >= rough);
  const count = Math.floor(high / step + 1e-9) - Math.ceil(low / step - 1e-9) + 1;
  return Array.from({ length: count }, (_, k) => Number(((Math.ceil(low / step - 1e-9) + k) * step).toPrecision(12)));
}

/** A point to run that lies on the far side: its ring, broken. */
function beyond(draw, x, y, state) {
  draw.save();
  draw.setLineDash([3, 3]);
  draw.globalAlpha = 0.75;
  mark(draw, x, y, state);
  draw.restore();
}

/** The value at a latitude and a longitude, given as shares, between the centres of cells; null beside a gap. */
function between(values, rows, columns, latitude, longitude) {
  const r = Math.min(Math.max(latitude * rows - 0.5, 0), rows - 1), s = longitude * columns - 0.5 + columns;
  const r0 = Math.min(Math.floor(r), rows - 2), s0 = Math.floor(s), p = r - r0, q = s - s0;
  const cell = (row, column) => values[row * columns + (column % columns)];
  const [a, b, c, d] = [cell(r0, s0), cell(r0, s0 + 1), cell(r0 + 1, s0), cell(r0 + 1, s0 + 1)];
  if (a === null || b === null || c === null || d === null) return cell(Math.round(r), Math.round(s));
  return (1 - p) * ((1 - q) * a + q * b) + p * ((1 - q) * c + q * d);
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
