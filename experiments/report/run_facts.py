"""What was run, as a report tells it: deals, seats, models and prompts; from run.yaml and the journals."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeAlias

from experiments.document.blocks import Block, Column, Folded, Table, Text, table
from experiments.document.formats import TEXT
from experiments.record import failures, run_folder
from experiments.record.game import Game
from experiments.record.rows import Row
from experiments.report import arm_graphs, order
from experiments.report.answerers import Answerer
from experiments.report.run_data import RunData
from experiments.study.notes import spans
from graphs import attempts
from graphs.replaced_texts import diff
from orchestrator import journal
from orchestrator.errors import UserError
from orchestrator.journal.events import Call
from orchestrator.models.settings import PROGRAM
from orchestrator.models.simulated_settings import among, is_simulated


def own_decks(rows: Iterable[Row]) -> str:
    """Return the names of the decks that an experiment names; empty where the deals are HLE's own."""
    names = {row.seed: row.deck_name for row in rows if row.deck_name is not None}
    more = f" and {len(names) - DECKS} more" if len(names) > DECKS else ""
    return f"{len(names)} given decks: {', '.join(names[n] for n in sorted(names)[:DECKS])}{more}" if names else ""


DECKS = 12
"""How many names of decks are listed."""


def facts(data: RunData) -> Table:
    """Return names and facts; what is not known is left out."""
    run, rows = data.run, data.rows
    planned = run_folder.games(run) or 0
    most = "at most " if data.analysis.stopped else ""
    models = [str(seat.get("model", "")) for seat in run.get("seats", {}).values() if seat.get("config")]
    simulated = [f"{model} (simulated)" if among(model) else model for model in models if model]
    pairs = [
        ("games", f"{len(rows)} finished" + (f" of {most}{planned}" if planned > len(rows) else "")),
        ("players", ", ".join(map(str, data.players()))),
        ("deals", own_decks(rows) or f"HLE's own, seeds {spans(sorted({row.seed for row in rows}))}"),
        ("repeats of each deal", str(max(row.repeat for row in rows))),
        ("compared by", data.headline.metric),
        ("models", ", ".join(dict.fromkeys(simulated))),
        ("versions", ", ".join(f"{name} {version}" for name, version in (run.get("versions") or {}).items())),
        ("config hash", str(run.get("config_hash") or "")),
    ]
    columns = (Column("fact", "", constant=True), Column("value", ""))
    return table("facts", columns, [(name, fact) for name, fact in pairs if fact])


def missing(data: RunData) -> Iterator[str]:
    """Return which games failed, and how many others are not finished."""
    planned, played = run_folder.games(data.run), {row.name for row in data.rows}
    failed = {game: why for game, why in failures.read(data.folder).items() if game not in played}
    if failed:
        yield f"{failures.sentence(failed, planned)}. They have no score."
    if data.analysis.stopped:
        return  # how many games are left depends on what the next look shows; the conclusions say how the arms stand
    if planned and (unfinished := planned - len(data.rows) - len(failed)) > 0:
        yield f"{unfinished} of {planned} games are not finished: arms are compared on the deals that both have played."


def seats(data: RunData) -> Table:
    """Return what sits in each arm, and what the arm changes."""
    cards, arms = data.run.get("seats", {}), data.run.get("arms", {})
    changes = data.run.get("experiment", {}).get("arms")
    rows = []
    for arm in data.arms:
        seat = arm_graphs.seat(data.run, arm)
        other_keys = arms.get(arm, {}).get("others", ())
        keys = other_keys.values() if isinstance(other_keys, Mapping) else other_keys
        specs = [
            str(seat.get("spec", "")) or next(row.graph for row in data.rows_of(arm)),
            *(str(cards.get(key, {}).get("spec", "")) for key in keys),
        ]
        traits = arm_graphs.traits(data.run, arm)
        more = (traits.get(name) for name in TRAITS)
        rows.append((arm, " + ".join(filter(None, specs)), seat.get("model"), *more, _changes(arm, changes)))
    columns = ("arm", "seats", "model", *TRAITS, "changes")
    return table("seats", [Column(name, name, TEXT) for name in columns], rows)


TRAITS = ("verifier", "context", "calls a turn")
"""What a table of seats shows of a graph."""


def _changes(arm: str, changes: Any) -> str:
    if isinstance(changes, dict):
        return "; ".join(f"{key}: {in_words(value)}" for key, value in (changes.get(arm) or {}).items()) or "nothing"
    return f"without: {arm.removeprefix('no-')}" if changes == "leave_one_out" and arm != "full" else "nothing"


def in_words(value: Any) -> str:
    """Return a setting in words."""
    if isinstance(value, dict):
        return ", ".join(f"{key} {in_words(inner)}" for key, inner in value.items())
    return ", ".join(map(in_words, value)) if isinstance(value, list) else str(value)


MODELS_CAPTION = (
    "Settings that are not listed were not sent, so that the provider's defaults hold. Those of a simulated model "
    "(*sim:*) are the probabilities of its errors in an answer."
)

ANSWERED_CAPTION = (
    " *Answered as*: the ids by which servers named the models that answered. *Held to*: what servers were asked "
    "to hold how many answers to."
)


def models(data: RunData) -> Table:
    """Return the settings of every model that was asked, by which ids servers said that they answered, and what they
    held answers to.

    Settings of simulated models are those of journals, which state all rates.
    """
    rates = _rates(data)
    settings = dict.fromkeys((*_of_run(data.run, rates), *rates))
    rows = [(name, words or "none", *_answers(data.answerers.get(name))) for name, words in settings]
    caption = MODELS_CAPTION + (ANSWERED_CAPTION if any(row[3] for row in rows) else "")
    names = {"model": "model", "settings": "settings", "answered_as": "answered as", "held_to": "held to"}
    columns = [Column(key, title) for key, title in names.items()]
    return table("models", columns, rows, title="Settings of the models", caption=caption)


