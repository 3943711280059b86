"""The section of what the conventions say now: facts that hold, in words that say them."""

import re

import pytest

from hanabi_orchestrator import graphs, roles
from hanabi_orchestrator.orchestrator.hanabi.cards import INDEX
from hanabi_orchestrator.orchestrator.hanabi.convention.policy import Scene
from hanabi_orchestrator.orchestrator.hanabi.moves import HintRank
from hanabi_orchestrator.orchestrator.hanabi.referee import Referee, deal
from hanabi_orchestrator.orchestrator.hanabi.view import View
from hanabi_orchestrator.orchestrator.players import partners
from hanabi_orchestrator.orchestrator.table.seat import GameContext
from hanabi_orchestrator.roles.hanabi.history_report import HistoryReport
from hanabi_orchestrator.roles.hanabi.mind_report import MindReport
from hanabi_orchestrator.roles.hanabi.sections.convention_facts import ConventionFacts
from hanabi_orchestrator.roles.hanabi.sections.known_hands import hints_by_slot
from hanabi_orchestrator.roles.sections import cut
from tests.support.positions import dealt, partners_game, position, turn_of
from tests.support.prove import FULL

HOUSE = graphs.read("house")
POINTED = ("R2 Y3 G4 W2 B3", "R1 R3 G2 R1 B5")
"""Of the second player's red cards the newest, in slot 3, is a red 1."""


def facts(view: View) -> ConventionFacts:
    (made,) = cut(view, [(ConventionFacts, {})])
    assert isinstance(made, ConventionFacts)
    return made


def test_the_own_cards_are_told_by_hints_and_counting_and_by_conventions() -> None:
    told = facts(dealt(*POINTED, moves=["hint P1 red"]).view()).words()
    assert "- slot 3: R1; playable 100%, dead 0%, critical 0%" in told
    assert (
        "Surely playable, in the order to play them: slot 3 (everybody knows, by the conventions).\n"
        "Surely dead, in the order to discard them: none.\nYou discard next: none." in told
    )


def test_partners_and_hints_are_told() -> None:
    told = facts(dealt(*POINTED).view()).words()
    assert "- P1 takes for playable: none. P1 discards next: slot 0 (R1)." in told
    assert "In danger: nothing of P1's." in told
    assert "- hint P1 red (0, 1, 3): play slot 3 (R1), true; value " in told
    assert "- hint P1 rank 5 (4): nothing" in told
    after = facts(dealt(*POINTED, moves=["hint P1 red", "hint P0 rank 4"]).view()).words()
    assert "- P1 takes for playable: slot 3 (R1, it is). P1 discards next: none." in after


def sheet(view: View, **options: str) -> str:
    """The words of a seat that decides alone."""
    (section,) = cut(view, [(ConventionFacts, {"told": "sheet", **options})])
    return section.words()


def test_the_sheet_tells_an_own_card_once_with_its_hints_and_what_follows() -> None:
    moves = ["hint P1 red", "hint P0 rank 4", "hint P1 rank 1", "hint P0 blue"]
    words = sheet(dealt(*POINTED, moves=moves).view())
    own, hands, steps = words.split("\n# ")
    assert "- slots 0, 1, 3: (no hint) playable 36%, dead 0%, critical 14%" in own
    assert "- slot 2: (turn 2, P1: rank 4) R4 or Y4 or G4 or W4; playable 0%" in own
    assert (
        "- slot 4: (turn 4, P1: blue) B1 or B2 or B3; playable 43%, dead 0%, critical 0%; "
        "with the conventions B1; playable 100%, dead 0%, critical 0%" in own
    )
    assert "Touched by hints: slot 0 (R1) red 1, slot 1 (R3) red, slot 3 (R1) red 1." in hands
    assert "play slot 4 (it fits by convention, by the hint of turn 4)." in steps


