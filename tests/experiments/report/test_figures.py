"""Figures of a report, on made-up games: what they draw, what they claim, and why one is left out."""

from pathlib import Path
from typing import get_args

import pytest

from hanabi_orchestrator import graphs
from hanabi_orchestrator.experiments.document.blocks import Note
from hanabi_orchestrator.experiments.record.turn_rows import TurnRow
from hanabi_orchestrator.experiments.report import run_report
from hanabi_orchestrator.experiments.report.figures import choices, maps, relations, scores
from hanabi_orchestrator.experiments.report.run_data import NothingToDrawError, RunData, TurnTally
from hanabi_orchestrator.orchestrator.hanabi.referee import End
from tests.support.reports import data, game, games, svg


def test_figures_fill_what_the_text_claims_and_nothing_else(tmp_path: Path) -> None:
    low = [10, 11, 9, 10, 12, 8, 10, 11]
    high = [15, 16, 14, 15, 17, 13, 15, 16]
    at = {2: (low, high), 3: (low, low[1:] + low[:1]), 4: (low, low[2:] + low[:2])}
    found = [
        row
        for n, (a, b) in at.items()
        for row in (*games("base", a, players=n), *games("arm", b, players=n))
    ]
    made = data(tmp_path, found, {"baseline": "base"})
    table = scores._differences(made)
    assert {row["players"]: row["filled"] for row in table if row["metric"] == "strict"} == {
        2: 0,
        3: 0,
        4: 0,
        None: 1,
    }
    assert next(row for row in table if row["players"] == 2)["p_holm"] < 0.05, (
        "the text does not claim this one"
    )
    notes = [block.text for block in run_report.run_report(made).blocks if isinstance(block, Note)]
    claims = [text for text in notes if text.startswith("arm scores")]
    assert len(claims) == 1 and "2, 3 and 4 players" in claims[0]


def test_every_deal_is_a_point_of_both_arms(tmp_path: Path) -> None:
    repeated = [*games("base", [10, 20]), *games("base", [14, 20], repeat=2)]
    repeated += [*games("arm", [5, 25]), *games("arm", [7, 25], repeat=2), game("arm", 9, 3)]
    made = data(tmp_path, repeated, {"baseline": "base"})
    points = {
        (row["seed"], row["baseline_score"], row["arm_score"]) for row in relations.DEALS.data(made)
    }
    assert points == {(1, 12, 6), (2, 20, 25)}, "a deal that only one has played is no point"
    with pytest.raises(NothingToDrawError, match="single deal"):
        relations.DEALS.data(
            data(tmp_path, [row for row in repeated if row.seed == 1], {"baseline": "base"})
        )


@pytest.mark.parametrize(
    ("graph", "journals", "reasons"),
    [
        (
            "house",
            "full",
            ["no node but the deciding one chooses a move", "no seat has a recommender"],
        ),
        ("best_of_k", "full", ["no node proposed a move", "no seat has a recommender"]),
        (
            "best_of_k",
            "lean",
            ["lean journals hold no proposals of programs", "no seat has a recommender"],
        ),
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
    for figure, reason in zip((choices.FIGURES[-1], choices.LIST_RANKS), reasons, strict=True):
        with pytest.raises(NothingToDrawError, match=reason):
            figure.data(found)


@pytest.mark.pictures
def test_a_cross_play_map_has_intervals(tmp_path: Path) -> None:
    found = [
        *games("a.with.b", [10, 12, 20]),
        *games("b.with.a", [10, 10, 10]),
        *games("a.with.a", [24, 25, 25]),
    ]
    made = data(tmp_path, found, {})
    (figure,) = maps.cross_play(made)
    drawn = svg(figure, made)
    bounds = [
        (s.of("strict").low, s.of("strict").high)
        for s in made.analysis.summaries
        if s.arm == "a.with.b"
    ]
    assert all(
        f">{low:.1f}–{high:.1f}<" in drawn
        for low, high in bounds
        if low is not None and high is not None
    )
    assert bounds[0][0] == pytest.approx(0.855, abs=0.01) and bounds[0][1] == 25, (
        "no mean is above 25, in the table as in the figure"
    )


def test_the_band_of_a_curve_is_over_deals_and_ends_at_0_and_25() -> None:
    def turns(points: int) -> list[TurnRow]:
        return [turn(number, min(number, points)) for number in range(1, 26)]

    tally = TurnTally()
    for seed, points in ((1, 25), (1, 25), (1, 25), (2, 1), (2, 1), (2, 1)):
        tally.add(turns(points), seed)
    mean, error, low, high = relations._points(tally, 25)
    assert error == pytest.approx(12) and (mean, low, high) == (13, 0, 25), (
        "two deals, however often they are repeated"
    )
    alone = TurnTally()
    alone.add(turns(7), 1)
    assert relations._points(alone, 25) == (7, None, None, None)


def turn(number: int, score: int) -> TurnRow:
    unknown = dict.fromkeys(TurnRow.__dataclass_fields__, None)
    return TurnRow(**{**unknown, "turn": number, "score": score, "lives": 3, "proposals": {}})  # type: ignore[arg-type]


def test_the_reason_why_no_arm_is_compared_is_the_one_that_holds(tmp_path: Path) -> None:
    run = {"baseline": "full", "arms": {"full": {}, "no-x": {}}}
    full = games("full", [20] * 16)
    for played, why in (
        (full, "no arm but the baseline full has a finished game"),
        (games("no-x", [9, 9]), "the baseline full has no finished game yet"),
        (
            [*full, game("no-x", 99, 9)],
            "no deal is finished both in the baseline and in another arm",
        ),
    ):
        made = data(tmp_path, played, run)
        with pytest.raises(NothingToDrawError, match=why):
            scores._differences(made)


def test_the_figure_of_ends_has_its_own_colour_for_each_way_a_game_can_end() -> None:
    assert set(scores.END_STYLES) == set(get_args(End))
    colours = {colour for _, colour in scores.END_STYLES.values()}
    assert len(colours) == len(scores.END_STYLES)
