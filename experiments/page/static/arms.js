// The arms and their scores, as in the report.
import { h, number, svg } from "page/dom";
import { link } from "page/router";
import { modelName } from "page/words";

const WIDTH = 160;
const SHOWN = 8;
const x = (score) => 4 + (WIDTH - 8) * (Math.min(25, Math.max(0, score)) / 25);

/** A table of arms: mean with its interval as a bar, the difference from the baseline in words. */
export function armsTable(run) {
  const base = run.arms.find((arm) => arm.name === run.baseline);
  if (!run.arms.length) return null;
  return h("section", { class: "arms panel", "aria-labelledby": "arms-title" },
    h("h2", { id: "arms-title" }, run.arms.length === 1 ? "Score" : "Arms", " ", h("span", { class: "muted small" }, METRIC[run.metric] ?? run.metric)),
    h("table", {}, h("thead", {}, h("tr", {}, ["arm", "games", "mean score, 95 % interval", run.baseline && run.arms.length > 1 ? `against ${base?.label ?? run.baseline}` : null, "struck out", "forced"]
      .filter(Boolean).map((title) => h("th", { scope: "col" }, title)))),
    h("tbody", {}, run.arms.map((arm, place) => row(arm, base, run, place >= SHOWN)))),
    run.arms.length > SHOWN && h("button", { type: "button", class: "plain", onclick: (event) => {
      event.target.closest(".arms").classList.add("all");
      event.target.remove();
    } }, `all ${run.arms.length} arms`),
    conclusions(run));
}

const METRIC = { strict: "strict score: 0 when the third life is lost", kept: "kept score: points on the table, also when the third life is lost" };

function conclusions(run) {
  const said = run.conclusions ?? [];
  if (!said.length) return null;
  return h("details", { class: "small" }, h("summary", {}, "What can be concluded"), h("ul", {}, said.map((one) => h("li", {}, one))));
}

function row(arm, base, run, folded) {
  const compared = run.baseline && run.arms.length > 1;
  return h("tr", { class: folded ? "folded" : null }, h("th", { scope: "row" }, h("a", { href: link("run", { arm: arm.name }) }, arm.label ?? arm.name),
    h("span", { class: "muted small" }, subtitle(arm))),
  h("td", { class: "num", "data-label": "games" }, arm.games, arm.begun > arm.games && h("span", { class: "muted" }, ` of ${arm.begun} begun`)),
  h("td", { class: "score", "data-label": "mean score" }, arm.mean === null || arm.mean === undefined ? h("span", { class: "muted" }, "no finished game") : [bar(arm, base), score(arm)]),
  compared && h("td", { class: "difference", "data-label": "difference" }, arm.name === run.baseline ? h("span", { class: "muted" }, "the baseline") : against(arm.verdict)),
  h("td", { class: "num", "data-label": "struck out" }, percent(arm.struck_out)),
  h("td", { class: "num", "data-label": "forced" }, percent(arm.forced_share)));
}

/** Graph and model, where the arm's name does not say them. */
function subtitle(arm) {
  return arm.graph && arm.name.startsWith(`${arm.graph} on `) ? null : [arm.graph !== arm.name && arm.graph, modelName(arm.model)].filter(Boolean).join(" on ");
}

function score(arm) {
  const interval = arm.low !== null && arm.low !== undefined ? `${number(arm.low, 1)} to ${number(arm.high, 1)}` : "no interval";
  return h("span", { class: "num" }, h("b", {}, number(arm.mean, 2)), h("span", { class: "muted" }, ` ${interval}`));
}

/** What the verdict says of an arm, in its words; only a difference that it claims has a colour. */
function against(verdicts) {
  if (!verdicts.length) return h("span", { class: "muted" }, "no pair of games yet");
  return verdicts.map(({ state, mean, sentence }) => h("p", { class: state !== "shown" ? null : mean > 0 ? "up" : "down" }, sentence));
}

const percent = (share) => (share === null || share === undefined ? "–" : `${number(100 * share, 1)} %`);

/** The mean as a point and its interval as a line, from 0 to 25; the baseline's mean is a thin line. */
function bar(arm, base) {
  const known = arm.low !== null && arm.low !== undefined;
  return svg("svg", { class: "bar", viewBox: `0 0 ${WIDTH} 20`, width: WIDTH, height: 20, "aria-hidden": "true" },
    svg("line", { x1: x(0), x2: x(25), y1: 10, y2: 10, class: "rail" }),
    [0, 5, 10, 15, 20, 25].map((score_) => svg("line", { x1: x(score_), x2: x(score_), y1: 7, y2: 13, class: "rail" })),
    base && base.mean !== null && svg("line", { x1: x(base.mean), x2: x(base.mean), y1: 0, y2: 20, class: "base" }),
    known && svg("line", { x1: x(arm.low), x2: x(arm.high), y1: 10, y2: 10, class: "interval" }),
    svg("circle", { cx: x(arm.mean), cy: 10, r: 4, class: "mean" }));
}
