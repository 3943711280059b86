"""`import`: a file of published turns becomes a folder of journals, with an index of its rows, and
a list of those that could not be used."""

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hanabi_orchestrator.experiments import formats
from hanabi_orchestrator.experiments.interchange import hanabi_logs_games as logs
from hanabi_orchestrator.experiments.interchange import hanabi_logs_rows as log_rows
from hanabi_orchestrator.experiments.interchange.hanabi_logs_games import LeftOut, LogGame, Turn
from hanabi_orchestrator.experiments.interchange.hanabi_logs_rows import Broken, LogRow
from hanabi_orchestrator.experiments.record import recorded_game
from hanabi_orchestrator.experiments.record.files import short_name, write_atomically
from hanabi_orchestrator.graphs.ablate import bind
from hanabi_orchestrator.graphs.config import GraphConfig
from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.hanabi.moves import Move
from hanabi_orchestrator.orchestrator.journal.events import Event, SeatInfo, TurnStarted
from hanabi_orchestrator.orchestrator.table.seat import Decision
from hanabi_orchestrator.roles.reply_types import RatedChoice
from hanabi_orchestrator.roles.words import many

SEAT = "hanabilogs"
"""The graph of a seat of an imported game."""


def _decision(turn: Turn, move: Move) -> Decision:
    """Return the recorded decision; a move that the answer does not name was none of the model's
    choice."""
    reply = turn.call.reply or {}
    if reply.get("action") != str(move):
        return Decision(move, "the move of the record, which the answer does not name", forced=True)
    rated = RatedChoice.model_fields.keys() <= reply.keys()
    ratings = {rating["action"]: rating["rating"] for rating in reply["ratings"]} if rated else None
    return Decision(move, str(reply.get("reason", "")), ratings, node=turn.call.node)


def events(game: LogGame, config: GraphConfig, name: str) -> list[Event]:
    """Return the events of the game's journal, without an end where the record has none."""
    turns = []
    for turn in game.turns:
        if turn.move is not None:
            turns.append((_decision(turn, turn.move), turn.call))
    graph = bind(config, {"default": game.model}).model_dump(mode="json")
    info = SeatInfo(graph=SEAT, model=game.model, config=graph, label="published record")
    referee = game.referee
    deal: dict[str, Any] = {"seed": game.seed}
    if game.seed is None:
        deal = {"deck": referee.deck}
    recorded = recorded_game.events(
        [info] * referee.players, turns, name, over=referee.over, **deal
    )
    if not referee.over and len(turns) < len(game.turns):
        view = referee.view()
        recorded += [
            TurnStarted(turn=view.turn, seat=view.seat, view=view),
            game.turns[len(turns)].call,
        ]
    return recorded


def plain(game: LogGame, journal: str) -> Iterator[Mapping[str, Any]]:
    """Yield what became of each row that has a place: the index of an import."""
    for turn in game.turns:
        yield {
            "row": turn.row.number,
            "journal": journal,
            "turn": turn.call.turn,
            "model": turn.row.model,
            "players": turn.row.players,
            "seed": turn.row.seed,
            "move": None if turn.move is None else str(turn.move),
            "answer": (turn.call.reply or {}).get("action"),
            "unreadable": turn.call.error,
            "move_ratings": list(turn.row.ratings),
            "legal": [str(move) for move in turn.row.legal],
        }


INDEX = "rows.json"
LEFT_OUT = "left_out.json"
"""Not .jsonl: a folder's .jsonl files are journals."""


@dataclass
class Done:
    """What became of a file."""

    folder: Path
    graph: str
    rows: int = 0
    games: int = 0
    placed: list[Mapping[str, Any]] = field(default_factory=list)
    """Of each row that is in a journal: where it is, and what its judge gave each move."""
    left_out: list[LeftOut] = field(default_factory=list)
    others: int = 0
    """Rows of models that were not asked for."""

    @property
    def plain(self) -> dict[str, Any]:
        return {
            "folder": str(self.folder),
            "graph": self.graph,
            "rows": self.rows,
            "other_models": self.others,
            "games": self.games,
            "turns": len(self.placed),
            "unreadable": sum(place["unreadable"] is not None for place in self.placed),
            "left_out": self.left_out,
        }

    @property
    def lines(self) -> list[str]:
        """What a person is told."""
        unread = sum(entry["unreadable"] is not None for entry in self.placed)
        games = many(self.games, "game")
        turns = many(len(self.placed), "turn")
        sentences = [
            f"{games}, {turns} in {self.folder}/; responses are read in the format of {self.graph}"
        ]
        if unread:
            sentences.append(
                f"{many(unread, 'response')} could not be read; the moves of these turns are "
                "recorded"
            )
        if self.left_out:
            sentences.append(
                f"{len(self.left_out):,} of {self.rows:,} rows left out, see "
                f"{self.folder}/{LEFT_OUT}; the first:"
            )
            sentences += [f"  row {entry['row']}: {entry['why']}" for entry in self.left_out[:3]]
        return [*sentences, f"next: orchestrator show {self.folder}"]


