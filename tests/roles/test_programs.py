"""Roles: the same question to words and program, and programs that do no harm."""

from dataclasses import replace
from itertools import pairwise, product
from typing import get_args

import pytest

from hanabi_orchestrator import prompts, roles
from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.hanabi import belief
from hanabi_orchestrator.orchestrator.hanabi.cards import ANY, INDEX, Card, Piles
from hanabi_orchestrator.orchestrator.hanabi.moves import Discard, HintRank, Play
from hanabi_orchestrator.orchestrator.hanabi.referee import deal
from hanabi_orchestrator.orchestrator.hanabi.view import View
from hanabi_orchestrator.orchestrator.models.json_schema import response_format
from hanabi_orchestrator.orchestrator.models.request import Absent
from hanabi_orchestrator.orchestrator.replies import writer
from hanabi_orchestrator.orchestrator.table.seat import BEFORE
from hanabi_orchestrator.roles import SECTIONS, Choice, Judgement, Reply, Role, Sections, Verdict
from hanabi_orchestrator.roles.hanabi.analysis import Analysis
from hanabi_orchestrator.roles.hanabi.history_analyst import replay
from hanabi_orchestrator.roles.hanabi.history_report import HistoryReport
from hanabi_orchestrator.roles.hanabi.reasoning import literal_play
from hanabi_orchestrator.roles.hanabi.reasoning.position import TAKES, Position
from hanabi_orchestrator.roles.hanabi.safety import LIMITS, Safety, safest
from hanabi_orchestrator.roles.hanabi.sections.convention_facts import ConventionFacts
from hanabi_orchestrator.roles.hanabi.sections.history import History
from hanabi_orchestrator.roles.hanabi.sections.table import (
    Discards,
    OwnDeductions,
    PartnerDeductions,
    PartnerKnowledge,
    State,
)
from hanabi_orchestrator.roles.legal_moves import LegalMoves
from hanabi_orchestrator.roles.notes_text import notes_text
from hanabi_orchestrator.roles.reply_types import TrackedChoice, answer_format, variant
from hanabi_orchestrator.roles.sections import cut
from tests.support.positions import dealt, literal_views, position, random_views
from tests.support.prove import FULL

DECIDING = (
    "aggregator",
    "convention_player",
    "first_ranked",
    "generator",
    "plan_evaluator",
    "planner",
    "proposer",
    "rank_proposer",
    "selector",
    "sherlock_aggregator",
    "tracker",
    "watson_aggregator",
)


def whole(view: View, role: Role) -> Sections:
    return cut(view, [(kind, {}) for kind in role.takes])


def some_views(players: int) -> list[View]:
    step = 7 if FULL else 28
    return [*random_views(players, 3)[::step], *literal_views(players, 5)[::step]]


@pytest.mark.parametrize("name", roles.names("hanabi"))
@pytest.mark.parametrize("players", (2, 3, 4, 5))
def test_every_program_answers_with_its_reply_type_the_same_each_time(
    name: str, players: int
) -> None:
    role = roles.get(name)
    assert role.solve is not None
    for view in some_views(players):
        told = whole(view, role)
        notes = (
            {"it": (Choice(reason="r", action=view.legal[0]),)}
            if issubclass(role.reply, Judgement)
            else {}
        )
        reply = role.solve(told, notes)
        assert isinstance(reply, role.reply)
        assert reply == role.solve(whole(view, role), notes)
        again = role.reply.model_validate_json(
            reply.model_dump_json(), context={"moves": dict(enumerate(view.legal))}
        )
        assert again == reply


@pytest.mark.parametrize("name", DECIDING)
@pytest.mark.parametrize("players", (2, 3, 4, 5))
def test_no_program_makes_a_move_that_is_certainly_wrong(name: str, players: int) -> None:
    role = roles.get(name)
    assert role.solve is not None
    step = 3 if FULL else 7
    for view in [*random_views(players, 9)[::step], *literal_views(players, 2)[:: step + 2]]:
        choice = role.solve(whole(view, role), {})
        assert isinstance(choice, Choice)
        slots = belief.own_hand(view)
        if name == "selector":
            continue  # without candidates it has nothing to go by
        if isinstance(choice.action, Play):
            assert slots[choice.action.slot].playable > 0
        if isinstance(choice.action, Discard) and slots[choice.action.slot].critical == 1.0:
            assert not any(slot.dead == 1.0 for slot in slots)


