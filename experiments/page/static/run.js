// The run page: what was run, the arms and their scores, the figures, and the table of games.
import { h, notice, plural, replace } from "page/dom";
import { file, get } from "page/data";
import { link, patch, read } from "page/router";
import { armsTable } from "page/arms";
import { openDialog } from "page/dialog";
import { rolesPanel } from "page/roles";
import { chooser, filterBar } from "page/filters";
import { follow } from "page/live";
import { defaults, makeTable } from "page/table";
import { keep } from "page/theme";

/** The run page is one page, whatever its filters are. */
export const same = () => true;

/** `params`: the filters, the search `q` and the order `sort` of the table of games. */
export function mount(root, params, shell) {
  const page = new RunPage(root, params, shell);
  page.load();
  return { update: (changed) => page.update(changed), unmount: () => page.unmount() };
}

class RunPage {
  constructor(root, params, shell) {
    Object.assign(this, { root, params, shell, run: null, games: null });
  }

  async load() {
    this.shell.way([["Run", null]]);
    replace(this.root, notice("loading", "Reading the run …"));
    try {
      [this.run, this.games] = await Promise.all([get("run"), get("games")]);
    } catch (error) {
      return replace(this.root, notice("error", `The run could not be read: ${error.message}`));
    }
    if (this.gone) return null;
    this.build();
    this.draw();
    this.end = follow(() => this.renew(), (error) => this.trouble(error));
    return null;
  }

  build() {
    this.parts = Object.fromEntries(["head", "arms", "roles", "figures", "filters", "trouble"].map((name) => [name, h("div", { class: `${name}-slot` })]));
    this.search = h("input", { type: "search", "aria-label": "Search games", placeholder: "Search games  ( / )", value: this.params.q ?? "",
      oninput: () => patch({ q: this.search.value }, { replace: true }) });
    this.count = h("p", { class: "muted small num", role: "status" });
    this.columns = h("div", { class: "columns-slot" });
    this.table = makeTable({ onSort: (sort) => patch({ sort }, { replace: true }) });
    replace(this.root, this.parts.trouble, this.parts.head, this.parts.arms, this.parts.roles, this.parts.figures,
      h("section", { class: "games panel", "aria-labelledby": "games-title" },
        h("div", { class: "games-head" }, h("h2", { id: "games-title" }, "Games"), this.count, this.search, this.columns),
        this.parts.filters, this.table.element));
    this.shell.keys([{ title: "Games", keys: [
      { keys: ["/"], says: "search", does: () => this.search.focus() },
      { keys: ["ArrowDown"], says: "to the games; then from row to row", does: () => this.table.focus() },
      { keys: ["ArrowUp"], says: "the row above" }, { keys: ["Enter"], says: "open the game" },
      { keys: ["Escape"], says: "all games again", does: () => this.clear() },
    ] }]);
  }

  draw() {
    const { run } = this;
    this.shell.way([[run.name, null]]);
    replace(this.parts.head, head(run));
    this.once("arms", JSON.stringify([run.arms, run.baseline, run.metric, run.conclusions]), () => armsTable(run));
    this.once("roles", JSON.stringify(run.roles ?? null), () => rolesPanel(run));
    this.once("figures", JSON.stringify([run.figures, run.report]), () => figures(run));
    this.drawGames();
  }

  /** Draws a part again only when its data changed, so that nothing jumps while a run is going. */
  once(name, data, make) {
    if (this.parts[name].dataset.drawn === data) return;
    replace(this.parts[name], make());
    this.parts[name].dataset.drawn = data;
  }

