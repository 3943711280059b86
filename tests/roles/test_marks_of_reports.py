"""The marks of the roles that report: the exact programs' are the best, and a uniform guesser's are the baselines."""

import math
from dataclasses import replace
from itertools import permutations
from random import Random
from statistics import fmean, stdev
from typing import Any

import pytest

from hanabi_orchestrator import graphs, roles
from hanabi_orchestrator.orchestrator.hanabi.cards import CARDS, Card, count
from hanabi_orchestrator.orchestrator.hanabi.convention.hint_convention import STRANGER
from hanabi_orchestrator.orchestrator.hanabi.moves import HintColour, HintRank, Move, Play
from hanabi_orchestrator.orchestrator.hanabi.referee import deal
from hanabi_orchestrator.orchestrator.hanabi.view import Past, View
from hanabi_orchestrator.orchestrator.journal.events import GameStarted, Moved
from hanabi_orchestrator.roles import Marker, Reply, Sections, Truth
from hanabi_orchestrator.roles.hanabi.analysis import Analysis
from hanabi_orchestrator.roles.hanabi.beliefs import FirstOrder
from hanabi_orchestrator.roles.hanabi.discard_report import DiscardReport
from hanabi_orchestrator.roles.hanabi.history_report import HistoryReport
from hanabi_orchestrator.roles.hanabi.marking import analyst_marks, discard_marks, next_action_marks
from hanabi_orchestrator.roles.hanabi.marking.exact_belief import holds_critical
from hanabi_orchestrator.roles.hanabi.marking.next_action_marks import Forecast
from hanabi_orchestrator.roles.hanabi.mind_report import MindReport
from hanabi_orchestrator.roles.hanabi.sections.convention_facts import ConventionFacts
from hanabi_orchestrator.roles.hanabi.sections.fixed import Conventions
from hanabi_orchestrator.roles.hanabi.truth import truths
from hanabi_orchestrator.roles.role_options import defaults
from hanabi_orchestrator.roles.sections import cut
from tests.support.positions import events_of, partners_game

PLAYERS = 4


@pytest.fixture(scope="module")
def known() -> list[Truth]:
    """The turns of a game of convention players."""
    *_, last = partners_game(("smart",) * PLAYERS, 3)
    return list(truths(PLAYERS, deal(3), [past.move for past in last.history]))


@pytest.fixture(scope="module")
def late(known: list[Truth]) -> Truth:
    """A turn near the end, when few cards are unseen and not all are certain."""
    return next(truth for truth in known if view_of(truth).deck_size == 1 and not certain(truth))


def certain(truth: Truth) -> bool:
    return all(slot.playable in (0, 1) and slot.critical in (0, 1) for slot in truth.by_hints)


def view_of(truth: Truth) -> View:
    assert truth.view is not None
    return truth.view


def sections_of(name: str, view: View) -> Sections:
    """All that the role takes, without conventions."""
    role = roles.get(name)
    kinds = [kind for kind in role.takes if kind not in (Conventions, ConventionFacts)]
    return cut(
        view, [(kind, defaults(kind.choices)) for kind in kinds], options=defaults(role.options)
    )


def program(name: str, truth: Truth) -> Any:
    solve = roles.get(name).solve
    assert solve is not None
    return solve(sections_of(name, view_of(truth)), {})


def marks(name: str, reply: Reply, truth: Truth) -> dict[str, float]:
    return dict(roles.mark(roles.get(name), reply, sections_of(name, view_of(truth)), truth) or {})


def hands(truth: Truth) -> list[tuple[Card, ...]]:
    """All own hands that the seat cannot tell apart, copies of a card being distinct: brute force."""
    view = view_of(truth)
    seen = count([*view.discards, *(card for hand in view.hands for card in hand.cards)])
    played = count(
        Card(f"{CARDS[5 * i].colour}{rank}")
        for i, top in enumerate(view.fireworks)
        for rank in range(1, top + 1)
    )
    left = [c for i, c in enumerate(CARDS) for _ in range(c.copies - seen[i] - played[i])]
    return [hand for hand in permutations(left, len(view.own)) if fits(hand, view)]


