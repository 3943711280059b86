// The game page: the table at a turn, the strip over all turns, the moves, and the turn panel beside them.
import { h, notice, replace } from "page/dom";
import { get, live } from "page/data";
import { go, link, read } from "page/router";
import { board } from "page/board";
import { icon } from "page/icons";
import { heading } from "page/heading";
import { follow } from "page/live";
import { makeLog } from "page/log";
import { gameKeys } from "page/game_keys";
import { makePlayer } from "page/player";
import { afterLast } from "page/position";
import { makeStrip } from "page/strip";
import { keep } from "page/theme";
import { ending, marks, moveWords } from "page/words";

/** The page stays while the address names the same game. */
export const same = (before, after) => before.id === after.id;

/** `params`: id, and turn (a number or "end"), seat or view ("acting", "open"). */
export function mount(root, params, shell) {
  const page = new GamePage(root, params, shell);
  page.load();
  return { update: (changed) => page.update(changed), unmount: () => page.unmount() };
}

class GamePage {
  constructor(root, params, shell) {
    Object.assign(this, { root, params, shell, game: null, values: null, spoilers: keep("answers") !== false, ends: [] });
  }

  async load() {
    this.shell.way([["Run", link("run")], [this.params.id ?? "game", null]]);
    replace(this.root, notice("loading", `Loading the game ${this.params.id} …`));
    try {
      this.game = await get("game", { id: this.params.id });
    } catch (error) {
      return replace(this.root, notice("error", error.message, h("p", {}, h("a", { href: link("run") }, "Back to the run"))));
    }
    if (this.gone) return null;
    this.build();
    this.draw();
    this.ends.push(follow(() => this.renew()));
    if (keep("values") === true || !live) this.ask({ quietly: !live });
    return null;
  }

  build() {
    const goTo = (number) => this.goTo(number);
    this.player = makePlayer((first) => this.step(first));
    this.strip = makeStrip({ onGo: goTo, onAsk: () => this.ask() });
    this.log = makeLog({ onGo: goTo });
    this.parts = Object.fromEntries(["head", "said", "board", "mistakes", "panel"].map((name) => [name, h("div", { class: `${name}-slot` })]));
    this.parts.said.setAttribute("aria-live", "polite");
    this.tools = h("div", { class: "tools panel", role: "toolbar", "aria-label": "Turns and views" });
    replace(this.root, this.parts.head, this.strip.element, this.tools, this.parts.mistakes,
      h("div", { class: "game-body" },
        stays(h("div", { class: ["play-col", "panel", `players-${this.game.players}`] }, this.parts.said, this.parts.board, this.log.element)), this.parts.panel));
    replace(this.tools, this.toolButtons());
    this.shell.keys(gameKeys(this));
    replace(this.parts.head, heading(this.game, () => this.player.stop()));
  }

  toolButtons() {
    const button = (sign, label, key, onclick) => h("button", { type: "button", "aria-label": label, title: `${label} (${key})`, onclick }, icon(sign));
    this.view = h("select", { "aria-label": "View", title: "Whose view (v)", onchange: () => this.setView(this.view.value) },
      [["acting", "as the acting seat sees it"], ...this.game.seats.map((one) => [String(one.seat), `as P${one.seat} sees it`]), ["open", "all cards open"]]
        .map(([value, text]) => h("option", { value }, text)));
    this.answers = h("input", { type: "checkbox", onchange: () => this.setAnswers(this.answers.checked) });
    this.answers.checked = this.spoilers;
    this.place = h("span", { class: "turn-place num" });
    this.copied = h("button", { type: "button", onclick: () => this.copy() }, "Copy link");
    return [
      h("div", { class: "group" }, button("first", "First turn", "Home", () => this.goTo(1)), button("previous", "Previous turn", "←", () => this.by(-1)),
        this.player.button, button("next", "Next turn", "→", () => this.by(1)), button("last", "End", "End", () => this.goTo(this.last)), this.player.select, this.place),
      h("div", { class: "group" }, button("mistakeBack", "Previous mistake", "p", () => this.mistake(-1)), button("mistakeOn", "Next mistake", "n", () => this.mistake(1)),
        h("label", { class: "check small" }, this.answers, " show mistakes and values"),
        h("a", { class: "small", href: link("better", { id: this.game.id }) }, "Find the better move")),
      h("div", { class: "group" }, this.view, this.copied)];
  }

  /** The number after the last turn stands for the final position, where the game has one. */
  get last() {
    return this.game.turns.length + (this.game.result ? 1 : 0);
  }

