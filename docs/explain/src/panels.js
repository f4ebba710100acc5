// What the tabs show: steps, libraries, rules, plan, sharing.

import { make } from "./dom.js";
import { t } from "./i18n.js";
import { draw } from "./grid.js";
import { stepWords } from "./words.js";
import { python, rust } from "./share.js";
import { typeWords } from "./stage.js";

export const LIBRARIES = { torch: "PyTorch", numpy: "NumPy", mindspore: "MindSpore", jax: "JAX", takewise: "takewise" };

const lead = (key) => make("p", { class: "lead", text: t(key) });

/** Step by step. */
export class Steps {
  constructor(panel, stage) {
    this.panel = panel;
    this.stage = stage;
    this.timer = null;
  }

  show() {
    this.stop();
    const all = this.stage.steps();
    this.all = all;
    if (all.length === 0) {
      this.panel.replaceChildren(make("p", { class: "lead", text: t("steps_none") }));
      return;
    }
    const button = (key, action) => make("button", { type: "button", text: t(key), onclick: action });
    this.first = button("first", () => this.go(0));
    this.back = button("previous", () => this.go(this.done - 1));
    this.next = button("next", () => this.go(this.done === null ? 1 : this.done + 1));
    this.all_ = button("last", () => this.go(null));
    this.play = button("play", () => (this.timer ? this.stop() : this.start()));
    this.range = make("input", { type: "range", min: "0", max: String(all.length), value: String(all.length), "aria-label": t("step") });
    this.range.addEventListener("input", () => this.go(Number(this.range.value)));
    this.count = make("output");
    this.list = make("ol", { class: "steps", tabindex: "0", "aria-label": t("t_steps") });
    const met = new Map();
    all.forEach((step, k) => {
      const key = step.cell ? `${step.number}/${step.cell.at}` : null;
      const before = key ? (met.get(key) ?? []) : [];
      this.list.append(make("li", { text: stepWords(this.stage.explanation, step, before), "data-step": String(k + 1) }));
      if (key && step.source) met.set(key, [...before, step.source]);
    });
    this.list.addEventListener("click", (event) => {
      const item = event.target.closest("li");
      if (item) this.go(Number(item.dataset.step));
    });
    this.panel.replaceChildren(
      lead({ view: "steps_view", search: "steps_search" }[this.stage.explanation.kind] ?? "steps_lead"),
      make("div", { class: "stepper" }, this.first, this.back, this.play, this.next, this.all_, this.range, this.count),
      this.list,
    );
    this.go(null);
  }

  go(done) {
    const total = this.all.length;
    if (done !== null) done = Math.max(0, Math.min(total, done));
    this.done = done;
    const words = done ? this.list.children[done - 1].textContent : "";
    this.stage.at(done === null ? null : { all: this.all, done, words });
    const shown = done ?? total;
    this.range.value = String(shown);
    this.count.textContent = t("step_of", shown, total);
    this.first.disabled = this.back.disabled = done === 0;
    this.next.disabled = done === total;
    if (done === null) this.back.disabled = this.first.disabled = false;
    [...this.list.children].forEach((item, k) => {
      item.classList.toggle("done", k < shown);
      if (done !== null && k === done - 1) {
        item.setAttribute("aria-current", "step");
        const box = this.list;
        if (item.offsetTop < box.scrollTop || item.offsetTop + item.offsetHeight > box.scrollTop + box.clientHeight) {
          box.scrollTop = item.offsetTop - box.clientHeight / 2;
        }
      } else item.removeAttribute("aria-current");
    });
    if (done === total) this.stop();
  }

  start() {
    if (this.done === null || this.done === this.all.length) this.go(0);
    this.play.textContent = t("pause");
    this.timer = setInterval(() => this.go(this.done + 1), 900);
  }

  stop() {
    clearInterval(this.timer);
    this.timer = null;
    if (this.play) this.play.textContent = t("play");
  }

  /** Leaves the steps: the picture is whole again. */
  leave() {
    this.stop();
    if (this.stage.progress) this.stage.at(null);
    if (this.all?.length) this.go(null);
  }
}

/** One column of a comparison as a card. `base` is the explanation it is compared with. */
function column(title, explanation, base, tags) {
  const card = make("article", { class: "card" });
  const head = make("div", { class: "card-head" }, make("h3", { text: title }), ...tags);
  card.append(head);
  const { error } = explanation;
  if (error) {
    card.append(make("p", { class: "message", lang: "en" }, make("b", { text: error.class }), `: ${error.message}`));
    return card;
  }
  for (const [k, result] of explanation.results.entries()) {
    const box = make("div");
    card.append(make("p", { class: "note", text: typeWords(result) }), box);
    const cells = draw(box, { name: `${title}: ${result.name || t("result")}`, shape: result.shape, values: result.values });
    const other = base?.results?.[k];
    if (other && other.shape.join() === result.shape.join() && other.values && result.values) {
      cells.forEach((cell, at) => {
        if (differ(other.values[at], result.values[at])) {
          cell.classList.add("differs");
          cell.append(make("span", { class: "hidden", text: ` (${t("m_differs")})` }));
          cell.dataset.badge = "≠";
        }
      });
    }
  }
  if (explanation.results.length === 0) card.append(make("p", { class: "note", text: t("no_array") }));
  return card;
}

