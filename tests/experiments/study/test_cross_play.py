"""Cross-play: who sits where, what the matrix says, and its pictures."""

import csv
from pathlib import Path
from typing import Any

import pytest
import yaml

from hanabi_orchestrator.experiments.report import run_report
from hanabi_orchestrator.experiments.report.figures import drawing
from hanabi_orchestrator.experiments.study import experiment as config
from hanabi_orchestrator.experiments.study.arms import Deal
from hanabi_orchestrator.experiments.study.plan import Plan
from hanabi_orchestrator.experiments.tasks.games.experiment_run import run as run_experiment
from hanabi_orchestrator.orchestrator import journal, play
from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.hanabi.view import View
from hanabi_orchestrator.orchestrator.journal.events import GameStarted, Memory
from hanabi_orchestrator.orchestrator.players.partners import get
from hanabi_orchestrator.orchestrator.table.seat import Decision
from tests.support.prove import FULL

TEXT: dict[str, Any] = {
    "name": "pairs",
    "players": [2, 3],
    "seeds": {"first": 1, "count": 3},
    "journals": "lean",
    "cross_play": {"seats": {"a": "partner:random", "b": {"graph": f"python:{__name__}:last"}}},
}


async def last(view: View, memory: Memory) -> Decision:
    return Decision(view.legal[-1])


def experiment(**cross: Any) -> config.Experiment:
    return config.parse(yaml.safe_dump({**TEXT, "cross_play": {**TEXT["cross_play"], **cross}}))


def graphs_at(path: Path) -> list[str]:
    started = journal.read(path)[0]
    assert isinstance(started, GameStarted)
    return [seat.graph for seat in started.seats]


def test_exactly_one_seat_is_the_first_of_a_pair_and_the_rest_the_second(tmp_path: Path) -> None:
    done = run_experiment(experiment(), tmp_path)
    assert {row.arm for row in done.rows} == {f"{one}.with.{rest}" for one in "ab" for rest in "ab"}
    assert len(done.rows) == 4 * 2 * 3
    games = tmp_path / "games"
    assert graphs_at(games / "a.with.b" / "3p-s2-r1.jsonl") == ["partner:random", "last", "last"]
    assert graphs_at(games / "b.with.a" / "2p-s1-r1.jsonl") == ["last", "partner:random"]
    diagonal = [row for row in done.rows if row.arm == "a.with.a" and row.players == 3]
    alone = [play(get("random"), players=3, seed=seed).score_kept for seed in (1, 2, 3)]
    assert [row.score_kept for row in diagonal] == alone


def test_a_rotated_first_sits_in_the_seat_of_the_deals_number() -> None:
    arms = {arm.name: arm for arm in Plan.resolve(experiment(rotate=True), Path("nowhere")).arms}
    for seed in range(1, 7):
        cast = arms["a.with.b"].lineup(Deal(seed, 3))
        assert [one.spec for one in cast].index("partner:random") == seed % 3


def test_in_a_sequence_the_first_takes_the_seats_of_the_second_one_by_one() -> None:
    arms = {arm.name: arm for arm in Plan.resolve(experiment(sequence=True), Path("nowhere")).arms}
    assert {name: arm.players for name, arm in arms.items()} == {
        "a-0": (2, 3),
        "a-1": (2, 3),
        "a-2": (2, 3),
        "a-3": (3,),
    }
    for number in range(4):
        cast = [seat.spec for seat in arms[f"a-{number}"].lineup(Deal(1, 3))]
        assert cast == ["partner:random"] * number + [f"python:{__name__}:last"] * (3 - number)
    with pytest.raises(
        UserError, match="a sequence is of two seats, by label, and does not rotate"
    ):
        experiment(sequence=True, rotate=True)


@pytest.mark.pictures
def test_the_table_says_what_the_games_say_and_pictures_stand_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    every = drawing.all_figures
    monkeypatch.setattr(
        drawing,
        "all_figures",
        lambda data: [one for one in every(data) if FULL or one.name.startswith("cross-play")],
    )
    done = run_experiment(experiment(), tmp_path)
    run_report.write(tmp_path)
    with (tmp_path / "figures" / "cross-play-2p.csv").open() as file:
        found = {(row["one"], row["rest"]): row for row in csv.DictReader(file)}
    for one in "ab":
        for rest in "ab":
            rows = [row for row in done.rows if (row.arm, row.players) == (f"{one}.with.{rest}", 2)]
            assert float(found[one, rest]["strict"]) == pytest.approx(
                sum(r.score_strict for r in rows) / 3, abs=1e-4
            )
            assert float(found[one, rest]["kept"]) == pytest.approx(
                sum(r.score_kept for r in rows) / 3, abs=1e-4
            )
            assert float(found[one, rest]["struck_out"]) == pytest.approx(
                sum(r.lives == 0 for r in rows) / 3, abs=1e-4
            )
    assert (tmp_path / "figures" / "cross-play-3p.png").read_bytes().startswith(b"\x89PNG")
    assert "<svg" in (tmp_path / "figures" / "cross-play-3p.svg").read_text("utf-8")


def test_two_seats_of_one_label_are_refused_and_all_partners_can_be_named_at_once() -> None:
    with pytest.raises(UserError, match="two seats are called 'random'; give them labels"):
        experiment(seats=["partner:random", "partner:random"])
    assert "random.with.random" in {
        arm.name for arm in Plan.resolve(experiment(seats="partners"), Path("nowhere")).arms
    }


def test_the_models_of_the_preset_are_given_on_the_command_line() -> None:
    sets = [
        f"cross_play.seats.{label}.model=openai:{name}@http://127.0.0.1:9/v1"
        for label, name in ("ax", "by")
    ]
    arms = {
        arm.name: arm
        for arm in Plan.resolve(config.read("model-cross-play", sets), Path("nowhere")).arms
    }
    for players in (2, 3, 4, 5):
        models = [one.models["default"] for one in arms["a.with.b"].lineup(Deal(1, players))]
        assert [model.model[7] for model in models] == ["x", *"y" * (players - 1)]  # type: ignore[union-attr]
        assert {model.reasoning_effort for model in models} == {"high"}  # type: ignore[union-attr]
