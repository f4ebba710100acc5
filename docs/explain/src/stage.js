// The picture: operands and results as cards, marks on their cells, and lines between them.

import { byId, make, prose } from "./dom.js";
import { t } from "./i18n.js";
import { draw, label, short } from "./grid.js";
import { links, marks, same, steps } from "./links.js";
import { Operands } from "./operands.js";
import { axisWords, frontWords, memoryWords, sentence, sourceValue } from "./words.js";

/** The picture of the page. `changed()` is called when an operand was edited, `use(name)` when one is to be put into the call. */
export class Stage {
  constructor(state, changed, use) {
    this.state = state;
    this.given = new Operands(state, changed, () => {
      this.chosen = null;
    }, use);
    this.explanation = null;
    this.ties = null;
    /** Cells by side and number of the explanation. */
    this.cells = { operand: [], result: [] };
    this.chosen = null;
    this.over = null;
    this.progress = null;
    const stage = byId("stage");
    stage.addEventListener("pointerover", (event) => this.#point(event));
    stage.addEventListener("pointerleave", () => this.#hover(null));
    stage.addEventListener("focusin", (event) => this.#choose(event.target.closest("td[data-at]")));
    stage.addEventListener("click", (event) => event.target.closest("td[data-at]")?.focus());
    stage.addEventListener("scroll", () => this.#wire(), true);
    addEventListener("resize", () => this.#wire());
  }

  /** Draws the operands again: after another example, language, name, dtype or shape. */
  operands() {
    this.given.draw();
  }

  /** Shows an explanation, or with `null` that there is none. */
  show(explanation, answer) {
    this.explanation = explanation;
    this.ties = explanation ? links(explanation) : null;
    this.cells = { operand: [], result: [] };
    this.progress = null;
    this.blamed = null;
    byId("operands").querySelectorAll(".aside").forEach((card) => card.remove());
    this.given.offer();
    if (explanation) this.#match(explanation);
    for (const card of this.given.cards) {
      const number = card.number;
      const role = card.querySelector(".role");
      role.textContent = explanation ? (number === undefined ? "" : t(`role_${explanation.operands[number].role}`)) : "";
      card.classList.remove("bad-card");
      if (card.querySelector("[aria-invalid]") === null) card.querySelector(".note").hidden = true;
    }
    this.#results(explanation, answer);
    this.#legend(explanation);
    if (this.chosen && !this.#cell(this.chosen)) this.chosen = null;
    this.first = explanation ? firstSight(explanation) : null;
    this.paint();
  }

  /** Finds the page's operands among those of the explanation; the others get cards of their own. */
  #match(explanation) {
    for (const card of this.given.cards) card.number = undefined;
    explanation.operands.forEach((operand, number) => {
      const card = this.given.cards.find((c) => c.used && c.dataset.name === operand.name && c.number === undefined);
      const given = this.state.names.find((g) => g.name === operand.name);
      if (card && given && given.shape.join() === operand.shape.join()) {
        card.number = number;
        this.cells.operand[number] = card.cells;
        return;
      }
      const box = make("div");
      const head = make(
        "div",
        { class: "card-head" },
        make("h3", { text: operand.name }),
        make("span", { class: "type", text: typeWords(operand) }),
        make("span", { class: "role", text: t(`role_${operand.role}`) + t("comma") + t("made") }),
      );
      byId("operands").append(make("article", { class: "card aside" }, head, box));
      this.cells.operand[number] = draw(box, { name: operand.name, shape: operand.shape, values: operand.values, operable: true });
    });
  }

  #results(explanation, answer) {
    const box = byId("results");
    box.replaceChildren();
    byId("results-title").textContent = t((explanation?.results.length ?? 0) > 1 ? "results" : "result");
    if (!explanation) {
      box.append(make("p", { class: "note", text: t("nothing") }));
      return;
    }
    explanation.results.forEach((result, number) => {
      const grid = make("div");
      const name = result.name || t("result");
      const memory = make("span", { class: "role" });
      prose(memory, memoryWords(explanation, result.memory));
      const head = make("div", { class: "card-head" }, make("h3", { text: name }), make("span", { class: "type", text: typeWords(result) }), memory);
      const axes = make("ul", { class: "axes" });
      result.axes.forEach((axis, k) => {
        const item = make("li");
        prose(item, axisWords(explanation, axis, k));
        axes.append(item);
      });
      const why = frontWords(explanation, result);
      if (why) {
        const item = make("li", { class: "why" });
        prose(item, why);
        axes.append(item);
      }
      box.append(make("article", { class: "card" }, head, result.axes.length ? axes : null, grid));
      this.cells.result[number] = draw(grid, { name, shape: result.shape, values: result.values, operable: true });
    });
    if (explanation.results.length === 0) {
      const text = explanation.error ? t("fails") : t("is_value", answer?.printed ?? "");
      box.append(make("p", { class: "note", text }));
    }
    if (explanation.sample) box.append(make("p", { class: "note", text: t("sampled", explanation.sample.shown, explanation.sample.of) }));
  }

  #legend(explanation) {
    const box = byId("legend");
    box.replaceChildren();
    if (!explanation) return;
    const any = (test) => explanation.results.some((r) => r.cells.some(test));
    const item = (mark, words, sign) => box.append(make("li", {}, make("span", { class: `swatch ${mark}`, "aria-hidden": "true", text: sign ?? "" }), words));
    const searches = explanation.searches.length > 0;
    if (any((c) => c.sources.length > 0)) item("source", t(searches ? "l_compared" : "l_source"));
    if (searches) item("pointer", t("l_searched"));
    else if (any((c) => c.by?.length || c.sources.some((s) => s.by?.length))) item("pointer", t("l_pointer"));
    if (any(() => true)) item("target", t("l_target"));
    if (any((c) => c.sources.some((s) => !s.used))) item("lost", t("l_lost"));
    if (any((c) => c.sources.length > 1)) item("count", t("l_count"), "2");
    if (explanation.error?.operand !== null && explanation.error?.operand !== undefined) item("bad", t("l_bad"));
  }

  /** Says at an operand that it is none: `{operand, at, message}`. */
  blame(error) {
    this.blamed = error;
    this.paint();
  }

  #blamed() {
    if (!this.blamed) return;
    const { operand, at, message } = this.blamed;
    const card = this.given.cards.find((c) => c.dataset.name === operand);
    if (!card) return;
    card.classList.add("bad-card");
    const cell = card.cells[at];
    if (cell) {
      cell.classList.add("bad");
      cell.dataset.badge = "!";
      label(cell, operand, [], 0, [message]);
    }
  }

  #cell(spot) {
    return this.cells[spot.side]?.[spot.number]?.[spot.at];
  }

  #spot(cell) {
    if (!cell) return null;
    const at = Number(cell.dataset.at);
    for (const side of ["operand", "result"]) {
      const number = this.cells[side].findIndex((cells) => cells?.[at] === cell);
      if (number >= 0) return { side, number, at };
    }
    return null;
  }

