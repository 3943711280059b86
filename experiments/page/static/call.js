// One call of a turn: its reply, its prompt, and everything that went wrong on the way.
import { h } from "page/dom";
import { base, cost, title } from "page/calls";
import { marksOf } from "page/marks";
import { longText, onlyMark, promptBlock } from "page/prompt";
import { fields, isProgram, moveText, outcome, seconds } from "page/reply";
import { modelName } from "page/words";

const open = { prompt: false };

/** All there is about a call. `data`: the JSON of /api/turn; `onChoose(key)` goes to another call of the same node. */
export function callDetail({ id, data, call, onChoose }) {
  const name = title(call, data.calls);
  return h("article", { class: "call-detail", "aria-label": `Call: ${name}`, tabindex: "-1" },
    h("header", { class: "row" }, h("h4", {}, name), outcome(call), call.node === data.decided?.node && h("span", { class: "tag played" }, "▶ decided")),
    siblings(call, data.calls, onChoose), facts(call), told(call, data), faults(call), reply(call), marksOf(id, data.turn, call), raw(call), reasoning(call),
    promptBlock({ id, turn: data.turn, call, open: open.prompt, onToggle: (now) => (open.prompt = now) }));
}

/** Buttons for the other samples, asks and redos of the node. */
function siblings(call, calls, onChoose) {
  const its = calls.filter((one) => base(one.node) === base(call.node));
  return its.length > 1 && h("div", { class: "row siblings", role: "group", "aria-label": `All calls of ${base(call.node)}` },
    its.map((one) => h("button", { type: "button", class: "small-button", "aria-pressed": String(one.key === call.key), onclick: () => onChoose(one.key) },
      title(one, calls).replace(`${one.node}, `, "").replace(`${base(one.node)}, `, "") || one.node)));
}

function facts(call) {
  const number = (value) => (value ?? 0).toLocaleString("en");
  const rows = [
    ["Role", call.role !== base(call.node) && call.role],
    ["Answered by", isProgram(call) ? "a program" : `${call.model}${call.served_by && !modelName(call.model).endsWith(call.served_by) ? `, served by ${call.served_by}` : ""}`],
    ["Cost", cost(call)],
    ["Of the tokens in", call.cached_tokens > 0 && `${number(call.cached_tokens)} from the provider's cache`],
    ["Of the tokens out", call.reasoning_tokens > 0 && `${number(call.reasoning_tokens)} for reasoning`],
    ["Nobody was asked", call.origin && `a ${call.fixed} note, made from that of ${call.origin}`],
    ["From the cache", call.cached && "an earlier run paid for this answer"],
    ["Server held to", call.constraint && (CONSTRAINTS[call.constraint] ?? shown(call.constraint))],
    ["Ended because", call.finish && call.finish !== "stop" && call.finish],
    ["Reads", call.reads?.length > 0 && call.reads.join(", ")],
    ["Sections", call.sections?.length > 0 && sections(call)],
  ];
  return h("dl", { class: "facts" }, rows.filter(([, value]) => value).map(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]));
}

const CONSTRAINTS = {
  fitted: "a schema with the legal moves, and lists and texts that fit the limit of tokens",
  moves: "a schema with the legal moves of the turn",
  bounds: "a schema with the bounds of numbers",
  schema: "a plain schema",
  json_object: "any JSON object",
};

const shown = (value) => (typeof value === "string" ? value : JSON.stringify(value));

function sections(call) {
  return call.sections.map((name, at) => [at > 0 && ", ", call.only?.includes(name) ? h("b", {}, `★ ${name}`) : name])
    .concat(call.only?.length ? [[" ", onlyMark()]] : []);
}

/** What this node's verdict was, or what a redo was told. */
function told(call, data) {
  const own = data.verdicts.filter((one) => one.node === call.node);
  return own.map((one) => h("p", {}, h("span", { class: ["tag", one.accepted ? "good" : "bad"] }, one.accepted ? "✓ accepts" : "✕ refuses"), ` ${moveText(one.move)}: ${one.why}`));
}

function faults(call) {
  const tries = (call.attempts ?? []).map((one, at) => ({ ...one, at: at + 1 })).filter((one) => one.error);
  const lines = [
    ...tries.map((one) => ["Try " + one.at, `the model server ${one.error} after ${seconds(one.seconds)}${one.waited_s ? `; then waited ${seconds(one.waited_s)}` : ""}`]),
    call.error && [{ failed: "No response", unasked: "Not asked" }[call.outcome] ?? "Unusable", `${call.error}${call.cause ? ` (${shown(call.cause).replaceAll("_", " ")})` : ""}`],
    ...(call.dropped ?? []).map((one) => ["Left out", one]),
    call.outcome === "repaired" && !call.dropped?.length && ["Repaired", "the answer was mended before it was read; no word or number was changed"],
    call.copied && ["Copied", "the answer repeats the example of its prompt"],
    (call.injected ?? []).length > 0 && ["Errors put in on purpose", call.injected.join(", ")],
  ].filter(Boolean);
  return lines.length > 0 && h("dl", { class: "faults" }, lines.map(([name, text]) => [h("dt", {}, `⚠ ${name}`), h("dd", {}, text)]));
}

function reply(call) {
  return call.reply
    ? h("section", {}, h("h5", {}, "Response, as it was read"), fields(call.reply))
    : h("p", { class: "notice empty" }, "No reply could be read, so no other node saw one from this call.");
}

function raw(call) {
  if (typeof call.text !== "string" || !call.text) return null;
  return h("details", { class: "fold", open: !call.reply }, h("summary", {}, `Raw text of the answer (${call.text.length.toLocaleString("en")} characters)`),
    longText(call.text, "raw text of the response"));
}

function reasoning(call) {
  if (!call.reasoning) return null;
  return h("details", { class: "fold" }, h("summary", {}, `Reasoning text that the model sent (${call.reasoning.length.toLocaleString("en")} characters)`),
    longText(call.reasoning, "reasoning text"));
}
