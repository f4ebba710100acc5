// Making elements.

/** An element with attributes (`on…` are listeners, `class`, `text`) and children. */
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "text") element.textContent = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

export const byId = (id) => document.getElementById(id);

/** Puts text with `code` in backquotes into an element. */
export function prose(element, text) {
  element.replaceChildren(...text.split("`").map((part, k) => (k % 2 ? make("code", { text: part }) : part)));
}

let copies = 0;
/** An id nothing else has. */
export const fresh = (start) => `${start}-${++copies}`;
