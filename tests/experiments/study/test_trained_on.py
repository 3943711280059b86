"""No experiment measures a model on deals that it was trained on."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hanabi_orchestrator.experiments.record.seed_range import numbers, ranges
from tests.conftest import Run

MODEL = "{model: 'openai:small@http://127.0.0.1:9/v1', trained_on: '7,40-60'}"


@given(st.sets(st.integers(0, 300), min_size=1))
def test_seeds_in_words_are_read_again(seeds: set[int]) -> None:
    assert list(numbers(ranges(seeds))) == sorted(seeds)


@pytest.mark.parametrize("seeds, shared", [("50", "seed 7"), ("{first: 58, count: 9}", "seed 58")])
def test_a_deal_that_a_model_was_trained_on_is_refused_by_name(
    run: Run, seeds: str, shared: str
) -> None:
    Path("small.yaml").write_text(MODEL, "utf-8")
    changes = ("--set", "arms.after.models.default=small.yaml", "--set", f"seeds={seeds}")
    code, _, err = run("experiment", "run", "trained", *changes, "--dry-run")
    assert code == 2 and shared in err and "openai:small" in err and "7,40-60" in err


def test_other_deals_are_played(run: Run) -> None:
    Path("small.yaml").write_text(MODEL, "utf-8")
    changes = (
        "--set",
        "arms.after.models.default=small.yaml",
        "--set",
        "seeds={first: 61, count: 5}",
    )
    assert run("experiment", "run", "trained", *changes, "--dry-run")[0] == 0


def test_a_models_file_that_is_none_and_seeds_that_are_none_are_refused(run: Run) -> None:
    changes = ("--set", "arms.after.models.default=small.yaml", "--dry-run")
    code, _, err = run("experiment", "run", "trained", *changes)
    assert code == 2 and "small.yaml" in err
    Path("small.yaml").write_text("{model: 'openai:small', trained_on: all}", "utf-8")
    code, _, err = run("experiment", "run", "trained", *changes)
    assert code == 2 and "trained_on" in err
