// The widget of `live`: a table that asks for polls while it is visible.

/** Calls `change` with whether an element is on the screen, in a tab that is visible. */
function watchVisibility(element, change) {
  let isOnScreen = false;
  const report = () => change(isOnScreen && document.visibilityState === "visible");
  const observer = new IntersectionObserver((entries) => {
    isOnScreen = entries.at(-1).isIntersecting;
    report();
  });
  observer.observe(element);
  document.addEventListener("visibilitychange", report);
  return () => {
    observer.disconnect();
    document.removeEventListener("visibilitychange", report);
  };
}

/** Compares two cells, as numbers if both are. */
function compare(left, right) {
  const [first, second] = [Number(left), Number(right)];
  const areNumbers = left.trim() !== "" && right.trim() !== "" && !Number.isNaN(first) && !Number.isNaN(second);
  return areNumbers ? first - second : left.localeCompare(right, undefined, { numeric: true });
}

/** Returns what a control of the table is called, whatever its state. */
function focusName(control) {
  return control.getAttribute("aria-label") ?? control.textContent.replace(/ [▲▼]$/, "");
}

function render({ model, el }) {
  let order = { column: null, isDescending: false };
  let isVisible = false;
  let timer = null;
  let dueAt = 0;
  let isGone = false;
  // The kernel learns of what the user selects by messages, because a changed trait waits until the kernel is idle: a cell run
  // meanwhile would act on the selection before.
  const view = String(Math.random());
  let pending = [];
  let count = 0;

  const status = h("div", { class: "bw-status", role: "status" });
  const failure = h("div", { class: "bw-error", role: "alert" });
  const filter = h("input", { type: "text", placeholder: "filter", "aria-label": `Filter the ${model.get("shown").several}`, oninput: () => showRows() });
  const state = h("span", { class: "bw-soft bw-state" });
  const content = h("div", { class: "bw-rows" });
  const step = h("div", { class: "bw-step", role: "group", "aria-label": "Disable" });
  const disable = button("Disable selected…", () => kernel.send({ kind: "ask" }), "bw-disable");
  const kernel = watchKernel(model, (message, gone) => {
    status.textContent = message;
    if (gone === undefined || gone === isGone) return;
    isGone = gone;
    schedule();
  });
  const root = h("div", { class: "botdesk-widget bw-live", "data-mode": "paused" }, status, failure, h("div", { class: "bw-bar" }, filter, disable, state), step, content);
  el.append(root);

  /** Sets the timer of the next poll, and shows whether there is one. */
  function schedule() {
    clearTimeout(timer);
    const isStopped = isGone || model.get("shown").is_stopped;
    root.dataset.mode = model.get("is_closed") ? "closed" : isStopped ? "stopped" : isVisible ? "on" : "paused";
    showState();
    if (root.dataset.mode !== "on") return;
    timer = setTimeout(() => kernel.send({ kind: "poll" }), Math.max(0, dueAt - performance.now()));
  }

  function showState() {
    const { rows, polls, pause, several } = model.get("shown");
    // Only what the kernel knows of is counted, because the next cell acts on that.
    const ids = new Set(model.get("chosen").ids);
    // A selected record may have been deleted.
    const chosen = rows.filter((row) => ids.has(row.id)).length;
    const modes = { on: `every ${Math.round(pause)} s`, paused: "paused: not visible", closed: "closed", stopped: "stopped" };
    root.dataset.polls = polls;
    disable.hidden = !model.get("shown").can_disable;
    disable.disabled = isGone || !chosen;
    state.textContent = polls ? `${rows.length} ${several}, ${chosen} selected, ${modes[root.dataset.mode]}` : "waiting for the first poll";
  }

  /** Returns the ids that are selected once the kernel has taken what is pending. */
  function selection() {
    const { ids, taken } = model.get("chosen");
    pending = pending.filter((change) => change.number > (taken[view] ?? 0));
    const add = (before, change) => {
      const others = before.filter((id) => !change.ids.includes(id));
      return change.is_chosen ? [...others, ...change.ids] : others;
    };
    return pending.reduce(add, ids);
  }

  function choose(rows, isChosen) {
    count += 1;
    const change = { view, number: count, ids: rows.map((row) => row.id), is_chosen: isChosen };
    pending.push(change);
    kernel.send({ kind: "choose", ...change });
    showRows();
  }

  function visibleRows() {
    const wanted = filter.value.trim().toLowerCase();
    const rows = model.get("shown").rows.filter((row) => row.cells.some((cell) => cell.toLowerCase().includes(wanted)));
    if (order.column === null) return rows;
    const sign = order.isDescending ? -1 : 1;
    return [...rows].sort((left, right) => sign * compare(left.cells[order.column], right.cells[order.column]));
  }

  function head(name, index) {
    const isSorted = order.column === index;
    const sort = () => {
      order = { column: index, isDescending: isSorted && !order.isDescending };
      showRows();
    };
    const direction = isSorted ? (order.isDescending ? "descending" : "ascending") : "none";
    return h("th", { scope: "col", "aria-sort": direction }, h("button", { type: "button", title: name, onclick: sort }, words(name), isSorted ? (order.isDescending ? " ▼" : " ▲") : ""));
  }

  function body(row, ids, isNew) {
    const chosen = h("input", { type: "checkbox", "aria-label": `Select ${row.id}`, onchange: () => choose([row], chosen.checked) });
    chosen.checked = ids.has(row.id);
    const marked = (text, index) => {
      const made = cell(text, row.cells[index], isNew && row.changed.includes(index) ? "bw-marked" : "");
      made.dataset.column = model.get("shown").columns[index];
      return made;
    };
    return h("tr", { "data-id": row.id, class: row.is_missing ? "bw-missing" : "", title: row.is_missing ? "not found by the latest poll" : null },
      h("td", {}, chosen), row.shown.map(marked), h("td", {}, row.profits.length ? sparkline(row.profits) : "-"));
  }

  /** Returns the row with the sums of all records, also of those that the filter hides. */
  function totalsRow() {
    const { columns, totals, rows, several } = model.get("shown");
    if (!totals.length) return [];
    const cells = totals.map((total, index) => h("td", { class: "bw-number", "data-column": columns[index] }, index ? total : `all ${rows.length} ${several}`));
    cells[0].className = "";
    return [h("tfoot", {}, h("tr", {}, h("td", {}), cells, h("td", {})))];
  }

  function showStep() {
    kernel.replied();
    const { token, title, about, lines, message, is_bad: isBad } = model.get("step");
    const cancel = button("Cancel", () => kernel.send({ kind: "cancel" }));
    const confirm = () => button("Disable", () => kernel.send({ kind: "disable", token }), "bw-send");
    const question = () => [h("p", { class: "bw-title" }, title), h("p", {}, about), ...lines.map((line) => h("p", {}, line)), h("div", { class: "bw-actions" }, confirm(), cancel)];
    step.replaceChildren(...(token ? question() : message ? [h("pre", { class: isBad ? "bw-error" : "" }, message)] : []));
  }

  function showRows(isNew = false) {
    const { columns } = model.get("shown");
    const rows = visibleRows();
    const ids = new Set(selection());
    const all = h("input", { type: "checkbox", "aria-label": "Select all shown", onchange: () => choose(rows, all.checked) });
    const focused = content.contains(document.activeElement) ? focusName(document.activeElement) : null;
    all.checked = rows.length > 0 && rows.every((row) => ids.has(row.id));
    content.replaceChildren(h("table", {},
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, all), columns.map(head), h("th", { scope: "col" }, "profit over time"))),
      h("tbody", {}, rows.map((row) => body(row, ids, isNew))), totalsRow()));
    // The keyboard stays where it was, although the elements are new.
    if (focused) [...content.querySelectorAll("input, button")].find((each) => focusName(each) === focused)?.focus({ preventScroll: true });
    showState();
  }

  function showFailure() {
    const { error, pause, is_stopped } = model.get("shown");
    const at = new Date(Date.now() + pause * 1000).toLocaleTimeString();
    const next = is_stopped ? "No further poll is sent; run the cell again after you have solved this." : `The next poll is at ${at}.`;
    failure.textContent = error ? `${error} ${next}` : "";
  }

  function showPoll() {
    kernel.replied();
    dueAt = performance.now() + model.get("shown").pause * 1000;
    showFailure();
    showRows(true);
    schedule();
  }

  const showSelection = () => {
    kernel.replied();
    showRows();
  };
  const received = ({ wait }) => {
    kernel.replied();
    // Another view has asked before.
    if (wait) {
      dueAt = performance.now() + wait * 1000;
      schedule();
    }
  };
  const listeners = { "change:shown": showPoll, "change:is_closed": schedule, "change:chosen": showSelection, "change:step": showStep, "msg:custom": received };
  for (const [event, listener] of Object.entries(listeners)) model.on(event, listener);
  showRows();
  showStep();
  // The table may have stopped before this view was opened.
  if (model.get("shown").is_stopped) showFailure();
  const stopWatching = watchVisibility(root, (now) => {
    isVisible = now;
    schedule();
  });
  return () => {
    stopWatching();
    clearTimeout(timer);
    kernel.stop();
    for (const [event, listener] of Object.entries(listeners)) model.off(event, listener);
  };
}

export default { render };
