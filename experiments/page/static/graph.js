// The acting seat's own graph: who read whom, how each node fared, and when it ran on one common axis of time.
import { h, svg } from "page/dom";
import { axis, base } from "page/calls";
import { isProgram, moveText, money, OUTCOMES, seconds, stance } from "page/reply";

const GAP = { x: 40, y: 14, down: 24 };
const WIDTH = { least: 88, most: 176 };
const LINE = 14;
const WORST = ["failed", "fallback", "reasked", "repaired", "ok"];

/** The graph of a turn. `onChoose(node name)`; draws itself again when its room changes. */
export function graphPicture({ data, chosen, onChoose }) {
  const box = h("div", { class: "graph", role: "group", "aria-label": `Graph ${data.graph.name}: select a node to read its prompt and response` });
  const nodes = withEnds(data);
  let width = 0;
  function draw() {
    const focused = document.activeElement?.closest?.(".node")?.dataset.node;
    const back = focused && box.contains(document.activeElement);
    box.replaceChildren(picture(nodes, width, chosen, onChoose));
    if (back) box.querySelector(`[data-node="${CSS.escape(focused)}"]`)?.focus();
  }
  new ResizeObserver(([entry]) => {
    const now = Math.floor(entry.contentRect.width);
    if (now && Math.abs(now - width) > 2) (width = now), draw();
  }).observe(box);
  box.mark = (node) => {
    chosen = node;
    for (const one of box.querySelectorAll(".node")) one.setAttribute("aria-pressed", String(one.dataset.node === node));
  };
  return box;
}

/** The nodes with what happened to them, the rule that may refuse, and the move. */
function withEnds({ graph, calls, verdicts, took, decided }) {
  const end = axis(calls);
  const stanceOf = (name) => {
    const found = name !== graph.decides && took?.find((one) => one.node === name);
    return found ? stance(found, { graph, decided }, calls) : null;
  };
  const nodes = graph.nodes.map((node) => {
    const its = calls.filter((call) => base(call.node) === node.name);
    return { ...node, calls: its, end, ...fared(its), stance: stanceOf(node.name),
      decides: node.name === graph.decides, verdicts: verdicts.filter((one) => base(one.node) === node.name) };
  });
  const rules = [...new Set(verdicts.map((one) => base(one.node)))].filter((name) => !nodes.some((node) => node.name === name));
  for (const name of rules) {
    nodes.push({ name, role: "rule", rule: true, reads: [], level: 0, calls: [], end,
      verdicts: verdicts.filter((one) => one.node === name || base(one.node) === name) });
  }
  const judges = inOrder(nodes, graph);
  nodes.push({ name: "move", move: moveText(decided?.move) ?? "no move", forced: decided?.forced, calls: [], end, verdicts: [],
    reads: judges.length ? judges.slice(-1) : [graph.decides], level: Math.max(...nodes.map((node) => node.level)) + 1 });
  return nodes;
}

/** The judges, each drawn behind the one before it: it is asked about what that one accepts. */
function inOrder(nodes, graph) {
  const judges = graph.judges.filter((name) => nodes.some((node) => node.name === name));
  judges.reduce((before, name) => {
    const [first, judge] = [before, name].map((one) => nodes.find((node) => node.name === one));
    judge.reads = [...new Set([...judge.reads, before])];
    judge.level = Math.max(judge.level, first.level + 1);
    return name;
  }, graph.decides);
  return judges;
}

function fared(calls) {
  if (!calls.length) return { outcome: null };
  const last = calls[calls.length - 1].outcome;
  const worst = WORST.find((one) => calls.some((call) => call.outcome === one)) ?? last;
  return { outcome: calls.length > 1 && calls.some((call) => call.outcome === "ok" || call.outcome === "repaired") ? "ok" : worst, worst };
}

/** From left to right; where that has no room, from top to bottom. */
function picture(nodes, room, chosen, onChoose) {
  const levels = Math.max(...nodes.map((node) => node.level)) + 1;
  const gap = room < 620 ? 26 : GAP.x;
  const rows = Array.from({ length: levels }, (_, level) => nodes.filter((node) => node.level === level));
  const across = Math.floor((room - 4 - gap * (levels - 1)) / levels);
  const size = across >= WIDTH.least ? sideways(rows, Math.min(WIDTH.most, across), gap) : downwards(rows, room);
  return svg("svg", { width: size.wide, height: size.tall, viewBox: `0 0 ${size.wide} ${size.tall}` },
    edges(nodes, size.down), nodes.map((node) => drawn(node, chosen, onChoose)));
}

