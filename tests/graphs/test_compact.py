"""The graph `compact`: a position in under 400 tokens, answered by a bare move."""

import pytest

from hanabi_orchestrator import graphs
from hanabi_orchestrator.graphs.prompt_preview import requests
from hanabi_orchestrator.orchestrator.journal.events import Call, Event, TurnStarted
from hanabi_orchestrator.orchestrator.models.request import ModelRequest, Scripted, estimated
from hanabi_orchestrator.orchestrator.table.game_loop import play_async


@pytest.mark.parametrize("players", [2, 3, 4, 5])
async def test_every_prompt_of_a_game_has_under_400_tokens(players: int) -> None:
    events = list[Event]()
    config = graphs.at(graphs.read("compact"), players)
    await play_async(graphs.seat(config), players=players, seed=3, sink=events.append)
    views = [event.view for event in events if isinstance(event, TurnStarted)]
    asked = [request for view in views for request in requests(config, view, {}).values()]
    sizes = [estimated("".join(part.text for part in request.parts)) for request in asked]
    assert len(sizes) == len(views) > 20 and max(sizes) < 400


@pytest.mark.parametrize("seed", [1, 2])
async def test_programs_play_as_house_solo_does_without_a_verifier(seed: int) -> None:
    solo = graphs.verified(graphs.read("house_solo"), "none")
    games = [
        await play_async(graphs.seat(graph), players=2, seed=seed) for graph in ("compact", solo)
    ]
    assert games[0].score_kept == games[1].score_kept > 15 and games[0].turns == games[1].turns


async def test_a_bare_move_is_a_whole_response_and_an_illegal_one_is_asked_for_again() -> None:
    def first_legal(request: ModelRequest) -> str:
        return (
            "discard slot 9" if len(model.asked) == 1 else str(next(iter(request.moves.values())))
        )

    events = list[Event]()
    model = Scripted({"convention_player": first_legal})
    await play_async(
        graphs.seat("compact", model), players=2, seed=1, sink=events.append, max_turns=4
    )
    calls = [event for event in events if isinstance(event, Call)]
    assert [call.outcome for call in calls[:4]] == ["reasked", "ok", "ok", "ok"]
    assert all(call.text == str(call.reply and call.reply["action"]) for call in calls[1:])
