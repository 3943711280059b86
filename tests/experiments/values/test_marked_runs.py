"""Marks of whole runs: kept, computed in several processes, summed up as scores are, and where they show."""

import csv
import json
import os
import re
import signal
from dataclasses import replace
from pathlib import Path
from statistics import fmean

import numpy as np
import pytest
from scipy import stats

from hanabi_orchestrator.experiments.analysis.role_marks import (
    MarkedGame,
    calibrations,
    compared,
    summaries,
)
from hanabi_orchestrator.experiments.analysis.statistics.estimates import (
    estimate_mean,
    unseen_share,
)
from hanabi_orchestrator.experiments.interchange import more_columns
from hanabi_orchestrator.experiments.record import run_folder
from hanabi_orchestrator.experiments.record.game import Game
from hanabi_orchestrator.experiments.record.rows import COLUMNS, Row
from hanabi_orchestrator.experiments.report import (
    mark_metric,
    marked_run,
    marks_table,
    role_sentences,
)
from hanabi_orchestrator.experiments.report.figures import calibration, drawing
from hanabi_orchestrator.experiments.report.marked_run import MarkedRun, Unmarked
from hanabi_orchestrator.experiments.report.run_data import RunData, run_data
from hanabi_orchestrator.experiments.values import marking
from hanabi_orchestrator.experiments.values.game_marks import GameMarks, NodeReplies, game_marks
from hanabi_orchestrator.experiments.values.mark_tally import Key, tallied
from hanabi_orchestrator.experiments.values.marking import marks_of
from hanabi_orchestrator.experiments.values.mistakes import known_fault
from hanabi_orchestrator.experiments.values.move_values import TITLES, Kind
from hanabi_orchestrator.experiments.values.position import Position
from hanabi_orchestrator.experiments.values.role_mark import RoleMark, StatedOutcome
from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.hanabi.moves import parse
from tests.conftest import Run
from tests.experiments.report.test_null_runs import ABSENT
from tests.support import marked_runs
from tests.support.positions import dealt
from tests.support.prove import FULL
from tests.support.sentences import template_of


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return marked_runs.marked_run(tmp_path_factory.mktemp("marks") / "small")


@pytest.fixture(scope="module")
def journals(folder: Path) -> list[Path]:
    return sorted(folder.glob("games/*/*.jsonl"))


@pytest.fixture(scope="module")
def marks(journals: list[Path]) -> list[GameMarks]:
    return [game_marks(Game.open(path)) for path in journals]


def test_marks_are_kept_by_the_bytes_of_the_journal(
    folder: Path, journals: list[Path], marks: list[GameMarks]
) -> None:
    path = journals[0]
    store = marks_of(path)
    assert store.of(path) == marks[0] and store.has(path)
    (file,) = (folder / "values" / "marks").glob("*.json")
    file.write_text(file.read_text("utf-8").replace('"value":', '"value":1', 1), "utf-8")
    assert store.of(path) != marks[0], "what is kept is read, not computed again"
    file.write_text(file.read_text("utf-8")[:-100], "utf-8")
    assert store.of(path) == marks[0], "half a file counts for nothing"
    file.write_text(
        re.sub(r'"value":[-.e\d]+', '"value":NaN', file.read_text("utf-8"), count=1), "utf-8"
    )
    assert store.of(path) == marks[0], "neither does a mark that is no number"
    whole = path.read_bytes()
    path.write_bytes(whole + b"\n")
    assert not marks_of(path).has(path), "another journal"
    path.write_bytes(whole)
    os.utime(path, ns=(1, 1))
    assert marks_of(path).has(path) and not marks_of(path, 50).has(path), (
        "other rollouts are other marks"
    )