@pytest.mark.parametrize("players", (2, 3, 4, 5))
def test_the_analyst_states_the_exact_chance_of_every_play(players: int) -> None:
    role = roles.get("analyst")
    assert role.solve is not None
    for view in some_views(players):
        literally = cut(view, [(kind, {}) for kind in role.takes if kind is not ConventionFacts])
        analysis = role.solve(literally, {})
        assert isinstance(analysis, Analysis)
        assert tuple(entry.action for entry in analysis.moves) == view.legal
        slots = belief.own_hand(view)
        for entry in analysis.moves:
            if isinstance(entry.action, Play):
                assert entry.chance == slots[entry.action.slot].playable


@pytest.mark.parametrize("players", (2, 3, 4, 5))
def test_the_past_read_literally_is_what_hles_hints_say(players: int) -> None:
    """The historian's replay of public hints against the referee's own knowledge of every slot."""
    for seed in range(3):
        for view in random_views(players, seed)[::5]:
            history = cut(view, [(History, {})])[History]
            assert tuple(replay(history, players, view.seat).slots) == tuple(
                known.mask for known in view.own
            )
            for hand in view.hands:
                assert tuple(replay(history, players, hand.seat).slots) == tuple(
                    known.mask for known in hand.known
                )


def test_a_literal_hint_teaches_what_the_referee_then_tells() -> None:
    """`lesson` foretells which cards of the told hand become known plays."""
    from hanabi_orchestrator.orchestrator.hanabi.referee import deal, rebuild

    view = random_views(3, 1)[4]
    before = Position.read(cut(view, [(kind, {}) for kind in TAKES]))
    for found in literal_play.lessons(before):
        referee = rebuild(3, deal(1), [*(past.move for past in view.history), found.hint])
        after = next(hand for hand in referee.view(view.seat).hands if hand.seat == found.hint.to)
        assert found.touched == referee.view(view.seat).history[-1].slots
        for old, known in zip(before.known[found.hint.to], after.known, strict=True):
            assert known.mask & ~old == 0


def test_no_own_card_is_thought_to_be_one_that_any_partner_holds() -> None:
    """Each of four partners holds a five, of which there is one; hints leave any card possible."""
    hands = ("R1 Y1 G1 W1", "R5 Y2 G2 W2", "R2 Y5 G3 W3", "R3 Y3 G5 W4", "R4 Y4 G4 W5")
    view = dealt(*hands).view(0)
    slots = Position.read(cut(view, [(kind, {}) for kind in TAKES])).slots
    for slot in slots:
        held = [slot.chance(1 << INDEX[Card(f"{colour}5")]) for colour in "RYGWB"]
        assert held[:4] == [0, 0, 0, 0] and held[4] > 0, "only the blue five is out of sight"


# What is told


def test_a_section_taken_away_is_gone_for_words_and_program() -> None:
    view = position("5p-last-round")
    told = cut(view, [(kind, {}) for kind in TAKES if kind is not OwnDeductions])
    assert OwnDeductions not in told and not any(
        part.name == "own_deductions" for part in told.parts()
    )
    assert Position.read(told).own == tuple(known.positive for known in view.own)
    assert (
        Position.read(
            cut(view, [(kind, {}) for kind in TAKES if kind is not Discards])
        ).piles.discards
        == ()
    )


def test_a_refused_move_leaves_the_legal_ones() -> None:
    view = position("2p-opening")
    told = cut(view, [(LegalMoves, {})], refused=[view.legal[0]])
    assert told[LegalMoves].moves == view.legal[1:]
    assert str(view.legal[0]) not in [
        line.partition(": ")[2] for line in told[LegalMoves].words().splitlines()
    ]


def test_history_is_all_of_it_the_last_moves_or_those_since_ones_own() -> None:
    view = random_views(3, 1)[10]
    assert cut(view, [(History, {})])[History].moves == view.history
    assert cut(view, [(History, {"moves": 4})])[History].moves == view.history[-4:]
    assert [
        past.seat for past in cut(view, [(History, {"moves": "since_last_turn"})])[History].moves
    ] == [
        view.seat,
        *(hand.seat for hand in view.hands),
    ]


