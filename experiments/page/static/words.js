// Turns and endings in words.
import { h, plural } from "page/dom";
import { chip } from "page/cards";
import { COLOUR_NAMES, discarded, isLast, standing, copies } from "page/position";

const FULL = { red: "red", yellow: "yellow", green: "green", white: "white", blue: "blue", ...COLOUR_NAMES };

/** What a hint names: `rank 1` or `red`. */
export function named(move) {
  return move.rank ? `rank ${move.rank}` : FULL[move.colour] ?? String(move.colour);
}

/** The move of a turn as children of an element: "P1 plays R1 from slot 2: scores". */
export function moveWords(turn) {
  const { move } = turn;
  if (!move) return turn.final ? ["The game is over"] : [`P${turn.seat} has not moved yet`];
  if (move.type === "hint") return [`P${turn.seat} hints P${move.to} `, h("b", {}, named(move)), ` (${slots(turn.slots)})`];
  const verb = move.type === "play" ? "plays" : "discards";
  return [`P${turn.seat} ${verb} `, turn.card ? chip(turn.card) : "a card", ` from slot ${move.slot}`, outcome(turn)];
}

/** The move short, for lists: "hints P2 rank 1". */
export function moveShort(turn) {
  const { move } = turn;
  if (!move) return ["…"];
  if (move.type === "hint") return [`→ P${move.to} `, move.colour ? h("span", { class: "chip", "data-colour": letter(move) }, FULL[move.colour]) : named(move)];
  const sign = move.type === "play" ? (turn.scored ? "plays" : "misplays") : "discards";
  return [`${sign} `, turn.card ? chip(turn.card) : `slot ${move.slot}`];
}

const letter = (move) => (move.colour.length === 1 ? move.colour : move.colour[0].toUpperCase());

function slots(list) {
  if (!list?.length) return "no card";
  return list.length === 1 ? `slot ${list[0]}` : `slots ${list.join(", ")}`;
}

function outcome(turn) {
  const { move, card } = turn;
  if (!card) return "";
  if (move.type === "play") return turn.scored ? ": scores" : `: does not fit, a life is lost (${turn.lives - 1} left)`;
  if (isLast(turn, card)) return ": the last copy, lost for good";
  const before = discarded(turn, card);
  return standing(turn, card) === "dead" ? ": no longer needed" : `: ${copies(card) - before - 1} left`;
}

/** The names of models, joined by `+`, without the addresses of their servers. */
export const modelName = (model) => (model ?? "").replace(/@https?:[^+]*/g, "");

/** What the marks of turns and cards mean. */
export const MARKS = [["▼", "a mistake: the move expected to score clearly less than another"], ["✕", "a life lost"], ["R", "a refused decision"],
  ["F", "forced: the program played the safest move"], ["U", "an unusable answer"], ["A", "the note of a node is missing"], ["S", "the game was suspended here"]];

/** What is to be seen at a turn, as marks: `[{sign, kind, says}]`; signs differ in shape, not only in colour. */
export function marks(turn, mistake) {
  const lost = turn.move?.type === "play" && turn.scored === false;
  return [
    mistake && { sign: "▼", kind: "mistake", says: `mistake: ${mistake.text || mistake.kind}` },
    lost && { sign: "✕", kind: "life", says: "a life lost" },
    turn.forced && { sign: "F", kind: "forced", says: "forced: the program played the safest move" },
    turn.refused?.length > 0 && { sign: "R", kind: "refused", says: `${turn.refused.length} refused` },
    turn.unusable > 0 && { sign: "U", kind: "unusable", says: plural(turn.unusable, "unusable answer") },
    turn.suspended?.length > 0 && { sign: "S", kind: "suspended", says: "suspended in this turn" },
    turn.absent?.length > 0 && { sign: "A", kind: "absent", says: `no note of ${turn.absent.join(", ")}` },
  ].filter(Boolean);
}

/** How a game stands or ended: `{kind, title, text}`. Says so plainly for every ending. */
export function ending(game) {
  const played = game.turns.filter((turn) => turn.move).length;
  if (game.state === "failed") return { kind: "bad", title: "Failed", text: stopped("failed", played, game.why) };
  if (game.state === "suspended") return { kind: "warn", title: "Suspended", text: `${stopped("was suspended", played, game.why)} The same command goes on with it.` };
  if (game.state === "going" || !game.result) return { kind: "going", title: "Still going", text: `${turnsWords(played)} played so far.` };
  if (game.seats?.some((seat) => seat.graph === "probe")) return { kind: "plain", title: "A constructed position", text: "Only the last move is a player's own; the others were set, so the game has no score." };
  return over(game.result, lostIn(game));
}

/** "The game failed after 3 turns: ..."; a reason that says as much itself stands alone. */
function stopped(how, played, why) {
  const reason = why?.trim().replace(/\.$/, "");
  if (/^the game /i.test(reason ?? "")) return `${reason.charAt(0).toUpperCase()}${reason.slice(1)}.`;
  return `The game ${how} after ${turnsWords(played)}${reason ? `: ${reason}` : ""}.`;
}

/** Where lives were lost: "Lives were lost in turn 4 (P1, Y5) and turn 8 (P1, W3)." */
function lostIn({ turns }) {
  const lost = turns.filter((turn) => turn.move?.type === "play" && turn.scored === false).map((turn) => `turn ${turn.turn} (P${turn.seat}, ${turn.card})`);
  if (!lost.length) return "";
  const listed = lost.length > 1 ? `${lost.slice(0, -1).join(", ")} and ${lost.at(-1)}` : lost[0];
  return ` ${lost.length > 1 ? "Lives were" : "A life was"} lost in ${listed}.`;
}

function over(result, lost) {
  const kept = result.score_kept ?? result.kept;
  const strict = result.score_strict ?? result.strict;
  const turns = turnsWords(result.turns);
  if (result.end === "perfect") return { kind: "good", title: "Perfect: 25 points", text: `All five fireworks are complete after ${turns}.` };
  if (result.end === "lives_lost") return { kind: "bad", title: "Struck out", text: `The third life was lost in turn ${result.turns}: the strict score is ${strict}; the kept score is ${kept}, the points on the table.${lost}` };
  if (result.end === "max_turns") return { kind: "warn", title: `Stopped at the limit of turns: ${plural(kept, "point")}`, text: `The game reached its limit of ${turns} before it was over.${lost}` };
  if (GIVEN_UP[result.end]) return { kind: "warn", title: `Given up: ${plural(kept, "point")}`, text: `The game was ended ${GIVEN_UP[result.end]} after ${turns}: the strict score is ${strict}.${lost}` };
  if (result.end === "deck_exhausted") return { kind: "plain", title: plural(kept, "point"), text: `The deck ran out and every seat had its last turn; ${turns} in all.${lost}` };
  return { kind: "plain", title: plural(kept, "point"), text: `Ended: ${String(result.end).replaceAll("_", " ")}, after ${turns}.` };
}

const turnsWords = (count) => plural(count, "turn");

/** The words of an end cause, for the table and filters. */
export const END_WORDS = { perfect: "perfect", lives_lost: "struck out", deck_exhausted: "deck ran out", max_turns: "limit of turns", vote: "ended by vote", player: "ended by a player", clock: "ended by the clock" };

/** Games of another table that were given up. */
const GIVEN_UP = { vote: "by the players' vote", player: "by a player", clock: "by the clock" };

