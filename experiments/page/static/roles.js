// The table of roles on the run page: each role's marks with their intervals and baselines, arm by arm.
import { h, number, replace } from "page/dom";
import { keep } from "page/theme";

/** A panel that is folded at first; nothing for a folder that is no run. */
export function rolesPanel(run) {
  const roles = run.roles;
  if (!roles) return null;
  const said = roles.why ? "not computed yet" : "their answers, marked against the hidden cards";
  return h("details", { class: "roles panel", open: keep("roles") === true, ontoggle: (event) => keep("roles", event.target.open) },
    h("summary", {}, h("h2", {}, "Roles"), " ", h("span", { class: "muted small" }, said)),
    roles.why ? h("p", { class: "muted" }, roles.why) : chosen(roles.arms));
}

/** The table of one arm, with a list to choose another. */
function chosen(arms) {
  const box = h("div", {});
  const draw = (place) => replace(box, table(arms[place]));
  const select = h("select", { "aria-label": "Arm", onchange: (event) => draw(Number(event.target.value)) },
    arms.map((one, place) => h("option", { value: String(place) }, one.label)));
  draw(0);
  return h("div", {}, arms.length > 1 && h("p", {}, h("label", {}, "Arm ", select)), box);
}

function table(arm) {
  if (!arm.marks.length) return h("p", { class: "muted" }, "No answer of this arm has a mark.");
  const head = (text, num = true) => h("th", { scope: "col", class: num && "num" }, text);
  const roles = [...new Set(arm.marks.map((one) => one.role))];
  return h("div", { class: "wide", tabindex: "0", "data-own-keys": true, role: "region", "aria-label": `marks of the roles, ${arm.label}` },
    h("table", {}, h("thead", {}, h("tr", {}, head("role", false), head("mark", false), head("mean"), head("95 %"), head("program"), head("uniform"), head("previous"), head("best"), head("replies"))),
      h("tbody", {}, roles.flatMap((role) => lines(role, arm.marks.filter((one) => one.role === role))))));
}

const cell = (text) => h("td", { class: "num" }, text);
const value = (one) => cell(one === null || one === undefined ? "–" : number(one, 2));

function lines(role, marks) {
  const program = marks.every((one) => one.models.length === 1 && one.models[0] === "program");
  return marks.map((one, at) => h("tr", {},
    at === 0 ? h("th", { scope: "rowgroup", rowspan: String(marks.length) }, role, program && h("span", { class: "muted small" }, " program")) : null,
    h("td", {}, one.says ? h("span", { class: "mark-name", tabindex: "0", title: one.says, "aria-label": `${one.name}: ${one.says}` }, one.name) : one.name),
    value(one.mean), cell(one.low === null ? "–" : `${number(one.low, 2)} to ${number(one.high, 2)}`),
    value(one.baselines.program), value(one.baselines.uniform), value(one.baselines.previous), value(one.best), cell(one.replies.toLocaleString("en"))));
}
