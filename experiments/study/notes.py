"""What a reader of results must know of how they were made: the protocol, departures from it, and
void arms.

All is read from the contents of run.yaml, so that a report says what the terminal said.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from hanabi_orchestrator.experiments.record.rows import Row
from hanabi_orchestrator.experiments.record.seed_range import Range, ranges
from hanabi_orchestrator.experiments.study.file_schema import labelled, on_server
from hanabi_orchestrator.experiments.study.pairs import EVALUATED, WITH
from hanabi_orchestrator.experiments.study.protocols import PROTOCOLS
from hanabi_orchestrator.orchestrator.models.settings import SAMPLING

TRIALS = 1000
"""Trials per partner that the ad-hoc protocol asks for."""
DEPARTS = "The run departs from this protocol in:"
BY_HAND = "by_hand"
"""The key of run.yaml with what was changed while the run was played. Only cancelled games matter
to its results."""


def notes(run: Mapping[str, Any], rows: Iterable[Row] = ()) -> list[str]:
    """In sentences; `rows`: the finished games."""
    rows = list(rows)
    experiment = run.get("experiment") or {}
    sentences = list[str]()
    if protocol := PROTOCOLS.get(str(experiment.get("protocol"))):
        departs = list(departures(run))
        about = (
            [protocol.deals]
            if protocol.deals and not any(text.startswith("deals") for text in departs)
            else []
        )
        sentences.append(
            f"Protocol {experiment['protocol']}: {'; '.join([protocol.title, *about])}."
        )
        sentences += [f"{DEPARTS} {'; '.join(departs)}."] if departs else []
    sentences += [
        void(name, arm["void"]) for name, arm in (run.get("arms") or {}).items() if arm.get("void")
    ]
    sentences += run.get("remarks") or ()
    by_hand = []
    for entry in run.get(BY_HAND) or ():
        if isinstance(entry, Mapping) and entry.get("did") == "cancel":
            by_hand.append(entry)
    games = dict.fromkeys(str(entry["game"]) for entry in by_hand)
    finished = {row.name for row in rows}
    if unfinished := [game for game in games if game not in finished]:
        sentences.append(f"Cancelled by hand, so not finished: {', '.join(unfinished)}.")
    return [*sentences, *(fewest_trials(rows) if experiment.get("adhoc") else ())]


Setting = tuple[str, object, object]
"""Its name, its value in a run, and the one that the protocol asks for."""


def departures(run: Mapping[str, Any]) -> Iterator[str]:
    """Where a run departs from its protocol: `player counts (2 instead of 2–5)`."""
    experiment = run.get("experiment") or {}
    defaults = dict(PROTOCOLS[experiment["protocol"]].defaults)
    seeds = defaults.pop("seeds")
    players = defaults.pop("players")
    usual_deals = f"seeds {spans(Range(**seeds).seeds if isinstance(seeds, Mapping) else seeds)}"
    if experiment.get("deals"):
        deals = f"{len(run['seeds'])} given decks"
    else:
        deals = f"seeds {spans(run['seeds'])}"
    settings: list[Setting] = [
        ("player counts", spans(run["players"]), spans(players)),
        ("deals", deals, usual_deals),
        ("repeats", run.get("repeats", 1), defaults.pop("repeats")),
    ]
    # requests to servers carry settings; programs and simulated models get none
    models = []
    for seat in (run.get("seats") or {}).values():
        for model in (seat.get("models") or {}).values():
            models.append(model)
    sent = []
    for model in models:
        if isinstance(model, Mapping) and on_server(str(model["model"])):
            sent.append(model)
    asked = defaults.pop("sampling", {})
    for name in SAMPLING if sent else ():
        values = [asked.get(name), *(model.get(name) for model in sent)]
        usual_text, *texts = ("not set" if value is None else str(value) for value in values)
        settings.append((name, " and ".join(sorted({*texts})), usual_text))
    settings.append(("verify", experiment.get("verify") or "the graphs' own", "the graphs' own"))
    of_run = {**experiment, "metric": run.get("metric") or experiment.get("metric")}
    for key, value in defaults.items():
        settings += _nested(key, of_run.get(key) or value, value)
    for name, value, usual in settings:
        if value != usual:
            yield f"{name} ({value} instead of {usual})"


def _nested(name: str, value: Any, usual: Any) -> Iterator[Setting]:
    """Yield the nested settings that the protocol names."""
    if name.rpartition(".")[2] == "pool":
        yield "pool", _pool(value), _pool(usual)
    elif isinstance(value, Mapping) and isinstance(usual, Mapping):
        for key, inner in usual.items():
            yield from _nested(f"{name}.{key}", value.get(key, inner), inner)
    else:
        yield name, value, usual


def _pool(pool: Any) -> str:
    if isinstance(pool, str):
        if pool == "partners":
            return "all rule players"
        return pool
    return ", ".join(sorted(pool if isinstance(pool, Mapping) else labelled(pool)))


def spans(numbers: Iterable[int]) -> str:
    """`1–3, 7` for 1, 2, 3, 7."""
    return ranges(numbers).replace("-", "–").replace(",", ", ")


def void(name: str, same_as: Mapping[int, str]) -> str:
    """E.g. an arm without the history analyst, at player counts at which the graph has none."""
    same = {}
    for other in same_as.values():
        same[other] = [count for count, arm in same_as.items() if arm == other]
    where = "; ".join(
        f"{' and '.join(map(str, counts))} players, where it is the same as {other}"
        for other, counts in same.items()
    )
    return f"The arm {name} is not played at {where}."


def fewest_trials(rows: Iterable[Row]) -> Iterator[str]:
    """Of ad-hoc teams, where there are fewer trials than the protocol asks for."""
    trials = Counter(
        (row.arm, row.players) for row in rows if row.arm.startswith(f"{EVALUATED}{WITH}")
    )
    if trials and (fewest := min(trials.values())) < TRIALS:
        yield (
            f"The protocol asks for at least {TRIALS} trials per partner; the fewest here are "
            f"{fewest}."
        )
