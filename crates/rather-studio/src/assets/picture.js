// The picture of a result answers the pointer, touch and keys: what is known of a setting, and the setting itself beside the best.

import { Beside } from "./beside.js";

const byId = (id) => document.getElementById(id);
/** Two-sided 95 % of a normal. */
const WIDTH = 1.96;

function say(text) {
  byId("status").textContent = text;
}

/** Where a result is only read, there is no place for settings beside the best. */
const beside = byId("beside") ? new Beside(say) : null;

let read = null;
/** The data of the picture that is on the page now. */
function picture() {
  const element = byId("picture");
  if (read?.element !== element) read = { element, data: element ? JSON.parse(element.textContent) : null };
  return read.data;
}

/* Words. */

function number(x) {
  return x.toFixed(1).replace("-0.0", "0.0").replace("-", "−");
}

function percent(p) {
  if (p > 0.99) return "over 99\u202f%";
  return p < 0.01 ? "under 1\u202f%" : `${Math.round(100 * p)}\u202f%`;
}

function valueOf(axis, i) {
  return axis.unit ? `${axis.labels[i]}\u202f${axis.unit}` : axis.labels[i];
}

/** What is known of setting `i`. */
function known({ mean, sd, better }, i) {
  const [low, high] = [-1, 1].map((sign) => number(mean[i] + sign * WIDTH * sd[i]));
  return `utility ${number(mean[i])} (95\u202f%: ${low} to ${high}), better than the best with a probability of ${percent(better[i])}`;
}

/* Drawings: which setting is where, and which is next. */

const nearest = (places, at) => places.reduce((best, place, i) => (Math.abs(place - at) < Math.abs(places[best] - at) ? i : best), 0);
const within = (i, n) => Math.min(n - 1, Math.max(0, i));

class CurveDrawing {
  constructor(figure, curve) {
    Object.assign(this, { figure, curve, axis: curve.axis, known: curve.known });
  }

  get start() {
    return nearest(this.axis.places, this.axis.best);
  }

  at(x) {
    return nearest(this.axis.places, x);
  }

  moved(i, key) {
    const n = this.axis.places.length;
    const steps = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -10, PageUp: 10, Home: -n, End: n };
    return Object.hasOwn(steps, key) ? within(i + steps[key], n) : null;
  }

  words(i) {
    return `${this.axis.name} ${valueOf(this.axis, i)}`;
  }

  setting(i, best) {
    return { ...best, [this.axis.name]: this.axis.values[i] };
  }

  /** Moves the cursor there. */
  mark(svg, i) {
    const { head, foot, low, high } = Object.fromEntries(Object.entries(svg.dataset).map(([key, text]) => [key, Number(text)]));
    const y = (utility) => head + ((high - utility) / (high - low)) * (foot - head);
    const x = `${100 * this.axis.places[i]}%`;
    const { mean, sd } = this.known;
    const [line, reach, dot] = svg.querySelector(".cursor").children;
    for (const part of [line, reach]) for (const end of ["x1", "x2"]) part.setAttribute(end, x);
    reach.setAttribute("y1", y(mean[i] + WIDTH * sd[i]));
    reach.setAttribute("y2", y(mean[i] - WIDTH * sd[i]));
    dot.setAttribute("cx", x);
    dot.setAttribute("cy", y(mean[i]));
  }
}

class MapDrawing {
  constructor(figure, map) {
    Object.assign(this, { figure, map, known: map.known, columns: map.x.places.length, rows: map.y.places.length });
  }

  get start() {
    return nearest(this.map.y.places, this.map.y.best) * this.columns + nearest(this.map.x.places, this.map.x.best);
  }

  at(x, y) {
    return within(Math.floor((1 - y) * this.rows), this.rows) * this.columns + within(Math.floor(x * this.columns), this.columns);
  }

