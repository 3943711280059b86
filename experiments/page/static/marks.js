// Marks of the roles in a turn: how right each answer was, now that the hidden cards are known. They wait for a click,
// for they tell of the cards; once opened they stay open from turn to turn.
import { h, notice, number, replace } from "page/dom";
import { get, live } from "page/data";

/** Whether a reader has opened the marks. */
const kept = { open: false };
const known = new Map();
const DWELL_MS = 300;

/** The marks of a turn, if a reader has asked for them: a list, empty where none are known. */
export const knownMarks = (id, turn) => known.get(`${id} ${turn}`)?.marks ?? [];

/** The block with its button; the table when asked for. `onMarks()`: they are known now. */
export function marksBlock({ id, turn, open = true, onMarks }) {
  const box = h("div", { class: "marks" });
  async function load() {
    kept.open = true;
    replace(box, notice("loading", "Marking every answer of the game … this takes some seconds the first time."));
    try {
      const found = await get("marks", { id, turn });
      known.set(`${id} ${turn}`, found);
      onMarks?.();
      replace(box, shown(found));
    } catch (error) {
      replace(box, notice("error", `The answers could not be marked: ${error.message}`, live && button("Try again")));
    }
  }
  const button = (text) => h("button", { type: "button", onclick: load }, text);
  replace(box, button("Show how right each role was"));
  if (open && kept.open) setTimeout(() => box.isConnected && load(), DWELL_MS);
  return box;
}

function shown(found) {
  if (!found.ready) return notice("empty", found.why);
  if (!found.marks.length && !found.faults.length) return notice("empty", "No answer of this turn states what can be marked.");
  return h("div", {}, found.faults.map((text) => h("p", {}, h("span", { class: "tag bad" }, "✕ fault of the move"), ` ${text}`)),
    found.marks.length > 0 && table(found.marks));
}

function table(marks) {
  const head = (text, num = false) => h("th", { scope: "col", class: num && "num" }, text);
  const nodes = [...new Set(marks.map((one) => one.node))];
  const several = new Set(marks.filter((one) => one.sample > 0).map((one) => one.node));
  return h("div", { class: "wide", tabindex: "0", "data-own-keys": true, role: "region", "aria-label": "marks of the roles" },
    h("table", { class: "data" },
      h("caption", {}, "Each answer against the hidden cards and what moves were worth. Point at a mark, or go to it with Tab, for what it says."),
      h("thead", {}, h("tr", {}, head("Mark"), head("Value", true), head("Program", true), head("Uniform", true), head("Best", true), head(""))),
      nodes.map((node) => h("tbody", {},
        h("tr", {}, h("th", { scope: "rowgroup", colspan: "6" }, node)),
        marks.filter((one) => one.node === node).map((one) => h("tr", {},
          h("td", {}, named(one), several.has(node) && ` (sample ${one.sample + 1})`), h("td", { class: "num" }, number(one.value, 2)),
          beside(one.baselines.program), beside(one.baselines.uniform), beside(one.best), h("td", {}, tag(one))))))));
}

const beside = (value) => h("td", { class: "num" }, value === null || value === undefined ? "–" : number(value, 2));

/** A mark's name, with its sentence for whoever points at it or goes to it. */
function named(one) {
  if (!one.says) return one.name;
  const says = one.unit ? `${one.says} Unit: ${one.unit}.` : one.says;
  return h("span", { class: "mark-name", tabindex: "0", title: says, "aria-label": `${one.name}: ${says}` }, one.name);
}

function tag(one) {
  if (one.good === null) return null;
  return h("span", { class: ["tag", one.good ? "good" : "warn"] }, `${one.good ? "✓" : "✕"} ${one.stands}`);
}

/** The marks of one answer, in a line below it; nothing where none are known. */
export function marksOf(id, turn, call) {
  const its = knownMarks(id, turn).filter((one) => one.node === call.node && one.sample === call.sample);
  if (!its.length) return null;
  return h("section", { class: "answer-marks" }, h("h5", {}, "Marks, against the hidden cards"), h("ul", { class: "mark-list" },
    its.map((one) => h("li", {}, named(one), " ", h("b", { class: "num" }, number(one.value, 2)), " ",
      one.baselines.program !== undefined && h("span", { class: "muted" }, `program ${number(one.baselines.program, 2)} `), tag(one)))));
}
