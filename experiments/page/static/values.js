// Ratings and proposals as a table against exact values. Values are reckoned on demand, as rollouts take a while.
import { h, notice, number, replace } from "page/dom";
import { get, live } from "page/data";
import { moveText } from "page/reply";

/** Values cost seconds: opened by themselves, they wait until a reader stays at a turn. */
const DWELL_MS = 700;

const known = new Map();

/** The values of a turn, if a reader has asked for them. */
export const knownValues = (id, turn) => known.get(`${id} ${turn}`) ?? null;

/** The block with its button; the table when asked for. `turn`: the JSON of /api/turn. */
export function valuesBlock({ id, turn, open = false, onOpen, onValues }) {
  const box = h("div", { class: "values" });
  const rated = Boolean(turn.ratings && Object.keys(turn.ratings).length);
  async function load() {
    onOpen?.();
    replace(box, notice("loading", "Playing every legal move out … this takes some seconds the first time."));
    try {
      const values = await get("values", { id, turn: turn.turn });
      known.set(`${id} ${turn.turn}`, values);
      onValues?.(values);
      replace(box, values.moves?.length ? valuesTable(values, turn) : notice("empty", values.basis || "No move has a value here."));
    } catch (error) {
      replace(box, notice("error", `The values could not be reckoned: ${error.message}`, live && button("Try again")));
    }
  }
  const button = (text) => h("button", { type: "button", onclick: load }, text);
  replace(box, button(rated ? "Compare the ratings with values" : "Show the value of every move"));
  if (open) setTimeout(() => box.isConnected && load(), DWELL_MS);
  return box;
}

const mark = (kind, text) => h("span", { class: ["tag", kind] }, text);

/**
 * All moves, best first, with marks for the played, the best, the top-rated and what each role was for. `tried`: the move
 * that a reader chose. Of many moves the middling ones wait for a click.
 */
export function valuesTable(values, turn = {}, tried = null) {
  const scene = sceneOf(values, turn, tried);
  const { ratings, columns, rows } = scene;
  const head = (text, num = true) => h("th", { scope: "col", class: num && "num" }, text);
  const body = h("tbody", {}, rows.map((row) => line(row, scene)));
  const hidden = body.querySelectorAll("tr[hidden]");
  const more = hidden.length > 0 && h("button", { type: "button", class: "small-button", onclick: () => {
    hidden.forEach((one) => (one.hidden = false));
    more.remove();
  } }, `Show all ${rows.length} legal moves`);
  return h("div", {}, h("div", { class: "wide", tabindex: "0", "data-own-keys": true, role: "region", "aria-label": "values of all legal moves" },
    h("table", { class: "data moves" },
      h("caption", {}, sentence(values, scene.best, scene.played), scene.tied > SHARED && `${scene.tied} moves share the highest rating.`),
      h("thead", {}, h("tr", {}, head("#"), head("Move", false), ratings && head("Rating"), columns.one_step && head("One step"),
        columns.rollout && head("Rollouts"), columns.deals && head("Deals"), head(h("span", { class: "hidden-text" }, "Bar"), false), scene.took.length > 0 && head("First choice of", false))),
      body)), more, h("p", { class: "hint-text" }, basis(values, columns)));
}

function basis(values, columns) {
  const told = values.basis ? `${columns.rollout ? "Rollouts: " : ""}${values.basis.replace(/\.$/, "")}. ` : "";
  return `${told}${columns.rollout ? "±: standard error of the difference to the move played. The best is chosen among the moves that were tried on many deals; the others were tried on a few, for this table. " : ""}${columns.one_step ? "One step: points won or lost at once." : ""}`;
}

const SHARED = 3;
const MOST = 8;

