"""What programs state as exact agrees with the cards in sight, with their own numbers and with the turns left."""

import re
from random import Random

import pytest

from hanabi_orchestrator import graphs, roles
from hanabi_orchestrator.orchestrator.hanabi import belief
from hanabi_orchestrator.orchestrator.hanabi.cards import INDEX
from hanabi_orchestrator.orchestrator.hanabi.convention.hint_convention import ADAPTING
from hanabi_orchestrator.orchestrator.hanabi.moves import HintColour, HintRank
from hanabi_orchestrator.orchestrator.hanabi.view import View
from hanabi_orchestrator.orchestrator.players import partners
from hanabi_orchestrator.roles.hanabi.history_report import HistoryReport
from hanabi_orchestrator.roles.hanabi.reasoning import literal_play, own_rule
from hanabi_orchestrator.roles.hanabi.reasoning.convention_scene import scene_of
from hanabi_orchestrator.roles.hanabi.reasoning.position import Position
from hanabi_orchestrator.roles.hanabi.sections.convention_facts import ConventionFacts
from hanabi_orchestrator.roles.hanabi.sherlock import CardRubric
from hanabi_orchestrator.roles.sections import cut
from tests.support.positions import partners_game, random_views
from tests.support.prove import FULL

SEEDS = range(1, 11) if FULL else range(1, 3)


def views(players: int) -> list[View]:
    """Views of games of those who keep to the conventions, and of random moves."""
    convention = [
        state.view()
        for seed in SEEDS
        for state in partners_game(["smart"] * players, seed)
        if not state.over
    ]
    return [*convention, *(view for seed in SEEDS for view in random_views(players, seed))][
        :: 1 if FULL else 3
    ]


def late(view: View) -> list[int]:
    """The others who take no turn any more: those after the one who takes the last."""
    turns = view.turns_left or view.players
    return [hand.seat for step, hand in enumerate(view.hands, 1) if step >= turns]


@pytest.mark.parametrize("literally", (False, True))
def test_the_historian_names_no_kind_whose_copies_are_all_in_sight(literally: bool) -> None:
    role = roles.get("history_analyst")
    kinds = graphs.at(graphs.read("house"), 3).context_of("history_analyst").kinds(role)
    if literally:
        kinds = [
            (kind, {}) for kind in role.takes if kind not in (roles.Conventions, ConventionFacts)
        ]
    checked = 0
    for view in views(3):
        unseen = belief.unseen(view.piles, *(hand.cards for hand in view.hands))
        report = role.solve(cut(view, kinds), {}) if role.solve else None
        assert isinstance(report, HistoryReport)
        for inference in report.inferred:
            assert all(unseen[INDEX[card]] for card in inference.cards), (view.turn, inference)
            checked += 1
    assert checked > 50


@pytest.mark.parametrize("players", (2, 3, 4, 5))
def test_sherlocks_safest_discard_is_the_one_of_its_highest_safety(players: int) -> None:
    role = roles.get("sherlock_discard_strategist")
    for view in views(players):
        rubric = (
            role.solve(cut(view, [(kind, {}) for kind in role.takes]), {}) if role.solve else None
        )
        assert isinstance(rubric, CardRubric)
        safety = [float(re.findall(r"safety (\d\.\d\d)", card)[0]) for card in rubric.cards]
        (safest,) = re.findall(r"slot (\d)", rubric.safest)
        assert safety[int(safest)] == max(safety)


@pytest.mark.parametrize("players", (2, 3, 4, 5))
def test_nothing_is_hinted_to_a_player_without_a_turn_left(players: int) -> None:
    final = [view for view in views(players) if view.turns_left is not None]
    assert final
    for view in final:
        position = Position.read(cut(view, [(kind, {}) for kind in roles.get("analyst").takes]))
        known = Position.read(cut(view, [(kind, {}) for kind in roles.get("aggregator").takes]))
        scene = scene_of(known, [ADAPTING] * players)
        without = late(view)
        assert not [effect for effect in scene.hint_effects if effect.hint.to in without]
        assert not [hint for hint, _ in own_rule.hints(known, scene) if hint.to in without]
        lessons = literal_play.lessons(position)
        assert all(
            lesson.worth == 0 and lesson.late for lesson in lessons if lesson.hint.to in without
        )
        assert not [lesson for lesson in lessons if lesson.late and lesson.hint.to not in without]
        move, _ = partners.get("smart").rule(view, Random(0))
        assert not (
            isinstance(move, HintColour | HintRank) and move.to in without and view.tokens < 8
        )
