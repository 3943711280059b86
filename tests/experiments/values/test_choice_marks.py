"""Marks of those who choose, advise and judge: bounds, baselines against simulation, and turns reckoned anew."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations, product
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from hanabi_orchestrator import graphs
from hanabi_orchestrator.experiments.record.game import Game, Turn
from hanabi_orchestrator.experiments.values import RoleMark, mark_infos, role_marks, turn_values
from hanabi_orchestrator.experiments.values.marked_turn import CLEAR
from hanabi_orchestrator.experiments.values.move_marks import (
    correlation,
    guessed_answers,
    guessed_list,
)
from hanabi_orchestrator.experiments.values.rollout_store import RolloutStore
from hanabi_orchestrator.orchestrator.hanabi.moves import Move, parse
from hanabi_orchestrator.orchestrator.journal.events import Call, Event, StoredEvent, VerdictGiven
from tests.experiments.values.chosen_games import (
    CHOOSERS,
    Question,
    best,
    game,
    guessed,
    safe,
    values,
)
from tests.support.prove import FULL

TURNS = None if FULL else 10

Found = Mapping[tuple[str, str], Sequence[RoleMark]]


def by_name(marks: Iterable[RoleMark]) -> Found:
    """By role and name."""
    found: dict[tuple[str, str], list[RoleMark]] = defaultdict(list)
    for mark in marks:
        found[mark.role, mark.name].append(mark)
    return found


def first(story: Game, turns: int) -> Game:
    events = (event for turn in story.turns[:turns] for event in (turn.started, *turn.events))
    return Game.of((story.started, *events))


@pytest.fixture(scope="module")
def exact() -> Found:
    return by_name(role_marks(game(best, turns=TURNS)))


@pytest.fixture(scope="module")
def random() -> Found:
    return by_name(role_marks(game(guessed, players=3, turns=TURNS)))


@pytest.mark.parametrize("role", CHOOSERS)
def test_an_exact_maximiser_has_the_best_marks(exact: Found, role: str) -> None:
    perfect = {"regret": 0, "rank": 1, "chose_best": 1, "rating_correlation": 1, "rated_below": 0}
    for name, value in perfect.items():
        found = exact[role, name]
        assert len(found) >= 8 and {round(mark.value, 9) for mark in found} == {value}, name
        assert mark_infos(role)[name].best == value


def test_exact_answers_samples_gains_and_verdicts_are_perfect(exact: Found) -> None:
    perfect = {
        ("proposer", "pass_at_k"): 1,
        ("proposer", "near_at_k"): 1,
        ("proposer", "oracle_regret"): 0,
        ("plan_evaluator", "gain_error"): 0,
        ("plan_evaluator", "outside_list"): 0,
        ("self_verifier", "right_verdict"): 1,
    }
    for (role, name), value in perfect.items():
        assert (
            {round(mark.value, 9) for mark in exact[role, name]}
            == {value}
            == {mark_infos(role)[name].best}
        )
    refused = {
        mark.turn
        for role in ("self_verifier", "safety")
        for mark in exact[role, "refused"]
        if mark.value
    }
    overruled = {mark.turn for mark in exact["proposer", "overruled_right"] if mark.value}
    assert overruled <= refused, "who chooses by value is overruled by a refusal alone"


def test_no_mark_and_no_baseline_leaves_its_bounds(exact: Found, random: Found) -> None:
    ours = [(role, name, one) for found in (exact, random) for (role, name), each in found.items() for one in each
            if name not in ("play_brier", "safety_brier")]  # fmt: skip
    for role, name, one in ours:
        info = mark_infos(role)[name]
        least, most = {"share": (0, 1), "rank": (1, 50), "correlation": (-1, 1)}.get(
            info.unit, (-25, 52)
        )
        least = 0 if info.best == 0 else least
        assert all(
            least <= value <= most + 1e-9 for value in (one.value, *one.baselines.values())
        ), one
    assert len(ours) > 1000


GUESSED = (
    *(
        (role, name)
        for role in CHOOSERS
        for name in ("regret", "rank", "chose_best", "agrees", "rated_below")
    ),
    *((role, "listed_rank") for role in ("proposer", "plan_evaluator")),
    ("aggregator", "selection_regret"),
    *(("proposer", name) for name in ("pass_at_k", "near_at_k", "oracle_regret")),
    *(
        ("proposer", name)
        for name in ("followed", "overruled_right", "followed_wrong", "rating_correlation")
    ),
    *(("plan_evaluator", name) for name in ("followed", "overruled_right", "followed_wrong")),
    *(("self_verifier", name) for name in ("right_verdict", "refused")),
)


@pytest.mark.parametrize(("role", "name"), GUESSED)
def test_a_uniform_guesser_scores_the_uniform_baseline(random: Found, role: str, name: str) -> None:
    """What they scored less what the formula says is 0 on average, within four standard errors."""
    gaps = [mark.value - mark.baselines["uniform"] for mark in random[role, name]]
    assert len(gaps) >= 8
    assert abs(fmean(gaps)) <= 4 * max(stdev(gaps), 0.2) / len(gaps) ** 0.5


@given(st.lists(st.integers(-3, 3), min_size=1, max_size=5), st.integers(1, 3))
def test_the_baselines_of_lists_and_of_several_answers_are_those_of_an_enumeration(
    scores: list[int], k: int
) -> None:
    worth = [score / 4 for score in scores]
    top = max(scores) / 4
    answers = [
        top - max(worth[i] for i in chosen) for chosen in product(range(len(worth)), repeat=k)
    ]
    found = guessed_answers(worth, k)
    assert found["oracle_regret"] == pytest.approx(fmean(answers))
    assert found["pass_at_k"] == pytest.approx(fmean(regret == 0 for regret in answers))
    assert found["near_at_k"] == pytest.approx(fmean(regret < CLEAR for regret in answers))
    lists = [
        top - max(worth[i] for i in kept)
        for kept in combinations(range(len(worth)), min(k, len(worth)))
    ]
    listed = guessed_list(worth, k)
    assert listed["list_regret"] == pytest.approx(fmean(lists))
    assert listed["best_listed"] == pytest.approx(fmean(regret == 0 for regret in lists))


@given(st.lists(st.tuples(st.integers(-4, 4), st.integers(-4, 4)), min_size=2, max_size=8))
def test_the_rank_correlation_is_pearsons_of_mean_ranks(pairs: list[tuple[int, int]]) -> None:
    ours = [float(a) for a, _ in pairs]
    theirs = [float(b) for _, b in pairs]
    found = correlation(ours, theirs)
    if len(set(ours)) == 1 or len(set(theirs)) == 1:
        assert found is None
        return
    one, other = ([_mean_rank(value, side) for value in side] for side in (ours, theirs))
    a = fmean(one)
    b = fmean(other)
    covariance = sum((x - a) * (y - b) for x, y in zip(one, other, strict=True))
    spread = (sum((x - a) ** 2 for x in one) * sum((y - b) ** 2 for y in other)) ** 0.5
    assert found == pytest.approx(covariance / spread) == correlation(theirs, ours)


def _mean_rank(value: float, side: Sequence[float]) -> float:
    return sum(other < value for other in side) + (sum(other == value for other in side) + 1) / 2


Reckoned = dict[tuple[int, str, int, str], float]
"""By turn, node, sample and name."""


def reckoned(turn: Turn) -> Iterator[tuple[tuple[int, str, int, str], float]]:
    """Marks of a turn from nothing but the journal's lines and the values of moves."""
    number = turn.number
    worth = values(turn.view)
    assert turn.moved
    played = turn.moved.past.move
    refused = list[Move]()
    listed = list[Move]()
    said = set[Move]()
    for event in turn.events:
        if isinstance(event, Call) and event.reply and event.role == "action_recommender":
            listed = [parse(entry["action"]) for entry in event.reply["entries"]]
            yield (
                (number, "recommender", 0, "list_regret"),
                max(worth.values()) - max(worth[m] for m in listed),
            )
        if isinstance(event, Call) and event.reply and event.role in CHOOSERS:
            move = parse(event.reply["action"])
            options = (
                listed
                if event.role == "plan_evaluator"
                else [one for one in worth if one not in refused]
            )
            place = number, event.node, event.sample
            yield (*place, "regret"), max(worth[one] for one in options) - worth[move]
            yield (*place, "rank"), 1 + sum(worth[one] > worth[move] + 1e-9 for one in options)
            if event.role == "aggregator":
                there = {one for one in said if one in options}
                if len(there) > 1:
                    yield (
                        (*place, "selection_regret"),
                        max(0.0, max(worth[one] for one in there) - worth[move]),
                    )
            else:
                said.add(move)
                yield (*place, "followed"), move == played
                yield (*place, "overruled_right"), worth[move] >= worth[played] + CLEAR - 1e-9
                yield (
                    (*place, "followed_wrong"),
                    move == played and max(worth.values()) - worth[played] >= CLEAR - 1e-9,
                )
        if isinstance(event, VerdictGiven):
            is_safe = safe(Question(None, turn.view, None), event.move)  # type: ignore[arg-type]
            place = number, event.node, 0
            yield (*place, "right_verdict"), is_safe == event.accepted
            yield (
                (*place, "refused_safe" if is_safe else "accepted_unsafe"),
                event.accepted != is_safe,
            )
            if not event.accepted:
                refused.append(event.move)
                yield (*place, "refusal_gain"), worth[played] - worth[event.move]


