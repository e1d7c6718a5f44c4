// A turnable globe on a canvas: cells in latitude and longitude, seen from afar. Drag it, or use the arrow keys.

const STOPS = [[68, 1, 84], [59, 82, 139], [33, 145, 140], [94, 201, 98], [253, 231, 37]];

function shade(share) {
  const place = Math.min(Math.max(share, 0), 1) * (STOPS.length - 1);
  const low = Math.min(Math.floor(place), STOPS.length - 2), part = place - low;
  return `rgb(${STOPS[low].map((v, i) => Math.round(v + part * (STOPS[low + 1][i] - v))).join(",")})`;
}

export class Globe {
  constructor(canvas) {
    this.canvas = canvas;
    this.turn = 0.6;
    this.tilt = 0.4;
    let from = null;
    canvas.addEventListener("pointerdown", (e) => { from = [e.clientX, e.clientY]; canvas.setPointerCapture(e.pointerId); });
    canvas.addEventListener("pointerup", () => { from = null; });
    canvas.addEventListener("pointermove", (e) => {
      if (!from) return;
      this.by((e.clientX - from[0]) / 150, (e.clientY - from[1]) / 150);
      from = [e.clientX, e.clientY];
    });
    canvas.addEventListener("keydown", (e) => {
      const step = { ArrowLeft: [-0.15, 0], ArrowRight: [0.15, 0], ArrowUp: [0, -0.15], ArrowDown: [0, 0.15] }[e.key];
      if (step) { e.preventDefault(); this.by(...step); }
    });
  }

  by(turn, tilt) {
    this.turn += turn;
    this.tilt = Math.min(Math.max(this.tilt + tilt, -1.5), 1.5);
    this.paint();
  }

  show(data) {
    this.data = data;
    this.paint();
  }

  /** A point of space as the viewer sees it: x to the right, y up, z towards the viewer. */
  seen([x, y, z]) {
    const a = Math.cos(this.turn), b = Math.sin(this.turn), c = Math.cos(this.tilt), d = Math.sin(this.tilt);
    const right = a * y + b * x, towards = a * x - b * y;
    return [right, c * z - d * towards, d * z + c * towards];
  }

  paint() {
    const { values, shape, design, next, unit, text } = this.data;
    const draw = this.canvas.getContext("2d"), { width, height } = this.canvas;
    const radius = 0.45 * height, cx = 0.45 * width, cy = height / 2;
    const at = (p) => [cx + radius * p[0], cy - radius * p[1]];
    draw.clearRect(0, 0, width, height);
    const known = (values || []).filter((v) => v !== null);
    const low = Math.min(...known), high = Math.max(...known), [rows, columns] = shape;
    for (let i = 0; i < rows; i++) for (let j = 0; j < columns; j++) {
      const corners = [[i, j], [i, j + 1], [i + 1, j + 1], [i + 1, j]].map(([r, s]) => {
        const lat = (r / rows - 0.5) * Math.PI, lon = (s / columns - 0.5) * 2 * Math.PI;
        return this.seen([Math.cos(lat) * Math.cos(lon), Math.cos(lat) * Math.sin(lon), Math.sin(lat)]);
      });
      if (corners.every((p) => p[2] < 0)) continue;
      const v = values ? values[i * columns + j] : null;
      draw.fillStyle = draw.strokeStyle = v === null ? "#8886" : shade(high > low ? (v - low) / (high - low) : 0.5);
      draw.beginPath();
      corners.forEach((p, k) => draw[k ? "lineTo" : "moveTo"](...at(p)));
      draw.closePath();
      draw.fill();
      if (v !== null) draw.stroke();
    }
    const dots = [...design.map((p) => [p.place, p.state]), ...next.map((p) => [p.place, "next"])];
    for (const [place, state] of dots) {
      const p = this.seen(place);
      if (p[2] < -0.02) continue;
      const [x, y] = at(p);
      draw.beginPath();
      draw.lineWidth = state === "pending" ? 5 : 3;
      draw.arc(x, y, state === "done" ? 7 : 10, 0, 2 * Math.PI);
      draw.fillStyle = { done: "#fff", next: "#ffb000", failed: "#888" }[state] || "transparent";
      draw.strokeStyle = state === "pending" ? "#d1246a" : "#111";
      draw.fill();
      draw.stroke();
    }
    if (known.length) this.scale(draw, low, high, unit, text, width, height);
    draw.font = "24px system-ui, sans-serif";
    draw.fillStyle = text;
    [[1.12, 0, 0], [0, 1.12, 0], [0, 0, 1.12]].forEach((tip, k) => {
      const p = this.seen(tip);
      if (p[2] > 0) { const [x, y] = at(p); draw.fillText(`x${k + 1}`, x - 12, y + 8); }
    });
  }

  scale(draw, low, high, unit, text, width, height) {
    for (let k = 0; k < 100; k++) {
      draw.fillStyle = shade(k / 99);
      draw.fillRect(width - 130, height * (0.85 - 0.7 * (k + 1) / 100), 26, height * 0.7 / 100 + 1);
    }
    draw.fillStyle = text;
    draw.font = "24px system-ui, sans-serif";
    [0, 0.5, 1].forEach((s) => draw.fillText(Number((low + s * (high - low)).toPrecision(3)), width - 96, height * (0.85 - 0.7 * s) + 8));
    draw.fillText(unit, width - 130, height * 0.11);
  }
}
