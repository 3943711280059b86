"""Mycroft's list of what everybody knows: exact against the referee's own, kept from turn to turn, as words too."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hanabi_orchestrator import graphs
from hanabi_orchestrator.orchestrator.hanabi.cards import COLOURS, RANKS, masked
from hanabi_orchestrator.orchestrator.hanabi.view import View
from hanabi_orchestrator.orchestrator.journal.events import Call, Decided, Event, TurnStarted
from hanabi_orchestrator.orchestrator.models.request import ModelRequest
from hanabi_orchestrator.orchestrator.table.game_loop import play_async
from hanabi_orchestrator.roles.hanabi.card_words import read, written
from hanabi_orchestrator.roles.reply_types import Deduction
from tests.support.small_graph import scripted
from tests.test_games import of

PLAYERS = (2, 3, 4, 5)


@given(st.sets(st.sampled_from(COLOURS), min_size=1), st.sets(st.sampled_from(RANKS), min_size=1))
def test_a_list_survives_its_words(colours: set[str], ranks: set[int]) -> None:
    assert read(written(masked(colours, ranks))) == masked(colours, ranks)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [("", ("RYGWB", RANKS)), ("known red, a 5", ("R", (5,))), ("Red", ("R", RANKS))],
)
def test_what_a_list_does_not_name_is_left_open(
    text: str, wanted: tuple[str, tuple[int, ...]]
) -> None:
    assert read(text) == masked(*wanted)


def literal(view: View) -> dict[int, list[int]]:
    """What the referee says that hints leave of every card."""
    hands = {hand.seat: [known.mask for known in hand.known] for hand in view.hands}
    return hands | {view.seat: [known.mask for known in view.own]}


@pytest.mark.parametrize("players", PLAYERS)
async def test_the_tracked_list_is_the_referees_on_every_turn_of_whole_games(players: int) -> None:
    """From the moves since the last turn and the remembered list alone, to the last turn of an empty deck."""
    for seed in (1, 2, 3):
        events: list[Event] = []
        await play_async(graphs.seat("mycroft"), players=players, seed=seed, sink=events.append)
        views = {started.turn: started.view for started in of(events, TurnStarted)}
        calls = of(events, Call)
        assert len(calls) == len(views) > 20
        for call in calls:
            assert call.reply is not None
            said = [Deduction.model_validate(one) for one in call.reply["deductions"]]
            assert {one.seat: [read(text) for text in one.slots] for one in said} == literal(
                views[call.turn]
            )


async def test_a_models_list_comes_back_to_it_and_to_nobody_else() -> None:
    def chosen(request: ModelRequest) -> dict[str, object]:
        best = list(request.moves)[-1]
        deductions = [{"seat": 1, "slots": [f"red as of turn {request.place.turn}"]}]
        return {
            "ratings": [{"action": best, "rating": 1}],
            "deductions": deductions,
            "reason": "r",
            "action": best,
        }

    brain = scripted(tracker=chosen)
    events = list[Event]()
    await play_async(
        graphs.seat("mycroft", brain), players=3, seed=1, max_turns=6, sink=events.append
    )
    told = {
        ask.place.turn: [part.text for part in ask.parts if part.name == "remembered"]
        for ask in brain.asked
    }
    assert [told[turn] for turn in (1, 2, 3)] == [[]] * 3
    assert all(f"red as of turn {turn - 3}" in told[turn][0] for turn in (4, 5, 6))
    assert all(decided.ratings for decided in of(events, Decided))
