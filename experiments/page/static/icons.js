// Drawn signs of buttons, since fonts differ in which they hold.
import { svg } from "page/dom";

const PATHS = {
  first: "M5 4h2v16H5zM20 4v16L8 12z",
  previous: "M17 4v16L6 12z",
  play: "M6 3l15 9-15 9z",
  pause: "M5 4h5v16H5zM14 4h5v16h-5z",
  next: "M7 4v16l11-8z",
  last: "M17 4h2v16h-2zM4 4v16l12-8z",
  mistakeBack: "M9 12l9-8v16zM2 6h6l-3 8z",
  mistakeOn: "M6 4l9 8-9 8zM16 6h6l-3 8z",
};

/** The sign of a button, `currentColor`; its name belongs to the button. */
export function icon(name) {
  return svg("svg", { viewBox: "0 0 24 24", class: "icon-sign", "aria-hidden": "true" }, svg("path", { d: PATHS[name], fill: "currentColor" }));
}