def run(
    file: Path,
    folder: Path,
    graph: str | None,
    names: Path | None,
    *,
    models: Collection[str] = (),
    skip_broken: bool = False,
) -> Done:
    """Import a file. Without `skip_broken` the first row that cannot be used is an error, and
    nothing is written.

    Raises UserError.
    """
    if not file.is_file():
        raise UserError(f"there is no file {str(file)!r}")
    if folder.exists() and any(folder.iterdir()):
        raise UserError(f"{str(folder)!r} holds files already; give another --out")
    config = logs.graph_of(file, graph)
    done = Done(folder, config.name)
    readable = _rows(file, log_rows.columns(names), models, done)
    games = []
    for rows in logs.games(readable):
        if (game := _placed(rows, config, done)) is not None:
            games.append(game)
    done.left_out.sort(key=lambda entry: entry["row"])
    if done.left_out and not skip_broken:
        first = done.left_out[0]
        raise UserError(
            f"{file}, row {first['row']}: {first['why']}; {len(done.left_out):,} of {done.rows:,} "
            "rows cannot be used (--skip-broken leaves them out)"
        )
    if not games:
        raise UserError(
            f"{file} has no game that can be read" if done.rows else f"{file} has no rows"
        )
    _write(games, config, done)
    return done


def _rows(
    file: Path, named: Mapping[str, str], models: Collection[str], done: Done
) -> list[LogRow]:
    rows = []
    for number, data in enumerate(log_rows.rows(file), 1):
        done.rows += 1
        if models and data.get(named["model_name"]) not in models:
            done.others += 1
            continue
        try:
            rows.append(log_rows.row(data, number, named))
        except Broken as problem:
            done.left_out.append({"row": number, "why": str(problem)})
    if models and done.others == done.rows:
        raise UserError(f"{file} has no row of {', '.join(models)}")
    return rows


def _placed(rows: Sequence[LogRow], config: GraphConfig, done: Done) -> LogGame | None:
    try:
        game = logs.placed(rows, config)
    except Broken as problem:
        done.left_out += logs.left_out(rows, problem)
        return None
    done.left_out += game.left_out
    if game.turns:
        return game
    return None


def _write(games: Sequence[LogGame], config: GraphConfig, done: Done) -> None:
    counts: dict[str, int] = {}
    for game in games:
        slug = re.sub(r"[^A-Za-z0-9._]+", "-", game.model).strip("-") or "model"
        stem = f"{short_name(slug)}-{game.referee.players}p-s{game.turns[0].row.seed}"
        counts[stem] = number = counts.get(stem, 0) + 1
        if number == 1:
            name = f"{stem}.jsonl"
        else:
            name = f"{stem}-{number}.jsonl"
        recorded_game.write(events(game, config, f"hanabilogs {name}"), done.folder / name)
        done.placed += plain(game, name)
        done.games += 1
    for name, rows in (
        (INDEX, sorted(done.placed, key=lambda entry: entry["row"])),
        (LEFT_OUT, done.left_out),
    ):
        lines = ",\n".join(json.dumps(entry, ensure_ascii=False) for entry in rows)
        write_atomically(done.folder / name, f"[\n{lines}\n]\n" if lines else "[]\n")


def _written(
    source: str,
    out: Path | None,
    *,
    graph: str | None = None,
    map: Path | None = None,
    model: Sequence[str] = (),
    skip_broken: bool = False,
) -> formats.Written:
    file = Path(source)
    folder = out or Path("games") / f"hanabilogs-{file.stem}"
    done = run(file, folder, graph, map, models=model, skip_broken=skip_broken)
    return formats.Written(*done.lines, data=done.plain)


def _takes(source: str) -> bool:
    # rows stand a line each, or in Parquet
    rows = (".parquet", ".jsonl", ".ndjson", ".jsonl.gz", ".ndjson.gz")
    return source.endswith(rows) and not source.startswith(("http://", "https://"))


FORMAT = formats.ImportFormat(
    says="published turns of HanabiLogs, as JSON lines or Parquet",
    read=_written,
    takes=_takes,
    options=("graph", "map", "model", "skip_broken"),
)