  get number() {
    const { turn } = this.params;
    if (turn === "end") return this.last;
    const asked = Number.parseInt(turn ?? "1", 10);
    return Math.min(this.last, Math.max(1, Number.isNaN(asked) ? 1 : asked));
  }

  get turn() {
    const { turns } = this.game;
    return turns[this.number - 1] ?? (turns.length ? afterLast(turns.at(-1)) : null);
  }

  get viewName() {
    const { seat, view } = this.params;
    if (seat !== undefined && this.game.seats[Number(seat)]) return String(Number(seat));
    return view === "open" ? "open" : "acting";
  }

  draw() {
    const { turn, number } = this;
    if (!turn) return replace(this.parts.board, notice("warn", "The game has begun, but no turn has."));
    const held = document.activeElement?.dataset?.key;
    replace(this.parts.said, this.said(turn));
    replace(this.parts.board, board({ game: this.game, turn, view: this.viewName }));
    const values = this.spoilers ? this.values : this.values && { ...this.values, expected: [], error: [], mistakes: [] };
    this.strip.draw({ game: this.game, values, number });
    this.log.draw({ game: this.game, values, number });
    this.place.textContent = turn.final ? "final position" : `turn ${number} of ${this.game.turns.length}`;
    this.view.value = this.viewName;
    if (held) this.root.querySelector(`[data-key="${CSS.escape(held)}"]`)?.focus({ preventScroll: true });
    this.drawMistakes(values);
    this.drawPanel(turn);
    return null;
  }

  /** What happened in the turn, in words; read out to those who listen. */
  said(turn) {
    const mistake = this.spoilers && this.values?.mistakes?.find((one) => one.turn === turn.turn);
    const found = marks(turn, mistake).filter((one) => one.kind !== "life");
    const over = turn.final || (!turn.move && this.game.state === "going") ? ending(this.game) : null;
    return [h("h2", { class: "said" }, h("span", { class: "muted num" }, turn.final ? "End" : `Turn ${turn.turn}`), " ", over?.title && turn.final ? over.title : moveWords(turn)),
      over && h("p", { class: ["ending", over.kind] }, turn.final ? over.text : `${over.title}. ${over.text}`),
      turn.why && h("p", { class: "why" }, turn.why),
      h("p", { class: "said-marks" }, found.map((one) => h("span", { class: ["tag", TONE[one.kind]] }, h("b", { "aria-hidden": "true" }, `${one.sign} `), one.says)),
        (turn.refused ?? []).map((one) => h("span", { class: "small muted refusal" }, `refused: ${one.move?.text ?? one.move} by ${one.by}: ${one.why}`)),
        mistake && h("a", { class: "small", href: link("better", { id: this.game.id, turn: turn.turn }) }, "find the better move"))];
  }

  /** The list of all mistakes, once they are known. */
  async drawMistakes(values) {
    const key = values?.ready && !values.failed && this.spoilers ? `${this.game.id} ${values.mistakes.map((one) => one.turn)}` : "";
    if (key === this.mistakesKey) return;
    this.mistakesKey = key;
    if (!key) return void replace(this.parts.mistakes);
    const { mistakesBlock } = await import("page/mistakes");
    replace(this.parts.mistakes, mistakesBlock({ id: this.game.id, mistakes: values.mistakes }));
  }

  /** The turn panel comes a moment later, so that leafing through turns asks for nothing in between. */
  drawPanel(turn) {
    const soFar = turn.move ? "" : `${turn.calls} ${turn.tokens_out} ${turn.seconds}`;
    const key = `${turn.turn} ${turn.final ?? ""} ${this.spoilers} ${turn.move?.text} ${this.game.state} ${soFar}`;
    if (key === this.panelKey) return;
    const first = this.panelKey === undefined;
    this.panelKey = key;
    clearTimeout(this.panelTimer);
    this.panelTimer = setTimeout(() => this.fillPanel(turn), first ? 0 : 160);
  }

  async fillPanel(turn) {
    const shown = turn.final ? this.game.turns.length : turn.turn;
    try {
      const { turnData, turnPanel } = await import("page/turn");
      const key = this.panelKey;
      if (!this.parts.panel.hasChildNodes()) replace(this.parts.panel, notice("loading", `Loading turn ${shown} …`));
      const data = await turnData(this.game.id, shown).catch(() => null); // the old panel stays until then; the new one says what failed
      if (!this.gone && key === this.panelKey) replace(this.parts.panel, h("div", { class: "panel" }, turnPanel({ id: this.game.id, turn: shown, game: this.game, data, spoilers: this.spoilers })));
    } catch (error) {
      replace(this.parts.panel, notice("error", `The turn cannot be shown: ${error.message}`));
    }
  }

