// Find the better move: at a marked mistake the answer is hidden until one has tried a move.
import { h, notice, number, plural, replace } from "page/dom";
import { get } from "page/data";
import { board } from "page/board";
import { COLOUR_NAMES } from "page/position";
import { go, link, patch } from "page/router";
import { moveText } from "page/reply";
import { keep } from "page/theme";
import { roleLines, turnData } from "page/turn";
import { against, valuesTable } from "page/values";

const WAIT_MS = 1500;

export const same = (one, other) => one.id === other.id;

export function mount(root, params, shell) {
  shell.way([["Run", link("run")], [params.id ?? "game", params.id ? link("game", { id: params.id }) : null], ["find the better move", null]]);
  const state = { root, shell, id: params.id, tries: keep(`better.${params.id}`) ?? {}, ended: false, puzzles: null, number: Number(params.n) || 1, turn: Number(params.turn) };
  start(state).catch((error) => state.ended || replace(root, h("h1", {}, "Find the better move"),
    notice("error", `The mistakes of this game could not be read: ${error.message}`, h("p", {}, h("a", { href: link("run") }, "Back to the run")))));
  return { update: (now) => { state.number = Number(now.n) || 1; if (state.puzzles) draw(state); }, unmount: () => (state.ended = true) };
}

async function start(state) {
  const game = await get("game", { id: state.id });
  state.game = game;
  let strip = await get("strip", { id: state.id });
  while (!strip.ready && !state.ended) {
    replace(state.root, h("h1", {}, "Find the better move"), notice("loading", `Looking for the mistakes of this game: ${strip.done ?? 0} of ${game.turns.length} turns …`));
    await new Promise((done) => setTimeout(done, WAIT_MS));
    strip = await get("strip", { id: state.id });
  }
  if (strip.failed) throw new Error(strip.failed);
  if (state.ended) return;
  state.puzzles = (strip.mistakes ?? []).filter((one) => game.turns[one.turn - 1]?.move);
  if (state.turn) state.number = Math.max(1, state.puzzles.findIndex((one) => one.turn === state.turn) + 1);
  draw(state);
}

function draw(state) {
  const { puzzles, root, number: at } = state;
  if (!puzzles.length) return void none(state);
  const mistake = puzzles[Math.min(Math.max(at, 1), puzzles.length) - 1];
  const turn = unplayed(state.game.turns[mistake.turn - 1]);
  const answer = h("div", { class: "answer trace", "aria-live": "polite" });
  const said = h("p", { class: "muted score" }, scoreWords(state));
  replace(root, h("div", { class: "better-page" },
    h("header", { class: "trace" }, h("h1", {}, "Find the better move"),
      h("p", {}, h("b", {}, `Puzzle ${puzzles.indexOf(mistake) + 1} of ${puzzles.length}`), `, turn ${turn.turn}: P${turn.seat} is to move. The move of the game lost points; which one is better?`), said),
    h("div", { class: "better-body" }, board({ game: state.game, turn, view: "acting" }),
      h("div", { class: "trace" }, choices(state, mistake, turn, answer, said), tools(state, mistake), answer))));
  state.shell.keys(keys(state));
  if (state.tries[mistake.turn]) reveal(state, mistake, state.tries[mistake.turn].move, answer, said);
}

async function none(state) {
  replace(state.root, h("h1", {}, "Find the better move"), notice("empty", "No mistake is marked in this game.", await onwards(state)));
}

/** The turn as it was before its move: nothing of the board may tell the answer. */
function unplayed(turn) {
  return { ...turn, move: null, card: null, scored: null, slots: [], drew: null, why: null, forced: false, refused: [], unusable: 0, absent: [], suspended: [], node: null };
}

/** The legal moves of the seat to act, as texts in groups. */
export function legalMoves(turn) {
  const own = turn.hands[turn.seat].map((_, slot) => slot);
  const groups = [["Play", own.map((slot) => `play slot ${slot}`)]];
  if (turn.tokens < 8) groups.push(["Discard", own.map((slot) => `discard slot ${slot}`)]);
  if (turn.tokens > 0) turn.hands.forEach((hand, seat) => seat !== turn.seat && groups.push([`Hint P${seat}`, hints(hand, seat)]));
  return groups;
}

function hints(hand, seat) {
  const cards = hand.filter(Boolean);
  const colours = Object.keys(COLOUR_NAMES).filter((colour) => cards.some((card) => card[0] === colour));
  const ranks = [1, 2, 3, 4, 5].filter((rank) => cards.some((card) => Number(card[1]) === rank));
  return [...colours.map((colour) => `hint P${seat} ${COLOUR_NAMES[colour]}`), ...ranks.map((rank) => `hint P${seat} rank ${rank}`)];
}

