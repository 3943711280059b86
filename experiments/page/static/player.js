// Plays a game turn by turn at one of several speeds.
import { h, replace } from "page/dom";
import { icon } from "page/icons";
import { keep } from "page/theme";

const SPEEDS = [0.5, 1, 2, 4, 8];

/** `makePlayer(step)` -> buttons and `{toggle(), stop(), faster(by)}`; `step()` returns false at the end. */
export function makePlayer(step) {
  let timer = null;
  let speed = SPEEDS.includes(keep("speed")) ? keep("speed") : 1;
  const button = h("button", { type: "button", class: "play", onclick: toggle });
  const select = h("select", { "aria-label": "Turns a second", title: "Turns a second (+ and −)", onchange: () => set(Number(select.value)) },
    SPEEDS.map((one) => h("option", { value: one }, `${one}×`)));
  function set(value) {
    speed = value;
    keep("speed", value);
    select.value = String(value);
    if (timer) (clearInterval(timer), begin());
  }
  function begin() {
    timer = setInterval(() => step() === false && stop(), 1000 / speed);
    name();
  }
  function stop() {
    clearInterval(timer);
    timer = null;
    name();
  }
  function toggle() {
    if (timer) return stop();
    if (step(true) !== false) begin();
  }
  function name() {
    replace(button, icon(timer ? "pause" : "play"));
    button.setAttribute("aria-label", timer ? "Pause" : "Play");
    button.title = `${timer ? "Pause" : "Play"} (space)`;
    button.setAttribute("aria-pressed", String(Boolean(timer)));
  }
  set(speed);
  name();
  return { button, select, toggle, stop, playing: () => timer !== null,
    faster: (by) => set(SPEEDS[Math.min(SPEEDS.length - 1, Math.max(0, SPEEDS.indexOf(speed) + by))]) };
}
