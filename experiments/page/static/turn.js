// The turn panel: who said what in this turn, what the decision took from whom, and how that stands against the truth.
import { h, notice, number, plural, replace, shortened } from "page/dom";
import { get } from "page/data";
import { base, callList, title } from "page/calls";
import { beliefsBlock } from "page/beliefs";
import { callDetail } from "page/call";
import { forkBlock } from "page/fork";
import { graphPicture } from "page/graph";
import { breakable, fields, gist, moveText, outcome, stance } from "page/reply";
import { marksBlock } from "page/marks";
import { lossTag, valuesBlock } from "page/values";
import { modelName } from "page/words";

const KEPT = 40;
const turns = new Map();
/** What a reader selected; kept from turn to turn, so that one node can be followed through a game. */
const kept = { node: null, values: false };

/** The JSON of a turn; those that cannot change any more are fetched once. */
export function turnData(id, turn) {
  const key = `${id} ${turn}`;
  if (!turns.has(key)) {
    const found = get("turn", { id, turn });
    turns.set(key, found);
    found.then((data) => (data.decided ? (found.data = data) : turns.delete(key)), () => turns.delete(key));
    if (turns.size > KEPT) turns.delete(turns.keys().next().value);
  }
  return turns.get(key);
}

/** The panel of a turn, which fills itself. `game`: the JSON of /api/game; `turn`: its number, from 1; `data`: the JSON of
 * /api/turn where it is there already. */
export function turnPanel({ id, turn, game, data = null, spoilers = false }) {
  const panel = h("section", { class: "turn-panel trace", "aria-label": `Turn ${turn}` });
  const found = data ? null : turnData(id, turn);
  if (data ?? found.data) fill(panel, { id, game, spoilers, data: data ?? found.data });
  else {
    replace(panel, notice("loading", `Loading turn ${turn} …`));
    found.then((data) => fill(panel, { id, game, spoilers, data }),
      (error) => replace(panel, notice("error", `Turn ${turn} could not be read: ${error.message}`)));
  }
  return panel;
}

function fill(panel, { id, game, spoilers, data }) {
  const told = game?.turns?.find((one) => one.turn === data.turn) ?? {};
  const trace = data.graph ? traced(id, data) : null;
  const values = data.decided && block("Values of the moves", valuesBlock({ id, turn: data, open: spoilers && kept.values,
    onOpen: () => (kept.values = true), onValues: (found) => trace?.judge(found) }));
  const marks = trace && data.decided && block("Marks of the roles", marksBlock({ id, turn: data.turn, open: spoilers, onMarks: () => trace.remark() }));
  replace(panel, decision(data, told, game), trace ? trace.took : withoutGraph(data, game), votes(data), values, marks, trace?.rest,
    block("Beliefs against the truth", beliefsBlock({ id, turn: data.turn, seat: data.seat, told })), memory(data), forkBlock({ id, data }));
}

const block = (title, ...children) => h("section", { class: "block" }, h("h3", {}, title), children);

function decision(data, told, game) {
  const seat = game?.seats?.[data.seat];
  const move = moveText(data.decided?.move);
  const who = `P${data.seat}${seat ? `, ${seat.graph}${seat.model && seat.model !== "program" ? ` on ${modelName(seat.model)}` : ""}` : ""}`;
  const stopped = (told.suspended ?? []).at(-1);
  return h("header", { class: "decision-head" },
    h("p", { class: "muted" }, `Turn ${data.turn}: ${who}`),
    h("h2", {}, move ?? (stopped ? "no move: the game stopped here" : "no move yet"), result(told)),
    stopped && notice("error", stopped),
    h("p", { class: "tags" }, tags(data, told)), verdicts(data));
}

function result(told) {
  if (!told.card) return null;
  const word = told.move?.type === "discard" ? "discarded" : told.scored ? "scored" : "misplayed: a life lost";
  return h("span", { class: ["tag", told.scored ? "good" : told.move?.type === "play" ? "bad" : null] }, `${told.scored ? "✓" : told.move?.type === "play" ? "✕" : "–"} ${told.card} ${word}`);
}

