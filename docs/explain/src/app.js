// The page: its state, the call that is typed, and what is shown of it.

import { byId, make } from "./dom.js";
import { either, languageNow, speak, t } from "./i18n.js";
import { ask, load } from "./engine.js";
import { Stage } from "./stage.js";
import { Steps, libraries, plan, rules, share } from "./panels.js";
import { Tabs } from "./tabs.js";
import { Puzzles } from "./puzzles.js";
import { fromHash } from "./schema.js";
import { toHash } from "./share.js";
import { showProblem } from "./problem.js";
import EXAMPLES from "../examples.json";
import PUZZLES from "../puzzles.json";

const ALL = EXAMPLES.flatMap((group) => group.examples);

const state = {
  mode: "explore",
  lang: "en",
  theme: "auto",
  tab: "steps",
  example: ALL[0].id,
  expression: "",
  dialect: "torch",
  names: [],
  puzzle: "1",
  answer: "",
};

let stage;
let steps;
let tabs;
let puzzles;
let answer = null;
const panels = {};

/** What the engine is asked about the call. */
const request = (want) => ({ want, expression: state.expression, dialect: state.dialect, names: state.names, language: languageNow() });

const query = (want) => {
  const said = ask(request(want));
  if (said.error?.crashed) recover();
  return said;
};

/** The engine was lost: it comes back by itself, and the page says so. */
function recover() {
  load().catch((error) => showProblem(byId("problem"), t("load_failed", error.message)));
}

/** Explains the call again and shows it. */
function explain() {
  const { expression } = state;
  performance.mark("asked");
  answer = expression.trim() === "" ? {} : query("explanation");
  performance.measure("explanation", "asked");
  const { explanation } = answer;
  const error = answer.error ?? explanation?.error ?? null;
  const field = byId("expression");
  field.setAttribute("aria-invalid", String(Boolean(error)));
  showProblem(byId("problem"), error && describe(error), error?.caret ?? caret(error, explanation?.expression ?? expression));
  stage.show(explanation ?? null, answer);
  if (answer.error?.operand) stage.blame(answer.error);
  openTab();
  store();
}

function describe(error) {
  if (error.crashed) return { class: error.class, message: t("crashed") };
  return error;
}

/** The line with a caret for an error that knows its bytes alone. */
function caret(error, source) {
  if (!error?.span || !source) return null;
  const bytes = new TextEncoder().encode(source);
  const decode = (to) => new TextDecoder().decode(bytes.slice(0, to));
  const [from, to] = [decode(error.span[0]), decode(error.span[1])];
  const start = from.lastIndexOf("\n") + 1;
  const line = source.slice(start).split("\n")[0];
  const column = from.length - start;
  const width = Math.max(1, Math.min(to.length - from.length, line.length - column));
  return `${line}\n${" ".repeat(column)}${"^".repeat(width)}`;
}

/** Fills the open tab. */
function openTab() {
  if (state.tab !== "steps") steps.leave();
  if (!answer?.explanation && state.tab !== "share") {
    panels[state.tab].replaceChildren();
    return;
  }
  if (state.tab === "steps") steps.show();
  else if (state.tab === "libraries") libraries(panels.libraries, query("comparison"), state);
  else if (state.tab === "rules") rules(panels.rules, query("rules"));
  else if (state.tab === "plan") plan(panels.plan, answer);
  else share(panels.share, state, query);
}

/** Puts the state into the link. */
function store() {
  const hash = toHash(state);
  if (location.hash !== hash) history.replaceState(null, "", hash);
  byId("mode-explore").href = toHash({ ...state, mode: "explore" });
  byId("mode-puzzles").href = toHash({ ...state, mode: "puzzles", answer: "" });
}

function useExample(id) {
  const example = ALL.find((e) => e.id === id) ?? ALL[0];
  state.example = example.id;
  state.expression = example.expression;
  state.dialect = example.dialect;
  state.names = structuredClone(example.names);
}

/** The state as a link has it. */
function restore() {
  const said = fromHash(location.hash);
  state.lang = said.lang ?? state.lang;
  state.theme = ["light", "dark"].includes(said.theme) ? said.theme : (said.theme ? "auto" : state.theme);
  state.mode = said.puzzle !== undefined ? "puzzles" : "explore";
  if (state.mode === "puzzles") {
    state.puzzle = said.puzzle;
    state.answer = said.e ?? "";
    if (state.expression === "") useExample(state.example);
    return;
  }
  state.tab = panels[said.tab] ? said.tab : "steps";
  if (said.e === undefined) {
    useExample(said.example ?? state.example ?? ALL[0].id);
    return;
  }
  state.example = null;
  state.expression = said.e;
  state.dialect = said.lib ?? "torch";
  state.names = said.names;
}

