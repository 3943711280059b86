"""The models of a run, as a report tells them: settings, error rates of simulated ones, and who said to answer."""

from collections.abc import Iterator, Mapping
from typing import Any

from experiments.record import turn_rows
from experiments.record.rows import Row, peek
from experiments.report.run_data import RunData
from experiments.report.tables import Grid
from orchestrator.errors import UserError
from orchestrator.models.settings import PERSON, PROGRAM
from orchestrator.models.simulated_settings import is_simulated


def models(data: RunData) -> Grid | None:
    """The settings of every model that was asked, those of simulated ones from journals, which state all rates; and by
    which ids the servers said that they answered, where they did."""
    found = dict.fromkeys((*_of_run(data.run, _rates(data)), *_rates(data)))
    served = _served(data)
    rows = [(name, settings or "none", ", ".join(sorted(served.get(name, ())))) for name, settings in found]
    known = 3 if any(row[2] for row in rows) else 2
    columns = ("model", "settings", "answered as")
    return Grid(columns[:known], tuple(row[:known] for row in rows), words=known) if rows else None


def _of_run(run: Mapping[str, Any], simulated: Mapping[tuple[str, str], None]) -> Iterator[tuple[str, str]]:
    """As run.yaml has them, without the `simulated` ones that journals tell of."""
    told = {name for name, _ in simulated}
    for seat in run.get("seats", {}).values():
        for model in (seat.get("models") or {}).values():
            if (named := _settings(model))[0] not in told and named[0] != PROGRAM:
                yield named


def _settings(model: Any) -> tuple[str, str]:
    """The name of a model and its settings in words."""
    if not isinstance(model, Mapping):
        return str(model), ""
    return str(model["model"]), "; ".join(f"{key} {short(value)}" for key, value in model.items() if key != "model")


def short(value: Any) -> str:
    """Settings in words."""
    if isinstance(value, dict):
        return ", ".join(f"{key} {short(inner)}" for key, inner in value.items())
    return ", ".join(map(short, value)) if isinstance(value, list) else str(value)


def _rates(data: RunData) -> dict[tuple[str, str], None]:
    """The simulated models in the first game of each arm, with the rates at which they err."""
    found = [model for arm in data.arms for model in _of_game(data, arm) if is_simulated(model.get("model"))]
    return dict.fromkeys(map(_settings, found))


def _of_game(data: RunData, arm: str) -> Iterator[Mapping[str, Any]]:
    """The models of an arm's first game; none where its journal is missing or unreadable."""
    path = data.folder / data.rows_of(arm)[0].journal
    try:
        started = peek(path).started if path.exists() else None
    except UserError:
        return
    for seat in started.everybody if started else ():
        yield from seat.models.values()


def _served(data: RunData) -> dict[str, set[str]]:
    """By model, the ids under which its server said that it answered; a journal that cannot be read says nothing."""
    found: dict[str, set[str]] = {}
    for row in data.rows:
        path = data.folder / row.journal
        try:
            for model, served in turn_rows.served(path) if _asks(row) and path.exists() else ():
                found.setdefault(model, set()).add(served)
        except UserError:
            continue
    return {model: ids for model, ids in found.items() if not is_simulated(model)}


def _asks(row: Row) -> bool:
    """Whether a server may have been asked; a game of programs and simulated models need not be read."""
    return not all(one in (PROGRAM, PERSON) or is_simulated(one) for one in row.model.split("+"))
