// The widget of `tune`: controls on the left, their effect on the right.

/** Returns a whole number of units of `10 ** -digits` as a decimal, without rounding. */
function decimal(units, digits) {
  if (!digits) return String(units);
  const text = String(Math.abs(units)).padStart(digits + 1, "0");
  const whole = text.slice(0, -digits);
  const fraction = text.slice(-digits).replace(/0+$/, "");
  return (units < 0 ? "-" : "") + whole + (fraction && `.${fraction}`);
}

function limits({ least, most }) {
  const bound = (limit, sign) => limit && (limit[1] ? limit[0] : `${sign} ${limit[0]}`);
  if (least && most) return `${bound(least, ">")} to ${bound(most, "<")}`;
  if (least) return least[1] ? `at least ${least[0]}` : `> ${least[0]}`;
  return most ? (most[1] ? `at most ${most[0]}` : `< ${most[0]}`) : "";
}

let count = 0;

/** Returns the control of a setting. `change` is called with its new value: a string, a boolean or null. */
function control(setting, change) {
  const id = `botdesk-${(count += 1)}`;
  const { name, type, choices, about, slider } = setting;
  const error = h("div", { class: "bw-error", role: "alert" });
  let field;
  let range = null;
  if (type === "bool") {
    field = h("input", { type: "checkbox", id, onchange: () => change(field.checked) });
  } else if (choices.length) {
    field = h("select", { id, onchange: () => change(field.value || null) }, ["", ...choices].map((choice) => h("option", { value: choice }, choice)));
  } else {
    field = h("input", { type: "text", id, inputmode: "decimal", autocomplete: "off", placeholder: "not set", oninput: () => typed() });
  }
  if (slider) {
    const moved = () => {
      field.value = decimal(Number(range.value), slider.digits);
      change(field.value);
    };
    range = h("input", { type: "range", min: slider.low, max: slider.high, step: slider.step, "aria-label": name, oninput: moved });
  }
  const place = (value) => {
    if (range) range.value = Math.round(Number(value) * 10 ** slider.digits);
  };
  const typed = () => {
    place(field.value);
    change(field.value.trim() || null);
  };
  const undo = button("↺", () => change(setting.value), "bw-undo");
  undo.title = `Set ${name} back to ${setting.value ?? "not set"}`;
  const row = h("div", { class: "bw-setting", "data-name": name },
    h("label", { for: id, title: `${name}: ${about}` }, words(name)), range ?? h("span"), field, undo,
    h("div", { class: "bw-limits" }, limits(setting)), error);
  return {
    row,
    name,
    initial: setting.value,
    /** Shows a value, and whether it is a change. */
    show(value, isChanged) {
      row.classList.toggle("bw-changed", isChanged);
      if (type === "bool") field.checked = value === true;
      else if (field.value.trim() !== (value ?? "")) {
        field.value = value ?? "";
        place(field.value);
      }
    },
    fail(messages) {
      error.textContent = (messages ?? []).join("; ");
    },
    disable(isDisabled) {
      for (const part of [field, range, undo]) if (part) part.disabled = isDisabled;
    },
  };
}

