// Asks whether something changed, while the run is going and somebody looks.
import { get } from "page/data";

const EVERY = 2000;

/** Calls `then()` whenever the run's version changes. Returns a function that ends it. */
export function follow(then, onTrouble = () => {}) {
  let seen = null;
  let timer = null;
  let ended = false;
  async function look() {
    let going = true;
    try {
      if (!document.hidden) {
        const found = await get("version");
        going = found.going;
        if (ended) return;
        onTrouble(null);
        const changed = seen !== null && seen !== found.version;
        seen = found.version;
        if (changed) await then();
      }
    } catch (error) {
      onTrouble(error);
    }
    if (!ended && (going || document.hidden)) timer = setTimeout(look, EVERY);
  }
  const wake = () => { if (!document.hidden && !ended) { clearTimeout(timer); look(); } };
  document.addEventListener("visibilitychange", wake);
  look();
  return () => { ended = true; clearTimeout(timer); document.removeEventListener("visibilitychange", wake); };
}
