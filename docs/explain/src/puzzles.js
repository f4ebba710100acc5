// Puzzles: a target is shown, and the engine judges what is typed.

import { make, prose } from "./dom.js";
import { either, t } from "./i18n.js";
import { coordinates, draw } from "./grid.js";
import { LIBRARIES } from "./panels.js";
import { toHash } from "./share.js";
import { typeWords } from "./stage.js";
import PUZZLES from "../puzzles.json";

const KEPT = "takewise.puzzles";

/** Solved puzzles are remembered where the browser allows it. */
function remembered() {
  try {
    return new Set(JSON.parse(localStorage.getItem(KEPT) ?? "[]"));
  } catch {
    return new Set();
  }
}

function remember(solved) {
  try {
    localStorage.setItem(KEPT, JSON.stringify([...solved]));
  } catch {
    // The marks last as long as the page.
  }
}

export class Puzzles {
  constructor(box, state, ask, recover, store) {
    Object.assign(this, { box, state, ask, recover, store });
    this.solved = remembered();
  }

  /** Shows the puzzle of the state. */
  show() {
    const at = Math.max(0, PUZZLES.findIndex((p) => p.id === this.state.puzzle));
    this.puzzle = PUZZLES[at];
    this.state.puzzle = this.puzzle.id;
    this.box.replaceChildren(make("div", { class: "puzzles" }, this.#list(), this.#one(at)));
    if (this.state.answer) this.#check();
  }

  #list() {
    const link = (puzzle, k) => {
      const done = this.solved.has(puzzle.id);
      const item = make(
        "a",
        { href: toHash({ ...this.state, puzzle: puzzle.id, answer: "" }), "aria-current": puzzle === this.puzzle ? "page" : null },
        make("span", { class: "number", text: String(k + 1) }),
        make("span", { class: "title", text: ` ${either(puzzle.title)}` }),
        done ? make("span", { class: "done", role: "img", "aria-label": t("done"), text: "✓" }) : make("span"),
      );
      return make("li", {}, item);
    };
    const [all, done] = [PUZZLES.length, PUZZLES.filter((puzzle) => this.solved.has(puzzle.id)).length];
    const count = make("p", { class: "count", text: either({ en: `${done} of ${all} solved`, zh: `已解出 ${done} / ${all} 题` }) });
    return make("nav", { "aria-label": t("puzzle_list") }, count, make("ol", { class: "puzzle-list" }, ...PUZZLES.map(link)));
  }

  #card(name, made, title) {
    const box = make("div");
    const head = make("div", { class: "card-head" }, make("h3", { text: title ?? name }), make("span", { class: "type", text: typeWords(made) }));
    const card = make("article", { class: "card" }, head, box);
    card.cells = draw(box, { name: title ?? name, shape: made.shape, values: made.values });
    return card;
  }

