"""Games in which models learn are games of the table, and their rewards are what the journal says."""

import random
from pathlib import Path
from typing import Any

import pytest

from hanabi_orchestrator import graphs
from hanabi_orchestrator.experiments.interchange.data_rows import DataSet, rows
from hanabi_orchestrator.experiments.record.game import Game
from hanabi_orchestrator.experiments.record.games import Source
from hanabi_orchestrator.experiments.tasks.games.learning_games import LearningGames
from hanabi_orchestrator.graphs.ablate import at
from hanabi_orchestrator.graphs.prompt_preview import requests
from hanabi_orchestrator.orchestrator import play_async
from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.hanabi.referee import rebuild
from hanabi_orchestrator.orchestrator.journal.file import comparable
from hanabi_orchestrator.orchestrator.models.request import messages
from tests.experiments.environments.blind import Blind
from tests.orchestrator.hanabi.test_view import disguised


@pytest.mark.parametrize(
    ("players", "graph"), [(2, "compact"), (3, "watson"), (4, "sherlock"), (5, "compact")]
)
async def test_rewards_are_the_scores_of_the_journal(
    players: int, graph: str, tmp_path: Path
) -> None:
    journal = tmp_path / "game.jsonl"
    games = LearningGames(graph, players, reward="score_strict", penalty=0.0)
    game = await games.play(7, lambda _: Blind(), journal)
    events: list[Any] = []
    await play_async(graphs.seat(graph, Blind()), players=players, seed=7, sink=events.append)
    assert comparable(game.events) == comparable(events)

    written = Game.open(journal)
    samples = list(games.samples(game))
    assert (
        written.result
        and written.result.end != "max_turns"
        and len(samples) == written.result.calls
    )
    assert {sample.reward for sample in samples} == {written.result.score_strict}
    assert (
        sum(not sample.usable for sample in samples)
        == written.result.reasked + written.result.fallbacks
        > 0
    )
    assert {sample.call.turn for sample in samples if sample.forced} and not all(
        s.legal for s in samples
    )

    changes = list(LearningGames(graph, players, reward="score_change", penalty=0.5).samples(game))
    assert {sample.reward for sample in changes if not sample.usable} == {-0.5}
    usable = [sample for sample in changes if sample.usable]
    fireworks = [sum(game.board(sample.call.turn).view.fireworks) for sample in usable]
    after = [
        sum(turn.moved.past.fireworks) for s in usable if (turn := game.turn(s.call.turn)).moved
    ]
    assert [s.reward for s in usable] == [b - a for a, b in zip(fireworks, after, strict=True)]


async def test_the_value_of_a_move_is_that_of_the_exported_rows(tmp_path: Path) -> None:
    journal = tmp_path / "game.jsonl"
    games = LearningGames("compact", 5, reward="move_value")
    game = await games.play(8, lambda _: Blind(), journal)
    recorded = {row["turn"]: row for row in rows(Source(journal), DataSet("grpo")).rows}
    for sample in games.samples(game):
        row = recorded[sample.call.turn]
        low = min(row["values"])
        high = max(row["values"])
        worth = (row["values"][row["legal_moves"].index(row["move"])] - low) / (high - low)
        assert sample.reward == pytest.approx(worth if sample.usable else -1.0, abs=1e-4)
    assert len(recorded) == len(game.turns) > 6


async def test_a_seat_of_a_program_does_not_learn() -> None:
    games = LearningGames("watson", 3, seats=["0=partner:piers", "2=house"], reward="own_rating")
    game = await games.play(3, lambda _: "sim:careless")
    samples = list(games.samples(game))
    assert games.learners == [1] and {sample.call.seat for sample in samples} == {1}
    assert [seat.graph for seat in game.started.seats] == ["partner:piers", "watson", "house"]
    rated = [(sample, game.turn(sample.call.turn).decided) for sample in samples if sample.usable]
    assert rated and all(
        s.reward == ((d and d.ratings) or {}).get(str(d and d.move), 0.0) for s, d in rated
    )
    assert len({sample.reward for sample, _ in rated}) > 3
    assert {sample.reward for sample in samples if not sample.usable} == {-1.0}


@pytest.mark.parametrize(("players", "graph"), [(2, "compact"), (5, "sherlock")])
async def test_prompts_hold_no_card_that_the_seat_cannot_see(players: int, graph: str) -> None:
    """A prompt is the same with another hidden hand and deck behind the same public past."""
    brain = Blind()
    chance = random.Random(1)
    game = await LearningGames(graph, players).play(5, lambda _: brain)
    config = at(graphs.read(graph), players)
    disguises = 0
    for request, sent in brain.heard[:30]:
        if request.ask == 0:
            referee = rebuild(players, game.started.deck, game.moves[: request.place.turn - 1])
            other = disguised(referee, referee.view(), chance)
            (asked,) = requests(config, other.view(), {}).values()
            assert [part.content for part in sent] == [
                part.content for part in messages(asked.parts)
            ]
            disguises += other.deck != referee.deck
    assert disguises > 10


def test_games_that_cannot_be_learned_from_are_refused() -> None:
    with pytest.raises(UserError, match="nobody learns"):
        LearningGames(seats=["0=house", "1=house"])
    with pytest.raises(UserError, match="rate no moves"):
        LearningGames("compact", reward="own_rating")