KEPT = {
    "turn": 3, "move": "play slot 0", "lives": 3, "tokens": 8, "deck_size": 9, "fireworks": [0, 1, 2, 3, 4],
    "own": ["nothing"], "notes": {"proposer": [{"reason": "r"}]},
}  # fmt: skip
"""A seat's memory."""
GAME = {"players": 2, "deck": list(deal(1)), "moves": ["discard slot 0"]}
"""The record of a game that was broken off."""


def test_every_section_and_role_has_its_template_and_no_template_is_left_over() -> None:
    assert set(prompts.names("sections")) == {
        *SECTIONS,
        "compact",
        "decision_sheet",
        "moves",
        "rules_brief",
        "rules_short",
    }
    assert set(prompts.names("roles")) == {
        name for name in roles.names() if roles.get(name).template
    }
    view = position("5p-last-round")
    for kind in SECTIONS.values():
        if kind.game_names and "hanabi" not in kind.game_names:
            continue
        assert cut(view, [(kind, {})], memory=KEPT | {BEFORE: [GAME]})[kind].words()


@pytest.mark.parametrize("name", [name for name in roles.names() if roles.get(name).template])
def test_the_answer_format_explains_every_field_and_its_example_is_one(name: str) -> None:
    for kind in {
        variant(roles.get(name).reply, *wanted) for wanted in product((False, True), repeat=2)
    }:
        kind.model_validate(kind.example)
        told = answer_format(kind)
        plainly = answer_format(kind, "text")
        assert all(f'"{field}"' in told for field in _fields(kind))
        assert all(f"\n- {writer.label(kind, field)}:" in plainly for field in kind.answer_fields())
        assert all(kind.model_fields[field].description for field in kind.answer_fields())


def _fields(kind: type[Reply]) -> list[str]:
    found = []
    for field in kind.answer_fields():
        info = kind.model_fields[field]
        inner = [
            a for a in get_args(info.annotation) if isinstance(a, type) and issubclass(a, Reply)
        ]
        found += [field, *(name for one in inner for name in _fields(one))]
    return found


def test_ratings_are_asked_for_when_the_context_wants_them() -> None:
    assert variant(Choice, ratings=True).answer_fields() == ("ratings", "reason", "action")
    assert variant(Choice, ratings=True, reason_first=True).answer_fields() == (
        "reason",
        "ratings",
        "action",
    )
    assert variant(Choice).answer_fields() == ("reason", "action")
    assert variant(TrackedChoice, True, True).answer_fields() == (
        "reason",
        "ratings",
        "deductions",
        "action",
    )
    assert variant(Analysis, True, True) is Analysis
    schema = response_format(variant(Choice, True, True))["json_schema"]["schema"]
    assert list(schema["properties"]) == schema["required"] == ["reason", "ratings", "action"]


def test_a_wrong_variable_in_a_template_is_named() -> None:
    with pytest.raises(ValueError, match=r"missing \['b'\], surplus \['c'\]"):
        prompts.substitute("$a and $b", {"a": 1, "c": 2}, "mine")


# Notes in words


def test_an_absent_colleague_leaves_no_scar() -> None:
    report = HistoryReport(insights=(), inferred=(), summary="Nothing yet.")
    there = {"history_analyst": (report,)}
    assert notes_text({**there, "analyst": (Absent(reason="HTTP 500: secret"),)}) == notes_text(
        there
    )
    assert notes_text({"analyst": (Absent(reason="x"),)}) == ""


def test_candidates_are_listed_once_with_their_counts() -> None:
    play = Play(slot=0)
    hint = HintRank(to=1, rank=1)
    notes = tuple(Choice(reason=f"because {i}", action=play if i else hint) for i in range(3))
    told = notes_text({"proposer": (*notes, Absent(reason="x"))})
    assert "candidate 1: hint P1 rank 1 (given 1 of 3 times)" in told
    assert "candidate 2: play slot 0 (given 2 of 3 times)" in told
    assert told.count("because") == 3


def test_refused_moves_are_told_with_the_reason() -> None:
    verdicts = (Verdict(move=Play(slot=0), accept=False, reason="too risky"),)
    assert "- play slot 0: too risky" in notes_text({"check": verdicts})
    assert notes_text({"check": (Verdict(move=Play(slot=0), accept=True, reason="fine"),)}) == ""


# The safety rule


