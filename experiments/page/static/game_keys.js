// The keys of the game page: what the help overlay lists and what they do.
import { STANDING } from "page/cards";
import { beside } from "page/order";
import { go } from "page/router";
import { MARKS } from "page/words";

/** Groups of keys for a GamePage. */
export function gameKeys(page) {
  const otherGame = (side) => {
    const id = beside(page.game.id)[side];
    if (id) go("game", { id });
  };
  const turn = (number) => () => page.goTo(number());
  return [
    { title: "Turns", keys: [
      { keys: ["ArrowRight"], says: "next turn", does: () => page.by(1) },
      { keys: ["ArrowLeft"], says: "previous turn", does: () => page.by(-1) },
      { keys: ["]"], says: "next turn of the same seat", does: () => page.sameSeat(1) },
      { keys: ["["], says: "previous turn of the same seat", does: () => page.sameSeat(-1) },
      { keys: ["Home"], says: "first turn", does: turn(() => 1) },
      { keys: ["End"], says: "final position, or the last turn so far", does: turn(() => page.last) },
      { keys: ["n"], says: "next mistake", does: () => void page.mistake(1) },
      { keys: ["p"], says: "previous mistake", does: () => void page.mistake(-1) },
      { keys: [" "], says: "play, pause", does: () => page.player.toggle() },
      { keys: ["+", "="], says: "faster", does: () => page.player.faster(1) },
      { keys: ["-"], says: "slower", does: () => page.player.faster(-1) },
    ] },
    { title: "Views", keys: [
      { keys: ["v"], says: "next view", does: () => page.cycleView(1) },
      { keys: ["a"], says: "as the acting seat sees it", does: () => page.setView("acting") },
      ...page.game.seats.map((one) => ({ keys: [String(one.seat)], says: `as P${one.seat} sees it`, does: () => page.setView(String(one.seat)) })),
      { keys: ["o"], says: "all cards open", does: () => page.setView("open") },
      { keys: ["m"], says: "show or hide mistakes and values", does: () => page.setAnswers(!page.spoilers) },
      { keys: ["c"], says: "copy a link to this turn", does: () => void page.copy() },
      { keys: ["j"], says: "next game of the table", does: () => otherGame("after") },
      { keys: ["k"], says: "previous game of the table", does: () => otherGame("before") },
      { keys: ["Escape"], says: "stop playing; then back to the run", does: () => (page.player.playing() ? page.player.stop() : go("run")) },
    ] },
    { title: "Marks of turns", keys: MARKS.map(([sign, says]) => ({ keys: [sign], says })) },
    { title: "Marks of cards", keys: [...Object.values(STANDING).map(({ sign, says }) => ({ keys: [sign], says })), { keys: ["≈"], says: "what conventions narrow the card to" }] },
  ];
}
