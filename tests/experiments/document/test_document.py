"""One document in all its forms: the texts are golden files, the rules of printing are asserted."""

import json
from dataclasses import replace
from io import StringIO

import pytest
from rich.console import Console

from hanabi_orchestrator.experiments.document import data, html, latex, markdown, terminal
from hanabi_orchestrator.experiments.document.blocks import (
    Column,
    Document,
    Figure,
    Folded,
    Heading,
    Note,
    Table,
    Text,
    table,
)
from hanabi_orchestrator.experiments.document.formats import (
    INT,
    PERCENT,
    SIGNED,
    SIGNED_INTERVAL,
    TALLY,
)
from hanabi_orchestrator.experiments.report.score_tables import P_VALUE
from tests.support.golden import matches

EFFECTS = Table(
    "effects",
    (
        Column("arm", "arm", constant=True),
        Column("n", "n", INT),
        Column("mean", "strict", SIGNED, says="Points more than the baseline."),
        Column("bounds", "95 %", SIGNED_INTERVAL),
        Column("p", "p, Holm", P_VALUE),
        Column("tally", "W/T/L", TALLY),
        Column("share", "perfect", PERCENT),
        Column("mde", "MDE", SIGNED),
    ),
    (
        ("no-analyst", 20, -1.25, (-2.5, None), 0.0004, (3, 5, 12), 0.049, None),
        ("a|b <b>[x](y)", 20, 0.5, (-0.25, 1.25), 0.043, (9, 4, 7), 1.0, None),
        ("random\x1b", 1, None, None, None, None, None, None),
    ),
    caption="Points more on the same deals. *p*: of 5 % & more.",
    title="Difference from *baseline*",
    folded=1,
    looks=("plain", "plain", "faint"),
)
DOCUMENT = Document(
    "A run",
    (
        Note("simulated: sim:average is no language model", "no model"),
        Heading("Conclusions", key="conclusions"),
        Note("The analyst helps."),
        Note("Nothing else was shown."),
        replace(
            EFFECTS,
            rows=((*EFFECTS.rows[0][:3], (-2.5, 0.0), *EFFECTS.rows[0][4:]), *EFFECTS.rows[1:]),
        ),
        replace(EFFECTS, key="nothing", rows=()),
        Text("See `run.yaml`."),
        Figure(
            "scores",
            "Scores",
            "Means by arm.",
            "figures/scores.csv",
            "figures/scores.svg",
            "<svg></svg>",
        ),
        Folded("Prompts", (Folded("analyst", "You are ``` P0."),)),
    ),
)


def printed(document: Document, width: int = 100) -> str:
    screen = Console(file=StringIO(), width=width)
    terminal.show(document, screen)
    return "\n".join(line.rstrip() for line in screen.file.getvalue().splitlines()) + "\n"  # type: ignore[attr-defined]


@pytest.mark.parametrize("form", ["txt", "md", "html", "tex", "csv", "json"])
def test_a_document_in_every_form(form: str, request: pytest.FixtureRequest) -> None:
    table = next(part for part in DOCUMENT.blocks if isinstance(part, Table))
    text = {
        "txt": lambda: printed(DOCUMENT),
        "md": lambda: markdown.text(DOCUMENT),
        "html": lambda: html.blocks(DOCUMENT.blocks) + "\n",
        "tex": lambda: latex.tables(DOCUMENT.blocks, "Tables of a run.", "run"),
        "csv": lambda: data.csv_text(table),
        "json": lambda: json.dumps(data.json_value(DOCUMENT), indent=1, ensure_ascii=False) + "\n",
    }[form]()
    matches(request, f"documents/document.{form}", text)


def test_what_has_no_value_is_not_printed() -> None:
    arms = table(
        "arms", EFFECTS.columns, [("baseline", *[None] * 7), ("other", *[None] * 7)], title="Arms"
    )
    for nothing in (arms, replace(EFFECTS, rows=())):
        document = Document("empty", (nothing,))
        assert printed(document).strip() == ""
        assert markdown.text(document) == "# empty\n"
        assert html.blocks(document.blocks) == ""
        assert "begin" not in latex.tables(document.blocks, "", "")
    assert "MDE" not in printed(DOCUMENT), "a column without a value"
    assert data.csv_text(arms).startswith("arm,n,mean,bounds_low,bounds_high"), (
        "data keeps all columns"
    )


def test_names_bring_no_markup_and_no_control_characters() -> None:
    assert "<b>" not in html.page(DOCUMENT) and "\x1b" not in printed(DOCUMENT)
    assert "<b>" not in markdown.text(DOCUMENT) and "](y)" not in markdown.text(DOCUMENT)
