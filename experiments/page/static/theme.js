// Light, dark, or as the system says. Kept in this browser only.
import { h } from "page/dom";

const NEXT = { auto: "light", light: "dark", dark: "auto" };
const SIGN = { auto: "◐", light: "☀", dark: "☾" };

/** What was chosen before: `keep("columns")` reads, `keep("columns", value)` writes. Works without storage, too. */
export function keep(name, value) {
  try {
    if (value === undefined) return JSON.parse(localStorage.getItem(`hanabi.${name}`));
    localStorage.setItem(`hanabi.${name}`, JSON.stringify(value));
  } catch {
    return null;
  }
  return value;
}

/** Sets the colours as chosen before; called once, before anything is drawn. */
export function applyTheme() {
  const chosen = keep("theme") ?? "auto";
  if (chosen === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = chosen;
  return chosen;
}

/** A button that goes through automatic, light and dark. */
export function themeButton() {
  const button = h("button", { type: "button", class: "icon", onclick: turn });
  function turn() {
    keep("theme", NEXT[applyTheme()]);
    name();
  }
  function name() {
    const theme = applyTheme();
    button.textContent = SIGN[theme];
    const says = `Colours: ${theme === "auto" ? "as the system" : theme}`;
    button.title = says;
    button.setAttribute("aria-label", says);
  }
  name();
  return button;
}
