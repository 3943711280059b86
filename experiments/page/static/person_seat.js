// A person's seat: the table as they may see it, the moves that are legal, and the partners' moves one at a time.
import { h, notice, number, replace } from "page/dom";
import { post } from "page/data";
import { go, link } from "page/router";
import { board } from "page/board";
import { makeLog } from "page/log";
import { moveList, cardMoves } from "page/person_moves";
import { keep } from "page/theme";
import { ending, moveWords } from "page/words";

const PACES = { slow: 2000, normal: 1100, "at once": 0 };
const ASK = { yours: 3000, theirs: 350 };

/** Draws the seat of `params` and keeps it up to date. */
export function seatPage(root, params, shell) {
  const page = new SeatPage(root, params, shell);
  page.begin();
  return { update() {}, unmount: () => page.unmount() };
}

class SeatPage {
  constructor(root, params, shell) {
    Object.assign(this, { root, shell, seat: Number(params.seat), id: params.id, token: params.token });
    this.turns = [];
    /** The turn that is drawn; null for the newest. */
    this.at = null;
    /** The last turn that was shown, at the pace of the partners' moves. */
    this.reached = 0;
    this.began = Date.now();
  }

  ask(name, more) {
    return post(`person/${name}`, { id: this.id, seat: this.seat, token: this.token, ...more });
  }

  async begin() {
    this.shell.way([["Run", "#/"], ["Play a game", link("person")], [`P${this.seat}`, null]]);
    replace(this.root, notice("loading", "Taking the seat …"));
    try {
      this.data = await this.dealt();
    } catch (error) {
      return replace(this.root, notice("error", error.message, h("p", {}, h("a", { href: link("person") }, "Play another game"))));
    }
    if (this.gone) return null;
    if (!this.data.turns.length) {
      const again = h("button", { type: "button", class: "primary", onclick: () => this.begin() }, "Try again");
      return replace(this.root, notice("warn", this.data.why, h("p", {}, again)));
    }
    this.take(this.data);
    this.reached = this.turns.length;
    this.build();
    this.draw();
    this.loop();
    return null;
  }

  /** The seat, as soon as the cards are dealt or the game has stopped before that. */
  async dealt() {
    let data = await this.ask("seat", { since: 1 });
    while (!this.gone && !data.turns.length && data.state === "going") {
      await new Promise((then) => setTimeout(then, ASK.theirs));
      data = await this.ask("seat", { since: 1, wait: true });
    }
    return data;
  }

  take(data) {
    this.data = data;
    for (const turn of data.turns) this.turns[turn.turn - 1] = turn;
  }

  async loop() {
    while (!this.gone) {
      const wait = this.data.yours || this.data.state !== "going" ? ASK.yours : ASK.theirs;
      await new Promise((then) => { this.wake = then; this.timer = setTimeout(then, wait); });
      if (this.gone) return;
      if (!document.hidden || this.urgent) await this.renew();
    }
  }

  async renew(more = { wait: true }) {
    this.urgent = false;
    try {
      const before = JSON.stringify([this.data.state, this.data.yours, this.turns.length, this.data.why]);
      this.take(await this.ask("seat", { since: Math.max(this.turns.length, 1), ...more }));
      this.trouble(null);
      if (this.reached < this.turns.length) this.pace();
      else if (before !== JSON.stringify([this.data.state, this.data.yours, this.turns.length, this.data.why])) this.draw();
      else this.drawStatus();
    } catch (error) {
      this.trouble(error);
    }
  }

  /** Shows one new move after the other. */
  pace() {
    if (this.pacing) return;
    const wait = PACES[this.pacer.value] ?? PACES.normal;
    const step = () => {
      if (this.gone) return;
      this.reached = wait ? Math.min(this.reached + 1, this.turns.length) : this.turns.length;
      if (this.reached < this.turns.length) this.pacing = setTimeout(step, wait);
      else this.pacing = null;
      this.draw();
    };
    this.draw();
    this.pacing = wait ? setTimeout(step, wait) : null;
    if (!wait) step();
  }

  skip() {
    clearTimeout(this.pacing);
    Object.assign(this, { pacing: null, reached: this.turns.length, at: null });
    this.draw();
  }

