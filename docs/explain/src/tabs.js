// Tabs by the usual keys: arrows, Home and End.

import { fresh, make } from "./dom.js";
import { t } from "./i18n.js";

/** Tabs in `box`: `[name, key of its text, panel]`. `opened(name)` is called when one is opened. */
export class Tabs {
  constructor(box, label, entries, opened) {
    this.entries = entries.map(([name, key, panel]) => {
      const id = fresh("tab");
      const button = make("button", { type: "button", role: "tab", id, "aria-controls": `${id}-panel`, "data-t": key, text: t(key) });
      button.addEventListener("click", () => this.open(name, true));
      panel.id = `${id}-panel`;
      panel.className = "tabpanel";
      panel.setAttribute("role", "tabpanel");
      panel.setAttribute("aria-labelledby", id);
      panel.tabIndex = -1;
      return { name, button, panel };
    });
    this.opened = opened;
    const list = make("div", { class: "tablist", role: "tablist", "data-l": label, "aria-label": t(label) }, ...this.entries.map((e) => e.button));
    list.addEventListener("keydown", (event) => this.#keys(event));
    box.replaceChildren(list, ...this.entries.map((e) => e.panel));
  }

  open(name, tell) {
    const known = this.entries.find((e) => e.name === name) ?? this.entries[0];
    for (const entry of this.entries) {
      const chosen = entry === known;
      entry.button.setAttribute("aria-selected", String(chosen));
      entry.button.tabIndex = chosen ? 0 : -1;
      entry.panel.hidden = !chosen;
    }
    if (tell) this.opened(known.name);
  }

  #keys(event) {
    const at = this.entries.findIndex((e) => e.button === event.target);
    const last = this.entries.length - 1;
    const next = { ArrowRight: at === last ? 0 : at + 1, ArrowLeft: at === 0 ? last : at - 1, Home: 0, End: last }[event.key];
    if (at < 0 || next === undefined) return;
    event.preventDefault();
    this.entries[next].button.focus();
    this.open(this.entries[next].name, true);
  }
}
