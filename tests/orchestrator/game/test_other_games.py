"""Games other than Hanabi at the same table: played, stored, read back, resumed."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hanabi_orchestrator.orchestrator.collab import programs
from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.game import registry
from hanabi_orchestrator.orchestrator.game.reading import ground, labelled
from hanabi_orchestrator.orchestrator.game.types import Game
from hanabi_orchestrator.orchestrator.journal.events import Memory, Moved, TurnStarted
from hanabi_orchestrator.orchestrator.journal.file import comparable, read
from hanabi_orchestrator.orchestrator.players.partners import get as partner
from hanabi_orchestrator.orchestrator.replies.reply import NotAnOption
from hanabi_orchestrator.orchestrator.table.game_loop import play
from hanabi_orchestrator.orchestrator.table.seat import Decision

RULES: dict[str, Callable[[Any], tuple[Any, str]]] = {
    "capture": programs.capture_planner,
    "escape": programs.escape_planner,
}
COLLAB = list(RULES)


async def planner(view: Any, memory: Memory) -> Decision:
    move, why = RULES[view.game](view)
    return Decision(move, why)


def texts(game: Game) -> set[str]:
    """The texts of the moves that a game of the planners offers."""
    referee = game.referee(game.usual, game.deal(1))
    offered = set()
    while not referee.over:
        view = referee.view()
        offered |= {str(move) for move in view.legal}
        referee.apply(view.legal[len(offered) % len(view.legal)])
    return offered


@pytest.mark.parametrize("name", COLLAB)
def test_a_journal_cut_after_any_line_resumes_to_the_same_game(name: str, tmp_path: Path) -> None:
    whole = tmp_path / "whole.jsonl"
    result = play(planner, game=name, seed=2, journal=whole)
    lines = whole.read_bytes().splitlines(keepends=True)
    for number in range(1, len(lines)):
        cut = tmp_path / f"cut-{number}.jsonl"
        cut.write_bytes(b"".join(lines[:number]))
        assert play(planner, game=name, seed=2, journal=cut) == result
        assert comparable(read(cut)) == comparable(read(whole))


@pytest.mark.parametrize("name", COLLAB)
def test_what_is_stored_is_read_back_as_it_was(name: str, tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    events: list[Any] = []
    result = play(planner, game=name, journal=path, sink=events.append)
    assert read(path) == events
    game = registry.get(name)
    assert all(type(event.view) is game.view for event in events if isinstance(event, TurnStarted))
    moves = [event.past.move for event in events if isinstance(event, Moved)]
    assert [registry.parse(str(move)) for move in moves] == moves
    assert result.game == name
    assert set(result.measures) == set(game.measures)
    assert result.end in game.ends


@pytest.mark.parametrize("name", COLLAB)
def test_a_sealed_decision_changes_nothing_that_the_next_seat_sees(name: str) -> None:
    game = registry.get(name)
    for seed in (1, 2, 3, 4):
        deal = game.deal(seed)
        played: list[Any] = []
        while True:
            referee = game.rebuilt(game.usual, deal, played)
            if referee.over:
                break
            view = referee.view()
            if view.seat == 0:
                seen = []
                for move in view.legal:
                    sealed = game.rebuilt(game.usual, deal, [*played, move])
                    seen.append(sealed.view().model_dump_json())
                assert len(set(seen)) == 1
            played.append(RULES[name](view)[0])


def test_no_text_is_a_move_of_two_games() -> None:
    for name in registry.names():
        for text in texts(registry.get(name)):
            for stranger in registry.names():
                if stranger != name:
                    with pytest.raises(ValueError):
                        registry.get(stranger).parse(text)


@pytest.mark.parametrize(
    "name", ["capture_nearest", "capture_planner", "escape_bold", "escape_planner"]
)
def test_a_rule_player_names_its_game(name: str) -> None:
    result = play(partner(name), seed=1)
    assert result.game == name.partition("_")[0]
    assert result.graph == f"partner:{name}"


def test_seats_of_two_games_do_not_sit_at_one_table() -> None:
    with pytest.raises(UserError, match="two games"):
        play(partner("smart"), game="capture")


def test_a_game_says_which_players_and_deals_it_has() -> None:
    with pytest.raises(UserError, match="2 players"):
        play(planner, game="capture", players=3)
    with pytest.raises(UserError, match="1 to 4"):
        play(planner, game="capture", seed=9)
    with pytest.raises(UserError, match="unknown game"):
        play(planner, game="chess")


OFFERED = registry.get("capture").referee(2, registry.get("capture").deal(1)).view().legal


@pytest.mark.parametrize(
    "answer",
    [
        "move to room 2",
        "Move to Room 2.",
        "I will move to the room 2",
        "A",
        "(A)",
        "A: move to room 2",
        "Option A",
        ["move to room 2"],
    ],
)
def test_an_answer_means_the_move_that_it_names(answer: object) -> None:
    assert str(ground(answer, labelled(OFFERED, letters=True))) == "move to room 2"


@pytest.mark.parametrize(
    "answer",
    [
        "do not move to room 2",
        "move to room 2 or move to room 6",
        "move to room 7",
        "B: move to room 2",
        "move",
        "",
        "Z",
        7,
        {"move": 2},
        "x" * 400,
    ],
)
def test_an_answer_in_doubt_is_refused(answer: object) -> None:
    with pytest.raises(NotAnOption):
        ground(answer, labelled(OFFERED, letters=True))
