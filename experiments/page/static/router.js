// The address after `#` is the page's state: `#/game?id=full/3p-s1-r1&turn=12&seat=1`. Back, forward and copied
// links work because nothing else is.

/** `{page, params}` of an address; the run page when there is none. */
export function read(hash = location.hash) {
  const [path, query = ""] = hash.replace(/^#\/?/, "").split(/\?(.*)/s);
  return { page: path || "run", params: Object.fromEntries(new URLSearchParams(query)) };
}

/** The address of a page: `link("game", {id: "full/3p-s1-r1"})`. Params that are null or "" are left out. */
export function link(page, params = {}) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) {
    if (value !== null && value !== undefined && value !== "") query.set(name, String(value));
  }
  const text = query.toString().replaceAll("%2F", "/").replaceAll("%3A", ":").replaceAll("%2C", ",");
  return `#/${page === "run" ? "" : page}${text ? `?${text}` : ""}`;
}

/** Goes to a page. `replace` takes the place of this entry of the history, so that Back goes past it. */
export function go(page, params = {}, { replace = false } = {}) {
  const to = link(page, params);
  if (to === location.hash || (to === "#/" && !location.hash)) return;
  history[replace ? "replaceState" : "pushState"](null, "", to);
  dispatchEvent(new Event("moved"));
}

/** Changes some params of the page one is on. */
export function patch(changes, options) {
  const { page, params } = read();
  go(page, { ...params, ...changes }, options);
}

/** Calls `then({page, params})` at every change of the address. Returns a function that ends it. */
export function watch(then) {
  const call = () => then(read());
  for (const name of ["moved", "popstate", "hashchange"]) addEventListener(name, call);
  return () => ["moved", "popstate", "hashchange"].forEach((name) => removeEventListener(name, call));
}
