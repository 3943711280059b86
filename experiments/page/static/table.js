// The table of games. Only the rows in sight are in the document, so that 10,000 games stay quick.
import { h, number, replace } from "page/dom";
import { setOrder } from "page/order";
import { go, link } from "page/router";
import { matcher } from "page/filters";
import { END_WORDS } from "page/words";

const ROW = 34;
const SPARE = 12;
/** What stands first where only a few columns are in sight. */
const SOONER = ["id", "score_strict", "score_kept", "end"];
/** Of columns whose title does not say it all. */
const SAYS = {
  score_strict: "Strict score: 0 when the third life was lost",
  score_kept: "Kept score: the points on the table, also when the third life was lost",
  forced: "Moves that the program chose, because no answer could be used",
  refused: "Decisions that a judge or the safety rule refused",
  fallbacks: "Answers that could not be used even when asked again",
  swing: "The most that one move changed the expected score, in points; there once the game's expected score was computed",
};

/** The columns that the run shows, unless the reader chose. */
export const defaults = (columns) => columns.filter((column) => column.shown).map((column) => column.key);

/** `makeTable({onSort(sort)})` -> `{element, draw({games, columns, shown, params}) -> how many games, focus()}`. */
export function makeTable({ onSort }) {
  const head = h("thead");
  const body = h("tbody");
  const table = h("table", { class: "games-table" }, h("caption", { class: "hidden-text" }, "Games; a row opens its game"), head, body);
  const scroller = h("div", { class: "table-scroll", role: "region", "aria-label": "Table of games", tabindex: "-1" }, table);
  const empty = h("div", { class: "empty" });
  const element = h("div", {}, scroller, empty);
  const state = { rows: [], columns: [], at: {}, drawn: new Map() };
  let waiting = false;
  scroller.addEventListener("scroll", () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => { waiting = false; paint(); });
  });
  new ResizeObserver(() => paint()).observe(scroller);
  body.addEventListener("keydown", (event) => walk(event));
  body.addEventListener("click", (event) => {
    const id = event.target.closest("tr")?.dataset?.id;
    if (id && !event.target.closest("a") && !getSelection().toString()) go("game", { id });
  });

  function draw({ games, columns, shown, params }) {
    state.at = Object.fromEntries(games.keys.map((key, place) => [key, place]));
    state.columns = columns.filter((column) => shown.includes(column.key) && column.key in state.at);
    if (matchMedia("(max-width: 640px)").matches) state.columns = [...state.columns].sort((a, b) => SOONER.includes(b.key) - SOONER.includes(a.key));
    if (!state.columns.some((column) => column.key === "id")) state.columns.unshift({ key: "id", title: "game", kind: "text" });
    state.rows = sorted(games.rows.filter(matcher(games, params)), state.at, params.sort);
    setOrder(state.rows.map((row) => row[state.at.id]));
    const held = document.activeElement?.dataset?.key;
    replace(head, headRow(state.columns, params.sort, onSort));
    state.drawn.clear();
    table.setAttribute("aria-rowcount", state.rows.length + 1);
    replace(empty, state.rows.length ? null : h("p", { class: "notice" }, games.rows.length ? "No game fits these filters." : "There are no games here yet. They appear as soon as they begin."));
    scroller.hidden = !state.rows.length;
    paint();
    if (held?.startsWith("sort-")) head.querySelector(`[data-key="${CSS.escape(held)}"]`)?.focus({ preventScroll: true });
    return state.rows.length;
  }

  function paint() {
    const from = Math.max(0, Math.floor(scroller.scrollTop / ROW) - SPARE);
    const to = Math.min(state.rows.length, Math.ceil((scroller.scrollTop + (scroller.clientHeight || 600)) / ROW) + SPARE);
    const held = document.activeElement?.closest?.("tr")?.dataset?.id;
    const rows = [];
    for (let place = from; place < to; place += 1) rows.push(rowAt(place));
    replace(body, spacer(from), rows, spacer(state.rows.length - to));
    if (held && !body.contains(document.activeElement)) body.querySelector(`tr[data-id="${CSS.escape(held)}"] a`)?.focus({ preventScroll: true });
  }

  /** A row is made once and stays the same element while its data stays. */
  function rowAt(place) {
    const row = state.rows[place];
    const id = row[state.at.id];
    if (!state.drawn.has(id)) state.drawn.set(id, gameRow(row, state));
    const made = state.drawn.get(id);
    made.dataset.place = place;
    made.setAttribute("aria-rowindex", place + 2);
    return made;
  }

  function walk(event) {
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 15, PageUp: -15, Home: -1e9, End: 1e9 }[event.key];
    const place = event.target.closest("tr")?.dataset?.place;
    if (!step || place === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    focusRow(Math.min(state.rows.length - 1, Math.max(0, Number(place) + step)));
  }

  function focusRow(place) {
    const top = place * ROW;
    const room = scroller.clientHeight - (head.offsetHeight || ROW);
    if (top < scroller.scrollTop) scroller.scrollTop = top;
    if (top + ROW > scroller.scrollTop + room) scroller.scrollTop = top + ROW - room;
    paint();
    body.querySelector(`tr[data-place="${place}"] a`)?.focus({ preventScroll: true });
  }

  return { element, draw, focus: () => state.rows.length && focusRow(Math.ceil(scroller.scrollTop / ROW)) };
}