def test_the_marks_of_a_game_are_those_reckoned_from_its_lines() -> None:
    story = game(guessed, players=3, turns=TURNS)
    expected = dict(pair for turn in story.turns if turn.moved for pair in reckoned(turn))
    wanted = {name for _, _, _, name in expected}
    marks = {
        (m.turn, m.node, m.sample, m.name): m.value for m in role_marks(story) if m.name in wanted
    }
    marks = {key: value for key, value in marks.items() if key[1] not in ("recommender", "analyst", "strategist")
             or key[3] == "list_regret"}  # fmt: skip
    assert (
        marks == pytest.approx({key: float(value) for key, value in expected.items()})
        and len(expected) > 150
    )
    assert {"refused_safe", "accepted_unsafe", "refusal_gain", "selection_regret"} <= wanted
    assert any(node.endswith("-2") for _, node, _, _ in expected), "a choice was made again"


def against(question: Question) -> dict[str, Any]:
    """All colleagues choose the best, and the one who decides the worst; nobody but the rule refuses."""
    if question.request.role == "self_verifier":
        return {"reason": "r", "accept": True}
    worst = question.request.role == "aggregator"
    worth = {move: question.values[move] for move in question.moves}
    return question.choice((min if worst else max)(worth, key=lambda move: worth[move]), worth)


