// The head of a game: what was played by whom, how it ended, and where else the same deal was played.
import { h, notice, replace } from "page/dom";
import { get } from "page/data";
import { beside } from "page/order";
import { link } from "page/router";
import { ending, modelName } from "page/words";

/** The head of the game page. */
export function heading(game) {
  const over = ending(game);
  const labels = [...new Set(game.seats.flatMap((one) => one.labels ?? []))];
  return h("div", { class: "game-head" },
    h("div", { class: "title-line" }, h("h1", {}, game.id), h("span", { class: ["tag", over.kind] }, over.title),
      game.result && over.kind !== "good" && game.result.score_strict !== game.result.score_kept && h("span", { class: "tag" }, `strict ${game.result.score_strict}, kept ${game.result.score_kept}`),
      labels.map((label) => h("span", { class: "tag model" }, label))),
    h("p", { class: "muted small facts" }, facts(game).map((one, place) => [place > 0 && " · ", one])),
    neighbours(game),
    ["warn", "bad"].includes(over.kind) && game.state !== "finished" && notice(over.kind === "bad" ? "error" : "warn", over.text),
    game.seed !== null && game.seed !== undefined && others(game));
}

/** Links to the games before and after this one in the table that one came from. */
function neighbours(game) {
  const { before, after } = beside(game.id);
  if (!before && !after) return null;
  const way = (id, text, key) => id && h("a", { href: link("game", { id }), title: `${id} (${key})` }, text);
  return h("nav", { class: "neighbours small", "aria-label": "Games of the table" }, way(before, "‹ previous game", "k"), " ", way(after, "next game ›", "j"));
}

function facts(game) {
  const seats = game.seats.map((one) => [one.graph, one.model !== one.graph && modelName(one.model)].filter(Boolean).join(" on "));
  const alike = new Set(seats).size === 1;
  return [`${game.players} players`, game.seed !== null && game.seed !== undefined && h("span", {}, "seed ", copyable(String(game.seed))),
    alike ? `all seats ${seats[0]}` : seats.map((one, seat) => `P${seat} ${one}`).join(", "),
    game.parent && h("span", {}, "goes on from ", h("a", { href: link("game", game.parent) }, `${game.parent.id}, turn ${game.parent.turn}`))].filter(Boolean);
}

function copyable(text) {
  const button = h("button", { type: "button", class: "plain copy-seed", title: "Copy the seed", "aria-label": `Copy the seed ${text}`, onclick: async () => {
    try { await navigator.clipboard.writeText(text); button.title = "Copied"; } catch { button.title = "Could not copy"; }
  } }, text);
  return button;
}

/** Games of the same deal, asked for when opened: a link to each, and to both side by side. */
function others(game) {
  const list = h("div", {}, notice("loading", "Looking for games of the same deal …"));
  const details = h("details", { class: "others small", ontoggle: async () => {
    if (!details.open || details.dataset.filled) return;
    details.dataset.filled = "yes";
    try {
      replace(list, othersList(game, await get("games")));
    } catch (error) {
      replace(list, notice("error", error.message));
    }
  } }, h("summary", {}, "Other games of this deal"), list);
  return details;
}

function othersList(game, { keys, rows }) {
  const at = (row, key) => row[keys.indexOf(key)];
  const found = rows.filter((row) => at(row, "seed") === game.seed && at(row, "players") === game.players && at(row, "id") !== game.id);
  if (!found.length) return h("p", { class: "muted" }, "There is no other game of this deal here.");
  return h("ul", {}, found.slice(0, 50).map((row) => h("li", {}, h("a", { href: link("game", { id: at(row, "id") }) }, at(row, "id")),
    ` ${at(row, "score_kept") ?? "no"} points `, h("a", { href: link("compare", { a: game.id, b: at(row, "id") }) }, "side by side"))));
}