@pytest.mark.parametrize("players", (2, 3, 4, 5))
def test_safety_lets_pass_just_the_plays_that_are_likely_enough(players: int) -> None:
    """On the last life only those that certainly fit, else from six in ten; by the chances that the referee's view
    gives, whose own tests count hands one by one."""
    rule = Safety(LIMITS)
    least = {1: 1.0, 2: 0.6, 3: 0.6}
    for view in some_views(players):
        at = Position.read(cut(view, [(kind, {}) for kind in TAKES]))
        for move in view.legal:
            judged = rule.judge(at, move)
            if isinstance(move, Play):
                assert judged.accept == (
                    belief.own_hand(view)[move.slot].playable >= least[view.lives]
                )
            elif not isinstance(move, Discard):
                assert judged.accept


def test_safety_keeps_a_card_known_critical_while_another_is_known_dead() -> None:
    """A red 5 and a yellow 1: on the table or not."""
    at = Position.read(cut(random_views(2, 2)[0], [(kind, {}) for kind in TAKES]))
    rule = Safety(LIMITS)
    own = (1 << INDEX[Card.R5], 1 << INDEX[Card.Y1], *at.own[2:])
    for yellow, accepted in ((1, False), (0, True)):
        told = replace(at, own=own, hands={}, piles=Piles((0, yellow, 0, 0, 0), ()))
        assert rule.judge(told, Discard(slot=0)).accept == accepted
        assert rule.judge(told, Discard(slot=1)).accept


@pytest.mark.parametrize("players", (2, 3, 4, 5))
def test_the_safest_move_follows_its_order(players: int) -> None:
    for view in some_views(players):
        at = Position.read(cut(view, [(kind, {}) for kind in TAKES]))
        (move, _), slots = safest(at), belief.own_hand(view)
        certain = [i for i, slot in enumerate(slots) if slot.playable == 1.0]
        dead = [m for m in at.discards if slots[m.slot].dead == 1.0]
        if certain:
            assert isinstance(move, Play) and move.slot in certain
        elif dead:
            assert move in dead
        elif view.tokens:
            assert move in at.hints
        else:
            assert isinstance(move, Discard)
            assert slots[move.slot].critical == min(slot.critical for slot in slots)


def test_a_trusted_inference_is_believed_and_a_contradiction_is_not() -> None:
    view = next(v for v in random_views(3, 2) if v.lives == 1 and v.turn > 5)
    at = Position.read(cut(view, [(kind, {}) for kind in TAKES]))
    slot = next(i for i, s in enumerate(at.slots) if 0 < s.playable < 1)
    fits = next(card for card in at.slots[slot].cards() if at.piles.playable >> INDEX[card] & 1)
    rule = Safety(LIMITS)
    assert not rule.judge(at, Play(slot=slot)).accept
    said = {
        "insights": (),
        "summary": "",
        "inferred": ({"slot": slot, "cards": (fits,), "reason": "hinted"},),
    }
    assert rule.judge(at, Play(slot=slot), [HistoryReport.model_validate(said)]).accept
    impossible = next(card for card in view.piles.discards or view.hands[0].cards)
    said["inferred"] = tuple(
        {"slot": i, "cards": (impossible,), "reason": "wrong"} for i in range(len(view.own))
    )
    assert not rule.judge(at, Play(slot=slot), [HistoryReport.model_validate(said)]).accept


def test_near_the_end_a_life_to_spare_may_be_gambled_and_the_last_one_never() -> None:
    """With three lives from three cards left in the deck, with two from one"""
    view = next(v for v in random_views(2, 2) if v.turn > 5)
    at = Position.read(cut(view, [(kind, {}) for kind in TAKES]))
    rule = Safety(LIMITS)
    unlikely = next(i for i, s in enumerate(at.slots) if 0.01 < s.playable < 0.6)
    passes = {
        (lives, deck): rule.judge(
            replace(at, lives=lives, deck_size=deck), Play(slot=unlikely)
        ).accept
        for lives in (1, 2, 3)
        for deck in range(6)
    }
    assert {case for case, accepted in passes.items() if accepted} == {
        (3, 0),
        (3, 1),
        (3, 2),
        (3, 3),
        (2, 0),
        (2, 1),
    }


