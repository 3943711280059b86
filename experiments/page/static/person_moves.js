// The legal moves of a person: as a list, typed, and on a card.
import { h, replace } from "page/dom";
import { COLOUR_NAMES } from "page/position";

/** `moveList({onMove(text, why), onPreview(move|null)})` -> `{element, draw(legal), focus(), type(), why(), say(text), clear()}`. */
export function moveList({ onMove, onPreview }) {
  const rows = h("div", { class: "move-rows", role: "group", "aria-label": "Legal moves", "data-own-keys": true, onkeydown: arrows });
  const text = h("input", { type: "text", id: "typed-move", autocomplete: "off", spellcheck: "false", placeholder: "play 2, hint P1 red" });
  const why = h("input", { type: "text", id: "typed-why", autocomplete: "off", maxlength: 2000, placeholder: "partners do not see it" });
  const says = h("p", { class: "small bad", role: "alert" });
  const form = h("form", { class: "typed", onsubmit: (event) => { event.preventDefault(); if (text.value.trim()) onMove(text.value, why.value); } },
    h("label", { for: "typed-move" }, "Type a move"), text, h("label", { for: "typed-why" }, "Reason, if you like"), why, h("button", { type: "submit" }, "Move"));
  const element = h("section", { class: "panel your-moves", "aria-label": "Your move" }, h("h2", {}, "Your move"), rows, says, form);
  return {
    element,
    draw(legal) {
      element.dataset.yours = String(legal.length > 0);
      for (const one of element.querySelectorAll("button, input")) one.disabled = !legal.length;
      if (!legal.length) return;
      const drawn = JSON.stringify(legal);
      if (rows.dataset.drawn === drawn) return;
      rows.dataset.drawn = drawn;
      says.textContent = "";
      replace(rows, groups(legal).map(([name, moves]) => h("div", { class: "move-row" }, h("span", { class: "muted" }, name),
        h("span", { class: "move-buttons" }, moves.map((move) => button(move, () => onMove(move.text, why.value), onPreview))))));
    },
    focus: () => rows.querySelector("button")?.focus(),
    type: () => text.focus(),
    why: () => why.value,
    say(sentence) {
      says.textContent = sentence;
      if (text.value) text.focus();
    },
    clear: () => { text.value = ""; why.value = ""; says.textContent = ""; },
  };
}

function button(move, onClick, onPreview) {
  const show = () => onPreview(move);
  const hide = () => onPreview(null);
  return h("button", { type: "button", class: move.colour && "chip", "data-colour": move.colour ?? null, dataset: { move: move.text }, "aria-label": said(move),
    onclick: onClick, onmouseenter: show, onfocus: show, onmouseleave: hide, onblur: hide }, short(move));
}

/** Left and right go from move to move, up and down from row to row. */
function arrows(event) {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  const row = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!step && !row) return;
  event.preventDefault();
  if (step) {
    const all = [...event.currentTarget.querySelectorAll("button")];
    return void all[(all.indexOf(event.target) + step + all.length) % all.length]?.focus();
  }
  const list = [...event.currentTarget.children];
  const mine = event.target.closest(".move-row");
  const next = list[(list.indexOf(mine) + row + list.length) % list.length];
  const place = [...mine.querySelectorAll("button")].indexOf(event.target);
  const buttons = next.querySelectorAll("button");
  buttons[Math.min(place, buttons.length - 1)].focus();
}

/** Plays, discards, and the hints for each player. */
function groups(legal) {
  const found = new Map();
  for (const name of ["Play slot", "Discard slot"]) found.set(name, []);
  for (const move of legal) {
    const name = move.type === "hint" ? `Hint P${move.to}` : move.type === "play" ? "Play slot" : "Discard slot";
    found.set(name, [...(found.get(name) ?? []), move]);
  }
  return [...found].filter(([, moves]) => moves.length);
}

function short(move) {
  if (move.type !== "hint") return String(move.slot);
  return move.colour ? COLOUR_NAMES[move.colour] : `rank ${move.rank}`;
}

function said(move) {
  if (move.type !== "hint") return move.text;
  return `${move.text}, touching ${move.slots.length === 1 ? "slot" : "slots"} ${move.slots.join(", ")}`;
}

/** The moves that one card stands for, beside the card: play or discard an own one, hint another's colour or rank. */
export function cardMoves({ anchor, legal, own, seat, slot, turn, onMove, onPreview }) {
  document.querySelectorAll(".card-menu").forEach((menu) => menu.remove());
  const card = turn.hands[seat][slot];
  const moves = legal.filter((move) => (seat === own ? move.slot === slot && move.type !== "hint"
    : move.to === seat && (move.colour ? move.colour === card[0] : String(move.rank) === card[1])));
  const shut = () => { menu.remove(); onPreview(null); anchor.focus(); };
  const menu = h("div", { class: "card-menu", role: "group", "aria-label": `Moves with P${seat} slot ${slot}`, "data-own-keys": true,
    onkeydown: (event) => { if (event.key === "Escape") { event.stopPropagation(); shut(); } else arrowsIn(event, menu); },
    onfocusout: (event) => { if (!menu.contains(event.relatedTarget)) setTimeout(() => menu.remove(), 120); } },
  moves.length ? moves.map((move) => h("button", { type: "button", "aria-label": said(move), onclick: () => { menu.remove(); onPreview(null); onMove(move); }, onmouseenter: () => onPreview(move), onfocus: () => onPreview(move) }, label(move)))
    : h("button", { type: "button", onclick: shut }, seat === own ? "No move with this card now" : "No hint is left to give"));
  document.body.append(menu);
  put(menu, anchor);
  menu.querySelector("button").focus({ preventScroll: true });
}

function label(move) {
  if (move.type === "play") return "Play it";
  if (move.type === "discard") return "Discard it";
  return [`Hint P${move.to} `, h("b", {}, move.colour ? COLOUR_NAMES[move.colour] : `rank ${move.rank}`), h("span", { class: "small" }, ` (${move.slots.length === 1 ? "slot" : "slots"} ${move.slots.join(", ")})`)];
}

function arrowsIn(event, menu) {
  const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
  if (!step) return;
  event.preventDefault();
  const all = [...menu.querySelectorAll("button")];
  all[(all.indexOf(document.activeElement) + step + all.length) % all.length].focus();
}

function put(menu, anchor) {
  const at = anchor.getBoundingClientRect();
  const size = menu.getBoundingClientRect();
  const left = Math.max(6, Math.min(at.left + at.width / 2 - size.width / 2, document.documentElement.clientWidth - size.width - 6));
  menu.style.setProperty("left", `${left + scrollX}px`);
  menu.style.setProperty("top", `${at.top + scrollY + at.height * 0.35}px`);
}
