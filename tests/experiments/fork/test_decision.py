"""A turn decided again: with nothing changed it is the same turn; with a change, only what reads it is asked."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

import graphs
from experiments.fork.decision import Fork, decide
from experiments.results.story import Story
from graphs.graph_seat import Model
from orchestrator import journal
from orchestrator.journal.events import Event, Moved
from orchestrator.journal.file import comparable
from orchestrator.table.game_loop import play
from tests.support.prove import FULL

GAMES: dict[str, tuple[str, int, Model, Mapping[str, Any]]] = {
    "house": ("house", 3, "program", {}),
    "cac": ("cac", 4, "program", {}),
    "mycroft, which remembers": ("mycroft", 2, "program", {}),
    "moa_watson": ("moa_watson", 5, "program", {}),
    "best_of_k on a simulated model": ("best_of_k", 3, "sim:average", {}),
    "house on a simulated model": ("house", 2, "sim:average", {}),
    "a lean journal": ("house", 3, "program", {"lean": True}),
    "a lean journal of a simulated model": ("house", 2, "sim:careless", {"lean": True}),
}


@pytest.fixture(scope="module")
def game(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """Plays a game once; returns its journal."""
    folder, made = tmp_path_factory.mktemp("games"), dict[str, Path]()

    def played(
        graph: str, players: int = 2, model: Model = "program", *, turns: int | None = None, **more: Any
    ) -> Path:
        name = f"{graph}-{players}-{model}-{turns}-{more}"
        if name not in made:
            made[name] = folder / f"{len(made)}.jsonl"
            play(graphs.seat(graph, model), players=players, seed=2, journal=made[name], max_turns=turns, **more)
        return made[name]

    return played


def of_turn(events: list[Event] | tuple[Event, ...]) -> list[dict[str, Any]]:
    return comparable(event for event in events if not isinstance(event, Moved))


@pytest.mark.parametrize("name", GAMES)
def test_with_nothing_changed_every_turn_is_what_it_was(name: str, game: Callable[..., Path]) -> None:
    graph, players, model, more = GAMES[name]
    story = Story.read(journal.read(game(graph, players, model, turns=None if FULL else 6, **more)))
    for turn in story.turns:
        fork = decide(story, turn.started.turn)
        assert of_turn(fork.new[0].events) == of_turn(fork.old.events)
        assert fork.old.decided == turn.decided and not fork.warnings


def test_a_recording_answers_as_the_model_did(game: Callable[..., Path]) -> None:
    path = game("house", 2, "sim:careless", turns=6)
    story = Story.read(journal.read(path))
    for turn in story.turns:
        fork = decide(path, turn.started.turn, model=f"replay:{path}")
        assert of_turn(fork.new[0].events) == of_turn(turn.events)


def asked(fork: Fork) -> set[str]:
    return {call.node for call in fork.new[0].calls if call.fixed is None}


def test_a_changed_note_asks_only_what_reads_it(game: Callable[..., Path], tmp_path: Path) -> None:
    path = game("house", 3, "sim:average", turns=6)
    story = Story.read(journal.read(path))
    note = decide(story, 5).old_notes["discard_strategist"]
    fork = decide(story, 5, edits={"discard_strategist": note})
    before = {(call.node, call.sample): call for call in fork.old.calls}
    assert asked(fork) == {"aggregator", "safety"} and fork.edited == {"discard_strategist"}
    for call in fork.new[0].calls:
        if call.fixed == "recorded":
            assert call.model_copy(update={"fixed": None}) == before[call.node, call.sample]
    assert fork.new[0].decided == fork.old.decided, "the same note changes nothing"


def test_a_note_of_a_file_is_read_as_an_answer_would_be(game: Callable[..., Path], tmp_path: Path) -> None:
    path, file = game("cac", 2, turns=4), tmp_path / "choice.yaml"
    place = decide(path, 1)
    other = next(move for move in place.place.view.legal if place.old.decided and move != place.old.decided.move)
    file.write_text(f"reason: because\naction: {other}\n")
    fork = decide(path, 1, edits={"generate": file})
    (note,) = fork.new_notes()["generate"]
    assert str(getattr(note, "action", None)) == str(other) and "generate" not in asked(fork)
    assert fork.kept == {"interpret"}
