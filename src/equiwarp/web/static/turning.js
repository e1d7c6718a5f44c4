// What globe and surface share: turned by dragging or with the arrow keys, and the point of view.

/** Let a canvas turn what it shows. `view` has turn, tilt, turned and paint, and moved where somebody wants to know. */
export function turnable(view, canvas, most = 1.5) {
  let from = null;
  const by = (turn, tilt) => {
    view.turn += turn;
    view.tilt = Math.min(Math.max(view.tilt + tilt, view.lowest ?? -most), most);
    view.paint();
    view.moved?.();
  };
  canvas.addEventListener("pointerdown", (e) => { view.turned = false; from = [e.clientX, e.clientY]; canvas.setPointerCapture(e.pointerId); });
  for (const end of ["pointerup", "pointercancel"]) canvas.addEventListener(end, () => { from = null; });
  canvas.addEventListener("pointermove", (e) => {
    if (!from) return;
    if (Math.hypot(e.clientX - from[0], e.clientY - from[1]) > 2) view.turned = true;
    by((e.clientX - from[0]) / 150, (e.clientY - from[1]) / 150);
    from = [e.clientX, e.clientY];
  });
  canvas.addEventListener("keydown", (e) => {
    const step = { ArrowLeft: [-0.15, 0], ArrowRight: [0.15, 0], ArrowUp: [0, -0.15], ArrowDown: [0, 0.15] }[e.key];
    if (step) { e.preventDefault(); by(...step); }
  });
  addEventListener("resize", () => view.data && view.paint());
}

/** A point of space as the viewer sees it: x to the right, y up, z towards the viewer. */
export function seenFrom({ turn, tilt }, [x, y, z]) {
  const a = Math.cos(turn), b = Math.sin(turn), c = Math.cos(tilt), d = Math.sin(tilt);
  const right = a * y + b * x, towards = a * x - b * y;
  return [right, c * z - d * towards, d * z + c * towards];
}

/** A ring around the experiment that stands out. */
export function spot(draw, x, y) {
  draw.beginPath();
  draw.arc(x, y, 11, 0, 2 * Math.PI);
  Object.assign(draw, { strokeStyle: "#ffb000", lineWidth: 4 });
  draw.stroke();
}

/** A canvas with as many pixels as the screen; lengths are in pixels of the page. Null while it is not shown. */
export function penOf(canvas) {
  const width = canvas.clientWidth, height = canvas.clientHeight, dense = devicePixelRatio || 1;
  if (!width) return null;
  Object.assign(canvas, { width: Math.round(width * dense), height: Math.round(height * dense) });
  return { draw: canvas.getContext("2d"), width, height, dense };
}

/** A bar of colours with its numbers and, upright beside them, what they mean; `x` is its left side. */
export function colourBar(draw, { x, height, colours, low, high, ticks, title, text, font }) {
  const y = (share) => height * (0.85 - 0.7 * share), n = colours.length;
  colours.forEach((colour, k) => { draw.fillStyle = `rgb(${colour})`; draw.fillRect(x, y((k + 1) / n), 14, height * 0.7 / n + 1); });
  Object.assign(draw, { fillStyle: text, font, textAlign: "left" });
  for (const v of ticks) draw.fillText(String(v), x + 20, y(high > low ? (v - low) / (high - low) : 0.5) + 5);
  const widest = Math.max(0, ...ticks.map((v) => draw.measureText(String(v)).width));
  draw.save();
  draw.translate(x + 20 + widest + 16, height / 2);
  draw.rotate(-Math.PI / 2);
  draw.textAlign = "center";
  draw.fillText(title, 0, 0, height * 0.9);
  draw.restore();
}

/** How wide that bar is. */
export function barWidth(draw, ticks, font) {
  draw.font = font;
  return 46 + Math.max(0, ...ticks.map((v) => draw.measureText(String(v)).width));
}
