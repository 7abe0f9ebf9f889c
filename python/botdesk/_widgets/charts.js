// Draws plans as SVG.

const WIDTH = 560;
const HEIGHT = 290;
const EDGE = { left: 62, right: 14, top: 24, bottom: 36 };
// The lines of the labels below a drawing: those of the marks, and the title of the axis.
const MARKS_LINE = HEIGHT - 22;
const TITLE_LINE = HEIGHT - 6;

// The heights between which marks are drawn: in a drawing of one panel, and in each of two.
const WHOLE = { top: EDGE.top, bottom: HEIGHT - EDGE.bottom };
const UPPER = { top: EDGE.top, bottom: 172 };
const LOWER = { top: 196, bottom: HEIGHT - EDGE.bottom };
// The least height of a step of an axis.
const STEP = 42;

/** Returns the functions that place prices and orders in a panel. */
function scales(prices, places, panel = WHOLE) {
  const low = Math.min(...prices);
  const high = Math.max(...prices);
  const room = (high - low || Math.abs(high) || 1) * 0.08;
  const [bottom, top] = [low - room, high + room];
  const y = (price) => panel.top + ((top - price) / (top - bottom)) * (panel.bottom - panel.top);
  const x = (place) => EDGE.left + ((place + 0.5) / places) * (WIDTH - EDGE.left - EDGE.right);
  return { x, y, bottom, top, panel };
}

/** Returns round prices between two, with labels of as many decimals as they need. */
function ticks({ bottom, top, panel }) {
  const rough = (top - bottom) / Math.max(3, Math.round((panel.bottom - panel.top) / STEP));
  const size = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * size).find((candidate) => candidate >= rough);
  const digits = Math.max(0, -Math.floor(Math.log10(step)));
  const first = Math.ceil(bottom / step);
  const count = Math.floor(top / step) - first + 1;
  return Array.from({ length: count }, (_, index) => (first + index) * step).map((price) => [price, price.toFixed(digits)]);
}

/** Draws the axis of the heights: its title with the unit, and a rule at each round number. */
function axis(scale, title) {
  const rules = ticks(scale).map(([price, label]) =>
    s("g", {}, s("line", { class: "bw-rule", x1: EDGE.left, x2: WIDTH - EDGE.right, y1: scale.y(price), y2: scale.y(price) }),
      s("text", { class: "bw-tick", x: EDGE.left - 6, y: scale.y(price) + 4, "text-anchor": "end" }, label)));
  return [s("text", { class: "bw-tick bw-axis", x: 4, y: scale.panel.top - 10 }, title), ...rules];
}

/** Draws the title of the axis below a drawing. */
function titleBelow(title) {
  return s("text", { class: "bw-tick bw-axis", x: (EDGE.left + WIDTH - EDGE.right) / 2, y: TITLE_LINE, "text-anchor": "middle" }, title);
}

