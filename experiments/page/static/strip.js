// The strip over all turns: points, expected score with its uncertainty, lives, and marks. A click goes to the turn.
import { h, number, plural, svg, replace } from "page/dom";
import { points } from "page/position";
import { MARKS, marks } from "page/words";

const LEFT = 30;
const RIGHT = 8;
const TOP = 8;
const CHART = 66;
const LIVES = TOP + CHART + 6;
const SIGNS = LIVES + 26;
const HEIGHT = SIGNS + 22;

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
  const width = Math.max(plot.clientWidth, 200);
  const step = (width - LEFT - RIGHT) / Math.max(game.turns.length, 1);
  const x = (index) => LEFT + (index + 0.5) * step;
  replace(plot, svg("svg", { width, height: HEIGHT, viewBox: `0 0 ${width} ${HEIGHT}`, "aria-hidden": "true" },
    axis(width), cursor(x, step, now, game.turns.length), band(values, x, game.turns.length), table(game, x, step), line(values, x, game.turns.length), lives(game, step), signs(game, values, x, step)));
  const shown = Math.min(now, game.turns.length);
  const set = { "aria-valuemin": 1, "aria-valuemax": Math.max(game.turns.length, 1), "aria-valuenow": Math.max(shown, 1), "aria-valuetext": plain(state, shown) };
  for (const [name, value] of Object.entries(set)) plot.setAttribute(name, value);
  tell(says, state, shown);
  replace(ask, asking(values, game, onAsk));
}

const y = (score) => TOP + CHART * (1 - Math.min(25, Math.max(0, score)) / 25);

function axis(width) {
  return [0, 5, 10, 15, 20, 25].map((score) => [
    svg("line", { x1: LEFT, x2: width - RIGHT, y1: y(score), y2: y(score), class: "grid" }),
    score % 10 === 0 || score === 25 ? svg("text", { x: LEFT - 6, y: y(score) + 4, class: "tick", "text-anchor": "end" }, score) : null]);
}

function cursor(x, step, now, count) {
  const index = Math.min(now, count) - 1;
  const width = Math.min(28, Math.max(step, 3));
  return svg("rect", { x: x(index) - width / 2, y: 0, width, height: HEIGHT, class: "cursor" });
}

/** Points on the table after each turn. */
function table(game, x, step) {
  const after = game.turns.map((turn) => points(turn) + (turn.scored ? 1 : 0));
  const path = after.map((score, index) => `${index ? "L" : "M"}${x(index) - step / 2},${y(score)}h${step}`).join("");
  return svg("path", { d: path, class: "points" });
}

function band(values, x, count) {
  const list = known(values, count);
  if (list.length < 2) return null;
  const up = list.map(([index, mean, error]) => `${x(index)},${y(mean + error)}`);
  const down = list.map(([index, mean, error]) => `${x(index)},${y(mean - error)}`).reverse();
  return svg("polygon", { points: [...up, ...down].join(" "), class: "band" });
}

function line(values, x, count) {
  const list = known(values, count);
  return list.length ? svg("polyline", { points: list.map(([index, mean]) => `${x(index)},${y(mean)}`).join(" "), class: "expected" }) : null;
}

/** `[index, mean, 1.96 standard errors]` of the turns whose value is known. */
function known(values, count) {
  return (values?.expected ?? []).slice(0, count).map((mean, index) => [index, mean, 1.96 * (values.error?.[index] ?? 0)]).filter(([, mean]) => mean !== null && mean !== undefined);
}

/** Lives as bars, one for each stretch with the same number. */
function lives(game, step) {
  const runs = [];
  game.turns.forEach((turn, index) => {
    if (runs.at(-1)?.lives === turn.lives) runs.at(-1).to = index + 1;
    else runs.push({ lives: turn.lives, from: index, to: index + 1 });
  });
  return runs.map(({ lives: left, from, to }) => [
    svg("rect", { x: LEFT + from * step + 0.5, y: LIVES, width: Math.max((to - from) * step - 1, 1), height: 13, rx: 2, class: `lives l${left}` }),
    (to - from) * step > 26 && svg("text", { x: LEFT + ((from + to) / 2) * step, y: LIVES + 10, class: "lives-text", "text-anchor": "middle" }, `${left} ♥`)]);
}

function signs(game, values, x, step) {
  const wrong = mistakesByTurn(values);
  return [svg("text", { x: LEFT - 6, y: LIVES + 10, class: "tick", "text-anchor": "end" }, "♥"), game.turns.map((turn, index) => {
    const found = marks(turn, wrong.get(turn.turn));
    if (!found.length) return null;
    const [first] = found;
    return svg("g", { class: ["sign", first.kind] }, svg("line", { x1: x(index), x2: x(index), y1: LIVES + 15, y2: SIGNS + 2, class: "stem" }),
      svg("text", { x: x(index), y: SIGNS + 12, "text-anchor": "middle", "font-size": step < 9 ? 9 : 12 }, first.sign, found.length > 1 && step > 18 && found.slice(1).map((one) => one.sign).join("")));
  })];
}

/** Mistakes by the number of their turn. */
export function mistakesByTurn(values) {
  return new Map((values?.mistakes ?? []).map((mistake) => [mistake.turn, mistake]));
}

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
  says.textContent = plain(state, Math.min(at_, state.game.turns.length));
}

function asking(values, game, onAsk) {
  if (!values) return [legend(game, values), h("button", { type: "button", onclick: onAsk, title: "Computed by playing each position on with programs, many times; this takes a while" }, "Expected score and mistakes")];
  if (values.failed) return [h("span", { class: "small", role: "alert" }, values.failed), " ", h("button", { type: "button", onclick: onAsk }, "Try again")];
  if (!values.ready) return h("span", { class: "small muted", role: "status" }, h("progress", { max: game.turns.length, value: values.done ?? 0, "aria-label": "Turns reckoned" }), ` expected score: ${values.done ?? 0} of ${game.turns.length} turns`);
  const count = values.mistakes?.length ?? 0;
  return h("span", { class: "small muted" }, h("span", { class: "key expected" }), "expected score, 95 % interval ", h("span", { class: "key points" }), "points",
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
