// The strip over all turns: points, expected score with its uncertainty, lives, and marks. A click goes to the turn.
import { h, number, plural, replace } from "page/dom";
import { points } from "page/position";
import { LEFT, mistakesByTurn, picture, RIGHT } from "page/strip_plot";
import { MARKS, marks } from "page/words";

/**
 * `makeStrip({onGo(number), onAsk()})` -> `{element, draw({game, values, number})}`. `values` is what /api/strip said, or null
 * while nobody has asked for it.
 */
export function makeStrip({ onGo, onAsk }) {
  const plot = h("div", { class: "strip-plot", tabindex: "0", role: "slider", "aria-label": "Turn", "aria-orientation": "horizontal" });
  const says = h("p", { class: "strip-says small muted" });
  const ask = h("div", { class: "strip-ask" });
  const element = h("section", { class: "strip panel", "aria-label": "All turns" }, plot, h("div", { class: "strip-foot" }, says, ask));
  let last = null;
  const redraw = () => last && paint(plot, says, ask, last, onAsk);
  new ResizeObserver(redraw).observe(plot);
  plot.addEventListener("click", (event) => last && onGo(at(event, plot, last)));
  plot.addEventListener("mousemove", (event) => last && tell(says, last, at(event, plot, last)));
  plot.addEventListener("mouseleave", () => last && tell(says, last, last.number));
  return { element, draw(state) { last = state; redraw(); } };
}

/** The number of the turn under the pointer. */
function at(event, plot, { game }) {
  const box = plot.getBoundingClientRect();
  const share = (event.clientX - box.left - LEFT) / (box.width - LEFT - RIGHT);
  return Math.min(game.turns.length, Math.max(1, Math.floor(share * game.turns.length) + 1));
}

function paint(plot, says, ask, state, onAsk) {
  const { game, values, number: now } = state;
  replace(plot, picture(Math.max(plot.clientWidth, 200), state));
  const shown = Math.max(Math.min(now, game.turns.length), 1);
  const set = { "aria-valuemin": 1, "aria-valuemax": Math.max(game.turns.length, 1), "aria-valuenow": shown, "aria-valuetext": plain(state, shown) };
  for (const [name, value] of Object.entries(set)) plot.setAttribute(name, value);
  tell(says, state, now);
  replace(ask, asking(values, game, onAsk));
}

/** A turn in words. */
function plain({ game, values }, at_) {
  const turn = game.turns[at_ - 1];
  if (!turn) return "no turn";
  const mean = values?.expected?.[at_ - 1];
  const error = values?.error?.[at_ - 1];
  const parts = [`turn ${turn.turn}`, turn.move ? `P${turn.seat} ${turn.move.text}` : `P${turn.seat} to move`, plural(points(turn), "point")];
  if (mean !== null && mean !== undefined) parts.push(`expected ${number(mean, 1)}${error ? ` ± ${number(1.96 * error, 1)}` : ""}`);
  return [...parts, ...marks(turn, mistakesByTurn(values).get(turn.turn)).map((one) => one.says)].join(", ");
}

function tell(says, state, at_) {
  const over = at_ > state.game.turns.length && state.game.result;
  says.textContent = over ? `final position, ${plural(over.score_kept, "point")}` : plain(state, Math.min(at_, state.game.turns.length));
}

function asking(values, game, onAsk) {
  if (!values) return [legend(game, values), h("button", { type: "button", onclick: onAsk, title: "Computed by playing each position on with programs, many times; this takes a while" }, "Expected score and mistakes")];
  if (values.failed) return [h("span", { class: "small", role: "alert" }, values.failed), " ", h("button", { type: "button", onclick: onAsk }, "Try again")];
  if (!values.ready) return h("span", { class: "small muted", role: "status" }, h("progress", { max: game.turns.length, value: values.done ?? 0, "aria-label": "Turns reckoned" }), ` expected score: ${values.done ?? 0} of ${game.turns.length} turns`);
  const count = values.mistakes?.length ?? 0;
  return h("span", { class: "small muted" }, values.expected.length > 0 && [h("span", { class: "key expected" }), h("span", { title: values.basis }, "expected score, 95 % interval")],
    legend(game, values), !count && values.expected.length > 0 && " · no mistakes found");
}

/** What the marks mean that this game has. */
function legend(game, values) {
  const wrong = mistakesByTurn(values);
  const there = new Map();
  for (const turn of game.turns) for (const { sign } of marks(turn, wrong.get(turn.turn))) there.set(sign, (there.get(sign) ?? 0) + 1);
  const parts = MARKS.filter(([sign]) => there.has(sign)).map(([sign, says]) => h("span", {}, h("b", {}, ` ${sign} `), `${says.replace(/:.*/, "")} `, h("span", { class: "num" }, `(${there.get(sign)})`)));
  return h("span", { class: "small muted legend-marks" }, parts);
}
