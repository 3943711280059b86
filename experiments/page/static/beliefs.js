// What the acting seat believed of its own cards, against the truth. It tells hidden cards, so it waits for a click.
import { h, notice, number, replace } from "page/dom";
import { get } from "page/data";

let wanted = false;

/** The block: a button, then the table. Once shown it stays shown on the next turns, until hidden. */
export function beliefsBlock({ id, turn, seat }) {
  const box = h("div", { class: "beliefs" });
  const close = () => h("button", { type: "button", class: "small-button", onclick: () => ((wanted = false), cover()) }, "Hide the truth again");
  function cover() {
    replace(box, h("p", { class: "hint-text" }, `What P${seat} could infer of their own cards, beside the real cards.`),
      h("button", { type: "button", onclick: reveal }, "Show beliefs and the real cards (spoiler)"));
  }
  async function reveal() {
    wanted = true;
    replace(box, notice("loading", "Reckoning what the hand could be …"));
    try {
      const found = await get("beliefs", { id, turn });
      replace(box, found.slots?.length ? table(found) : notice("empty", "This hand holds no card."), close());
    } catch (error) {
      replace(box, notice("error", `The beliefs could not be reckoned: ${error.message}`,
        h("button", { type: "button", onclick: reveal }, "Try again")));
    }
  }
  if (wanted) reveal();
  else cover();
  return box;
}

const percent = (chance) => (chance === null || chance === undefined ? "–" : chance > 0 && chance < 0.005 ? "<1 %" : `${number(chance * 100, 0)} %`);

function table({ seat, slots }) {
  const conventions = slots.some((one) => one.by_conventions);
  const head = (text, more) => h("th", { scope: "col", ...more }, text);
  return h("div", { class: "wide", tabindex: "0", role: "region", "aria-label": `beliefs of P${seat}` },
    h("table", { class: "data" },
      h("caption", {}, `P${seat}'s own cards, slot 0 is the oldest. `,
        conventions ? "Second line: with what the conventions say, too." : "By hints and counting; the conventions add nothing here."),
      h("thead", {}, h("tr", {}, head("Slot"), head("Real card"), head("Chance given to it", { class: "num" }), head("Likeliest"),
        head("Playable", { class: "num" }), head("Critical", { class: "num" }), head("Dead", { class: "num" }))),
      h("tbody", {}, slots.map((slot) => [line(slot, slot, false), slot.by_conventions && line(slot, slot.by_conventions, true)]))));
}

function line(slot, basis, second) {
  const given = basis.cards?.[slot.truth] ?? 0;
  return h("tr", { class: [second && "second"] },
    second ? h("th", { scope: "row", class: "muted" }, "conventions") : h("th", { scope: "row" }, `${slot.slot}`),
    h("td", {}, second ? "" : h("b", { class: "card-text" }, slot.truth)),
    h("td", { class: "num" }, percent(given), given === 0 && [" ", h("span", { class: "tag bad" }, "✕ ruled out")]),
    h("td", {}, likeliest(basis.cards ?? {})),
    h("td", { class: "num" }, percent(basis.playable)), h("td", { class: "num" }, percent(basis.critical)), h("td", { class: "num" }, percent(basis.dead)));
}

function likeliest(cards) {
  const sorted = Object.entries(cards).filter(([, chance]) => chance > 0).sort((a, b) => b[1] - a[1]);
  const shown = sorted.slice(0, 4).map(([card, chance]) => `${card} ${percent(chance)}`).join(", ");
  return sorted.length > 4 ? `${shown}, ${sorted.length - 4} more` : shown || "–";
}