function render({ model, el }) {
  const view = crypto.randomUUID?.() ?? String(Math.random());
  let controls = [];
  let markets = [];
  let values = {};
  let market = {};
  let sent = 0;
  let inFlight = null;
  let isNewer = false;
  let isGone = false;

  const title = h("div", { class: "bw-title" });
  const status = h("div", { class: "bw-status", role: "status" });
  const settings = h("div", { class: "bw-settings" });
  const chart = h("div", { class: "bw-drawing" });
  const figures = h("div", { class: "bw-figures" });
  const messages = h("div", { class: "bw-messages" });
  const preview = h("div", { class: "bw-preview" });
  const backtest = h("div", { class: "bw-backtest" });
  const step = h("div", { class: "bw-step", role: "group", "aria-label": "Apply" });
  const apply = button("Apply…", () => kernel.send({ kind: "ask", id: model.get("planned").id }), "bw-apply");
  const kernel = watchKernel(model, (message, gone) => {
    status.textContent = message;
    if (gone === undefined) return;
    isGone = gone;
    enable();
  });
  el.append(h("div", { class: "botdesk-widget bw-tune" }, title, status,
    h("div", { class: "bw-columns" }, settings,
      h("div", { class: "bw-effect" }, chart, figures, messages, preview, h("div", { class: "bw-actions" }, apply), step)), backtest));

  /** Asks for a plan of the newest values: one request at a time, so that moves of a slider never queue up. */
  function replan() {
    if (inFlight) {
      isNewer = true;
      return;
    }
    isNewer = false;
    inFlight = `${view}:${(sent += 1)}`;
    apply.disabled = true;
    kernel.send({ kind: "plan", id: inFlight, values, market });
  }

  function set(target, changed, value) {
    if (target === market) market = { ...market, [changed.name]: value };
    else if (value === changed.initial) {
      values = { ...values };
      delete values[changed.name];
    } else values = { ...values, [changed.name]: value };
    showValues();
    replan();
  }

  function showValues() {
    for (const each of controls) each.show(each.name in values ? values[each.name] : each.initial, each.name in values);
    for (const each of markets) each.show(market[each.name] ?? null, false);
  }

  function enable() {
    const isFree = !isGone && ["editing", "sent"].includes(model.get("step").name);
    for (const each of [...controls, ...markets]) each.disable(!isFree);
    const { changes, errors, id } = model.get("planned");
    apply.disabled = !isFree || inFlight !== null || !changes.length || Object.keys(errors).length > 0;
    apply.dataset.plan = id;
  }

  function showForm() {
    const form = model.get("form");
    title.textContent = form.title;
    controls = form.controls.map((setting) => {
      const made = control(setting, (value) => set(values, made, value));
      return made;
    });
    markets = form.market.map((setting) => {
      const made = control(setting, (value) => set(market, made, value));
      return made;
    });
    const isShown = (index) => form.controls[index].slider;
    const rows = (some) => some.map((each) => each.row);
    const names = [...new Set(form.controls.map((setting) => setting.group))];
    const group = (name) => {
      const some = controls.filter((_, index) => isShown(index) && form.controls[index].group === name);
      return some.length ? h("fieldset", { class: "bw-group" }, h("legend", {}, name), rows(some)) : null;
    };
    const isFee = (each) => each.name === "fee";
    const fee = markets.filter(isFee);
    settings.replaceChildren(
      ...names.map(group).filter(Boolean),
      ...(fee.length ? [h("fieldset", { class: "bw-group" }, h("legend", {}, "Fee (not sent)"), rows(fee))] : []),
      h("details", {}, h("summary", {}, "More settings"), rows(controls.filter((_, index) => !isShown(index)))),
      h("details", {}, h("summary", {}, "Market (not sent)"), rows(markets.filter((each) => !isFee(each)))),
    );
    adopt();
  }

  function adopt() {
    ({ values, market } = model.get("planned"));
    showValues();
    enable();
  }

  function showPlan() {
    const planned = model.get("planned");
    kernel.replied();
    if (planned.id === inFlight || !inFlight) {
      const isOwn = planned.id === inFlight;
      inFlight = null;
      if (!isOwn) adopt();
    }
    showPlanned(planned);
    if (isNewer && !inFlight) replan();
    else enable();
  }

  const warned = (found) => (found ?? []).map((warning) => h("p", { class: "bw-warning" }, warning));

  function showPlanned({ id, plan, before, changes, warnings, errors, notes }) {
    if (plan) {
      chart.replaceChildren(...(plan.rungs ? drawLadder(plan, before, changes.length ? "order now" : "order before") : drawGrid(plan)));
      figures.replaceChildren(...plan.figures.flatMap(([name, value, whole]) => [h("span", { class: "bw-soft" }, name), h("span", { title: value === whole ? null : whole }, value)]));
    }
    // The figures and the drawing of the former values stay for comparison.
    for (const part of [chart, figures]) part.classList.toggle("bw-stale", !plan);
    for (const each of [...controls, ...markets]) each.fail(errors[each.name]);
    const wrong = Object.entries(errors).flatMap(([name, found]) => found.map((message) => h("p", { class: "bw-error" }, name ? `${name}: ${message}` : message)));
    messages.replaceChildren(...wrong, ...warned(plan?.warnings), ...warned(warnings));
    const nothing = () => [h("p", { class: "bw-soft" }, wrong.length ? "Not valid: nothing can be sent." : "Nothing changes.")];
    const edit = () => [table(["field", "old", "new"], changes), h("details", {}, h("summary", {}, "What stays"), notes.map((note) => h("p", { class: "bw-soft" }, note)))];
    preview.replaceChildren(...(changes.length ? edit() : nothing()));
    preview.dataset.plan = id;
  }

  function showBacktest() {
    const { heads, rows, notes, lines, profit_label, errors, id } = model.get("backtested");
    if (!errors) return;
    const wrong = Object.entries(errors).flatMap(([name, found]) => found.map((message) => h("p", { class: "bw-error" }, `backtest: ${name ? `${name}: ` : ""}${message}`)));
    backtest.replaceChildren(...(heads ? [h("div", {}, drawProfits(lines, profit_label), notes.map((note) => h("p", { class: "bw-soft" }, note))), figureTable(heads, rows)] : wrong));
    backtest.dataset.plan = id;
  }

  function showStep() {
    kernel.replied();
    const now = model.get("step");
    step.dataset.step = now.name;
    step.replaceChildren(...stepParts(now));
    enable();
  }

  function stepParts(now) {
    const cancel = (label) => button(label, () => kernel.send({ kind: "cancel", step: now.name }));
    const again = () => button("Read the bot again", () => kernel.send({ kind: "refresh" }), "bw-refresh");
    const wrong = () => [
      h("p", { class: "bw-error" }, now.message ?? ""),
      ...Object.entries(now.errors ?? {}).flatMap(([name, found]) => (name ? [h("p", { class: "bw-error" }, `${name}: ${found.join("; ")}`)] : [])),
      now.refresh_error ? h("p", { class: "bw-error" }, now.refresh_error) : null,
    ].filter(Boolean);
    switch (now.name) {
      case "asking":
        return [
          h("p", { class: "bw-title" }, now.title), h("p", {}, now.destination),
          table(["field", "old", "new"], now.changes), ...warned(now.warnings),
          h("pre", {}, `${now.method} ${now.path}\n${now.body}`),
          h("div", { class: "bw-actions" }, button("Send", () => kernel.send({ kind: "send", token: now.token }), "bw-send"), cancel("Cancel")),
        ];
      case "sending":
        return [h("p", {}, "Sending…")];
      case "sent":
        return [
          h("p", { class: "bw-good" }, "Sent: the bot has the new values. What it was before stays in the drawing."),
          h("div", { class: "bw-actions" }, button("Undo…", () => kernel.send({ kind: "undo" }), "bw-undo-sent")),
        ];
      case "conflict":
        return [...wrong(), table(["changed field", "was", "is now"], now.changes), h("div", { class: "bw-actions" }, again(), cancel("Back"))];
      case "unknown":
        return [
          ...wrong(), h("p", {}, "The bot may have been changed. Look at it before you send anything again."),
          h("div", { class: "bw-actions" }, again()),
        ];
      case "failed":
        return [...wrong(), h("div", { class: "bw-actions" }, cancel("Back"))];
      default:
        return now.message ? [h("p", { class: "bw-warning" }, now.message)] : [];
    }
  }

  const listeners = { "change:form": showForm, "change:planned": showPlan, "change:backtested": showBacktest, "change:step": showStep };
  for (const [event, listener] of Object.entries(listeners)) model.on(event, listener);
  showForm();
  showPlanned(model.get("planned"));
  showBacktest();
  showStep();
  return () => {
    kernel.stop();
    for (const [event, listener] of Object.entries(listeners)) model.off(event, listener);
  };
}

export default { render };