const differ = (a, b) => a !== b && !(a !== "" && b !== "" && Number(a) === Number(b));

/** The libraries side by side. */
export function libraries(panel, answer, state) {
  panel.replaceChildren(lead("libraries_lead"));
  if (answer.error) return;
  const { columns } = answer.comparison;
  const chosen = columns.find((entry) => entry.name === state.dialect);
  const box = make("div", { class: "beside" });
  for (const entry of columns) {
    const fails = entry.explanation.error;
    const tags = [];
    if (entry === chosen) tags.push(make("span", { class: "tag", text: t("chosen") }));
    else if (fails) tags.push(make("span", { class: "tag fails", text: t("raises") }));
    else if (entry.like === chosen?.like) tags.push(make("span", { class: "tag", text: t("same_as", LIBRARIES[state.dialect]) }));
    else tags.push(make("span", { class: "tag differs", text: t("differs_from", LIBRARIES[state.dialect]) }));
    const card = column(LIBRARIES[entry.name], entry.explanation, entry === chosen ? null : chosen?.explanation, tags);
    if (entry === chosen) card.classList.add("current");
    box.append(card);
  }
  panel.append(box);
}

/** The five rules side by side. */
export function rules(panel, answer) {
  panel.replaceChildren(lead("rules_lead"));
  if (answer.error) return;
  const box = make("div", { class: "beside" });
  const { columns } = answer.comparison;
  const base = columns.find((entry) => !entry.explanation.error)?.explanation;
  for (const { name, explanation } of columns) {
    const tags = explanation.error ? [make("span", { class: "tag fails", text: t("raises") })] : [];
    box.append(column(t(`r_${name}`), explanation, explanation === base ? null : base, tags));
  }
  panel.append(box);
}

/** The plan, its strategy and bytes. */
export function plan(panel, answer) {
  const explanation = answer.explanation;
  panel.replaceChildren(lead("plan_lead"));
  if (!explanation) return;
  const facts = (...pairs) => {
    const list = make("dl", { class: "facts" });
    for (const [name, value, lang] of pairs) if (value) list.append(make("dt", { text: name }), make("dd", { text: value, lang }));
    return list;
  };
  // The engine speaks English; what it says of strategies and promises is there in the page's language too.
  const said = (text) => (answer.said?.[text] ? [answer.said[text]] : [text, "en"]);
  const bytes = (read, written) => t("p_read", read.toLocaleString(), written.toLocaleString());
  panel.append(facts([t("p_kind"), t(`k_${explanation.kind}`)], [t("p_bytes"), bytes(explanation.bytes.read, explanation.bytes.written)]));
  if (explanation.plans.length === 0) panel.append(make("p", { class: "lead", text: t("p_none") }));
  for (const planned of explanation.plans) {
    const names = planned.strategies.map((s) => s.name).join(" › ");
    panel.append(
      make("h3", { class: "hidden", text: planned.verb }),
      facts(
        [t("p_strategy"), names ? `${planned.verb}: ${names}` : planned.verb, "en"],
        [t("p_why"), ...said(planned.strategies[0]?.reason)],
        [t("p_promise"), ...said(planned.promise)],
        [t("p_bytes"), bytes(planned.read, planned.written)],
      ),
      make("p", { class: "note", text: t("p_notation") }),
      make("pre", { class: "code", tabindex: "0", text: planned.text }),
    );
  }
  if (answer.printed) {
    panel.append(make("p", { class: "note", text: t("p_prints") }), make("pre", { class: "code", tabindex: "0", text: answer.printed }));
  }
}

/** The link, and the call as Python, Rust and SVG. `ask` asks the engine. */
export function share(panel, state, ask) {
  const said = make("span", { class: "said", role: "status" });
  const text = make("pre", { class: "code", tabindex: "0", "aria-label": t("preview"), text: python(state) });
  const copy = async (what) => {
    text.textContent = what;
    try {
      await navigator.clipboard.writeText(what);
      said.textContent = t("copied");
    } catch {
      getSelection().selectAllChildren(text);
      said.textContent = t("not_copied");
    }
  };
  const button = (key, action) => make("button", { type: "button", text: t(key), onclick: action });
  const svg = () => ask("svg").svg ?? "";
  panel.replaceChildren(
    lead("share_lead"),
    make(
      "div",
      { class: "row" },
      button("copy_link", () => copy(location.href)),
      button("copy_python", () => copy(python(state))),
      button("copy_rust", () => copy(rust(state))),
      button("copy_svg", () => copy(svg())),
      button("save_svg", () => {
        const link = make("a", { href: `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg())}`, download: "takewise.svg" });
        link.click();
      }),
      said,
    ),
    text,
  );
}
