"""What was run, as a report tells it: deals, seats, models and prompts; from run.yaml and the
journals."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from hanabi_orchestrator.experiments.document.blocks import (
    Block,
    Column,
    Folded,
    Table,
    Text,
    table,
)
from hanabi_orchestrator.experiments.document.formats import TEXT
from hanabi_orchestrator.experiments.record import run_folder
from hanabi_orchestrator.experiments.record.game import Game
from hanabi_orchestrator.experiments.record.rows import Row
from hanabi_orchestrator.experiments.report import arm_graphs, order
from hanabi_orchestrator.experiments.report.answerers import Answerer
from hanabi_orchestrator.experiments.report.run_data import RunData
from hanabi_orchestrator.experiments.study.notes import spans
from hanabi_orchestrator.graphs import attempts
from hanabi_orchestrator.graphs.replaced_texts import diff
from hanabi_orchestrator.orchestrator import journal
from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.journal.events import Call, Event, GameStarted
from hanabi_orchestrator.orchestrator.models.settings import PROGRAM
from hanabi_orchestrator.orchestrator.models.simulated_settings import among, is_simulated
from hanabi_orchestrator.roles.words import many


def own_decks(rows: Iterable[Row]) -> str:
    """Return the names of the decks that an experiment names; empty where the deals are HLE's
    own."""
    names = {row.seed: row.deck_name for row in rows if row.deck_name is not None}
    if len(names) > DECKS:
        more = f" and {len(names) - DECKS} more"
    else:
        more = ""
    if names:
        return (
            f"{len(names)} given decks: {', '.join(names[n] for n in sorted(names)[:DECKS])}{more}"
        )
    return ""


DECKS = 12
"""How many names of decks are listed."""
NAMED = 4
"""Files that are left out and named; more are counted."""


def facts(data: RunData) -> Table:
    """Return names and facts; what is not known is left out."""
    run = data.run
    rows = data.rows
    planned = run_folder.games(run) or 0
    most = "at most " if data.analysis.stopped else ""
    models = []
    for seat in run.get("seats", {}).values():
        if seat.get("config"):
            models.append(str(seat.get("model", "")))
    simulated = []
    for model in models:
        if model:
            simulated.append(f"{model} (simulated)" if among(model) else model)
    pairs = [
        (
            "games",
            f"{len(rows)} finished" + (f" of {most}{planned}" if planned > len(rows) else ""),
        ),
        ("players", ", ".join(map(str, data.players()))),
        (
            "deals",
            own_decks(rows) or f"HLE's own, seeds {spans(sorted({row.seed for row in rows}))}",
        ),
        ("repeats of each deal", str(max(row.repeat for row in rows))),
        ("compared by", data.headline.metric),
        ("models", ", ".join(dict.fromkeys(simulated))),
        (
            "versions",
            ", ".join(f"{name} {version}" for name, version in (run.get("versions") or {}).items()),
        ),
        ("config hash", str(run.get("config_hash") or "")),
    ]
    columns = (Column("fact", "", constant=True), Column("value", ""))
    return table("facts", columns, [(name, fact) for name, fact in pairs if fact])


def missing(data: RunData) -> Iterator[str]:
    """Return which games failed or cannot be read, and how many others are not finished."""
    planned = run_folder.games(data.run)
    played = {row.name for row in data.rows}
    failed = {}
    for game, why in run_folder.failures(data.folder).items():
        if game not in played:
            failed[game] = why
    if failed:
        yield f"{run_folder.failure_sentence(failed, planned)}. They have no score."
    sentences = list(data.unread.values())
    for sentence in sentences[:NAMED]:
        yield f"left out: {sentence}."
    if len(sentences) > NAMED:
        yield (
            f"Left out likewise: {many(len(sentences) - NAMED, 'more file')}, which `orchestrator "
            "list games` names."
        )
    if data.analysis.stopped:
        # how many games are left depends on what the next look shows; the conclusions say how the
        # arms stand
        return
    if planned and (unfinished := planned - len(data.rows) - len(failed)) > 0:
        yield (
            f"Not finished: {unfinished} of {many(planned, 'game')}. Arms are compared on the "
            "deals that both have played."
        )


def seats(data: RunData) -> Table:
    """Return what sits in each arm, and what the arm changes."""
    cards = data.run.get("seats", {})
    arms = data.run.get("arms", {})
    changes = data.run.get("experiment", {}).get("arms")
    rows = []
    for arm in data.arms:
        seat = arm_graphs.seat(data.run, arm)
        other_keys = arms.get(arm, {}).get("others", ())
        if isinstance(other_keys, Mapping):
            keys = other_keys.values()
        else:
            keys = other_keys
        specs = [
            str(seat.get("spec", "")) or next(row.graph for row in data.rows_of(arm)),
            *(str(cards.get(key, {}).get("spec", "")) for key in keys),
        ]
        traits = arm_graphs.traits(data.run, arm)
        changed = "nothing"
        if isinstance(changes, dict) and changes.get(arm):
            changed = "; ".join(f"{key}: {in_words(value)}" for key, value in changes[arm].items())
        elif changes == "leave_one_out" and arm != "full":
            changed = f"without: {arm.removeprefix('no-')}"
        rows.append(
            (
                arm,
                " + ".join(filter(None, specs)),
                seat.get("model"),
                *map(traits.get, TRAITS),
                changed,
            )
        )
    columns = ("arm", "seats", "model", *TRAITS, "changes")
    return table("seats", [Column(name, name, TEXT) for name in columns], rows)


TRAITS = ("verifier", "context", "calls a turn")
"""What a table of seats shows of a graph."""


def in_words(value: Any) -> str:
    """Return a setting in words."""
    if isinstance(value, dict):
        return ", ".join(f"{key} {in_words(inner)}" for key, inner in value.items())
    if isinstance(value, list):
        return ", ".join(map(in_words, value))
    return str(value)


MODELS_CAPTION = (
    "Settings that are not listed were not sent, so that the provider's defaults hold. Those of "
    "a simulated model (*sim:*) are the probabilities of its errors in an answer."
)

ANSWERED_CAPTION = (
    " *Answered as*: the ids by which servers named the models that answered. *Held to*: what "
    "servers were asked to hold how many answers to."
)


def models(data: RunData) -> Table:
    """Return the settings of every model that was asked, by which ids servers said that they
    answered, and what they held answers to.

    Settings of simulated models are those of journals, which state all rates.
    """
    settings = list[Mapping[str, Any]]()
    for game in filter(None, (_first_start(data, arm) for arm in data.arms)):
        for seat in game.everybody:
            settings += seat.models.values()
    rates = dict.fromkeys(
        _settings(model) for model in settings if is_simulated(model.get("model"))
    )
    recorded = []
    for seat in data.run.get("seats", {}).values():
        for model in (seat.get("models") or {}).values():
            recorded.append(_settings(model))
    listed = {PROGRAM, *(name for name, _ in rates)}
    recorded = [(name, words) for name, words in recorded if name not in listed]
    rows = []
    for name, words in dict.fromkeys((*recorded, *rates)):
        answerer = data.answerers.get(name) or Answerer()
        held = ", ".join(f"{kind}: {count:,}" for kind, count in answerer.kinds.most_common())
        rows.append((name, words or "none", ", ".join(sorted(answerer.ids)) or None, held or None))
    caption = MODELS_CAPTION + (ANSWERED_CAPTION if any(row[3] for row in rows) else "")
    names = {
        "model": "model",
        "settings": "settings",
        "answered_as": "answered as",
        "held_to": "held to",
    }
    columns = [Column(key, title) for key, title in names.items()]
    return table("models", columns, rows, title="Settings of the models", caption=caption)


def _settings(model: Any) -> tuple[str, str]:
    """Return the name of a model and its settings in words."""
    if not isinstance(model, Mapping):
        return str(model), ""
    return str(model["model"]), "; ".join(
        f"{key} {in_words(value)}"
        for key, value in model.items()
        if key != "model" and value not in EMPTY
    )


EMPTY: tuple[Any, ...] = (None, "", [], {})
"""Values of settings that say nothing."""


def _first_start(data: RunData, arm: str) -> GameStarted | None:
    """Return the start of the arm's first game; None of a journal that is not there or cannot be
    read."""
    path = data.path(data.rows_of(arm)[0])
    try:
        if path.exists():
            return Game.open(path).started
        return None
    except UserError:
        return None


def _first_game(data: RunData, arm: str) -> Sequence[Event]:
    """Return the arm's first game; nothing of a journal that is not there or cannot be read."""
    path = data.path(data.rows_of(arm)[0])
    try:
        if path.exists():
            return journal.read(path)
        return ()
    except UserError:
        return ()


