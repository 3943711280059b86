"""The safety rule and the conventions: it trusts what the prompts tell a model to trust, and says by what it judges."""

import re

import pytest

from hanabi_orchestrator import graphs
from hanabi_orchestrator.graphs import gate
from hanabi_orchestrator.graphs.prompt_preview import requests
from hanabi_orchestrator.orchestrator.hanabi import belief
from hanabi_orchestrator.orchestrator.hanabi.moves import Move, Play
from hanabi_orchestrator.orchestrator.hanabi.referee import Referee, deal
from hanabi_orchestrator.orchestrator.hanabi.view import View
from hanabi_orchestrator.orchestrator.journal.events import Call, Event, VerdictGiven
from hanabi_orchestrator.orchestrator.models.simulated_settings import Rates
from hanabi_orchestrator.orchestrator.table.seat import GameContext
from hanabi_orchestrator.roles.hanabi import error_injection
from hanabi_orchestrator.roles.hanabi.error_injection import Slips
from hanabi_orchestrator.roles.hanabi.history_report import HistoryReport
from hanabi_orchestrator.roles.hanabi.sections.convention_facts import ConventionFacts
from hanabi_orchestrator.roles.reply_types import Choice, Judgement
from hanabi_orchestrator.roles.sections import Sections, cut
from tests.support.positions import GRAPHS, dealt, position, turn_of
from tests.support.prove import FULL
from tests.support.small_graph import scripted, turn

HOUSE = graphs.read("house")
FLAWLESS = {"model": "sim:careful", **dict.fromkeys(Rates.model_fields, 0.0)}
"""A model that writes what the program says, without an error: the reader reads its note as any model's."""
WRITTEN = graphs.replace(HOUSE, history_analyst="author")
"""House with the historian's note written by a model."""


async def played(players: int, seed: int) -> list[tuple[bool, bool]]:
    """The plays of a game of house before its last turns: whether hints and counting alone made each likely enough,
    and whether the rule let it pass."""
    referee = Referee(players, deal(seed))
    found = []
    events: list[Event] = []
    seat = graphs.seat(WRITTEN, named={"author": FLAWLESS}).bind(GameContext(events.append))
    house = graphs.seat(HOUSE).bind(GameContext())
    while not referee.over:
        view, events[:] = referee.view(), []
        move = (await house(view, {})).move
        if isinstance(move, Play) and view.deck_size > 3:  # later a play may be a gamble
            await seat(view, {})
            first = next(event for event in events if isinstance(event, VerdictGiven))
            assert first.move == move
            assert any(event.model == "sim:careful" for event in events if isinstance(event, Call))
            likely = belief.own_hand(view)[move.slot].playable >= (0.6 if view.lives > 1 else 1.0)
            found.append((likely, first.accepted))
        referee.apply(move)
    return found


@pytest.mark.parametrize("players", (2, 3, 4, 5) if FULL else (2, 3))
async def test_no_play_that_the_conventions_prove_is_refused_where_a_model_writes_the_note(
    players: int,
) -> None:
    """Among them plays that hints and counting alone do not make likely enough."""
    games = [await played(players, seed) for seed in range(1, 9 if FULL else 2)]
    found = [play for game in games for play in game]
    assert all(accepted for _, accepted in found)
    assert len(found) > (120 if FULL else 12) and sum(likely for likely, _ in found) < 0.9 * len(
        found
    )


HANDS = ("R2 Y3 G4 W2 B3", "R4 R3 Y3 G3 R1")
LAST_LIFE = ["hint P1 rank 3", "play slot 0", "discard slot 0", "play slot 0", "hint P1 red"]
"""The second player loses two lives by themselves; the hint points at the newest red card, the 1 in slot 4."""


def pointed_at(note: HistoryReport) -> int:
    """The slot that a note takes for the red 1."""
    return next(one.slot for one in note.inferred if [card.value for card in one.cards] == ["R1"])


async def test_on_the_last_life_the_exact_reading_counts_and_a_false_note_does_not() -> None:
    view = dealt(*HANDS, moves=LAST_LIFE).view()
    (true,) = (await turn_of(HOUSE, view))["history_analyst"]
    assert view.lives == 1 and isinstance(true, HistoryReport)
    made = (
        error_injection.moved(true, Sections(()), Slips(Rates(slot_off_by_one=1.0), seed))
        for seed in range(9)
    )
    false = next(note for note in made if isinstance(note, HistoryReport) and pointed_at(note) != 4)
    for note in (true, false):
        pointed = pointed_at(note)
        brain = scripted(
            history_analyst=note.as_data(),
            aggregator={"reason": "r", "action": f"play slot {pointed}"},
        )
        _, events = await turn(HOUSE, brain, view)
        verdict = next(event for event in events if isinstance(event, VerdictGiven))
        assert (
            verdict.accepted == (note is true)
            and "by hints, counting and conventions" in verdict.why
        )


PLAY = {"reason": "r", "action": "play slot 4"}