def _answers(answerer: Answerer | None) -> tuple[str | None, str | None]:
    """Return the ids of a model's servers, and what its answers were held to."""
    if answerer is None:
        return None, None
    held = ", ".join(f"{kind}: {count:,}" for kind, count in answerer.held.most_common())
    return ", ".join(sorted(answerer.ids)) or None, held


def _of_run(run: Mapping[str, Any], simulated: Mapping[tuple[str, str], None]) -> Iterator[tuple[str, str]]:
    """Return the models as run.yaml has them, without the `simulated` ones that journals tell of."""
    names = {name for name, _ in simulated}
    for seat in run.get("seats", {}).values():
        for model in (seat.get("models") or {}).values():
            if (settings := _settings(model))[0] not in names and settings[0] != PROGRAM:
                yield settings


def _settings(model: Any) -> tuple[str, str]:
    """Return the name of a model and its settings in words."""
    if not isinstance(model, Mapping):
        return str(model), ""
    return str(model["model"]), "; ".join(f"{key} {in_words(value)}" for key, value in model.items() if key != "model")


def _rates(data: RunData) -> dict[tuple[str, str], None]:
    """Return the simulated models in the first game of each arm, with the rates at which they err."""
    rates = dict[tuple[str, str], None]()
    for arm in data.arms:
        path = data.folder / data.rows_of(arm)[0].journal
        try:
            started = Game.open(path).started if path.exists() else None
        except UserError:
            continue
        for seat in started.everybody if started else ():
            rates |= {_settings(m): None for m in seat.models.values() if is_simulated(m.get("model"))}
    return rates


def prompts(data: RunData) -> Iterator[Block]:
    """Return the first prompt of every node in the first game of the baseline (of the first arm without one), then how
    those of the other arms differ on the same deal."""
    base = data.standard
    arms = {arm: _first_prompts(data, arm) for arm in order.foremost(data.arms, data.analysis) if arm != base}
    before = _first_prompts(data, base)
    for node, (_, text) in before.items():
        yield Folded(f"{node}, arm {base}", text)
    for arm, texts in arms.items():
        if texts:
            yield from _prompt_changes(arm, base, *map(_without_retries, (before, texts)))


Prompts: TypeAlias = Mapping[str, tuple[int, str]]
"""By node: its first prompt, after its turn."""


def _without_retries(prompts: Prompts) -> Prompts:
    return {node: prompt for node, prompt in prompts.items() if attempts.base(node) == node}


def _prompt_changes(arm: str, base: str, before: Prompts, prompts: Prompts) -> Iterator[Block]:
    """Return an arm's prompts as differences from the baseline's of the same turn, where they differ."""
    nodes = {
        "same as the baseline": [node for node, prompt in prompts.items() if before.get(node) == prompt],
        "first asked in another turn": [
            node for node in prompts if node in before and prompts[node][0] != before[node][0]
        ],
        "not asked": [node for node in before if node not in prompts],
    }
    parts = [f"{what}: {', '.join(names)}" for what, names in nodes.items() if names]
    yield Text(f"Arm {arm}, beside {base}{': ' if parts else ''}{'; '.join(parts)}.")
    for node, (_, text) in prompts.items():
        if not any(node in names for names in nodes.values()):
            changed = diff(before[node][1], text, node) if node in before else text
            yield Folded(f"{node}, arm {arm}{': difference from the baseline' if node in before else ''}", changed)


def _first_prompts(data: RunData, arm: str) -> Prompts:
    """Return the first prompts in the arm's first game; none for a journal that cannot be read."""
    path = data.folder / data.rows_of(arm)[0].journal
    prompts: dict[str, tuple[int, str]] = {}
    try:
        for event in journal.read(path) if path.exists() else ():
            if isinstance(event, Call) and event.messages and event.node not in prompts:
                text = "\n\n".join(f"[{message.role}]\n{message.content}" for message in event.messages)
                prompts[event.node] = event.turn, text
    except UserError:
        return {}
    return prompts


def templates(data: RunData) -> tuple[Folded, ...]:
    """Return the texts from which prompts are made, as run.yaml holds them."""
    texts = data.run.get("prompts") or {}
    names = {
        (name, digest)
        for seat in data.run.get("seats", {}).values()
        for name, digest in (seat.get("prompts") or {}).items()
    }
    return tuple(Folded(name, str(texts[digest])) for name, digest in sorted(names) if digest in texts)


def diffs(data: RunData) -> Iterator[Folded]:
    """Return the words that arms replace, against those of the baseline."""
    texts, before = data.run.get("prompts") or {}, _prompts(data, data.run.get("baseline"))
    for name in data.run.get("arms") or {}:
        if not (arm_graphs.seat(data.run, name).get("config") or {}).get("texts"):
            continue
        for file, digest in _prompts(data, name).items():
            old = before.get(file)
            if old in texts and digest in texts and old != digest:
                yield Folded(f"{name}: {file}", diff(str(texts[old]), str(texts[digest]), file), open=True)


def _prompts(data: RunData, arm: str | None) -> Mapping[str, str]:
    """Return the hashes of the texts of an arm's players, by name."""
    return arm_graphs.seat(data.run, arm).get("prompts") or {}
