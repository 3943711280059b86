// What a role replied, as a person reads it. Model text is text only.
import { h, number } from "page/dom";

/** The text of a move, given as text or as `{text}`. */
export const moveText = (move) => (move && typeof move === "object" ? move.text : move) ?? null;

/** The words for an outcome of a call, with a sign that does not rest on colour. */
export const OUTCOMES = {
  ok: { sign: "✓", word: "usable", kind: "good" },
  repaired: { sign: "≈", word: "repaired", kind: "warn" },
  reasked: { sign: "↻", word: "unusable, asked again", kind: "warn" },
  fallback: { sign: "∅", word: "unusable, no output", kind: "bad" },
  unasked: { sign: "–", word: "not asked", kind: null },
  failed: { sign: "✕", word: "no response", kind: "bad" },
};

/** An outcome as a small badge. */
export function outcome(call) {
  const { sign, word, kind } = OUTCOMES[call.outcome] ?? { sign: "?", word: call.outcome, kind: "warn" };
  return h("span", { class: ["tag", kind] }, `${sign} ${word}`);
}

/** `840 ms`, `2.3 s`, `3 min 5 s`. */
export function seconds(value) {
  if (value === null || value === undefined) return "–";
  if (value < 0.0095) return `${number(value * 1000, 1)} ms`;
  if (value < 0.95) return `${number(value * 1000, 0)} ms`;
  return value < 120 ? `${number(value, 1)} s` : `${Math.floor(value / 60)} min ${Math.round(value % 60)} s`;
}

/** `$0.0031`; nothing where no price is known, or nothing was paid. */
export function money(usd) {
  return usd ? `$${usd >= 0.1 ? usd.toFixed(2) : usd.toPrecision(2)}` : null;
}

/** A name that may break after underscores and hyphens. */
export const breakable = (name) => name.split(/(?<=[_-])/).flatMap((part, at) => (at ? [h("wbr", {}), part] : [part]));

/** Whether a program answered, not a model. */
export const isProgram = (call) => !call.model || call.model === "program";

const ENTRIES = 6;
const FIRST = ["action", "accept", "summary"];

/** All fields of a reply; lists of objects become tables. */
export function fields(reply) {
  const names = Object.keys(reply).sort((a, b) => order(a) - order(b));
  return h("dl", { class: "reply" }, names.map((name) => [h("dt", {}, words(name)), h("dd", {}, value(reply[name]))]));
}

const order = (name) => (FIRST.includes(name) ? FIRST.indexOf(name) : FIRST.length);
const words = (name) => name.replaceAll("_", " ");

function value(given) {
  if (given === null || given === undefined || given === "") return h("span", { class: "muted" }, "nothing");
  if (typeof given === "boolean") return given ? "yes" : "no";
  if (typeof given === "number") return number(given, 3);
  if (Array.isArray(given)) return list(given);
  if (typeof given === "object") return given.text && given.type ? given.text : fields(given);
  return h("span", { class: "prose" }, given);
}

function list(given) {
  if (!given.length) return h("span", { class: "muted" }, "none");
  if (given.length === 1 && Object.values(given[0] ?? {}).some((one) => one && typeof one === "object")) return fields(given[0]);
  if (!given.every((one) => one && typeof one === "object" && !Array.isArray(one))) {
    return h("span", { class: "prose" }, given.map((one) => (typeof one === "object" ? JSON.stringify(one) : String(one))).join(", "));
  }
  const columns = [...new Set(given.flatMap(Object.keys))].filter((key) => given.some((one) => one[key] !== null && one[key] !== ""));
  const rows = given.map((one, at) => h("tr", { hidden: at >= ENTRIES && given.length > ENTRIES + 2 }, columns.map((key) => h("td", {}, value(one[key])))));
  const hidden = rows.filter((row) => row.hidden);
  const more = hidden.length > 0 && h("button", { type: "button", class: "small-button", onclick: () => {
    hidden.forEach((row) => (row.hidden = false));
    more.remove();
  } }, `Show all ${given.length} entries`);
  return h("div", {}, h("div", { class: "wide", tabindex: "0", "data-own-keys": true, role: "region", "aria-label": "entries of the list" },
    h("table", { class: "data" },
      h("thead", {}, h("tr", {}, columns.map((key) => h("th", { scope: "col" }, words(key))))), h("tbody", {}, rows))), more);
}

/** The moves that a reply is for, best first. */
export function proposed(reply) {
  if (!reply) return [];
  if (reply.action) return [moveText(reply.action)];
  const entries = Object.values(reply).find((one) => Array.isArray(one) && one.some((entry) => entry?.action));
  if (!entries) return [];
  const worth = (one) => one.rating ?? one.probability ?? one.hint_value ?? (one.rank ? -one.rank : 0);
  return [...entries].filter((one) => one.action).sort((a, b) => num(worth(b)) - num(worth(a))).map((one) => moveText(one.action));
}

const num = (one) => (typeof one === "number" ? one : 0);

/** What a role said in a sentence: its move or its best ones, and its reason. */
export function gist(call) {
  if (!call.reply) return { says: "", why: call.error ?? "" };
  const { reply } = call;
  const why = [reply.reason, reply.summary, reply.suggestion, reply.rationale, reply.explanation, reply.text].find((one) => typeof one === "string" && one) ?? firstText(reply);
  if (typeof reply.accept === "boolean") return { says: reply.accept ? "accepts" : "refuses", why };
  const moves = proposed(reply);
  if (reply.action) return { says: moves[0], why };
  if (moves.length) return { says: `${moves[0]} first${moves.length > 1 ? `, then ${moves.slice(1, 3).join(", ")}` : ""}`, why };
  return { says: "a note", why };
}

const KINDS = { play: "plays", discard: "discards", hint: "hints" };

/**
 * Whether the decision followed a colleague, `one` of the list `took`: `{kind, short, long}`. Who only advises on discards is
 * not overruled by a play.
 */
export function stance(one, { graph, decided }, calls) {
  if (one.agrees) return { kind: "good", short: "= agrees", long: "= agrees" };
  const name = one.node.replace(/-\d+$/, "");
  const read = graph.nodes.find((node) => node.name === graph.decides)?.reads.includes(name);
  if (!read) return { kind: null, short: "≠ not read", long: "≠ not read by the deciding role" };
  const kinds = [...new Set(one.proposed.map((move) => move.type))];
  if (kinds.length === 1 && kinds[0] !== decided?.move?.type && !calls.some((call) => call.node === one.node && call.reply?.action)) {
    return { kind: null, short: `– ${KINDS[kinds[0]]} only`, long: `– advised on ${KINDS[kinds[0]]} only` };
  }
  const place = one.rank_of_played;
  return { kind: "warn", short: `≠ overruled${place ? ` (#${place})` : ""}`, long: `≠ overruled: played is ${place ? `number ${place} of` : "not among"} theirs` };
}

function firstText(reply) {
  return Object.values(reply).find((one) => typeof one === "string" && one) ?? "";
}