  update(params) {
    this.params = params;
    if (this.game) this.draw();
  }

  goTo(number, options) {
    const to = Math.min(this.last, Math.max(1, number));
    const turn = this.game.result && to === this.last ? "end" : to;
    go("game", { ...read().params, turn }, options);
  }

  by(step) {
    this.player.stop();
    this.goTo(this.number + step, { replace: true });
  }

  /** One step while playing; from the end it begins anew. */
  step(first) {
    if (first && this.number === this.last) this.goTo(1, { replace: true });
    else if (this.number < this.last) this.goTo(this.number + 1, { replace: true });
    return first || this.number < this.last;
  }

  /** The next turn of the seat that is to move now. */
  sameSeat(step) {
    const { seat } = this.turn;
    const turns = this.game.turns.filter((turn) => seat === null || turn.seat === seat);
    const found = step > 0 ? turns.find((turn) => turn.turn > this.number) : turns.findLast((turn) => turn.turn < this.number);
    if (found) this.goTo(found.turn, { replace: true });
  }

  async mistake(step) {
    if (!this.spoilers) this.setAnswers(true);
    if (!this.values?.ready) await this.ask();
    if (!this.values?.ready) return;
    const turns = this.values.mistakes.map((one) => one.turn).sort((a, b) => a - b);
    const found = step > 0 ? turns.find((turn) => turn > this.number) : turns.findLast((turn) => turn < this.number);
    if (found) this.goTo(found);
    else this.tell(turns.length ? `No ${step > 0 ? "later" : "earlier"} mistake.` : "No mistakes were found in this game.");
  }

  tell(text) {
    replace(this.parts.said, [...this.said(this.turn), h("p", { class: "small told", role: "status" }, text)]);
  }

  /** Asks for expected scores, again and again until they are ready. `quietly`: only whether they are there. */
  async ask({ quietly = false } = {}) {
    if (this.asking) return this.asking;
    this.asking = this.poll(quietly).finally(() => { this.asking = null; });
    return this.asking;
  }

  async poll(quietly) {
    if (!quietly) keep("values", true);
    this.values ??= { ready: false, done: 0 };
    for (let wait = 300; !this.gone; wait = Math.min(wait * 1.5, 3000)) {
      try {
        this.values = await get("strip", { id: this.game.id });
      } catch (error) {
        this.values = quietly ? null : { ready: false, failed: error.message };
      }
      if (this.gone) return;
      this.draw();
      if (!this.values || this.values.ready || this.values.failed) return;
      await new Promise((then) => setTimeout(then, wait));
    }
  }

  setView(value) {
    const { seat, view, ...rest } = read().params;
    go("game", { ...rest, ...(value === "acting" ? {} : value === "open" ? { view: "open" } : { seat: value }) }, { replace: true });
  }

  cycleView(step) {
    const names = ["acting", ...this.game.seats.map((one) => String(one.seat)), "open"];
    this.setView(names[(names.indexOf(this.viewName) + step + names.length) % names.length]);
  }

  setAnswers(shown) {
    this.spoilers = shown;
    this.answers.checked = shown;
    keep("answers", shown);
    this.draw();
  }

  async copy() {
    const text = location.href;
    try {
      await navigator.clipboard.writeText(text);
      this.copied.textContent = "Copied";
    } catch {
      this.copied.textContent = "Copy it from the address bar";
    }
    setTimeout(() => { this.copied.textContent = "Copy link"; }, 1500);
  }

  /** The journal has grown: the same turn stays, unless one was looking at the last one. */
  async renew() {
    const atEnd = this.number === this.last && this.params.turn !== undefined;
    const before = this.game;
    const found = await get("game", { id: this.params.id });
    if (this.gone || JSON.stringify(found) === JSON.stringify(before)) return;
    this.game = found;
    replace(this.parts.head, heading(found, () => this.player.stop()));
    if (this.values?.ready && found.turns.length !== before.turns.length) this.ask();
    if (atEnd && this.number !== this.last) this.goTo(this.last, { replace: true });
    else this.draw();
  }

  unmount() {
    this.gone = true;
    this.player?.stop();
    clearTimeout(this.panelTimer);
    this.ends.forEach((end) => end());
  }
}

/** Keeps the board in sight beside a long turn panel; a board higher than the window scrolls to its lower end first. */
function stays(column) {
  const place = () => column.style.setProperty("top", `${Math.min(64, innerHeight - column.offsetHeight - 12)}px`);
  new ResizeObserver(place).observe(column);
  return column;
}

const TONE = { mistake: "bad", life: "bad", refused: "warn", forced: "warn", unusable: "warn", suspended: "warn", absent: "warn" };
