// The picture of the strip: expected score with its interval, and rows of points, lives and marks, turn by turn.
import { number, svg } from "page/dom";
import { points } from "page/position";
import { marks } from "page/words";

export const LEFT = 34;
export const RIGHT = 8;
const TOP = 6;
const CHART = 74;
const ROW = 15;
const SIGN = 13;
const SMALLEST_SPAN = 4;

/** The picture, `width` pixels wide, of `{game, values, number}`. */
export function picture(width, { game, values, number: now }) {
  const count = Math.max(game.turns.length, 1);
  const step = (width - LEFT - RIGHT) / count;
  const x = (index) => LEFT + (index + 0.5) * step;
  const curve = known(values, game.turns.length);
  const below = curve.length ? TOP + CHART + 8 : TOP;
  const wrong = mistakesByTurn(values);
  const found = game.turns.map((turn) => marks(turn, wrong.get(turn.turn)));
  const height = below + 2 * (ROW + 3) + 11 + SIGN * Math.max(1, ...found.map((list) => list.length));
  return svg("svg", { width, height, viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" },
    cursor(x, step, Math.min(now, count), height), curve.length > 0 && chart(curve, x, width),
    row("points", game.turns.map((turn) => points(turn) + (turn.scored ? 1 : 0)), step, below, (score) => score),
    row("lives", game.turns.map((turn) => turn.lives - (turn.move?.type === "play" && turn.scored === false ? 1 : 0)), step, below + ROW + 3, (left) => "♥".repeat(left) || "none"),
    found.map((one, index) => signs(one, x(index), step, below + 2 * (ROW + 3))));
}

/** Mistakes by the number of their turn. */
export function mistakesByTurn(values) {
  return new Map((values?.mistakes ?? []).map((mistake) => [mistake.turn, mistake]));
}

/** `[index, mean, 1.96 standard errors]` of the turns whose value is known. */
function known(values, count) {
  return (values?.expected ?? []).slice(0, count).map((mean, index) => [index, mean, 1.96 * (values.error?.[index] ?? 0)])
    .filter(([, mean]) => mean !== null && mean !== undefined);
}

function cursor(x, step, now, height) {
  const width = Math.min(28, Math.max(step, 3));
  return svg("rect", { x: x(now - 1) - width / 2, y: 0, width, height, class: "cursor" });
}

/** Swings are small beside 25 points, so the axis holds what occurs. */
function chart(list, x, width) {
  let low = Math.max(0, Math.floor(Math.min(...list.map(([, mean, error]) => mean - error))));
  const high = Math.min(25, Math.max(low + SMALLEST_SPAN, Math.ceil(Math.max(...list.map(([, mean, error]) => mean + error)))));
  low = Math.min(low, high - SMALLEST_SPAN);
  const y = (score) => TOP + CHART * (1 - (Math.min(high, Math.max(low, score)) - low) / (high - low));
  const every = [1, 2, 5].find((one) => (high - low) / one <= 5);
  const scores = Array.from({ length: high - low + 1 }, (_, place) => low + place).filter((score) => score % every === 0);
  const line = list.map(([index, mean]) => `${x(index)},${y(mean)}`).join(" ");
  const up = list.map(([index, mean, error]) => `${x(index)},${y(mean + error)}`);
  const down = list.map(([index, mean, error]) => `${x(index)},${y(mean - error)}`).reverse();
  return [scores.map((score) => [svg("line", { x1: LEFT, x2: width - RIGHT, y1: y(score), y2: y(score), class: "grid" }), axisText(number(score, 0), y(score) + 4)]),
    svg("polygon", { points: [...up, ...down].join(" "), class: "band" }), svg("polyline", { points: line, class: "expected" })];
}

const axisText = (text, y) => svg("text", { x: LEFT - 6, y, class: "tick", "text-anchor": "end" }, text);

const AXIS = { points: "pts", lives: "♥" };

/** A bar for each stretch of turns with the same value. */
function row(name, values, step, top, text) {
  const runs = [];
  values.forEach((value, index) => {
    if (runs.at(-1)?.value === value) runs.at(-1).to = index + 1;
    else runs.push({ value, from: index, to: index + 1 });
  });
  return [axisText(AXIS[name], top + 11), runs.map(({ value, from, to }) => {
    const wide = (to - from) * step;
    const label = String(text(value));
    return [svg("rect", { x: LEFT + from * step + 0.5, y: top, width: Math.max(wide - 1, 1), height: ROW, rx: 2, class: `${name} v${value}`, style: name === "points" ? { "fill-opacity": String(0.06 + value / 42) } : {} }),
      wide > label.length * 7 + 3 && svg("text", { x: LEFT + ((from + to) / 2) * step, y: top + 11, class: "row-text", "text-anchor": "middle" }, label)];
  })];
}

/** The marks of a turn, one below the other. */
function signs(list, x, step, top) {
  if (!list.length) return null;
  return svg("g", {}, svg("line", { x1: x, x2: x, y1: top - 2, y2: top + 6, class: "stem" }), list.map((one, place) =>
    svg("text", { x, y: top + 17 + SIGN * place, class: ["sign", `is-${one.kind}`], "text-anchor": "middle", "font-size": step < 9 ? 9 : 12 }, one.sign)));
}