def test_the_sheet_follows_cards_that_move_down() -> None:
    moves = ["hint P1 red", "hint P0 rank 4", "discard slot 0", "play slot 3"]
    words = sheet(dealt(*POINTED, moves=moves).view())
    assert "- slot 1: (turn 2, P1: rank 4) R4 or Y4 or G4 or W4 or B4; " in words
    assert "Touched by hints: slot 0 (R1) red, slot 1 (R3) red." in words


def test_a_hint_promises_no_play_that_an_earlier_one_may_undo() -> None:
    """Two 1s that are the same to their owner: after the first the second may be its copy."""
    scene = facts(dealt("R2 Y3 G4 W2 B3", "R1 R3 G2 Y1 B5").view()).scene
    effect = scene.effect_of(HintRank(to=1, rank=1))
    assert effect.learned == (0, 3)
    assert scene.effect_words(effect) == "P1 will play slot 0 (R1)"


def test_the_sheet_by_the_code_tells_all_own_slots() -> None:
    words = sheet(dealt(*POINTED).view(), pack="information")
    assert "- slots 0, 1, 2, 3, 4: (no hint) playable " in words


@pytest.mark.parametrize("players", (2, 3, 4, 5))
def test_the_hints_to_a_slot_are_those_that_its_card_got(players: int) -> None:
    """By the engine's own knowledge, for all seats in a whole game, the last round with fewer cards included."""
    short = 0
    for referee in partners_game(["smart"] * players, 1):
        view = referee.view((referee.turn + 1) % players)
        hints = hints_by_slot(view.seat, players, view.history)
        short += len(view.own) < len(hints)
        assert not any(hints[len(view.own) :])
        for card, pasts in zip(view.own, hints, strict=False):
            colours = {getattr(past.move, "colour", None) for past in pasts} - {None}
            ranks = {getattr(past.move, "rank", None) for past in pasts} - {None}
            assert colours == ({card.colour} if card.colour else set())
            assert ranks == ({card.rank} if card.rank else set())
    assert short


def test_who_is_in_danger_is_told() -> None:
    told = facts(dealt("R2 Y3 G4 W2 B3", "R5 R3 G2 Y4 B4", "Y2 R4 B2 W3 W4").view()).words()
    assert "In danger: P1 is about to discard slot 0, the critical R5." in told
    assert "- hint P1 rank 5 (0): warning of slot 0 (R5), true" in told


def test_who_does_not_keep_to_the_conventions_is_named() -> None:
    told = facts(position("3p-middle")).words()
    assert (
        "P2 hints by them but reads hints literally: " in told
        and "In danger: nothing of P1's." in told
    )
    doubted = facts(position("4p-one-life")).words()
    assert (
        "who do not keep to them: P3, P0. " in doubted and "P3 discards next: not known." in doubted
    )
    misleading = [
        "hint P1 yellow",
        "hint P0 red",
        "discard slot 0",
        "hint P0 white",
        "discard slot 2",
        "hint P0 blue",
    ]
    alone = facts(dealt("R4 Y3 G2 W4 B2", "Y4 Y1 G4 W2 B3", moves=misleading).view()).words()
    assert "who do not keep to them: P1. " in alone and "In danger: not known." in alone


@pytest.mark.parametrize("players", (2, 3, 4, 5) if FULL else (3,))
async def test_every_fact_is_true_of_the_cards_in_sight(players: int) -> None:
    """Whole games of house: what a seat is told of its own hand lies in it, and what it is told of hints is so."""
    house = graphs.seat(HOUSE).bind(GameContext())
    for seed in range(1, 6 if FULL else 2):
        referee = Referee(players, deal(seed))
        met = 0
        while not referee.over:
            view = referee.view()
            at = facts(view).scene
            hand = next(
                held.cards
                for held in referee.view((view.seat + 1) % players).hands
                if held.seat == view.seat
            )
            assert all(
                slot.possible >> INDEX[card] & 1
                for slot, card in zip(at.beliefs, hand, strict=True)
            )
            told = facts(view).words()
            for hint, says in re.findall(r"(?m)^- (hint .*?) \([\d, ]+\): (.*)$", told):
                met += agrees(at, hint, says)
            referee.apply((await house(view, {})).move)
        assert met > 100