/** Draws all of the page anew: after a link, a language, an example. */
function draw() {
  speak(state.lang);
  theme();
  const other = byId("language");
  other.textContent = state.lang === "zh" ? "English" : "中文";
  other.lang = state.lang === "zh" ? "en" : "zh-CN";
  const exploring = state.mode === "explore";
  byId("explore").hidden = !exploring;
  byId("puzzle").hidden = exploring;
  for (const [id, on] of [["mode-explore", exploring], ["mode-puzzles", !exploring]]) {
    if (on) byId(id).setAttribute("aria-current", "page");
    else byId(id).removeAttribute("aria-current");
  }
  if (!exploring) {
    puzzles.show();
    store();
    return;
  }
  listExamples();
  const field = byId("expression");
  field.value = state.expression;
  fit(field);
  byId("dialect").value = state.dialect;
  tabs.open(state.tab, false);
  stage.operands();
  explain();
}

function listExamples() {
  const groups = EXAMPLES.map((group) =>
    make("optgroup", { label: either(group.title) }, ...group.examples.map((e) => make("option", { value: e.id, text: either(e.title) }))),
  );
  byId("example").replaceChildren(make("option", { value: "", text: t("own"), disabled: true }), ...groups);
  byId("example").value = state.example ?? "";
}

function theme() {
  byId("theme").value = state.theme;
  const dark = state.theme === "dark" || (state.theme === "auto" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.dataset.theme = dark ? "dark" : "light";
}

/** A field as high as its lines. */
export function fit(field) {
  field.style.height = "auto";
  field.style.height = `${field.scrollHeight + 2}px`;
}

function listen() {
  const field = byId("expression");
  let waiting;
  field.addEventListener("input", () => {
    fit(field);
    state.expression = field.value;
    state.example = null;
    byId("example").value = "";
    clearTimeout(waiting);
    waiting = setTimeout(explain, 60);
  });
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) event.preventDefault();
  });
  byId("dialect").addEventListener("change", (event) => {
    state.dialect = event.target.value;
    state.example = null;
    byId("example").value = "";
    explain();
  });
  byId("example").addEventListener("change", (event) => {
    useExample(event.target.value);
    stage.chosen = null;
    draw();
  });
  byId("add").addEventListener("click", () => {
    const free = [..."xyzabcdefghijklmnopqrstuvw"].find((c) => !state.names.some((g) => g.name === c)) ?? `x${state.names.length}`;
    state.names.push({ name: free, dtype: "int64", shape: [3], values: ["1", "2", "3"], touched: true });
    state.example = null;
    stage.operands();
    changed();
    byId("operands").querySelector(`[data-name="${free}"] input`)?.focus();
  });
  byId("language").addEventListener("click", () => {
    state.lang = languageNow() === "zh" ? "en" : "zh";
    draw();
  });
  byId("theme").addEventListener("change", (event) => {
    state.theme = event.target.value;
    theme();
    store();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", theme);
  addEventListener("hashchange", () => {
    restore();
    draw();
  });
}

/** Puts the name of an operand into the call, where the caret is. */
function use(name) {
  const field = byId("expression");
  field.setRangeText(name, field.selectionStart, field.selectionEnd, "end");
  field.dispatchEvent(new Event("input"));
  field.focus();
}

function changed() {
  byId("example").value = state.example ?? "";
  explain();
}

async function start() {
  if (!location.hash && (navigator.language ?? "").startsWith("zh")) state.lang = "zh";
  speak(fromHash(location.hash).lang ?? state.lang);
  theme();
  try {
    await load();
  } catch (error) {
    byId("loading").textContent = t("load_failed", error.message);
    return;
  }
  stage = new Stage(state, changed, use);
  for (const name of ["steps", "libraries", "rules", "plan", "share"]) panels[name] = make("div");
  steps = new Steps(panels.steps, stage);
  tabs = new Tabs(byId("tabs"), "views", Object.entries(panels).map(([name, panel]) => [name, `t_${name}`, panel]), (name) => {
    state.tab = name;
    openTab();
    store();
  });
  puzzles = new Puzzles(byId("puzzle"), state, ask, recover, store);
  listen();
  restore();
  byId("loading").hidden = true;
  draw();
  document.documentElement.dataset.ready = String(Math.round(performance.now()));
}

// For a console: `takewise.ask({want: "explanation", expression: "x[0]", names: [...], dialect: "torch"})`.
globalThis.takewise = { ask, examples: ALL, puzzles: PUZZLES };
start();
