"""What was run, as a report tells it: deals, seats and prompts; from run.yaml and the journals."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from experiments.record import failures, run_folder
from experiments.report.model_facts import short
from experiments.report.run_data import RunData
from experiments.report.tables import Grid
from experiments.study.notes import spans
from graphs.replaced_texts import diff
from orchestrator import journal
from orchestrator.errors import UserError
from orchestrator.journal.events import Call
from orchestrator.models.simulated_settings import among


@dataclass(frozen=True)
class Folded:
    """A text that a page folds away."""

    title: str
    text: str


def facts(data: RunData) -> list[tuple[str, str]]:
    """Names and facts; what is not known is left out."""
    run, rows = data.run, data.rows
    planned = run_folder.games(run) or 0
    most = "at most " if data.analysis.stopped else ""
    finished = f"{len(rows)} finished" + (f" of {most}{planned}" if planned > len(rows) else "")
    found = [
        ("games", finished),
        ("players", ", ".join(map(str, data.players()))),
        ("deals", f"HLE's own, seeds {spans(sorted({row.seed for row in rows}))}"),
        ("repeats of each deal", str(max(row.repeat for row in rows))),
        ("compared by", data.headline.metric),
        ("models", ", ".join(dict.fromkeys(_models(run)))),
        ("versions", ", ".join(f"{name} {version}" for name, version in (run.get("versions") or {}).items())),
        ("config hash", str(run.get("config_hash") or "")),
    ]
    return [(name, fact) for name, fact in found if fact]


def missing(data: RunData) -> Iterator[str]:
    """Games that failed, and others that are not finished."""
    whole, played = run_folder.games(data.run), {row.name for row in data.rows}
    failed = {game: why for game, why in failures.read(data.folder).items() if game not in played}
    if failed:
        yield f"{failures.sentence(failed, whole)}. They have no score."
    if data.analysis.stopped:
        return  # how many games are left depends on what the next look shows; the conclusions say how the arms stand
    if whole and (left := whole - len(data.rows) - len(failed)) > 0:
        yield f"{left} of {whole} games are not finished: arms are compared on the deals that both have played."


def _models(run: Mapping[str, Any]) -> list[str]:
    models = [str(seat.get("model", "")) for seat in run.get("seats", {}).values() if seat.get("config")]
    return [f"{model} (simulated)" if among(model) else model for model in models if model]


def arms(data: RunData) -> Grid:
    """What sits in each arm, and what the arm changes."""
    seats, of_run = data.run.get("seats", {}), data.run.get("arms", {})
    given = data.run.get("experiment", {}).get("arms")
    rows = []
    for arm in data.arms:
        seat = seats.get(of_run.get(arm, {}).get("everybody"), {})
        others = of_run.get(arm, {}).get("others", ())
        keys = others.values() if isinstance(others, Mapping) else others
        named = [
            _who(seat) or next(row.graph for row in data.rows_of(arm)),
            *(_who(seats.get(key, {})) for key in keys),
        ]
        rows.append((arm, " + ".join(filter(None, named)), str(seat.get("model", "–")), _changes(arm, given)))
    return Grid(("arm", "seats", "model", "changes"), tuple(rows), words=4)


def _who(seat: Mapping[str, Any]) -> str:
    return str(seat.get("spec", ""))


def _changes(arm: str, given: Any) -> str:
    if isinstance(given, dict):
        return "; ".join(f"{key}: {short(value)}" for key, value in (given.get(arm) or {}).items()) or "nothing"
    return f"without: {arm.removeprefix('no-')}" if given == "leave_one_out" and arm != "full" else "nothing"


def prompts(data: RunData) -> tuple[Folded, ...]:
    """The first prompt of every node in the baseline's first game (the first arm's without a baseline)."""
    arm = data.analysis.baseline if data.analysis.baseline in data.arms else data.arms[0]
    path = data.folder / data.rows_of(arm)[0].journal
    calls: dict[str, Call] = {}
    try:
        for event in journal.read(path) if path.exists() else ():
            if isinstance(event, Call) and event.messages:
                calls.setdefault(event.node, event)
    except UserError:
        return ()
    return tuple(
        Folded(f"{node}, turn {call.turn} of {path.stem}, arm {arm}", _text(call)) for node, call in calls.items()
    )


def _text(call: Call) -> str:
    return "\n\n".join(f"[{message.role}]\n{message.content}" for message in call.messages or ())


def templates(data: RunData) -> tuple[Folded, ...]:
    """The texts from which prompts are made, as run.yaml holds them."""
    texts = data.run.get("prompts") or {}
    named = {
        (name, digest)
        for seat in data.run.get("seats", {}).values()
        for name, digest in (seat.get("prompts") or {}).items()
    }
    return tuple(Folded(name, str(texts[digest])) for name, digest in sorted(named) if digest in texts)


def diffs(data: RunData) -> Iterator[Folded]:
    """The words that arms replace, against those of the baseline."""
    arms, texts = data.run.get("arms") or {}, data.run.get("prompts") or {}
    before = _prompts(data.run, arms.get(data.run.get("baseline")) or {})
    for name, arm in arms.items():
        seat = (data.run.get("seats") or {}).get(arm.get("everybody")) or {}
        if not (seat.get("config") or {}).get("texts"):
            continue
        for file, digest in _prompts(data.run, arm).items():
            old = before.get(file)
            if old in texts and digest in texts and old != digest:
                yield Folded(f"{name}: {file}", diff(str(texts[old]), str(texts[digest]), file))


def _prompts(run: Mapping[str, Any], arm: Mapping[str, Any]) -> Mapping[str, str]:
    """The hashes of the texts of an arm's players, by name."""
    seat = (run.get("seats") or {}).get(arm.get("everybody")) or {}
    return dict(seat.get("prompts") or {})
