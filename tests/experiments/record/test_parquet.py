"""Tables as other programs read them, and the turns that they and the figures are made of."""

import csv
import json
from pathlib import Path
from typing import Any

import duckdb
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet as arrow

from hanabi_orchestrator.experiments.record import parquet, turn_rows
from hanabi_orchestrator.experiments.record.game import Game
from hanabi_orchestrator.experiments.record.rows import rows as read_rows
from hanabi_orchestrator.experiments.study import experiment
from hanabi_orchestrator.experiments.tasks.games.experiment_run import run as run_experiment
from hanabi_orchestrator.orchestrator import journal
from hanabi_orchestrator.orchestrator.hanabi.moves import Move
from hanabi_orchestrator.orchestrator.journal.events import Call, Decided, Moved, SeatInfo
from hanabi_orchestrator.orchestrator.models.request import Outcome
from tests.conftest import Run
from tests.support.stories import partners_story

TEXT: dict[str, Any] = {
    "name": "tables",
    "graph": "moa_sherlock",
    "players": [2],
    "seeds": {"first": 1, "count": 2},
    "models": {"default": "sim:careless"},
    "arms": {
        "full": {"verify": "safety"},
        "samples": {"graph": "best_of_k", "change": {"proposer": {"samples": 2}}},
        "alone": {"graph": "partner:random"},
    },
}


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tables") / "run"
    run_experiment(experiment.parse(yaml.safe_dump(TEXT)), folder)
    return folder


def asked(folder: Path, query: str) -> list[tuple[Any, ...]]:
    """Of DuckDB, in which the three files are tables."""
    with duckdb.connect() as base:
        for name in ("games", "turns", "calls"):
            base.execute(f"create view {name} as select * from '{folder / name}.parquet'")
        return base.execute(query).fetchall()


def test_the_tables_say_what_the_journals_say(ran: Path, run: Run, tmp_path: Path) -> None:
    out = tmp_path / "out"
    code, said, _ = run("export", str(ran), "--to", "tables", "--out", str(out), "--json")
    rows = read_rows(ran)
    events = [event for row in rows for event in journal.read(ran / row.journal)]
    calls = [event for event in events if isinstance(event, Call)]
    moved = [event for event in events if isinstance(event, Moved)]
    assert code == 0 and json.loads(said)["rows"] == {
        "games": 6,
        "turns": len(moved),
        "calls": len(calls),
    }
    by_arm = asked(
        out, "select arm, avg(score_strict), sum(turns) from games group by arm order by arm"
    )
    for arm, strict, many in by_arm:
        of = [row for row in rows if row.arm == arm]
        assert (strict, many) == (
            sum(row.score_strict for row in of) / 2,
            sum(row.turns for row in of),
        )
    assert asked(out, "select count(*) from calls where outcome != 'ok'") == [
        (sum(c.outcome != "ok" for c in calls),)
    ]
    assert asked(out, "select sum(tokens_in), sum(faults) from calls") == [
        (sum(c.tokens_in for c in calls), 0)
    ]
    joined = "select count(*) from turns join games using (arm, players, seed, repeat) where turns.turn = games.turns"
    assert asked(
        out, f"{joined} and turns.score = games.score_kept and turns.lives = games.lives"
    ) == [(6,)]
    assert asked(out, "select distinct map_keys(proposals) from turns where arm = 'samples'") == [
        (["proposer"],)
    ]


def test_the_types_are_fixed_and_texts_come_on_demand(
    ran: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parquet, "BATCH", 100)
    parquet.export(ran, tmp_path)
    plain = arrow.read_schema(tmp_path / "calls.parquet")
    assert plain.names == list(parquet.CALLS) and str(plain.field("latency_s").type) == "double"
    assert arrow.ParquetFile(tmp_path / "turns.parquet").num_row_groups > 1
    parquet.export(ran, tmp_path / "texts", texts=True)
    ((messages, text),) = asked(
        tmp_path / "texts", "select messages, text from calls where arm = 'full' limit 1"
    )
    first = next(e for e in journal.read(ran / "games/full/2p-s1-r1.jsonl") if isinstance(e, Call))
    assert (json.loads(messages)[0]["content"], text) == (first.messages[0].content, first.text)


def test_mistakes_of_an_export_are_told_in_one_sentence(
    ran: Path, run: Run, tmp_path: Path
) -> None:
    code, out, err = run("export", str(ran), "--to", "excel", "--out", "x")
    assert (code, out) == (2, "") and "--to is 'excel'; it can be: page, tables, results" in err
    code, _, err = run("export", str(tmp_path), "--to", "tables", "--out", "x")
    assert code == 2 and "there is no finished game in" in err
    (tmp_path / "results.csv").write_bytes((ran / "results.csv").read_bytes())
    code, _, err = run("export", str(tmp_path), "--to", "tables", "--out", "x")
    assert (
        code == 2 and "turns and calls are read from the journals" in err and not Path("x").exists()
    )


