// All keys of the page, in one list: it is what the help overlay shows and what a key does.
import { openDialog } from "page/dialog";
import { h } from "page/dom";

let groups = [];

/** Names the keys of the page that is shown: `[{title, keys: [{keys: ["n"], says, does}]}]`. */
export function setKeys(list) {
  groups = list;
}

/** Runs what a key stands for, unless the reader is typing. */
export function listen() {
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || typing(event.target)) return;
    if (document.querySelector("dialog[open]")) return;
    if (event.key === "?") return void (event.preventDefault(), showHelp());
    const found = groups.flatMap((group) => group.keys).find((one) => one.does && one.keys.includes(event.key));
    if (!found || (event.key === " " && event.target.closest?.("button, a, summary, [role=button], [role=tab]"))) return;
    if (found.does(event) !== false) event.preventDefault();
  });
}

/** True where keys are letters that somebody writes, or belong to a control. */
function typing(target) {
  return Boolean(target.closest?.("input:not([type=checkbox]):not([type=radio]), select, textarea, [contenteditable], [data-own-keys]"));
}

const NAMES = { ArrowLeft: "←", ArrowRight: "→", ArrowUp: "↑", ArrowDown: "↓", " ": "Space", Escape: "Esc" };

/** The overlay with all keys; Esc closes it. */
export function showHelp() {
  openDialog("Keys", "help", h("div", { class: "help-groups" }, [...groups, EVERYWHERE].map(helpGroup)));
}

const EVERYWHERE = {
  title: "Everywhere",
  keys: [
    { keys: ["?"], says: "this list" },
    { keys: ["Escape"], says: "close what is open; then back to the run" },
    { keys: ["Tab"], says: "go through all that can be opened" },
  ],
};

function helpGroup(group) {
  return h("section", {}, h("h3", {}, group.title), h("dl", {}, group.keys.map((one) => [
    h("dt", {}, one.keys.map((key) => h("kbd", {}, NAMES[key] ?? key))), h("dd", {}, one.says)])));
}