  build() {
    this.parts = Object.fromEntries(["trouble", "head", "board", "since", "moves"].map((name) => [name, h("div", { class: `${name}-slot` })]));
    this.log = makeLog({ onGo: (turn) => this.look(turn) });
    this.status = h("p", { class: "person-status", role: "status" });
    this.pacer = h("select", { "aria-label": "Pace of the partners' moves", onchange: () => keep("pace", this.pacer.value) },
      Object.keys(PACES).map((name) => h("option", { value: name, selected: name === (keep("pace") ?? "normal") }, name)));
    this.list = moveList({ onMove: (text, why) => this.move(text, why), onPreview: (move) => this.preview(move) });
    this.tools = h("p", { class: "person-tools small" }, h("label", {}, "Pace ", this.pacer),
      h("button", { type: "button", onclick: () => this.leave() }, "Leave; go on later"));
    replace(this.root, this.parts.trouble, this.parts.head,
      h("div", { class: "person-body" },
        h("div", { class: "person-table" }, this.status, this.parts.board),
        h("div", { class: "person-side" }, this.parts.since, this.parts.moves, this.list.element, this.log.element, this.tools)));
    this.shell.keys([{ title: "Your move", keys: [
      { keys: ["m"], says: "to the list of moves; arrow keys go through it, Enter makes the move", does: () => this.list.focus() },
      { keys: ["t"], says: "type a move, e.g. play 2 or hint P1 red", does: () => this.list.type() },
      { keys: [" "], says: "show all moves that were made at once", does: () => this.skip() },
    ] }, { title: "Look back", keys: [
      { keys: ["ArrowLeft"], says: "the turn before", does: () => this.look(this.number - 1) },
      { keys: ["ArrowRight"], says: "the next turn", does: () => this.look(this.number + 1) },
      { keys: ["End", "Escape"], says: "back to now", does: () => this.look(this.turns.length) },
    ] }]);
  }

  get number() {
    return this.at ?? this.reached;
  }

  get mine() {
    return this.data.yours && this.at === null && this.reached === this.turns.length;
  }

  look(turn) {
    const wanted = Math.max(1, Math.min(turn, this.reached));
    this.at = wanted === this.turns.length ? null : wanted;
    this.draw();
  }

  draw() {
    const { data } = this;
    const turn = this.shown();
    const over = data.state === "over" && this.reached === this.turns.length;
    replace(this.parts.head, this.head(over));
    this.drawStatus();
    closeMenus();
    replace(this.parts.board, board({ game: this.game(), turn, view: String(this.seat), onCard: (seat, slot) => this.card(seat, slot) }));
    this.parts.board.querySelectorAll(".seat")[this.seat]?.classList.add("own");
    replace(this.parts.since, over ? null : this.since());
    this.list.element.hidden = this.tools.hidden = over;
    replace(this.parts.moves, this.notices(over));
    this.list.draw(this.mine ? data.legal : []);
    const told = this.turns.slice(0, this.reached).filter((one, place) => one.move && (place + 1 < this.reached || this.reached < this.turns.length));
    this.log.draw({ game: { turns: told, result: null }, values: null, number: Math.min(this.number, told.length) });
  }

  /** The frame to draw; when the game is over, the last one is nobody's turn. */
  shown() {
    const turn = this.turns[this.number - 1];
    return this.data.state === "over" && this.number === this.turns.length ? { ...turn, seat: null, final: true } : turn;
  }

  game() {
    return { seats: this.data.seats.map((one) => (one.seat === this.seat ? { ...one, graph: "you" } : one)) };
  }

  head(over) {
    const { data } = this;
    const partners = [...new Set(data.seats.filter((one) => one.graph !== "person").map((one) => [one.graph, one.model !== "program" && one.model].filter(Boolean).join(" on ")))];
    const others = data.seats.filter((one) => one.graph === "person" && one.seat !== this.seat).map((one) => `P${one.seat}`);
    return h("div", { class: "title-line" }, h("h1", {}, `You are P${this.seat}`),
      h("span", { class: ["tag", over ? "good" : this.mine ? "warn" : ""] }, over ? "over" : this.mine ? "your turn" : data.state === "stopped" ? "stopped" : "going"),
      h("span", { class: "muted small" }, [`${data.players} players`, partners.length && `partners: ${partners.join(", ")}`, others.length && `persons too: ${others.join(", ")}`].filter(Boolean).join(" · ")));
  }

