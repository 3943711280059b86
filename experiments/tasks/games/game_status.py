"""How a run of an experiment stands: its games and what they cost, read from its folder."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from experiments.analysis import stopping
from experiments.record import failures, rows, run_folder
from experiments.record.game import Game
from experiments.record.rows import peek_all
from experiments.record.run_folder import RUN
from experiments.record.saved import moves
from orchestrator import journal
from orchestrator.journal.totals import usage_by_turn
from orchestrator.models.usage import NO_USAGE, Usage


def status(folder: Path) -> dict[str, Any]:
    """Return how the games in a folder stand, as plain data; `failed` are those of earlier commands."""
    record, games = run_folder.read(folder / RUN), peek_all(folder)
    finished = {f"{path.parent.name}/{path.stem}" for path, game in games.items() if game.result}
    turns, spent = _spent(games)
    data = {
        "experiment": record.get("name"),
        "games": run_folder.games(record),
        "finished": len(finished),
        "begun": sum(game.result is None for game in games.values()),
        "failed": {game: why for game, why in failures.read(folder).items() if game not in finished},
        "turns": turns,
        "tokens": spent.tokens,
        "usd": spent.usd,
    }
    if stopped := stopping.of_run(record, rows.finished(folder, games)):
        data["stop"] = {"stood": stopped.states, "over": all(arm.over for arm in stopped.compared)}
    return data


def _spent(games: Mapping[Path, Game]) -> tuple[int, Usage]:
    """Return the turns of all games, and what their calls took."""
    turns, spent = 0, NO_USAGE
    for path, game in games.items():
        if game.result:
            turns += game.result.turns
            spent += game.result.usage if game.result.usage.calls else NO_USAGE
        elif game.started:
            turns += moves(path)
            spent = sum((call for calls in usage_by_turn(journal.read(path)) for call in calls), spent)
    return turns, spent
