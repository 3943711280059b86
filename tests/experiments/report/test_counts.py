"""Reports of one deal, one arm, one part or one game: a count of one has its noun in the singular, and no sentence speaks
of a test that was not made.
"""

import re
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from hanabi_orchestrator.experiments.record.rows import Row
from hanabi_orchestrator.experiments.report import methods, verdict
from hanabi_orchestrator.experiments.report.run_data import run_data
from hanabi_orchestrator.experiments.study.coalitions import Coalitions
from tests.support.reports import game, report, text
from tests.support.sentences import TEMPLATES, template_of

VERBS = "is|was|has|minus|plus|less|loses|changes|differs|always"
WRONG = re.compile(
    rf"\b1 (?:(?:more|other|finished|new) )?(?!(?:{VERBS})\b)[a-z]{{2,}}s\b"
    r"|\b(?:all|none of|each of|every one of)(?: the)? [01]\b|p = -|\b(?:its|the) 1 |corrected for [01]\b"
)
"""Words that do not fit a count of one or none."""
SEVERAL = {"REPEATED": "all {n} repeats", "EQUAL_ARMS": "{n} arms", "CORRELATED": "{n} arms"}
"""Templates whose count is two or more by their condition."""
DEALS = (1, 2, 6, 7)


def test_the_rule_sees_what_it_is_to_see() -> None:
    for words in (
        "what its 1 part are worth",
        "1 more arms",
        "the same games in all 1 deal",
        "none of 0 could",
        "Holm-corrected p = -, 1 deal",
        "1 positions of 1 deal",
    ):
        assert WRONG.search(words), words
    assert not WRONG.search("in 1 of 1 game, 1 more arm, 21 games, p = .031, 1 minus its chance")


def test_no_template_has_a_fixed_plural_behind_a_count() -> None:
    fixed = re.compile(r"\{(?:n|games|ours|theirs|tests)\} (?:more |other )?[a-z]+s\b")
    for name, template in TEMPLATES.items():
        if match := fixed.search(template.text):
            assert match[0] in SEVERAL.get(name, ""), (name, match[0])


def small_runs() -> Iterator[tuple[str, list[Row], dict[str, Any]]]:
    """Yield runs of few deals, arms and repeats, and designs of one to three parts, by name."""
    for deals, arms, repeats in product(DEALS, (1, 2, 6), (1, 2)):
        names = ["full", *(f"arm{number}" for number in range(1, arms + 1))]
        rows = []
        for place, arm in enumerate(names):
            for seed, repeat in product(range(1, deals + 1), range(1, repeats + 1)):
                points = 9 + (7 * seed + 3 * repeat * place + seed * place) % 11
                rows.append(game(arm, seed, points, repeat=repeat, lost=points % 4 == 0))
        run = planned(names, deals, repeats=repeats, baseline="full")
        yield f"{deals} deals, {arms} arms, {repeats} repeats", rows, run
    for deals, parts in product(DEALS, ("a", "ab", "abc")):
        design = Coalitions.model_validate({"parts": list(parts)})
        rows = []
        for place, present in enumerate(design.every):
            arm = design.arm("removed", present)
            for seed in range(1, deals + 1):
                rows.append(game(arm, seed, 9 + (5 * seed * place + seed + place) % 11))
        run = planned(list({row.arm: None for row in rows}), deals)
        run["experiment"] = {"coalitions": {"parts": list(parts)}}
        yield f"{deals} deals, {len(parts)} parts", rows, run


def planned(arms: list[str], deals: int, repeats: int = 1, **more: Any) -> dict[str, Any]:
    """Return what run.yaml holds of a run of this size."""
    size = {"seeds": list(range(1, deals + 1)), "players": [2], "repeats": repeats}
    return {"name": "small", "arms": {arm: {"players": [2]} for arm in arms}, **size, **more}


@pytest.mark.parametrize(
    ("rows", "run"), [run[1:] for run in small_runs()], ids=[r[0] for r in small_runs()]
)
def test_a_count_of_one_is_singular(rows: list[Row], run: dict[str, Any], tmp_path: Path) -> None:
    data = run_data(tmp_path, rows, run)
    sentences = [*verdict.sentences(data, None), methods.paragraph(data)]
    for sentence in sentences:
        assert not WRONG.search(sentence), sentence
    for sentence in sentences[:-1]:
        assert template_of(sentence), sentence


@pytest.mark.parametrize(
    "name", ["1 deals, 1 arms, 1 repeats", "1 deals, 1 parts", "6 deals, 1 parts"]
)
def test_a_whole_report_of_one_has_no_plural_of_one(name: str, tmp_path: Path) -> None:
    ((_, rows, run),) = [each for each in small_runs() if each[0] == name]
    for line in text(report(tmp_path, rows, run)).splitlines():
        assert not WRONG.search(line), line


def test_a_design_of_one_part_names_it_once_and_claims_nothing_of_one_deal(tmp_path: Path) -> None:
    runs = {name: (rows, run) for name, rows, run in small_runs()}
    for name, worth in (
        ("1 deals, 1 parts", r"\(1 deal: no conclusion\): what a is worth\."),
        ("6 deals, 1 parts", r"\(95 % interval .*, 6 deals.*\): what a is worth\."),
    ):
        (sentence,) = verdict.sentences(run_data(tmp_path, *runs[name]), None)
        assert re.fullmatch(
            rf"full scores [\d.]+ points (?:more|less) than without-all {worth}", sentence
        )


def test_the_paragraph_of_a_design_of_coalitions_states_its_test(tmp_path: Path) -> None:
    runs = {name: (rows, run) for name, rows, run in small_runs()}
    paragraph = methods.paragraph(run_data(tmp_path, *runs["7 deals, 3 parts"]))
    assert (
        "Design of coalitions of a, b, c (absent: removed), by the metric *strict*. p: two-sided "
        in paragraph
    )
    assert (
        "weighted sums of a term, deal by deal (exact), with Holm's correction within each"
        in paragraph
    )
    assert "primary kind, named before the run: Shapley." in paragraph
    alone = methods.paragraph(run_data(tmp_path, *runs["1 deals, 3 parts"]))
    assert "Design of coalitions of a, b, c" in alone and "No test was made" in alone
