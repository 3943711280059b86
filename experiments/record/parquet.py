"""A run as three tidy tables, `games`, `turns` and `calls`, in Parquet files of fixed types for DuckDB and pandas.

They are written one journal at a time, so that a run of any size fits in memory. All three hold finished games only; in
each, arm, players, seed and repeat identify the game of a row.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, get_args, get_origin, get_type_hints

from hanabi_orchestrator.experiments.record import measures, run_folder, turn_rows
from hanabi_orchestrator.experiments.record.files import whole
from hanabi_orchestrator.experiments.record.game import Game
from hanabi_orchestrator.experiments.record.rows import Row
from hanabi_orchestrator.orchestrator.errors import UserError

MISSING = "Parquet tables need pyarrow, which is not installed: `pip install 'hanabi-orchestrator[tables]'`"

BATCH = 20_000
"""Rows that are written at once; a twentieth of it with texts."""


def types(table: type) -> dict[str, str]:
    """Return the columns of a table's rows with their Parquet types, from the annotations of a dataclass."""
    return {
        name: _type_name(hint) for name, hint in get_type_hints(table, include_extras=True).items()
    }


def _type_name(hint: Any) -> str:
    """Return the Parquet type of a field; integers say their width beside their type."""
    widths = [note for note in measures.metadata(hint) if isinstance(note, str)]
    while args := get_args(hint):
        if get_origin(hint) is Mapping:
            return "map"
        hint = args[0]
    return widths[0] if widths else {str: "string", bool: "bool", float: "float64"}[hint]


GAMES = types(Row)
GAME = {name: GAMES[name] for name in ("arm", "players", "seed", "repeat")}
TURNS = types(turn_rows.TurnRow)
CALLS = {
    **GAME,
    **{
        "turn": "int16",
        "seat": "int8",
        "node": "string",
        "role": "string",
        "sample": "int16",
        "ask": "int16",
    },
    **{"model": "string", "outcome": "string", "error": "string"},
    **{
        "tokens_in": "int64",
        "tokens_out": "int64",
        "cached_tokens": "int64",
        "reasoning_tokens": "int64",
    },
    **{
        "estimated": "bool",
        "usd": "float64",
        "latency_s": "float64",
        "cached": "bool",
        "attempts": "int16",
    },
    **{
        "faults": "int16",
        "prompt_hash": "string",
        "finish": "string",
        "served_by": "string",
        "cause": "string",
    },
    "copied": "bool",
}
TEXTS = {"messages": "string", "text": "string"}
"""Optional columns of calls: the messages to the model, as JSON, and its raw response."""
TEXT_COLUMNS = {"messages", "prompt", "user_prompt"}
"""Columns that hold whole prompts, of tables whose batches are smaller."""


@dataclass(frozen=True)
class MoreColumns:
    """Columns of games that were asked for, after those that every run has."""

    types: Mapping[str, str] = field(default_factory=dict)
    cells: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """By the journal of the game; a cell that is not there is empty."""


def export(
    folder: Path, out: Path, *, texts: bool = False, more: MoreColumns = MoreColumns()
) -> dict[str, int]:
    """Write games.parquet, turns.parquet and calls.parquet; returns how many rows each has. Raises UserError without
    pyarrow, finished games or their journals."""
    rows = run_folder.read_rows(folder)
    if missing := [row.journal for row in rows if not (folder / row.journal).exists()]:
        raise UserError(
            f"{str(folder / missing[0])!r} is not there; turns and calls are read from the journals"
        )
    out.mkdir(parents=True, exist_ok=True)
    games = (
        {name: getattr(row, name) for name in GAMES}
        | {name: more.cells.get(row.journal, {}).get(name) for name in more.types}
        for row in rows
    )
    of_games = (turn for row in rows for turn in turn_rows.game_turns(folder, row))
    turns = (asdict(turn) | {"proposals": sorted(turn.proposals.items())} for turn in of_games)
    return {
        "games": write(out / "games.parquet", {**GAMES, **more.types}, games),
        "turns": write(out / "turns.parquet", TURNS, turns),
        "calls": write(
            out / "calls.parquet",
            CALLS | (TEXTS if texts else {}),
            _calls(folder, rows, texts=texts),
        ),
    }


def _calls(folder: Path, rows: list[Row], *, texts: bool) -> Iterator[dict[str, Any]]:
    for row in rows:
        game = {name: getattr(row, name) for name in GAME}
        for call in Game.open(folder / row.journal).calls:
            cells = game | {"attempts": len(call.attempts)}
            cells["faults"] = sum(wire.error is not None for wire in call.attempts)
            cells |= {name: getattr(call, name) for name in CALLS if name not in cells}
            if texts:
                cells["messages"] = json.dumps(
                    call.model_dump(mode="json")["messages"], ensure_ascii=False
                )
                cells["text"] = call.text
            yield cells


def write(path: Path, types: Mapping[str, str], rows: Iterable[dict[str, Any]]) -> int:
    """Write a table of rows; returns how many. See `table`."""
    written = 0
    with table(path, types) as add:
        for row in rows:
            add(row)
            written += 1
    return written


@contextmanager
def table(path: Path, types: Mapping[str, str]) -> Iterator[Callable[[Mapping[str, Any]], None]]:
    """Give what adds a row to a file, in batches. It is a whole file or none. Raises UserError without pyarrow."""
    arrow, parquet = _pyarrow()
    text = arrow.string()
    number = arrow.float64()
    kinds = {
        "map": arrow.map_(text, number),
        "strings": arrow.list_(text),
        "floats": arrow.list_(number),
    }
    kinds |= {
        "messages": arrow.list_(arrow.struct({"role": text, "content": text})),
        "bool": arrow.bool_(),
    }
    columns = [
        (name, kinds[kind] if kind in kinds else getattr(arrow, kind)())
        for name, kind in types.items()
    ]
    schema = arrow.schema(columns)
    batch = list[Mapping[str, Any]]()
    size = BATCH // 20 if {*types} & TEXT_COLUMNS else BATCH
    with (
        whole(path) as part,
        part.open("wb") as file,  # pyarrow opens only names in UTF-8
        parquet.ParquetWriter(file, schema, compression="zstd") as writer,
    ):

        def write_batch() -> None:
            writer.write_table(arrow.Table.from_pylist(batch, schema=schema))
            batch.clear()

        def add(row: Mapping[str, Any]) -> None:
            batch.append(row)
            if len(batch) == size:
                write_batch()

        yield add
        if batch:
            write_batch()


def rows(path: Path) -> Iterator[dict[str, Any]]:
    """The rows of a Parquet file of others as plain data. Raises UserError, also without pyarrow."""
    arrow, parquet = _pyarrow()
    try:
        with parquet.ParquetFile(path) as file:
            for batch in file.iter_batches():
                yield from batch.to_pylist()
    except (OSError, arrow.ArrowException) as error:
        raise UserError(f"cannot read {str(path)!r} as Parquet: {error}") from None


def _pyarrow() -> tuple[Any, Any]:
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise UserError(MISSING) from None
    return pyarrow, parquet
