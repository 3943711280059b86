"""Conditional action tables: of a game whose moves are given, of mixed teams, and where they are shown."""

import csv
import json
from collections import Counter
from pathlib import Path

import pytest
import yaml

from hanabi_orchestrator.experiments.analysis.policies import ActionTable, action_tables
from hanabi_orchestrator.experiments.analysis.statistics.estimates import clopper_pearson
from hanabi_orchestrator.experiments.record import run_folder
from hanabi_orchestrator.experiments.report import run_report
from hanabi_orchestrator.orchestrator import play
from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.hanabi.moves import parse
from hanabi_orchestrator.orchestrator.players.base import Partner
from hanabi_orchestrator.orchestrator.players.partners import get
from hanabi_orchestrator.orchestrator.table.seat import Seat
from tests.conftest import Run

MOVES = (
    "hint P1 rank 1",
    "play slot 4",
    "hint P1 rank 1",
    "discard slot 0",
    "hint P1 rank 2",
    "discard slot 0",
)
"""Turn by turn; legal on the deal of the seed, where P1 holds a 1 and a 2."""
SEED = 1


def scripted(name: str) -> Partner:
    return Partner(name, lambda view, rng: (parse(MOVES[view.turn - 1]), "as told"), "a test")


def folder_with(tmp_path: Path, seats: list[Seat]) -> Path:
    path = tmp_path / "games" / "told" / "2p-s1-r1.jsonl"
    path.parent.mkdir(parents=True)
    play(seats, players=2, seed=SEED, journal=path, max_turns=len(MOVES))
    return tmp_path


def tables(folder: Path) -> list[ActionTable]:
    return action_tables(folder, run_folder.read_rows(folder))


def test_a_table_says_how_often_each_action_follows_each(tmp_path: Path) -> None:
    one = scripted("one")
    (found,) = tables(folder_with(tmp_path, [one, one]))
    assert (found.by, found.then, found.pairs.total()) == ("partner:one", "partner:one", 5)
    assert found.following("hint 1") == {
        a: 0.5 if a in ("play 4", "discard 0") else 0.0 for a in found.actions
    }
    assert found.following("play 4")["hint 1"] == 1.0
    assert found.following("discard 0")["hint 2"] == 1.0, "the last turn has no next"
    assert {a: found.shares[a][0] for a in found.actions if found.shares[a][0]} == pytest.approx(
        {"discard 0": 2 / 6, "hint 1": 2 / 6, "play 4": 1 / 6, "hint 2": 1 / 6}
    )


@pytest.mark.pictures
def test_each_seat_has_tables_of_its_own(tmp_path: Path, run: Run) -> None:
    """P0 hints 1, 1, 2; P1 plays slot 4 once and discards slot 0 twice."""
    one = scripted("one")
    folder = folder_with(tmp_path, [one, one])
    rows = run_folder.read_rows(folder)
    found = {(table.by, table.then): table for table in action_tables(folder, rows, by="seat")}
    first = found["P0", "P1"]
    second = found["P1", "P0"]
    assert set(found) == {("P0", "P1"), ("P1", "P0")} and first.counts == {"hint 1": 2, "hint 2": 1}
    assert first.pairs == {
        ("hint 1", "play 4"): 1,
        ("hint 1", "discard 0"): 1,
        ("hint 2", "discard 0"): 1,
    }
    assert second.pairs == {("play 4", "hint 1"): 1, ("discard 0", "hint 2"): 1}
    assert first.shares["hint 1"][1] is None, "one game says nothing about the next"
    path = tmp_path / "p.csv"
    picture = tmp_path / "p.svg"
    code, out, _ = run(
        "experiment",
        "policy",
        str(folder),
        "--by",
        "seat",
        "--out",
        str(path),
        "--out",
        str(picture),
    )
    assert code == 0 and "told, 2 players: P0, then P1, 3 pairs of turns" in out
    drawn = picture.read_text("utf-8")
    assert (
        "action, by P0" in drawn
        and "next action, by P0" in drawn
        and "programs, no language model" in drawn
    )
    written = list(csv.DictReader(path.read_text("utf-8").splitlines()))
    mine = [row for row in written if row["by"] == "P0" and row["action"] == "hint 1"]
    assert [
        (row["next_action"], row["turns"], row["next_share"], row["next_low"], row["games"])
        for row in mine
    ] == [
        ("discard 0", "1", "0.5000", "", "1"),
        ("play 4", "1", "0.5000", "", "1"),
    ]
    code, _, err = run("experiment", "policy", str(folder), "--out", "p.pdf")
    assert code == 2 and "--out writes .csv, .svg or .png files, not 'p.pdf'" in err


