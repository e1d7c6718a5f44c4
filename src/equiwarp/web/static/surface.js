// The map of two parameters as a surface on a canvas: drag it, or use the arrow keys. Heights and colours are the same values.
import { short } from "./dom.js";
import { axisScale, axisTicks, ticks } from "./panel.js";
import { shade } from "./scales.js";
import { barWidth, colourBar, penOf, seenFrom, spot, turnable } from "./turning.js";

const FONT = "14px system-ui, sans-serif", STEPS = 128, TALL = 0.62, LOWEST = 0.1;

export class Surface {
  constructor(canvas) {
    Object.assign(this, { canvas, turn: 0.9, tilt: 0.55, lowest: LOWEST });
    turnable(this, canvas);
  }

  /** data: axes, grid, shape, values, design, scale, title, text, card, line. */
  show(data) {
    this.data = data;
    const known = data.values.filter((v) => v !== null);
    this.low = Math.min(...known);
    this.high = Math.max(...known);
    this.colours = Array.from({ length: STEPS }, (_, k) => shade(data.scale, k / (STEPS - 1)));
    this.scales = data.axes.map(axisScale);
    this.paint();
  }

  /** A place of the map and a value there, in space: the base is a square around the middle. */
  space(x, y, value) {
    const up = this.high > this.low ? (value - this.low) / (this.high - this.low) : 0.5;
    return [2 * this.scales[1].share(y) - 1, 2 * this.scales[0].share(x) - 1, TALL * (2 * up - 1)];
  }

  paint() {
    const pen = penOf(this.canvas);
    if (!pen) return;
    const { draw, width, height, dense } = pen, numbers = ticks(this.low, this.high, 5), beside = barWidth(draw, numbers, FONT) + 12;
    draw.scale(dense, dense);
    const size = Math.min((width - beside - 60) / 2.9, (height - 80) / 2.3), cx = (width - beside) / 2, cy = height * 0.47;
    this.at = (p) => { const s = seenFrom(this, p); return [cx + size * s[0], cy - size * s[1], s[2]]; };
    this.frame(draw);
    this.names(draw, width - 8, height - 8);
    this.sheet(draw);
    this.design(draw);
    colourBar(draw, { x: width - beside, height, colours: this.colours, low: this.low, high: this.high, ticks: numbers, title: short(this.data.title, 40), text: this.data.text, font: FONT });
  }

  /** The base with its ticks and names, along the two sides that are nearest. */
  frame(draw) {
    const { axes, line, text } = this.data, corners = [[-1, -1], [-1, 1], [1, 1], [1, -1]].map(([x, y]) => [x, y, -TALL]);
    draw.strokeStyle = line;
    draw.beginPath();
    corners.forEach((c, k) => draw[k ? "lineTo" : "moveTo"](...this.at(c).slice(0, 2)));
    draw.closePath();
    draw.stroke();
    Object.assign(draw, { fillStyle: text, font: FONT, textAlign: "center" });
    const drawn = [];
    axes.forEach((axis, k) => {
      for (const [v, text] of axisTicks(axis, 140)) {
        const [x, y] = this.beside(k, this.scales[k].share(v), 1.13);
        if (drawn.some(([a, b]) => Math.abs(x - a) < 8 * text.length + 4 && Math.abs(y - b) < 16)) continue; // no two numbers touch
        drawn.push([x, y]);
        draw.fillText(text, x, y + 5);
      }
    });
  }

  /** Where a share of an axis lies along the side of the base that is nearest, and so far out. */
  beside(k, share, out) {
    const place = (side, far, along) => { const p = [0, 0, -TALL]; p[1 - k] = 2 * along - 1; p[k] = side * far; return this.at(p); };
    return place(place(1, 1, 0.5)[2] > place(-1, 1, 0.5)[2] ? 1 : -1, out, share);
  }

  /** The names of the two axes below the drawing, each on its side: there they meet nothing. */
  names(draw, width, y) {
    const [first, second] = [0, 1].map((k) => this.beside(k, 0.5, 1)[0]), leftmost = first < second ? 0 : 1;
    this.data.axes.forEach(({ name, unit }, k) => {
      const left = k === leftmost, behind = unit ? ` (${short(unit, 10)})` : "";
      draw.textAlign = left ? "left" : "right";
      draw.fillText(short(name, Math.max(6, Math.floor(width / 16) - behind.length)) + behind, left ? 8 : width, y);
    });
  }

  /** Every cell as a patch, the farthest first. */
  sheet(draw) {
    const { grid: [xs, ys], shape: [rows, columns], values } = this.data, patches = [];
    for (let r = 0; r + 1 < rows; r += 1) for (let c = 0; c + 1 < columns; c += 1) {
      const cells = [[r, c], [r, c + 1], [r + 1, c + 1], [r + 1, c]].filter(([i, j]) => values[i * columns + j] !== null), known = cells.map(([i, j]) => values[i * columns + j]);
      if (known.length < 3) continue; // at the edge of constraints a corner is missing: the patch is a triangle
      const points = cells.map(([i, j], k) => this.at(this.space(xs[j], ys[i], known[k])));
      patches.push({ points, depth: points.reduce((sum, p) => sum + p[2], 0) / known.length, mean: known.reduce((a, b) => a + b) / known.length });
    }
    patches.sort((a, b) => a.depth - b.depth);
    const span = this.high - this.low;
    for (const { points, mean } of patches) {
      const colour = `rgb(${this.colours[span > 0 ? Math.round((STEPS - 1) * (mean - this.low) / span) : STEPS / 2]})`;
      draw.beginPath();
      points.forEach(([x, y], k) => draw[k ? "lineTo" : "moveTo"](x, y));
      draw.closePath();
      Object.assign(draw, { fillStyle: colour, strokeStyle: colour, lineWidth: 0.7 });
      draw.fill();
      draw.stroke();
    }
  }

  /** Measured values; those far from the slice are left out. */
  design(draw) {
    this.marks = [];
    for (const p of this.data.design) {
      if (p.role !== "done" || p.value === null || p.apart > 0.2) continue;
      const [x, y] = this.at(this.space(p.place[0], p.place[1], Math.min(Math.max(p.value, this.low), this.high)));
      draw.beginPath();
      draw.arc(x, y, 4, 0, 2 * Math.PI);
      Object.assign(draw, { fillStyle: "#ffffff", strokeStyle: "#111111", lineWidth: 1.5 });
      draw.fill();
      draw.stroke();
      if (p.id === this.data.spot) spot(draw, x, y);
      this.marks.push({ point: p, at: [x, y] });
    }
  }

  /** The measurement under the pointer, and the cell of the sheet that is nearest to the eye there; null beside it. */
  under(event) {
    const box = this.canvas.getBoundingClientRect(), x = event.clientX - box.left, y = event.clientY - box.top;
    const { grid: [xs, ys], shape: [, columns], values } = this.data, away = (p) => Math.hypot(p[0] - x, p[1] - y);
    let cell = null, front = -Infinity;
    values.forEach((value, i) => {
      if (value === null) return;
      const p = this.at(this.space(xs[i % columns], ys[Math.floor(i / columns)], value));
      if (away(p) < 9 && p[2] > front) [cell, front] = [i, p[2]];
    });
    return { point: this.marks.filter((m) => away(m.at) < 9).at(-1)?.point ?? null, cell };
  }
}