function sceneOf(values, turn, tried) {
  const ratings = turn.ratings && Object.keys(turn.ratings).length ? turn.ratings : null;
  const top = ratings && Math.max(...Object.values(ratings));
  const has = (name) => values.moves.some((one) => typeof one[name] === "number");
  const columns = { one_step: has("one_step"), rollout: has("rollout"), deals: values.moves.some((one) => one.deals) };
  const rows = [...values.moves].sort((a, b) => (a.rank ?? 99) - (b.rank ?? 99));
  const by = columns.rollout ? "rollout" : "one_step";
  return { ratings, top, tied: ratings ? Object.values(ratings).filter((one) => one === top).length : 0, columns, rows, by,
    span: extent(rows, by), took: turn.took ?? [], played: moveText(values.played), best: moveText(values.best), tried };
}

function line(row, scene) {
  const { ratings, columns, by } = scene;
  const move = moveText(row.move);
  const fans = scene.took.filter((one) => moveText(one.proposed[0]) === move).map((one) => one.node);
  const is = { played: move === scene.played, best: move === scene.best, tried: move === scene.tried,
    top: ratings && ratings[move] === scene.top && scene.tied <= SHARED };
  const shown = scene.rows.length <= MOST || row.rank <= 5 || fans.length || Object.values(is).some(Boolean);
  return h("tr", { class: [is.played && "is-played", is.best && "is-best", is.tried && "is-tried"], hidden: !shown },
    h("td", { class: "num" }, row.rank ?? "–"),
    h("th", { scope: "row" }, move, is.best && [" ", mark("good", "★ best")], is.played && [" ", mark("played", "▶ played")],
      is.top && [" ", mark("info", "↑ top-rated")], is.tried && [" ", mark("info", "◆ yours")]),
    ratings && h("td", { class: "num" }, number(ratings[move])),
    columns.one_step && h("td", { class: "num" }, number(row.one_step)),
    columns.rollout && h("td", { class: "num" }, number(row.rollout), row.error ? h("span", { class: "muted" }, ` ± ${number(row.error)}`) : null),
    columns.deals && h("td", { class: "num muted" }, row.deals),
    h("td", { class: "bar-cell" }, h("span", { class: "track", "aria-hidden": "true" },
      h("span", { class: "bar", style: { left: "0", width: `${share(row[by], scene.span) * 100}%` } }))),
    scene.took.length > 0 && h("td", {}, fans.join(", ")));
}

/** What a move is worth against the best: `{lost, even}`; `even`: chance may explain the loss. Null without values. */
export function against(values, move) {
  const row = (text) => values.moves.find((one) => moveText(one.move) === text);
  const [own, best] = [row(move), row(moveText(values.best))];
  if (worth(own) === null || worth(best) === null) return null;
  const lost = worth(best) - worth(own);
  return { lost, best: own === best, even: lost <= Math.hypot(own.error ?? 0, best.error ?? 0) };
}

export const worth = (row) => row?.rollout ?? row?.one_step ?? null;

/** How far a move lies below the best, as a tag; nothing where no value is known. */
export function lossTag(values, move) {
  const found = against(values, move);
  if (!found) return null;
  if (found.best) return mark("good", "★ the best move");
  return found.even ? mark("good", "≈ about as good as the best") : mark("bad", `▽ ${number(found.lost)} below the best`);
}

function extent(rows, name) {
  const found = rows.map((row) => row[name]).filter((one) => typeof one === "number");
  return [Math.min(...found), Math.max(...found)];
}

function share(value, [low, high]) {
  return typeof value !== "number" ? 0 : high === low ? 1 : 0.04 + (0.96 * (value - low)) / (high - low);
}

function sentence(values, best, played) {
  if (best === played) return "The move played is the best by these values. ";
  if (values.mistake) return `A mistake: ${values.mistake.text}. `;
  const lost = typeof values.loss === "number" ? `, ${number(values.loss)} ± ${number(values.error)} points less: not enough to be marked as a mistake` : "";
  return `Best: ${best}. ${played ? `Played: ${played}${lost}. ` : ""}`;
}
