"""Names and texts of tables are read as they were written, by pandas, DuckDB and R's rules, or are refused."""

import csv
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import pandas
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hanabi_orchestrator.experiments.document.blocks import Column, table
from hanabi_orchestrator.experiments.document.data import csv_text, csv_words
from hanabi_orchestrator.experiments.record import rows, run_folder
from hanabi_orchestrator.experiments.record.files import write_csv
from hanabi_orchestrator.experiments.study.decks import read_decks
from hanabi_orchestrator.experiments.study.experiment import parse
from hanabi_orchestrator.experiments.study.plan import Plan
from hanabi_orchestrator.orchestrator.cells import defused, misread, restored
from hanabi_orchestrator.orchestrator.errors import UserError
from tests.experiments.analysis.rows import game
from tests.support.prove import FULL

REFUSED = {
    "a missing value": ("NA", "nan", "null", "None", "N/A", "#N/A", "NaN", "<NA>", "nil", "NULL"),
    "a truth value": ("true", "FALSE", "T", "no", "Off", "y"),
    "a number": (
        "007",
        "7",
        "1e5",
        "1E-5",
        "0x1F",
        "0b1",
        "inf",
        "-Infinity",
        "1_000",
        "1,000",
        "+5",
        ".5",
        "3i",
        "1L",
    ),
    "a date": (
        "2024-01-01",
        "2024/1/1",
        "1-2-2024",
        "12:30",
        "2024-01-01T10:00:00Z",
        "MAR1",
        "1-Mar",
        "Dec-05",
        "5 PM",
    ),
    "a formula": ("=a", "+piers", "@SUM", "-a"),
    "a quoted text": ("'a", "'=a", '"a"'),
    "blank": ("", " ", "\u2003"),
    "for a device": ("con", "AUX", "nul", "prn.txt", "COM1", "lpt9.tar.gz", "com²"),
    "the dot": ("house.", "con..."),
    "the space": (" house", "house "),
    "the invisible character": ("a\tb", "a\nb", "a\x00", "a\u202eb", "a\u200b"),
}


@pytest.mark.parametrize(
    ("reason", "name"), [(why, name) for why, names in REFUSED.items() for name in names]
)
def test_what_is_read_as_something_else_is_no_name(reason: str, name: str) -> None:
    assert reason in (misread(name) or ""), misread(name)


@pytest.mark.parametrize(
    "name", ["full", "no-historian", "2p", "s-1", "naïve", "console", "1st", "x1e5", "trues", "手"]
)
def test_ordinary_names_stay(name: str) -> None:
    assert misread(name) is None


LIKE_VALUES = st.text("0123456789+-._eExXbBdDiIjJnNaAfFtT/:, #'=@%", min_size=1, max_size=8)
WORDS = st.sampled_from([name for names in REFUSED.values() for name in names])
NAMES = st.one_of(
    LIKE_VALUES,
    st.text(min_size=1, max_size=12),
    WORDS,
    st.builds("{}{}".format, WORDS, LIKE_VALUES),
)
MANY = st.lists(NAMES, min_size=80, max_size=120)


def r_reads(name: str) -> object:
    """What R's type.convert makes of a column of this cell: NA, a logical, a number, or the text itself."""
    bare = name.strip(" \t")
    number = r"[+-]?(NA|NaN|Inf|infinity|0[xX][0-9a-fA-F]*\.?[0-9a-fA-F]*([pP][+-]?\d+)?|(\d+\.?\d*|\.\d+)([eE][+-]?\d*)?)"
    if bare in ("", "NA"):
        return None
    if bare in ("T", "F", "TRUE", "FALSE", "true", "false", "True", "False"):
        return bare[0] in "Tt"
    if re.fullmatch(number, bare, re.IGNORECASE) or re.fullmatch(
        rf"({number})?[+-]?{number}i", bare
    ):
        return complex(0)
    return name


@settings(max_examples=200 if FULL else 2, deadline=None, suppress_health_check=list(HealthCheck))
@given(candidates=MANY)
def test_names_are_read_back_as_they_were_written(
    tmp_path_factory: pytest.TempPathFactory, candidates: list[str]
) -> None:
    """Each in a column of its own, for what stands in a column decides how it is read."""
    names = [name for name in ("full", *candidates) if misread(name) is None]
    path = tmp_path_factory.mktemp("names") / "names.csv"
    write_csv(path, [f"c{place}" for place in range(len(names))], [names, names])
    assert list(pandas.read_csv(path).iloc[0]) == names
    assert list(duckdb.read_csv(str(path)).fetchall()[0]) == names
    assert [r_reads(name) for name in names] == names
    with path.open(encoding="utf-8", newline="") as file:
        assert list(csv.reader(file))[1] == names