function tags(data, told) {
  const sure = typeof told.playable === "number" && told.move?.type === "play" ? `playable ${number(told.playable * 100, 0)} % by hints and counting` : null;
  const kept = typeof told.critical === "number" && told.move?.type === "discard" ? `critical ${number(told.critical * 100, 0)} % by hints and counting` : null;
  const count = (...outcomes) => data.calls.filter((call) => outcomes.includes(call.outcome)).length;
  const [unusable, repaired] = [count("reasked", "fallback", "failed"), count("repaired")];
  return [
    data.decided?.forced && h("span", { class: "tag bad" }, "⚠ forced: the safest legal move was played"),
    data.decided?.node && h("span", { class: "tag" }, `chosen by ${title({ node: data.decided.node }, [])}`),
    sure && h("span", { class: "tag" }, sure), kept && h("span", { class: "tag" }, kept),
    unusable > 0 && h("span", { class: "tag warn" }, `⚠ ${plural(unusable, "unusable answer")}`),
    repaired > 0 && h("span", { class: "tag warn" }, `≈ ${plural(repaired, "repaired answer")}`),
    (told.absent ?? []).length > 0 && h("span", { class: "tag bad" }, `∅ no output: ${told.absent.join(", ")}`),
  ];
}

/** Refused moves, with what a redo was told. */
function verdicts(data) {
  const refused = data.verdicts.filter((one) => !one.accepted);
  if (!refused.length) return null;
  return h("div", { class: "refused" }, h("h3", {}, `Refused: ${plural(refused.length, "move")}`), h("ul", {}, refused.map((one) => h("li", {},
    h("span", { class: "tag bad" }, "✕ refused"), " ", h("b", {}, moveText(one.move)), ` by ${title(one, [])}: `, h("span", { class: "prose" }, one.why),
    one.told && one.told !== one.why && h("p", { class: "muted" }, `The redo was told only: ${one.told}`)))));
}

function withoutGraph(data, game) {
  const seat = game?.seats?.[data.seat];
  const who = seat ? `P${data.seat} (${seat.graph})` : `P${data.seat}`;
  const kind = seat?.graph?.startsWith("partner:") ? "is a rule player" : seat?.graph?.startsWith("person") ? "is a person" : "has no graph of roles";
  return notice("empty", `${who} ${kind}: no graph, no prompts and no calls stand behind this move.`);
}

function traced(id, data) {
  const detail = h("div", { class: "detail" });
  const first = firstCall(data);
  let shown = null;
  const choose = (key, { scroll = true } = {}) => {
    const call = data.calls.find((one) => one.key === key);
    if (!call) return;
    shown = key;
    if (scroll) kept.node = base(call.node);
    graph.mark(base(call.node));
    list.mark(key);
    replace(detail, callDetail({ id, data, call, onChoose: choose }));
    if (scroll) detail.firstElementChild.scrollIntoView({ block: "nearest" });
  };
  const graph = graphPicture({ data, chosen: first && base(first.node), onChoose: (node) => choose(best(data.calls.filter((call) => base(call.node) === node)).key) });
  const list = callList({ calls: data.calls, chosen: first?.key, onChoose: choose });
  if (first) choose(first.key, { scroll: false });
  const box = h("div", {});
  const judge = (values) => replace(box, took(data, (node) => choose(best(data.calls.filter((call) => base(call.node) === node))?.key), values));
  judge(null);
  const remark = () => shown && choose(shown, { scroll: false });
  return { judge, remark, took: box, rest: [
    block("The seat’s graph", graph, h("p", { class: "hint-text" }, "Select a node for its prompt and response. Bars share one axis of time.")),
    block("Calls", data.calls.length ? list : notice("empty", "No node was asked in this turn.")),
    detail,
  ] };
}

/** The call that tells most of a node: its last usable one. */
const best = (calls) => calls.findLast((call) => call.reply) ?? calls.at(-1);

