// All calls of a turn with their times on one axis, so that what ran side by side is seen side by side: a flat list in
// the order of their beginning, or a tree: attempt, node, sample, ask.
import { h, plural } from "page/dom";
import { keep } from "page/theme";
import { breakable, gist, isProgram, money, OUTCOMES, outcome, seconds } from "page/reply";

/** A node's name without the number of its attempt: `generate-2` is the second attempt of `generate`. */
export const base = (node) => node.replace(/-\d+$/, "");
export const attempt = (node) => Number(/-(\d+)$/.exec(node)?.[1] ?? 1);

/** Where the turn's calls begin and end, in seconds. */
export function axis(calls) {
  return Math.max(1e-6, ...calls.map((call) => (call.start ?? 0) + (call.seconds ?? 0)));
}

/** The list with its toggle. `onChoose(key)`; `chosen` is the key of the selected call. */
export function callList({ calls, chosen, onChoose }) {
  const box = h("div", { class: "call-list" });
  let tree = keep("calls") === "tree";
  const end = axis(calls);
  const buttons = new Map();
  function draw() {
    buttons.clear();
    box.replaceChildren(head(), ...(end < 0.001 ? [] : [scale(end)]), tree ? branches() : flat());
    mark(chosen);
  }
  function head() {
    const button = (name, on) => h("button", { type: "button", class: "small-button", "aria-pressed": String(tree === on),
      onclick: () => ((tree = on), keep("calls", on ? "tree" : "flat"), draw(), box.querySelector("[aria-pressed=true]").focus()) }, name);
    return h("div", { class: "row between" }, h("p", { class: "hint-text" }, totals(calls)),
      h("div", { class: "row", role: "group", "aria-label": "Order of the calls" }, button("Flat list", false), button("Tree", true)));
  }
  const row = (call, name) => {
    const made = callRow(call, name, end, calls, () => onChoose(call.key));
    buttons.set(call.key, made);
    return made;
  };
  const flat = () => h("ol", { class: "rows" }, byStart(calls).map((call) => h("li", {}, row(call, title(call, calls)))));
  const branches = () => h("ul", { class: "rows tree" }, groups(calls, (call) => attempt(call.node)).map(([number, tried]) =>
    h("li", {}, number > 1 && h("p", { class: "branch" }, `Redo ${number - 1}: asked again after a refusal`),
      h("ul", {}, groups(tried, (call) => call.node).map(([node, its]) => branch(node, its))))));
  function branch(node, its) {
    if (its.length === 1) return h("li", {}, row(its[0], base(node)));
    const samples = groups(its, (call) => call.sample);
    return h("li", {}, h("p", { class: "branch" }, `${base(node)}: ${samples.length > 1 ? plural(samples.length, "sample") : plural(its.length, "ask")}`),
      h("ul", {}, its.map((call) => h("li", {}, row(call, part(call, samples.length > 1))))));
  }
  function mark(key) {
    chosen = key;
    for (const [one, button] of buttons) button.setAttribute("aria-pressed", String(one === key));
  }
  draw();
  box.mark = mark;
  return box;
}

const byStart = (calls) => [...calls].sort((a, b) => (a.start ?? 0) - (b.start ?? 0));

function groups(items, key) {
  const found = new Map();
  for (const one of items) found.set(key(one), [...(found.get(key(one)) ?? []), one]);
  return [...found];
}

function part(call, several) {
  return [several && `sample ${call.sample + 1}`, call.ask && `ask ${call.ask + 1}`].filter(Boolean).join(", ") || "ask 1";
}

/** A call's name among the calls of its turn: `proposer, sample 2, ask 2`. */
export function title(call, calls) {
  const several = calls.some((other) => other.node === call.node && other.sample !== call.sample);
  const redo = attempt(call.node) > 1 ? `${base(call.node)}, redo ${attempt(call.node) - 1}` : call.node;
  const more = [redo, several && `sample ${call.sample + 1}`, call.ask && `ask ${call.ask + 1}`];
  return more.filter(Boolean).join(", ");
}

function totals(calls) {
  const models = calls.filter((call) => !isProgram(call));
  if (!models.length) return `${plural(calls.length, "program")} answered; no model was asked.`;
  const sum = (name) => models.reduce((all, call) => all + (call[name] ?? 0), 0);
  const paid = models.every((call) => call.usd) ? `, ${money(sum("usd"))}` : "";
  return `${plural(models.length, "call")} of models: ${sum("tokens_in").toLocaleString("en")} tokens in, `
    + `${sum("tokens_out").toLocaleString("en")} out${paid}; ${seconds(axis(calls))} from the first to the last`
    + `${sum("seconds") > 0 ? `, ${seconds(sum("seconds"))} if one after another` : ""}.`;
}

function scale(end) {
  return h("div", { class: "scale", "aria-hidden": "true" }, h("span", {}, "0"), h("span", {}, seconds(end / 2)), h("span", {}, seconds(end)));
}

function callRow(call, name, end, calls, choose) {
  const { says, why } = gist(call);
  return h("button", { type: "button", class: "call", "aria-pressed": "false", onclick: choose,
    dataset: { key: call.key }, "aria-label": `${name}: ${spoken(call, says || why)}` },
    h("span", { class: "call-name" }, breakable(name)), h("span", { class: "call-says" }, outcome(call), " ", says || h("span", { class: "muted small" }, short(why))),
    bar(call, end), h("span", { class: "call-cost" }, cost(call)));
}

const short = (text) => (text.length > 90 ? `${text.slice(0, 90)} …` : text);

function spoken(call, says) {
  const time = call.start === null || call.start === undefined ? "" : `, from ${seconds(call.start)} for ${seconds(call.seconds)}`;
  return `${OUTCOMES[call.outcome]?.word ?? call.outcome}, ${says}, ${cost(call)}${time}`;
}

/** `1,204 + 88 tokens · $0.0031 · 2.3 s`, or `program`: programs and simulated models record no time. */
export function cost(call) {
  const tokens = isProgram(call) ? "program" : `${(call.tokens_in ?? 0).toLocaleString("en")} + ${(call.tokens_out ?? 0).toLocaleString("en")} tokens`;
  return [tokens, call.cached ? "from the cache" : money(call.usd), call.seconds > 0 && seconds(call.seconds)].filter(Boolean).join(" · ");
}

/** The bar of a call on the turn's axis. */
function bar(call, end) {
  const from = Math.min(1, (call.start ?? 0) / end);
  const long = Math.min(1 - from, (call.seconds ?? 0) / end);
  return h("span", { class: "track", "aria-hidden": "true" },
    h("span", { class: "bar", style: { left: `${from * 100}%`, width: `${long * 100}%` } }));
}