def test_results_csv_gives_the_arms_and_decks_back(tmp_path: Path) -> None:
    arms = ["full", "noise-floor", "no-x", "1st", "naïve"]
    games = [
        replace(game(arm, seed, 9), deck_name=f"deck {arm}") for arm in arms for seed in (1, 2)
    ]
    rows.write(tmp_path, games)
    path = tmp_path / "results.csv"
    frame = pandas.read_csv(path)
    base = duckdb.read_csv(str(path))
    assert list(frame["arm"]) == [row.arm for row in games] and set(
        frame.groupby("arm").groups
    ) == set(arms)
    assert [tuple(row) for row in frame[["arm", "deck_name"]].to_numpy()] == base.select(
        "arm", "deck_name"
    ).fetchall()
    assert run_folder.written(tmp_path) == games


# Texts that are no names


@given(st.text("=+-@\t'a1.\r", max_size=6))
def test_no_text_is_a_formula_and_all_are_restored(text: str) -> None:
    cell = str(defused(text))
    assert restored(cell) == text
    assert not cell.startswith(("=", "@", "\t", "\r"))
    assert not cell.startswith(("+", "-")) or isinstance(float(cell), float)


def test_every_table_defuses_texts_and_no_number(tmp_path: Path) -> None:
    write_csv(tmp_path / "a.csv", ("a", "b"), [("=HYPERLINK(1)", -4), ("-x", -0.5)])
    assert (tmp_path / "a.csv").read_text("utf-8") == "a,b\n'=HYPERLINK(1),-4\n'-x,-0.5\n"
    listed = table("t", (Column("a", "a"), Column("b", "b")), [("@x", -4.25), ("-0.5", None)])
    assert csv_text(listed, digits=1) == "a,b\n'@x,-4.2\n-0.5,\n"
    assert csv_words(listed).splitlines()[1].startswith("'@x,")


def test_failures_are_read_as_they_were_written(tmp_path: Path) -> None:
    failed = {"full/2p-s1-r1": "=1+1", "full/2p-s2-r1": "'-odd", "a/2p-s1-r1": "'plain"}
    run_folder.write_failures(tmp_path, failed, ())
    assert run_folder.failures(tmp_path) == failed
    assert ",'=1+1\n" in (tmp_path / "failed.csv").read_text("utf-8")


# Every design refuses them

DESIGNS: dict[str, str] = {
    "a listed arm": "arms: {full: {}, NA: {without: history_analyst}}",
    "an experiment": "name: nan",
    "a matrix": "matrix: {graph: [house, ./nul.yaml]}",
    "several graphs": "graph: [house, ./1e5.yaml]",
    "cross-play": "cross_play: {seats: {inf: house, b: partner:piers}}",
    "a sequence": "cross_play: {sequence: true, seats: {aux: house, b: partner:piers}}",
    "ad-hoc teams": "adhoc: {seat: house, pool: {None: partner:piers}}",
    "a deck": "deals: {'007': R1}",
}


@pytest.mark.parametrize("design", DESIGNS)
def test_every_design_refuses_such_names(tmp_path: Path, design: str) -> None:
    house = "extends: house\n"
    for name in ("nul", "1e5"):
        (tmp_path / f"{name}.yaml").write_text(f"name: {name}-x\n{house}", "utf-8")
    settings = {
        "name": "name: a",
        "graph": "graph: house",
        "seeds": "seeds: 1",
        "players": "players: 2",
    }
    settings[DESIGNS[design].partition(":")[0]] = DESIGNS[design]
    text = "\n".join(settings.values()).replace("./", f"{tmp_path}/")
    with pytest.raises(UserError, match=r"cannot be a name: .*; choose another"):
        Plan.resolve(parse(text), tmp_path / "run")


@pytest.mark.parametrize("form", ["arms", "nodes"])
def test_nodes_and_graphs_have_such_names_neither(form: str) -> None:
    from hanabi_orchestrator.graphs.config import checked, read

    data: dict[str, Any] = read("house").model_dump(mode="json")
    broken = (
        {**data, "name": "inf"}
        if form == "arms"
        else {**data, "nodes": {**data["nodes"], "NaN": {"role": "analyst"}}}
    )
    with pytest.raises(UserError, match="cannot be a name"):
        checked(broken, "g")


def test_names_of_decks_hold_no_control_character() -> None:
    cards: Sequence[str] = ("R1",)
    with pytest.raises(UserError, match=r"U\+0007"):
        read_decks({"a\x07b": list(cards)})


def test_a_name_that_yaml_reads_as_something_else_is_told_so() -> None:
    with pytest.raises(UserError, match=r"arms: a name must be text, and YAML reads it as None"):
        parse("{name: a, graph: house, arms: {null: {}}}")