  #one(at) {
    const { puzzle } = this;
    const target = this.ask({ want: "target", puzzle });
    if (target.error?.crashed) this.recover();
    this.target = target.target;
    const text = make("p");
    prose(text, either(puzzle.text));
    this.field = make("textarea", { id: "answer", rows: "1", spellcheck: "false", autocapitalize: "off", autocomplete: "off", "aria-describedby": "verdict" });
    this.field.value = this.state.answer ?? "";
    this.field.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
        event.preventDefault();
        this.#check();
      }
    });
    this.field.addEventListener("input", () => this.#grow());
    this.verdict = make("div", { id: "verdict", class: "verdict", role: "status", hidden: true });
    this.yours = make("div", { class: "cards" });
    const button = (key, action, kind) => make("button", { type: "button", class: kind ?? null, text: t(key), onclick: action });
    this.next = at + 1 < PUZZLES.length ? make("a", { class: "next", href: toHash({ ...this.state, puzzle: PUZZLES[at + 1].id, answer: "" }), text: `${t("next_puzzle")} →` }) : null;
    const dtype = puzzle.dtype ? t("same_dtype", this.target?.dtype ?? "") : t("any_dtype");
    return make(
      "article",
      { class: "puzzle" },
      make(
        "div",
        { class: "puzzle-head" },
        make("h2", { text: `${at + 1}. ${either(puzzle.title)}` }),
        make("p", { class: "level", text: [t("level", puzzle.level) + t("stop"), t("rules_of", LIBRARIES[puzzle.dialect]) + t("stop"), dtype].join(t("gap")) }),
        text,
        at === 0 ? make("p", { class: "lead", text: t("puzzle_lead") }) : null,
      ),
      make(
        "div",
        { class: "pair" },
        make("section", {}, make("h2", { text: t("given") }), make("div", { class: "cards" }, ...puzzle.names.map((g) => this.#card(g.name, g)))),
        make("section", {}, make("h2", { text: t("target") }), make("div", { class: "cards" }, this.target ? this.#card("target", this.target, t("target")) : null, this.yours)),
      ),
      make("div", { class: "answer" }, make("label", { class: "field", for: "answer", text: t("answer") }), this.field),
      make(
        "div",
        { class: "row" },
        button("check", () => this.#check(), "main"),
        button("hint_button", () => this.#say("", t("v_hint", either(puzzle.hint)))),
        button("copy_link", () => this.#copy()),
        button("show", () => this.#say("", t("v_solution", `\`${puzzle.solution}\``))),
        this.next,
      ),
      this.verdict,
    );
  }

  #grow() {
    this.field.style.height = "auto";
    this.field.style.height = `${this.field.scrollHeight + 2}px`;
  }

  #say(kind, words) {
    this.verdict.hidden = false;
    this.verdict.className = `verdict ${kind}`;
    prose(this.verdict, words);
  }

  /** Copies a link to the puzzle, without what was typed. */
  async #copy() {
    const { href } = new URL(toHash({ ...this.state, answer: "" }), location.href);
    try {
      await navigator.clipboard.writeText(href);
      this.#say("", t("copied"));
    } catch {
      this.#say("", `\`${href}\``);
    }
  }

  #check() {
    const { puzzle } = this;
    const expression = this.field.value.trim();
    this.state.answer = expression;
    this.store();
    if (!expression) return;
    const said = this.ask({ want: "judge", puzzle, expression });
    this.field.setAttribute("aria-invalid", String(Boolean(said.error)));
    this.yours.replaceChildren();
    if (said.error) {
      if (said.error.crashed) this.recover();
      this.#say("wrong", "");
      this.verdict.append(make("b", { text: said.error.class }), `: ${said.error.crashed ? t("crashed") : said.error.message}`);
      if (said.error.caret) this.verdict.append(make("pre", { tabindex: "0", text: said.error.caret.replace(/^ {2}/gm, "") }));
      return;
    }
    const { made, verdict, at } = said;
    if (verdict !== "solved") this.#compare(made, at);
    const join = (shape) => shape.join(", ");
    const words = {
      solved: () => t("v_solved"),
      shape: () => t("v_shape", join(made.shape), join(this.target.shape)),
      dtype: () => t("v_dtype", made.dtype, this.target.dtype),
      values: () => t("v_values", said.count, join(coordinates(made.shape, at))),
      literal: () => t("v_literal"),
    };
    this.#say(verdict === "solved" ? "solved" : "wrong", words[verdict]());
    if (verdict === "solved") {
      this.verdict.append(" ", make("a", { href: this.#picture(expression), text: t("see") }));
      this.solved.add(puzzle.id);
      remember(this.solved);
      this.box.querySelector("nav").replaceWith(this.#list());
    }
  }

  #compare(made) {
    const card = this.#card("yours", made, t("yours"));
    const same = made.shape.join() === this.target.shape.join();
    if (same) {
      card.cells.forEach((cell, at) => {
        const [a, b] = [made.values[at], this.target.values[at]];
        if (a !== b && Number(a) !== Number(b)) {
          cell.classList.add("differs");
          cell.dataset.badge = "≠";
          cell.append(make("span", { class: "hidden", text: ` (${t("m_differs")})` }));
        }
      });
    }
    this.yours.replaceChildren(card);
  }

  #picture(expression) {
    const { dialect, names } = this.puzzle;
    return toHash({ ...this.state, mode: "explore", example: null, tab: "steps", expression, dialect, names });
  }
}
