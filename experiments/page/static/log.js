// The list of all moves; a click goes to the turn.
import { h, replace } from "page/dom";
import { marks, moveShort } from "page/words";
import { mistakesByTurn } from "page/strip_plot";

/** `makeLog({onGo(number)})` -> `{element, draw({game, values, number})}`. */
export function makeLog({ onGo }) {
  const list = h("ol", { class: "log-list" });
  const element = h("section", { class: "log", "aria-label": "Moves" }, h("h3", {}, "Moves"), list);
  let drawn = null;
  return { element, draw({ game, values, number }) {
    if (drawn?.game !== game || drawn?.values !== values) {
      const wrong = mistakesByTurn(values);
      const held = list.scrollTop;
      replace(list, game.turns.map((turn) => item(turn, wrong.get(turn.turn), onGo)), game.result && last(game, onGo));
      list.scrollTop = held;
      drawn = { game, values };
    }
    mark(list, number);
  } };
}

function item(turn, mistake, onGo) {
  const found = marks(turn, mistake);
  const sign = turn.move?.type === "play" ? (turn.scored ? "+1" : "") : "";
  return h("li", {}, h("button", { type: "button", dataset: { turn: turn.turn, key: `log-${turn.turn}` }, onclick: () => onGo(turn.turn) },
    h("span", { class: "num muted" }, turn.turn), h("span", { class: "by" }, `P${turn.seat}`),
    h("span", { class: "what" }, moveShort(turn)), h("span", { class: "good num" }, sign),
    h("span", { class: "signs" }, found.map((one) => h("span", { class: ["sign", `is-${one.kind}`], title: one.says }, one.sign, h("span", { class: "hidden-text" }, one.says))))));
}

function last(game, onGo) {
  const number = game.turns.length + 1;
  return h("li", {}, h("button", { type: "button", dataset: { turn: number, key: `log-${number}` }, onclick: () => onGo(number) },
    h("span", { class: "num muted" }), h("span", { class: "by" }, "end"), h("span", { class: "what" }, "final position")));
}

/** Marks the turn that is shown and brings it into sight within the list, never moving the page. */
function mark(list, number) {
  list.querySelector("[aria-current]")?.removeAttribute("aria-current");
  const button = list.querySelector(`[data-turn="${number}"]`);
  if (!button) return;
  button.setAttribute("aria-current", "true");
  const top = button.parentElement.offsetTop - list.offsetTop;
  if (top < list.scrollTop + 30 || top + 60 > list.scrollTop + list.clientHeight) list.scrollTop = top - list.clientHeight / 2;
}