function firstCall(data) {
  const of = (node) => best(data.calls.filter((call) => base(call.node) === node));
  return (kept.node && of(kept.node)) || (data.decided?.node && of(base(data.decided.node))) || of(data.graph.decides) || data.calls.at(-1);
}

/** What the decision took from whom: each colleague's proposals against the move played and, once known, the values. */
function took(data, choose, values) {
  const spoke = (data.took ?? []).filter((one) => base(one.node) !== data.graph.decides);
  if (!spoke.length) return null;
  const followed = spoke.filter((one) => one.agrees).length;
  return block("What the decision took from whom",
    h("p", { class: "hint-text" }, `${followed} of ${plural(spoke.length, "colleague")} with a proposal put the played move first.`),
    h("ul", { class: "took" }, spoke.map((one) => {
      const call = best(data.calls.filter((other) => base(other.node) === base(one.node)));
      const first = moveText(one.proposed[0]);
      return h("li", { class: one.agrees ? "agrees" : stance(one, data, data.calls).kind && "overruled" },
        h("button", { type: "button", class: "plain", onclick: () => choose(base(one.node)) }, breakable(one.node)), " ", stanceTag(one, data), " ",
        values && first && lossTag(values, first), h("span", { class: "moves" }, " ", proposals(one, data)),
        call?.reply && h("span", { class: "prose reason" }, gist(call).why));
    })));
}

function stanceTag(one, data) {
  const { kind, long } = stance(one, data, data.calls);
  return h("span", { class: ["tag", kind] }, long);
}

function proposals(one, data) {
  const played = moveText(data.decided?.move);
  const shown = one.proposed.slice(0, 4).map(moveText);
  if (!shown.length) return h("span", { class: "muted" }, "proposed no move");
  return [shown.map((move, at) => [at > 0 && ", then ", move === played ? h("b", {}, move) : move]), one.proposed.length > 4 && `, ${one.proposed.length - 4} more`];
}

function votes(data) {
  const given = Object.entries(data.votes ?? {}).filter(([, moves]) => Object.keys(moves).length);
  if (!given.length) return null;
  const played = moveText(data.decided?.move);
  return block("Votes", given.map(([node, moves]) => {
    const most = Math.max(...Object.values(moves));
    return h("div", {}, h("h4", {}, node), h("ul", { class: "votes" }, Object.entries(moves).map(([move, times]) => h("li", {},
      h("span", {}, move, move === played && [" ", h("span", { class: "tag played" }, "▶ played")]),
      h("span", { class: "track", "aria-hidden": "true" }, h("span", { class: "bar", style: { left: "0", width: `${(times / most) * 100}%` } })),
      h("span", { class: "num" }, `${times}×`)))));
  }));
}

function memory(data) {
  const parts = [["What the seat remembered of its turn before", data.memory], ["What it keeps for its next turn", data.remembered]]
    .filter(([, value]) => value && Object.keys(value).length);
  return parts.length > 0 && block("Memory", parts.map(([title, value]) => h("details", { class: "fold" }, h("summary", {}, title),
    fields(value))));
}

/** What each role said in a turn, short: for two games side by side, and after a puzzle. */
export function roleLines(data) {
  if (!data.graph) return notice("empty", "A rule player or a person: no role spoke.");
  const nodes = [...new Set(data.calls.map((call) => call.node))];
  return h("ul", { class: "said" }, nodes.map((node) => {
    const call = best(data.calls.filter((one) => one.node === node));
    const { says, why } = gist(call);
    const taken = data.took?.find((one) => one.node === node);
    const first = says === "a note" && moveText(taken?.proposed[0]);
    return h("li", {}, h("b", {}, breakable(node)), " ", call.outcome !== "ok" && [outcome(call), " "], h("span", { class: "moves" }, first ? `for ${first}` : says), " ",
      node === data.decided?.node && h("span", { class: "tag played" }, "▶ decided"),
      taken && base(node) !== data.graph.decides && stanceTag(taken, data),
      why && h("p", { class: "prose" }, shortened(why, 400)));
  }));
}
