"""How a run stands: its games, what they cost, who plays it; told from its folder, and by the process that plays it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from experiments.analysis import stop_sentences, stopping
from experiments.record import failures, rows, run_folder
from experiments.record.rows import Peeked, Row, peek_all
from experiments.record.run_folder import RUN
from experiments.record.saved import moves
from experiments.running import control_folder
from experiments.running.control_folder import Player
from experiments.running.folder_lock import taken
from orchestrator import journal
from orchestrator.errors import UserError
from orchestrator.journal.totals import usage_by_turn
from orchestrator.models.usage import Usage


def there(folder: Path) -> Path:
    """A run folder. Raises UserError for another one."""
    if not (folder / RUN).exists():
        raise UserError(f"there is no run in {str(folder)!r}, for it has no {RUN}; `experiment runs` lists the runs")
    return folder


def command(folder: Path, name: str, **given: Any) -> dict[str, Any]:
    """Have every process that plays a run do something: several do if they are shards.

    Returns whether one did, and what each said. Raises UserError when nobody plays it or all refuse.
    """
    found = control_folder.players(there(folder))
    if not found:
        raise UserError(_nobody(folder, name))
    said = [(one, one.ask(command=name, **given)) for one in found]
    done = [(one, answer) for one, answer in said if answer.get("ok")]
    if not done:
        raise UserError("; ".join(dict.fromkeys(str(answer.get("said")) for _, answer in said)))
    return {"ok": True, "said": [_by(one, str(answer["said"]), len(said)) for one, answer in done]}


def _by(player: Player, said: str, players: int) -> str:
    return f"shard {player.about['shard']}: {said}" if players > 1 and player.about.get("shard") else said


def _nobody(folder: Path, name: str) -> str:
    if taken(folder):
        return f"the run in {str(folder)!r} takes no commands: {DEAF}"
    again = {
        "retry": "; the command that started it tries games again that failed or were suspended",
        "resume": "; the command that started it goes on with it",
    }
    return f"nobody plays the run in {str(folder)!r}{again.get(name, '')}"


DEAF = "it is about to begin or to end, or it cannot write to its folder"
"""Why a run that is played may take no commands."""


@dataclass
class Spent:
    """What the games of a folder have used."""

    turns: int = 0
    tokens: int = 0
    usd: float | None = 0.0
    """None where the price of a call is not known."""

    def add(self, used: Usage) -> None:
        self.tokens += used.tokens_in + used.tokens_out
        known = self.usd is not None and (used.usd is not None or not used.calls)
        self.usd = (self.usd or 0.0) + (used.usd or 0.0) if known else None


def status(folder: Path) -> dict[str, Any]:
    """How the run in a folder stands, as plain data. Raises UserError for a folder without one."""
    record, games = run_folder.read(there(folder) / RUN), peek_all(folder)
    finished = {f"{path.parent.name}/{path.stem}" for path, game in games.items() if game.result}
    spent, (players, silent) = _spent(games), _asked(folder)
    failed = {game: why for game, why in failures.read(folder).items() if game not in finished}
    for one in players:
        failed |= one["failed"]
    return {
        "run": folder.as_posix(),
        "experiment": record.get("name"),
        "games": run_folder.games(record),
        **_by_rule(record, rows.finished(folder, games)),
        "finished": len(finished),
        "begun": sum(1 for game in games.values() if game.started and not game.result),
        "playing": sum(one["playing"] for one in players),
        "failed": failed,
        "suspended": {game: why for one in players for game, why in one["suspended"].items()},
        "turns": spent.turns,
        "tokens": spent.tokens,
        "usd": spent.usd,
        "players": players,
        "silent": silent,
    }


def _by_rule(record: Mapping[str, Any], games: Sequence[Row]) -> dict[str, Any]:
    """How the arms of a run with a stop rule stand, and whether none needs more games; nothing without a rule."""
    found = stopping.of_run(record, games)
    if found is None:
        return {}
    rule, arms = found
    said = [stop_sentences.stood(rule, arms[arm]) for arm in rule.arms]
    return {"stop": {"stood": said, "over": all(arms[arm].over for arm in rule.arms)}}


def _spent(games: Mapping[Path, Peeked]) -> Spent:
    spent = Spent()
    for path, game in games.items():
        if game.result:
            spent.turns += game.result.turns
            spent.add(game.result.usage)
        elif game.started:
            spent.turns += moves(path)
            for calls in usage_by_turn(journal.read(path)):
                for call in calls:
                    spent.add(call)
    return spent


def _asked(folder: Path) -> tuple[list[dict[str, Any]], list[str]]:
    """What the processes that play the run say, and sentences on those that say nothing."""
    players: list[dict[str, Any]] = []
    silent: list[str] = []
    try:
        found = control_folder.players(folder)
    except UserError as error:
        return [], [str(error)]
    for one in found:
        try:
            answer = one.ask(command="status")
            players.append({**one.about, **answer})
        except (UserError, TimeoutError) as error:
            silent.append(str(error))
    if not found and taken(folder):
        silent.append(f"a process that takes no commands: {DEAF}")
    return players, silent