def test_several_processes_compute_the_same_and_the_death_of_one_costs_nothing(
    journals: list[Path], marks: list[GameMarks], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    copies = [tmp_path / f"{number}.jsonl" for number in range(3)]
    for path, copy in zip(journals, copies, strict=False):
        copy.write_bytes(path.read_bytes())
    told: list[int] = []
    assert list(marking.marked(copies, 2, lambda number, of: told.append(number))) == marks[:3]
    assert told == [1, 2, 3]
    monkeypatch.setattr(marking, "_marks", _dying)
    assert list(marking.marked(copies, 2)) == marks[:3]


OWN = os.getpid()
REAL = marking._marks


def _dying(path: Path, rollouts: int) -> GameMarks:
    """Kills the worker that is asked for the second game."""
    if os.getpid() != OWN and path.stem == "1":
        os.kill(os.getpid(), signal.SIGKILL)
    return REAL(path, rollouts)


def test_every_mark_has_words_and_a_game_is_read_the_same_after_json(
    marks: list[GameMarks],
) -> None:
    keys = {key for one in marks for key in tallied(one)}
    assert {"history_analyst", "discard_strategist", "tom_interpreter", "aggregator"} <= {
        key.role for key in keys
    }
    assert all(key.info is not None and key.info.says for key in keys)
    assert [GameMarks.model_validate_json(one.model_dump_json()) for one in marks] == marks


def mark(value: float, program: float | None = None, turn: int = 1) -> RoleMark:
    return RoleMark(
        turn=turn,
        seat=0,
        node="analyst",
        role="analyst",
        model="m",
        sample=0,
        name="play_brier",
        value=value,
        baselines={} if program is None else {"program": program},
    )


def game(
    arm: str, seed: int, *found: RoleMark, stated: tuple[StatedOutcome, ...] = (), repeat: int = 1
) -> MarkedGame:
    row = Row(
        arm,
        "g",
        2,
        seed,
        repeat,
        0,
        0,
        3,
        60,
        "perfect",
        1,
        0,
        0,
        0,
        0,
        None,
        f"{arm}{seed}",
        model="m",
        moves_digest="d",
    )
    return MarkedGame.of(row, GameMarks(marks=found, faults=(), nodes=(), stated=stated))


def test_deals_are_the_units_and_a_game_with_many_replies_weighs_no_more() -> None:
    values = [[0.2] * 30, [0.4], [0.1, 0.3]]
    games = [
        game("a", seed, *(mark(one, one / 2) for one in each))
        for seed, each in enumerate(values, 1)
    ]
    (found,) = summaries([*games, game("a", 1, mark(0.4, 0.2), repeat=2)], ["a"])
    units = [0.3, 0.4, 0.2]
    estimate = estimate_mean(units)
    assert (
        estimate
        and found.mean == pytest.approx(fmean(units))
        and found.units == 3
        and found.replies == 34
    )
    assert (found.low, found.high) == pytest.approx(
        (max(0, estimate.interval[0]), estimate.interval[1])
    )
    assert (
        found.baselines["program"].mean == pytest.approx(0.15)
        and found.baselines["program"].low is None
    )
    (alike,) = summaries([game("a", seed, mark(0.0)) for seed in range(1, 7)], ["a"])
    assert alike.low == 0 and alike.high == pytest.approx(unseen_share(6)), (
        "equal shares say how many deals are unseen"
    )


def test_arms_are_compared_by_deal_and_all_marks_are_corrected_together() -> None:
    ours = [game("b", seed, mark(0.4 + seed / 100), mark(0.1, turn=2)) for seed in range(1, 9)]
    theirs = [game("a", seed, mark(0.1), mark(0.1, turn=2)) for seed in range(1, 9)]
    other = RoleMark(**{**mark(1.0).model_dump(), "name": "other"})
    both = [*ours, *theirs, *(game(arm, 9, other) for arm in "ab")]
    (found, nothing) = sorted(
        compared(both, ["a", "b"], "a"), key=lambda one: one.key.name != "play_brier"
    )
    deltas = [(0.4 + seed / 100 - 0.1) / 2 for seed in range(1, 9)]
    assert found.found.mean == pytest.approx(fmean(deltas)) and (
        found.found.n,
        found.found.wins,
    ) == (8, 8)
    assert found.found.p == 2 / 2**8 == found.found.p_holm and nothing.found.p is None, (
        "one deal is no test"
    )


def test_bounds_are_those_of_the_unit_and_tables_show_the_baselines_that_are_there() -> None:
    def named(role: str, name: str, value: float, **baselines: float) -> RoleMark:
        return mark(value).model_copy(update={"role": role, "name": name, "baselines": baselines})

    games = [
        game(
            "a",
            seed,
            named("tom_interpreter", "next_brier", 1.8 - seed / 100),
            named("tracker", "cards_exact", 0.9, nothing_excluded=0.5, uniform=0.01),
        )
        for seed in range(1, 7)
    ]
    brier, exact = summaries(games, ["a"])
    assert brier.high and brier.low and 1 < brier.low < brier.mean < brier.high, (
        "it is summed over options: up to 2"
    )
    assert exact.high == 1.0 - 0.1 * (1 - unseen_share(6))
    both = [marks_table.marks_table("marks", [summary], {"a": "a"}) for summary in (exact, brier)]
    titles = [[column.title for column in table.columns][2:] for table in both]
    assert titles[0] == ["mark", "mean", "95 %", "uniform", "nothing excluded", *LAST]
    assert titles[1] == ["mark", "mean", "95 %", *LAST], "no empty columns"
    assert both[0].texts()[0][5:7] == ["0.01", "0.50"]
    assert (
        marks_table.columns_of_a_mark()[-1]
        == "nothing_excluded"
        == [*more_columns.mark_types()][-1]
    )


LAST = ["best", "replies", "turns"]


def test_arms_that_are_no_hypotheses_are_not_corrected_for() -> None:
    def played(arm: str, at: float, control: str = "") -> list[MarkedGame]:
        made = [game(arm, seed, mark(at + seed / 100)) for seed in range(1, 9)]
        graph = "g-noise-floor" if control == "noise_floor" else "g"
        return [replace(one, row=replace(one.row, control=control, graph=graph)) for one in made]

    games = [
        *played("a", 0.1),
        *played("b", 0.4),
        *played("again", 0.3, "noise_floor"),
        *played("hand", 0.2, "own_hand"),
    ]
    found = {one.found.arm: one.found for one in compared(games, ["a", "b", "again", "hand"], "a")}
    assert found["b"].p_holm == found["b"].p == 2 / 2**8 and found["b"].claimed
    assert found["again"].p == found["hand"].p == 2 / 2**8
    assert found["again"].p_holm is None and not found["hand"].claimed


def test_faults_are_named_whose_change_is_shown_on_the_deals_of_both_arms() -> None:
    def played(arm: str, missed: list[int], misplays: int = 0) -> list[MarkedGame]:
        counts: list[dict[Kind, int]] = [
            {"missed_play": number, "risky_misplay": misplays} for number in missed
        ]
        return [replace(game(arm, seed), quality=each) for seed, each in enumerate(counts, 1)]

    base = [1, 2, 3, 1, 2, 3, 1, 2, 3, 2]
    games = [
        *played("a", [*base, 50]),
        *played("b", [number + 10 + number % 2 for number in base], 3),
        *played("c", [0, 9, 0, 6, 0, 9, 5, 0, 0, 2]),
        *played("d", base, 1),
        *(
            replace(one, row=replace(one.row, control="own_hand"))
            for one in played("oracle", [0] * 10)
        ),
    ]
    rows = [one.row for one in games]
    run = MarkedRun(run_data(Path(), rows, {"baseline": "a"}), tuple(games))
    (said,) = role_sentences.faults(run, ["b", "c", "d", "oracle"])
    assert said == (
        "Faults per game that change beside a, corrected for 4 comparisons: a known playable card not played, "
        "10.60 more in b (95 % interval +10.25 to +11.00, Holm-corrected p = .008, 10 deals); a risky misplay, 3.00 "
        "more in b (95 % interval +3.00 to +3.00, Holm-corrected p = .008, 10 deals); a risky misplay, 1.00 more in d "
        "(95 % interval +1.00 to +1.00, Holm-corrected p = .008, 10 deals); see Roles in the report."
    )
    assert template_of(said)
    assert not list(role_sentences.faults(run, ["c"])), "twice as many on average, by chance"
    few = tuple(one for one in games if one.row.seed < 6)
    assert not list(role_sentences.faults(MarkedRun(run.data, few), ["b", "c", "d"])), (
        "five deals show nothing"
    )


def test_swings_are_averaged_over_games_that_have_one_and_a_role_without_marks_is_no_program(
    tmp_path: Path,
) -> None:
    games = [
        replace(game("a", seed), swing=swing, quality=QUALITY)
        for seed, swing in ((1, None), (2, 4.0), (3, 2.0))
    ]
    run = MarkedRun(_data(tmp_path, games), tuple(games))
    assert marks_table.faults(run, TITLES).rows[0][-1] == 3.0, (
        "a game without a swing has none, not 0"
    )
    assert not list(role_sentences.sentences(run)), "nobody said anything, so no program did"


QUALITY: dict[Kind, int] = dict.fromkeys(TITLES, 0)


def test_a_mark_of_choices_is_a_metric_with_its_side_and_bounds(
    folder: Path, marks: list[GameMarks]
) -> None:
    rows = run_folder.read_rows(folder)
    regret = mark_metric.of_mark("mark:aggregator.regret", [folder], [rows])
    assert (regret.better, regret.range) == ("fewer", None) and "aggregator.regret" in regret.key
    by_hand = fmean(
        one.value for one in marks[0].marks if (one.role, one.name) == ("aggregator", "regret")
    )
    (first,) = [
        row for row in rows if (folder / row.journal) == sorted(folder.glob("games/*/*.jsonl"))[0]
    ]
    assert regret.of(first) == pytest.approx(by_hand)
    followed = mark_metric.of_mark("mark:discard_strategist.followed", [folder], [rows])
    assert followed.better is None and followed.range == (-1.0, 1.0), "no side of it is better"
    with pytest.raises(UserError, match="it has: regret, rank"):
        mark_metric.check("mark:proposer.nothing")


def test_calibration_counts_statements_by_what_was_called_so_likely() -> None:
    def said(probability: float | None, true: bool, category: str | None = None) -> StatedOutcome:
        where = {"turn": 1, "seat": 0, "node": "n", "role": "analyst", "model": "m", "sample": 0}
        return StatedOutcome.model_validate(
            {
                **where,
                "kind": "fits",
                "probability": probability,
                "category": category,
                "true": true,
            }
        )

    first = game(
        "a",
        1,
        stated=(said(0.91, True), said(1.0, True), said(0.05, False), said(None, True, "high")),
    )
    second = game("a", 2, stated=(said(0.95, False), said(None, False, "high")))
    by = {one.stated.said: one for one in calibrations([first, second])}
    assert set(by) == {"0.9 to 1.0", "0.0 to 0.1", "high"}
    assert by["0.9 to 1.0"].likely == pytest.approx((0.91 + 1.0 + 0.95) / 3)
    assert by["0.9 to 1.0"].true == pytest.approx(2 / 3) and by["0.9 to 1.0"].statements == 3
    assert by["high"].likely is None and by["high"].true == 0.5
    low = by["high"].low
    high = by["high"].high
    assert low is not None and high is not None and low < 0.5 < high
    assert by["0.0 to 0.1"].low is None, "one deal has no interval"


def test_a_hint_in_the_final_round_is_a_fault_where_a_play_would_have_cost_nothing() -> None:
    referee = dealt("R1 Y3 G3 W4 B5", "R2 R3 Y4 G4 W5")
    view = referee.view()
    idle, useful = (
        dealt("R1 Y3 G3 W4 B5", other) for other in ("R2 R3 Y4 G4 W5", "R1 R3 Y4 G4 W5")
    )
    last, helps = (
        Position(one.view().model_copy(update={"turns_left": 2, "deck_size": 0}), {})
        for one in (idle, useful)
    )
    found = known_fault(last, past := idle.apply(parse("hint P1 white")))
    assert found and found[0] == "final_round" and "would have cost nothing" in found[1]
    assert known_fault(Position(view, {}), past) is None, "with cards in the deck it is none"
    assert known_fault(helps, useful.apply(parse("hint P1 rank 1"))) is None, (
        "a hint that lets somebody play is none"
    )
    alone = last.view.model_copy(update={"lives": 1})
    assert known_fault(Position(alone, {}), past) is None, "on the last life a play might cost all"


def test_the_command_says_it_as_a_table_as_data_and_as_csv(
    folder: Path, run: Run, marks: list[GameMarks], tmp_path: Path
) -> None:
    code, out, _ = run("report", "--marks", str(folder), "--out", str(tmp_path / "m.csv"))
    assert code == 0 and "simulated" in out and "is not asked for ratings" in out
    assert max(len(line) for line in out.splitlines() if "    " in line) <= 100, "the tables fit"
    with (tmp_path / "m.csv").open(encoding="utf-8", newline="") as file:
        lines = list(csv.DictReader(file))
    assert tuple(lines[0]) == marks_table.columns_of_a_mark()
    assert len(lines) == sum(len(one.marks) for one in marks)
    code, out, _ = run(
        "report", "--marks", str(folder), "--json", "--role", "aggregator", "--arm", "full"
    )
    data = json.loads(out)
    (arm,) = data["arms"]
    assert arm["label"] == "full (simulated)" and {one["role"] for one in arm["marks"]} == {
        "aggregator"
    }
    regret = next(one for one in arm["marks"] if one["mark"] == "regret")
    by_hand = [
        fmean(
            float(line["value"])
            for line in lines
            if line["game"] == name and line["mark"] == "regret"
        )
        for name in ("full/2p-s1-r1", "full/2p-s2-r1")
    ]
    expected = [
        fmean(
            float(line["value"])
            for line in lines
            if (line["game"], line["role"], line["mark"]) == (name, "aggregator", "regret")
        )
        for name in ("full/2p-s1-r1", "full/2p-s2-r1")
    ]
    assert (
        by_hand == expected
        and regret["mean"] == pytest.approx(fmean(expected))
        and regret["best"] == 0
    )


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--role", "agregator"], "did you mean 'aggregator'"),
        (["--arm", "ful"], "did you mean 'full'"),
        (["--rollouts", "10"], "fewer than 50 say nothing"),
    ],
)
def test_bad_options_get_a_sentence(folder: Path, run: Run, options: list[str], said: str) -> None:
    code, out, err = run("report", "--marks", str(folder), *options)
    assert (code, out) == (2, "") and said in " ".join(err.split())


