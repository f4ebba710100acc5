// An explanation in sentences.

import { t } from "./i18n.js";
import { place, short } from "./grid.js";
import { searched } from "./links.js";

const code = (text) => `\`${text}\``;

/** The name of an operand's element. */
export function operandPlace(explanation, number, at) {
  const operand = explanation.operands[number];
  return place(operand?.name ?? "?", operand?.shape ?? [], at);
}

/** The name of a result's element. */
export function resultPlace(explanation, number, at) {
  const result = explanation.results[number];
  return place(result?.name ?? t("result"), result?.shape ?? [], at);
}

function withValue(explanation, number, at) {
  const value = explanation.operands[number]?.values?.[at];
  const name = operandPlace(explanation, number, at);
  return code(value === undefined ? name : `${name} = ${short(value)}`);
}

function sourceWords(explanation, source) {
  const times = source.times ? `${source.times} × ` : "";
  if (source.operand === null || source.operand === undefined) return t("s_number", code(times + (source.value ?? "")));
  if (!times) return withValue(explanation, source.operand, source.at);
  const named = code(times + operandPlace(explanation, source.operand, source.at));
  const factors = (source.factors ?? []).map((f) => withValue(explanation, f.operand, f.at));
  return factors.length ? named + t("s_weight", code(source.times), list(factors)) : named;
}

function list(words) {
  const most = 6;
  const shown = words.length > most ? words.slice(0, most - 1) : words;
  const more = words.length > most ? t("s_more", String(words.length - most + 1)) : "";
  if (more || shown.length < 2) return shown.join(t("comma")) + more;
  return shown.slice(0, -1).join(t("comma")) + t("and") + shown[shown.length - 1];
}

/** What the picture says of a cell. */
export function sentence(explanation, ties, spot) {
  if (spot.side === "result") return resultSentence(explanation, ties, spot);
  const said = [];
  const here = withValue(explanation, spot.number, spot.at);
  const error = explanation.error;
  if (error && error.operand === spot.number && (error.at === spot.at || error.bad?.includes(spot.at))) said.push(t("s_bad", here));
  const goes = ties.goes(spot.number, spot.at);
  const targets = (as, used) => {
    const found = goes.filter((g) => g.as === as && (g.source === null || g.source.used) === used);
    return [...new Set(found.map((g) => code(resultPlace(explanation, g.number, g.cell.at))))];
  };
  const moved = targets("source", true);
  const led = [...new Set([...targets("pointer", true), ...targets("pointer", false)])];
  const lost = targets("source", false);
  if (moved.length) said.push(t("s_goes", here, list(moved)));
  if (led.length) said.push(t("s_leads", here, list(led)));
  if (lost.length) said.push(t("s_lost", here, list(lost)));
  for (const left of ties.lost(spot.number, spot.at)) {
    said.push(t(left.why === "not_selected" ? "s_not_selected" : "s_outside", here));
    break;
  }
  for (const flow of explanation.flows) {
    const to = flow.operand === spot.number && flow.to.find((f) => f.at === spot.at);
    const times = (k) => (to.times?.[k] && to.times[k] !== "1.0" ? `${to.times[k]} × ` : "");
    if (to) said.push(t("s_gradient", here, list(to.from.map((f, k) => code(times(k) + resultPlace(explanation, f.operand, f.at))))));
  }
  if (said.length === 0) {
    const base = explanation.results.findIndex((r) => r.base === spot.number);
    if (base >= 0 && !ties.cell(base, spot.at)) said.push(t("s_kept", code(resultPlace(explanation, base, spot.at))));
    else said.push(t("s_unread", here));
  }
  return said.join(t("semicolon")) + t("stop");
}

function resultSentence(explanation, ties, spot) {
  const result = explanation.results[spot.number];
  const value = result.values?.[spot.at];
  const name = resultPlace(explanation, spot.number, spot.at);
  const here = code(value === undefined ? name : `${name} = ${short(value)}`);
  const cell = ties.cell(spot.number, spot.at);
  const search = searched(explanation, spot.number, spot.at)[0];
  if (search) return searchSentence(explanation, search);
  if (!cell) {
    return t(result.base === null || result.base === undefined ? "s_none" : "s_kept", here) + t("stop");
  }
  const by = (pointers) => list(pointers.map((p) => withValue(explanation, p.operand, p.at)));
  if (cell.sources.length === 0) {
    if (cell.how === "position") return t("s_position", here) + t("stop");
    return (cell.by?.length ? t("s_fill", here, by(cell.by)) : t("s_fill_plain", here)) + t("stop");
  }
  const words = cell.sources.map((s) => sourceWords(explanation, s));
  if (cell.with_self && !["copy", "last", "first", "position", "div"].includes(cell.how)) {
    const before = result.base !== null && result.base !== undefined ? explanation.operands[result.base]?.values?.[spot.at] : "0";
    words.unshift(t("s_self", code(short(before ?? "0"))));
  }
  if (cell.how === "position") return t("s_position_of", here, list(words)) + t("stop");
  const alone = cell.sources.length === 1 && !cell.with_self;
  const pointers = cell.sources.length === 1 ? (cell.sources[0].by ?? []) : [];
  if (alone || ["copy"].includes(cell.how)) {
    return (pointers.length ? t("s_copy_by", here, words[0], by(pointers)) : t("s_copy", here, list(words))) + t("stop");
  }
  return t(`s_${cell.how}`, here, list(words)) + t("stop");
}

