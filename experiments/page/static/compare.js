// Two games of one deal side by side: at the first turn that differs, then stepped together or each by itself.
import { h, notice, number, replace } from "page/dom";
import { get } from "page/data";
import { board } from "page/board";
import { go, link, patch } from "page/router";
import { moveText } from "page/reply";
import { roleLines, turnData } from "page/turn";
import { valuesBlock } from "page/values";
import { ending } from "page/words";
import { afterLast } from "page/position";

/** The same two games: then only the turns change. */
export const same = (one, other) => one.a === other.a && one.b === other.b;

export function mount(root, params, shell) {
  shell.way([["Run", link("run")], [params.a ?? "two games", params.a ? link("game", { id: params.a, turn: params.ta }) : null], ["two games", null]]);
  replace(root, notice("loading", "Loading both games …"));
  let handle = null;
  const ready = params.a && params.b ? pair(root, params, shell) : chooser(root, params);
  ready.then((made) => (handle = made)).catch((error) => replace(root, h("h1", {}, "Two games of one deal"),
    notice("error", `The games could not be compared: ${error.message}`, h("p", {}, h("a", { href: link("run") }, "Back to the run")))));
  return { update: (now) => handle?.(now), unmount: () => (handle = null) };
}

/** `[{id, arm, ...}]` of all games of the same deal, without the game itself. */
export async function sameDeal(id) {
  const { keys, rows } = await get("games");
  const games = rows.map((row) => Object.fromEntries(keys.map((key, at) => [key, row[at]])));
  const own = games.find((game) => game.id === id);
  return own ? games.filter((game) => game.id !== id && game.players === own.players && game.seed === own.seed) : [];
}

async function chooser(root, { a, ta }) {
  if (!a) throw new Error("the address names no game; open a game and choose “Compare”.");
  const games = await sameDeal(a);
  const score = (game) => (game.state === "finished" ? number(game.score_strict ?? game.score_kept) : game.state);
  replace(root, h("div", { class: "trace compare-chooser" }, h("h1", {}, "Compare with which game?"),
    h("p", { class: "muted" }, `Games with the same deal and number of players as ${a}.`),
    games.length ? h("div", { class: "wide", tabindex: "0", "data-own-keys": true, role: "region", "aria-label": "games of the same deal" }, h("table", { class: "data" },
      h("thead", {}, h("tr", {}, ["Game", "Arm", "Graph", "Model", "Repeat", "Score (strict)", "End"].map((text) => h("th", { scope: "col" }, text)))),
      h("tbody", {}, games.map((game) => h("tr", {}, h("th", { scope: "row" }, h("a", { href: link("compare", { a, b: game.id, ta }) }, game.id)),
        [game.arm, game.graph, game.model, game.repeat, score(game), game.end?.replaceAll("_", " ")].map((text) => h("td", {}, text ?? "–")))))))
      : notice("empty", "No other game of this folder was played with this deal.", h("p", {}, h("a", { href: link("game", { id: a }) }, "Back to the game")))));
  root.querySelector("tbody a")?.focus({ preventScroll: true });
  return null;
}

async function pair(root, params, shell) {
  const [difference, a, b] = await Promise.all([get("compare", { a: params.a, b: params.b }),
    get("game", { id: params.a }), get("game", { id: params.b })]);
  const first = difference.first_difference;
  const state = { difference, first, sides: [side("a", params.a, a), side("b", params.b, b)], view: params.view ?? "acting" };
  const head = h("header", { class: "compare-head trace" });
  const body = h("div", { class: "compare-sides" }, state.sides.map((one) => one.box));
  replace(root, head, body);
  const draw = (now) => {
    const start = first ?? 1;
    state.view = now.view ?? "acting";
    for (const one of state.sides) one.at = within(one, Number(now[`t${one.name}`] ?? start) || start);
    drawHead(head, state);
    state.sides.forEach((one) => drawSide(one, state));
    state.drawn = `${state.sides.map((one) => one.at)}`;
  };
  shell.keys(keys(state));
  draw(params);
  return (now) => {
    const focused = document.activeElement?.dataset?.focus;
    draw(now);
    if (focused) root.querySelector(`[data-focus="${focused}"]`)?.focus({ preventScroll: true });
  };
}

const side = (name, id, game) => ({ name, id, game, at: 1, box: h("section", { class: "compare-side", "aria-label": `Game ${name.toUpperCase()}: ${id}` }) });
/** The last place is the position after the last move. */
const last = (one) => one.game.turns.length + (one.game.turns.at(-1)?.move ? 1 : 0);
const within = (one, turn) => Math.min(Math.max(1, turn), Math.max(1, last(one)));

function step(state, by, which = "ab") {
  const to = Object.fromEntries(state.sides.map((one) => [`t${one.name}`, which.includes(one.name) ? within(one, one.at + by) : one.at]));
  patch(to, { replace: true });
}

function jump(state, turn) {
  patch(Object.fromEntries(state.sides.map((one) => [`t${one.name}`, within(one, turn)])), { replace: true });
}

