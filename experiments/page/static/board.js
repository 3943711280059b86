// The table of one turn: seats with their cards (face, and what the owner knows), fireworks, tokens, discards.
import { h } from "page/dom";
import { back, face, grid, knowledge, knowledgeWords, place, STANDING } from "page/cards";
import { ceiling, COLOUR_NAMES, COLOURS, copies, discarded, height, isLast, narrowed, points, possible, reach, standing } from "page/position";
import { modelName, named } from "page/words";

/**
 * The board at a turn. `view`: "acting" (as the seat to move sees it), a seat's number, or "open".
 * `onCard(seat, slot)`, where given, is called when a card is chosen.
 */
export function board({ game, turn, view = "acting", onCard = null }) {
  const viewer = view === "open" || (view === "acting" && turn.seat === null) ? null : view === "acting" ? turn.seat : Number(view);
  const details = h("div", { class: "card-details", role: "tooltip", id: "card-details", hidden: true });
  const scene = { game, turn, viewer, onCard, details };
  return h("div", { class: ["board", `players-${turn.hands.length}`] },
    h("div", { class: "bar-row" }, fireworks(turn), counters(turn)),
    h("div", { class: "seats" }, turn.hands.map((_, seat) => seatRow(scene, seat))),
    discards(turn), details);
}

function seatRow(scene, seat) {
  const { game, turn, viewer } = scene;
  const info = game.seats[seat] ?? { seat };
  const acting = turn.seat === seat;
  const target = turn.move?.type === "hint" && turn.move.to === seat;
  return h("section", { class: ["seat", acting && "acting", target && "target"], "aria-label": `P${seat}${acting ? ", to move" : ""}` },
    h("header", {}, h("b", { class: "name" }, `P${seat}`),
      h("span", { class: "who", title: [info.graph, info.model].filter(Boolean).join(" · ") }, h("span", { class: "graph-name" }, info.graph), " ", h("span", { class: "muted" }, modelName(info.model))),
      acting && h("span", { class: "badge turn-badge" }, turn.move ? "▶ moves" : "▶ to move"),
      target && h("span", { class: "badge hint-badge" }, `P${turn.seat} hints `, h("b", { "data-colour": turn.move.colour ? hintLetter(turn.move) : null }, named(turn.move))),
      viewer === seat && h("span", { class: "badge eye", title: "The board is drawn as this seat sees it" }, "own cards hidden")),
    h("div", { class: "hand", style: { "--cards": Math.max(turn.hands[seat].length, 4) } }, turn.hands[seat].map((card, slot) => slotCard(scene, seat, slot, card))));
}

const hintLetter = (move) => move.colour[0].toUpperCase();

function slotCard(scene, seat, slot, card) {
  const { turn, viewer, onCard } = scene;
  const seen = viewer !== seat && card;
  const touched = turn.move?.type === "hint" && turn.move.to === seat && turn.slots.includes(slot);
  const used = turn.seat === seat && turn.move?.slot === slot && turn.move.type !== "hint" ? turn.move.type : null;
  const known = turn.known[seat][slot];
  const inferred = narrowed(turn, seat, slot);
  const kind = seen ? standing(turn, card) : null;
  const words = `P${seat} slot ${slot}: ${seen ? `${COLOUR_NAMES[card[0]]} ${card[1]}${kind ? `, ${STANDING[kind].says}` : ""}` : "face hidden in this view"}. ` +
    `P${seat} knows: ${knowledgeWords(known, inferred)}${touched ? ". Touched by the hint" : ""}${used ? `. ${used === "play" ? "Played" : "Discarded"} this turn` : ""}`;
  const show = (event) => showDetails(scene, event.currentTarget, seat, slot);
  const hide = () => { scene.details.hidden = true; };
  return h("button", { type: "button", class: ["slot", touched && "touched", used, used === "play" && !turn.scored && "misplay", kind], "aria-label": words, dataset: { key: `card-${seat}-${slot}`, slot },
    onmouseenter: show, onfocus: show, onmouseleave: hide, onblur: hide,
    onkeydown: (event) => { if (event.key === "Escape" && !scene.details.hidden) { hide(); event.stopPropagation(); } },
    onclick: (event) => (onCard ? onCard(seat, slot) : show(event)) },
    used && h("span", { class: "used" }, usedWords(turn)),
    touched && h("span", { class: "used" }, "touched"),
    seen ? face(card) : back(),
    kind && h("span", { class: ["standing", kind], "aria-hidden": "true", title: STANDING[kind].says }, STANDING[kind].sign, isLast(turn, card) && kind === "playable" && "!"),
    knowledge(known, inferred, turn),
    h("span", { class: "slot-number", "aria-hidden": "true" }, slot));
}

function usedWords(turn) {
  if (turn.move.type === "discard") return ["discards ", turn.card];
  return ["plays ", turn.card, turn.scored ? " ✓" : " ✕"];
}

