"use strict";

// Everything that comes from the sandbox is shown with `textContent`: names of bots may contain anything.

const POLL_MILLISECONDS = 1000;
// A request without a response for this long is reported as waiting.
const SLOW_MILLISECONDS = 3000;
const TOKEN = location.hash.slice(1);

const element = (id) => document.getElementById(id);
const create = (tag, properties = {}, ...children) => {
  const created = Object.assign(document.createElement(tag), properties);
  created.append(...children);
  return created;
};
const words = (name) => name.replaceAll("_", " ");
const title = (name) => words(name).replace(/^dca/, "DCA").replace(/^./, (first) => first.toUpperCase());

// One request at a time keeps the page on one connection, which faults do not close.
let queue = Promise.resolve();
function request(path, body) {
  const result = queue.then(() => send(path, body));
  queue = result.catch(() => {});
  return result;
}

async function send(path, body) {
  const headers = { "X-Botdesk-Token": TOKEN };
  const options = { headers, cache: "no-store", credentials: "omit", redirect: "error" };
  if (body !== undefined) {
    headers["Content-Type"] = "application/json";
    Object.assign(options, { method: "POST", body: JSON.stringify(body) });
  }
  const response = await fetch(path, options);
  const result = await response.json();
  if (!response.ok) {
    throw Object.assign(new Error(result.error), { status: response.status });
  }
  return result;
}

// Waits for a result, and calls `report` if it is slow.
async function reportIfSlow(result, report) {
  const timer = setTimeout(report, SLOW_MILLISECONDS);
  try {
    return await result;
  } finally {
    clearTimeout(timer);
  }
}

function showMessage(message, isError) {
  const shown = element("message");
  shown.textContent = message;
  shown.classList.toggle("error", isError);
  shown.hidden = !message;
}

function showConnection(state, label) {
  element("connection").className = `connection ${state}`;
  element("connection").textContent = label;
}

// Tables

const isNumber = (text) => /^-?[0-9]+(\.[0-9]+)?$/.test(text);

function toneOf(column, text) {
  if (column === "is_enabled") {
    return text === "yes" ? "good" : "";
  }
  if (column === "status" && isNumber(text)) {
    return Number(text) < 400 ? "good" : "bad";
  }
  return text === "no response" ? "bad" : "";
}

function cell(table, index, text, whole, isNumeric) {
  const column = table.columns[index];
  const shown = create("td", { className: `${isNumeric ? "number" : ""} ${toneOf(column, text)} ${text ? "" : "void"}` });
  shown.dataset.column = table.heads[index];
  if (whole !== text) {
    shown.title = whole;
  }
  if (table.name === "prices" && column === "pair") {
    const choose = create("button", { type: "button", textContent: text });
    choose.addEventListener("click", () => choosePair(text));
    shown.append(choose);
  } else {
    shown.textContent = text;
  }
  return shown;
}

function choosePair(pair) {
  const form = document.querySelector('form[data-action="move_price"]');
  form.elements.pair.value = pair;
  form.elements.price.focus();
}

function tableElement(table) {
  const numeric = table.columns.map((_, index) => {
    const filled = table.rows.map((row) => row[index]).filter(Boolean);
    return filled.length > 0 && filled.every(isNumber);
  });
  const heads = table.columns.map((column, index) =>
    create("th", { scope: "col", textContent: table.heads[index], title: column, className: numeric[index] ? "number" : "" }));
  const rows = table.rows.map((row, place) =>
    create("tr", {}, ...row.map((text, index) => cell(table, index, text, table.whole[place][index], numeric[index]))));
  return create("table", {}, create("thead", {}, create("tr", {}, ...heads)), create("tbody", {}, ...rows));
}

function fillSection(section, table) {
  const shown = table.rows.length;
  const count = shown < table.total ? `${shown} of ${table.total}` : String(table.total);
  const head = create("h2", {}, `${title(table.name)} `, create("span", { className: "count", textContent: count }));
  section.setAttribute("aria-label", title(table.name));
  const scroll = section.querySelector(".scroll");
  if (shown > 0 && scroll) {
    section.querySelector("h2").replaceWith(head);
    replaceTable(scroll, tableElement(table));
    return;
  }
  const content = shown > 0
    ? create("div", { className: "scroll", tabIndex: 0 }, tableElement(table))
    : create("p", { className: "empty", textContent: "none" });
  section.replaceChildren(head, content);
}

