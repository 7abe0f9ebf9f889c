// Draws plans as SVG.

const WIDTH = 560;
const HEIGHT = 290;
const EDGE = { left: 62, right: 14, top: 24, bottom: 36 };
// The lines of the labels below a drawing: those of the marks, and the title of the axis.
const MARKS_LINE = HEIGHT - 22;
const TITLE_LINE = HEIGHT - 6;

/** Returns the functions that place prices and orders in a drawing. */
function scales(prices, places) {
  const low = Math.min(...prices);
  const high = Math.max(...prices);
  const room = (high - low || Math.abs(high) || 1) * 0.08;
  const [bottom, top] = [low - room, high + room];
  const y = (price) => EDGE.top + ((top - price) / (top - bottom)) * (HEIGHT - EDGE.top - EDGE.bottom);
  const x = (place) => EDGE.left + ((place + 0.5) / places) * (WIDTH - EDGE.left - EDGE.right);
  return { x, y, bottom, top };
}

/** Returns round prices between two, with labels of as many decimals as they need. */
function ticks(bottom, top) {
  const rough = (top - bottom) / 5;
  const size = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * size).find((candidate) => candidate >= rough);
  const digits = Math.max(0, -Math.floor(Math.log10(step)));
  const first = Math.ceil(bottom / step);
  const count = Math.floor(top / step) - first + 1;
  return Array.from({ length: count }, (_, index) => (first + index) * step).map((price) => [price, price.toFixed(digits)]);
}

/** Draws the axis of the heights: its title with the unit, and a rule at each round number. */
function axis(scale, title) {
  const rules = ticks(scale.bottom, scale.top).map(([price, label]) =>
    s("g", {}, s("line", { class: "bw-rule", x1: EDGE.left, x2: WIDTH - EDGE.right, y1: scale.y(price), y2: scale.y(price) }),
      s("text", { class: "bw-tick", x: EDGE.left - 6, y: scale.y(price) + 4, "text-anchor": "end" }, label)));
  return [s("text", { class: "bw-tick bw-axis", x: 4, y: 14 }, title), ...rules];
}

/** Draws the title of the axis below a drawing. */
function titleBelow(title) {
  return s("text", { class: "bw-tick bw-axis", x: (EDGE.left + WIDTH - EDGE.right) / 2, y: TITLE_LINE, "text-anchor": "middle" }, title);
}

function drawing(label, ...children) {
  return s("svg", { class: "bw-chart", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": label }, ...children);
}

/** Returns a drawing with a legend below it: the class and the name of each mark. */
function withLegend(svg, marks) {
  const mark = ([className, name]) => h("span", { class: "bw-mark" }, s("svg", { viewBox: "0 0 18 10", width: 18, height: 10 }, s("line", { class: className, x1: 1, x2: 17, y1: 5, y2: 5 })), name);
  return [svg, h("div", { class: "bw-legend bw-soft" }, marks.map(mark))];
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
  return withLegend(svg, marks);
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
  return withLegend(svg, plan.price === null ? marks : [...marks, ["bw-price", "price"]]);
}

/** Returns the function that names times in UTC: days, or minutes if they are within a few days. */
function timeNames(range) {
  const isShort = range < 3 * 86_400_000;
  return (time) => new Date(time).toISOString().slice(0, isShort ? 16 : 10).replace("T", " ");
}

/** Draws the profit over time before and after an edit. */
function drawProfits({ before, after }, label) {
  const all = [...before, ...after];
  if (!all.length) return [];
  const scale = scales([0, ...all.map(([, profit]) => profit)], 1);
  const first = Math.min(...all.map(([time]) => time));
  const range = Math.max(...all.map(([time]) => time)) - first || 1;
  const x = (time) => EDGE.left + ((time - first) / range) * (WIDTH - EDGE.left - EDGE.right);
  const line = (points, className) => s("polyline", { class: className, points: points.map(([time, profit]) => `${x(time).toFixed(1)},${scale.y(profit).toFixed(1)}`).join(" ") });
  const name = timeNames(range);
  const svg = drawing(
    "Profit over time, before and after the edit", axis(scale, label), line(before, "bw-before"), line(after, "bw-after"),
    s("text", { class: "bw-tick", x: EDGE.left, y: MARKS_LINE }, name(first)), titleBelow("time, UTC"),
    s("text", { class: "bw-tick", x: WIDTH - EDGE.right, y: MARKS_LINE, "text-anchor": "end" }, name(first + range)),
  );
  return withLegend(svg, [["bw-before", "profit before the edit"], ["bw-after", "after"]]);
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
