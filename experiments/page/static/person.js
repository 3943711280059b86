// Play a game: choose the partners and seats, or take a seat again. A seat is opened by a link with its token.
import { h, notice, replace } from "page/dom";
import { get, live, post } from "page/data";
import { go, link } from "page/router";
import { seatPage } from "page/person_seat";
import { keep } from "page/theme";

/** One seat is one page; the form is another. */
export const same = (before, after) => before.id === after.id && before.seat === after.seat && before.token === after.token;

/** `params`: none for the form; `id`, `seat` and `token` for a seat. */
export function mount(root, params, shell) {
  if (!live) {
    shell.way([["Run", "#/"], ["Play a game", null]]);
    replace(root, notice("error", "This is a copy without a server: open the folder with “orchestrator view” to play."));
    return {};
  }
  if (params.id) return seatPage(root, params, shell);
  shell.way([["Run", "#/"], ["Play a game", null]]);
  setupPage(root);
  return {};
}

async function setupPage(root) {
  replace(root, notice("loading", "Loading …"));
  try {
    const offered = await get("person");
    replace(root, h("h1", {}, "Play a game"),
      h("div", { class: "person-setup" }, form(offered, root), games(offered)));
  } catch (error) {
    replace(root, notice("error", error.message));
  }
}

function form(offered, root) {
  const partners = select("graph", [
    h("optgroup", { label: "Graphs of roles" }, offered.graphs.map((name) => option(name, name === "house"))),
    h("optgroup", { label: "Rule players" }, offered.partners.map((name) => option(name)))]);
  const model = select("model", offered.models.map((name) => h("option", { value: name }, name === "program" ? "none: exact programs" : name)));
  const players = select("players", [2, 3, 4, 5].map((count) => option(String(count), count === 3)));
  const seats = h("span", { class: "seat-boxes" });
  const seed = h("input", { type: "number", name: "seed", min: 0, max: 2147483647, step: 1, placeholder: "random", id: "person-seed" });
  const says = h("div", { "aria-live": "polite" });
  const draw = () => replace(seats, [...Array(Number(players.value)).keys()].map((seat) =>
    h("label", { class: "check" }, h("input", { type: "checkbox", name: "seat", value: seat, checked: seat === 0 }), ` P${seat}`)));
  players.addEventListener("change", draw);
  draw();
  const asked = () => ({ graph: partners.value, model: model.value, players: Number(players.value),
    seats: [...seats.querySelectorAll("input:checked")].map((box) => Number(box.value)), seed: seed.value === "" ? null : Number(seed.value) });
  return h("form", { class: "panel", onsubmit: (event) => { event.preventDefault(); begin(asked(), says, root); } },
    h("h2", {}, "A new game"),
    field("Partners", partners, "They sit on all other seats."),
    offered.models.length > 1 ? field("Model of the partners", model) : null,
    field("Players", players),
    h("fieldset", {}, h("legend", {}, "Seats of persons"), seats,
      h("p", { class: "muted small" }, "P0 moves first. Each seat gets a link of its own: two persons play in two browsers.")),
    field("Deal", seed, "The seed of a deal; a random one stays secret until the game has ended."),
    h("button", { type: "submit", class: "primary" }, "Begin"), says);
}

function field(label, control, more = null) {
  control.id ||= `person-${control.name}`;
  return h("p", { class: "field" }, h("label", { for: control.id }, label), control, more && h("span", { class: "muted small" }, more));
}

const select = (name, options) => h("select", { name, id: `person-${name}` }, options);
const option = (value, selected = false) => h("option", { value, selected }, value);

async function begin(asked, says, root) {
  if (!asked.seats.length) return replace(says, notice("error", "Choose at least one seat for a person."));
  replace(says, notice("loading", "Dealing …"));
  try {
    const made = await post("person/start", asked);
    const links = made.seats.map(({ seat, token }) => ({ seat, to: link("person", { id: made.id, seat, token }) }));
    remember(made.id, made.seats);
    if (links.length === 1) return go("person", { id: made.id, ...made.seats[0] });
    return replace(root, h("h1", {}, "The seats of your game"), h("p", {}, "Each link opens one seat, and shows what that player may see. Open each in a browser of its own."),
      h("ul", { class: "seat-links" }, links.map(({ seat, to }) => h("li", {}, h("a", { href: to }, `Take P${seat}`), " ", copyButton(to, seat)))));
  } catch (error) {
    return replace(says, notice("error", error.message));
  }
}

function copyButton(to, seat) {
  const button = h("button", { type: "button", onclick: async () => {
    const whole = new URL(to, location.href).href;
    try { await navigator.clipboard.writeText(whole); button.textContent = "Copied"; } catch { button.replaceWith(h("code", {}, whole)); }
  } }, `Copy the link of P${seat}`);
  return button;
}

/** This browser's own seats, so that it finds them again. */
function remember(id, seats) {
  const known = Object.entries({ ...(keep("seats") ?? {}), [id]: seats }).slice(-50);
  keep("seats", Object.fromEntries(known));
}

function games({ games: found }) {
  const known = keep("seats") ?? {};
  return h("section", { class: "panel" }, h("h2", {}, "Games"),
    found.length ? h("ul", { class: "person-games" }, found.map((one) => game(one, known[one.id] ?? [])))
      : h("p", { class: "muted" }, "No game has begun here yet."));
}

function game(one, seats) {
  const over = one.score !== null;
  const what = one.graph ? `${one.players} players, with ${one.graph}${one.model === "program" ? "" : ` on ${one.model}`}` : "";
  return h("li", {}, h("span", { class: ["tag", over ? "good" : "warn"] }, over ? `${one.score} points` : "not over"), " ",
    h("b", {}, one.id.replace(/^persons\//, "")), " ", h("span", { class: "muted small" }, what), " ",
    over ? h("a", { href: link("game", { id: one.id }) }, "Look at it with everybody's reasons")
      : seats.length ? seats.map(({ seat, token }) => [h("a", { href: link("person", { id: one.id, seat, token }) }, `Go on as P${seat}`), " "])
        : h("span", { class: "muted small" }, "opened by the links of its seats"));
}