function drawing(label, ...children) {
  return s("svg", { class: "bw-chart", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": label }, ...children);
}

/** Returns a legend: the class and the name of each mark. */
function legendOf(marks) {
  const mark = ([className, name]) => h("span", { class: "bw-mark" }, s("svg", { viewBox: "0 0 18 10", width: 18, height: 10 }, s("line", { class: className, x1: 1, x2: 17, y1: 5, y2: 5 })), name);
  return h("div", { class: "bw-legend bw-soft" }, marks.map(mark));
}

function across(scale, price, className, label) {
  return s("line", { class: className, x1: EDGE.left, x2: WIDTH - EDGE.right, y1: scale.y(price), y2: scale.y(price) },
    s("title", {}, label));
}

/** Draws a ladder, over the orders of the bot before the changes, if there are any. */
function drawLadder(plan, before, beforeName) {
  const rungs = plan.rungs;
  const ghosts = before?.rungs ?? [];
  const all = [...rungs, ...ghosts];
  if (!rungs.length) return [drawing("Ladder without orders")];
  const prices = all.map((rung) => rung.price).concat(rungs.flatMap((rung) => [rung.average, rung.take_profit ?? rung.price]));
  const scale = scales(plan.stop_loss === null ? prices : [...prices, plan.stop_loss], Math.max(...all.map((rung) => rung.number)) + 1);
  const largest = Math.max(...all.map((rung) => rung.size)) || 1;
  const slot = (WIDTH - EDGE.left - EDGE.right) / (Math.max(...all.map((rung) => rung.number)) + 1);
  const half = Math.min(26, slot * 0.4);
  const radius = (rung) => Math.min(3 + 6 * Math.sqrt(rung.size / largest), Math.max(2, slot * 0.45));
  const short = (rung, price, className, label) =>
    s("line", { class: className, x1: scale.x(rung.number) - half, x2: scale.x(rung.number) + half, y1: scale.y(price), y2: scale.y(price) },
      s("title", {}, `${label} ${price}`));
  const order = (rung, className) =>
    s("circle", { class: className, cx: scale.x(rung.number), cy: scale.y(rung.price), r: radius(rung) }, s("title", {}, rung.about));
  const every = Math.ceil(rungs.length / 12);
  const names = rungs.filter((rung) => rung.number % every === 0).map((rung) =>
    s("text", { class: "bw-tick", x: scale.x(rung.number), y: MARKS_LINE, "text-anchor": "middle" }, rung.number || "base"));
  const targets = rungs.filter((rung) => rung.take_profit !== null).map((rung) =>
    s("g", {}, s("line", { class: "bw-way", x1: scale.x(rung.number), x2: scale.x(rung.number), y1: scale.y(rung.price), y2: scale.y(rung.take_profit) }),
      short(rung, rung.take_profit, "bw-profit", "take profit")));
  const svg = drawing(
    `Ladder of ${rungs.length} orders`, axis(scale, plan.price_label), names, titleBelow("base order and safety orders"), targets,
    rungs.map((rung) => short(rung, rung.average, "bw-average", "average price")),
    ghosts.map((rung) => order(rung, "bw-ghost")), rungs.map((rung) => order(rung, "bw-order")),
    plan.stop_loss === null ? null : across(scale, plan.stop_loss, "bw-stop", "stop loss"),
  );
  const marks = [["bw-order", "order, as large as its size"], ["bw-average", "average price"], ["bw-profit", "take profit"]];
  if (ghosts.length) marks.push(["bw-ghost", beforeName]);
  if (plan.stop_loss !== null) marks.push(["bw-stop", "stop loss"]);
  return [svg, legendOf(marks)];
}

/** Draws the levels of a grid. */
function drawGrid(plan) {
  if (!plan.levels.length) return [drawing("Grid without levels")];
  const prices = plan.levels.map((level) => level.price);
  const scale = scales(plan.price === null ? prices : [...prices, plan.price], 1);
  const svg = drawing(
    `Grid of ${prices.length} levels`, axis(scale, plan.price_label),
    plan.levels.map((level) => across(scale, level.price, `bw-level bw-${level.side ?? "none"}`, level.about)),
    plan.price === null ? null : across(scale, plan.price, "bw-price", `price ${plan.price}`),
  );
  const marks = [["bw-level bw-buy", "buy"], ["bw-level bw-sell", "sell"], ["bw-level bw-none", "no order"]];
  return [svg, legendOf(plan.price === null ? marks : [...marks, ["bw-price", "price"]])];
}

/** Returns the function that names times in UTC: days, or minutes if they are within a few days. */
function timeNames(range) {
  const isShort = range < 3 * 86_400_000;
  return (time) => new Date(time).toISOString().slice(0, isShort ? 16 : 10).replace("T", " ");
}

/**
 * Returns the function of the profit at a time: between two points of a line, on the straight line between them. The two lines have
 * points at times of their own, so the figures under the pointer are marked as approximate.
 */
function profitOf(points) {
  return (time) => {
    const next = points.findIndex(([at]) => at > time);
    if (next === 0) return points[0][1];
    if (next < 0) return points.at(-1)?.[1] ?? 0;
    const [[from, low], [to, high]] = [points[next - 1], points[next]];
    return low + ((time - from) / (to - from)) * (high - low);
  };
}

/** Returns the points of both lines in one list: time, profit before, profit after. */
function pointsOfBoth({ before, after }) {
  const times = [...new Set([...before, ...after].map(([time]) => time))].sort((a, b) => a - b);
  const [first, second] = [profitOf(before), profitOf(after)];
  return times.map((time) => [time, first(time), second(time)]);
}

/**
 * Draws the profit over time before and after an edit, and below it their difference, which the lines do not show where they coincide.
 * The pointer shows the figures at a time. Drawing it across chooses a range, and a double click shows all again.
 */
function drawProfits(lines, label) {
  const all = pointsOfBoth(lines);
  if (!all.length) return [];
  const legend = legendOf([["bw-before", "profit before the edit"], ["bw-after", "after"], ["bw-difference", "difference: after − before"]]);
  const figures = h("div", { class: "bw-legend bw-soft bw-read" });
  const place = h("div", { class: "bw-zoom" });
  const show = (points) => place.replaceChildren(profitsOf(points, label, figures, (from, to) => {
    const some = points.filter(([time]) => time >= from && time <= to);
    if (some.length > 1) show(some);
  }));
  place.addEventListener("dblclick", () => show(all));
  show(all);
  return [place, legend, figures];
}

const ZOOM = "Drag across the drawing to zoom; a double click shows all.";

/** Draws a range of time. `choose` is called with the times between which the pointer was drawn. */
function profitsOf(points, label, figures, choose) {
  const upper = scales([0, ...points.flatMap(([, before, after]) => [before, after])], 1, UPPER);
  const lower = scales([0, ...points.map(([, before, after]) => after - before)], 1, LOWER);
  const first = points[0][0];
  const range = points.at(-1)[0] - first || 1;
  const width = WIDTH - EDGE.left - EDGE.right;
  const x = (time) => EDGE.left + ((time - first) / range) * width;
  const line = (scale, className, height) =>
    s("polyline", { class: className, points: points.map((point) => `${x(point[0]).toFixed(1)},${scale.y(height(point)).toFixed(1)}`).join(" ") });
  const name = timeNames(range);
  const pointer = s("line", { class: "bw-pointer", y1: UPPER.top, y2: LOWER.bottom, visibility: "hidden" });
  const chosen = s("rect", { class: "bw-chosen", y: UPPER.top, height: LOWER.bottom - UPPER.top, width: 0 });
  const svg = drawing(
    "Profit over time, before and after the edit, and their difference", chosen, axis(upper, label), axis(lower, "difference"),
    line(upper, "bw-after", ([, , after]) => after), line(upper, "bw-before", ([, before]) => before),
    line(lower, "bw-difference", ([, before, after]) => after - before), pointer,
    s("text", { class: "bw-tick", x: EDGE.left, y: MARKS_LINE }, name(first)), titleBelow("time, UTC"),
    s("text", { class: "bw-tick", x: WIDTH - EDGE.right, y: MARKS_LINE, "text-anchor": "end" }, name(first + range)),
  );
  const timeAt = (event) => {
    const { left, width: shown } = svg.getBoundingClientRect();
    const across = ((event.clientX - left) / shown) * WIDTH;
    return first + Math.min(1, Math.max(0, (across - EDGE.left) / width)) * range;
  };
  let from = null;
  const moved = (event) => {
    const time = timeAt(event);
    const [at, before, after] = points.reduce((best, point) => (Math.abs(point[0] - time) < Math.abs(best[0] - time) ? point : best));
    filled(pointer, { x1: x(at), x2: x(at), visibility: "visible" }, []);
    const about = [["before", before], ["after", after], ["difference", after - before]].map(([which, profit]) => `${which} ≈ ${Number(profit.toPrecision(4))}`);
    figures.textContent = [timeNames(0)(at), ...about].join(", ");
    if (from !== null) filled(chosen, { x: x(Math.min(from, time)), width: Math.abs(x(time) - x(from)) }, []);
  };
  const left = () => {
    from = null;
    pointer.setAttribute("visibility", "hidden");
    chosen.setAttribute("width", "0");
    figures.textContent = ZOOM;
  };
  left();
  return filled(svg, {
    onpointermove: moved, onpointerleave: left,
    onpointerdown: (event) => { from = timeAt(event); },
    onpointerup: (event) => {
      const ends = [from ?? 0, timeAt(event)].sort((a, b) => a - b);
      const isRange = from !== null && x(ends[1]) - x(ends[0]) > 4;
      left();
      if (isRange) choose(...ends);
    },
  }, []);
}

/** Draws values as a small line. */
function sparkline(values) {
  const [width, height] = [72, 18];
  const low = Math.min(...values);
  const range = Math.max(...values) - low;
  const y = (value) => (range ? 2 + (1 - (value - low) / range) * (height - 4) : height / 2);
  const x = (index) => (values.length > 1 ? (index / (values.length - 1)) * (width - 2) + 1 : width / 2);
  const points = (values.length > 1 ? values : [...values, ...values]).map((value, index) => `${x(index)},${y(value)}`);
  return s("svg", { class: "bw-spark", viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": `profit over ${values.length} polls` },
    s("polyline", { points: points.join(" ") }));
}
