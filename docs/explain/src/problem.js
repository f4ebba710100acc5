// Telling what is wrong, in one box, with a line and a caret where the place is known.

import { make } from "./dom.js";

/** Shows an error in `box` (`{class, message}` or text), or clears the box. */
export function showProblem(box, error, caret) {
  box.hidden = !error;
  if (!error) {
    box.replaceChildren();
    return;
  }
  const words = typeof error === "string" ? [error] : [make("b", { text: error.class }), `: ${error.message}`];
  box.replaceChildren(make("span", typeof error === "string" ? {} : { lang: "en" }, ...words));
  if (caret) box.append(make("pre", { text: caret.replace(/^ {2}/gm, ""), tabindex: "0", "aria-label": "^" }));
}