  drawGames() {
    const { run, games, params } = this;
    this.once("filters", JSON.stringify([params, games.version]), () => filterBar(games, params));
    const kept = keep(`columns.${run.name}`);
    const shown = Array.isArray(kept) ? kept : defaults(run.columns);
    if (!this.columns.querySelector("details[open]")) replace(this.columns, chooser(run.columns, shown, (chosen) => this.choose(chosen)));
    const found = this.table.draw({ games, columns: run.columns, shown, params });
    this.count.textContent = found === games.rows.length ? plural(found, "game") : `${found.toLocaleString("en")} of ${plural(games.rows.length, "game")}`;
    if (document.activeElement !== this.search && this.search.value !== (params.q ?? "")) this.search.value = params.q ?? "";
  }

  choose(chosen) {
    keep(`columns.${this.run.name}`, chosen);
    this.drawGames();
  }

  update(params) {
    this.params = params;
    if (!this.run) return;
    if (document.activeElement?.closest(".arms, .figures")) this.root.querySelector(".games").scrollIntoView({ block: "start" });
    const held = document.activeElement?.dataset?.key;
    this.drawGames();
    if (held) this.root.querySelector(`[data-key="${CSS.escape(held)}"]`)?.focus({ preventScroll: true });
  }

  clear() {
    this.search.value = "";
    location.hash = link("run", { sort: read().params.sort });
  }

  async renew() {
    const [run, games] = await Promise.all([get("run"), get("games")]);
    if (this.gone) return;
    const held = document.activeElement?.dataset?.key;
    Object.assign(this, { run, games });
    this.draw();
    if (held && document.activeElement?.dataset?.key !== held) this.root.querySelector(`[data-key="${CSS.escape(held)}"]`)?.focus({ preventScroll: true });
  }

  trouble(error) {
    replace(this.parts.trouble, error && notice("error", `The page no longer hears from its server (${error.message}). What is shown may be old.`));
  }

  unmount() {
    this.gone = true;
    this.end?.();
  }
}

const SAYS = {
  simulated: "Simulated: programs that make mistakes on purpose stand in for language models.",
  "fake server": "Fake server: made-up answers of the package's own test server; they say nothing about a model.",
  programs: "Programs, not language models, play some or all of the seats.",
};

function head(run) {
  return [h("div", { class: "title-line" }, h("h1", {}, run.name), run.going && h("span", { class: "tag good" }, h("span", { class: "pulse", "aria-hidden": "true" }), "going"),
    run.report && file(run.report) && h("a", { href: file(run.report), target: "_blank", rel: "noopener" }, "report")),
  run.question && h("p", { class: "question" }, run.question),
  run.labels?.length > 0 && h("div", { class: "notice warn banner", role: "note" }, run.labels.map((label) => h("p", {}, SAYS[label] ?? label)))];
}

/** The link to the games that a figure is about, which may be those of one arm. */
const itsGames = ({ games }) => (games?.arm ? `games of ${games.arm}` : "its games");

/** A figure as large as the window, with what it shows. */
function enlarge(figure) {
  const dialog = openDialog(figure.title, "figure", h("img", { src: file(figure.file), alt: figure.caption ?? figure.title }), h("p", {}, figure.caption),
    h("p", {}, h("a", { href: link("run", figure.games ?? {}), onclick: () => dialog.close() }, itsGames(figure))));
}

function figures(run) {
  const shown = (run.figures ?? []).filter((figure) => file(figure.file));
  if (!shown.length) return null;
  return h("details", { class: "figures panel", open: keep("figures") === true, ontoggle: (event) => keep("figures", event.target.open) }, h("summary", {}, h("h2", {}, "Figures"), " ", h("span", { class: "muted small" }, `${shown.length} of the report`)),
    h("ul", { class: "gallery" }, shown.map((figure) => h("li", {}, h("figure", {},
      h("button", { type: "button", class: "enlarge", title: "Enlarge", onclick: () => enlarge(figure) }, h("img", { src: file(figure.file), alt: figure.caption ?? figure.title, loading: "lazy" })),
      h("figcaption", {}, h("span", {}, figure.title), " ", h("a", { href: link("run", figure.games ?? {}), "aria-label": `${itsGames(figure)}: ${figure.title}` }, itsGames(figure))))))));
}
