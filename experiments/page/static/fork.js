// Decides a turn again, with another graph or model, and shows old and new side by side. The server says whether it can.
import { h, notice, plural, replace } from "page/dom";
import { get, live, post } from "page/data";
import { breakable, gist, moveText, outcome } from "page/reply";
import { knownValues, lossTag } from "page/values";
import { modelName } from "page/words";

const USUAL = "house"; // offered first where the seat had no graph of its own

let offered = null;

/** `{graphs, models}` that the server offers, or null where it cannot fork (a bundle, an older server). */
async function offer() {
  if (!live) return null;
  offered ??= get("run").then((run) => run.fork ?? null, () => null);
  return offered;
}

/** The block, empty until the server says that it can fork. */
export function forkBlock({ id, data }) {
  const box = h("section", { class: "block fork", hidden: true, "aria-label": "Decide this turn again" });
  offer().then((can) => {
    if (!can) return;
    box.hidden = false;
    replace(box, h("h3", {}, "Decide this turn again"), form(id, data, can));
  });
  return box;
}

function form(id, data, can) {
  const result = h("div", { class: "fork-result", "aria-live": "polite" });
  const same = data.graph ? "as in the game" : null;
  const pick = (label, name, options, first) => options?.length > 0 && h("label", {}, `${label} `,
    h("select", { name }, first && h("option", { value: "" }, first), options.map((one) => h("option", { value: one, selected: !first && one === USUAL }, one))));
  const button = h("button", { type: "submit" }, "Decide again");
  return h("div", {}, h("p", { class: "hint-text" }, "From the same view and memory, by another graph or model, or by the same once more. The game stays as it is."),
    h("form", { class: "row", onsubmit: submit }, pick("Graph", "graph", can.graphs, same), pick("Model", "model", can.models, same),
      h("label", {}, "Samples ", h("input", { type: "number", name: "samples", min: "1", max: "20", value: "1" })), button), result);
  async function submit(event) {
    event.preventDefault();
    const given = Object.fromEntries([...new FormData(event.target)].filter(([, value]) => value !== ""));
    button.disabled = true;
    replace(result, notice("loading", "Deciding again …"));
    try {
      const answer = await post("fork", { id, turn: data.turn, ...given, samples: Number(given.samples ?? 1) });
      replace(result, pair(id, data, answer));
    } catch (error) {
      replace(result, notice("error", `The turn could not be decided again: ${error.message}`));
    } finally {
      button.disabled = false;
    }
  }
}

function pair(id, data, answer) {
  const old = moveText(answer.old?.move ?? data.decided?.move);
  const changed = answer.new.filter((one) => moveText(one.move) !== old).length;
  const values = knownValues(id, data.turn);
  const many = answer.new.length > 1;
  const summary = !answer.new.length ? "No new decision was made." : changed ? `${changed} of ${plural(answer.new.length, "new decision")} ${changed === 1 ? "differs" : "differ"}.` : "The same move again.";
  return [
    h("p", {}, h("b", {}, summary)),
    (answer.warnings ?? []).map((one) => notice("warn", one)), answer.stopped && notice("error", `Stopped: ${answer.stopped}`),
    answer.same && h("p", { class: "hint-text" }, answer.same),
    !values && h("p", { class: "hint-text" }, "Show the values of the moves above to see what each is worth."),
    h("div", { class: "columns" }, side("In the game", answer.old ?? data.decided, old, values),
      answer.new.map((one, at) => side(`New${many ? ` ${at + 1}` : ""}`, one, old, values))),
  ];
}

function side(name, one, old, values) {
  const move = moveText(one?.move);
  return h("div", { class: "column" }, h("h4", {}, name, one?.graph && h("span", { class: "muted" }, `: ${one.graph}${one.model && one.model !== "program" ? ` on ${modelName(one.model)}` : ""}`)),
    h("p", { class: "decision" }, h("b", {}, move ?? "no usable choice"), " ", move !== old && h("span", { class: "tag warn" }, "≠ another move"), " ",
      one?.forced && h("span", { class: "tag bad" }, "⚠ forced"), " ", values && move && lossTag(values, move)),
    one?.why && h("p", { class: "prose" }, one.why), one?.error && notice("error", one.error),
    (one?.calls ?? []).length > 0 && h("ul", { class: "said" }, one.calls.map(said)));
}

function said(call) {
  const { says } = call.reply ? gist(call) : { says: "" };
  const move = says === "a note" && moveText(call.move) ? `for ${moveText(call.move)}` : says;
  return h("li", {}, h("b", {}, breakable(call.node)), " ", call.outcome && call.outcome !== "ok" && [outcome(call), " "], move,
    call.fixed && h("span", { class: "tag" }, "held as it was"));
}
