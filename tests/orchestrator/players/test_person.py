"""A person's seat: what they may type, what is refused and why, and how their games are kept and replayed."""

import asyncio
import re
from pathlib import Path
from typing import Any

import pytest

from hanabi_orchestrator import graphs
from hanabi_orchestrator.orchestrator import (
    Decision,
    HintRank,
    Left,
    Person,
    Play,
    Seat,
    Suspended,
    TurnError,
    View,
    journal,
    play,
    play_async,
)
from hanabi_orchestrator.orchestrator.hanabi.moves import parse
from hanabi_orchestrator.orchestrator.hanabi.referee import Referee, deal
from hanabi_orchestrator.orchestrator.journal.events import Decided, GameStarted
from hanabi_orchestrator.orchestrator.journal.file import comparable
from hanabi_orchestrator.orchestrator.players.person import Ask, RecordedPerson
from hanabi_orchestrator.orchestrator.players.typed_move import typed_move
from tests.support.positions import random_views

VIEW = Referee(3, deal(1)).view()
"""P0 to move; P1 holds Y5 G1 W1 B2 W5, P2 holds Y2 G3 G1 R5 G4; all tokens are there."""


@pytest.mark.parametrize(
    ("text", "move"),
    [
        ("play 2", "play slot 2"),
        (" P  2 ", "play slot 2"),
        ("p2", "play slot 2"),
        ("play slot 2", "play slot 2"),
        ("hint P1 white", "hint P1 white"),
        ("h 1 w", "hint P1 white"),
        ("h1W", "hint P1 white"),
        ("h 1 5", "hint P1 rank 5"),
        ("h15", "hint P1 rank 5"),
        ("clue p2 rank 3", "hint P2 rank 3"),
        ("0", "play slot 0"),
        ("play slot two", "play slot 2"),
        ("I will play my card in slot 2", "play slot 2"),
    ],
)
def test_a_move_is_read_as_a_person_types_it(text: str, move: str) -> None:
    assert typed_move(text, VIEW) == (parse(move), "")


def test_a_reason_may_follow() -> None:
    assert typed_move("h 1 1 because G1 and W1 fit", VIEW) == (
        HintRank(to=1, rank=1),
        "G1 and W1 fit",
    )


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("play 9", "you have no slot 9; your cards are in slots 0 to 4"),
        ("d 0", "you cannot discard while all 8 information tokens are there"),
        ("99", "99 is not in the list; the legal moves are numbered 0 to 19"),
        ("hint red", "'hint red' does not say who gets the hint: P1 or P2"),
        ("h 0 r", "you are P0; a hint goes to another player"),
        ("h 7 r", "there is no P7; the players are P0 to P2"),
        ("h 1 r", "P1 has no red card, and a hint must touch at least one"),
        ("h 1 9", "there is no rank 9; ranks are 1 to 5"),
        (
            "good luck",
            "'good luck' is not a move that can be read; type a number of the list, or e.g. `play 2`",
        ),
        ("", "'' is not a move that can be read"),
        ("play 2 or play 3", "is not a move that can be read"),
    ],
)
def test_what_is_no_legal_move_is_refused_with_the_reason(text: str, why: str) -> None:
    with pytest.raises(ValueError, match=re.escape(why)):
        typed_move(text, VIEW)


def test_without_tokens_nobody_hints() -> None:
    view = next(view for players in (2, 3) for view in random_views(players, 1) if view.tokens == 0)
    with pytest.raises(ValueError, match="no information token is left"):
        typed_move(f"h {view.hands[0].seat} 1", view)


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_every_legal_move_can_be_typed_by_its_number_and_by_its_text(players: int) -> None:
    for view in random_views(players, 5):
        for number, move in enumerate(view.legal):
            assert typed_move(str(number), view)[0] == typed_move(str(move), view)[0] == move


class Typing:
    """A person who answers from a list and leaves at its end."""

    def __init__(self, *answers: str) -> None:
        self.answers = list(answers)
        self.problems: list[str | None] = []

    async def __call__(self, view: View, problem: str | None) -> str | Decision:
        self.problems.append(problem)
        if not self.answers:
            raise Left(f"P{view.seat} left the table")
        return self.answers.pop(0)


def test_a_person_is_asked_again_with_the_reason_until_a_move_is_legal(tmp_path: Path) -> None:
    typing = Typing("play 7", "play 1 because I feel lucky")
    path = tmp_path / "game.jsonl"
    with pytest.raises(Suspended, match="P0 left the table"):
        play([Person(typing), graphs.seat("watson")], players=2, journal=path)
    assert typing.problems == [None, "you have no slot 7; your cards are in slots 0 to 4", None]
    events = journal.read(path)
    decided = next(event for event in events if isinstance(event, Decided))
    assert (decided.move, decided.why, decided.node) == (Play(slot=1), "I feel lucky", None)
    assert isinstance(events[0], GameStarted)
    assert (events[0].seats[0].graph, events[0].seats[0].model) == ("person", "person")


def test_an_illegal_decision_of_a_program_is_asked_again_and_at_last_fails() -> None:
    async def stubborn(view: View, problem: str | None) -> Decision:
        return Decision(HintRank(to=0, rank=1))

    with pytest.raises(
        TurnError, match="none of 100 answers at P0 was a legal move; the last: you are P0"
    ):
        play([Person(stubborn), graphs.seat("watson")], players=2)


async def played(path: Path, ask: Ask) -> list[dict[str, Any]]:
    """The events of a game of nine turns."""
    await play_async([Person(ask), graphs.seat("watson")], players=2, journal=path, max_turns=9)
    return comparable(journal.read(path))


async def first(view: View, problem: str | None) -> str:
    await asyncio.sleep(0)
    return "0"


async def test_a_game_goes_on_where_it_stopped_and_is_the_same_game(tmp_path: Path) -> None:
    whole = await played(tmp_path / "whole.jsonl", first)
    with pytest.raises(Suspended):
        await played(tmp_path / "parts.jsonl", Typing("0", "0"))
    parts = await played(tmp_path / "parts.jsonl", first)
    assert [event for event in parts if event["event"] != "suspended"] == whole


async def test_a_replay_plays_what_the_person_decided(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    recorded = await played(path, first)
    seats: tuple[Seat, ...] = (RecordedPerson(path), graphs.seat("watson"))
    await play_async(seats, players=2, journal=tmp_path / "again.jsonl", max_turns=9)
    assert comparable(journal.read(tmp_path / "again.jsonl")) == recorded
    with pytest.raises(TurnError, match="turn 11 of P0 was decided by no person"):
        await play_async(seats, players=2, max_turns=20)
