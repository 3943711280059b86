"""Which part deserves the better model: assignments, their front, and what they cost."""

import pytest

from hanabi_orchestrator.experiments.report import allocation
from hanabi_orchestrator.experiments.report.allocation import Played, Words
from hanabi_orchestrator.experiments.study.coalitions import Coalitions

BY = {"parts": ["a", "b"], "by": ["removed", {"model": "cheap"}]}
PLAYED = {
    "full": Played(20.0, 18.0, 22.0, 1_000.0, 0.04),
    "cheap-a": Played(15.0, 13.0, 17.0, 1_000.0, 0.03),
    "cheap-b": Played(19.0, 17.0, 21.0, 1_000.0, 0.02),
    "cheap-all": Played(14.0, 12.0, 16.0, 1_000.0, 0.01),
    "without-a": Played(3.0, 2.0, 4.0, 500.0, None),
}


def design(**keys: object) -> Coalitions:
    return Coalitions.model_validate({**BY, **keys})


def test_assignments_are_ordered_by_money_and_on_the_front_where_nothing_cheaper_is_as_good() -> (
    None
):
    rows = allocation.assignments(design(), PLAYED)["cheap"]
    assert [row.arm for row in rows] == ["cheap-all", "cheap-b", "cheap-a", "full"]
    assert [row.arm for row in rows if row.best] == ["cheap-all", "cheap-b", "full"]
    points = {row.arm: row.per_cost for row in rows}
    assert points["cheap-all"] is None
    assert points["cheap-b"] == pytest.approx(500) and points["full"] == pytest.approx(200)


@pytest.mark.parametrize("usd", [None, 0.0])
def test_costs_are_tokens_where_a_price_is_not_known(usd: float | None) -> None:
    arms = {}
    for number, (arm, played) in enumerate(PLAYED.items()):
        arms[arm] = Played(played.score, None, None, 1_000.0 - number, usd)
    table = allocation.allocation(design(), arms, Words("strict", "game"), simulated=True)
    assert "tokens a game" in [column.title for column in table.columns]
    assert "not every price is known" in table.caption and "made up" not in table.caption


def test_a_design_without_another_model_has_no_assignments() -> None:
    removed = design(by="removed")
    assert not allocation.has_models(removed)
    assert not allocation.assignments(removed, PLAYED)


def test_a_terminal_shows_the_front_alone() -> None:
    table = allocation.allocation(design(), PLAYED, Words("strict", "game"), simulated=False)
    assert len(table.rows) == 4
    assert [row[1] for row in allocation.front(table).rows] == ["no part", "a", "a + b"]