function keys(state) {
  const end = () => jump(state, Math.max(...state.sides.map(last)));
  return [{ title: "Two games", keys: [
    { keys: ["ArrowLeft"], says: "both a turn back", does: () => step(state, -1) },
    { keys: ["ArrowRight"], says: "both a turn on", does: () => step(state, 1) },
    { keys: ["a"], says: "game A alone a turn on", does: () => step(state, 1, "a") },
    { keys: ["A"], says: "game A alone a turn back", does: () => step(state, -1, "a") },
    { keys: ["b"], says: "game B alone a turn on", does: () => step(state, 1, "b") },
    { keys: ["B"], says: "game B alone a turn back", does: () => step(state, -1, "b") },
    { keys: ["d"], says: "both to the first turn that differs", does: () => jump(state, state.first ?? 1) },
    { keys: ["o"], says: "all cards open, or as the acting seat sees them", does: () => turnView(state) },
    { keys: ["Home"], says: "both to the first turn", does: () => jump(state, 1) },
    { keys: ["End"], says: "both to the end", does: end },
    { keys: ["Escape"], says: "back to game A", does: () => go("game", { id: state.sides[0].id, turn: state.sides[0].at }) },
  ] }];
}

const turnView = (state) => patch({ view: state.view === "open" ? null : "open" }, { replace: true });

function drawHead(head, state) {
  const { difference, first, sides } = state;
  const button = (focus, text, label, does, more) => h("button", { type: "button", dataset: { focus }, "aria-label": label, onclick: does, ...more }, text);
  replace(head, h("h1", {}, "Two games of one deal"),
    !difference.same_deal && notice("warn", "These games have different deals, so their turns say little about each other."),
    h("p", {}, saidFirst(difference, sides)),
    h("div", { class: "row" }, button("back", "◀ Both", "Both a turn back", () => step(state, -1)), button("on", "Both ▶", "Both a turn on", () => step(state, 1)),
      first && button("first", `First difference: turn ${first}`, `Both to the first turn that differs, ${first}`, () => jump(state, first), { "aria-pressed": String(sides.every((one) => one.at === first)) }),
      button("open", "All cards open", "All cards open", () => turnView(state), { "aria-pressed": String(state.view === "open") }),
      h("a", { href: link("compare", { a: sides[0].id }) }, "Compare with another game")));
}

function saidFirst({ first_difference: first, a, b }, sides) {
  if (!first) return "The moves are the same in every turn.";
  const moves = [a, b].map(moveText);
  return [first > 1 ? `The same moves up to turn ${first - 1}. ` : "They differ from the first turn. ", h("b", {}, `Turn ${first}`), ": A ", h("b", {}, moves[0] ?? "had ended"),
    ", B ", h("b", {}, moves[1] ?? "had ended"), `. Final score: A ${score(sides[0])}, B ${score(sides[1])}.`];
}

const score = ({ game }) => (game.result ? number(game.result.score_strict ?? game.result.strict) : game.state);

function drawSide(one, state) {
  const { game, at, id } = one;
  const turn = game.turns[at - 1] ?? (game.turns.length ? afterLast(game.turns.at(-1)) : null);
  const name = one.name.toUpperCase();
  const tool = (by, text) => h("button", { type: "button", dataset: { focus: `${one.name}${by}` }, "aria-label": `Game ${name} alone a turn ${by < 0 ? "back" : "on"}`, onclick: () => step(state, by, one.name) }, text);
  replace(one.box, h("header", { class: "side-head" }, h("h2", {}, h("span", { class: "tag model" }, name), " ", h("a", { href: link("game", { id, turn: at }) }, id)),
    h("p", { class: "muted" }, seats(game)),
    h("div", { class: "row" }, tool(-1, "◀"), h("b", { class: "num" }, at > game.turns.length ? "after the last turn" : `turn ${at} of ${game.turns.length}`), tool(1, "▶"), place(state, at))),
  turn ? board({ game, turn, view: state.view }) : notice("empty", "No turn was played."),
  at <= game.turns.length ? said(one, at) : notice("empty", `${ending(game).title}. ${ending(game).text}`));
}

function place({ first }, at) {
  if (!first || at < first) return h("span", { class: "tag good" }, "= same in both");
  return at === first ? h("span", { class: "tag warn" }, "≠ the first difference") : h("span", { class: "tag" }, "after the difference");
}

function seats(game) {
  const kinds = [...new Set(game.seats.map((seat) => [seat.graph, seat.model !== "program" && seat.model].filter(Boolean).join(" on ")))];
  return `${kinds.join(", ")}; ${ending(game).title}`;
}

/** The decision of a turn and what each role said. */
function said(one, at) {
  const box = h("div", { class: "trace" });
  const told = one.game.turns[at - 1];
  const found = turnData(one.id, at);
  const fill = (data) => replace(box, h("header", { class: "decision-head" }, h("h3", {}, `P${data.seat}: ${moveText(data.decided?.move) ?? "no move"}`,
    told?.card && ` (${told.card}${told.move?.type === "play" ? (told.scored ? ", scored" : ", a life lost") : ""})`),
  !data.graph && data.decided?.why && h("p", { class: "prose" }, data.decided.why), data.decided?.forced && h("p", {}, h("span", { class: "tag bad" }, "⚠ forced"))), roleLines(data), data.decided && valuesBlock({ id: one.id, turn: data }));
  if (found.data) fill(found.data);
  else {
    replace(box, notice("loading", "Loading what the roles said …"));
    found.then(fill, (error) => replace(box, notice("error", `What the roles said could not be read: ${error.message}`)));
  }
  return box;
}

/** What the game page shows: a link to the chooser. */
export function compareLink(id, turn) {
  return h("a", { href: link("compare", { a: id, ta: turn }) }, "Compare with another game of this deal");
}
