"""The table of measures, as the documentation shows it."""

import re

import pytest

from experiments.document import markdown
from experiments.document.blocks import Column, Table
from experiments.record.measures import METRICS
from tests.support.folders import ROOT
from tests.support.golden import matches

PAGE = ROOT / "docs" / "statistics.md"
MARKS = ("`mark:ROLE.NAME`", "the mean of a role's mark over the replies of the game", "as the mark says")


def test_the_page_has_the_table_of_metrics(request: pytest.FixtureRequest) -> None:
    rows = [(f"`{key}`", measure.says, measure.better or "neither") for key, measure in METRICS.items()]
    columns = (Column("metric", "metric"), Column("is", "is"), Column("better", "better"))
    (written,) = markdown.blocks([Table("metrics", columns, (*rows, MARKS))])
    page, count = re.subn(r"\| metric \|(.*\n)+?\n", f"{written}\n\n", PAGE.read_text("utf-8"), count=1)
    assert count == 1, "the page has a table of metrics"
    matches(request, str(PAGE), page)