  drawStatus() {
    const turn = this.turns[this.number - 1];
    const parts = this.at !== null ? [`Looking back at turn ${this.at}: `, ...moveWords(turn), " ", h("button", { type: "button", class: "plain", onclick: () => this.look(this.turns.length) }, "Back to now")]
      : this.mine ? [h("b", {}, "Your turn."), " Click a card or a move."]
        : this.reached < this.turns.length ? [`Turn ${turn.turn}: `, ...moveWords(turn)]
          : this.data.state === "over" ? ["The game is over."]
            : this.data.state === "stopped" ? ["The game has stopped."] : [`P${turn.seat} is thinking … `, this.waited()];
    const now = parts.map((one) => one?.textContent ?? one).join("");
    if (this.status.dataset.says !== now) replace(this.status, parts);
    this.status.dataset.says = now;
  }

  /** Seconds since somebody else is to move, once they are worth saying. */
  waited() {
    if (this.waitedFor !== this.turns.length) Object.assign(this, { waitedFor: this.turns.length, began: Date.now() });
    const seconds = Math.floor((Date.now() - this.began) / 1000);
    return seconds >= 2 ? `${seconds} s` : "";
  }

  /** The moves since one's own last turn. */
  since() {
    const shown = this.turns.slice(0, this.reached);
    if (this.reached === this.turns.length && !shown.at(-1).move) shown.pop();
    const own = shown.findLastIndex((turn) => turn.seat === this.seat);
    const made = shown.slice(Math.max(own, 0));
    return h("section", { class: "panel since" }, h("h2", {}, own < 0 ? "So far" : "Your last turn, and since"),
      made.length ? h("ul", {}, made.map((turn) => h("li", { class: [turn.move.to === this.seat && "to-you", turn.scored === false && "lost"] }, moveWords(turn)))) : h("p", { class: "muted" }, this.turns[0].seat === this.seat ? "You make the first move." : "Nobody has moved yet."));
  }

  notices(over) {
    const { data } = this;
    if (over) return this.ended();
    if (data.state !== "stopped") return null;
    return notice("warn", data.why, h("p", {}, h("button", { type: "button", class: "primary", onclick: () => this.renew({ wait: false }) }, "Go on")));
  }

  ended() {
    const told = ending({ ...this.data, turns: this.turns, state: "finished" });
    return h("section", { class: ["ending", told.kind] }, h("h2", {}, told.title), h("p", {}, told.text),
      h("p", { class: "small" }, this.data.result.seed !== null && `The deal was that of seed ${number(this.data.result.seed, 0)}.`),
      h("p", {}, h("a", { href: link("game", { id: this.id }) }, "Look at the game with all cards and everybody's reasons")),
      h("p", {}, h("a", { href: link("person") }, "Play another game")));
  }

  card(seat, slot) {
    if (!this.mine) return;
    const anchor = this.parts.board.querySelector(`[data-key="card-${seat}-${slot}"]`);
    cardMoves({ anchor, legal: this.data.legal, own: this.seat, seat, slot, turn: this.turns.at(-1), onPreview: (move) => this.preview(move), onMove: (move) => this.move(move.text, this.list.why()) });
  }

  /** Marks the cards that a move is about. */
  preview(move) {
    for (const card of this.parts.board.querySelectorAll(".slot.previewed")) card.classList.remove("previewed");
    if (!move) return;
    const [seat, slots] = move.type === "hint" ? [move.to, move.slots] : [this.seat, [move.slot]];
    for (const slot of slots) this.parts.board.querySelector(`[data-key="card-${seat}-${slot}"]`)?.classList.add("previewed");
  }

  async move(text, why) {
    if (!this.mine || this.moving) return;
    this.moving = true;
    this.list.draw([]);
    try {
      const answer = await this.ask("move", { turn: this.turns.length, move: text, why });
      if (!answer.taken) {
        this.list.draw(this.data.legal);
        return void this.list.say(answer.why);
      }
      this.list.clear();
      this.data = { ...this.data, yours: false, legal: [] };
      await this.renew();
      this.urgent = true;
      this.wake?.();
    } catch (error) {
      this.list.draw(this.mine ? this.data.legal : []);
      this.list.say(error.message);
    } finally {
      this.moving = false;
    }
  }

  async leave() {
    try {
      await this.ask("leave");
      go("person");
    } catch (error) {
      this.trouble(error);
    }
  }

  trouble(error) {
    replace(this.parts.trouble, error && notice("error", error.message));
  }

  unmount() {
    this.gone = true;
    clearTimeout(this.timer);
    clearTimeout(this.pacing);
    this.wake?.();
    closeMenus();
  }
}

function closeMenus() {
  document.querySelectorAll(".card-menu").forEach((menu) => menu.remove());
}
