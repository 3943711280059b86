"""Python says of a game what the command line says: moves that were forced, unreadable answers, the fake server."""

import asyncio
import warnings

import pytest

from hanabi_orchestrator import graphs
from hanabi_orchestrator.experiments.document.terminal import console
from hanabi_orchestrator.experiments.show.game_story import summary
from hanabi_orchestrator.orchestrator import PlayWarning, Result, play, play_async
from hanabi_orchestrator.orchestrator.models.request import Scripted

WATSON = graphs.read("watson")


def test_play_warns_where_moves_were_forced_and_the_command_says_the_same() -> None:
    with pytest.warns(PlayWarning) as caught:
        result = play(
            graphs.seat(WATSON, Scripted({"proposer": "what?"})), players=2, seed=1, max_turns=4
        )
    assert [str(warning.message) for warning in caught] == list(result.notes)
    assert caught[0].filename == __file__
    assert result.notes == (
        "4 of 4 moves were forced: this is not how the model plays",
        "4 questions were left without a usable response",
    )
    screen = console()
    with screen.capture() as shown:
        screen.print(summary(result))
    assert result.notes[0] in " ".join(shown.get().split())


def test_strict_play_raises_and_the_game_is_kept() -> None:
    seat = graphs.seat(WATSON, Scripted({"proposer": "what?"}))
    with pytest.raises(PlayWarning, match="4 of 4 moves were forced"):
        play(seat, players=2, seed=1, max_turns=4, strict=True)


def test_a_game_of_the_models_own_moves_is_silent() -> None:
    legal = Scripted({"proposer": {"reason": "r", "action": 0}})

    async def notebook() -> Result:
        return await play_async(
            graphs.seat(WATSON, legal), players=2, seed=1, max_turns=4, strict=True
        )

    with warnings.catch_warnings():
        warnings.simplefilter("error", PlayWarning)
        result = asyncio.run(notebook())
        assert (
            result.notes
            == ()
            == play(graphs.seat("house"), players=2, seed=1, max_turns=4, strict=True).notes
        )
    assert "own moves: 3 of 3 (100%)" in result._repr_html_()


def test_a_notebook_shows_the_score_the_board_and_the_notes() -> None:
    result = play(
        graphs.seat(WATSON, Scripted({"proposer": "what?"})), players=2, seed=1, max_turns=4
    )
    html = result.model_copy(update={"model": "<b>bold</b>", "fake": True})._repr_html_()
    assert (
        f"<b>{result.score_strict}</b> of 25" in html
        and "stopped at the turn limit after 4 turns, 3 lives left" in html
    )
    assert (
        "own moves: 0 of 4 (0%)" in html
        and "R0 Y0" in html
        and "2 players, seed 1, watson on" in html
    )
    assert "&lt;b&gt;bold" in html and "fake server: this game was answered" in html
    assert (
        "no model was asked"
        in play(graphs.seat("house"), players=2, seed=1, max_turns=2)._repr_html_()
    )
