// Makes elements. Text reaches the page only as text nodes, so that what a model wrote is never read as HTML.

const SVG = "http://www.w3.org/2000/svg";
const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
const SAFE_ADDRESS = /^(#|\/(?!\/)|\.{0,2}\/|figures\/|data:image\/(png|svg\+xml)[;,]|blob:)/;

/** A text without control characters and signs of writing direction, which would turn what stands beside it around. */
export function printable(text) {
  return String(text).replace(HIDDEN, "\ufffd");
}

/**
 * An HTML element. `props`: attributes; `onclick` and the like are functions; `class` may be a list (false entries
 * are left out); `style` is an object of properties; `dataset` an object; true sets an empty attribute, false,
 * null and undefined set none. `children`: elements, strings, numbers, lists; null and false are left out.
 */
export function h(tag, props, ...children) {
  return fill(document.createElement(tag), props, children);
}

/** The same for SVG. */
export function svg(tag, props, ...children) {
  return fill(document.createElementNS(SVG, tag), props, children);
}

/** Puts these children in the place of all that the element holds. */
export function replace(element, ...children) {
  element.replaceChildren(...nodes(children));
  return element;
}

function fill(element, props, children) {
  for (const [name, value] of Object.entries(props ?? {})) set(element, name, value);
  element.append(...nodes(children));
  return element;
}

function nodes(children) {
  return children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false)
    .map((child) => (child instanceof Node ? child : document.createTextNode(printable(child))));
}

function set(element, name, value) {
  if (value === null || value === undefined || value === false) return;
  if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
  else if (name === "class") element.setAttribute("class", [value].flat().filter(Boolean).join(" "));
  else if (name === "dataset") Object.assign(element.dataset, value);
  else if (name === "style") for (const [key, one] of Object.entries(value)) element.style.setProperty(key, one);
  else if (name === "value" && "value" in element) element.value = value;
  else if (name === "href" || name === "src") address(element, name, String(value));
  else element.setAttribute(name, value === true ? "" : printable(value));
}

/** Addresses of this page alone: no other host, no `javascript:`. */
function address(element, name, value) {
  if (!SAFE_ADDRESS.test(value)) throw new Error(`an address outside the page: ${value}`);
  element.setAttribute(name, value);
}

/** A number as a reader wants it: `-` for none, a true minus sign, no trailing zeros. */
export function number(value, digits = 2) {
  if (value === null || value === undefined || value === "" || Number.isNaN(Number(value))) return "–";
  const text = Number(value).toFixed(digits);
  const short = text.includes(".") ? text.replace(/\.?0+$/, "") : text;
  return (short === "-0" ? "0" : short).replace("-", "−");
}

/** A text of so many characters at most. */
export const shortened = (text, most) => (text.length > most ? `${text.slice(0, most)} …` : text);

/** `1 turn`, `2 turns`. */
export function plural(count, word, many = `${word}s`) {
  return `${count.toLocaleString("en")} ${count === 1 ? word : many}`;
}

/** An empty, loading or error state: says what is the matter and, where there is one, what to do. */
export function notice(kind, text, ...more) {
  return h("div", { class: ["notice", kind], role: kind === "error" ? "alert" : "status" }, h("p", {}, text.charAt(0).toUpperCase() + text.slice(1)), more);
}
