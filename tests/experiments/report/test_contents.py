"""What a report says, on made-up games: the score it is about, its order, and what it marks."""

import re
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from hanabi_orchestrator.experiments.record import run_folder
from hanabi_orchestrator.experiments.report import (
    mark_metric,
    methods,
    order,
    run_facts,
    run_report,
    score_tables,
)
from hanabi_orchestrator.experiments.report.answerers import HELD, Answerer, confound
from hanabi_orchestrator.experiments.report.figures import scores
from hanabi_orchestrator.experiments.study import experiment
from hanabi_orchestrator.experiments.tasks.games.experiment_run import run as run_experiment
from tests.conftest import Run
from tests.support.golden import matches
from tests.support.reports import (
    BASE,
    BETTER,
    KEPT,
    WEAK,
    WORSE,
    data,
    game,
    games,
    lines,
    report,
    svg,
    text,
)


def test_a_report_is_about_the_score_that_the_run_names_and_tables_have_both(
    tmp_path: Path,
) -> None:
    made = report(tmp_path / "a", WEAK, KEPT)
    said = text(made)
    assert (
        "Arms are compared by the kept score" in said and "the protocol sparks-10 does so" in said
    )
    assert "better scores 4.25" in said, "a difference of what lies on the table"
    assert lines(made, "better")[0][4] == "14.50" and lines(made, "better")[0][8] == "0.00"
    columns = (
        "| arm | players | games | deals | kept | 95 % | SE | SD | strict | 95 % | SE | SD | IQM |"
    )
    assert columns in said
    strict = report(tmp_path / "b", WEAK, KEPT, metric="strict")
    said = text(strict)
    assert (
        "so --metric asks" in said
        and "- better scores as much as base in each" in said
        and "by the kept score +4.25 kept points" in said
    )
    assert (
        strict.data.analysis.differences[0].mean == 0
        and made.data.analysis.differences[0].mean == 4.25
    )
    old = report(tmp_path / "c", WEAK, {"name": "old", "baseline": "base"})
    assert old.data.headline.metric == "strict", "a run of an older version names none"


