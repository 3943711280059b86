// Cards as a person at once recognises them: colour, letter, rank and suit sign, so that nobody needs the colour.
import { h, svg } from "page/dom";
import { COLOURS, COLOUR_NAMES, isLast, standing } from "page/position";

/** One sign a colour, drawn in a box of 24: heart, star, clover, ring, diamond. */
const SIGNS = {
  R: "M12 21C5 15 2 11.500 2 8a5 5 0 0 1 10-1.500A5 5 0 0 1 22 8c0 3.500-3 7-10 13z",
  Y: "M12 1.500l3.100 6.800 7.400.8-5.500 5 1.500 7.400L12 17.800 5.500 21.500 7 14.100l-5.500-5 7.400-.8z",
  G: "M12 2a4.600 4.600 0 0 1 3.900 7A4.600 4.600 0 1 1 13.200 15.600L14.500 22h-5l1.300-6.400A4.600 4.600 0 1 1 8.100 9 4.600 4.600 0 0 1 12 2z",
  W: "M12 2a10 10 0 1 0 0 20 10 10 0 0 0 0-20zm0 4.500a5.500 5.500 0 1 1 0 11 5.500 5.500 0 0 1 0-11z",
  B: "M12 1.500L21 12l-9 10.500L3 12z",
};

/** The suit sign of a colour, `currentColor`. */
export function sign(colour, props = {}) {
  return svg("svg", { viewBox: "0 0 24 24", "aria-hidden": "true", class: "sign", ...props }, svg("path", { d: SIGNS[colour], fill: "currentColor" }));
}

/** A card's face. */
export function face(card, { title = null, extra = null } = {}) {
  const [colour, rank] = card;
  const words = title ?? `${COLOUR_NAMES[colour]} ${rank}`;
  return svg("svg", { viewBox: "0 0 60 66", class: ["face", extra], "data-colour": colour, role: "img", "aria-label": words },
    svg("rect", { x: 1, y: 1, width: 58, height: 64, rx: 7, class: "paper" }),
    svg("text", { x: 7, y: 18, class: "letter" }, colour),
    svg("text", { x: 31, y: 51, class: "rank" }, rank),
    svg("path", { d: SIGNS[colour], transform: "translate(40 5) scale(.62)", class: "suit" }));
}

/** A card whose face the viewer does not see. */
export function back(words = "hidden card") {
  return svg("svg", { viewBox: "0 0 60 66", class: "face back", role: "img", "aria-label": words },
    svg("rect", { x: 1, y: 1, width: 58, height: 64, rx: 7, class: "paper" }),
    svg("path", { d: "M30 12l4 13 13-4-9 10 9 10-13-4-4 13-4-13-13 4 9-10-9-10 13 4z", class: "burst" }),
    svg("text", { x: 30, y: 39, class: "what" }, "?"));
}

/** A place without a card: `text` says what belongs there. */
export function place(text, colour = null) {
  return svg("svg", { viewBox: "0 0 60 66", class: "face place", "data-colour": colour, "aria-hidden": "true" },
    svg("rect", { x: 1, y: 1, width: 58, height: 64, rx: 7, class: "paper" }),
    svg("text", { x: 30, y: 42, class: "what" }, text));
}

/** Small text of a card with its colour: a chip with letter and rank. */
export function chip(card, props = {}) {
  const known = /^[RYGWB][1-5]$/.test(card);
  return h("span", { class: "chip", "data-colour": known ? card[0] : null, ...props }, card);
}

/** What the owner of a card knows: colours and ranks that it may have; what a hint named is set in full. */
export function knowledge(known, inferred, turn) {
  const read = inferred && reading(inferred, turn);
  return h("span", { class: "knows", "aria-hidden": "true" },
    h("span", { class: ["row", known.colour && "told"] }, [...COLOURS].map((colour) => cell(colour, colour, [...known.colours].includes(colour), known.colour === colour))),
    h("span", { class: ["row", known.rank && "told"] }, [1, 2, 3, 4, 5].map((rank) => cell(rank, null, holds(known.ranks, rank), Number(known.rank) === rank))),
    h("span", { class: ["read", !read && "none"], title: read ? `by conventions: ${inferred.join(" ")}` : null }, read ?? "\u00a0"));
}

const holds = (ranks, rank) => [...ranks].some((one) => Number(one) === rank);

function cell(text, colour, may, told) {
  return h("span", { class: ["cell", may ? "may" : "not", told && "told"], "data-colour": may ? colour : null }, text);
}

/** What conventions narrow a card to, short: the cards where they are few, else what they have in common. */
function reading(cards, turn) {
  if (cards.length <= 2) return [h("b", {}, "≈"), cards.map((card) => chip(card))];
  const kinds = new Set(cards.map((card) => standing(turn, card)));
  if (kinds.size === 1 && kinds.has("playable")) return [h("b", {}, "≈"), "playable"];
  if (kinds.size === 1 && kinds.has("dead")) return [h("b", {}, "≈"), "dead"];
  return cards.length <= 10 ? [h("b", {}, "≈"), `${cards.length} cards`] : null;
}

/** The same in words, for labels: "knows: red; rank not 1, 2". */
export function knowledgeWords(known, inferred) {
  const hints = [wordsOf(known.colour && COLOUR_NAMES[known.colour], COLOURS, known.colours, (one) => COLOUR_NAMES[one]),
    wordsOf(known.rank && `rank ${known.rank}`, "12345", known.ranks, (one) => one, "rank ")].filter(Boolean);
  const read = inferred ? `; by conventions ${inferred.length > 8 ? `${inferred.length} cards` : inferred.join(", ")}` : "";
  return `${hints.join(", ") || "no hints"}${read}`;
}

function wordsOf(told, all, left, name, before = "") {
  if (told) return told;
  const gone = [...all].filter((one) => ![...left].map(String).includes(one));
  return gone.length ? `${before}not ${gone.map(name).join(", ")}` : null;
}

/** The sign of a card's standing, with its word. */
export const STANDING = {
  playable: { sign: "▲", says: "playable now" },
  critical: { sign: "!", says: "critical: the last copy of a card still needed" },
  dead: { sign: "–", says: "dead: can no longer score" },
};

/** All 25 cards as a grid: those in `may` in colour, those conventions leave (`inferred`) ringed. */
export function grid(may, inferred, turn) {
  return h("span", { class: "grid25" }, [...COLOURS].map((colour) => h("span", { class: "row" }, [1, 2, 3, 4, 5].map((rank) => {
    const card = `${colour}${rank}`;
    const kind = may.includes(card) ? standing(turn, card) : null;
    const ringed = inferred?.includes(card);
    return h("span", { class: ["cell", may.includes(card) ? "may" : "not", ringed && "ringed"], "data-colour": may.includes(card) ? colour : null },
      card, kind && h("sup", {}, STANDING[kind].sign), isLast(turn, card) && kind === "playable" && h("sup", {}, "!"));
  }))));
}