// Keeps the scroll position, and the focus on a pair, while a script changes the table every second.
function replaceTable(scroll, table) {
  const focused = scroll.contains(document.activeElement) ? document.activeElement.textContent : undefined;
  const { scrollLeft, scrollTop } = scroll;
  scroll.replaceChildren(table);
  Object.assign(scroll, { scrollLeft, scrollTop });
  const sameButton = [...scroll.querySelectorAll("button")].find((button) => button.textContent === focused);
  sameButton?.focus({ preventScroll: true });
}

// A table is built again only if it changed, so that a selection in it stays.
const lastTables = new Map();
function showTable(table) {
  const content = JSON.stringify(table);
  if (lastTables.get(table.name) === content) {
    return;
  }
  lastTables.set(table.name, content);
  const id = `table-${table.name}`;
  if (!element(id)) {
    element("tables").append(create("section", { id }));
  }
  fillSection(element(id), table);
}

// Calendar

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const SHADES = 3;

// Returns a profit with its sign and two decimal places; the pointer over the day shows every digit.
function shortProfit(profit) {
  const number = Number(profit);
  return (number < 0 ? "−" : "+") + Math.abs(number).toLocaleString("en", { minimumFractionDigits: 2, maximumFractionDigits: 2 });
}

function dayCell({ day, profit }, sizes) {
  const [, month, date] = day.split("-").map(Number);
  const size = Math.abs(Number(profit));
  const below = sizes.filter((other) => other < size).length;
  const shade = `${Number(profit) < 0 ? "loss" : "gain"}-${Math.floor((below * SHADES) / (sizes.length || 1))}`;
  const name = create("span", { className: "date", textContent: `${date} ${MONTHS[month - 1]}` });
  return create("td", { className: profit ? shade : "", title: `${day}: ${profit ? `${profit} USD` : "no deal closed"}` }, name, profit && shortProfit(profit));
}

let lastCalendar = "";
function showCalendar(days) {
  const content = JSON.stringify(days);
  if (content === lastCalendar) {
    return;
  }
  lastCalendar = content;
  element("profits").hidden = false;
  const sizes = days.filter(({ profit }) => profit).map(({ profit }) => Math.abs(Number(profit)));
  const heads = ["Mo", "Tu", "We", "Th", "Fr", "Sa", "Su"].map((name) => create("th", { scope: "col", textContent: name }));
  const cells = days.map((day) => dayCell(day, sizes));
  const weeks = [];
  for (let first = 0; first < cells.length; first += 7) {
    weeks.push(create("tr", {}, ...cells.slice(first, first + 7)));
  }
  element("calendar").replaceChildren(create("thead", {}, create("tr", {}, ...heads)), create("tbody", {}, ...weeks));
}

// Controls

function fillSelect(select, names) {
  if (select.options.length === 0) {
    select.append(...names.map((name) => create("option", { value: name, textContent: name === "*" ? "* (all)" : name })));
  }
}

// What an option is unless something else is typed, so that a fault can be injected at once.
const DEFAULTS = { status: "503" };

let faultKinds = new Map();
function showOptions() {
  const { about = "", options = [] } = faultKinds.get(element("kinds").value) ?? {};
  element("about-kind").textContent = about;
  element("options").replaceChildren(...options.map((name) => {
    const isFlag = name === "plan";
    const input = create("input", { name, type: isFlag ? "checkbox" : "text", autocomplete: "off", value: DEFAULTS[name] ?? "" });
    return isFlag ? create("label", { className: "check" }, input, title(name)) : create("label", {}, title(name), input);
  }));
}

function showControls(overview) {
  element("now").textContent = overview.clock.now.replace("T", " ").replace(".000", "").replace("Z", " UTC");
  element("clock-mode").textContent = overview.clock.follows_wall_clock ? "follows the wall clock" : "manual";
  const toggle = element("clock-toggle");
  toggle.dataset.action = overview.clock.follows_wall_clock ? "stop_clock" : "follow_wall_clock";
  toggle.textContent = overview.clock.follows_wall_clock ? "Stop the clock" : "Follow the wall clock";
  const prices = overview.tables.find((table) => table.name === "prices").whole;
  const pairs = prices.map(([pair]) => pair);
  market = { now: Date.parse(overview.clock.now), prices: new Map(prices) };
  const played = element("candles").elements.pair;
  if (!played.defaultValue) {
    played.defaultValue = pairs[0] ?? "";
  }
  const known = [...element("pairs").children].map((option) => option.value);
  if (known.join() !== pairs.join()) {
    element("pairs").replaceChildren(...pairs.map((pair) => create("option", { value: pair })));
  }
  fillSelect(element("operations"), overview.operations);
  if (faultKinds.size === 0) {
    faultKinds = new Map(overview.fault_kinds.map((kind) => [kind.name, kind]));
    fillSelect(element("kinds"), [...faultKinds.keys()]);
    showOptions();
  }
}

