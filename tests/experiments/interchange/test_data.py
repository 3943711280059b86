"""Games become data: a row read again gives the recorded decision, and rewards give what it was worth."""

import json
from pathlib import Path
from typing import Any

import pytest

from hanabi_orchestrator import graphs
from hanabi_orchestrator.experiments import rewards
from hanabi_orchestrator.experiments.record.game import Game
from hanabi_orchestrator.experiments.values.one_step_value import one_step_values
from hanabi_orchestrator.experiments.values.position import Position
from hanabi_orchestrator.orchestrator.models.request import Scripted
from hanabi_orchestrator.orchestrator.replies import reader
from hanabi_orchestrator.orchestrator.table.game_loop import play
from tests.conftest import Run
from tests.support.prove import FULL

Row = dict[str, Any]
ROLLOUTS = 50 if FULL else 10


@pytest.fixture(scope="module")
def games(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two games of programs, and two of simulated models, which now and then have to be asked again."""
    folder = tmp_path_factory.mktemp("data")
    seats = {
        "house": "program",
        "house_solo": "program",
        "sherlock": "sim:careless",
        "best_of_k": "sim:careless",
    }
    for seed, (graph, model) in enumerate(seats.items(), 1):
        play(
            graphs.seat(graph, model),
            players=2,
            seed=seed,
            journal=folder / f"{graph}.jsonl",
            max_turns=10,
        )
    return folder


def exported(run: Run, games: Path, to: str, *options: str, graph: str = "") -> list[Row]:
    names = [graph] if graph else ["house", "house_solo", "sherlock", "best_of_k"]
    sources = [str(games / f"{name}.jsonl") for name in names]
    code, _, err = run("export", *sources, "--to", to, "--out", "rows.jsonl", *options)
    assert code == 0, err
    return [json.loads(line) for line in Path("rows.jsonl").read_text("utf-8").splitlines()]


def columns(rows: list[Row]) -> dict[str, list[Any]]:
    """As TRL passes the columns of a batch."""
    return {name: [row[name] for row in rows] for name in rows[0] if name != "prompt"}


def test_responses_read_again_give_the_recorded_moves(run: Run, games: Path) -> None:
    responses = {
        (row["game"], row["turn"], row["node"], row["sample"]): row
        for row in exported(run, games, "sft")
    }
    decisions = exported(run, games, "grpo")
    assert {row["answered_by"] for row in decisions} == {"program", "simulated"} and len(
        decisions
    ) == 40
    answers = []
    for row in decisions:
        answer = responses.get((row["game"], row["turn"], row["node"], row["sample"]))
        assert row["forced"] or (answer and answer["state"] in ("ok", "repaired"))
        assert answer is None or answer["ask"] or answer["prompt"] == row["prompt"]
        answers.append(answer["completion"] if answer else "no answer")
        place = rewards.place(answers[-1], row["reader"], row["legal_moves"])
        assert row["forced"] or (place is not None and row["legal_moves"][place] == row["move"])
    played = [row["score_change"] for row in decisions if not row["forced"]]
    recorded = rewards.score_change(answers, **columns(decisions))
    assert [points for points in recorded if points is not None] == played


def test_a_repaired_response_is_completed_in_the_right_form(run: Run) -> None:
    text = """Here it is:\n```json\n{'ratings': [], 'reason': "it's new", 'action': 'play slot 4',}\n```"""
    play(
        graphs.seat("watson", Scripted({"proposer": text})),
        players=2,
        seed=1,
        journal="w.jsonl",
        max_turns=1,
    )
    (row,), (log,) = (
        exported(run, Path(), "sft", graph="w"),
        exported(run, Path(), "logs", graph="w"),
    )
    assert row["state"] == "repaired" and log["response_content"] == text
    (message,) = row["completion"]
    assert message["content"] == "Reasoning: it's new\nMove ratings: none\nChosen move: play slot 4"


def test_a_bare_move_is_read_without_repair(run: Run, games: Path) -> None:
    for row in exported(run, games, "grpo", "--with", "prompts=compact", graph="house"):
        kind, options, form = rewards._reader(row["reader"], tuple(row["legal_moves"]))
        assert not reader.read(row["move"], kind, options, form).repaired


def test_rewards_return_the_recorded_values(run: Run, games: Path) -> None:
    (row, *_), journal = (
        exported(run, games, "grpo", graph="sherlock"),
        Game.open(games / "sherlock.jsonl"),
    )
    values = one_step_values(Position.of(journal, 1).scene)
    answers: list[Any] = [json.dumps({"reason": "", "action": str(move)}) for move in values]
    batch = columns([row] * len(answers))
    assert rewards.move_value(answers, **batch) == pytest.approx(list(values.values()), abs=1e-6)
    assert {min(scaled := rewards.scaled_move_value(answers, **batch)), max(scaled)} == {0.0, 1.0}
    first = journal.turns[0].decided
    assert first and first.ratings
    assert rewards.own_rating(answers, **batch) == [first.ratings[str(move)] for move in values]
    result = journal.result
    assert result and [score for score in rewards.final_score(answers, **batch) if score] == [
        float(result.score_kept)
    ]
    spoilt = [[{"role": "assistant", "content": "I cannot say."}]] * len(answers)
    assert set(rewards.move_value(spoilt, **batch)) == {min(row["values"]) - 1}
    assert set(rewards.scaled_move_value(spoilt, **batch)) == {-1.0}


def test_the_prompts_of_another_graph_are_answered_with_the_moves_of_the_game(
    run: Run, games: Path
) -> None:
    rows = exported(run, games, "sft", "--with", "prompts=watson", graph="house")
    own = exported(run, games, "grpo", "--with", "prompts=watson", graph="house")
    assert [row["node"] for row in rows] == ["proposer"] * 10 and {
        row["graph"] for row in rows
    } == {"house"}
    for row, asked in zip(rows, own, strict=True):
        place = rewards.place(row["completion"], asked["reader"], asked["legal_moves"])
        assert (
            place is not None
            and asked["legal_moves"][place] == row["move"]
            and row["prompt"] == asked["prompt"]
        )


def test_logs_are_rows_of_hanabilogs(run: Run, games: Path) -> None:
    """`import` reads them back as the game that was exported."""
    rows = exported(run, games, "logs", graph="sherlock")
    assert (
        all("XX" in row["raw_game_state_before_move"] for row in rows)
        and rows[0]["turn_number"] == 1
    )
    code, _, err = run("import", "rows.jsonl", "--graph", "sherlock", "--out", "back")
    assert code == 0, err
    (path,) = Path("back").glob("*.jsonl")
    back = Game.open(path)
    was = Game.open(games / "sherlock.jsonl")
    assert back.moves[:9] == was.moves[:9] and back.started.deck == was.started.deck


def test_rewards_hold_the_values_of_every_legal_move(run: Run, games: Path) -> None:
    rows = exported(
        run,
        games,
        "rewards",
        "--with",
        f"rollouts={ROLLOUTS}",
        "--where",
        "turn == 2",
        graph="sherlock",
    )
    (row,), game = rows, Game.open(games / "sherlock.jsonl")
    moves = [str(move) for move in game.turn(2).view.legal]
    assert sorted(row["legal_moves"]) == sorted(moves)
    assert len(row["one_step"]) == len(row["rollout"]) == len(row["rollout_error"]) == len(moves)
    assert (
        row["rollout_error"][row["legal_moves"].index(row["move"])] == 0
        and min(row["rollout_deals"]) > 0
    )
    assert (
        row["one_step_by"] == "exact program"
        and row["rollout_by"] == f"convention players, up to {ROLLOUTS} rollouts"
    )
    assert row["ratings_by"] == "sim:careless" and len(row["move_ratings"]) == len(moves)


def test_pairs_prefer_the_better_move_by_value(run: Run, games: Path) -> None:
    rows = exported(run, games, "dpo")
    assert {row["written_by_program"] for row in rows} == {True, False}
    for row in rows:
        assert row["chosen_value"] > row["rejected_value"] and row["chosen"] != row["rejected"]
        assert row["chosen_move"] in row["chosen"][0]["content"] or not row["written_by_program"]


def test_deals_are_split_held_out_and_described(run: Run, games: Path) -> None:
    pytest.importorskip("pyarrow")
    from pyarrow import parquet

    paths = [str(path) for path in sorted(games.glob("*.jsonl"))]
    code, _, err = run(
        "export", *paths, "--to", "grpo", "--out", "d/g.parquet", "--held-out", "0.5"
    )
    assert code == 0, err
    train, test = (
        parquet.read_table(f"d/g-{part}.parquet").to_pylist() for part in ("train", "test")
    )
    assert train and test and not {row["seed"] for row in train} & {row["seed"] for row in test}
    card = Path("d/README.md").read_text("utf-8")
    assert "split: test" in card and "simulated model" in card and f"{len(train):,} rows of" in card
    for held_out in ("2-3", paths[0]):
        code, _, err = run(
            "export", *paths, "--to", "grpo", "--out", "d/h.jsonl", "--held-out", held_out
        )
        assert (
            code == 2
            and "plays seed" in err
            and "which is held out" in err
            and not Path("d/h.jsonl").exists()
        )
    twice = [*paths, *paths]
    code, out, _ = run("export", *twice, "--to", "sft", "--out", "d/s.jsonl", "--json")
    assert code == 0 and json.loads(out)["repeats"] >= json.loads(out)["files"]["s.jsonl"] > 0
    code, _, err = run(
        "export", *paths, "--to", "sft", "--out", "d/s.jsonl", "--where", "scores > 2"
    )
    assert code == 2 and "there is no column 'scores'" in err and "score_kept" in err


def test_refused_moves_are_no_rows_to_imitate_and_errors_have_a_column(
    run: Run, tmp_path: Path
) -> None:
    path = tmp_path / "careless.jsonl"
    play(graphs.seat("house", "sim:careless"), players=2, seed=3, journal=path)
    code, out, _ = run("export", str(path), "--to", "sft", "--out", "d/rows.jsonl")
    assert code == 0 and "whose move was refused" in out, out
    rows = [json.loads(line) for line in Path("d/rows.jsonl").read_text("utf-8").splitlines()]
    choices = [row for row in rows if row["role"] == "aggregator"]
    assert choices and all(
        row["move"] in row["completion"][0]["content"] for row in choices if not row["forced"]
    )
    assert any(row["injected"] for row in rows)
    run("export", str(path), "--to", "grpo", "--out", "d/more.jsonl")
    assert (Path("d/README.md").exists(), Path("d/more.README.md").exists()) == (True, True)