  moved(i, key) {
    const [column, row] = [i % this.columns, Math.floor(i / this.columns)];
    const steps = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowDown: [0, -1], ArrowUp: [0, 1] };
    if (!Object.hasOwn(steps, key)) return null;
    const [across, up] = steps[key];
    return within(row + up, this.rows) * this.columns + within(column + across, this.columns);
  }

  words(i) {
    const { x, y } = this.map;
    return `${x.name} ${valueOf(x, i % this.columns)}, ${y.name} ${valueOf(y, Math.floor(i / this.columns))}`;
  }

  setting(i, best) {
    const { x, y } = this.map;
    return { ...best, [x.name]: x.values[i % this.columns], [y.name]: y.values[Math.floor(i / this.columns)] };
  }

  mark(svg, i) {
    const [dot] = svg.querySelector(".cursor").children;
    dot.setAttribute("cx", `${(100 * ((i % this.columns) + 0.5)) / this.columns}%`);
    dot.setAttribute("cy", `${100 * (1 - (Math.floor(i / this.columns) + 0.5) / this.rows)}%`);
  }
}

/** The drawing that an element belongs to; nothing if it belongs to none. */
function drawingOf(element) {
  const figure = element.closest?.(".of-map, [data-curve]");
  if (!figure) return null;
  const { curves, map } = picture();
  return figure.dataset.curve ? new CurveDrawing(figure, curves[figure.dataset.curve]) : new MapDrawing(figure, map);
}

/** Points at setting `i` of a drawing. */
function point(drawing, i) {
  const { figure } = drawing;
  const svg = figure.querySelector(".chart");
  const text = `${drawing.words(i)}: ${known(drawing.known, i)}`;
  figure.dataset.index = i;
  drawing.mark(svg, i);
  svg.querySelector(".cursor").setAttribute("visibility", "visible");
  svg.setAttribute("aria-valuenow", i);
  svg.setAttribute("aria-valuetext", text);
  figure.querySelector(".readout output").textContent = `${text}.`;
  figure.querySelector(".readout button").hidden = !beside;
}

function current(drawing) {
  return Number(drawing.figure.dataset.index ?? drawing.start);
}

function show(drawing, i) {
  const { best } = picture();
  beside?.show(best, drawing.setting(i, best), `${drawing.words(i)}: ${known(drawing.known, i)}.`);
}

/** The setting under the pointer. */
function under(drawing, event) {
  const box = drawing.figure.querySelector(".chart").getBoundingClientRect();
  return drawing.at((event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height);
}

/** Makes the drawings of the page reachable by keys, and shows what only works with scripts. */
function prepare() {
  for (const hidden of document.querySelectorAll(beside ? "button.beside, .readout" : ".readout")) hidden.hidden = false;
  for (const svg of document.querySelectorAll(".of-map .chart, [data-curve] .chart")) {
    const drawing = drawingOf(svg);
    svg.tabIndex = 0;
    const last = drawing.known.mean.length - 1;
    svg.setAttribute("role", "slider");
    svg.setAttribute("aria-valuemin", 0);
    svg.setAttribute("aria-valuemax", last);
    svg.setAttribute("aria-valuenow", drawing.start);
    svg.setAttribute("aria-valuetext", drawing.words(drawing.start));
  }
}

for (const kind of ["pointermove", "pointerdown"]) {
  document.addEventListener(kind, (event) => {
    const drawing = event.target.closest?.(".chart") ? drawingOf(event.target) : null;
    if (drawing) point(drawing, under(drawing, event));
  });
}

document.addEventListener("focusin", (event) => {
  const drawing = event.target.matches(".chart") ? drawingOf(event.target) : null;
  if (drawing) point(drawing, current(drawing));
});

document.addEventListener("click", (event) => {
  const chart = event.target.closest(".chart");
  const drawing = chart || event.target.closest(".readout button") ? drawingOf(event.target) : null;
  if (drawing) show(drawing, chart ? under(drawing, event) : current(drawing));
  const button = event.target.closest("button.beside");
  if (button) compare(button);
});

/** A row of the ranking, or a choice. */
function compare(button) {
  const best = JSON.parse(document.querySelector("[data-best]").dataset.best);
  beside.show(best, JSON.parse(button.dataset.alternative), button.textContent);
}

document.addEventListener("keydown", (event) => {
  const drawing = event.target.matches(".chart") ? drawingOf(event.target) : null;
  if (!drawing || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "Enter" || event.key === " ") {
    event.preventDefault();
    show(drawing, current(drawing));
    return;
  }
  const next = drawing.moved(current(drawing), event.key);
  if (next === null) return;
  event.preventDefault();
  point(drawing, next);
});

document.addEventListener("renewed", prepare);
prepare();
