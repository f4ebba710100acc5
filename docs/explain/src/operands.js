// The page's operands: cards with a name, a dtype, a shape and a grid, all of which can be edited.

import { byId, make } from "./dom.js";
import { t } from "./i18n.js";
import { used } from "./program.js";
import { draw, short } from "./grid.js";
import { DTYPES, MOST, extents, isName } from "./schema.js";

/** The cards of the operands. `changed()` is called after any edit, `edited()` before it where cards were drawn anew,
 * `use(name)` where one is to be put into the call. */
export class Operands {
  constructor(state, changed, edited, use) {
    Object.assign(this, { state, changed, edited, use });
    /** By the place of the name. */
    this.cards = [];
  }

  /** Draws them again: after another example, language, name, dtype or shape. */
  draw() {
    const { names } = this.state;
    byId("operands").replaceChildren(...names.map((given, k) => this.#card(given, k)));
    this.cards = [...byId("operands").children];
    this.offer();
  }

  /** Cards stand for what the call reads, and for what was just added or changed. The other operands are offered by name. */
  offer() {
    const { names, expression } = this.state;
    const read = new Set(used(expression, names));
    const idle = [];
    names.forEach((given, k) => {
      this.cards[k].used = read.has(given);
      this.cards[k].hidden = !read.has(given) && !given.touched;
      if (!read.has(given)) idle.push(given.name);
    });
    const button = (name) => make("button", { type: "button", text: name, "aria-label": t("use", name), onclick: () => this.use(name) });
    byId("offers").hidden = idle.length === 0;
    byId("offers").replaceChildren(t("unused"), ...idle.map(button));
  }

  #card(given, k) {
    const box = make("div");
    const name = make("input", { class: "name", value: given.name, "aria-label": t("name_of", given.name), spellcheck: "false", size: "6" });
    name.style.width = `${Math.max(4, given.name.length + 3)}ch`;
    name.addEventListener("change", () => this.#rename(given, name));
    const dtype = make("select", { "aria-label": t("dtype_of", given.name) }, ...DTYPES.map((d) => make("option", { value: d, text: d, selected: d === given.dtype })));
    dtype.addEventListener("change", () => this.#retype(given, dtype.value));
    const shape = make("input", { class: "shape", value: given.shape.join(","), "aria-label": t("shape_of", given.name), inputmode: "text", spellcheck: "false" });
    shape.addEventListener("change", () => this.#reshape(given, shape));
    const remove = make("button", { type: "button", class: "quiet remove", "aria-label": t("remove", given.name), text: "×" });
    remove.addEventListener("click", () => {
      this.state.names.splice(k, 1);
      this.#edited({});
      byId("add").focus();
    });
    const head = make("div", { class: "card-head" }, name, dtype, shape, make("span", { class: "role" }), remove);
    const card = make("article", { class: "card", "data-name": given.name }, head, box, make("p", { class: "note", hidden: true }));
    card.box = box;
    this.#fill(card, given);
    return card;
  }

  #fill(card, given) {
    const options = { name: given.name, shape: given.shape, values: given.values, operable: true, dtype: given.dtype };
    options.edit = (at, text) => {
      given.values[at] = given.dtype === "bool" ? boolean(text) : text;
      card.cells[at].dataset.value = given.values[at];
      if (!card.cells[at].querySelector("input")) card.cells[at].replaceChildren(short(given.values[at]));
      this.#changedValues();
    };
    card.cells = draw(card.box, options);
  }

  /** After a name, a dtype or a shape, of which cards are drawn anew. */
  #edited(given) {
    given.touched = true;
    this.draw();
    this.edited();
    this.#changedValues();
  }

  #changedValues() {
    this.state.example = null;
    this.changed();
  }

  #rename(given, input) {
    const name = input.value.trim();
    const taken = this.state.names.some((other) => other !== given && other.name === name);
    if (!isName(name) || taken) {
      input.value = given.name;
      return;
    }
    given.name = name;
    this.#edited(given);
  }

  #retype(given, dtype) {
    const wasBool = given.dtype === "bool";
    given.dtype = dtype;
    const whole = /^u?int/.test(dtype);
    given.values = given.values.map((text) => {
      if (dtype === "bool") return boolean(text);
      if (wasBool) return text === "True" ? "1" : "0";
      return whole && Number.isFinite(Number(text)) ? String(Math.trunc(Number(text))) : text;
    });
    this.#edited(given);
  }

  #reshape(given, input) {
    const text = input.value.trim().replace(/^[[(]|[\])]$/g, "").replace(/[×x]/g, ",");
    const parts = text === "" ? [] : text.split(/[\s,]+/).filter((part) => part !== "");
    const note = input.closest(".card").querySelector(".note");
    const refuse = (words) => {
      note.textContent = words;
      note.hidden = false;
      input.closest(".card").classList.add("bad-card");
      input.setAttribute("aria-invalid", "true");
    };
    if (!parts.every((part) => /^\d{1,15}$/.test(part)) || parts.length > 8) return refuse(t("shape_wrong", given.name));
    const total = parts.reduce((all, part) => all * BigInt(part), 1n);
    const shape = extents(parts);
    if (total > BigInt(MOST)) return refuse(t("shape_large", given.name, parts.map(Number).join(", "), String(total)));
    if (shape === null) return refuse(t("shape_wrong", given.name));
    const zero = given.dtype === "bool" ? "False" : "0";
    given.values = Array.from({ length: Number(total) }, (_, k) => given.values[k] ?? zero);
    given.shape = shape;
    this.#edited(given);
    return undefined;
  }
}

/** `True` or `False` for what means so, else the text as it is. */
function boolean(text) {
  if (/^(1|t|true)$/i.test(text) || (Number.isFinite(Number(text)) && text !== "" && Number(text) !== 0)) return "True";
  if (/^(0|f|false)$/i.test(text) || (text !== "" && Number(text) === 0)) return "False";
  return text;
}