  #point(event) {
    if (event.pointerType === "touch") return;
    this.#hover(this.#spot(event.target.closest("td[data-at]")));
  }

  #hover(spot) {
    if (same(spot, this.over) || (!spot && !this.over)) return;
    this.over = spot;
    this.paint();
  }

  #choose(cell) {
    const spot = this.#spot(cell);
    if (spot) {
      this.chosen = spot;
      this.over = this.progress ? spot : null;
      this.paint();
    }
  }

  /** Shows the picture after so many steps, or whole with `null`. */
  at(progress) {
    this.progress = progress;
    this.paint();
  }

  /** Marks the cells for what is pointed at, chosen or stepped to. */
  paint() {
    const { explanation, ties } = this;
    const wires = byId("wires");
    wires.replaceChildren();
    this.tied = [];
    const said = byId("sentence");
    if (!explanation) {
      said.textContent = "";
      for (const card of this.given.cards) for (const cell of card.cells) clear(cell);
      this.#blamed();
      return;
    }
    const words = new Map();
    const mark = (cell, name, text) => {
      if (!cell) return;
      cell.classList.add(name);
      if (text) words.set(cell, [...(words.get(cell) ?? []), text]);
    };
    for (const card of this.given.cards) for (const cell of card.cells) clear(cell);
    this.#resting(explanation, mark);
    const pointed = this.over ?? (this.progress ? null : this.chosen);
    const spot = pointed ?? (this.progress ? null : this.first);
    const step = this.progress ? this.#stepped(explanation) : [];
    const tied = spot ? marks(explanation, ties, spot) : step;
    for (const { spot: other, mark: name, order } of tied) {
      const cell = this.#cell(other);
      mark(cell, name, t(`m_${name}`));
      if (cell && order !== undefined) cell.dataset.badge = String(order);
    }
    if (spot) mark(this.#cell(spot), "selected");
    for (const side of ["operand", "result"]) {
      this.cells[side].forEach((cells, number) => {
        const { name, shape } = explanation[side === "operand" ? "operands" : "results"][number];
        cells.forEach((cell, at) => label(cell, name || t("result"), shape, at, words.get(cell) ?? []));
      });
    }
    const told = spot ? sentence(explanation, ties, spot) : "";
    if (pointed) prose(said, told);
    else if (this.progress) said.textContent = this.progress.words;
    else prose(said, explanation.error || explanation.results.some((r) => r.cells.length) ? `${told}${t("gap")}${t("hint")}` : "");
    this.#tie(spot, tied);
    this.#wire();
  }

  /** What is marked whether or not anything is chosen: bad elements, those left out, places where values meet. */
  #resting(explanation, mark) {
    const { error } = explanation;
    this.cells.operand.forEach((cells) => cells.forEach(clear));
    if (error && error.operand !== null && error.operand !== undefined) {
      const bad = new Set(error.bad ?? []);
      if (error.at !== null && error.at !== undefined) bad.add(error.at);
      for (const at of bad) {
        const cell = this.cells.operand[error.operand]?.[at];
        mark(cell, "bad", t("m_bad"));
        if (cell) cell.dataset.badge = "!";
      }
    }
    for (const left of explanation.left_out) {
      const { operand, at } = left.source;
      if (operand !== null && operand !== undefined) mark(this.cells.operand[operand]?.[at], "left", t("m_left"));
    }
    explanation.results.forEach((result, number) => {
      const cells = this.cells.result[number] ?? [];
      const touched = new Map(result.cells.map((cell) => [cell.at, cell]));
      cells.forEach((cell, at) => {
        clear(cell);
        cell.replaceChildren(short(cell.dataset.value));
        const known = touched.get(at);
        if (!known && result.base !== null && result.base !== undefined) mark(cell, "kept", t("m_kept"));
        if (known && known.sources.length > 1) {
          cell.dataset.badge = String(known.sources.length);
          mark(cell, "meet", t("m_meet", known.sources.length));
        }
      });
    });
  }

  /** The picture after some of the steps. Returns what the last of them ties together. */
  #stepped(explanation) {
    const { all, done } = this.progress;
    const arrived = new Map();
    for (const step of all.slice(0, done)) {
      if (step.left) continue;
      const key = `${step.number}/${step.cell.at}`;
      if (!arrived.has(key)) arrived.set(key, { step, sources: [] });
      if (step.source) arrived.get(key).sources.push(step.source);
    }
    explanation.results.forEach((result, number) => {
      for (const known of result.cells) {
        const cell = this.cells.result[number]?.[known.at];
        if (!cell) continue;
        const come = arrived.get(`${number}/${known.at}`);
        delete cell.dataset.badge;
        if (!come) {
          const base = result.base !== null && result.base !== undefined ? explanation.operands[result.base]?.values?.[known.at] : undefined;
          cell.replaceChildren(short(base ?? "·"));
          continue;
        }
        if (come.sources.length > 1) cell.dataset.badge = String(come.sources.length);
        if (come.sources.length < known.sources.length || known.sources.length > 1) terms(explanation, result, known, come.sources, cell);
      }
    });
    const step = all[done - 1];
    if (!step) return [];
    if (step.cell && explanation.searches.length) {
      const spot = { side: "result", number: step.number, at: step.cell.at };
      return [...marks(explanation, this.ties, spot), { spot, mark: "target" }];
    }
    const tied = [];
    const source = step.left ? step.left.source : step.source;
    if (source && source.operand !== null && source.operand !== undefined) {
      tied.push({ spot: { side: "operand", number: source.operand, at: source.at }, mark: step.left ? "lost" : "source" });
    }
    for (const pointer of source?.by ?? step.cell?.by ?? []) tied.push({ spot: { side: "operand", number: pointer.operand, at: pointer.at }, mark: "pointer" });
    if (step.cell) {
      tied.push({ spot: { side: "result", number: step.number, at: step.cell.at }, mark: "target" });
    }
    return tied;
  }

  /** Which cells lines go between: from every source and index element to the result's cells. */
  #tie(spot, tied) {
    const ends = spot?.side === "result" ? [spot] : tied.filter((m) => m.spot.side === "result").map((m) => m.spot);
    const starts = tied.filter((m) => m.spot.side === "operand").map((m) => ({ spot: m.spot, mark: m.mark }));
    if (spot?.side === "operand") {
      const led = tied.find((m) => m.spot.side === "operand" && m.mark !== "pointer");
      starts.push({ spot, mark: led ? "pointer" : "source" });
    }
    this.tied = [];
    if (ends.length * starts.length > 64) return;
    for (const end of ends) for (const start of starts) this.tied.push({ start: start.spot, end, mark: start.mark });
  }

  #wire() {
    const wires = byId("wires");
    wires.replaceChildren();
    if (!this.tied?.length || getComputedStyle(wires).display === "none") return;
    const frame = wires.getBoundingClientRect();
    for (const { start, end, mark } of this.tied) {
      const from = this.#cell(start)?.getBoundingClientRect();
      const to = this.#cell(end)?.getBoundingClientRect();
      if (!from || !to) continue;
      const [x1, y1] = [from.right - frame.left, from.top + from.height / 2 - frame.top];
      const [x2, y2] = [to.left - frame.left, to.top + to.height / 2 - frame.top];
      const bend = Math.max(24, (x2 - x1) / 2);
      const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
      path.setAttribute("d", `M${x1} ${y1} C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`);
      path.setAttribute("class", { source: "from-source", pointer: "from-index", lost: "from-lost" }[mark] ?? "from-source");
      wires.append(path);
    }
  }

  /** The steps of the explanation shown. */
  steps() {
    return this.explanation ? steps(this.explanation) : [];
  }
}

