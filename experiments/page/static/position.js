// What a position says about cards: copies, which are gone, playable, critical or dead. Cards are "R1".

export const COLOURS = "RYGWB";
export const COLOUR_NAMES = { R: "red", Y: "yellow", G: "green", W: "white", B: "blue" };
const COPIES = [3, 2, 2, 2, 1];

/** How many copies of a card the deck holds. */
export const copies = (card) => COPIES[Number(card[1]) - 1];

/** All 25 cards, colour by colour. */
export const CARDS = [...COLOURS].flatMap((colour) => [1, 2, 3, 4, 5].map((rank) => `${colour}${rank}`));

/** How many copies of the card lie on the discard pile. */
export const discarded = (turn, card) => turn.discards.filter((one) => one === card).length;

/** The rank on top of a colour's firework, 0 for none. */
export const height = (turn, colour) => turn.fireworks[COLOURS.indexOf(colour)];

/** "playable", "dead" (can never score), "critical" (the last copy of a card still needed), or null. */
export function standing(turn, card) {
  const [colour, rank] = [card[0], Number(card[1])];
  const top = height(turn, colour);
  if (rank <= top || rank > reach(turn, colour)) return "dead";
  if (rank === top + 1) return "playable";
  return isLast(turn, card) ? "critical" : null;
}

/** True for the last copy of a card that is still needed. */
export function isLast(turn, card) {
  return Number(card[1]) > height(turn, card[0]) && copies(card) - discarded(turn, card) === 1;
}

/** The highest rank that a colour can still reach: below the first rank that is gone. */
export function reach(turn, colour) {
  let rank = height(turn, colour);
  while (rank < 5 && discarded(turn, `${colour}${rank + 1}`) < copies(`${colour}${rank + 1}`)) rank += 1;
  return rank;
}

/** Points on the table, and the most that can still be reached. */
export const points = (turn) => turn.fireworks.reduce((sum, rank) => sum + rank, 0);
export const ceiling = (turn) => [...COLOURS].reduce((sum, colour) => sum + reach(turn, colour), 0);

/** What a card may be for its owner: by hints, less the cards of which the owner sees every copy elsewhere. */
export function possible(turn, owner, slot) {
  const { colours, ranks } = turn.known[owner][slot];
  const seen = counted(turn, owner);
  return CARDS.filter((card) => colours.includes(card[0]) && [...ranks].map(Number).includes(Number(card[1])))
    .filter((card) => (seen.get(card) ?? 0) < copies(card));
}

/** What conventions narrow a card to, of what it may still be; null where they add nothing. */
export function narrowed(turn, owner, slot) {
  const read = turn.inferred?.[owner]?.[slot];
  if (!read) return null;
  const may = possible(turn, owner, slot);
  const left = may.filter((card) => read.includes(card));
  return left.length && left.length < may.length ? left : null;
}

/** Copies that a seat sees: fireworks, discards and the hands of the others. */
function counted(turn, owner) {
  const seen = new Map();
  const see = (card) => seen.set(card, (seen.get(card) ?? 0) + 1);
  turn.discards.forEach(see);
  [...COLOURS].forEach((colour) => { for (let rank = 1; rank <= height(turn, colour); rank += 1) see(`${colour}${rank}`); });
  turn.hands.forEach((hand, seat) => seat !== owner && hand.forEach((card) => card && see(card)));
  return seen;
}

/** The position after the last move, drawn as one more turn: nobody's turn, no move. */
export function afterLast(turn) {
  const next = structuredClone(turn);
  Object.assign(next, { turn: turn.turn + 1, seat: null, move: null, card: null, slots: [], why: null, final: true, refused: [], forced: null, suspended: [], absent: [], unusable: 0, drew: null, turns_left: null });
  const { type, slot } = turn.move ?? {};
  if (type === "play" || type === "discard") {
    next.hands[turn.seat].splice(slot, 1);
    next.known[turn.seat].splice(slot, 1);
    next.inferred?.[turn.seat]?.splice(slot, 1);
    if (turn.scored) next.fireworks[COLOURS.indexOf(turn.card[0])] += 1;
    else next.discards.push(turn.card);
    if (type === "play" && !turn.scored) next.lives -= 1;
    if (type === "discard" || (turn.scored && turn.card[1] === "5")) next.tokens = Math.min(8, next.tokens + 1);
    if (turn.drew) draw(next, turn);
  }
  if (type === "hint") next.tokens -= 1;
  return next;
}

function draw(next, turn) {
  next.hands[turn.seat].push(turn.drew);
  next.known[turn.seat].push({ colour: null, rank: null, colours: COLOURS, ranks: [1, 2, 3, 4, 5] });
  next.inferred?.[turn.seat]?.push(null);
  next.deck_size -= 1;
}