/** What a card may be for its owner, beside the card: all 25 as a grid, and in words. */
function showDetails(scene, anchor, seat, slot) {
  const { turn, viewer, details } = scene;
  const may = possible(turn, seat, slot);
  const inferred = narrowed(turn, seat, slot);
  const card = viewer !== seat ? turn.hands[seat][slot] : null;
  details.replaceChildren(
    h("b", {}, `P${seat} slot ${slot}${card ? ` is ${card}` : ""}`),
    h("p", { class: "small" }, `P${seat} knows: ${knowledgeWords(turn.known[seat][slot], inferred)}.`),
    grid(may, inferred, turn),
    h("p", { class: "small muted" }, `${may.length === 1 ? "1 card is" : `${may.length} cards are`} possible by hints and by what P${seat} sees.`,
      inferred ? " Ringed: what conventions leave." : "", " ▲ playable, ! critical, – dead."));
  details.hidden = false;
  put(details, anchor);
}

function put(details, anchor) {
  const at = anchor.getBoundingClientRect();
  const size = details.getBoundingClientRect();
  const left = Math.max(6, Math.min(at.left + at.width / 2 - size.width / 2, document.documentElement.clientWidth - size.width - 6));
  const below = at.bottom + size.height + 10 < innerHeight;
  details.style.setProperty("left", `${left}px`);
  details.style.setProperty("top", `${below ? at.bottom + 6 : Math.max(6, at.top - size.height - 6)}px`);
}

function fireworks(turn) {
  return h("section", { class: "fireworks", "aria-label": `Fireworks: ${[...COLOURS].map((colour) => `${COLOUR_NAMES[colour]} ${height(turn, colour)}`).join(", ")}` },
    h("p", { class: "points-now num" }, h("b", {}, points(turn)), h("span", { class: "muted small" }, points(turn) === 1 ? " point" : " points"),
      ceiling(turn) < 25 && h("span", { class: "muted small ceiling", title: "The most that can still be reached" }, `${ceiling(turn)} possible`)),
    h("div", { class: "stacks" }, [...COLOURS].map((colour) => {
      const top = height(turn, colour);
      const added = turn.scored && turn.card?.[0] === colour;
      return h("div", { class: ["stack", added && "added", reach(turn, colour) === top && top < 5 && "stuck"] }, top ? face(`${colour}${top}`) : place(colour, colour), added && h("span", { class: "used" }, `+${turn.card[1]}`));
    })));
}

function counters(turn) {
  const left = turn.turns_left ?? null;
  return h("section", { class: "counters", "aria-label": "Tokens, lives and deck" },
    counter("Hints", turn.tokens, 8, "●", "○", "tokens"), counter("Lives", turn.lives, 3, "♥", "♡", "lives"),
    h("div", { class: "counter" }, h("span", { class: "label" }, "Deck"), h("b", { class: "num" }, turn.deck_size),
      h("span", { class: "muted small" }, turn.deck_size === 0 ? (left !== null ? `${left} turns left` : "empty") : null)));
}

function counter(label, value, most, full, empty, kind) {
  return h("div", { class: ["counter", kind, value <= (kind === "lives" ? 1 : 0) && "low"] }, h("span", { class: "label" }, label),
    h("span", { class: "pips", role: "img", "aria-label": `${value} of ${most}` }, h("span", { class: "full" }, full.repeat(Math.max(value, 0))), h("span", { class: "empty" }, empty.repeat(Math.max(most - value, 0)))),
    h("b", { class: "num", "aria-hidden": "true" }, value));
}

/** All 25 cards with their copies: gone, left, critical, lost. */
function discards(turn) {
  const gone = turn.discards.length;
  return h("section", { class: "discards" }, h("h3", {}, "Discards ", h("span", { class: "muted num" }, gone ? plain(turn.discards) : "none")),
    h("table", {}, h("caption", { class: "hidden-text" }, "Copies of each card that are gone"),
      h("thead", {}, h("tr", {}, h("td", {}), [1, 2, 3, 4, 5].map((rank) => h("th", { scope: "col" }, rank)))),
      h("tbody", {}, [...COLOURS].map((colour) => h("tr", {}, h("th", { scope: "row" }, h("span", { class: "chip", "data-colour": colour }, colour)),
        [1, 2, 3, 4, 5].map((rank) => pile(turn, `${colour}${rank}`)))))),
    h("p", { class: "small muted legend" }, "● left  ✕ gone  ! last copy still needed  ", h("span", { class: "done-sample" }, "✓"), " played"));
}

const plain = (list) => `${list.length} ${list.length === 1 ? "card" : "cards"}`;

function pile(turn, card) {
  const all = copies(card);
  const gone = discarded(turn, card);
  const played = Number(card[1]) <= height(turn, card[0]);
  const lost = !played && gone === all;
  const last = !played && gone > 0 && isLast(turn, card) && Number(card[1]) <= reach(turn, card[0]);
  const says = `${card}: ${gone} of ${all} gone${played ? ", played" : lost ? ", lost" : last ? ", critical" : ""}`;
  return h("td", { class: [played && "done", lost && "lost", last && "last"], title: says },
    h("span", { role: "img", "aria-label": says }, played ? [h("span", { class: "tick" }, "✓"), h("span", { class: "gone" }, "✕".repeat(gone))] : [h("span", { class: "gone" }, "✕".repeat(gone)), "●".repeat(all - gone), last && h("b", {}, "!")]));
}

