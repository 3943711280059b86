"""The judge of state tracking: what it is told, asked once, resumed after a kill, and how far it agrees."""

import json
from collections.abc import Callable
from pathlib import Path
from statistics import fmean

import pytest

from hanabi_orchestrator import graphs, roles
from hanabi_orchestrator.experiments.document.blocks import Table
from hanabi_orchestrator.experiments.record.game import Game
from hanabi_orchestrator.experiments.tasks.judge import human_ratings, judge_report, judge_run
from hanabi_orchestrator.experiments.tasks.judge.judge_run import (
    FOLDER,
    Judging,
    mean_ratings,
    sections,
)
from hanabi_orchestrator.experiments.tasks.judge.statements import Choice, Statement, find
from hanabi_orchestrator.experiments.values import mark_infos, role_marks
from hanabi_orchestrator.graphs.config import checked
from hanabi_orchestrator.orchestrator import play
from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.models.request import ModelRequest, Scripted
from hanabi_orchestrator.roles.hanabi.state_judge import ASPECTS
from tests.conftest import Run
from tests.experiments.tasks.questions.sample import answering
from tests.support.folders import ROOT

MODEL = "openai:tester@http://127.0.0.1:9/v1"
TURNS = 12
EVERY_TURN = Choice()


@pytest.fixture(scope="module")
def games(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two games in which a seat often overlooks that a card has left a hand."""
    folder = tmp_path_factory.mktemp("games")
    rates = dict.fromkeys(
        ("misread_stack", "overconfident_play", "slot_off_by_one", "malformed"), 0
    )
    seat = graphs.seat("mycroft", {"model": "sim:average", **rates, "overlooked_move": 0.6})
    for seed in (1, 2):
        play(seat, players=2, seed=seed, journal=folder / f"g{seed}.jsonl", max_turns=TURNS)
    return folder


def judge(says: Callable[[ModelRequest], dict[str, object]]) -> Scripted:
    return Scripted({"state_judge": says})


def rating(value: float, **more: object) -> dict[str, object]:
    lists: dict[str, object] = {"key_issues": ["one"], "strengths": []}
    return {"feedback": "So.", **lists, **dict.fromkeys(ASPECTS, value), **more}


def half() -> Scripted:
    return judge(lambda request: rating(0.5))


def calls(folder: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in (folder / "calls.jsonl").read_text("utf-8").splitlines()]


def test_no_graph_may_have_the_judge() -> None:
    config = graphs.read("house").model_dump()
    config["nodes"]["judge"] = {"role": "state_judge"}
    with pytest.raises(
        UserError,
        match=r"nodes\.judge: role 'state_judge' judges games that are over.*`evaluate judge`",
    ):
        checked(config, "mine")


def test_the_judge_is_told_what_was_written_now_and_before_and_what_the_hints_leave(
    games: Path,
) -> None:
    asked = next(one for one in find(games / "g1.jsonl", EVERY_TURN) if one.turn == 9)
    parts = {part.name: part.text for part in Judging().request(asked, 0).parts}
    assert list(parts) == ["rules", "history", "judged_lists", "instruction", "answer_format"]
    for one in asked.now:
        for slot, text in enumerate(one.slots):
            assert f"- P{one.seat} slot {slot}: the hints leave: " in parts[
                "judged_lists"
            ] and repr(text) in str(parts)
    assert (
        asked.before is not None
        and "had written on their last turn\n\n- P0: slot 0 " in parts["judged_lists"]
    )
    assert "turn 7, P0 (you)" in parts["history"] and "turn 6" not in parts["history"]


def test_the_program_rates_exactly_what_the_marks_of_the_turn_say(games: Path) -> None:
    marks = role_marks(Game.open(games / "g1.jsonl"))
    solve = roles.get("state_judge").solve
    assert solve is not None
    below = 0
    for one in find(games / "g1.jsonl", EVERY_TURN):
        rated = solve(sections(one), {})
        for aspect in ASPECTS:
            (mark,) = [m.value for m in marks if m.turn == one.turn and m.name == aspect]
            assert (
                getattr(rated, aspect) == pytest.approx(mark, abs=1e-4)
                and mark == one.exact[aspect]
            )
            below += mark < 1
    assert below > 10, "the lists have errors"
    assert {m.name for m in marks if m.role == "tracker"} <= set(mark_infos("tracker"))
    assert any(m.value > 0 for m in marks if m.name == "lists_not_moved")
    assert any(m.value > 0 for m in marks if m.name == "stale_cards")


def test_turns_can_be_chosen(games: Path) -> None:
    chosen = find(games, Choice("2,5-8", 2))
    assert [(one.game, one.turn) for one in chosen] == [
        (g, t) for g in ("g1", "g2") for t in (2, 6, 8)
    ]
    with pytest.raises(
        UserError, match=r"--turns is 'late'; say all, or numbers and ranges such as 5,10,20-30"
    ):
        Choice("late")


def test_an_answer_that_cannot_be_read_is_asked_for_again_and_then_left_out(
    games: Path, tmp_path: Path
) -> None:
    def says(request: ModelRequest) -> dict[str, object]:
        return rating(7) if " turn 1 " in request.node else rating(0.5)

    with answering(judge(says)):
        done = judge_run.run(games, MODEL, tmp_path / "j", choice=Choice("1-3"))
    rated = FOLDER.run(tmp_path / "j")
    assert done.left == 0 and len(mean_ratings(rated)) == 4
    assert [answer.asks for answer in rated.answers if answer.reply is None] == [2, 2]
    assert any(
        "2 unreadable answers of the judge" in note
        for note in judge_report.notes(report(tmp_path / "j"))
    )


def report(folder: Path, people: Path | None = None) -> judge_report.Report:
    return judge_report.read(folder, human_ratings.read(people) if people else ())


def csv_of(path: Path, rows: list[str], header: str = "game,turn,overall") -> Path:
    path.write_text("\n".join((header, *rows)) + "\n", "utf-8")
    return path


def test_agreement_of_judge_exact_score_and_people(games: Path, tmp_path: Path) -> None:
    """The judge rates the exact score less 0.1; the person the exact score itself: all correlate, one is stricter."""
    exact = {one.name: one.exact for one in find(games, EVERY_TURN)}

    def stricter(request: ModelRequest) -> dict[str, object]:
        return rating(
            0, **{aspect: max(score - 0.1, 0) for aspect, score in exact[request.node].items()}
        )

    with answering(judge(stricter)):
        judge_run.run(games, MODEL, tmp_path / "j")
    rows = [
        f"{one.game}.jsonl,{one.turn},{one.exact['overall']}" for one in find(games, EVERY_TURN)
    ]
    people = csv_of(tmp_path / "people.csv", [*rows, "g9,1,0.5"])
    made = report(tmp_path / "j", people)
    found = {one.raters: one for one in made.agreements if one.aspect == "overall"}
    assert set(found) == {("judge", "exact"), ("judge", "human"), ("exact", "human")}
    strict = found["judge", "exact"]
    same = found["exact", "human"]
    assert strict.pearson and strict.pearson.value == pytest.approx(1) and strict.alpha.groups == 2
    assert same.alpha.value == pytest.approx(1)
    assert strict.alpha.value is not None and strict.alpha.value < 0.95
    means = {one.rater: one.mean.value for one in made.scores if one.aspect == "overall"}
    overall = fmean(score["overall"] for score in exact.values())
    assert means["judge"] == pytest.approx(overall - 0.1) and means["exact"] == pytest.approx(
        overall
    )
    assert any(
        "Left out: 1 rating by people of turns that were not judged" in note
        for note in judge_report.notes(made)
    )


@pytest.mark.parametrize(
    ("header", "row", "said"),
    [
        (
            "game,turn,overall",
            "g1,2,1.5",
            "line 2: overall is '1.5'; it must be a number from 0 to 1",
        ),
        (
            "game,turn,overall",
            "g1,two,0.5",
            "line 2: turn is 'two'; it must be a whole number from 1",
        ),
        ("game,turn,overall", ",2,0.5", "line 2: the game is missing"),
        ("game,turn,overall", "g1,2,", "line 2: no rating stands in this row"),
        ("game,turn,overall", "g1,3,0.5\ng1,3,0.6", "human rates turn 3 of g1 twice; keep one row"),
        (
            "game,turn,score",
            "g1,2,0.5",
            "needs the columns game and turn, and at least one of deduction_accuracy",
        ),
    ],
)
def test_a_bad_row_of_people_is_one_sentence(
    tmp_path: Path, header: str, row: str, said: str
) -> None:
    with pytest.raises(UserError) as error:
        human_ratings.read(csv_of(tmp_path / "people.csv", [row], header))
    assert said in str(error.value)


def test_ratings_are_read_from_any_csv_and_refused_from_anything_else(tmp_path: Path) -> None:
    """A comment may break lines as people and spreadsheets do; a file of another encoding is refused in a sentence."""
    path = tmp_path / "people.csv"
    path.write_bytes(
        'game,turn,overall,comment\r\ng1,2,0.5,"two\nlines \u2028 here"\r\n'.encode("utf-8-sig")
    )
    assert [(one.game, one.turn, one.ratings) for one in human_ratings.read(path)] == [
        ("g1", 2, {"overall": 0.5})
    ]
    good = b"game,turn,overall\ng1,2,0.5\n"
    for data, said in (
        ("game,turn,overall\ng\u00e9,2,0.5\n".encode("latin-1"), "is not UTF-8 text"),
        (good.decode().encode("utf-16"), "is not UTF-8 text"),
        (good + b'g1,3,"0.5\n', "is not a CSV file"),
        (
            good + b"g1,3," + b"9" * 200_000 + b"\n",
            "is not a CSV file: field larger than field limit",
        ),
        (good + b"g1,3\n", "line 3: no rating stands in this row"),
        (good + "g1,\u00b2,0.5\n".encode(), "turn is '\u00b2'"),
    ):
        path.write_bytes(data)
        with pytest.raises(UserError) as error:
            human_ratings.read(path)
        assert said in str(error.value) and "\n" not in str(error.value)


def test_several_people_agree_among_themselves(games: Path, tmp_path: Path) -> None:
    with answering(half()):
        judge_run.run(games, MODEL, tmp_path / "j", choice=Choice("1-4"))
    rows = [
        f"g{game},{turn},{rater},{turn / 4}"
        for game in (1, 2)
        for turn in (1, 2, 3, 4)
        for rater in ("ann", "bo")
    ]
    made = report(tmp_path / "j", csv_of(tmp_path / "people.csv", rows, "game,turn,rater,overall"))
    (among,) = [one for one in made.agreements if one.raters == ("ann", "bo")]
    assert among.alpha.value == 1 and among.pearson is None
    (constant,) = [one for one in made.agreements if one.raters == ("judge", "human")]
    assert constant.pearson is not None and constant.pearson.value is None, (
        "the judge always says the same"
    )


# The command


def test_the_command_labels_programs_and_simulated_models_and_the_report_of_a_run_shows_them(
    run: Run, games: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    for game in games.iterdir():
        (folder / game.name).write_bytes(game.read_bytes())
    code, out, err = run("evaluate", "judge", str(folder), "--every", "4", "-q")
    assert code == 0 and "no model judged" in " ".join(out.split()), err
    code, out, err = run(
        "evaluate", "judge", str(folder), "--every", "4", "--model", "sim:careless", "-q", "--json"
    )
    data = json.loads(out)
    assert code == 0 and data["judge"] == "sim:careless (simulated)" and not data["language_model"]
    tables = [block for block in judge_report.blocks_of_run(folder) if isinstance(block, Table)]
    judges = [table.title.removeprefix("State tracking, judged by ") for table in tables[::2]]
    assert judges == ["program", "sim:careless (simulated)"]
    assert "`judge/program`" in tables[0].caption and not tables[1].rows, (
        "the program is the exact score"
    )
    assert tables[3].rows and [row[1] for row in tables[2].rows] == [
        "judge sim:careless (simulated)",
        "exact",
    ]
    code, out, err = run("report", str(folder / "judge/program"), "--json")
    assert code == 0 and json.loads(out)["judge"] == "program"
    code, out, err = run("evaluate", "judge", str(folder), "--dry-run")
    assert code == 0 and "no model on a server is asked" in out
    code, out, err = run(
        "evaluate",
        "judge",
        str(folder),
        "--model",
        "openai:m@http://127.0.0.1:9/v1",
        "--dry-run",
        "--json",
    )
    told = json.loads(out)
    assert (told["arms"][0]["turns"], told["calls"], told["usd"]) == (
        2 * TURNS,
        2 * TURNS,
        None,
    ) and told["tokens_in"]


def test_what_cannot_be_judged_is_one_sentence(run: Run, games: Path, tmp_path: Path) -> None:
    play(graphs.seat("sherlock"), players=2, seed=1, journal=tmp_path / "s.jsonl", max_turns=2)
    for path, said in {
        "away": "there is nothing at 'away'",
        str(tmp_path): "no reply in",
        str(ROOT / "docs"): "there is no game in",
    }.items():
        code, out, err = run("evaluate", "judge", path)
        assert (code, out) == (2, "") and said in " ".join(err.split())
    code, _, err = run("report", str(games))
    assert code == 2 and "there is no finished game in" in " ".join(err.split())


def test_a_statement_needs_no_hidden_card(games: Path) -> None:
    """What the judge gets is cut from the seat's own view, in which its own cards are not."""
    one: Statement = find(games / "g1.jsonl", EVERY_TURN)[0]
    assert not any("card" in known.model_dump() for known in one.view.own)
