"""Memory belongs to a seat of a game: kept from turn to turn, the same in a second ask, and nobody else's."""

import asyncio
import re
from typing import Any

import pytest

from hanabi_orchestrator import graphs
from hanabi_orchestrator.experiments.document.terminal import console
from hanabi_orchestrator.experiments.show import graph_tree
from hanabi_orchestrator.graphs.config import checked, parse
from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.journal.events import Call, Decided, Event
from hanabi_orchestrator.orchestrator.models.request import ModelRequest
from hanabi_orchestrator.orchestrator.table.game_loop import play_async
from tests.support.small_graph import nodes, scripted, small
from tests.test_games import of

TEXT = small(
    context="house",
    nodes={"proposer": {"role": "proposer"}},
    decides="proposer",
    remembers=["proposer"],
)


def proposing(game: str) -> Any:
    """Answers that say in which game, on which turn, at which seat they were given; now and then unusable ones."""

    def chosen(request: ModelRequest) -> Any:
        if request.place.turn % 4 == 0 and request.ask == 0:
            return "mumble"
        reason = f"thought of game {game}, turn {request.place.turn}, seat {request.place.seat}"
        return {"ratings": [], "reason": reason, "action": list(request.moves)[-1]}

    return scripted(proposer=chosen)


def remembered(request: ModelRequest) -> str | None:
    return next((part.text for part in request.parts if part.name == "remembered"), None)


def thoughts(text: str) -> list[tuple[str, int, int]]:
    return [
        (game, int(turn), int(seat))
        for game, turn, seat in re.findall(r"game (\w+), turn (\d+), seat (\d)", text)
    ]


async def test_games_at_the_same_time_in_one_process_never_share_a_memory() -> None:
    """Every seat reads its own last turn in its own game, and nothing else, in a second ask too."""
    config = parse(TEXT)
    brains = {name: proposing(name) for name in ("a", "b", "c")}
    await asyncio.gather(
        *(
            play_async(graphs.seat(config, brain), players=3, seed=1, max_turns=15)
            for brain in brains.values()
        )
    )
    for name, brain in brains.items():
        asks = brain.asked
        assert len(asks) > 15
        for one in asks:
            told = remembered(one)
            if one.place.turn <= 3:
                assert told is None
            else:
                assert told and thoughts(told) == [(name, one.place.turn - 3, one.place.seat)]
                assert f"It was turn {one.place.turn - 3}; you chose: " in told


async def test_a_second_ask_sees_the_same_memory() -> None:
    brain = proposing("a")
    await play_async(graphs.seat(parse(TEXT), brain), players=2, seed=1, max_turns=9)
    by_turn: dict[int, set[str | None]] = {}
    for one, heard in zip(brain.asked, brain.heard, strict=True):
        by_turn.setdefault(one.place.turn, set()).add(remembered(one))
        assert "You have replied to this once already" not in heard[0].content or one.ask
    assert all(len(seen) == 1 for seen in by_turn.values()) and any(one.ask for one in brain.asked)


async def test_a_remembered_node_is_kept_in_its_last_attempt_and_an_absent_one_not_at_all() -> None:
    config = checked(
        graphs.read("cac").model_dump()
        | {"context": "house", "remembers": ("interpret", "generate")},
        "cac",
    )
    brain = scripted(
        generator=lambda ask: {"reason": f"by {ask.node}", "action": next(iter(ask.moves))},
        self_verifier=lambda ask: {"reason": "x", "accept": "-" in ask.node},
        cac_interpreter="nothing of use",
    )
    events: list[Event] = []
    await play_async(graphs.seat(config, brain), players=2, seed=1, sink=events.append, max_turns=2)
    notes = of(events, Decided)[0].memory["notes"]
    assert [reply["reason"] for reply in notes["generate"]] == [
        "by generate-2"
    ] and "interpret" not in notes


async def test_a_graph_that_remembers_nothing_keeps_nothing() -> None:
    events: list[Event] = []
    await play_async(graphs.seat("house"), players=2, seed=1, sink=events.append, max_turns=4)
    assert {decided.memory == {} for decided in of(events, Decided)} == {True}
    assert all("remembered" not in str(call.messages) for call in of(events, Call))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            small(remembers=["nobody"]),
            "remembers: 'nobody' is not a node; the nodes are: proposer, aggregator",
        ),
        (small(remembers=["proposer"]), "remembers: no node gets the section remembered"),
    ],
)
def test_a_memory_that_cannot_be_is_refused(text: str, said: str) -> None:
    with pytest.raises(UserError, match=said):
        parse(text)


def test_what_is_remembered_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    graph_tree.show_graph(parse(TEXT), console())
    assert "remembers for its next turn: proposer" in capsys.readouterr().out


def test_memory_can_be_taken_away() -> None:
    whole = parse(small(context="house", nodes=nodes(), remembers=["proposer"]))
    assert graphs.without_sections(whole, "remembered").remembers == ("proposer",)
    assert graphs.without(whole, "proposer").remembers == ()