@pytest.mark.parametrize("name", [run_report.MARKDOWN, run_report.LATEX])
def test_the_texts_of_a_report(
    name: str, tmp_path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every sentence and every figure; `--golden` writes them anew, and the diff is to be read."""
    monkeypatch.setattr(methods, "software", lambda: {"python": "3", "numpy": "2", "scipy": "1"})
    again = [*games("again", BASE, players=3), *games("base", BETTER, players=3)]
    odd = [
        replace(
            row,
            forced=3,
            turns=40 + row.seed,
            model_moves=40 + row.seed,
            own=37 + row.seed,
            model="sim:average",
        )
        for row in games("odd", WORSE)
    ]
    report(
        tmp_path,
        [*WEAK, *odd, *again],
        {**KEPT, "players": [2, 3]},
        tex=True,
        reference=["smartbot"],
    )
    matches(request, f"documents/run-{name}", (tmp_path / name).read_text("utf-8"))


def test_the_commands_take_a_metric(run: Run, tmp_path: Path) -> None:
    report(tmp_path / "a", WEAK, KEPT)
    code, out, _ = run("report", str(tmp_path / "a"), "--metric", "strict", "--latex")
    assert (
        code == 0 and "games  strict" in out and "by the kept score" in out and "tables.tex" in out
    )
    code, _, err = run("report", str(tmp_path / "a"), "--metric", "mean")
    assert code == 2 and "there is no metric 'mean'; known: strict, kept, turns" in err
    code, _, err = run("report", str(tmp_path / "a"), "--metric", "mark:analyst")
    assert code == 2 and "names no mark; one is named by role and mark" in err
    mark_metric.check("mark:aggregator.regret")
    code, _, err = run("report", str(tmp_path / "a"), "--metric", "mark:analyst.brier")
    assert code == 2 and (
        "marks are computed from the journals" in err or "has no mark 'brier'" in err
    )


def test_a_report_says_what_the_terminal_says(tmp_path: Path) -> None:
    run = {**KEPT, "seeds": [1, 2, 3], "remarks": ["Begun by an earlier version."]}
    run |= {"experiment": {"protocol": "sparks-10", "question": "Is better better?"}}
    run |= {"arms": {"base": {"players": [2]}, "better": {"players": [2], "void": {3: "base"}}}}
    run_folder.write_failures(tmp_path, {"better/2p-s3-r1": "ValueError: no"}, ())
    made = report(tmp_path, [row for row in WEAK if row.seed < 3], run)
    said = text(made)
    assert said.index("Is better better?") < said.index("What can and cannot be concluded")
    for sentence in (
        "Protocol sparks-10: Sparks of Cooperative Reasoning, section 4",
        "The run departs from this protocol in: player counts (2 instead of 2–5); deals (seeds 1–3 instead of",
        "The arm better is not played at 3 players, where it is the same as base.",
        "Begun by an earlier version.",
        "1 of 6 games failed: better/2p-s3-r1: ValueError: no. They have no score.",
        "Not finished: 1 of 6 games.",
    ):
        assert sentence in said and sentence in made.html.read_text("utf-8"), sentence


def test_a_failed_game_is_forgotten_once_it_is_finished(tmp_path: Path) -> None:
    run_folder.write_failures(tmp_path, {"a": "x", "b": 'y, with\n"quotes"'}, ())
    run_folder.write_failures(tmp_path, {"c": "z"}, {"a"})
    assert run_folder.failures(tmp_path) == {"b": 'y, with\n"quotes"', "c": "z"}
    run_folder.write_failures(tmp_path, {}, {"b", "c"})
    assert not (tmp_path / run_folder.FAILED).exists()


MANY = [
    *games("base", [12] * 6),
    *(g for n in range(20) for g in games(f"arm{n:02}", [(12 + n - 9) % 26] * 6)),
]


def test_arms_are_ordered_by_effect_and_of_many_the_smallest_are_folded(tmp_path: Path) -> None:
    made = report(tmp_path / "a", MANY, {"baseline": "base"})
    compared = [one.arm for one in made.data.analysis.differences]
    assert compared == [f"arm{n:02}" for n in reversed(range(20))]
    assert [one.arm for one in made.data.analysis.summaries][:2] == ["base", "arm19"]
    first, rest = (
        made.html.read_text("utf-8").split('id="tables"')[1].split("more rows</summary>")[0:2]
    )
    shown = re.findall(r"<td>(\w+)</td>", first)
    assert (
        len(shown) == order.MANY
        and {"base", "arm19", "arm00", "arm01"} < set(shown)
        and "arm09" not in shown
    )
    assert "<td>arm09</td>" in rest
    grid = report(tmp_path / "b", MANY, {"baseline": "base", "experiment": {"matrix": {"x": [1]}}})
    assert [one.arm for one in grid.data.analysis.differences][:2] == ["arm00", "arm01"], (
        "a grid keeps its order"
    )


def test_all_never_mixes_player_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    full = [
        *games("full", [5] * 4),
        *games("full", [20] * 4, players=3),
        *games("full", [22] * 4, players=4),
    ]
    void = [*games("void", [19] * 4, players=3), *games("void", [22] * 4, players=4)]
    made = report(tmp_path, [*full, *void], {"baseline": "full", "arms": {"full": {}, "void": {}}})
    cells = {
        (arm, row[1]): row[4]
        for arm in ("full", "void")
        for row in lines(made, arm)[:5]
        if len(row) > 14
    }
    assert (
        cells["full", "2–4"] == "15.67"
        and cells["full", "3–4"] == "21.00"
        and cells["void", "3–4"] == "20.50"
    )
    assert not any(row[1] == "all" for arm in ("full", "void") for row in lines(made, arm))
    drawn = [
        line.split(",")[:3]
        for line in (tmp_path / "figures/scores.csv").read_text("utf-8").splitlines()
    ]
    assert ["", "full", "3–4"] in drawn and ["", "void", "3–4"] in drawn
    monkeypatch.undo()
    assert ">full at 3–4<" in svg(
        scores.FIGURES[0], data(tmp_path, [*full, *void], {"baseline": "full"})
    )
    same = report(tmp_path, full, {"baseline": "full"})
    assert [row[1] for row in lines(same, "full")][:4] == ["2", "3", "4", "all"]


def test_variance_is_split_between_deals_and_repeats(tmp_path: Path) -> None:
    apart = [
        game("base", seed, 5 * seed + shift, repeat=r)
        for seed in (1, 2, 3)
        for r, shift in ((1, -1), (2, 1))
    ]
    alike = [
        game("arm", seed, 10 + shift, repeat=r)
        for seed in (1, 2, 3)
        for r, shift in ((1, -4), (2, 4))
    ]
    made = data(tmp_path, [*apart, *alike], {"baseline": "base"})
    base, arm = made.variances
    assert base.sd == pytest.approx(5) and base.within == pytest.approx(2**0.5)
    assert base.between == pytest.approx((25 - 1) ** 0.5) and base.share == pytest.approx(24 / 26)
    assert (arm.between, arm.share) == (0, 0) and arm.within == pytest.approx(32**0.5)
    once = data(
        tmp_path, [*games("base", [5, 10, 15]), *games("arm", [7, 12, 17])], {"baseline": "base"}
    )
    (_, other) = once.variances
    assert other.within is None and other.share is None and other.correlation == pytest.approx(1)
    printed = score_tables.variances(once.variances, once.analysis).printed()
    assert printed and "within" not in [column.key for column in printed.columns]
    assert "No deal was repeated" in text(report(tmp_path / "x", once.rows, {"baseline": "base"}))


def test_models_and_prompts_are_shown_and_folded(tmp_path: Path) -> None:
    seat: dict[str, Any] = {
        "spec": "house",
        "model": "openai:m",
        "models": {"default": {"model": "openai:m", "temperature": 0.3}},
    }
    run = {
        "baseline": "base",
        "seats": {"k": {**seat, "prompts": {"rules.md": "d1"}}},
        "prompts": {"d1": "Be <b>wise</b>"},
    }
    made = report(tmp_path, WEAK, {**run, "arms": {"base": {"everybody": "k"}}})
    shown = made.html.read_text("utf-8")
    assert "<td>openai:m</td><td>temperature 0.3</td>" in shown
    assert "<summary>rules.md</summary><pre>Be &lt;b&gt;wise&lt;/b&gt;</pre>" in shown
    assert "| openai:m | temperature 0.3 |" in text(made)


def test_rates_of_simulated_models_and_ids_of_servers_are_told(
    tmp_path: Path, endpoint: str
) -> None:
    asked: dict[str, Any] = {
        "name": "a",
        "graph": "sherlock",
        "players": [2],
        "seeds": [1],
        "journals": "full",
    }
    asked["models"] = {"default": {"model": f"openai:fake@{endpoint}"}}
    asked["arms"] = {
        "server": {"setting": {"answer_format": "json_schema"}},
        "free": {
            "models": {"default": {"model": f"openai:free@{endpoint}", "response_format": "none"}}
        },
        "sim": {"models": {"default": {"model": "sim:careful", "malformed": 0.5}}},
    }
    run_experiment(experiment.parse(yaml.safe_dump(asked)), tmp_path / "run")
    played = data(
        tmp_path / "run", run_folder.read_rows(tmp_path / "run"), run_folder.run(tmp_path / "run")
    )
    table = run_facts.models(played).rows
    rows = {
        str(name).partition("@")[0]: (str(settings), ids, held)
        for name, settings, ids, held in table
    }
    assert rows["openai:fake"][1] == "fake" and set(rows) == {
        "openai:fake",
        "openai:free",
        "sim:careful",
    }
    assert "a schema with the legal moves: " in str(
        rows["openai:fake"][2]
    ) and "no schema: " in str(rows["openai:free"][2])
    assert (
        "misread_stack 0.01; " in rows["sim:careful"][0]
        and "malformed 0.5; " in rows["sim:careful"][0]
    )
    assert rows["sim:careful"][1:] == (None, None)
    told = text(run_report.write(tmp_path / "run", png=False))
    assert "\n\n| model | settings | answered as | held to |\n" in told and "*Answered as*" in told
    fake = f"openai:fake@{endpoint}"
    free = f"openai:free@{endpoint}"
    ways = {f"those of {fake} to a schema with the legal moves", f"those of {free} to no schema"}
    (ways_told,) = re.findall(
        r"Servers held answers to different things: (.*)\. So a difference", told
    )
    assert set(ways_told.split("; ")) == ways


def held(*counts: tuple[str, str, int, int]) -> dict[str, Answerer]:
    """A model whose answers were held to the moves so many times, and so many times to less: by arm and role."""
    kinds = {
        (arm, role): Counter({HELD["moves"]: more, HELD["schema"]: less})
        for arm, role, more, less in counts
    }
    return {"openai:m": Answerer(held={key: +counter for key, counter in kinds.items()})}


def test_arms_of_one_model_are_compared_in_what_answers_were_held_to() -> None:
    (said,) = confound(held(("full", "proposer", 106, 0), ("bare", "proposer", 1, 99)))
    assert "Arms of openai:m differ in what the server held answers of proposer to" in said
    assert (
        "106 of 106 in full and 1 of 100 in bare" in said
        or "99 of 100 in bare and 0 of 106 in full" in said
    )
    three = held(("a", "judge", 50, 50), ("b", "judge", 52, 48), ("c", "judge", 70, 30))
    (said,) = confound(three)
    assert (
        "70 of 100 in c and 50 of 100 in a" in said or "50 of 100 in a and 30 of 100 in c" in said
    )


def test_arms_whose_answers_were_held_to_the_same_are_not_warned_of() -> None:
    assert not [*confound(held(("full", "proposer", 100, 3), ("bare", "proposer", 100, 0)))]
    other_roles = held(
        ("full", "proposer", 50, 0), ("full", "historian", 0, 50), ("bare", "proposer", 50, 0)
    )
    assert not [*confound(other_roles)], "an arm without a role asks for fewer schemas of one kind"
    assert not [*confound({"openai:m": Answerer()})]


def test_repeats_of_one_deal_are_not_called_paired(tmp_path: Path) -> None:
    found = [
        game(arm, 3, n + r, repeat=r) for arm, n in (("base", 5), ("arm", 9)) for r in range(1, 9)
    ]
    said = text(report(tmp_path, found, {"baseline": "base"}, tex=True))
    assert "Difference from *base*, repeats of one deal" in said and "paired" not in said
    assert "repeats won, tied and lost" in said and "deals' differences" not in said
    tex = (tmp_path / run_report.LATEX).read_text("utf-8")
    assert "on the same deal, first by" in tex and "permutation test of repeats (exact)" in tex


def test_a_report_says_once_that_programs_played(tmp_path: Path) -> None:
    found = [replace(row, model="program") for row in games("base", BASE)]
    found_models = {"seats": {"k": {"models": {"default": "program"}}}}
    said = text(report(tmp_path, found, found_models))
    assert len(re.findall("of programs", said)) == 1 and "Settings of the models" not in said


def test_arms_are_compared_by_any_number_of_a_game_with_its_better_side(
    run: Run, tmp_path: Path
) -> None:
    base = [
        replace(row, misplays=1, turns=50 + row.seed, hints_wasted=0) for row in games("base", BASE)
    ]
    arm = [
        replace(row, misplays=0, turns=54 + row.seed, hints_wasted=0) for row in games("arm", BASE)
    ]
    run_yaml = {"baseline": "base", "metric": "strict"}
    said = text(made := report(tmp_path / "a", [*base, *arm], run_yaml, metric="misplays"))
    assert (
        "compared by misplays, plays that cost a life (fewer is better): so --metric asks" in said
    )
    assert "arm has 1.00 fewer misplays per game (better) than base in each of 8 deals" in said
    assert (
        made.data.analysis.differences[0].metric == "misplays"
        and made.data.analysis.other_differences[0].metric == "strict"
    )
    assert "By the strict score: arm scores as much as base" in said
    assert "| arm | turns | 8 | +4.00 |" in said, "all other metrics are in a table"
    assert (
        "| arm | misplays |" not in said.split("Every other metric")[1]
        and "hints_wasted |" not in said
    ), "unknown: not there"
    assert "Arms are compared by the strict score" in text(
        report(tmp_path / "b", [*base, *arm], run_yaml)
    )
    same = [replace(row, moves_digest=str(row.seed), tokens_in=row.seed) for row in base]
    more = [replace(row, arm="arm", tokens_in=row.tokens_in + 5) for row in same]
    said = text(report(tmp_path / "d", [*same, *more], run_yaml, metric="tokens_in"))
    assert "arm has 5.00 more prompt tokens per game (worse) than base" in said, (
        "the same moves may cost more"
    )
    assert "By the strict score: arm and base: the same games in 8 of 8 deals" in said
    command = "experiment", "run", str(_small(tmp_path)), "--out", str(tmp_path / "c"), "-q"
    code, _, err = run(*command, "--set", "metric=mark:tom_interpreter.nothing")
    assert code == 2 and "the role 'tom_interpreter' has no mark 'nothing'; it has" in err
    assert not (tmp_path / "c").exists(), "refused before anything is played"


def _small(folder: Path) -> Path:
    path = folder / "small.yaml"
    arms = {"a": {}, "b": {"graph": "partner:piers"}}
    asked = {
        "name": "s",
        "graph": "partner:iggi",
        "players": [2],
        "seeds": 1,
        "arms": arms,
        "baseline": "a",
    }
    path.write_text(yaml.safe_dump({**asked, "journals": "lean"}), "utf-8")
    return path


def test_published_scores_are_shown_only_where_they_fit_and_never_claimed(
    run: Run, tmp_path: Path
) -> None:
    found = [*games("base", BASE), *games("arm", BETTER)]
    plain = text(report(tmp_path / "a", found, {"baseline": "base", "metric": "strict"}))
    named = {"baseline": "base", "metric": "strict", "experiment": {"reference": "smartbot"}}
    made = report(
        tmp_path / "b", found, named, reference=["spin-bench-o1", "hatbot", "agent-bench"], tex=True
    )
    said = text(made)
    assert (
        "| smartbot | SmartBot, a rule player with conventions, self-play |" in said
        and "| 22.99 |" in said
    )
    assert "Published scores" not in plain and "spin-bench-o1 |" not in said
    conclusions = [
        one.split("## What can")[1].split("### Protocol")[0].split("## Tables")[0]
        for one in (plain, said)
    ]
    assert conclusions[0].strip() == conclusions[1].strip(), "they change no claim"
    for why in (
        "spin-bench-o1 is not shown: its score is kept, and this report is by strict",
        "hatbot is not shown: it has 5 players, and this run 2",
        "agent-bench is not drawn: its source gives no mean for a player count",
    ):
        assert any(why in one for one in made.unfit) and why in said
    assert "SmartBot" in (tmp_path / "b" / run_report.LATEX).read_text("utf-8")
    every = [row for players in (2, 3, 4, 5) for row in games("base", BASE, players=players)]
    pooled = report(tmp_path / "c", every, {"metric": "kept"}, reference=["mycroft-o4-mini"])
    assert re.search(r"\| mycroft-o4-mini \|.*\| 11\.30 \|", text(pooled)) and not pooled.unfit
    code, _, err = run("report", str(tmp_path / "b"), "--reference", "smartbt")
    assert code == 2 and "did you mean 'smartbot'?" in err
