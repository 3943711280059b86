"""What a report says, on made-up games: the score it is about, its order, what it marks, and its tables for LaTeX."""

import re
from collections.abc import Sequence
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
import yaml
from rich.console import Console

import graphs
from experiments.analysis.role_marks import MarkedGame
from experiments.analysis.sentence_templates import template_of
from experiments.document import terminal
from experiments.document.blocks import Note, Table
from experiments.document.latex import escape
from experiments.record import failures, rows, run_folder
from experiments.record.rows import Row
from experiments.record.turn_rows import TurnRow
from experiments.report import arm_graphs, mark_metric, order, run_facts, run_report, score_tables, verdict
from experiments.report.figures import choices, cross_play, curves, deals, drawing, list_ranks, scores
from experiments.report.figures.figure import Figure
from experiments.report.marked_run import MarkedRun
from experiments.report.run_data import NothingToDrawError, RunData, run_data
from experiments.report.turn_tally import TurnTally
from experiments.study import experiment, manifest
from experiments.study.plan import Plan
from experiments.tasks.games.experiment_run import run as run_experiment
from experiments.values.move_values import Kind
from tests.conftest import Run
from tests.support.golden import matches


def game(arm: str, seed: int, kept: int, *, players: int = 2, repeat: int = 1, lost: bool = False) -> Row:
    """A game of a program; `lost`: its third life."""
    strict, lives, end = (0, 0, "lives_lost") if lost else (kept, 2, "perfect" if kept == 25 else "deck_exhausted")
    journal = f"games/{arm}/{players}p-s{seed}-r{repeat}.jsonl"
    return Row(arm, "g", players, seed, repeat, strict, kept, lives, 50, end, 9, 0, 0, 5, 5, None, journal, model="m")


def games(arm: str, kept: Sequence[int], **more: Any) -> list[Row]:
    return [game(arm, seed, score, **more) for seed, score in enumerate(kept, 1)]


def report(folder: Path, found: Sequence[Row], run: dict[str, Any] | None = None, **more: Any) -> run_report.Report:
    folder.mkdir(exist_ok=True)
    rows.write(folder, sorted(found))
    (folder / "run.yaml").write_text(yaml.safe_dump(run or {}), "utf-8")
    return run_report.write(folder, png=False, **more)


def data(folder: Path, found: Sequence[Row], run: dict[str, Any]) -> RunData:
    return run_data(folder, found, run)


def svg(figure: Figure, made: RunData) -> str:
    return drawing._picture(figure, figure.data(made), made, png=False)


def text(made: run_report.Report) -> str:
    return (made.folder / "report.md").read_text("utf-8")


def lines(made: run_report.Report, arm: str) -> list[list[str]]:
    """The cells of the rows of an arm, in all tables below the verdict."""
    below = text(made).split("## Tables")[-1].splitlines()
    found = [line.strip("| ").split(" | ") for line in below if line.startswith(f"| {arm} |")]
    return [[cell.strip(" |") for cell in cells] for cells in found]


BASE, BETTER = [10, 12, 9, 11, 10, 8, 12, 10], [14, 15, 13, 16, 15, 12, 17, 14]
WORSE = [3, 12, 4, 9, 1, 8, 7, 5]
WEAK = [*games("base", BASE, lost=True), *games("better", BETTER, lost=True)]
"""Weak models lose the third life in every game, and yet differ."""
KEPT: dict[str, Any] = {"name": "weak", "baseline": "base", "metric": "kept", "experiment": {"protocol": "sparks-10"}}
KEPT |= {"players": [2], "seeds": [1, 2, 3, 4, 5, 6, 7, 8]}


def test_a_report_is_about_the_score_that_the_run_names_and_tables_have_both(tmp_path: Path) -> None:
    made = report(tmp_path / "a", WEAK, KEPT)
    said = text(made)
    assert "Arms are compared by the kept score" in said and "the protocol sparks-10 does so" in said
    assert "better scores 4.25" in said, "a difference of what lies on the table"
    assert lines(made, "better")[0][4] == "14.50" and lines(made, "better")[0][8] == "0.00"
    columns = "| arm | players | games | deals | kept | 95 % | SE | SD | strict | 95 % | SE | SD | IQM |"
    assert columns in said
    strict = report(tmp_path / "b", WEAK, KEPT, metric="strict")
    said = text(strict)
    assert (
        "so --metric asks" in said
        and "- better scores as much as base in each" in said
        and "by the kept score a difference is shown" in said
    )
    assert strict.data.analysis.differences[0].mean == 0 and made.data.analysis.differences[0].mean == 4.25
    old = report(tmp_path / "c", WEAK, {"name": "old", "baseline": "base"})
    assert old.data.headline.metric == "strict", "a run of an older version names none"