def test_the_self_verifiers_program_trusts_no_report_on_the_past() -> None:
    view = next(v for v in random_views(3, 2) if v.lives == 1 and v.turn > 5)
    at = Position.read(cut(view, [(kind, {}) for kind in TAKES]))
    slot = next(i for i, s in enumerate(at.slots) if 0 < s.playable < 1)
    fits = next(card for card in at.slots[slot].cards() if at.piles.playable >> INDEX[card] & 1)
    said = {
        "insights": (),
        "summary": "",
        "inferred": ({"slot": slot, "cards": (fits,), "reason": "hinted"},),
    }
    notes = {
        "past": (HistoryReport.model_validate(said),),
        "choice": (Choice(reason="r", action=Play(slot=slot)),),
    }
    accepted = {}
    for name in ("self_verifier", "safety"):
        role = roles.get(name)
        assert role.solve is not None
        judgement = role.solve(whole(view, role), notes)
        assert isinstance(judgement, Judgement)
        accepted[name] = judgement.accept
    assert accepted == {"self_verifier": False, "safety": True}


# Registration


def test_an_unknown_role_is_named_with_the_known_ones() -> None:
    with pytest.raises(
        UserError,
        match="unknown role 'nope': a role of your own needs --import FILE; known: action_recommender, aggregator",
    ):
        roles.get("nope")


def test_a_name_is_taken_once() -> None:
    with pytest.raises(UserError, match="'proposer' is registered twice"):
        roles.add(roles.get("proposer"))


def test_a_role_that_names_moves_must_be_told_them() -> None:
    with pytest.raises(UserError, match="does not take the section 'legal_moves'"):
        roles.add(Role("blind", Choice, (State,), template="Choose."))


def test_every_deciding_role_replies_with_a_choice() -> None:
    assert {
        name for name in roles.names("hanabi") if issubclass(roles.get(name).reply, Choice)
    } == set(DECIDING)


@pytest.mark.parametrize(("plays", "told"), [(1, "a card of theirs"), (2, "2 cards of theirs")])
def test_a_hint_says_how_many_cards_it_makes_known_to_be_playable(plays: int, told: str) -> None:
    lesson = literal_play.Lesson(HintRank(to=1, rank=1), (0, 1), plays, 0, 0, 5.0 * plays)
    assert literal_play.why_hint(lesson) == f"P1 will know that {told} can be played"


def test_a_refusal_on_the_last_life_speaks_of_one_life() -> None:
    view = position("4p-one-life")
    sections = cut(view, tuple((kind, {}) for kind in (State, OwnDeductions, Discards, LegalMoves)))
    unsure = next(slot for slot, card in enumerate(belief.own_hand(view)) if card.playable < 1)
    verdict = Safety(LIMITS).judge(Position.read(sections), Play(slot=unsure))
    assert not verdict.accept and "with 1 life left" in verdict.reason


@pytest.mark.parametrize("players", [2, 5])
def test_what_partners_know_is_what_the_sections_say_of_it(players: int) -> None:
    for view in random_views(players, 4)[::7]:
        whole = Position.read(cut(view, [(kind, {}) for kind in TAKES])).known
        assert whole == {
            hand.seat: tuple(known.mask for known in hand.known) for hand in view.hands
        }
        outright = Position.read(
            cut(view, [(kind, {}) for kind in TAKES if kind is not PartnerDeductions])
        ).known
        assert outright == {
            hand.seat: tuple(known.positive for known in hand.known) for hand in view.hands
        }
        untold = [kind for kind in TAKES if kind not in (PartnerDeductions, PartnerKnowledge)]
        nothing = Position.read(cut(view, [(kind, {}) for kind in untold])).known
        assert nothing == {hand.seat: (ANY,) * len(hand.cards) for hand in view.hands}


def test_a_hint_or_a_discard_takes_one_of_the_turns_that_can_be_left() -> None:
    """A hint spends a token; a discard draws a card, and gives the token of a hint for it."""
    views = random_views(3, 4)
    turns = [Position.read(cut(view, [(kind, {}) for kind in TAKES])).turns for view in views]
    last = next(at for at, view in enumerate(views) if not view.deck_size)
    for at, (before, after) in enumerate(pairwise(turns[:last])):
        play = views[at + 1].history[-1].move.kind == "play"
        assert before - after in ((1, 2) if play else (1,))
    assert last > 30