def fits(hand: tuple[Card, ...], view: View) -> bool:
    return all(
        card.colour in k.colours and card.rank in k.ranks
        for card, k in zip(hand, view.own, strict=True)
    )


def expected(name: str, reply: Reply, truth: Truth) -> dict[str, float]:
    """The mean of each mark over all hands that may be held."""
    found = [marks(name, reply, replace(truth, own=hand)) for hand in hands(truth)]
    return {mark: fmean(one[mark] for one in found) for mark in found[0]}


def other_chances(report: Any, field: str, inner: str, chances: list[float]) -> Any:
    """The report with other chances in its entries, as far as these have any."""
    entries = list(getattr(report, field))
    found = [one for one in entries if getattr(one, inner) is not None]
    for entry, chance in zip(found, chances, strict=False):
        entries[entries.index(entry)] = entry.model_copy(update={inner: chance})
    return report.model_copy(update={field: tuple(entries)})


@pytest.mark.parametrize(
    ("name", "field", "inner", "stem"),
    [("analyst", "moves", "chance", "play"), ("discard_strategist", "cards", "safety", "safety")],
)
def test_no_other_chances_score_better_than_the_exact_ones(
    late: Truth, name: str, field: str, inner: str, stem: str
) -> None:
    """Over all hands that may be held, one by one: scores are proper, and the program's chances exact."""
    assert len(hands(late)) > 5
    exact = program(name, late)
    chance = Random(1)
    best = expected(name, exact, late)
    assert best[f"{stem}_error"] == pytest.approx(0)
    for others in ([chance.random() for _ in range(4)], [0.5] * 4, [0.0] * 4, [1.0] * 4, [0.3] * 4):
        worse = expected(name, other_chances(exact, field, inner, others), late)
        assert best[f"{stem}_brier"] < worse[f"{stem}_brier"] and worse[f"{stem}_error"] > 0
        assert best[f"{stem}_log"] < worse[f"{stem}_log"]


def guesser(report: Any, chance: Random, truth: Truth) -> Any:
    """A reply to the same question by one who gives even chances and draws the rest by lot."""
    if isinstance(report, Analysis):
        return report.model_copy(
            update={"moves": tuple(_drawn(one, chance) for one in report.moves)}
        )
    if isinstance(report, DiscardReport):
        cards = [
            one.model_copy(
                update={"safety": 0.5, "criticality": chance.choice(discard_marks.WORDS)}
            )
            for one in report.cards
        ]
        order = chance.sample(report.safest_first, len(report.safest_first))
        return report.model_copy(update={"cards": tuple(cards), "safest_first": tuple(order)})
    if isinstance(report, HistoryReport):
        every = tuple(one.model_copy(update={"cards": CARDS}) for one in report.inferred)
        return report.model_copy(update={"inferred": every})
    hints = [move for move in view_of(truth).legal if isinstance(move, HintColour | HintRank)]
    return report.model_copy(update={"hint": chance.choice(hints), "urgent": True})


def _drawn(one: Any, chance: Random) -> Any:
    words = {
        "success": analyst_marks.SUCCESSES,
        "discard_risk": analyst_marks.RISKS,
        "hint_value": analyst_marks.VALUES,
    }
    drawn = {
        field: chance.choice(options)
        for field, options in words.items()
        if getattr(one, field) is not None
    }
    return one.model_copy(update=drawn | ({} if one.chance is None else {"chance": 0.5}))


GUESSES = 250