@pytest.mark.parametrize("name", [run_report.MARKDOWN, run_report.LATEX])
def test_the_texts_of_a_report(name: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    """Every sentence and every figure; `--golden` writes them anew, and the diff is to be read."""
    again = [*games("again", BASE, players=3), *games("base", BETTER, players=3)]
    odd = [replace(row, forced=3, turns=40 + row.seed, model="sim:average") for row in games("odd", WORSE)]
    report(tmp_path, [*WEAK, *odd, *again], {**KEPT, "players": [2, 3]}, tex=True, reference=["smartbot"])
    matches(request, f"documents/run-{name}", (tmp_path / name).read_text("utf-8"))


def test_the_commands_take_a_metric(run: Run, tmp_path: Path) -> None:
    report(tmp_path / "a", WEAK, KEPT)
    code, out, _ = run("report", str(tmp_path / "a"), "--metric", "strict", "--latex")
    assert code == 0 and "games  strict" in out and "by the kept score" in out and "tables.tex" in out
    code, _, err = run("report", str(tmp_path / "a"), "--metric", "mean")
    assert code == 2 and "there is no metric 'mean'; known: strict, kept, turns" in err
    code, _, err = run("report", str(tmp_path / "a"), "--metric", "mark:analyst")
    assert code == 2 and "names no mark; one is named by role and mark" in err
    mark_metric.check("mark:aggregator.regret")
    code, _, err = run("report", str(tmp_path / "a"), "--metric", "mark:analyst.brier")
    assert code == 2 and ("marks are computed from the journals" in err or "has no mark 'brier'" in err)


def test_a_report_says_what_the_terminal_says(tmp_path: Path) -> None:
    run = {**KEPT, "seeds": [1, 2, 3], "remarks": ["Begun by an earlier version."]}
    run |= {"experiment": {"protocol": "sparks-10", "question": "Is better better?"}}
    run |= {"arms": {"base": {"players": [2]}, "better": {"players": [2], "void": {3: "base"}}}}
    failures.write(tmp_path, {"better/2p-s3-r1": "ValueError: no"}, ())
    made = report(tmp_path, [row for row in WEAK if row.seed < 3], run)
    said = text(made)
    assert said.index("Is better better?") < said.index("What can and cannot be concluded")
    for sentence in (
        "Protocol sparks-10: Sparks of Cooperative Reasoning, section 4",
        "The run departs from this protocol in: player counts (2 instead of 2–5); deals (seeds 1–3 instead of",
        "The arm better is not played at 3 players, where it is the same as base.",
        "Begun by an earlier version.",
        "1 of 6 games failed: better/2p-s3-r1: ValueError: no. They have no score.",
        "1 of 6 games are not finished",
    ):
        assert sentence in said and sentence in made.html.read_text("utf-8"), sentence


def test_a_failed_game_is_forgotten_once_it_is_finished(tmp_path: Path) -> None:
    failures.write(tmp_path, {"a": "x", "b": 'y, with\n"quotes"'}, ())
    failures.write(tmp_path, {"c": "z"}, {"a"})
    assert failures.read(tmp_path) == {"b": 'y, with\n"quotes"', "c": "z"}
    failures.write(tmp_path, {}, {"b", "c"})
    assert not (tmp_path / failures.FAILED).exists()


MANY = [*games("base", [12] * 6), *(g for n in range(20) for g in games(f"arm{n:02}", [(12 + n - 9) % 26] * 6))]


def test_arms_are_ordered_by_effect_and_of_many_the_smallest_are_folded(tmp_path: Path) -> None:
    made = report(tmp_path / "a", MANY, {"baseline": "base"})
    compared = [one.arm for one in made.data.analysis.differences]
    assert compared == [f"arm{n:02}" for n in reversed(range(20))]
    assert [one.arm for one in made.data.analysis.summaries][:2] == ["base", "arm19"]
    first, rest = made.html.read_text("utf-8").split('id="tables"')[1].split("more rows</summary>")[0:2]
    shown = re.findall(r"<td>(\w+)</td>", first)
    assert len(shown) == order.MANY and {"base", "arm19", "arm00", "arm01"} < set(shown) and "arm09" not in shown
    assert "<td>arm09</td>" in rest
    grid = report(tmp_path / "b", MANY, {"baseline": "base", "experiment": {"matrix": {"x": [1]}}})
    assert [one.arm for one in grid.data.analysis.differences][:2] == ["arm00", "arm01"], "a grid keeps its order"


def test_all_never_mixes_player_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    full = [*games("full", [5] * 4), *games("full", [20] * 4, players=3), *games("full", [22] * 4, players=4)]
    void = [*games("void", [19] * 4, players=3), *games("void", [22] * 4, players=4)]
    made = report(tmp_path, [*full, *void], {"baseline": "full", "arms": {"full": {}, "void": {}}})
    cells = {(arm, row[1]): row[4] for arm in ("full", "void") for row in lines(made, arm)[:5] if len(row) > 14}
    assert cells["full", "2–4"] == "15.67" and cells["full", "3–4"] == "21.00" and cells["void", "3–4"] == "20.50"
    assert not any(row[1] == "all" for arm in ("full", "void") for row in lines(made, arm))
    drawn = [line.split(",")[:3] for line in (tmp_path / "figures/scores.csv").read_text("utf-8").splitlines()]
    assert ["", "full", "3–4"] in drawn and ["", "void", "3–4"] in drawn
    monkeypatch.undo()
    assert ">full at 3–4<" in svg(scores.FIGURES[0], data(tmp_path, [*full, *void], {"baseline": "full"}))
    same = report(tmp_path, full, {"baseline": "full"})
    assert [row[1] for row in lines(same, "full")][:4] == ["2", "3", "4", "all"]


def test_figures_fill_what_the_text_claims_and_nothing_else(tmp_path: Path) -> None:
    low, high = [10, 11, 9, 10, 12, 8, 10, 11], [15, 16, 14, 15, 17, 13, 15, 16]
    at = {2: (low, high), 3: (low, low[1:] + low[:1]), 4: (low, low[2:] + low[:2])}
    found = [row for n, (a, b) in at.items() for row in (*games("base", a, players=n), *games("arm", b, players=n))]
    made = data(tmp_path, found, {"baseline": "base"})
    table = scores._differences(made)
    assert {row["players"]: row["filled"] for row in table if row["metric"] == "strict"} == {2: 0, 3: 0, 4: 0, None: 1}
    assert next(row for row in table if row["players"] == 2)["p_holm"] < 0.05, "the text does not claim this one"
    notes = [block.text for block in run_report.run_report(made).blocks if isinstance(block, Note)]
    claims = [text for text in notes if text.startswith("arm scores")]
    assert len(claims) == 1 and "2, 3 and 4 players" in claims[0]


def test_every_deal_is_a_point_of_both_arms(tmp_path: Path) -> None:
    repeated = [*games("base", [10, 20]), *games("base", [14, 20], repeat=2)]
    repeated += [*games("arm", [5, 25]), *games("arm", [7, 25], repeat=2), game("arm", 9, 3)]
    made = data(tmp_path, repeated, {"baseline": "base"})
    points = {(row["seed"], row["baseline_score"], row["arm_score"]) for row in deals.FIGURE.data(made)}
    assert points == {(1, 12, 6), (2, 20, 25)}, "a deal that only one has played is no point"
    with pytest.raises(NothingToDrawError, match="single deal"):
        deals.FIGURE.data(data(tmp_path, [row for row in repeated if row.seed == 1], {"baseline": "base"}))


def test_variance_is_split_between_deals_and_repeats(tmp_path: Path) -> None:
    apart = [game("base", seed, 5 * seed + shift, repeat=r) for seed in (1, 2, 3) for r, shift in ((1, -1), (2, 1))]
    alike = [game("arm", seed, 10 + shift, repeat=r) for seed in (1, 2, 3) for r, shift in ((1, -4), (2, 4))]
    made = data(tmp_path, [*apart, *alike], {"baseline": "base"})
    base, arm = made.variances
    assert base.sd == pytest.approx(5) and base.within == pytest.approx(2**0.5)
    assert base.between == pytest.approx((25 - 1) ** 0.5) and base.share == pytest.approx(24 / 26)
    assert (arm.between, arm.share) == (0, 0) and arm.within == pytest.approx(32**0.5)
    once = data(tmp_path, [*games("base", [5, 10, 15]), *games("arm", [7, 12, 17])], {"baseline": "base"})
    (_, other) = once.variances
    assert other.within is None and other.share is None and other.correlation == pytest.approx(1)
    printed = score_tables.variances(once.variances, once.analysis).printed()
    assert printed and "within" not in [column.key for column in printed.columns]
    assert "No deal was repeated" in text(report(tmp_path / "x", once.rows, {"baseline": "base"}))


def test_a_swap_of_graphs_is_said_to_change_more_than_roles(tmp_path: Path) -> None:
    others = ["cac", "sherlock", "watson", "mycroft"]
    arms = {"house": {}, "house-solo": {"without": ["tom_interpreter"]}, **{name: {"graph": name} for name in others}}
    study = {"name": "swap", "graph": "house", "players": [2], "seeds": [1], "arms": arms, "baseline": "house"}
    manifest.write(Plan.resolve(experiment.parse(yaml.safe_dump(study)), tmp_path))
    run = run_folder.run(tmp_path)
    assert not list(arm_graphs.sentences(run, ["house-solo"])), "a removal changes what the arm is about"
    assert arm_graphs.removed(run) == {"house-solo": ["tom_interpreter"]}
    assert arm_graphs.unnamed(run) == {"house-solo": "it lacks tom_interpreter"}
    (one,) = arm_graphs.sentences(run, ["cac", "house-solo"])
    assert one == (
        "cac and house differ in more than their roles: verifier (cac: the role self_verifier, house: the safety "
        "rule), context (cac: cac, house: house) and calls a turn (cac: 3, house: 4)."
    )
    (many,) = arm_graphs.sentences(run, others)
    assert many == (
        "4 arms and house differ in more than their roles: verifier, context and calls a turn; the report's table of "
        "seats lists them."
    )
    assert template_of(one) is template_of(many) is not None


def test_the_sentence_of_an_arm_names_what_its_name_does_not(tmp_path: Path) -> None:
    changes = {"without": ["history_analyst", "tom_interpreter"], "without_sections": ["convention_facts"]}
    arms = {"full": {}, "no-theory-of-mind": changes, "no-history-and-interpreter": {"without": changes["without"]}}
    study = {"name": "tom", "graph": "house", "players": [2], "seeds": 8, "arms": arms, "baseline": "full"}
    manifest.write(Plan.resolve(experiment.parse(yaml.safe_dump(study)), tmp_path))
    played = [game(arm, seed, 20 - 3 * (arm != "full") - seed % 2) for arm in arms for seed in range(1, 9)]
    found = data(tmp_path, played, run_folder.run(tmp_path))
    said = {each.split()[0]: each for each in verdict.sentences(found, None)}
    clause = "; it lacks history_analyst, tom_interpreter and section convention_facts."
    assert said["no-theory-of-mind"].endswith(clause) and all(map(template_of, said.values()))
    assert "lacks" not in said["no-history-and-interpreter"]
    page = text(report(tmp_path / "page", played, dict(found.run)))
    assert page.count("no-theory-of-mind scores") == 1, "the sentence does not stand there again without its clause"


def test_a_verdict_on_eight_arms_fits_on_a_screen(tmp_path: Path) -> None:
    others = ["cac", "cac_no_tom", "sherlock", "watson", "mycroft", "spin_bench", "best_of_k"]
    arms = {"house": {}, **{name: {"graph": name} for name in others}}
    study = {"name": "swap", "graph": "house", "players": [2], "seeds": 12, "arms": arms, "baseline": "house"}
    manifest.write(Plan.resolve(experiment.parse(yaml.safe_dump(study)), tmp_path))
    played = [game(arm, seed, 9 + seed % 5, lost=arm != "house") for arm in arms for seed in range(1, 13)]
    faults: dict[bool, dict[Kind, int]] = {True: {"missed_play": 1}, False: {"missed_play": 9}}
    marked = [MarkedGame(row, {}, (), faults[row.arm == "house"], {}, None) for row in played]
    found = data(tmp_path, played, run_folder.run(tmp_path))
    screen = StringIO()
    blocks = verdict.blocks(found, MarkedRun(found, tuple(marked)))
    terminal.show(blocks, Console(file=screen, width=terminal.UNBROKEN))
    _, *said = screen.getvalue().split("\n\n")[0].splitlines()
    assert all(map(template_of, said)) and len(said) == len(others) + 2
    assert len(screen.getvalue().splitlines()) <= 25 - 3, "after them an empty line, the report and the results"


@pytest.mark.parametrize(
    ("graph", "journals", "reasons"),
    [
        ("house", "full", ["no node but the deciding one chooses a move", "no seat has a recommender"]),
        ("best_of_k", "full", ["no node proposed a move", "no seat has a recommender"]),
        ("best_of_k", "lean", ["lean journals hold no proposals of programs", "no seat has a recommender"]),
        (
            "tom_planner_0",
            "lean",
            ["no node but the deciding one", "lean journals hold no lists of programs"],
        ),
    ],
)
def test_a_figure_that_is_left_out_has_one_reason(
    graph: str, journals: str, reasons: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(RunData, "tallies", {})
    seats = {"s": {"spec": graph, "config": graphs.read(graph).model_dump(mode="json")}}
    found = data(tmp_path, games("a", [10, 12]), {"seats": seats, "journals": journals})
    for figure, reason in zip((choices.FIGURES[-1], list_ranks.FIGURE), reasons, strict=True):
        with pytest.raises(NothingToDrawError, match=reason):
            figure.data(found)


@pytest.mark.pictures
def test_a_cross_play_map_has_intervals(tmp_path: Path) -> None:
    found = [*games("a.with.b", [10, 12, 20]), *games("b.with.a", [10, 10, 10]), *games("a.with.a", [24, 25, 25])]
    made = data(tmp_path, found, {})
    (figure,) = cross_play.figures(made)
    drawn = svg(figure, made)
    bounds = [(s.of("strict").low, s.of("strict").high) for s in made.analysis.summaries if s.arm == "a.with.b"]
    assert all(f">{low:.1f}–{high:.1f}<" in drawn for low, high in bounds if low is not None and high is not None)
    assert bounds[0][0] == pytest.approx(0.855, abs=0.01) and bounds[0][1] == 25, (
        "no mean is above 25, in the table as in the figure"
    )


def test_the_band_of_a_curve_is_over_deals_and_ends_at_0_and_25() -> None:
    def turns(points: int) -> list[TurnRow]:
        return [turn(number, min(number, points)) for number in range(1, 26)]

    tally = TurnTally()
    for seed, points in ((1, 25), (1, 25), (1, 25), (2, 1), (2, 1), (2, 1)):
        tally.add(turns(points), seed)
    mean, error, low, high = curves._points(tally, 25)
    assert error == pytest.approx(12) and (mean, low, high) == (13, 0, 25), "two deals, however often they are repeated"
    alone = TurnTally()
    alone.add(turns(7), 1)
    assert curves._points(alone, 25) == (7, None, None, None)


def turn(number: int, score: int) -> TurnRow:
    unknown = dict.fromkeys(TurnRow.__dataclass_fields__, None)
    return TurnRow(**{**unknown, "turn": number, "score": score, "lives": 3, "proposals": {}})  # type: ignore[arg-type]


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


def test_rates_of_simulated_models_and_ids_of_servers_are_told(tmp_path: Path, endpoint: str) -> None:
    asked: dict[str, Any] = {"name": "a", "graph": "sherlock", "players": [2], "seeds": [1], "journals": "full"}
    asked["models"] = {"default": {"model": f"openai:fake@{endpoint}"}}
    asked["arms"] = {
        "server": {"setting": {"answer_format": "json_schema"}},
        "free": {"models": {"default": {"model": f"openai:free@{endpoint}", "response_format": "none"}}},
        "sim": {"models": {"default": {"model": "sim:careful", "malformed": 0.5}}},
    }
    run_experiment(experiment.parse(yaml.safe_dump(asked)), tmp_path / "run")
    played = data(tmp_path / "run", run_folder.read_rows(tmp_path / "run"), run_folder.run(tmp_path / "run"))
    table = run_facts.models(played).rows
    rows = {str(name).partition("@")[0]: (str(settings), ids, held) for name, settings, ids, held in table}
    assert rows["openai:fake"][1] == "fake" and set(rows) == {"openai:fake", "openai:free", "sim:careful"}
    assert "a schema with the legal moves: " in str(rows["openai:fake"][2]) and "no schema: " in str(
        rows["openai:free"][2]
    )
    assert "misread_stack 0.01; " in rows["sim:careful"][0] and "malformed 0.5; " in rows["sim:careful"][0]
    assert rows["sim:careful"][1:] == (None, None)
    told = text(run_report.write(tmp_path / "run", png=False))
    assert "\n\n| model | settings | answered as | held to |\n" in told and "*Answered as*" in told
    fake, free = f"openai:fake@{endpoint}", f"openai:free@{endpoint}"
    ways = {f"those of {fake} to a schema with the legal moves", f"those of {free} to no schema"}
    (ways_told,) = re.findall(r"Servers held answers to different things: (.*)\. So a difference", told)
    assert set(ways_told.split("; ")) == ways


def test_repeats_of_one_deal_are_not_called_paired(tmp_path: Path) -> None:
    found = [game(arm, 3, n + r, repeat=r) for arm, n in (("base", 5), ("arm", 9)) for r in range(1, 9)]
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


AWKWARD = "50%_of {a}\\b & #1 $x^2~"


def test_tables_for_latex_are_whole_and_escaped(tmp_path: Path) -> None:
    named = [*games("base", BASE), *games(AWKWARD, BETTER)]
    run = {**KEPT, "name": "run_1", "arms": {}, "metric": "strict"}
    made = report(tmp_path, named, run, tex=True)
    tex = (tmp_path / run_report.LATEX).read_text("utf-8")
    assert r"50\%\_of \{a\}\textbackslash{}b \& \#1 \$x\textasciicircum{}2\textasciitilde{}" in tex
    keys = ("arms", "differences", "variances", "origins", "play", "seats")
    assert re.findall(r"\\label\{tab:run-1-([a-z-]+)\}", tex) == list(keys)
    for rule in ("toprule", "midrule", "bottomrule", "begin{tabular}", "end{tabular}", "caption", "label"):
        assert tex.count(f"\\{rule}") == len(keys), rule
    widths = [len(cells) for cells in re.findall(r"\\begin\{tabular\}\{(l*r*)\}", tex)]
    bodies = re.findall(r"\\toprule\n(.*?)\\bottomrule", tex, re.DOTALL)
    for wide, body in zip(widths, bodies, strict=True):
        cells = [len(re.split(r"(?<!\\)&", line)) for line in body.splitlines() if "&" in line]
        assert len(cells) >= 2 and set(cells) == {wide}
    plain = re.sub(r"\\[%&#_{}$]", "", tex)
    assert plain.count("%") == 1 + plain.count("{!}{%\n"), "only the comment at the top, and line ends of wide tables"
    assert plain.count("{") == plain.count("}") and plain.count(r"\begin") == plain.count(r"\end") == 2 * len(keys)
    captions = re.findall(r"\\caption\{(.*)\}", tex)
    assert all(re.search(r"\d+ games on \d+ deals|Differences from", one) for one in captions), "each states n"
    assert "Holm's correction for all arms (1)" in captions[1]
    assert all(ord(sign) < 128 for sign in tex) and len(re.findall(r"(?<!\\)\$", tex)) % 2 == 0
    (one,) = made.data.analysis.differences
    assert f"+{one.mean:.2f}" in tex and escape("−1 < 2") == "$-$1 $<$ 2"
    for said in ("seeds 1--8", "Protocol sparks-10", "metric (strict instead of kept)", "strict score", "sign-flip"):
        assert said in tex, said


def test_latex_has_every_table_of_a_report_whatever_section_it_is_in(tmp_path: Path) -> None:
    made = data(tmp_path, [*games("base", BASE), *games("arm", BETTER)], KEPT)
    scores = score_tables.scores(made.analysis, made.comparable).select(["arm", "kept"])
    judged = [replace(scores, key=f"judged-{n}", title=f"judge {n}", caption=f"A note {n}.") for n in (1, 2)]
    document = run_report.run_report(made, tasks=judged)
    tex = run_report.latex_tables(made, document)
    labels = re.findall(r"\\label\{tab:weak-(\S+)\}", tex)
    printed = [block for block in document.blocks if isinstance(block, Table) and block.printed()]
    assert labels == [block.key for block in printed if block.key not in ("facts", "verdict")] and {
        "judged-1",
        "judged-2",
    } < {*labels}
    assert all(f"judge {n} in weak" in tex and f"A note {n}." in tex for n in (1, 2))


def test_arms_are_compared_by_any_number_of_a_game_with_its_better_side(run: Run, tmp_path: Path) -> None:
    base = [replace(row, misplays=1, turns=50 + row.seed, hints_wasted=None) for row in games("base", BASE)]
    arm = [replace(row, misplays=0, turns=54 + row.seed, hints_wasted=None) for row in games("arm", BASE)]
    run_yaml = {"baseline": "base", "metric": "strict"}
    said = text(made := report(tmp_path / "a", [*base, *arm], run_yaml, metric="misplays"))
    assert "compared by misplays, plays that cost a life (fewer is better): so --metric asks" in said
    assert "arm has 1.00 fewer misplays per game (better) than base in each of 8 deals" in said
    assert (
        made.data.analysis.differences[0].metric == "misplays"
        and made.data.analysis.other_differences[0].metric == "strict"
    )
    assert "By the strict score: arm scores as much as base" in said
    assert "| arm | turns | 8 | +4.00 |" in said, "all other metrics are in a table"
    assert "| arm | misplays |" not in said.split("Every other metric")[1] and "hints_wasted |" not in said, (
        "unknown: not there"
    )
    assert "Arms are compared by the strict score" in text(report(tmp_path / "b", [*base, *arm], run_yaml))
    same = [replace(row, moves_digest=str(row.seed), tokens_in=row.seed) for row in base]
    more = [replace(row, arm="arm", tokens_in=row.tokens_in + 5) for row in same]
    said = text(report(tmp_path / "d", [*same, *more], run_yaml, metric="tokens_in"))
    assert "arm has 5.00 more prompt tokens per game (worse) than base" in said, "the same moves may cost more"
    assert "By the strict score: arm and base: the same games in 8 of 8 deals" in said
    command = "experiment", "run", str(_small(tmp_path)), "--out", str(tmp_path / "c"), "-q"
    code, _, err = run(*command, "--set", "metric=mark:tom_interpreter.nothing")
    assert code == 2 and "the role 'tom_interpreter' has no mark 'nothing'; it has" in err
    assert not (tmp_path / "c").exists(), "refused before anything is played"


def _small(folder: Path) -> Path:
    path = folder / "small.yaml"
    arms = {"a": {}, "b": {"graph": "partner:piers"}}
    asked = {"name": "s", "graph": "partner:iggi", "players": [2], "seeds": 1, "arms": arms, "baseline": "a"}
    path.write_text(yaml.safe_dump({**asked, "journals": "lean"}), "utf-8")
    return path


def test_published_scores_are_shown_only_where_they_fit_and_never_claimed(run: Run, tmp_path: Path) -> None:
    found = [*games("base", BASE), *games("arm", BETTER)]
    plain = text(report(tmp_path / "a", found, {"baseline": "base", "metric": "strict"}))
    named = {"baseline": "base", "metric": "strict", "experiment": {"reference": "smartbot"}}
    made = report(tmp_path / "b", found, named, reference=["spin-bench-o1", "hatbot", "agent-bench"], tex=True)
    said = text(made)
    assert "| smartbot | SmartBot, a rule player with conventions, self-play |" in said and "| 22.99 |" in said
    assert "Published scores" not in plain and "spin-bench-o1 |" not in said
    conclusions = [one.split("## What can")[1].split("### Protocol")[0].split("## Tables")[0] for one in (plain, said)]
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
