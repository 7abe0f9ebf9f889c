// Makes elements of the page. Names and messages come from the service, so they only ever become text, never markup.

const SVG = "http://www.w3.org/2000/svg";

function filled(node, properties, children) {
  for (const [name, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name === "value") node.value = value;
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return node;
}

/** Returns an HTML element; properties that begin with `on` are listeners. */
function h(tag, properties = {}, ...children) {
  return filled(document.createElement(tag), properties, children);
}

/** Returns an SVG element. */
function s(tag, properties = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), properties, children);
}

/** Returns a cell. If it does not show every digit, they are shown when the mouse is over it. */
function cell(shown, whole, className = "") {
  const isNumber = /^[-+]?\d+(\.\d+)?…?$/.test(shown);
  return h("td", { class: `${isNumber ? "bw-number" : ""} ${className}`, title: shown === whole ? null : whole }, shown);
}

/** Returns a name of the API as words; the element around it shows the name itself when the mouse is over it. */
function words(name) {
  return name.split("_").map((word) => (word === "usd" ? "USD" : word)).join(" ");
}

/** Returns a table with a row of heads. Every value is shown whole. */
function table(heads, rows) {
  return tableOf(heads.map((head) => h("th", { scope: "col" }, head)), rows.map((row) => row.map((text) => h("td", {}, text))));
}

function tableOf(heads, rows) {
  return h("table", {}, h("thead", {}, h("tr", {}, heads)), h("tbody", {}, rows.map((cells) => h("tr", {}, cells))));
}

/** Returns a table of figures, which are aligned to the right. A cell is its string, every digit of it or null, and whether it is good. */
function figureTable(heads, rows) {
  const side = (column) => (column ? "bw-number" : "");
  const colours = { true: "bw-good", false: "bw-error" };
  const figure = ([shown, whole, isGood], column) =>
    h("td", { class: `${side(column)} ${colours[isGood] ?? ""}`, title: column ? whole : shown }, column ? shown : words(shown));
  return tableOf(heads.map((head, column) => h("th", { scope: "col", class: side(column) }, head)), rows.map((row) => row.map(figure)));
}

function button(label, onclick, className = "") {
  return h("button", { type: "button", class: className, onclick }, label);
}

/** Watches whether the kernel replies: shows a message if it does not within three seconds, or if it is gone. */
function watchKernel(model, show) {
  const PATIENCE = 3000;
  // Jupyter's server sends the reply only once the packet before it is acknowledged, which the browser delays by 40 ms
  // unless it sends something itself. So it sends empty messages while it waits, because the reply may come after any of them.
  const NUDGES = [10, 20, 30, 40, 50];
  let timers = [];
  const stop = () => {
    timers.forEach(clearTimeout);
    timers = [];
  };
  const gone = () => {
    stop();
    show("The kernel has stopped or was restarted. Run the cell again to continue.", true);
  };
  model.on("comm_live_update", gone);
  return {
    /** Sends a message to which a reply is due. */
    send(message) {
      stop();
      const silent = () => show("No reply from the kernel: it is busy with a cell, or it has stopped.");
      timers = [setTimeout(silent, PATIENCE), ...NUDGES.map((pause) => setTimeout(() => model.send({ kind: "nudge" }), pause))];
      try {
        model.send(message);
      } catch {
        gone();
      }
    },
    /** Notes a reply. */
    replied() {
      stop();
      show("", false);
    },
    stop() {
      stop();
      model.off("comm_live_update", gone);
    },
  };
}
