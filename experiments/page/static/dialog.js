// A dialog above the page: Esc, its button and a click beside it close it, and the focus goes back to where it was.
import { h } from "page/dom";

/** Opens a dialog with a title; `kind` is its class. Returns it. */
export function openDialog(title, kind, ...content) {
  const close = h("button", { type: "button", class: "icon", "aria-label": "Close", onclick: () => dialog.close() }, "✕");
  const dialog = h("dialog", { class: kind, "aria-label": title, onclose: () => dialog.remove() },
    h("header", {}, h("h2", {}, title), close), content);
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}
