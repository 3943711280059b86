// Starts everything: header, theme, keys, and the page that the address names.
//
// A page is a module with `mount(root, params, shell) -> {update(params), unmount()}`. `update` is called when the
// address changes and still names the same thing (`same`, which the module may export; without it: any params).
import { h, notice, printable, replace } from "page/dom";
import { live } from "page/data";
import { read, link, watch } from "page/router";
import { sign } from "page/cards";
import { applyTheme, themeButton } from "page/theme";
import { listen, setKeys, showHelp } from "page/keys";

const PAGES = {
  run: () => import("page/run"),
  game: () => import("page/game"),
  compare: () => import("page/compare"),
  better: () => import("page/better"),
  person: () => import("page/person"),
};

const main = document.getElementById("main");
let shown = null;
let asked = 0;

/** What a page may use of the shell: the way in the header, the title and the keys. */
const shell = {
  /** `[["Run", "#/"], ["game 3", null]]`: the last one is where one is. */
  way(steps) {
    const nav = document.querySelector("#top nav");
    const parts = steps.map(([text, to]) => [
      h("span", { class: "muted", "aria-hidden": "true" }, "›"),
      to ? h("a", { href: to }, text) : h("span", { class: "here", "aria-current": "page" }, text)]);
    replace(nav, brand(), parts);
    document.title = printable(`${steps.at(-1)[0]} · Hanabi orchestrator`);
  },
  keys: setKeys,
};

const brand = () => h("a", { class: "brand", href: link("run") }, sign("Y"), "Hanabi orchestrator");

async function show({ page, params }) {
  const turn = ++asked;
  if (shown?.page === page && shown.same(shown.params, params)) {
    shown.params = params;
    return shown.handle.update?.(params);
  }
  shown?.handle.unmount?.();
  shown = null;
  setKeys([]);
  replace(main, notice("loading", "Loading …"));
  try {
    if (!PAGES[page]) throw new Error(`There is no page “${page}”.`);
    const module = await PAGES[page]();
    if (turn !== asked) return;
    const root = h("div", { class: `page ${page}` });
    replace(main, root);
    shown = { page, params, same: module.same ?? (() => true), handle: module.mount(root, params, shell) ?? {} };
    scrollTo(0, 0);
  } catch (error) {
    if (turn !== asked) return;
    replace(main, notice("error", error.message, h("p", {}, h("a", { href: link("run") }, "Back to the run"))));
  }
}

async function start() {
  applyTheme();
  const nav = h("nav", { "aria-label": "Where you are" }, brand());
  const help = h("button", { type: "button", class: "icon", "aria-label": "Keys", title: "Keys (?)", onclick: showHelp }, "?");
  replace(document.getElementById("top"), nav, live && h("a", { href: link("person"), class: "play-link" }, "Play a game"), themeButton(), help);
  listen();
  watch(show);
  await show(read());
}

start();
