// Which games the table shows: filters, in the address, and the columns, in this browser.
import { h } from "page/dom";
import { link, patch, read } from "page/router";
import { END_WORDS } from "page/words";

const CHOICES = [["arm", "Arm"], ["players", "Players"], ["end", "End"], ["model", "Model"], ["graph", "Graph"], ["state", "State"]];
const FLAGS = {
  struck: ["Struck out", (cell) => cell("lives") === 0 && cell("state") === "finished"],
  forced: ["Forced moves", (cell) => cell("forced") > 0],
  refused: ["Refused moves", (cell) => cell("refused") > 0],
};

/** A test for rows, by the params of the address. */
export function matcher({ keys, rows }, params) {
  const at = Object.fromEntries(keys.map((key, place) => [key, place]));
  const words = (params.q ?? "").toLowerCase().split(/\s+/).filter(Boolean);
  const wanted = keys.filter((key) => params[key] !== undefined && !FLAGS[key]);
  const flags = Object.entries(FLAGS).filter(([name]) => params[name] === "1").map(([, [, test]]) => test);
  const texts = ["id", "arm", "graph", "model", "end", "state"].filter((key) => key in at);
  return (row) => {
    const cell = (key) => row[at[key]];
    return wanted.every((key) => String(cell(key) ?? "") === params[key]) && flags.every((test) => test(cell)) &&
      (!words.length || found(words, texts.map((key) => said(key, cell(key))).join(" ").toLowerCase()));
  };
}

const found = (words, text) => words.every((word) => text.includes(word));
const said = (key, value) => (key === "end" && END_WORDS[value] ? `${value} ${END_WORDS[value]}` : value ?? "");

/** The filters: a choice for each column with more than one value, and the games with something odd. */
export function filterBar(games, params) {
  const lists = CHOICES.map(([key, title]) => choice(games, params, key, title)).filter(Boolean);
  const flags = Object.entries(FLAGS).map(([name, [title, test]]) => flag(games, params, name, title, test)).filter(Boolean);
  const filtered = Object.keys(params).some((name) => name !== "sort");
  return h("div", { class: "filters", role: "group", "aria-label": "Filters" }, lists, flags,
    filtered && h("a", { class: "small", href: link("run", { sort: params.sort }) }, "all games"));
}

function choice({ keys, rows }, params, key, title) {
  const at = keys.indexOf(key);
  if (at < 0) return null;
  const counts = new Map();
  for (const row of rows) counts.set(row[at], (counts.get(row[at]) ?? 0) + 1);
  counts.delete(null);
  counts.delete(undefined);
  if (counts.size < 2 && params[key] === undefined) return null;
  const values = [...counts].sort(([a], [b]) => (typeof a === "number" ? a - b : String(a).localeCompare(String(b))));
  const select = h("select", { "aria-label": title, dataset: { key: `filter-${key}` }, onchange: () => patch({ [key]: select.value }) },
    h("option", { value: "" }, "all"),
    values.map(([value, count]) => h("option", { value, selected: String(value) === params[key] }, `${key === "end" ? END_WORDS[value] ?? value : value} (${count})`)),
    params[key] !== undefined && !counts.has(params[key]) && !values.some(([value]) => String(value) === params[key]) && h("option", { value: params[key], selected: true }, `${params[key]} (0)`));
  return h("label", { class: ["filter", params[key] !== undefined && "on"] }, h("span", {}, title), select);
}

function flag({ keys, rows }, params, name, title, test) {
  const at = Object.fromEntries(keys.map((key, place) => [key, place]));
  const count = rows.reduce((sum, row) => sum + (test((key) => row[at[key]]) ? 1 : 0), 0);
  const on = params[name] === "1";
  if (!count && !on) return null;
  return h("button", { type: "button", class: "flag", "aria-pressed": String(on), dataset: { key: `flag-${name}` }, onclick: () => patch({ [name]: read().params[name] === "1" ? "" : "1" }) }, `${title} (${count})`);
}

/** The list of columns; the reader's choice stays in this browser. */
export function chooser(columns, shown, onChoose) {
  const boxes = columns.map((column) => {
    const box = h("input", { type: "checkbox", value: column.key, onchange: () => onChoose(boxes.filter(([one]) => one.checked).map(([one]) => one.value)) });
    box.checked = shown.includes(column.key);
    return [box, column];
  });
  const details = h("details", { class: "chooser", onkeydown: (event) => { if (event.key === "Escape" && details.open) { details.open = false; details.firstChild.focus(); event.stopPropagation(); } } },
    h("summary", {}, "Columns"),
    h("div", { class: "chooser-list" }, h("button", { type: "button", class: "plain small", onclick: () => {
      onChoose(null);
      boxes.forEach(([box, column]) => { box.checked = column.shown; });
    } }, "as the run chose"), boxes.map(([box, column]) => h("label", { class: "check small" }, box, ` ${column.title}`))));
  return details;
}