function shape(node, wide) {
  const told = lines(node, wide);
  Object.assign(node, { wide, lines: told, height: told.length * LINE + (node.calls.length ? 26 : 14) });
}

function sideways(columns, wide, gap) {
  columns.flat().forEach((node) => shape(node, wide));
  const used = columns.map((column) => column.reduce((sum, node) => sum + node.height + GAP.y, -GAP.y));
  const tall = Math.max(...used) + 4;
  for (const [level, column] of columns.entries()) {
    let y = 2 + (tall - 4 - used[level]) / 2;
    for (const node of column) {
      Object.assign(node, { x: 2 + level * (wide + gap), y });
      y += node.height + GAP.y;
    }
  }
  return { wide: columns.length * (wide + gap) - gap + 4, tall, down: false };
}

function downwards(rows, room) {
  let y = 2;
  for (const row of rows) {
    const wide = Math.max(WIDTH.least, Math.min(WIDTH.most, Math.floor((room - 4 - GAP.y * (row.length - 1)) / row.length)));
    row.forEach((node) => shape(node, wide));
    const used = row.length * (wide + GAP.y) - GAP.y;
    row.forEach((node, at) => Object.assign(node, { x: Math.max(2, (room - used) / 2) + at * (wide + GAP.y), y }));
    y += Math.max(...row.map((node) => node.height)) + GAP.down;
  }
  return { wide: Math.max(room, ...rows.flat().map((node) => node.x + node.wide + 2)), tall: y - GAP.down + 2, down: true };
}

function edges(nodes, down) {
  const named = new Map(nodes.map((node) => [node.name, node]));
  return nodes.flatMap((node) => (node.reads ?? []).map((name) => named.get(name)).filter(Boolean).map((from) => {
    const kind = node.decides && from.stance ? { good: "agrees", warn: "overruled" }[from.stance.kind] : null;
    return svg("g", { class: ["edge", kind], "aria-hidden": "true" }, down ? falling(from, node) : flowing(from, node));
  }));
}

function flowing(from, node) {
  const [x1, y1, x2, y2] = [from.x + from.wide, from.y + from.height / 2, node.x - 5, node.y + node.height / 2];
  const bend = Math.max(10, (x2 - x1) / 2);
  return [svg("path", { d: `M${x1} ${y1} C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}` }), svg("path", { class: "tip", d: `M${x2 + 4} ${y2} l-7 -4 v8 z` })];
}

function falling(from, node) {
  const [x1, y1, x2, y2] = [from.x + from.wide / 2, from.y + from.height, node.x + node.wide / 2, node.y - 5];
  const bend = Math.max(10, (y2 - y1) / 2);
  return [svg("path", { d: `M${x1} ${y1} C${x1} ${y1 + bend} ${x2} ${y2 - bend} ${x2} ${y2}` }), svg("path", { class: "tip", d: `M${x2} ${y2 + 4} l-4 -7 h8 z` })];
}

/** The lines of text in a node: name, how it fared, cost, and whether the decision followed it. */
function lines(node, wide) {
  const room = Math.floor((wide - 14) / 6.6);
  const small = Math.floor((wide - 14) / 5.9);
  const name = wrapped(node.name === "move" ? "played" : node.name, Math.floor((wide - 14) / 7.1)).map((text) => ({ text, kind: "name" }));
  if (node.move) return [...name, ...wrapped(node.move, Math.floor((wide - 14) / 7)).map((text) => ({ text, kind: "strong" })), node.forced && { text: "⚠ forced", kind: "bad" }].filter(Boolean);
  const made = [...name];
  const said = !node.rule && state(node);
  if (said) made.push(...wrapped(said.text, room).map((text) => ({ ...said, text })));
  const refused = node.verdicts.filter((one) => !one.accepted).length;
  if (node.verdicts.length) {
    const says = refused ? `✕ refused ${refused === 1 ? "once" : `${refused} times`}` : "✓ accepted";
    made.push(...wrapped(says, room).map((text) => ({ text, kind: refused ? "bad" : "good" })));
  }
  if (node.calls.length) made.push(...wrapped(price(node), small).map((text) => ({ text, kind: "muted" })));
  if (node.stance) made.push(...wrapped(node.stance.short, room).map((text) => ({ text, kind: node.stance.kind ?? "muted" })));
  return made.map((one) => ({ ...one, text: one.text.length > small + 2 ? `${one.text.slice(0, small)}…` : one.text }));
}

