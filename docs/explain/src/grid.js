// An array as a grid: cells in a table, one table for each pair of last axes.

import { make } from "./dom.js";
import { t } from "./i18n.js";

/** Elements of a shape. */
export const count = (shape) => shape.reduce((all, n) => all * n, 1);

/** The index of the element at that row-major position. */
export function coordinates(shape, at) {
  const index = new Array(shape.length);
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    index[axis] = at % shape[axis];
    at = Math.floor(at / shape[axis]);
  }
  return index;
}

/** `name[1, 2]`; the name alone where there are no axes. */
export function place(name, shape, at) {
  return shape.length === 0 ? name : `${name}[${coordinates(shape, at).join(", ")}]`;
}

/** Numbers as they stand in a cell. */
export function short(value) {
  if (value === undefined || value === null) return "";
  const text = String(value);
  if (/^-?\d+\.0$/.test(text)) return text.slice(0, -2);
  return text.length > 12 ? `${text.slice(0, 11)}…` : text;
}

/**
 * Draws an array into `box`. `options`: `name`, `shape`, `values` (text, or none), `operable` (cells take the focus),
 * `edit(at, text)` (cells can be edited). Returns the cells by position.
 */
export function draw(box, options) {
  const { name, shape, values, operable } = options;
  box.replaceChildren();
  box.className = operable ? "panels operable" : "panels";
  const total = count(shape);
  if (total === 0) {
    box.append(make("p", { class: "scalar-note", text: t("empty", shape.join(", ")) }));
    return [];
  }
  if (!values) {
    box.append(make("p", { class: "scalar-note", text: t("no_values", String(total)) }));
    return [];
  }
  const columns = shape.length > 0 ? shape[shape.length - 1] : 1;
  const rows = shape.length > 1 ? shape[shape.length - 2] : 1;
  const cells = [];
  const outer = shape.slice(0, -2);
  for (let start = 0; start < total; start += rows * columns) {
    const part = outer.length ? `[${coordinates(outer, start / (rows * columns)).join(", ")}, :, :]` : "";
    const table = make("table", { class: "grid", "aria-label": part ? t("panel", name, part) : name });
    if (operable) table.setAttribute("role", "grid");
    if (shape.length > 0) {
      const head = make("tr", {}, shape.length > 1 ? make("td", { class: "corner" }) : null);
      for (let c = 0; c < columns; c++) head.append(make("th", { scope: "col", text: String(c) }));
      table.append(make("thead", {}, head));
    }
    const body = make("tbody");
    for (let r = 0; r < rows; r++) {
      const row = make("tr");
      if (shape.length > 1) row.append(make("th", { scope: "row", text: String(r) }));
      for (let c = 0; c < columns; c++) {
        const at = start + r * columns + c;
        const cell = make("td", { "data-at": String(at) });
        if (operable) {
          cell.setAttribute("role", "gridcell");
          cell.tabIndex = cells.length === 0 ? 0 : -1;
        }
        cell.dataset.value = values[at] ?? "";
        cell.append(short(values[at]));
        cells.push(cell);
        row.append(cell);
      }
      body.append(row);
    }
    table.append(body);
    box.append(part ? make("figure", { class: "panel" }, make("figcaption", { text: part }), table) : table);
  }
  if (operable) {
    for (const [at, cell] of cells.entries()) label(cell, name, shape, at, []);
    box.onkeydown = (event) => keys(event, cells, shape, options);
    box.onfocusin = (event) => {
      const cell = event.target.closest("td[data-at]");
      if (cell) for (const other of cells) other.tabIndex = other === cell ? 0 : -1;
    };
    if (options.edit) {
      box.ondblclick = (event) => {
        const cell = event.target.closest("td[data-at]");
        if (cell) edit(cell, cells, options);
      };
    }
  }
  return cells;
}

/** What a screen reader says of a cell: where it is, its value, and what is marked on it. */
export function label(cell, name, shape, at, marks) {
  const said = [`${place(name, shape, at)}: ${cell.dataset.value}`, ...marks];
  cell.setAttribute("aria-label", said.join(", "));
}

function keys(event, cells, shape, options) {
  const cell = event.target.closest("td[data-at]");
  if (!cell || event.target !== cell || event.altKey || event.ctrlKey || event.metaKey) return;
  const at = Number(cell.dataset.at);
  const columns = shape.length > 0 ? shape[shape.length - 1] : 1;
  const moves = {
    ArrowRight: at + 1,
    ArrowLeft: at - 1,
    ArrowDown: at + columns,
    ArrowUp: at - columns,
    Home: at - (at % columns),
    End: at - (at % columns) + columns - 1,
    PageDown: cells.length - 1,
    PageUp: 0,
  };
  if (event.key in moves) {
    event.preventDefault();
    cells[moves[event.key]]?.focus();
  } else if (options.edit) {
    if (event.key === "Enter" || event.key === "F2") {
      event.preventDefault();
      edit(cell, cells, options);
    } else if (event.key === "Delete" || event.key === "Backspace") {
      event.preventDefault();
      options.edit(at, options.dtype === "bool" ? "False" : "0");
    } else if (event.key === " " && options.dtype === "bool") {
      event.preventDefault();
      options.edit(at, cell.dataset.value === "True" ? "False" : "True");
    } else if (event.key.length === 1 && /[-+.0-9a-zA-Z]/.test(event.key)) {
      event.preventDefault();
      edit(cell, cells, options, event.key);
    }
  }
}

/** Puts a field into a cell. Enter and leaving it take what is written, Escape does not. */
function edit(cell, cells, options, start) {
  if (cell.querySelector("input")) return;
  const at = Number(cell.dataset.at);
  const before = cell.dataset.value;
  const input = make("input", { class: "edit", "aria-label": cell.getAttribute("aria-label"), inputmode: "text" });
  input.value = start ?? before;
  cell.replaceChildren(input);
  input.focus();
  if (start === undefined) input.select();
  let over = false;
  const close = (take, next) => {
    if (over) return;
    over = true;
    const text = input.value.trim();
    cell.replaceChildren(short(before));
    if (next !== undefined) cells[next]?.focus();
    else if (next === undefined && take !== null) cell.focus();
    if (take && text !== before) options.edit(at, text);
  };
  input.addEventListener("keydown", (event) => {
    event.stopPropagation();
    const columns = options.shape.length > 0 ? options.shape[options.shape.length - 1] : 1;
    if (event.key === "Escape") close(false);
    else if (event.key === "Enter") close(true, Math.min(at + columns, cells.length - 1));
    else if (event.key === "Tab" && !event.shiftKey && at + 1 < cells.length) {
      event.preventDefault();
      close(true, at + 1);
    }
  });
  input.addEventListener("blur", () => {
    if (over) return;
    over = true;
    const text = input.value.trim();
    cell.replaceChildren(short(before));
    if (text !== before) options.edit(at, text);
  });
}