async def test_without_the_conventions_a_models_note_counts_for_nothing() -> None:
    view = dealt(*HANDS, moves=LAST_LIFE).view()
    config = graphs.setting(HOUSE, options={"conventions": "none"})
    brain = scripted(
        history_analyst={"insights": [], "inferred": [], "summary": ""}, aggregator=PLAY
    )
    _, events = await turn(config, brain, view)
    assert "by hints and counting" in next(
        event.why for event in events if isinstance(event, VerdictGiven)
    )


@pytest.mark.parametrize("name", GRAPHS)
async def test_every_prompt_whose_choice_may_be_refused_says_by_what_rule(name: str) -> None:
    view = position("3p-middle")
    for config in (
        graphs.verified(graphs.read(name), "safety"),
        graphs.verified(graphs.read(name), "none"),
    ):
        notes = await turn_of(config, view)
        for node, ask in requests(graphs.at(config, view.players), view, notes).items():
            told = "An exact rule refuses a play" in "".join(part.text for part in ask.parts)
            assert told == (node == config.decides and config.verify.rule == "safety")


async def test_the_rule_is_told_with_the_limits_of_the_graph() -> None:
    config = graphs.dotted(HOUSE, ["verify.limits={1: 1.0, 2: 0.8, 3: 0.5}"])
    view = position("3p-middle")
    (part,) = (
        p
        for p in requests(config, view, await turn_of(config, view))["aggregator"].parts
        if p.name == "instruction"
    )
    assert (
        "by hints, counting and conventions, is below 50% (lives left: 3), 80% (lives left: 2)"
        in part.text
    )


def test_the_rule_trusts_partners_blindly_where_the_whole_seat_does() -> None:
    blind = graphs.setting(HOUSE, options={"convention_facts": {"partners": "blind"}})
    partly = graphs.dotted(HOUSE, ["nodes.tom_interpreter.options.convention_facts.partners=blind"])
    told = [
        dict(gate.of_seat(config))[ConventionFacts]["partners"] for config in (HOUSE, partly, blind)
    ]
    assert told == ["learnt", "learnt", "blind"]


# What the latest hints mean

BARE = graphs.without_sections(graphs.without(HOUSE, "history_analyst"), "convention_facts")
"""Nobody at this seat reads the past; who decides is told what hints mean, and the latest moves."""
POINTED = ["hint P1 red"]
"""It touches slots 0, 1 and 4, and by the conventions means the newest, the 1; by counting that is less likely."""


def judged(config: graphs.GraphConfig, view: View, move: Move) -> Judgement:
    notes = {config.decides: (Choice(reason="r", action=move),)}
    return gate.rule(config)(cut(view, gate.kinds(config)), notes)


@pytest.mark.parametrize(
    "config", (BARE, graphs.without_sections(graphs.read("house_solo"), "convention_facts"))
)
def test_a_play_that_a_fresh_hint_points_at_is_not_refused(config: graphs.GraphConfig) -> None:
    view = dealt(*HANDS, moves=POINTED).view()
    assert belief.own_hand(view)[4].playable < 0.6
    pointed = judged(config, view, Play(slot=4))
    beside = judged(config, view, Play(slot=1))
    assert pointed.accept and "the latest hints" in pointed.reason and not beside.accept
    deaf = graphs.setting(config, verify={"rule": "safety", "conventions": False})
    unread = graphs.without_sections(config, "conventions")
    assert (
        not judged(deaf, view, Play(slot=4)).accept
        and not judged(unread, view, Play(slot=4)).accept
    )


def test_a_warning_points_at_nothing_to_play_and_the_last_life_is_not_risked_for_a_hint() -> None:
    warned = dealt("R2 Y3 G4 W2 B3", "R5 R3 Y3 G3 R1", moves=["hint P1 rank 5"]).view()
    assert not judged(BARE, warned, Play(slot=0)).accept
    last = dealt(*HANDS, moves=LAST_LIFE).view()
    assert last.lives == 1 and not judged(BARE, last, Play(slot=4)).accept


SHERLOCK = graphs.verified(graphs.read("sherlock"), "safety")


@pytest.mark.parametrize("config", (HOUSE, BARE, graphs.read("house_solo"), SHERLOCK))
async def test_a_prompt_says_which_moves_the_rule_refuses_where_it_shows_what_they_are_judged_by(
    config: graphs.GraphConfig,
) -> None:
    views = [dealt(*HANDS, moves=moves).view() for moves in (POINTED, LAST_LIFE)] + [
        position("3p-middle")
    ]
    for view in views:
        asked = requests(graphs.at(config, view.players), view, await turn_of(config, view))
        text = "\n".join(part.text for part in asked[config.decides].parts)
        said = re.search(r"Now it refuses: (.+)\.$", text, re.MULTILINE)
        refused = [move for move in view.legal if not judged(config, view, move).accept]
        every = all(move in refused for move in view.legal if isinstance(move, Play))
        moves = (
            ["every play", *(m for m in refused if not isinstance(m, Play))]
            if refused and every
            else refused
        )
        expected = ", ".join(map(str, moves)) or None
        assert (said[1] if said else None) == (None if config is HOUSE else expected)
