"""What a reader of results must know of how they were made: the protocol, departures from it, and void arms.

All is read from the contents of run.yaml, so that a report says what the terminal said.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from experiments.record.rows import Row
from experiments.study.cross_play import WITH
from experiments.study.file_schema import asked, labelled
from experiments.study.protocols import PROTOCOLS
from orchestrator.models.settings import SAMPLING

TRIALS = 1000
"""Trials per partner that the ad-hoc protocol asks for."""
DEPARTS = "The run departs from this protocol in:"
BY_HAND = "by_hand"
"""The key of run.yaml with what was changed while the run was played. Only cancelled games matter to its results."""
EVALUATED = "evaluated"
"""The label of the evaluated seat of ad-hoc teams in names of arms."""


def notes(run: Mapping[str, Any], rows: Iterable[Row] = ()) -> list[str]:
    """In sentences; `rows`: the finished games."""
    rows = list(rows)
    unplayed = [void(name, arm["void"]) for name, arm in (run.get("arms") or {}).items() if arm.get("void")]
    trials = fewest_trials(rows) if (run.get("experiment") or {}).get("adhoc") else ()
    return [*_protocol(run), *unplayed, *(run.get("remarks") or ()), *_cancelled(run, rows), *trials]


def _cancelled(run: Mapping[str, Any], rows: Sequence[Row]) -> Iterator[str]:
    """Games that somebody took out while the run was played, and that are not finished since."""
    by_hand = [one for one in run.get(BY_HAND) or () if isinstance(one, Mapping) and one.get("did") == "cancel"]
    games = dict.fromkeys(str(one["game"]) for one in by_hand)
    if left := [game for game in games if game not in {row.name for row in rows}]:
        yield f"Cancelled by hand, so not finished: {', '.join(left)}."


def _protocol(run: Mapping[str, Any]) -> Iterator[str]:
    name = str((run.get("experiment") or {}).get("protocol"))
    if name not in PROTOCOLS:
        return
    protocol, departs = PROTOCOLS[name], list(departures(run))
    about = [protocol.deals] if protocol.deals and not any(one.startswith("deals") for one in departs) else []
    yield f"Protocol {name}: {'; '.join([protocol.title, *about])}."
    if departs:
        yield f"{DEPARTS} {'; '.join(departs)}."


def departures(run: Mapping[str, Any]) -> Iterator[str]:
    """Where a run departs from its protocol: `player counts (2 instead of 2–5)`."""
    given = run.get("experiment") or {}
    defaults = dict(PROTOCOLS[given["protocol"]].defaults)
    yield from _other("player counts", spans(run["players"]), spans(defaults.pop("players")))
    yield from _other("deals", _seeds(run["seeds"]), _seeds(_listed(defaults.pop("seeds"))))
    yield from _other("repeats", run.get("repeats", 1), defaults.pop("repeats"))
    yield from _sampling(run, defaults.pop("sampling", {}))
    yield from _other("verify", given.get("verify") or "the graphs' own", "the graphs' own")
    asked = {**given, "metric": run.get("metric") or given.get("metric")}
    for key, value in defaults.items():
        yield from _keys(key, asked.get(key) or value, value)


def _keys(name: str, now: Any, own: Any) -> Iterator[str]:
    """The keys of nested settings that have another value; keys that the protocol does not name are free."""
    if name.rpartition(".")[2] == "pool":
        yield from _other("pool", _pool(now), _pool(own))
    elif isinstance(now, Mapping) and isinstance(own, Mapping):
        for key, value in own.items():
            yield from _keys(f"{name}.{key}", now.get(key, value), value)
    else:
        yield from _other(name, now, own)


def _other(name: str, now: object, own: object) -> Iterator[str]:
    if now != own:
        yield f"{name} ({now} instead of {own})"


def _sampling(run: Mapping[str, Any], own: Mapping[str, Any]) -> Iterator[str]:
    """The settings that requests to servers carry; programs and simulated models get none."""
    models = [model for seat in (run.get("seats") or {}).values() for model in (seat.get("models") or {}).values()]
    sent = [model for model in models if isinstance(model, Mapping) and asked(str(model["model"]))]
    for name in SAMPLING if sent else ():
        values = sorted({_said(model.get(name)) for model in sent})
        yield from _other(name, " and ".join(values), _said(own.get(name)))


def _said(value: object) -> str:
    return "not set" if value is None else str(value)


def _pool(given: Any) -> str:
    if isinstance(given, str):
        return "all rule players" if given == "partners" else given
    return ", ".join(sorted(given if isinstance(given, Mapping) else labelled(given)))


def _listed(seeds: Any) -> list[int]:
    return list(range(seeds["first"], seeds["first"] + seeds["count"])) if isinstance(seeds, Mapping) else list(seeds)


def _seeds(seeds: Sequence[int]) -> str:
    return f"seeds {spans(sorted(seeds))}"


def spans(numbers: Sequence[int]) -> str:
    """`1–3, 7` for 1, 2, 3, 7."""
    found: list[list[int]] = []
    for one in numbers:
        if found and one == found[-1][1] + 1:
            found[-1][1] = one
        else:
            found.append([one, one])
    return ", ".join(str(first) if first == last else f"{first}–{last}" for first, last in found)


def void(name: str, same_as: Mapping[int, str]) -> str:
    """E.g. an arm without the history analyst, at player counts at which the graph has none."""
    same = {other: [count for count, one in same_as.items() if one == other] for other in same_as.values()}
    where = "; ".join(
        f"{' and '.join(map(str, counts))} players, where it is the same as {other}" for other, counts in same.items()
    )
    return f"The arm {name} is not played at {where}."


def fewest_trials(rows: Iterable[Row]) -> Iterator[str]:
    """Of ad-hoc teams, where there are fewer trials than the protocol asks for."""
    trials = Counter((row.arm, row.players) for row in rows if row.arm.startswith(f"{EVALUATED}{WITH}"))
    if trials and (fewest := min(trials.values())) < TRIALS:
        yield f"The protocol asks for at least {TRIALS} trials per partner; the fewest here are {fewest}."