// Candles

let market = { now: 0, prices: new Map() };
const HOURS = 24;
const FALL = 0.05;
const HOUR = 3_600_000;

// Returns a day of candles that begins now, falls from the price of a pair, and recovers.
function dayOfCandles(pair) {
  const price = Number(market.prices.get(pair));
  if (!price) {
    throw new Error(`${pair} has no price yet; choose a CSV file`);
  }
  const at = (hour) => (price * (1 - FALL * Math.sin((Math.PI * hour) / HOURS))).toPrecision(8);
  const candle = (_, hour) => {
    const [open, close] = [at(hour), at(hour + 1)];
    return [market.now + hour * HOUR, open, Math.max(open, close), Math.min(open, close), close].join();
  };
  return ["time,open,high,low,close", ...Array.from({ length: HOURS }, candle)].join("\n");
}

async function candlesOf(form) {
  const [file] = form.querySelector("input[type=file]").files;
  return file ? file.text() : dayOfCandles(form.elements.pair.value.trim());
}

async function playCandles(form) {
  try {
    perform("play_candles", { ...inputsOf(form), candles: await candlesOf(form) }, form.elements.pair.value);
  } catch (error) {
    showMessage(`play candles: ${error.message}`, true);
  }
}

// Requests

async function refresh() {
  try {
    const state = request("/_sandbox/state");
    const overview = await reportIfSlow(state, () => showConnection("waiting", "waiting for the sandbox …"));
    showControls(overview);
    showCalendar(overview.calendar);
    overview.tables.forEach(showTable);
    showConnection("live", `live · botdesk ${overview.version}`);
  } catch (error) {
    if (error.status === 401 || error.status === 403) {
      showMessage(error.message, true);
    }
    showConnection("lost", error.status ? "not connected" : "the sandbox does not respond; it may have stopped");
  }
}

async function perform(action, inputs, ...shown) {
  const values = Object.values(inputs).filter((value) => typeof value === "string");
  const description = [words(action), ...(shown.length ? shown : values)].join(" ");
  try {
    const done = request(`/_sandbox/actions/${action}`, inputs);
    await reportIfSlow(done, () => showMessage(`in progress: ${description}`, false));
    showMessage(`done: ${description}`, false);
  } catch (error) {
    const reason = error.status ? error.message : "the sandbox does not respond; whether this was done is unknown";
    showMessage(`${words(action)}: ${reason}`, true);
  }
  await refresh();
}

// Inputs that are left empty are left out.
function inputsOf(form) {
  const inputs = {};
  for (const field of form.elements) {
    if (field.tagName === "BUTTON" || !field.name) {
      continue;
    }
    if (field.type === "checkbox") {
      if (field.checked) {
        inputs[field.name] = true;
      }
    } else if (field.value.trim() !== "") {
      inputs[field.name] = field.value.trim();
    }
  }
  return inputs;
}

document.addEventListener("submit", (event) => {
  event.preventDefault();
  const action = event.submitter?.value || event.target.dataset.action;
  if (action === "play_candles") {
    playCandles(event.target);
    return;
  }
  perform(action, inputsOf(event.target));
});

document.addEventListener("click", (event) => {
  const button = event.target.closest("button[type=button]");
  if (button?.dataset.seconds) {
    perform("advance", { seconds: button.dataset.seconds });
  } else if (button?.dataset.action && (!button.dataset.confirm || confirm(button.dataset.confirm))) {
    perform(button.dataset.action, {});
  }
});

element("kinds").addEventListener("change", showOptions);

async function poll() {
  if (!document.hidden) {
    await refresh();
  }
  setTimeout(poll, POLL_MILLISECONDS);
}

// A URL with another token, for example after the sandbox was started again, differs only in its fragment.
window.addEventListener("hashchange", () => location.reload());
element("address").textContent = location.origin;
poll();