def prompts(data: RunData) -> Iterator[Block]:
    """Return the first prompt of every node in the first game of the baseline (of the first arm
    without one), then how those of the other arms differ on the same deal."""
    base = data.standard
    before = _first_prompts(data, data.standard)
    for node, (_, text) in before.items():
        yield Folded(f"{node}, arm {base}", text)
    for arm in order.foremost(data.arms, data.analysis):
        if arm != base and (texts := _first_prompts(data, arm)):
            yield from _prompt_changes(arm, base, _first_asks(before), _first_asks(texts))


Prompts: TypeAlias = Mapping[str, tuple[int, str]]
"""By node: its first prompt, after its turn."""


def _first_asks(prompts: Prompts) -> Prompts:
    """Return the prompts of nodes that are no repetition of another."""
    return {node: prompt for node, prompt in prompts.items() if attempts.base(node) == node}


def _prompt_changes(arm: str, base: str, before: Prompts, prompts: Prompts) -> Iterator[Block]:
    """Return an arm's prompts as differences from the baseline's of the same turn, where they
    differ."""
    both = [node for node in prompts if node in before]
    nodes = {
        "same as the baseline": [node for node in both if before[node] == prompts[node]],
        "first asked in another turn": [
            node for node in both if prompts[node][0] != before[node][0]
        ],
        "not asked": [node for node in before if node not in prompts],
    }
    parts = [f"{what}: {', '.join(names)}" for what, names in nodes.items() if names]
    yield Text(f"Arm {arm}, beside {base}{': ' if parts else ''}{'; '.join(parts)}.")
    for node, (_, text) in prompts.items():
        if node not in before:
            yield Folded(f"{node}, arm {arm}", text)
        elif not any(node in names for names in nodes.values()):
            yield Folded(
                f"{node}, arm {arm}: difference from the baseline",
                diff(before[node][1], text, node),
            )