const spacer = (rows) => (rows > 0 ? h("tr", { class: "spacer", "aria-hidden": "true", style: { height: `${rows * ROW}px` } }) : null);

/** By a column's key, `-key` for the largest first; empty cells last; equal ones keep their order. */
function sorted(rows, at, sort) {
  const down = sort?.startsWith("-");
  const place = at[down ? sort.slice(1) : sort];
  if (place === undefined) return rows;
  const sign = down ? -1 : 1;
  return [...rows].sort((a, b) => compare(a[place], b[place], sign));
}

const ORDER = new Intl.Collator("en", { numeric: true });

function compare(a, b, sign) {
  const none = (value) => value === null || value === undefined || value === "";
  if (none(a) || none(b)) return none(a) - none(b);
  return sign * (typeof a === "string" ? ORDER.compare(a, b) : a - b);
}

function headRow(columns, sort, onSort) {
  return h("tr", { "aria-rowindex": 1 }, columns.map(({ key, title, kind }) => {
    const now = sort === key ? "ascending" : sort === `-${key}` ? "descending" : "none";
    const first = kind === "text" ? key : `-${key}`;
    const second = kind === "text" ? `-${key}` : key;
    const next = now === "none" ? first : sort === first ? second : "";
    return h("th", { scope: "col", class: kind, "aria-sort": now }, h("button", { type: "button", dataset: { key: `sort-${key}` }, onclick: () => onSort(next), title: [SAYS[key], `Sort by ${title}`].filter(Boolean).join("\n") },
      title, h("span", { "aria-hidden": "true", class: "arrow" }, now === "ascending" ? "▲" : now === "descending" ? "▼" : "")));
  }));
}

function gameRow(row, { columns, at }) {
  const id = row[at.id];
  return h("tr", { dataset: { id } }, columns.map((column) => h(column.key === "id" ? "th" : "td", { class: column.kind, scope: column.key === "id" ? "row" : null }, cell(column, row[at[column.key]], row, at))));
}

const TONES = { failed: "bad", suspended: "warn", going: "good", lives_lost: "bad", perfect: "good", max_turns: "warn", vote: "warn", player: "warn", clock: "warn" };

function cell({ key, kind }, value, row, at) {
  if (key === "id") return h("a", { href: link("game", { id: value }), dataset: { key: `row-${value}` } }, value);
  if (value === null || value === undefined || value === "") return h("span", { class: "muted" }, "–");
  if (key === "state" && value === "finished") return h("span", { class: "muted" }, value);
  if (key === "state" || key === "end") return TONES[value] ? h("span", { class: ["tag", TONES[value]] }, END_WORDS[value] ?? value) : END_WORDS[value] ?? value;
  if (kind === "flag" || typeof value === "boolean") return value ? "yes" : h("span", { class: "muted" }, "no");
  if ((key === "forced" || key === "refused" || key === "fallbacks") && value > 0) return h("span", { class: "tag warn" }, value);
  if (kind === "number" && typeof value === "number") return value === 0 ? h("span", { class: "muted" }, "0") : Number.isInteger(value) ? (key === "seed" ? String(value) : value.toLocaleString("en")) : number(value, Math.abs(value) < 1 ? 4 : 2);
  return String(value);
}