@pytest.mark.parametrize(
    "name", ("analyst", "discard_strategist", "history_analyst", "tom_interpreter")
)
def test_a_uniform_guessers_marks_are_the_stated_baselines(name: str, known: list[Truth]) -> None:
    truth = next(
        one for one in known[8:] if "hint" in view_of(one).legal[-1].kind and inferring(one)
    )
    role = roles.get(name)
    chance = Random(2)
    assert isinstance(role.mark, Marker) and role.mark.guess is not None
    report = program(name, truth)
    stated = dict(role.mark.guess(report, sections_of(name, view_of(truth)), truth) or {})
    if name == "tom_interpreter":  # its forecasts are tested below
        stated = {mark: value for mark, value in stated.items() if not mark.startswith("next")}
    found = [marks(name, guesser(report, chance, truth), truth) for _ in range(GUESSES)]
    for mark, value in stated.items():
        values = [one[mark] for one in found if mark in one]
        error = stdev(values) / math.sqrt(len(values))
        assert abs(fmean(values) - value) <= 4 * error + 1e-9, mark
    assert len(stated) >= 3


def inferring(truth: Truth) -> bool:
    return bool(program("history_analyst", truth).inferred)


def test_a_guessers_forecasts_have_the_stated_baseline(known: list[Truth]) -> None:
    """Every option named with its chance: the mean over a draw by these chances is the formula."""
    role = roles.get("first_order")
    assert isinstance(role.mark, Marker) and role.mark.guess is not None
    met = 0
    for truth in known:
        report: FirstOrder = program("first_order", truth)
        stated = role.mark.guess(report, sections_of("first_order", view_of(truth)), truth)
        for belief in report.beliefs if stated else ():
            did = truth.next_of(belief.seat)
            if did is None or truth.hinted_before(belief.seat):
                continue
            alone = report.model_copy(update={"beliefs": (belief,)})
            even = role.mark.guess(alone, sections_of("first_order", view_of(truth)), truth)
            tokens = truth.after[did.turn - view_of(truth).turn - 1].tokens
            kinds = 1 + (tokens < 8) + (tokens > 0)
            came = 1 / kinds / 4 if isinstance(did.move, Play) else 1 - 1 / kinds
            assert even is not None and even["next_right"] == pytest.approx(came)
            assert even["next_log"] == pytest.approx(-math.log(came))
            met += 1
    assert met > 10


def test_forecasts_and_frequencies_are_chances_even_of_slots_that_the_hand_lacks() -> None:
    def past(turn: int, move: Move) -> Past:
        return Past(turn=turn, seat=1, move=move, fireworks=(0,) * 5, tokens=4, lives=3)

    did = past(9, Play(slot=0))
    history = [past(1, Play(slot=4)), past(5, Play(slot=0))]
    for plays in (None, 0, 3, 4):
        one = next_action_marks._Tested(Forecast(1, plays, 0.7), did, 4, 4)
        assert sum(one.chances.values()) == pytest.approx(1) and one.chances[plays] == 0.7
        before = one.frequencies(history)
        assert sum(before.values()) == pytest.approx(1) and before[0] == pytest.approx(2 / 6)


def test_a_forecast_is_compared_with_the_next_move_unless_a_hint_came_between(
    known: list[Truth],
) -> None:
    for truth in known:
        report: FirstOrder = program("first_order", truth)
        scored = marks("first_order", report, truth)
        said = {one.seat: one for one in report.beliefs}
        then: dict[int, bool] = {}
        hinted: set[int] = set()
        for past in truth.after:
            if past.seat in said and past.turn > view_of(truth).turn and past.seat not in then:
                played = past.move.slot if isinstance(past.move, Play) else None
                then[past.seat] = said[past.seat].plays == played
                if past.seat in hinted:
                    del said[past.seat]
            if isinstance(past.move, HintColour | HintRank) and past.move.to not in then:
                hinted.add(past.move.to)
        tested = [right for seat, right in then.items() if seat in said]
        assert scored.get("next_right") == (pytest.approx(fmean(tested)) if tested else None)


