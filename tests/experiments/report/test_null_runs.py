"""Reports of runs without any effect: each sentence is a listed one, and none claims an effect or its absence.

No game is played: the outcomes of all arms of role-ablation-controlled are drawn from one distribution.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from io import StringIO
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console
from scipy import stats

from hanabi_orchestrator.experiments.analysis import sentence_templates
from hanabi_orchestrator.experiments.document import terminal
from hanabi_orchestrator.experiments.document.blocks import Document, Heading, Note
from hanabi_orchestrator.experiments.record import rows, run_folder
from hanabi_orchestrator.experiments.record.rows import Row
from hanabi_orchestrator.experiments.report import run_report, verdict
from hanabi_orchestrator.experiments.study import experiment, manifest
from hanabi_orchestrator.experiments.study.plan import Plan
from tests.support.prove import FULL
from tests.support.sentences import template_of

RUNS = 30 if FULL else 4
FEW = 5
"""Deals of the last run, in which no effect could reach p < .05."""
LOST = 0.05
"""The share of games in which the third life is lost."""
CLAIMS = (sentence_templates.SHOWN, sentence_templates.SHOWN_EACH, sentence_templates.REMOVAL_SHOWN)
ABSENT = re.compile(
    r"shows? no (?!usable)|no effect(?! could reach p < \.05)|is none\b|none to explain|"
    r"did not move|not matter|no difference"
)
OTHERS = re.compile(
    r"Arms are compared by the strict score, .*|The arm noise-floor plays the baseline again .*|"
    r"Every arm uses simulated models: .*|Not finished: \d+ of 140 games\. .*"
)
"""Sentences about the protocol, which state no outcome."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("null-runs")
    study = experiment.read(
        "role-ablation-controlled", ["models.default=sim:average", "seeds.count=10"]
    )
    manifest.write(Plan.resolve(study, folder))
    return folder


def outcomes(folder: Path, number: int, played: int) -> Iterator[Row]:
    """All arms have the same distribution of scores, whose deals have a part in common."""
    run = run_folder.run(folder)
    chance = np.random.default_rng(number)
    deals = chance.normal(0, 2, len(run["seeds"]))
    for arm in run["arms"]:
        for seed, deal in list(zip(run["seeds"], deals, strict=True))[:played]:
            kept = int(np.clip(round(17 + deal + chance.normal(0, 3)), 0, 24))
            lost = bool(chance.random() < LOST)
            strict, lives, end = (0, 0, "lives_lost") if lost else (kept, 2, "deck_exhausted")
            journal = f"games/{arm}/2p-s{seed}-r1.jsonl"
            row = Row(
                arm,
                "house",
                2,
                seed,
                1,
                strict,
                kept,
                lives,
                60,
                end,
                200,
                0,
                0,
                5,
                5,
                None,
                journal,
            )
            row = replace(
                row,
                moves_digest=journal,
                simulated=True,
                model="sim:average",
                model_moves=60,
                own=60,
            )
            yield (
                replace(row, graph="house-noise-floor", control="noise_floor")
                if arm == "noise-floor"
                else row
            )


def sentences(document: Document) -> list[str]:
    """The verdict and what stands beside it, until the tables."""
    blocks = document.blocks
    end = next(
        place
        for place, block in enumerate(blocks)
        if isinstance(block, Heading) and block.key == "tables"
    )
    return [block.text for block in blocks[:end] if isinstance(block, Note)]


def other_words(document: Document) -> set[str]:
    """All titles, captions and texts beside those sentences, without their numbers."""
    words = (
        getattr(block, key, "") for block in document.blocks for key in ("title", "caption", "text")
    )
    return {
        re.sub(r"\d[\d,.]*", "#", each)
        for each in {*words} - {*sentences(document)}
        if isinstance(each, str)
    }


def printed(report: run_report.Report) -> list[str]:
    """What a terminal shows, without the rows of its table."""
    screen = StringIO()
    blocks = verdict.blocks(report.data, report.roles)
    terminal.show(blocks, Console(file=screen, width=terminal.UNBROKEN))
    head, *lines = screen.getvalue().split("\n\n")[0].splitlines()
    assert re.fullmatch(
        r"\d+ games, \d+ deals, 2 players, by simulated models, no language models\.", head
    )
    return lines


def test_runs_without_an_effect_claim_one_as_seldom_as_promised_and_never_its_absence(
    folder: Path,
) -> None:
    claiming = 0
    others = set[tuple[bool, frozenset[str]]]()
    for number in range(RUNS):
        few = number == RUNS - 1
        rows.write(folder, sorted(outcomes(folder, number, FEW if few else 10)))
        report = run_report.write(folder, png=False, marks=False)
        said = sentences(report.document)
        shown = printed(report)
        written = (folder / run_report.MARKDOWN).read_text("utf-8")
        assert all(sentence in written for sentence in said) and len(shown) == (1 if few else 3)
        named = {each: template_of(each) for each in (*said, *shown)}
        unknown = [
            each
            for each, template in named.items()
            if template is None and not OTHERS.fullmatch(each)
        ]
        assert not unknown, unknown
        assert not [each for each in (*named, *other_words(report.document)) if ABSENT.search(each)]
        others.add((few, frozenset(other_words(report.document))))

        claiming += any(template in CLAIMS for template in named.values())
    assert len(others) == 2, (
        "captions and texts are the same whatever was measured, so they claim nothing"
    )
    print(f"{claiming} of {RUNS} runs without an effect claim one; 5 % are promised")
    assert claiming <= stats.binom.ppf(0.999, RUNS, 0.05)