def _first_prompts(data: RunData, arm: str) -> Prompts:
    """Return the first prompts in the arm's first game."""
    prompts: dict[str, tuple[int, str]] = {}
    for event in _first_game(data, arm):
        if isinstance(event, Call) and event.messages and event.node not in prompts:
            text = "\n\n".join(f"[{message.role}]\n{message.content}" for message in event.messages)
            prompts[event.node] = event.turn, text
    return prompts


def templates(data: RunData) -> tuple[Folded, ...]:
    """Return the texts from which prompts are made, as run.yaml holds them."""
    texts = data.run.get("prompts") or {}
    names = set()
    for seat in data.run.get("seats", {}).values():
        for name, digest in (seat.get("prompts") or {}).items():
            names.add((name, digest))
    return tuple(
        Folded(name, str(texts[digest])) for name, digest in sorted(names) if digest in texts
    )


def diffs(data: RunData) -> Iterator[Folded]:
    """Return the words that arms replace, against those of the baseline."""
    texts = data.run.get("prompts") or {}
    before = arm_graphs.seat(data.run, data.run.get("baseline")).get("prompts") or {}
    for name in data.run.get("arms") or {}:
        seat = arm_graphs.seat(data.run, name)
        if (seat.get("config") or {}).get("texts"):
            for file, digest in (seat.get("prompts") or {}).items():
                old = before.get(file)
                if old in texts and digest in texts and old != digest:
                    yield Folded(
                        f"{name}: {file}",
                        diff(str(texts[old]), str(texts[digest]), file),
                        open=True,
                    )