/** The element that is marked before anything is pointed at: the first that an index led to, or else the first that was moved. */
function firstSight(explanation) {
  const moved = (of) => {
    for (const [number, result] of explanation.results.entries()) {
      const cell = result.cells.find((one) => one.sources.some(of));
      if (cell) return { side: "result", number, at: cell.at };
    }
    return null;
  };
  return moved((source) => source.by?.length) ?? moved(() => true);
}

function clear(cell) {
  cell.className = "";
  delete cell.dataset.badge;
}

/** What has come to a cell so far: terms, or what stays and what does not. */
function terms(explanation, result, known, come, cell) {
  const values = come.map((source) => short(sourceValue(explanation, source)));
  const whole = come.length === known.sources.length;
  if (known.how === "last" || known.how === "copy") {
    cell.replaceChildren(values[values.length - 1]);
    return;
  }
  if (known.how === "first") {
    cell.replaceChildren(values[0]);
    return;
  }
  if (whole) return;
  const sign = { sum: "+", mean: "+", prod: "×", div: "÷", max: "∨", min: "∧" }[known.how] ?? ",";
  const base = result.base !== null && result.base !== undefined ? explanation.operands[result.base]?.values?.[known.at] : "0";
  const all = known.with_self || known.how === "div" ? [short(base ?? "0"), ...values] : values;
  cell.replaceChildren(make("span", { class: "terms", text: all.join(sign) }));
}

/** `int64 (2, 3)`. */
export const typeWords = ({ dtype, shape }) => `${dtype} (${shape.join(", ")}${shape.length === 1 ? "," : ""})`;
