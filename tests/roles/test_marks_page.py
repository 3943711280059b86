"""docs/marks.md names marks as the code does, and `roles show` prints each mark that a role may have."""

import re
from io import StringIO

import pytest
from rich.console import Console

from hanabi_orchestrator import roles
from hanabi_orchestrator.experiments.show.listing import show_role
from hanabi_orchestrator.experiments.values import mark_infos
from tests.support.folders import ROOT

PAGE = (ROOT / "docs/marks.md").read_text("utf-8")


def test_the_page_names_marks_that_exist_with_their_best_values() -> None:
    every = {info.name: info for name in roles.names() for info in mark_infos(name).values()}
    rows = re.findall(r"^\| `(\w+)` \| [^|]+ \| [^|]+ \| ([\d.]+), (\w+) \|$", PAGE, re.MULTILINE)
    assert len(rows) == 10
    for name, best, better in rows:
        assert (f"{every[name].best:.2g}", "higher" if every[name].higher else "lower") == (
            best,
            better,
        )


def test_roles_show_says_where_a_role_has_a_mark_and_lists_none_that_it_cannot_have() -> None:
    out = StringIO()
    show_role(roles.get("proposer"), Console(file=out, width=400))
    assert "regret: One-step value of the best move it could name" in out.getvalue()
    assert out.getvalue().count("best 0, lower is better; only with --rollouts") == 1
    assert out.getvalue().count("; only where its node takes several samples") == 3
    assert "gain_error" not in out.getvalue() and "gain_error" in mark_infos("plan_evaluator")


@pytest.mark.parametrize("name", roles.names())
def test_roles_show_prints_every_mark_with_its_sentence(name: str) -> None:
    out = StringIO()
    show_role(roles.get(name), Console(file=out, width=400))
    for info in mark_infos(name).values():
        assert f"  {info.name}: {info.says}\n    {info.unit}; " in out.getvalue()
