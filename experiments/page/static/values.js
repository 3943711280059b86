// Ratings and proposals as a table against exact values. Values are reckoned on demand, as rollouts take a while.
import { h, notice, number, replace } from "page/dom";
import { get } from "page/data";
import { moveText } from "page/reply";

/** The block with its button; the table when asked for. `turn`: the JSON of /api/turn. */
export function valuesBlock({ id, turn, open = false, onOpen }) {
  const box = h("div", { class: "values" });
  const rated = Boolean(turn.ratings && Object.keys(turn.ratings).length);
  async function load() {
    onOpen?.();
    replace(box, notice("loading", "Playing every legal move out … this takes some seconds the first time."));
    try {
      const values = await get("values", { id, turn: turn.turn });
      replace(box, values.moves?.length ? valuesTable(values, turn) : notice("empty", "No move has a value here."));
    } catch (error) {
      replace(box, notice("error", `The values could not be reckoned: ${error.message}`, button("Try again")), rated && ratingsAlone(turn));
    }
  }
  const button = (text) => h("button", { type: "button", onclick: load }, text);
  if (open) load();
  else replace(box, rated && ratingsAlone(turn), button(rated ? "Compare with exact values" : "Show the exact value of every move"));
  return box;
}

function ratingsAlone(turn) {
  const rows = Object.entries(turn.ratings).sort((a, b) => b[1] - a[1]);
  const played = moveText(turn.decided?.move);
  return h("table", { class: "data moves" }, h("caption", {}, "Ratings of the deciding role, −1 to 1"),
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Move"), h("th", { scope: "col", class: "num" }, "Rating"))),
    h("tbody", {}, rows.map(([move, rating]) => h("tr", { class: [move === played && "is-played"] },
      h("th", { scope: "row" }, move, " ", move === played && mark("played", "▶ played")),
      h("td", { class: "num" }, number(rating))))));
}

const mark = (kind, text) => h("span", { class: ["tag", kind] }, text);

/** All moves, best first, with marks for the played, the best, the top-rated and what each role was for. `tried`: the
 * move that a reader chose. */
export function valuesTable(values, turn = {}, tried = null) {
  const ratings = turn.ratings && Object.keys(turn.ratings).length ? turn.ratings : null;
  const top = ratings && Math.max(...Object.values(ratings));
  const played = moveText(values.played);
  const best = moveText(values.best);
  const rolled = values.moves.some((one) => one.rollout !== null && one.rollout !== undefined);
  const stepped = values.moves.some((one) => one.one_step !== null && one.one_step !== undefined);
  const rows = [...values.moves].sort((a, b) => (a.rank ?? 99) - (b.rank ?? 99));
  const span = extent(rows, rolled ? "rollout" : "one_step");
  const column = (text) => h("th", { scope: "col", class: "num" }, text);
  return h("div", { class: "wide", tabindex: "0", role: "region", "aria-label": "values of all legal moves" },
    h("table", { class: "data moves" },
      h("caption", {}, sentence(values, best, played), values.basis && h("span", { class: "basis" }, ` ${values.basis}`)),
      h("thead", {}, h("tr", {}, column("#"), h("th", { scope: "col" }, "Move"), ratings && column("Rating"), stepped && column("One step"),
        rolled && column("Rollouts"), h("th", { scope: "col" }, h("span", { class: "hidden-text" }, "bar")), turn.took?.length > 0 && h("th", { scope: "col" }, "First choice of"))),
      h("tbody", {}, rows.map((row) => {
        const move = moveText(row.move);
        const is = { played: move === played, best: move === best, top: ratings && ratings[move] === top, tried: move === tried };
        return h("tr", { class: [is.played && "is-played", is.best && "is-best", is.tried && "is-tried"] },
          h("td", { class: "num" }, row.rank ?? "–"),
          h("th", { scope: "row" }, move, is.best && [" ", mark("good", "★ best")], is.played && [" ", mark("played", "▶ played")],
            is.top && [" ", mark("info", "↑ top-rated")], is.tried && [" ", mark("info", "◆ yours")]),
          ratings && h("td", { class: "num" }, number(ratings[move])),
          stepped && h("td", { class: "num" }, number(row.one_step)),
          rolled && h("td", { class: "num" }, number(row.rollout), row.error ? h("span", { class: "muted" }, ` ± ${number(row.error)}`) : null),
          h("td", { class: "bar-cell" }, h("span", { class: "track", "aria-hidden": "true" },
            h("span", { class: "bar", style: { left: "0", width: `${share(row[rolled ? "rollout" : "one_step"], span) * 100}%` } }))),
          turn.took?.length > 0 && h("td", {}, turn.took.filter((one) => moveText(one.proposed[0]) === move).map((one) => one.node).join(", ")));
      }))));
}

function extent(rows, name) {
  const found = rows.map((row) => row[name]).filter((one) => typeof one === "number");
  return [Math.min(...found), Math.max(...found)];
}

function share(value, [low, high]) {
  return typeof value !== "number" ? 0 : high === low ? 1 : 0.04 + (0.96 * (value - low)) / (high - low);
}

function sentence(values, best, played) {
  if (best === played) return "The move played is the best by these values.";
  const error = values.error ? ` ± ${number(values.error)}` : "";
  const lost = typeof values.loss === "number" ? ` and loses ${number(values.loss)}${error} points against it` : "";
  const kind = values.mistake ? ` ${values.mistake.text}` : values.loss ? " It is not marked as a mistake." : "";
  return `Best: ${best}. ${played ? `Played: ${played},${lost.replace(" and", " which")}.` : ""}${kind}`;
}