def test_a_folder_without_a_finished_game_gets_a_sentence(run: Run, tmp_path: Path) -> None:
    for path, said in ((tmp_path, "no finished game"), (tmp_path / "gone", "there is nothing at")):
        code, _, err = run("report", "--marks", str(path))
        assert code == 2 and said in " ".join(err.split())


def test_results_get_columns_at_the_end_and_tables_one_more(
    folder: Path, run: Run, marks: list[GameMarks], tmp_path: Path
) -> None:
    export = ("export", str(folder), "--to")
    code, _, _ = run(
        *export, "results", "--with", "marks,quality", "--out", str(tmp_path / "more.csv")
    )
    with (tmp_path / "more.csv").open(encoding="utf-8", newline="") as file:
        lines = list(csv.DictReader(file))
    names = tuple(lines[0])
    assert code == 0 and names[: len(COLUMNS)] == COLUMNS and len(lines) == 4
    assert int(lines[0]["fault_missed_play"]) == marks[0].quality["missed_play"]
    regret = tallied(marks[0])[Key("aggregator", "regret")].mean
    assert float(lines[0]["mark_aggregator_regret"]) == pytest.approx(regret)
    assert lines[-1]["mark_history_analyst_inferred_held"] == "", (
        "the arm without the role has no such mark"
    )
    code, out, _ = run(
        *export, "tables", "--with", "marks", "--out", str(tmp_path / "tables"), "--json"
    )
    assert code == 0 and json.loads(out)["rows"]["marks"] == sum(len(one.marks) for one in marks)
    code, _, err = run(*export, "results", "--with", "mark", "--out", str(tmp_path / "no.csv"))
    assert code == 2 and "did you mean 'marks'" in err