def test_a_turn_is_what_its_events_say(ran: Path) -> None:
    for row in read_rows(ran):
        events = journal.read(ran / row.journal)
        decided = [event for event in events if isinstance(event, Decided)]
        moved = [event for event in events if isinstance(event, Moved)]
        found = turn_rows.game_turns(ran, row)
        assert [(t.turn, t.seat, t.move) for t in found] == [
            (m.past.turn, m.past.seat, str(m.past.move)) for m in moved
        ]
        assert [t.score for t in found] == [sum(m.past.fireworks) for m in moved]
        assert [t.forced for t in found] == [d.forced for d in decided]
        for turn, event in zip(found, decided, strict=True):
            said = [
                c
                for c in events
                if isinstance(c, Call) and c.turn == turn.turn and c.reply and "action" in c.reply
            ]
            for node, share in turn.proposals.items():
                same = [c.reply["action"] == turn.move for c in said if c.node == node and c.reply]
                assert share == pytest.approx(sum(same) / len(same)) and node != event.node
            if event.ratings:
                better = sorted(event.ratings.values(), reverse=True).index(
                    event.ratings[turn.move]
                )
                assert turn.rank == better + 1


RATINGS = st.dictionaries(
    st.sampled_from("abcdef"), st.sampled_from([-1.0, 0.0, 0.5, 1.0]), min_size=1
)


@given(RATINGS, st.sampled_from("abcdef"))
def test_a_rank_counts_the_moves_rated_higher(ratings: dict[str, float], move: str) -> None:
    ranked = turn_rows.rank(move, ratings)
    if move not in ratings:
        assert ranked is None
    else:
        assert (
            ranked
            == sorted(ratings, key=lambda one: -ratings[one]).index(
                next(
                    one
                    for one in sorted(ratings, key=lambda one: -ratings[one])
                    if ratings[one] == ratings[move]
                )
            )
            + 1
        )


def test_the_turns_add_up_to_what_the_games_say_of_refusals_and_own_moves(ran: Path) -> None:
    for row in read_rows(ran):
        turns = turn_rows.game_turns(ran, row)
        refused = [turn for turn in turns if turn.first_choice is not None]
        assert row.model_moves == sum(turn.own is not None for turn in turns)
        assert row.own == sum(turn.own is True for turn in turns) and row.refused == sum(
            turn.refused for turn in turns
        )
        assert row.second_ask == sum(
            turn.second_ask for turn in turns
        ) and row.refused_turns == len(refused)
        assert row.first_points == sum(turn.first_points or 0 for turn in refused)
        assert row.first_misplays == -sum(turn.first_lives or 0 for turn in refused)
        assert row.played_points == sum(turn.played_points or 0 for turn in refused)
        assert row.played_misplays == -sum(turn.played_lives or 0 for turn in refused)
        assert (row.model_moves == row.turns) is (row.arm != "alone")
    judged = [
        turn
        for row in read_rows(ran)
        if row.arm == "full"
        for turn in turn_rows.game_turns(ran, row)
    ]
    assert any(turn.refused and turn.first_choice != turn.move for turn in judged)
    assert all(turn.first_points is None for turn in judged if not turn.refused)


def test_agreement_is_the_share_of_the_most_frequent_move() -> None:
    assert turn_rows.agreement({"proposer": {"a": 3, "b": 1, "c": 1}}) == 0.6
    assert turn_rows.agreement({"proposer": {"a": 1}}) is None and turn_rows.agreement({}) is None


def test_a_redo_stands_for_the_answer_before_it_and_the_deciding_node_is_no_proposer() -> None:
    story = partners_story(["iggi", "iggi"], 1)
    started = story.started
    turn = story.turns[0]
    assert turn.moved
    played = turn.moved.past.move
    other = next(move for move in turn.view.legal if move != turn.moved.past.move)
    seats = (SeatInfo(graph="g", model="program", config={"decides": "decide"}), *started.seats[1:])

    def call(node: str, reply: Move | None, role: str = "proposer") -> Call:
        outcome: Outcome = "ok" if reply else "fallback"
        action = {"action": str(reply)} if reply else None
        return Call(
            turn=1, seat=0, node=node, role=role, model="program", reply=action, outcome=outcome
        )

    calls = [
        call("propose", other),
        call("decide", other),
        call("propose-2", played),
        call("analyse", played, "analyst"),
    ]
    decided = Decided(turn=1, seat=0, move=played, why="", node="decide-2")
    game = Game.of(
        [
            started.model_copy(update={"seats": seats}),
            *calls,
            call("other", None),
            decided,
            turn.moved,
        ]
    )
    (row,) = turn_rows.turns(game, "x")
    assert (row.proposals, row.node, row.rank, row.agreement) == (
        {"propose": 1.0},
        "decide-2",
        None,
        None,
    )


def test_half_a_last_line_is_left_alone_and_the_csv_has_the_columns(ran: Path) -> None:
    with (ran / "results.csv").open(encoding="utf-8") as file:
        assert set(parquet.GAMES) <= set(csv.DictReader(file).fieldnames or ())