def test_a_colleague_who_is_right_and_is_not_followed_is_credited() -> None:
    story = game(against, turns=3)
    found = by_name(role_marks(story))
    turn = story.turns[0]
    assert turn.moved
    worth = values(turn.view)
    clear = max(worth.values()) - worth[turn.moved.past.move] >= CLEAR
    assert clear, "the deal gives somebody a move that is clearly better"
    mine = [mark for mark in found["proposer", "overruled_right"] if mark.turn == 1]
    assert [mark.value for mark in mine] == [1, 1, 1] and {mark.other for mark in mine} == {None}
    (agreed,) = [
        m
        for m in found["aggregator", "agrees"]
        if (m.turn, m.node, m.other) == (1, "aggregator", "proposer")
    ]
    assert agreed.value == 0 and 0 < agreed.baselines["uniform"] < 0.3
    (below,) = [
        m for m in found["aggregator", "rated_below"] if (m.turn, m.node) == (1, "aggregator")
    ]
    assert below.value == 1 and mark_infos("aggregator")["rated_below"].best == 0


def test_marks_are_the_same_from_the_lines_of_the_journal_and_with_stored_rollouts(
    tmp_path: Path,
) -> None:
    story = first(game(guessed, players=3, turns=TURNS), 2)
    lines = [
        event.model_dump_json() for turn in story.turns for event in (turn.started, *turn.events)
    ]
    stored: TypeAdapter[Event] = TypeAdapter(StoredEvent)
    again = Game.of([story.started, *map(stored.validate_json, lines)])
    found = role_marks(story)
    events = (event for turn in story.turns for event in turn.events)
    lean = Game.of([story.started, *(e for e in events if not isinstance(e, Call) or e.of_model)])
    assert any(mark.model == "program" for mark in found), (
        "lean journals do not hold what programs replied"
    )
    assert found == role_marks(again) == role_marks(lean) and not [
        mark for mark in found if "rollout" in mark.name
    ]
    last = first(again, 1)
    rolled = role_marks(last, rollouts=50, store=RolloutStore(tmp_path))
    assert rolled == role_marks(last, rollouts=50, store=RolloutStore(tmp_path))
    losses = [mark.value for mark in rolled if mark.name == "rollout_regret"]
    decided = again.turns[0].decided
    assert decided and decided.node, "the move was not forced"
    played = [
        mark.value for mark in rolled if mark.name == "rollout_regret" and mark.node == decided.node
    ]
    assert played == [turn_values(last, 1, rollouts=50).loss]
    assert len(losses) >= 5 and min(losses) >= 0 and list(tmp_path.rglob("*.json"))
    assert tuple(mark for mark in rolled if "rollout" not in mark.name) == role_marks(last)


def test_every_mark_of_every_graph_is_explained() -> None:
    for graph in ("house", "cac", "tom_planner_2", "best_of_k", "moa_sherlock"):
        for node in graphs.read(graph).nodes.values():
            for name, info in mark_infos(node.role).items():
                assert info.name == name and info.says.endswith(".") and info.unit