function state(node) {
  if (!node.calls.length) return { text: "not asked", kind: "muted" };
  const { sign, word, kind } = OUTCOMES[node.outcome] ?? { sign: "?", word: node.outcome, kind: "warn" };
  if (node.outcome === "ok" && node.worst !== "ok") return { text: `${OUTCOMES[node.worst].sign} ${node.worst === "repaired" ? "repaired" : "usable at last"}`, kind: "warn" };
  return { text: `${sign} ${word.replace("unusable, ", "")}`, kind };
}

function price(node) {
  const sum = (name) => node.calls.reduce((all, call) => all + (call[name] ?? 0), 0);
  const times = node.calls.length > 1 ? `${node.calls.length}× ` : "";
  if (node.calls.every(isProgram)) return `${times}program`;
  const tokens = sum("tokens_in") + sum("tokens_out");
  const paid = node.calls.every((call) => call.usd) ? ` · ${money(sum("usd"))}` : "";
  const many = tokens >= 10000 ? `${Math.round(tokens / 1000)}k` : tokens.toLocaleString("en");
  return `${times}${many}\u00a0tokens${paid}${sum("seconds") > 0 ? ` · ${seconds(latest(node)).replaceAll(" ", "\u00a0")}` : ""}`;
}

const latest = (node) => Math.max(...node.calls.map((call) => (call.start ?? 0) + (call.seconds ?? 0))) - Math.min(...node.calls.map((call) => call.start ?? 0));

/** Broken after underscores, hyphens and spaces. */
function wrapped(text, room) {
  const made = [""];
  for (const word of text.split(/(?<=[_ -])/)) {
    if (made[made.length - 1] && (made[made.length - 1] + word).trimEnd().length > room) made.push(word);
    else made[made.length - 1] += word;
  }
  return made.map((line) => line.trimEnd());
}

function drawn(node, chosen, onChoose) {
  const { wide, height } = node;
  const open = node.calls.length > 0;
  const choose = () => onChoose(node.name);
  const button = open && { role: "button", tabindex: "0", "aria-pressed": String(chosen === node.name), onclick: choose,
    onkeydown: (event) => (event.key === "Enter" || event.key === " ") && (event.preventDefault(), choose()) };
  return svg("g", { class: ["node", open && "open", node.decides && "decides", node.rule && "rule", node.move && "played", !open && !node.move && !node.rule && "unasked"],
    transform: `translate(${node.x} ${node.y})`, dataset: { node: node.name }, "aria-label": spoken(node), role: "img", ...button },
    svg("rect", { class: "box", width: wide, height, rx: 7 }),
    svg("text", { x: 8, y: 4, "aria-hidden": "true" }, node.lines.map((line, at) => svg("tspan", { x: 8, y: 5 + (at + 1) * LINE - 2, class: line.kind }, line.text))),
    node.calls.length > 0 && [svg("rect", { class: "track", x: 8, y: height - 11, width: wide - 16, height: 5, rx: 2 }),
      node.calls.map((call) => bar(call, node.end, wide - 16, height))]);
}

function bar(call, end, wide, height) {
  const from = Math.min(1, (call.start ?? 0) / end) * wide;
  const long = Math.max(2, Math.min(1, (call.seconds ?? 0) / end) * wide);
  return svg("rect", { class: "bar", x: 8 + Math.min(from, wide - 2), y: height - 11, width: Math.min(long, Math.max(2, wide - from)), height: 5, rx: 2 });
}

function spoken(node) {
  if (node.move) return `Played: ${node.move}${node.forced ? ", forced" : ""}`;
  const reads = node.reads?.length ? `reads ${node.reads.join(", ")}` : "reads no other node";
  const told = lines(node, 600).slice(1).map((line) => line.text.replace("≠ ", "").replace("= ", "").replace(/^[✓✕↻∅≈⚠] /, ""));
  return [`${node.name}${node.decides ? " (decides)" : ""}`, ...told, reads].join("; ");
}