def agrees(at: Scene, hint: str, says: str) -> bool:
    """Whether what a hint is said to say is what the next player would take it for."""
    effect = next(effect for effect in at.hint_effects if str(effect.hint) == hint)
    assert ("true" in says or "makes" in says) == (effect.true or effect.plays)
    assert ("value" in says) == effect.helps and says.startswith("warning") == effect.warns
    return True


async def test_the_facts_are_those_of_the_historians_program() -> None:
    for name in ("3p-middle", "4p-one-life", "5p-last-round"):
        view = position(name)
        (report,) = (await turn_of(HOUSE, view))["history_analyst"]
        assert isinstance(report, HistoryReport)
        trusted = {one.seat: one.chance for one in report.trust}
        assert {one.seat: one.chance for one in facts(view).understood.partners} == pytest.approx(
            trusted
        )


@pytest.mark.parametrize("pack", ("none", "basic", "hgroup_1"))
async def test_beside_another_pack_nothing_is_said(pack: str) -> None:
    config = graphs.setting(HOUSE, options={"conventions": pack})
    for node in config.nodes:
        kinds = config.context_of(node).kinds(config.role(node))
        assert ConventionFacts not in dict(kinds) and (
            pack == "none" or roles.Conventions in dict(kinds)
        )
        assert "What to do" not in config.role(node).instruction(
            roles.Words(), config.context_of(node).worded()
        )


async def test_an_exact_role_reads_the_past_by_itself_where_its_note_is_a_models() -> None:
    """The interpreter's program warns of what only the conventions show, though the model's note says nothing."""
    view = dealt("R2 Y3 G4 W2 B3", "R5 R3 G2 Y4 B4").view()
    empty = HistoryReport(insights=(), inferred=(), summary="")
    role = roles.get("tom_interpreter")
    kinds = HOUSE.context_of("tom_interpreter").kinds(role)
    assert role.solve is not None
    made = role.solve(cut(view, kinds), {"history_analyst": (empty,)})
    literal = role.solve(
        cut(view, [one for one in kinds if one[0] is not ConventionFacts]),
        {"history_analyst": (empty,)},
    )
    assert isinstance(made, MindReport) and made.urgent and str(made.hint) == "hint P1 rank 5"
    assert isinstance(literal, MindReport) and not literal.urgent


@pytest.mark.parametrize("seed", (1, 2) if FULL else (1,))
async def test_house_solo_plays_as_house_does_where_programs_play(seed: int) -> None:
    house, lite = (graphs.seat(name).bind(GameContext()) for name in ("house", "house_solo"))
    for partner in (None, "iggi"):
        referee = Referee(3, deal(seed))
        while not referee.over:
            view = referee.view()
            move = (await house(view, {})).move
            assert (await lite(view, {})).move == move
            other = partner and view.seat == 1
            referee.apply(
                (await partners.get("iggi").bind(GameContext())(view, {})).move if other else move
            )


LIMITS = {"house": 8_500, "house_solo": 2_000}
"""Tokens of the prompts of a turn at 3.2 characters a token, at most."""


@pytest.mark.parametrize("name", LIMITS)
async def test_a_turn_in_the_middle_of_the_game_is_not_too_dear(name: str) -> None:
    from hanabi_orchestrator.graphs.prompt_preview import requests

    house = graphs.seat(HOUSE).bind(GameContext())
    for seed in range(1, 101) if FULL else (3, 46):
        referee = Referee(3, deal(seed))
        while referee.turn < 25:
            referee.apply((await house(referee.view(), {})).move)
        view = referee.view()
        config = graphs.read(name)
        asked = requests(config, view, await turn_of(config, view)).values()
        assert sum(len(part.text) for ask in asked for part in ask.parts) / 3.2 < LIMITS[name]
