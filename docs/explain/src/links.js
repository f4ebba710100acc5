// Which cell is tied to which, from an explanation: looked up, never worked out.

/**
 * @typedef {{side: "operand" | "result", number: number, at: number}} Spot
 * @typedef {{spot: Spot, mark: "source" | "pointer" | "target" | "lost", order?: number}} Mark
 */

const key = (side, number, at) => `${side}/${number}/${at}`;

/** The ties of an explanation, by cell. */
export function links(explanation) {
  const cells = new Map();
  const goes = new Map();
  const lost = new Map();
  const put = (map, k, value) => (map.has(k) ? map.get(k).push(value) : map.set(k, [value]));
  explanation.results.forEach((result, number) => {
    for (const cell of result.cells) {
      cells.set(key("result", number, cell.at), cell);
      for (const source of cell.sources) {
        if (source.operand !== null && source.operand !== undefined) {
          put(goes, key("operand", source.operand, source.at), { number, cell, source, as: "source" });
        }
        for (const pointer of source.by ?? []) {
          put(goes, key("operand", pointer.operand, pointer.at), { number, cell, source, as: "pointer" });
        }
      }
      for (const pointer of cell.by ?? []) {
        put(goes, key("operand", pointer.operand, pointer.at), { number, cell, source: null, as: "pointer" });
      }
    }
  });
  for (const left of explanation.left_out) {
    const { operand, at, by } = left.source;
    if (operand !== null && operand !== undefined) put(lost, key("operand", operand, at), left);
    for (const pointer of by ?? []) put(lost, key("operand", pointer.operand, pointer.at), left);
  }
  return {
    cell: (number, at) => cells.get(key("result", number, at)),
    goes: (number, at) => goes.get(key("operand", number, at)) ?? [],
    lost: (number, at) => lost.get(key("operand", number, at)) ?? [],
  };
}

/** What lights up for a cell, the cell itself not included. */
export function marks(explanation, ties, spot) {
  /** @type {Mark[]} */
  const found = [];
  const add = (side, number, at, mark, order) => found.push({ spot: { side, number, at }, mark, order });
  if (spot.side === "result") {
    const cell = ties.cell(spot.number, spot.at);
    const base = explanation.results[spot.number]?.base;
    if (!cell) {
      if (base !== null && base !== undefined) add("operand", base, spot.at, "source");
      return found;
    }
    const searches = searched(explanation, spot.number, spot.at);
    if (searches.length) {
      for (const search of searches) addSearch(search, add);
      return found;
    }
    if (cell.with_self && base !== null && base !== undefined) add("operand", base, spot.at, "source");
    const many = cell.sources.length > 1;
    cell.sources.forEach((source, k) => {
      const order = many ? k + 1 : undefined;
      if (source.operand !== null && source.operand !== undefined) {
        add("operand", source.operand, source.at, source.used ? "source" : "lost", order);
      }
      for (const pointer of source.by ?? []) add("operand", pointer.operand, pointer.at, "pointer", order);
    });
    for (const pointer of cell.by ?? []) add("operand", pointer.operand, pointer.at, "pointer");
  } else {
    for (const { number, cell, source, as } of ties.goes(spot.number, spot.at)) {
      add("result", number, cell.at, source === null || source.used ? "target" : "lost");
      if (as === "pointer" && source && source.operand !== null && source.operand !== undefined) {
        add("operand", source.operand, source.at, source.used ? "source" : "lost");
      }
      for (const pointer of source?.by ?? []) {
        if (pointer.operand !== spot.number || pointer.at !== spot.at) add("operand", pointer.operand, pointer.at, "pointer");
      }
    }
    for (const [number, result] of explanation.results.entries()) {
      const own = ties.cell(number, spot.at);
      if (result.base === spot.number && (!own || own.with_self)) add("result", number, spot.at, "target");
    }
    for (const flow of explanation.flows) {
      if (flow.operand !== spot.number) continue;
      for (const to of flow.to) if (to.at === spot.at) for (const from of to.from) add("result", from.operand, from.at, "target");
    }
  }
  return found;
}

/** The searches that give that element of a result: they come in the order of its elements. */
export function searched(explanation, number, at) {
  if (number !== 0 || explanation.searches.length === 0) return [];
  const found = explanation.searches[at];
  return found ? [found] : [];
}

function addSearch(search, add) {
  add("operand", search.value.operand, search.value.at, "pointer");
  search.compared.forEach((compared, k) => {
    const element = compared.element ?? search.row + compared.at * search.step;
    add("operand", search.sequence, element, "source", k + 1);
  });
}

/** Whether two spots are the same. */
export const same = (a, b) => a && b && a.side === b.side && a.number === b.number && a.at === b.at;

/**
 * The moves one at a time, in index order: by the index element that led there, or else by the element moved.
 * A step is `{number, cell, source}`, or `{left}` for what goes nowhere.
 */
export function steps(explanation) {
  const all = [];
  explanation.results.forEach((result, number) => {
    for (const cell of result.cells) {
      if (cell.sources.length === 0) all.push({ number, cell, source: null, order: rank(cell, null) });
      for (const source of cell.sources) all.push({ number, cell, source, order: rank(cell, source) });
    }
  });
  for (const left of explanation.left_out) all.push({ left, order: rank(null, left.source) });
  const writes = explanation.kind === "write";
  // Reads are told in the order of the result, writes in the order of what is written.
  if (writes) all.sort((a, b) => a.order - b.order);
  return all;
}

function rank(cell, source) {
  const by = source?.by?.length ? source.by : cell?.by;
  if (source && source.operand !== null && source.operand !== undefined && !by?.length) return source.at;
  if (by?.length) return Math.max(...by.map((pointer) => pointer.at));
  return cell?.at ?? 0;
}
