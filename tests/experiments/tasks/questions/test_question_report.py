"""The figures: intervals over questions, what guessing gives, correlations over models, and the tables."""

import csv
import json
from itertools import product
from pathlib import Path

import pytest
from scipy.stats import pearsonr, spearmanr

from hanabi_orchestrator.experiments.tasks.questions import question_report
from hanabi_orchestrator.experiments.tasks.questions.coordination_qa import FOLDER
from hanabi_orchestrator.experiments.tasks.questions.questions import KeyedQuestion, Option
from hanabi_orchestrator.orchestrator.errors import UserError
from tests.conftest import Run
from tests.experiments.tasks.questions.sample import always
from tests.experiments.tasks.questions.sample import run as asked


def test_more_trials_of_the_same_questions_do_not_narrow_an_interval(tmp_path: Path) -> None:
    asked(tmp_path / "one", always(overcooked_ec="A"), trials=1)
    asked(tmp_path / "many", always(overcooked_ec="A"), trials=12)
    one, many = (
        next(
            cell
            for cell in question_report.cells(FOLDER.run(tmp_path / name))
            if (cell.game, cell.kind) == ("all", "ec")
        )
        for name in ("one", "many")
    )
    assert (one.accuracy, many.accuracy, many.trials) == (0.5, 0.5, 24)
    assert one.interval == many.interval == pytest.approx((0.0126, 0.9874), abs=1e-4)
    assert (one.trial_error, many.trial_error) == (None, 0.0)


def question(number: int, options: int, right: int, game: str = "hanabi") -> KeyedQuestion:
    made = tuple(Option(label=chr(65 + i), text=str(i)) for i in range(options))
    return KeyedQuestion(
        name=f"{number:02}-{game}-jp",
        row=number,
        game=game,
        kind="jp",
        options=made,
        right=tuple(range(right)),
    )


def test_guessing_is_exact_from_the_options_and_the_keys() -> None:
    some = [
        question(1, 2, 1),
        question(2, 4, 1),
        question(3, 5, 2),
        question(4, 3, 3, "overcooked"),
    ]
    whole = next(one for one in question_report.guesses(some) if one.game == "all")
    assert whole.accuracy == pytest.approx((1 / 2 + 1 / 4 + 2 / 5 + 1) / 4)
    every = sorted(
        sum(pick in one.right for one, pick in zip(some, picks, strict=True)) / 4
        for picks in product(*(range(len(one.options)) for one in some))
    )
    assert sum(every) / len(every) == pytest.approx(whole.accuracy), (
        "every way to guess, one by one"
    )
    below = sum(share < whole.interval[0] for share in every) / len(every)
    above = sum(share > whole.interval[1] for share in every) / len(every)
    assert below <= 0.025 and above <= 0.025
    assert [one.accuracy for one in question_report.guesses(some) if one.game == "hanabi"] == [
        pytest.approx(1.15 / 3)
    ]


MODELS = {
    "weak": {
        "hanabi_ec": "A",
        "hanabi_tom": "B",
        "hanabi_jp": "A",
        "overcooked_jp": "B",
        "overcooked_tom": "B",
    },
    "middling": {"hanabi_ec": "A", "overcooked_ec": "A", "hanabi_jp": "A"},
    "strong": {},
}


def three(folder: Path) -> list[Path]:
    for name, wrong in MODELS.items():
        asked(
            folder / name, always(**wrong), model=f"openai:{name}@http://127.0.0.1:9/v1", trials=1
        )
    return [folder / name for name in MODELS]


def test_correlations_are_over_language_models_alone(tmp_path: Path) -> None:
    folders = three(tmp_path)
    asked(tmp_path / "sim", always(), model="sim:careless", trials=1)
    found = question_report.read([*folders, tmp_path / "sim"])
    ec, tom = found.correlations
    assert (ec.figure, ec.n, tom.figure, tom.n) == ("ec", 3, "tom", 3)
    assert ec.pearson == pytest.approx(pearsonr([0.5, 0, 1], [0, 0.5, 1]).statistic)
    assert tom.spearman == pytest.approx(spearmanr([0, 1, 1], [0, 0.5, 1]).statistic)
    fewer = question_report.read(folders[:2])
    assert not fewer.correlations
    told = " ".join(question_report.notes(fewer))
    assert "they need 3 language models with all kinds of questions, and here are 2" in told


def test_the_report_has_each_run_beside_guessing_in_every_form(tmp_path: Path, run: Run) -> None:
    folders = three(tmp_path)
    code, out, err = run("report", *map(str, folders), "--out", "made")
    assert code == 0, err
    lines = [line.split() for line in out.splitlines()]
    assert lines[0] == ["who", "game", "EC", "ToM", "JP", "no", "answer"]
    names = [f"openai:{name}" for name in MODELS]
    assert [line[0] for line in lines[1:13]] == [*names, "guessing"] * 3
    assert ["with", "JP", "models", "Pearson", "r", "p", "Spearman", "rho", "p"] in lines
    page = Path("made/report.md").read_text("utf-8")
    assert (
        "| openai:strong | all | 100% (16–100) | 100% (16–100) | 100% (16–100) | 0 of 6 |" in page
    )
    assert (
        "| with JP | models | Pearson r | p | Spearman rho | p |" in page
        and "](accuracy.svg)" in page
    )
    picture = Path("made/accuracy.svg").read_text("utf-8")
    kinds = "environment comprehension (EC)", "theory of mind (ToM)", "joint planning (JP)"
    assert all(f">{text}<" in picture for text in (*names, *kinds))
    with Path("made/accuracy.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 27 and {row["language_model"] for row in rows} == {"True"}
    code, out, _ = run("report", *map(str, folders), "--json")
    assert code == 0 and [cell["model"] for cell in json.loads(out)["cells"]] == [
        row["model"] for row in rows
    ]


def test_runs_of_one_model_are_told_apart_by_their_folders(tmp_path: Path) -> None:
    asked(tmp_path / "a", always(), trials=1)
    asked(tmp_path / "b", always(), trials=1)
    assert list(question_report.read([tmp_path / "a", tmp_path / "b"]).names) == [
        f"openai:tester in {tmp_path / name}" for name in "ab"
    ]


def test_what_cannot_be_reported_is_refused_in_a_sentence(tmp_path: Path, run: Run) -> None:
    code, _, err = run("report", str(tmp_path))
    assert code == 2 and "there is no finished game in" in " ".join(err.split())


def test_runs_on_different_files_are_not_compared(tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / name).mkdir()
        asked(tmp_path / name / "run", always(), trials=1)
    record = (
        (tmp_path / "b" / "run" / "qa.yaml").read_text("utf-8").replace("digest: ", "digest: x")
    )
    (tmp_path / "b" / "run" / "qa.yaml").write_text(record, "utf-8")
    with pytest.raises(UserError, match="questions of another file"):
        question_report.read([tmp_path / "a" / "run", tmp_path / "b" / "run"])
