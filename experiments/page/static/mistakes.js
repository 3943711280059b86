// All mistakes of a game in one list: what was wrong, which roles were for it, and which had the better move.
import { h, notice, number, plural, replace } from "page/dom";
import { link } from "page/router";
import { base } from "page/calls";
import { moveText } from "page/reply";
import { turnData } from "page/turn";

/** The list, which asks for the turns when it is opened. `mistakes`: those of /api/strip. */
export function mistakesBlock({ id, mistakes }) {
  const body = h("div", { class: "trace" });
  let asked = false;
  const block = h("details", { class: "mistakes panel", ontoggle: () => block.open && fill() },
    h("summary", {}, mistakes.length ? `${plural(mistakes.length, "mistake")}: what was wrong, and which roles were for it` : "No mistake was found in this game"), body);
  async function fill() {
    if (asked || !mistakes.length) return;
    asked = true;
    replace(body, notice("loading", "Reading the turns …"));
    try {
      const turns = await Promise.all(mistakes.map((one) => turnData(id, one.turn)));
      const rows = mistakes.map((mistake, at) => ({ mistake, data: turns[at], ...sides(mistake, turns[at]) }));
      replace(body, summary(rows), table(id, rows));
    } catch (error) {
      asked = false;
      replace(body, notice("error", `The turns could not be read: ${error.message}`));
    }
  }
  return block;
}

/** The roles whose first choice was the move played, and those whose first choice was the better one. */
function sides(mistake, data) {
  const first = (data.took ?? []).map((one) => [base(one.node), moveText(one.proposed[0])]).filter(([node]) => node !== data.graph?.decides);
  const played = moveText(data.decided?.move);
  const of = (move) => [...new Set(first.filter(([, one]) => one === move).map(([node]) => node))];
  const decider = data.decided?.forced ? "forced" : data.decided?.node && base(data.decided.node);
  return { played, decider, wrong: of(played), right: of(moveText(mistake.better)) };
}

function summary(rows) {
  const [first] = rows;
  const blame = (row) => [row.decider === "forced" ? "the move was forced after refusals" : row.decider ?? "a seat without roles", ...row.wrong.map((node) => `${node} agreed`)].join(", ");
  const overruled = rows.filter((row) => row.right.length);
  return h("p", {}, `First: turn ${first.mistake.turn}, P${first.mistake.seat}, ${first.played} (${blame(first)}). `,
    overruled.length > 0 ? `In ${plural(overruled.length, "turn")} a role had the better move and was not followed: ${overruled.map((row) => `turn ${row.mistake.turn} (${row.right.join(", ")})`).join("; ")}.`
      : rows.some((row) => row.data.graph) ? "No role that was read put the better move first in any of them." : "");
}

function table(id, rows) {
  const head = (text, num) => h("th", { scope: "col", class: num && "num" }, text);
  return h("div", { class: "wide", tabindex: "0", "data-own-keys": true, role: "region", "aria-label": "mistakes of the game" }, h("table", { class: "data" },
    h("thead", {}, h("tr", {}, head("Turn"), head("Played"), head("Better"), head("Loss", true), head("What was wrong"), head("Chosen by"), head("Agreed"), head("Had the better move"))),
    h("tbody", {}, rows.map((row) => line(id, row)))));
}

function line(id, { mistake, played, decider, wrong, right, data }) {
  return h("tr", {}, h("th", { scope: "row" }, h("a", { href: link("game", { id, turn: mistake.turn }) }, `${mistake.turn}`), ` P${mistake.seat}`),
    h("td", {}, played), h("td", {}, moveText(mistake.better) ?? "–"), h("td", { class: "num" }, number(mistake.loss, 1)),
    h("td", {}, mistake.text.split("; ").slice(0, -1).join("; ") || mistake.text),
    h("td", {}, decider === "forced" ? "⚠ forced" : decider ?? (data.graph ? "–" : "no roles")), h("td", {}, wrong.join(", ") || "–"), h("td", {}, right.join(", ") || "–"));
}