function choices(state, mistake, turn, answer, said) {
  const tried = state.tries[mistake.turn]?.move;
  const box = h("div", { class: "choices", role: "group", "aria-label": "Legal moves" });
  replace(box, legalMoves(turn).map(([title, moves]) => h("div", { class: "choice-group" }, h("h3", {}, title), h("div", { class: "row" },
    moves.map((move) => h("button", { type: "button", disabled: Boolean(tried), dataset: { move }, "aria-label": move, "aria-pressed": String(move === tried),
      onclick: () => attempt(move) }, move.replace(/^(play|discard) |^hint P\d /, "")))))));
  function attempt(move) {
    for (const button of box.querySelectorAll("button")) {
      button.disabled = true;
      button.setAttribute("aria-pressed", String(button.dataset.move === move));
    }
    reveal(state, mistake, move, answer, said).then(() => answer.querySelector(".verdict")?.focus());
  }
  return box;
}

async function reveal(state, mistake, move, answer, said) {
  replace(answer, notice("loading", "Playing every legal move out … this takes some seconds the first time."));
  try {
    const [values, data] = await Promise.all([get("values", { id: state.id, turn: mistake.turn }), turnData(state.id, mistake.turn)]);
    if (state.ended || !answer.isConnected) return;
    const judged = judge(values, move);
    state.tries[mistake.turn] ??= { move, found: judged.found };
    keep(`better.${state.id}`, state.tries);
    said.textContent = scoreWords(state);
    replace(answer, h("p", { class: ["verdict", judged.kind], tabindex: "-1" }, judged.text), 
      valuesTable(values, data, move), h("section", { class: "block" }, h("h3", {}, "What each role said"), roleLines(data)),
      h("p", {}, h("a", { href: link("game", { id: state.id, turn: mistake.turn }) }, "This turn in the game")));
  } catch (error) {
    replace(answer, notice("error", `The values could not be reckoned: ${error.message}`,
      h("button", { type: "button", onclick: () => reveal(state, mistake, move, answer, said) }, "Try again")));
  }
}

/** How a try stands against the best and the played move. */
function judge(values, move) {
  const [tried, game] = [against(values, move), against(values, moveText(values.played))];
  const [best, played] = [moveText(values.best), moveText(values.played)];
  if (!tried) return { found: false, kind: "warn", text: `No value is known for ${move}.` };
  const less = `${number(tried.lost)} points less than ${best}`;
  if (tried.best) return { found: true, kind: "good", text: `✓ Found: ${move} is the best move.` };
  if (move === played) return { found: false, kind: "bad", text: `✕ That was the move of the game: ${less}.` };
  if (tried.even) return { found: true, kind: "good", text: `✓ Found: ${move} is as good as the best (${best}), within the error of the rollouts.` };
  if (tried.lost < game.lost) return { found: false, kind: "warn", text: `≈ Better than the move of the game (${played}), but ${less}.` };
  return { found: false, kind: "bad", text: `✕ No better than the move of the game (${played}): ${less}.` };
}

function scoreWords({ tries, puzzles }) {
  const own = puzzles.map((one) => tries[one.turn]).filter(Boolean);
  if (!own.length) return "Nothing tried yet.";
  return `Found so far: ${own.filter((one) => one.found).length} of ${own.length} tried, ${plural(puzzles.length - own.length, "puzzle")} left.`;
}

const turnTo = (state, number) => patch({ n: Math.min(Math.max(1, number), state.puzzles.length), turn: null }, { replace: true });

function tools(state, mistake) {
  const at = state.puzzles.indexOf(mistake) + 1;
  const leaf = (by) => {
    turnTo(state, at + by);
    state.root.querySelector(".choices button:not(:disabled), .verdict")?.focus();
  };
  const box = h("div", { class: "row" },
    h("button", { type: "button", disabled: at === 1, onclick: () => leaf(-1) }, "◀ Puzzle before"),
    h("button", { type: "button", disabled: at === state.puzzles.length, onclick: () => leaf(1) }, "Next puzzle ▶"),
    h("button", { type: "button", class: "plain", onclick: () => ((state.tries = {}), keep(`better.${state.id}`, {}), draw(state)) }, "Start over"));
  if (at === state.puzzles.length) onwards(state).then((more) => box.append(more));
  return box;
}

/** A link to the next game of the folder. */
async function onwards(state) {
  const { keys, rows } = await get("games").catch(() => ({ keys: [], rows: [] }));
  const ids = rows.map((row) => row[keys.indexOf("id")]);
  const next = ids[ids.indexOf(state.id) + 1];
  return h("p", {}, next && [h("a", { href: link("better", { id: next }) }, `Next game: ${next}`), " · "], h("a", { href: link("game", { id: state.id }) }, "Back to the game"));
}

function keys(state) {
  const at = Math.min(Math.max(state.number, 1), state.puzzles.length);
  return [{ title: "Find the better move", keys: [
    { keys: ["n"], says: "next puzzle", does: () => turnTo(state, at + 1) },
    { keys: ["p"], says: "puzzle before", does: () => turnTo(state, at - 1) },
    { keys: ["Tab"], says: "go through the legal moves; Enter tries one" },
    { keys: ["Escape"], says: "back to the game", does: () => go("game", { id: state.id }) },
  ] }];
}