def test_the_report_answers_for_each_role_and_says_where_there_are_no_marks(
    folder: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(drawing, "all_figures", lambda data: list(calibration.FIGURES))
    (folder / "values").rename(folder / "put-away") if (folder / "values").exists() else None
    code, out, _ = run("report", str(folder), "--json", "--no-marks")
    assert code == 0 and json.loads(out)["roles"]["marked"] is False
    assert "The marks of 4 of 4 games are not computed" in (folder / "report.md").read_text("utf-8")
    code, out, _ = run("report", str(folder), "--json", "--marks")
    told = json.loads(out)["roles"]
    said = " ".join(told["sentences"])
    assert all(map(template_of, told["sentences"]))
    assert told["marked"] and "no mark of a role can differ significantly" in said
    assert (
        "Its first choice was played in" in said
        and "It decides, so its choices are the moves." in said
    )
    assert "history_analyst" in (folder / "report.html").read_text("utf-8")
    page = (folder / "report.md").read_text("utf-8")
    for title in (
        "Were the notes right",
        "Who was followed when it mattered",
        "Moves with a known fault, per game",
    ):
        assert f"### {title}" in page
    before = page
    run("report", str(folder))
    assert (
        (folder / "figures" / "calibration.csv")
        .read_text("utf-8")
        .startswith("arm,role,kind,said,stated,true")
    )
    assert (folder / "report.md").read_text("utf-8") == before, (
        "what is kept is shown unasked, to the byte the same"
    )


def test_roles_as_right_as_their_programs_are_called_better_or_worse_as_seldom_as_promised(
    tmp_path: Path,
) -> None:
    runs = 60 if FULL else 12
    claiming = 0
    for run in range(runs):
        chance = np.random.default_rng(run)
        deals = 4 if run % 4 == 0 else 10
        games = [
            game(arm, seed, *(mark(chance.random(), chance.random(), turn) for turn in (1, 2)))
            for arm in "ab" for seed in range(1, deals + 1)
        ]  # fmt: skip
        nodes = (
            NodeReplies(
                node="analyst", role="analyst", model="m", replies=2, unusable=0, unasked=()
            ),
        )
        games = [replace(one, nodes=nodes) for one in games]
        said = list(role_sentences.sentences(MarkedRun(_data(tmp_path, games), tuple(games))))
        assert all(map(template_of, said)) and not any(map(ABSENT.search, said)), said
        assert (deals == 4) == said[0].startswith(
            "With 4 deals and 1 comparison no mark of a role can"
        )
        claiming += any(re.search(r"program (better|worse) on", one) for one in said)
    assert claiming <= stats.binom.ppf(0.999, runs, 0.05)


def test_programs_are_said_to_be_the_standard(tmp_path: Path) -> None:
    games = [
        game("a", seed, mark(0.1, 0.1).model_copy(update={"model": "program"})) for seed in (1, 2)
    ]
    data = marked_run.MarkedRun(_data(tmp_path, games), tuple(games))
    assert "exact by what a seat may know" in next(iter(role_sentences.sentences(data)))
    assert isinstance(marked_run.ready(_data(tmp_path, games)), Unmarked), (
        "without journals there are no marks"
    )


def _data(folder: Path, games: list[MarkedGame]) -> RunData:
    return run_data(folder, [one.row for one in games], {})
