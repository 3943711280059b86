// Decides a turn again, with another graph or model, and shows old and new side by side. The server says whether it can.
import { h, notice, plural, replace } from "page/dom";
import { get, post } from "page/data";
import { moveText } from "page/reply";

let offered = null;

/** `{graphs, models}` that the server offers, or null where it cannot fork (a bundle, an older server). */
async function offer() {
  offered ??= get("run").then((run) => run.fork ?? null, () => null);
  return offered;
}

/** The block, empty until the server says that it can fork. */
export function forkBlock({ id, data }) {
  const box = h("section", { class: "block fork", hidden: true, "aria-label": "Decide this turn again" });
  offer().then((can) => {
    if (!can || !data.graph) return;
    box.hidden = false;
    replace(box, h("h3", {}, "Decide this turn again"), form(id, data, can));
  });
  return box;
}

function form(id, data, can) {
  const result = h("div", { class: "fork-result", "aria-live": "polite" });
  const pick = (label, name, options, same) => options?.length > 0 && h("label", {}, `${label} `,
    h("select", { name }, h("option", { value: "" }, same), options.map((one) => h("option", { value: one }, one))));
  const button = h("button", { type: "submit" }, "Decide again");
  return h("div", {}, h("p", { class: "hint-text" }, "From the same view and memory. The game stays as it is."),
    h("form", { class: "row", onsubmit: submit },
      pick("Graph", "graph", can.graphs, "as in the game"), pick("Model", "model", can.models, "as in the game"),
      h("label", {}, "Samples ", h("input", { type: "number", name: "samples", min: "1", max: "20", value: "1" })), button), result);
  async function submit(event) {
    event.preventDefault();
    const given = Object.fromEntries([...new FormData(event.target)].filter(([, value]) => value !== ""));
    button.disabled = true;
    replace(result, notice("loading", "Deciding again …"));
    try {
      const answer = await post("fork", { id, turn: data.turn, ...given, samples: Number(given.samples ?? 1) });
      replace(result, pair(data, answer, given));
    } catch (error) {
      replace(result, notice("error", `The turn could not be decided again: ${error.message}`));
    } finally {
      button.disabled = false;
    }
  }
}

function pair(data, answer, given) {
  const old = moveText(answer.old?.move ?? data.decided?.move);
  const changed = answer.new.filter((one) => moveText(one.move) !== old).length;
  return [
    h("p", {}, h("b", {}, changed ? `${changed} of ${plural(answer.new.length, "new decision")} differ.` : "The same move again.")),
    h("div", { class: "columns" },
      side("In the game", answer.old ?? data.decided, old),
      answer.new.map((one, at) => side(`New${answer.new.length > 1 ? ` ${at + 1}` : ""}${given.graph ? `: ${given.graph}` : ""}${given.model ? ` on ${given.model}` : ""}`, one, old))),
  ];
}

function side(name, one, old) {
  const move = moveText(one?.move);
  return h("div", { class: "column" }, h("h4", {}, name),
    h("p", { class: "decision" }, h("b", {}, move ?? "no usable choice"), " ", move !== old && h("span", { class: "tag warn" }, "≠ another move")),
    one?.why && h("p", { class: "prose" }, one.why),
    one?.error && notice("error", one.error),
    (one?.calls ?? []).length > 0 && h("ul", {}, one.calls.map((call) => h("li", {}, h("b", {}, call.node), `: ${moveText(call.move) ?? call.says ?? call.outcome}`))));
}