def test_intervals_are_over_deals_and_repeats_of_a_deal_are_one_draw() -> None:
    """P1 plays after each hint of deals 1 to 5, and discards after each of deals 6 to 10."""
    once = ActionTable("a", 2, "x", "x")
    twice = ActionTable("a", 2, "x", "x")
    for seed in range(1, 11):
        then = "play 0" if seed <= 5 else "discard 0"
        for repeat in (1, 2):
            counts = Counter({"hint 1": 3, then: 3})
            pairs = Counter({("hint 1", then): 3})
            twice.games[seed, repeat] = counts, pairs
        once.games[seed, 1] = twice.games[seed, 1]
    assert twice.following("hint 1")["play 0"] == once.following("hint 1")["play 0"] == 0.5
    bounds = once.next_shares["hint 1", "play 0"][1]
    assert bounds == pytest.approx(clopper_pearson(5, 10), abs=0.05), "ten deals, not thirty turns"
    assert twice.next_shares["hint 1", "play 0"][1] == pytest.approx(bounds, abs=0.01)
    assert once.shares["hint 2"][1] == pytest.approx((0, clopper_pearson(0, 60)[1]), abs=0.02)
    assert ("hint 2", "hint 1") not in once.next_shares, "it was never played"


def test_in_a_mixed_team_the_answers_of_each_player_are_told_apart(tmp_path: Path) -> None:
    first = scripted("first")
    second = scripted("second")
    found = {(one.by, one.then): one for one in tables(folder_with(tmp_path, [first, second]))}
    assert set(found) == {("partner:first", "partner:second"), ("partner:second", "partner:first")}
    answers = found["partner:first", "partner:second"]
    assert answers.following("hint 1")["play 4"] == 0.5, "what second does after a hint of first"
    assert answers.counts == {"hint 1": 2, "hint 2": 1}
    assert not found["partner:second", "partner:first"].following("hint 1")


def test_all_actions_of_a_hand_have_a_row_and_every_row_sums_to_one(tmp_path: Path) -> None:
    for players, slots in ((2, 5), (5, 4)):
        path = tmp_path / str(players) / "games" / "smart" / f"{players}p-s1-r1.jsonl"
        path.parent.mkdir(parents=True)
        result = play(get("smart"), players=players, seed=1, journal=path)
        (found,) = tables(tmp_path / str(players))
        assert len(found.actions) == 2 * slots + 10 and found.counts.total() == result.turns
        assert found.pairs.total() == result.turns - 1
        assert sum(found.shares[one][0] for one in found.actions) == pytest.approx(1)
        assert all(
            sum(found.following(one).values()) == pytest.approx(1)
            for one in found.actions
            if found.following(one)
        )


def test_the_tables_are_in_the_terminal_as_data_and_in_the_report(tmp_path: Path, run: Run) -> None:
    one = scripted("one")
    folder = folder_with(tmp_path, [one, one])
    (folder / "run.yaml").write_text(
        yaml.safe_dump({"name": "told", "arms": {"told": {}}}), "utf-8"
    )
    code, out, _ = run("experiment", "policy", str(folder))
    lines = [line.split() for line in out.splitlines()]
    head = "action D0 D1 D2 D3 D4 P0 P1 P2 P3 P4 R Y G W B 1 2 3 4 5"
    assert code == 0 and head.split() in lines
    assert ["hint", "1", "50", *["0"] * 8, "50", *["0"] * 10] in lines
    _, text, _ = run(
        "experiment", "policy", str(folder), "--arm", "told", "--players", "2", "--json"
    )
    (data,) = json.loads(text)
    assert data["next_given_action"]["play 4"]["hint 1"] == 1.0 and data["action"][
        "discard 0"
    ] == pytest.approx(1 / 3)
    code, _, err = run("experiment", "policy", str(folder), "--players", "3")
    assert code == 2 and "there are no two turns of any arm at 3 players; there is told at 2" in err
    made = run_report.write(folder, png=False)
    assert "policy-2p" in {figure.key for figure in made.drawn if figure.svg}
    drawn = list(
        csv.DictReader((folder / "figures" / "policy-2p.csv").read_text("utf-8").splitlines())
    )
    assert {
        (r["action"], r["next_action"], r["turns"], r["next_share"])
        for r in drawn
        if r["turns"] != "0"
    } == {
        ("discard 0", "hint 2", "1", "1.0000"),
        ("hint 2", "discard 0", "1", "1.0000"),
        ("hint 1", "play 4", "1", "0.5000"),
        ("hint 1", "discard 0", "1", "0.5000"),
        ("play 4", "hint 1", "1", "1.0000"),
    }


def test_a_file_that_is_no_journal_is_named(tmp_path: Path) -> None:
    one = scripted("one")
    folder = folder_with(tmp_path, [one, one])
    rows = run_folder.read_rows(folder)
    path = folder / rows[0].journal
    path.write_bytes(path.read_bytes().replace(b'"moved"', b'"moved", half', 1))
    with pytest.raises(UserError, match="line 4: not a journal line"):
        action_tables(folder, rows)
