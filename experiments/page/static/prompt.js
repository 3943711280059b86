// A prompt by section. A long one is shown in pieces, so that 200 kB open at once.
import { h, notice, plural, printable, replace } from "page/dom";
import { get } from "page/data";

const FIRST = 1600;
const PIECE = 40000;

/** The prompt of a call, fetched when it is opened. */
export function promptBlock({ id, turn, call, open = false, onToggle }) {
  const body = h("div", { class: "prompt" });
  let asked = false;
  const block = h("details", { class: "fold prompt-fold", open, ontoggle: () => (onToggle?.(block.open), block.open && load()) },
    h("summary", {}, "Prompt, by section"), body);
  async function load() {
    if (asked) return;
    asked = true;
    replace(body, notice("loading", "Loading the prompt …"));
    try {
      replace(body, ...shown(await get("prompt", { id, turn, key: call.key })));
    } catch (error) {
      asked = false;
      replace(body, notice("error", `The prompt could not be read: ${error.message}`,
        h("button", { type: "button", onclick: load }, "Try again")));
    }
  }
  if (open) load();
  return block;
}

function shown(prompt) {
  if (!prompt.messages?.length) return [notice("empty", "No prompt is stored for this call, and none can be rendered.")];
  const parts = prompt.messages.flatMap((message) => message.parts);
  const only = parts.filter((part) => part.only);
  return [
    prompt.rendered && h("p", { class: "hint-text" }, h("span", { class: "tag info" }, "rendered"),
      " A program answered; this is what a model would have got."),
    h("p", { class: "hint-text" }, `${plural(size(parts), "character")} in ${plural(parts.length, "section")}. `,
      only.length ? [onlyMark(), ` marks what this role got and no other role of the turn: ${unique(only)}.`]
        : "Other roles of this turn got the same sections, or it was the only one."),
    h("p", { class: "row" },
      h("button", { type: "button", class: "small-button", onclick: (event) => all(event, true) }, "Open all"),
      h("button", { type: "button", class: "small-button", onclick: (event) => all(event, false) }, "Close all")),
    prompt.messages.map((message) => h("section", { class: "message" },
      h("h5", {}, `${message.role} message`), message.parts.map((part) => section(part, parts.length === 1)))),
  ];
}

const size = (parts) => parts.reduce((sum, part) => sum + part.text.length, 0);
const unique = (parts) => [...new Set(parts.map((part) => part.name))].join(", ");
export const onlyMark = () => h("span", { class: "tag only" }, "★ only this role");

function all(event, open) {
  for (const one of event.target.closest(".prompt").querySelectorAll(".section")) one.open = open;
}

function section(part, alone) {
  return h("details", { class: ["section", part.only && "is-only"], open: alone || part.only },
    h("summary", {}, h("span", { class: "name" }, part.name.replaceAll("_", " ")), " ",
      h("span", { class: "muted" }, `${part.text.length.toLocaleString("en")} characters`), " ", part.only && onlyMark()),
    longText(part.text));
}

/** Text as it came, the first part at once and the rest on demand. */
export function longText(text, label = "text") {
  let end = text.length <= FIRST * 1.3 ? text.length : cut(text, FIRST);
  const pre = h("pre", { class: "raw", tabindex: "0", role: "region", "aria-label": label }, text.slice(0, end));
  if (end === text.length) return pre;
  const more = h("button", { type: "button", class: "small-button" }, left());
  more.addEventListener("click", () => {
    const next = text.length - end <= PIECE * 1.3 ? text.length : cut(text, end + PIECE);
    pre.append(document.createTextNode(printable(text.slice(end, next))));
    end = next;
    if (end === text.length) more.remove();
    else more.textContent = left();
  });
  function left() {
    const rest = text.length - end;
    return `Show ${rest > PIECE * 1.3 ? "more of" : "the other"} ${rest.toLocaleString("en")} characters`;
  }
  return h("div", { class: "long" }, pre, more);
}

/** After a line, where one ends near. */
function cut(text, end) {
  const line = text.lastIndexOf("\n", end);
  return line > end - 400 && line > 0 ? line + 1 : end;
}