function searchSentence(explanation, search) {
  const compared = search.compared.map((c) => {
    const element = c.element ?? search.row + c.at * search.step;
    return t(c.after ? "s_after" : "s_before", withValue(explanation, search.sequence, element));
  });
  const value = withValue(explanation, search.value.operand, search.value.at);
  return t("s_search", value, code(explanation.operands[search.sequence].name), compared.join(t("comma")), String(search.found));
}

/** Where an axis of a result comes from. */
export function axisWords(explanation, axis, number) {
  const from = axis.from;
  const name = (k) => code(explanation.operands[k]?.name ?? "?");
  const words = {
    axis: () => t(from.step === 1 ? "o_axis" : "o_step", name(from.operand), from.axis, from.step),
    index: () => {
      const names = from.operands.map(name).join(t("comma"));
      return from.along.length ? t("o_index", names, from.axis, from.along.join(t("comma"))) : t("o_flat", names, from.axis);
    },
    mask: () => t("o_mask", name(from.operand)),
    new: () => t("o_new"),
    repeated: () => t("o_repeated"),
    coordinates: () => t("o_coordinates"),
  }[from.is];
  return t("axis_from", number, axis.extent, words ? words() : from.is);
}

/** Why the axes of the indices stand first in a result though an axis that stays came before one of them; null where they do not. */
export function frontWords(explanation, result) {
  const from = result.axes.map((axis) => axis.from);
  const indexed = from.filter((one) => one.is === "index");
  const kept = from.filter((one) => one.is === "axis");
  const along = indexed.flatMap((one) => one.along);
  if (from[0]?.is !== "index" || !kept.some((one) => one.axis < Math.max(...along))) return null;
  const data = explanation.operands[kept[0].operand];
  const stays = (axis) => kept.some((one) => one.axis === axis);
  const integers = data.shape.map((_, axis) => axis).filter((axis) => !stays(axis) && !along.includes(axis));
  const between = (axes) => kept.find((one) => Math.min(...axes) < one.axis && one.axis < Math.max(...axes));
  const names = [...new Set(indexed.flatMap((one) => one.operands))].map((k) => code(explanation.operands[k].name));
  const apart = between(along);
  const counted = between([...along, ...integers]);
  if (apart) return t("front_axis", list(names), apart.axis, code(data.name));
  return counted ? t("front_integer", list(names), counted.axis, code(data.name)) : t("front_new", list(names));
}

/** Whose memory a result is. */
export function memoryWords(explanation, memory) {
  const name = code(explanation.operands[memory.operand]?.name ?? "?");
  if (memory.is === "view") return t("view_of", name);
  if (memory.is === "in_place") return t("written_into", name);
  return t("fresh");
}

/** One step of the moves. `met` are the values that came to the same cell before. */
export function stepWords(explanation, step, met) {
  if (step.left) {
    const { source, why } = step.left;
    const words = source.operand === null || source.operand === undefined ? t("s_number", source.value ?? "") : operandPlace(explanation, source.operand, source.at);
    return t(why === "not_selected" ? "d_not_selected" : "d_outside", plain(words));
  }
  const search = searched(explanation, step.number, step.cell.at)[0];
  if (search) return plain(searchSentence(explanation, search));
  const to = resultPlace(explanation, step.number, step.cell.at);
  if (!step.source) return t("d_fill", to);
  const from = plain(sourceWords(explanation, step.source));
  if (met.length === 0) return t("d_copy", from, to);
  const before = met.map((s) => short(sourceValue(explanation, s))).join(" + ");
  const { how } = step.cell;
  if (how === "last") return t("d_replaces", from, to, short(sourceValue(explanation, met[met.length - 1])));
  if (how === "first") return t("d_stays_out", from, to, short(sourceValue(explanation, met[0])));
  return t("d_joins", from, to, how === "sum" || how === "mean" ? before : before.replaceAll(" + ", t("comma")));
}

const plain = (text) => text.replaceAll("`", "");

/** The value of a source as text. */
export function sourceValue(explanation, source) {
  if (source.operand === null || source.operand === undefined) return source.value ?? "";
  return explanation.operands[source.operand]?.values?.[source.at] ?? "";
}