def test_a_suggested_hint_is_followed_to_what_its_receiver_did(known: list[Truth]) -> None:
    given = [
        truth
        for truth in known
        if truth.past and isinstance(truth.past.move, HintColour | HintRank)
    ]
    assert given
    for truth in given:
        assert truth.past is not None and isinstance(truth.past.move, HintColour | HintRank)
        report = program("tom_interpreter", truth).model_copy(
            update={"hint": truth.past.move, "urgent": False}
        )
        scored = marks("tom_interpreter", report, truth)
        then = truth.next_of(truth.past.move.to)
        fitted = (
            then
            and isinstance(then.move, Play)
            and then.move.slot in truth.past.slots
            and bool(then.scored)
        )
        assert scored["hint_given"] == 1 and scored.get("hint_played") == (
            None if then is None else fitted
        )
        other = next(
            move
            for move in view_of(truth).legal
            if isinstance(move, HintColour | HintRank) and move != report.hint
        )
        scored = marks("tom_interpreter", report.model_copy(update={"hint": other}), truth)
        assert scored["hint_given"] == 0 and "hint_played" not in scored


async def test_of_two_players_an_urgent_hint_is_followed_to_the_play_it_is_for_or_to_the_card_it_saves() -> (
    None
):
    started, *events = await events_of(graphs.read("house"), players=2, seed=3)
    assert isinstance(started, GameStarted)
    kinds = set[bool]()
    for truth in truths(
        2, started.deck, [event.past.move for event in events if isinstance(event, Moved)]
    ):
        if (
            truth.past
            and isinstance(truth.past.move, HintColour | HintRank)
            and truth.next_of(truth.past.move.to)
        ):
            update = {"hint": truth.past.move, "urgent": True}
            scored = marks(
                "tom_interpreter",
                program("tom_interpreter", truth).model_copy(update=update),
                truth,
            )
            saves = holds_critical(truth, truth.past.move.to)
            assert ("urgent_kept" in scored, "hint_played" in scored) == (saves, not saves)
            assert scored["urgent_true"] == (saves or scored["hint_useful"])
            kinds.add(saves)
    assert len(kinds) == 2


def test_a_report_without_the_typed_forecast_has_no_mark_for_it(known: list[Truth]) -> None:
    """As journals of earlier versions have them."""
    report = program("tom_interpreter", known[0])
    data = report.model_dump(mode="json", exclude={"intentions": {"__all__": {"plays"}}})
    assert any(mark.startswith("next") for mark in marks("tom_interpreter", report, known[0]))
    assert not any(
        mark.startswith("next")
        for mark in marks("tom_interpreter", MindReport.model_validate(data), known[0])
    )


def test_trust_is_compared_with_how_partners_played() -> None:
    """One partner keeps to the convention of the newest card, one to none."""
    *_, last = partners_game(("smart", "smart", "piers"), 2)
    *_, truth = truths(3, deal(2), [past.move for past in last.history])
    assert truth.course is not None
    kept = truth.course.conventions
    assert (kept[1].hints, kept[2]) == ("newest", STRANGER)
    said = {"reason": "r", "insights": [], "inferred": [], "summary": "s"}
    trust = [{"seat": seat, "hints": "newest", "reads": "newest", "chance": 0.9} for seat in (1, 2)]
    report = HistoryReport.model_validate({**said, "trust": trust})
    scored = marks("history_analyst", report, truth)
    assert scored["trust_right"] == 0.5 and scored["trust_brier"] == pytest.approx(
        (0.1**2 + 0.9**2) / 2
    )


def test_what_an_ablation_takes_away_leaves_the_exact_chances_as_they_are(
    known: list[Truth],
) -> None:
    truth = known[20]
    report = program("discard_strategist", truth)
    role = roles.get("discard_strategist")
    whole = sections_of("discard_strategist", view_of(truth))
    less = Sections([one for one in whole if isinstance(one, roles.State)], defaults(role.options))
    scored, again = (roles.mark(role, report, sections, truth) for sections in (whole, less))
    assert scored == again and scored is not None and scored["safety_error"] == pytest.approx(0)
    assert role.solve is not None
    blind = roles.mark(role, role.solve(less, {}), less, truth)
    assert blind is not None and blind["safety_error"] > 0
