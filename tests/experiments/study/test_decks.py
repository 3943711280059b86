"""Decks of one's own in experiments: read from files, paired by name and number, resumed, played again, reported."""

import json
from pathlib import Path
from typing import Any

import pytest

from hanabi_orchestrator.experiments.record import run_folder
from hanabi_orchestrator.experiments.record.game import Game
from hanabi_orchestrator.experiments.study import experiment
from hanabi_orchestrator.experiments.study.decks import read_deck, read_decks
from hanabi_orchestrator.experiments.study.plan import Plan
from hanabi_orchestrator.experiments.tasks.games.experiment_run import run
from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.hanabi.referee import deal

DECKS = {"easy": list(deal(3)), "hard": " ".join(deal(4)), "old": list(deal(5))}
NOWHERE = Path("nowhere")


def written(folder: Path, name: str = "decks.json", data: Any = None) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(json.dumps(DECKS if data is None else data), "utf-8")
    return folder / name


def asked(folder: Path, *changes: str, **keys: Any) -> experiment.Experiment:
    data = {"name": "e", "graph": "watson", "players": 2, "deals": "decks.json", **keys}
    path = folder / "e.yaml"
    path.write_text(json.dumps(data), "utf-8")
    return experiment.read(path, changes)


def test_files_and_folders_of_decks_are_read(tmp_path: Path) -> None:
    written(tmp_path / "more", "b.json", DECKS["easy"])
    written(tmp_path / "more", "a.json", [DECKS["easy"], DECKS["old"]])
    written(tmp_path)
    assert list(read_decks("more", tmp_path)) == ["a-1", "a-2", "b"]
    assert list(read_decks(["decks.json", "more/b.json"], tmp_path)) == ["easy", "hard", "old", "b"]
    assert (
        read_decks("decks.json", tmp_path)["old"] == read_decks(DECKS)["old"] == " ".join(deal(5))
    )
    assert read_deck(tmp_path / "more" / "b.json") == list(deal(3))


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        ({"short": ["R1", "R2"]}, "the deck 'short': a deck has 50 cards, this one has 2"),
        ({"odd": ["R9", *deal(1)[1:]]}, "the deck 'odd': 'R9' is not a card"),
        ({"number": 7}, r"the deck 'number' is not a JSON list of cards"),
        (7, "the deck 'decks' is not a JSON list of cards"),
        ({}, "there is no deck"),
    ],
    ids=str,
)
def test_what_is_no_deck_is_one_sentence(data: Any, sentence: str, tmp_path: Path) -> None:
    written(tmp_path, data=data)
    with pytest.raises(UserError, match=sentence) as raised:
        asked(tmp_path)
    assert "\n" not in str(raised.value) and "deals" in str(raised.value)


@pytest.mark.parametrize(
    ("keys", "sentence"),
    [
        ({"deals": "none.json"}, "cannot read deck"),
        ({"deals": 7}, "name a JSON file of decks"),
        ({"deals": ["decks.json", "decks.json"]}, "two decks have the name 'easy'"),
        ({"deals": "empty"}, "holds no deck"),
        ({"seeds": [2, 4]}, "the numbers of its decks, 1 to 3"),
    ],
    ids=str,
)
def test_a_wrong_choice_of_decks_is_one_sentence(
    keys: dict[str, Any], sentence: str, tmp_path: Path
) -> None:
    written(tmp_path)
    (tmp_path / "empty").mkdir()
    with pytest.raises(UserError, match=sentence):
        asked(tmp_path, **keys)


def test_decks_take_the_place_of_a_protocols_deals_and_seeds_choose_among_them(
    tmp_path: Path,
) -> None:
    written(tmp_path)
    assert asked(tmp_path).numbers == asked(tmp_path, protocol="sparks-10").numbers == [1, 2, 3]
    assert asked(tmp_path, "seeds=[1, 3]").numbers == [1, 3]
    assert any(
        "3 given decks" in note
        for note in Plan.resolve(asked(tmp_path, protocol="sparks-10"), NOWHERE).notes
    )


def test_a_run_has_the_decks_pairs_by_them_resumes_and_is_played_again(tmp_path: Path) -> None:
    written(tmp_path)
    arms = {"arms": {"full": {}, "other": {"graph": "spin_bench"}}, "baseline": "full"}
    folder = tmp_path / "run"
    run(asked(tmp_path, "seeds=2", **arms), folder)
    done = run(asked(tmp_path, **arms), folder)
    rows = run_folder.read_rows(folder)
    assert [(row.arm, row.seed, row.deck_name) for row in rows] == [
        (arm, number, name) for arm in ("full", "other") for number, name in enumerate(DECKS, 1)
    ]
    for path, game in done.games.items():
        number = game.started.seed
        name = game.started.deck_name
        assert (number, list(game.started.deck)) == (
            list(DECKS).index(str(name)) + 1,
            list(deal(2 + (number or 0))),
        )
        assert Game.open(path).started.deal == f"the deck {name!r}"
    again = experiment.read(folder / "run.yaml")
    run(again, tmp_path / "again")
    assert (tmp_path / "again" / "results.csv").read_bytes() == (
        folder / "results.csv"
    ).read_bytes()
    written(tmp_path, data=dict(reversed(DECKS.items())))
    with pytest.raises(UserError, match="the deal was the deck 'easy', is the deck 'old'"):
        run(asked(tmp_path, **arms), folder)


@pytest.mark.parametrize(
    "design",
    [
        {"cross_play": {"seats": {"w": "watson", "s": "spin_bench"}}},
        {
            "adhoc": {
                "seat": "watson",
                "pool": {"p": "partner:piers"},
                "games": 1,
                "past": {"first": 1, "count": 2},
            }
        },
        {
            "arms": {"full": {}, "noise": {"shuffled": ["history_analyst"]}},
            "graph": "house",
            "baseline": "full",
        },
    ],
    ids=["cross-play", "ad-hoc teams", "notes of other games"],
)
def test_every_design_plays_the_decks(design: dict[str, Any], tmp_path: Path) -> None:
    written(tmp_path)
    done = run(asked(tmp_path, "seeds=2", **design), tmp_path / "run")
    assert {(row.seed, row.deck_name) for row in done.rows} == {(1, "easy"), (2, "hard")}
    assert not done.left and {tuple(game.started.deck) for game in done.games.values()} == {
        deal(3),
        deal(4),
    }
