// Where the page's data come from: the server that serves it, or the bundle that it is part of.

const bundle = globalThis.HANABI_BUNDLE ?? null;

/** Whether a server answers: then values are computed, turns can be decided again, and runs that go on update. */
export const live = bundle === null;

/** The answer to /api/NAME. Throws an Error whose message is a sentence for a person. */
export async function get(name, params = {}) {
  return live ? asked(name, params) : bundled(name, params);
}

/** Sends a command to the server; there is none in a bundle. */
export async function post(name, body) {
  if (!live) throw new Error("This is a copy without a server: open the run with “orchestrator view” for that.");
  const headers = { "content-type": "application/json", "x-page": "1" };
  return answered(fetch(`/api/${name}`, { method: "POST", headers, body: JSON.stringify(body) }));
}

/** The address of a file of the run (a figure, the report), as /api/run names it. */
export function file(address) {
  return live ? address : (bundle.files?.[address] ?? null);
}

function asked(name, params) {
  const given = Object.entries(params).filter(([, value]) => value !== undefined && value !== null);
  const query = new URLSearchParams(given.map(([key, value]) => [key, String(value)])).toString();
  return answered(fetch(`/api/${name}${query ? `?${query}` : ""}`));
}

async function answered(request) {
  let response;
  try {
    response = await request;
  } catch {
    throw new Error("The server does not answer. Is “orchestrator view” still running?");
  }
  let data;
  try {
    data = await response.json();
  } catch {
    throw new Error(`The server's answer cannot be read (${response.status}).`);
  }
  if (!response.ok) throw new Error(data.error ?? `The server refused (${response.status}).`);
  return data;
}

// A bundle: HANABI_BUNDLE = {answers: {"run": ..., "games": ...}, games: {id: data or "games/00001.js"}, files, loaded}.
// The data of a game are {"game": ..., "turn?turn=1": ..., "prompt?key=...&turn=1": ..., ...}, compressed: "gz:BASE64".

const loading = new Map();

async function bundled(name, params) {
  if (name === "compare") return compared(await of(params.a), await of(params.b));
  if (params.id === undefined) return found(bundle.answers, name);
  const rest = Object.entries(params).filter(([key, value]) => key !== "id" && value !== undefined && value !== null);
  const game = await of(params.id);
  if (name === "beliefs" && !rest.some(([key]) => key === "seat")) {
    rest.push(["seat", game.game.turns[params.turn - 1]?.seat]);
  }
  const query = rest.map(([key, value]) => `${key}=${value}`).sort().join("&");
  return found(game, query ? `${name}?${query}` : name);
}

function found(answers, key) {
  if (!(key in answers)) throw new Error("This copy does not hold that. Open the run with “orchestrator view” for it.");
  return structuredClone(answers[key]);
}

function of(id) {
  const where = bundle.games[id];
  if (where === undefined) return Promise.reject(new Error(`This copy does not hold the game ${id}.`));
  if (!loading.has(id)) loading.set(id, where.startsWith("gz:") ? unpacked(where) : loaded(id, where).then(unpacked));
  return loading.get(id);
}

async function unpacked(text) {
  const bytes = Uint8Array.from(atob(text.slice(3)), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}

// A classic script, since a page that was opened as a file may not fetch others.
function loaded(id, address) {
  return new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = address;
    script.onload = () => resolve(bundle.loaded[id]);
    script.onerror = () => reject(new Error(`The file ${address} of this copy is missing.`));
    document.head.append(script);
  });
}

function compared(a, b) {
  const moves = (data) => data.game.turns.filter((turn) => turn.move).map((turn) => turn.move);
  const [one, other] = [moves(a), moves(b)];
  const same = a.game.players === b.game.players && String(a.game.deck) === String(b.game.deck);
  const longest = Math.max(one.length, other.length);
  let first = null;
  for (let turn = 0; same && first === null && turn < longest; turn += 1) {
    if (one[turn]?.text !== other[turn]?.text) first = turn + 1;
  }
  const at = (list) => (first === null ? null : (list[first - 1] ?? null));
  return { same_deal: same, first_difference: first, a: at(one), b: at(other) };
}
