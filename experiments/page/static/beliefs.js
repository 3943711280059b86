// What the acting seat believed of its own cards, against the truth. It tells hidden cards, so it waits for a click.
import { h, notice, number, replace } from "page/dom";
import { get } from "page/data";
import { STANDING } from "page/cards";
import { standing } from "page/position";

let wanted = false;

/** The block: a button, then the table. Once shown it stays shown on the next turns, until hidden. */
export function beliefsBlock({ id, turn, seat, told }) {
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
      replace(box, found.slots?.length ? table(found, told) : notice("empty", "This hand holds no card."), close());
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

function table({ seat, slots }, told) {
  const read = (slot) => slot.by_conventions && JSON.stringify(slot.by_conventions.cards) !== JSON.stringify(slot.cards);
  const conventions = slots.some(read);
  const head = (text, more) => h("th", { scope: "col", ...more }, text);
  return h("div", { class: "wide", tabindex: "0", "data-own-keys": true, role: "region", "aria-label": `beliefs of P${seat}` },
    h("table", { class: "data" },
      h("caption", {}, `P${seat}'s own cards, slot 0 is the oldest. `,
        conventions ? "By hints and counting; the second line of a card counts conventions, too." : "By hints and counting; conventions add nothing here."),
      h("thead", {}, h("tr", {}, head("Slot"), head("Real card"), head("Chance given to it", { class: "num" }), head("Likeliest"),
        head("Playable", { class: "num" }), head("Critical", { class: "num" }), head("Dead", { class: "num" }))),
      h("tbody", {}, slots.map((slot) => [line(slot, slot, false, told), read(slot) && line(slot, slot.by_conventions, true, told)]))));
}

function line(slot, basis, second, told) {
  const given = basis.cards?.[slot.truth] ?? 0;
  return h("tr", { class: [second && "second"] },
    second ? h("th", { scope: "row", class: "muted" }, "conventions") : h("th", { scope: "row" }, `${slot.slot}`),
    h("td", {}, second ? "" : [h("b", { class: "card-text" }, slot.truth), truth(slot, told)]),
    h("td", { class: "num" }, percent(given), given === 0 && [" ", h("span", { class: "tag bad" }, "✕ ruled out")]),
    h("td", {}, likeliest(basis.cards ?? {})),
    h("td", { class: "num" }, percent(basis.playable)), h("td", { class: "num" }, percent(basis.critical)), h("td", { class: "num" }, percent(basis.dead)));
}

/** What the real card is worth: ` ▲ playable`. */
function truth(slot, told) {
  const kind = told?.hands ? standing(told, slot.truth) : null;
  return kind && h("span", { class: "muted" }, ` ${STANDING[kind].sign} ${kind}`);
}

function likeliest(cards) {
  const sorted = Object.entries(cards).filter(([, chance]) => chance > 0).sort((a, b) => b[1] - a[1]);
  const shown = sorted.slice(0, 4).map(([card, chance]) => `${card} ${percent(chance)}`).join(", ");
  return sorted.length > 4 ? `${shown}, ${sorted.length - 4} more` : shown || "–";
}
