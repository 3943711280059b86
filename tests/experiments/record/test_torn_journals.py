"""Journals cut off anywhere, as a power failure leaves them: every reader tells what stands in the whole lines."""

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest
import yaml

from hanabi_orchestrator import graphs
from hanabi_orchestrator.experiments.page.games import Games
from hanabi_orchestrator.experiments.page.library import Library
from hanabi_orchestrator.experiments.record import rows
from hanabi_orchestrator.experiments.record.game import Game, NotBegun
from hanabi_orchestrator.experiments.record.games import Source, sources
from hanabi_orchestrator.orchestrator import journal, play
from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.journal import file
from hanabi_orchestrator.orchestrator.journal.events import Event
from tests.conftest import Run
from tests.orchestrator.journal.test_resume import talkative
from tests.support.prove import FULL

TAGS = {kind.model_fields["event"].default for kind in get_args(Event)}
SUSPENDED = b'{"v": 2, "event": "suspended", "t": "2026-01-01T00:00:00.000+00:00", "turn": 3, "why": "no budget"}\n'


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A finished game of a model with lines of every kind."""
    path = tmp_path_factory.mktemp("whole") / "game.jsonl"
    play(graphs.seat("cac", talkative()), players=2, seed=1, journal=path, max_turns=2)
    *before, ended = path.read_bytes().splitlines(keepends=True)
    return b"".join((*before, SUSPENDED, ended))


def cuts(data: bytes, step: int) -> Iterator[int]:
    """Yield sizes of files: some within a line of each kind, both its ends, and each `step` within the last line."""
    chance = random.Random(1)
    seen = set[str]()
    start = 0
    lines = data.splitlines(keepends=True)
    for line in lines:
        tag = file.tag(line)
        if line is lines[-1]:
            yield from range(start, len(data), step)
        elif tag not in seen:
            yield from (
                start,
                start + 1,
                *(start + chance.randrange(len(line)) for _ in range(40 if FULL else 2)),
            )
        yield from (start + len(line) - 1, start + len(line))
        seen.add(tag)
        start += len(line)
    assert seen == TAGS


def told(folder: Path) -> Any:
    """Return what every reader says of the one game of a run folder."""
    (path,) = folder.rglob("*.jsonl")
    events = [json.dumps(journal.comparable(journal.read(path)))]
    page = [
        (entry.row, entry.progress, entry.stop)
        for entry in Games(Library.open(folder)).shelf().entries
    ]
    listed = rows.rows(folder), [source.name for source in _sources(folder)], page
    try:
        game = Game.open(path)
    except NotBegun as error:
        return events, listed, str(error)
    turns = [(turn.number, len(turn.calls), turn.decided) for turn in game.turns]
    return events, listed, game.result, game.moves, turns, [*game.briefs], [*map(repr, game.events)]


def _sources(folder: Path) -> list[Source]:
    return sources(folder) if rows.peek_all(folder) else []


@pytest.mark.parametrize(("after", "step"), [(b"", 1 if FULL else 11), (b"\0" * 30, 50)])
def test_half_a_last_line_is_no_line_to_any_reader(
    after: bytes, step: int, whole: bytes, tmp_path: Path
) -> None:
    """`after`: a power failure can leave zeros where nothing was written yet."""
    path = tmp_path / "games" / "a" / "2p-s1-r1.jsonl"
    path.parent.mkdir(parents=True)
    (tmp_path / "run.yaml").write_text("name: torn\n", "utf-8")
    expected: dict[int, Any] = {}
    for size in cuts(whole, step):
        is_end = whole[size : size + 1] == b"\n" and not after
        whole_lines = size + 1 if is_end else whole.rfind(b"\n", 0, size) + 1
        if whole_lines not in expected:
            path.write_bytes(whole[:whole_lines])
            expected[whole_lines] = told(tmp_path)
        path.write_bytes(whole[:size] + after)
        assert told(tmp_path) == expected[whole_lines], size
    assert expected[len(whole)][2].turns == 2 and len(expected) > len(TAGS)


def test_a_first_line_of_another_program_is_no_half_line(tmp_path: Path) -> None:
    for text in ("hello", '{"foo": 1', "[1]", "\0\0x", '{"v": 3, "event": '):
        (tmp_path / "a.jsonl").write_text(text, "utf-8")
        with pytest.raises(UserError, match="not a journal"):
            Game.open(tmp_path / "a.jsonl")


EXPERIMENT = {
    "name": "small",
    "graph": "sherlock",
    "players": [2],
    "seeds": 1,
    "models": {"default": "sim:average"},
}
RUN = ("experiment", "run", "small.yaml", "--out", "here", "-q")
JOURNAL = "here/games/full/2p-s1-r1.jsonl"
READERS = (
    ("experiment", "status", "here"),
    ("report", "here"),
    ("show", "here"),
    ("show", JOURNAL),
    ("show", JOURNAL, "--turn", "2"),
    ("list", "games", "here"),
    ("list", "runs", "."),
    ("diff", JOURNAL, "whole.jsonl"),
    ("fork", JOURNAL, "--turn", "2", "--out", "fork"),
    ("export", "here", "--to", "tables", "--out", "tables-{}"),
    ("export", JOURNAL, "--to", "rewards", "--out", "rewards-{}.jsonl"),
    ("export", "here", "--to", "page", "--out", "page-{}"),
)


def test_the_same_command_goes_on_and_every_command_reads_what_is_there(run: Run) -> None:
    Path("small.yaml").write_text(
        yaml.safe_dump({**EXPERIMENT, "arms": {"full": {}, "b": {}}}), "utf-8"
    )
    assert run(*RUN)[0] == 0
    unbroken = Path("here/results.csv").read_bytes()
    data = Path(JOURNAL).read_bytes()
    Path("whole.jsonl").write_bytes(data)
    ended = data.rfind(b"\n", 0, -1) + 1
    calls = [*range(0, ended, ended // (20 if FULL else 2))][1:]
    for size in (ended + 25, len(data) - 20, len(data) - 1, *calls):
        Path(JOURNAL).write_bytes(data[:size])
        if size in (ended + 25, calls[0]) or FULL:
            for command in READERS:
                code, _, err = run(*(word.format(size) for word in command))
                assert code == (command[0] == "diff") and "error" not in err, (size, command, err)
        code, _, err = run(*RUN)
        assert (code, err) == (0, "")
        assert Path("here/results.csv").read_bytes() == unbroken
        again, before = (
            journal.comparable(journal.read(Path(path))) for path in (JOURNAL, "whole.jsonl")
        )
        assert again == before
