// The games in the order of the table that was shown last, so that one can go from game to game.

let ids = [];

/** Keeps the order of the table: its filters and its sorting. */
export function setOrder(list) {
  ids = list;
}

/** The games before and after this one, null where there is none. */
export function beside(id) {
  const place = ids.indexOf(id);
  return { before: place > 0 ? ids[place - 1] : null, after: place >= 0 ? ids[place + 1] ?? null : null };
}
