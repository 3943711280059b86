"""The recommender and the programs: what they choose in plain positions, and how strong they are against each other."""

import random
from statistics import mean, stdev

import pytest

from hanabi_orchestrator.orchestrator.guandan.burden import burden
from hanabi_orchestrator.orchestrator.guandan.cards import Card, deal
from hanabi_orchestrator.orchestrator.guandan.programs import PROGRAMS
from hanabi_orchestrator.orchestrator.guandan.ranking import ranked
from hanabi_orchestrator.orchestrator.guandan.referee import Referee
from tests.orchestrator.guandan.test_referee import play, short
from tests.support.prove import FULL

DEALS = 20 if FULL else 1


def points(first: str, second: str, seeds: range, *, exchanged: bool = False) -> list[int]:
    """The points of the first program's team by deal, at seats 0 and 2, or at 1 and 3 where they are exchanged."""
    results = []
    for seed in seeds:
        referee = Referee(4, deal(seed))
        while not referee.over:
            view = referee.view()
            name = (first, second)[(view.seat + exchanged) % 2]
            move = PROGRAMS[name](view, random.Random(f"{seed} {view.turn}"))
            assert move in view.legal
            referee.apply(move)
        results.append(referee.points[exchanged])
    return results


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_plays_legal_moves_to_the_end(name: str) -> None:
    results = points(name, "random", range(31, 31 + DEALS))
    assert len(results) == DEALS and all(abs(result) in (1, 2, 4) for result in results)


@pytest.mark.skipif(not FULL, reason="two minutes: make prove")
@pytest.mark.parametrize(
    ("first", "second", "least"),
    [("bestP_lowV", "random", 2.2), ("ranked", "random", 3.0), ("ranked", "bestP_lowV", 1.6)],
)
def test_each_program_is_stronger_than_those_before(first: str, second: str, least: float) -> None:
    for exchanged in (False, True):
        assert mean(points(first, second, range(1, 41), exchanged=exchanged)) >= least


@pytest.mark.skipif(not FULL, reason="minutes: make prove")
@pytest.mark.parametrize(("order", "below"), [("order_1", "ranked"), ("order_2", "order_1")])
def test_no_order_is_worse_than_the_one_below(order: str, below: str) -> None:
    """200 deals, each hand played by both teams; worse is: by more than two standard errors."""
    seeds = range(5001, 5101)
    seats = points(order, below, seeds), points(order, below, seeds, exchanged=True)
    differences = [(one_way + exchanged) / 2 for one_way, exchanged in zip(*seats, strict=True)]
    assert mean(differences) > -2 * stdev(differences) / len(differences) ** 0.5


def test_the_rule_agent_plays_the_highest_kind_at_the_lowest_rank_and_passes_only_when_it_must() -> (
    None
):
    referee = short(["S9 D9 C9 SK DK S3 S4 S5 S6 S7", "S8 HA", "SQ H5", "SJ H6"])
    rule = PROGRAMS["bestP_lowV"]
    chance = random.Random(1)
    assert str(rule(referee.view(), chance)) == "straight flush of spades 3-7: S3 S4 S5 S6 S7"
    play(referee, "single 3: S3")
    assert str(rule(referee.view(), chance)) == "single 8: S8"
    play(referee, "single 8: S8")
    assert str(rule(referee.view(), chance)) == "single Q: SQ"
    play(referee, "single Q: SQ")
    assert str(rule(referee.view(), chance)) == "pass"


def test_the_recommender_goes_out_when_it_can() -> None:
    referee = short(["S3 S4 S5 S6 S7", "S8", "S9", "S10"])
    assert str(ranked(referee.view())[0]) == "straight flush of spades 3-7: S3 S4 S5 S6 S7"


def test_the_recommender_leaves_its_partners_high_card_alone() -> None:
    referee = short(["SA S3 D3", "S4 S5 S7 S9 SJ H4", "D5 D5 C7 C7 SK RJ D9", "S8 S8 D6 C6 C10"])
    play(referee, "single A: SA", "pass")
    view = referee.view()
    assert str(ranked(view)[0]) == "pass" and len(ranked(view)) == len(view.legal) == 2


def test_the_recommender_breaks_no_group_for_a_single_card() -> None:
    referee = short(["S3 S4", "S6 D6 C6 D9 SJ DJ CJ", "S9 SK", "S10 SQ"])
    play(referee, "single 3: S3")
    assert str(ranked(referee.view())[0]) == "single 9: D9"


def test_a_ranking_has_every_legal_move_once() -> None:
    view = Referee(4, deal(12)).view()
    assert sorted(map(str, ranked(view))) == sorted(map(str, view.legal))
    assert ranked(Referee(4, deal(12)).view(1)) == ()


@pytest.mark.parametrize(
    ("lighter", "heavier"),
    [
        ("S3 D3", "S3 D4"),
        ("S3 D4 C5 H6 S7", "S3 D4 C5 H6 S8"),
        ("SA", "S3"),
        ("S3 D3 C3 H3", "S3 D3 C3"),
        ("", "RJ"),
    ],
)
def test_a_hand_of_fewer_or_stronger_groups_is_the_smaller_burden(
    lighter: str, heavier: str
) -> None:
    light, heavy = (burden(tuple(map(Card, hand.split())), 2) for hand in (lighter, heavier))
    assert light < heavy
