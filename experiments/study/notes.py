"""What a reader of results must know of how they were made: the protocol, departures from it, and void arms.

All is read from the contents of run.yaml, so that a report says what the terminal said.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from experiments.record.rows import Row
from experiments.study.cross_play import WITH
from experiments.study.file_schema import labelled, on_server
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
    by_hand = [entry for entry in run.get(BY_HAND) or () if isinstance(entry, Mapping) and entry.get("did") == "cancel"]
    games = dict.fromkeys(str(entry["game"]) for entry in by_hand)
    if unfinished := [game for game in games if game not in {row.name for row in rows}]:
        yield f"Cancelled by hand, so not finished: {', '.join(unfinished)}."


def _protocol(run: Mapping[str, Any]) -> Iterator[str]:
    name = str((run.get("experiment") or {}).get("protocol"))
    if name not in PROTOCOLS:
        return
    protocol, departs = PROTOCOLS[name], list(departures(run))
    about = [protocol.deals] if protocol.deals and not any(text.startswith("deals") for text in departs) else []
    yield f"Protocol {name}: {'; '.join([protocol.title, *about])}."
    if departs:
        yield f"{DEPARTS} {'; '.join(departs)}."


def departures(run: Mapping[str, Any]) -> Iterator[str]:
    """Where a run departs from its protocol: `player counts (2 instead of 2–5)`."""
    experiment = run.get("experiment") or {}
    defaults = dict(PROTOCOLS[experiment["protocol"]].defaults)
    yield from _other("player counts", spans(run["players"]), spans(defaults.pop("players")))
    given = experiment.get("deals")
    deals = f"{len(run['seeds'])} given decks" if given else _seeds(run["seeds"])
    yield from _other("deals", deals, _seeds(_each_seed(defaults.pop("seeds"))))
    yield from _other("repeats", run.get("repeats", 1), defaults.pop("repeats"))
    yield from _sampling(run, defaults.pop("sampling", {}))
    yield from _other("verify", experiment.get("verify") or "the graphs' own", "the graphs' own")
    settings = {**experiment, "metric": run.get("metric") or experiment.get("metric")}
    for key, value in defaults.items():
        yield from _keys(key, settings.get(key) or value, value)


def _keys(name: str, now: Any, expected: Any) -> Iterator[str]:
    """The keys of nested settings that have another value; keys that the protocol does not name are free."""
    if name.rpartition(".")[2] == "pool":
        yield from _other("pool", _pool(now), _pool(expected))
    elif isinstance(now, Mapping) and isinstance(expected, Mapping):
        for key, value in expected.items():
            yield from _keys(f"{name}.{key}", now.get(key, value), value)
    else:
        yield from _other(name, now, expected)


def _other(name: str, now: object, expected: object) -> Iterator[str]:
    if now != expected:
        yield f"{name} ({now} instead of {expected})"


def _sampling(run: Mapping[str, Any], expected: Mapping[str, Any]) -> Iterator[str]:
    """The settings that requests to servers carry; programs and simulated models get none."""
    models = [model for seat in (run.get("seats") or {}).values() for model in (seat.get("models") or {}).values()]
    sent = [model for model in models if isinstance(model, Mapping) and on_server(str(model["model"]))]
    for name in SAMPLING if sent else ():
        values = sorted({_text(model.get(name)) for model in sent})
        yield from _other(name, " and ".join(values), _text(expected.get(name)))


def _text(value: object) -> str:
    return "not set" if value is None else str(value)


def _pool(pool: Any) -> str:
    if isinstance(pool, str):
        return "all rule players" if pool == "partners" else pool
    return ", ".join(sorted(pool if isinstance(pool, Mapping) else labelled(pool)))


def _each_seed(seeds: Any) -> list[int]:
    return list(range(seeds["first"], seeds["first"] + seeds["count"])) if isinstance(seeds, Mapping) else list(seeds)


def _seeds(seeds: Sequence[int]) -> str:
    return f"seeds {spans(sorted(seeds))}"


def spans(numbers: Sequence[int]) -> str:
    """`1–3, 7` for 1, 2, 3, 7."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ", ".join(str(first) if first == last else f"{first}–{last}" for first, last in runs)


def void(name: str, same_as: Mapping[int, str]) -> str:
    """E.g. an arm without the history analyst, at player counts at which the graph has none."""
    same = {other: [count for count, arm in same_as.items() if arm == other] for other in same_as.values()}
    where = "; ".join(
        f"{' and '.join(map(str, counts))} players, where it is the same as {other}" for other, counts in same.items()
    )
    return f"The arm {name} is not played at {where}."


def fewest_trials(rows: Iterable[Row]) -> Iterator[str]:
    """Of ad-hoc teams, where there are fewer trials than the protocol asks for."""
    trials = Counter((row.arm, row.players) for row in rows if row.arm.startswith(f"{EVALUATED}{WITH}"))
    if trials and (fewest := min(trials.values())) < TRIALS:
        yield f"The protocol asks for at least {TRIALS} trials per partner; the fewest here are {fewest}."
