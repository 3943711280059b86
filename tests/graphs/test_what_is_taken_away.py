"""What a config takes away stays away: from prompts, programs, refusals, redos and forced moves.

A view is changed in one thing only, which some sections show. In every graph without these sections, whole turns with
refused choices must then be the same to the letter: what is asked, what redos are told, and the forced move.
"""

from collections.abc import Callable, Iterator
from functools import partial
from itertools import chain, product
from typing import Any

import pytest

from hanabi_orchestrator import graphs, roles
from hanabi_orchestrator.graphs import GraphConfig
from hanabi_orchestrator.graphs.asking import SeatRuntime, ask
from hanabi_orchestrator.graphs.attempts import attempts, safety_node
from hanabi_orchestrator.graphs.gate import NO_REASON
from hanabi_orchestrator.graphs.node import SeatState
from hanabi_orchestrator.graphs.recorded import notes_of
from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.hanabi.cards import RANKS, Colour
from hanabi_orchestrator.orchestrator.hanabi.moves import HintColour, HintRank, Play
from hanabi_orchestrator.orchestrator.hanabi.view import Hand, Knowledge, View
from hanabi_orchestrator.orchestrator.journal.events import Event, VerdictGiven
from hanabi_orchestrator.orchestrator.models.request import ModelRequest, Scripted
from hanabi_orchestrator.orchestrator.table.seat import BEFORE, Decision, GameContext
from hanabi_orchestrator.roles.reply_types import Choice, Judgement, Verdict
from hanabi_orchestrator.roles.role_options import defaults
from tests.support.positions import GRAPHS, literal_views, position, random_views
from tests.support.prove import FULL
from tests.support.small_graph import scripted

# One thing changed, and the sections that show it


def without_negatives(known: Knowledge) -> Knowledge:
    return known.outright


def untold(known: Knowledge) -> Knowledge:
    return Knowledge(colours=tuple("RYGWB"), ranks=RANKS)


def own(view: View, change: Any) -> View:
    return view.model_copy(update={"own": tuple(map(change, view.own))})


def others(view: View, change: Any) -> View:
    hands = tuple(
        Hand(seat=h.seat, cards=h.cards, known=tuple(map(change, h.known))) for h in view.hands
    )
    return view.model_copy(update={"hands": hands})


def fewer_discards(view: View) -> View:
    return view.model_copy(update={"discards": view.discards[: len(view.discards) // 2]})


def another_past(view: View) -> View:
    """The moves before the seat's last turn with other hints and outcomes; the table is what it was."""
    last = max((past.turn for past in view.history if past.seat == view.seat), default=1)
    kept = [past for past in view.history if past.turn >= last]
    moved = [
        past.model_copy(update={"slots": past.slots[:1]})
        if isinstance(past.move, HintColour | HintRank)
        else past
        for past in view.history
        if past.turn < last
    ]
    return view.model_copy(update={"history": (*moved, *kept)})


CHANGES: dict[str, tuple[Callable[[View], View], set[str]]] = {
    "own negative hints": (partial(own, change=without_negatives), {"own_deductions"}),
    "partners' negative hints": (partial(others, change=without_negatives), {"partner_deductions"}),
    "partners' hints": (
        partial(others, change=untold),
        {"partner_deductions", "partner_knowledge"},
    ),
    "discards": (fewer_discards, {"discards", "own_deductions from counting"}),
    "turns left": (lambda view: view.model_copy(update={"turns_left": None}), {"final_round"}),
    "the past": (another_past, {"history", "convention_facts", "own_actions"}),
}
"""By name: the change, and the sections that show what it changes."""


def arms(name: str) -> Iterator[GraphConfig]:
    """The graph, and the graph without each section, each pair of sections that say the same, and each node."""
    whole = graphs.verified(graphs.read(name), "safety")
    yield whole
    sections = dict.fromkeys(s for node in whole.nodes for s in whole.context_of(node).names)
    pairs = [
        tuple(sorted({one.partition(" ")[0] for one in shown} & set(sections)))
        for _, shown in CHANGES.values()
    ]
    removals = [
        *(partial(graphs.without_sections, whole, section) for section in sections),
        *(partial(graphs.without_sections, whole, *pair) for pair in pairs if len(pair) > 1),
        *(partial(graphs.without, whole, node) for node in whole.nodes),
    ]
    for remove in removals if FULL else removals[len(name) % 4 :: 4]:
        try:
            yield remove()
        except UserError:
            continue  # the graph cannot do without it


def shows(config: GraphConfig, section: str) -> bool:
    """Whether some node gets it, as far as it shows the change: the latest moves show no other past."""
    section, _, counts = section.partition(" from ")
    kinds = chain.from_iterable(
        config.context_of(name).kinds(config.role(name), config.without_sections)
        for name in config.nodes
    )
    found = [
        {**defaults(kind.choices), **options} for kind, options in kinds if kind.name == section
    ]
    return any(
        options.get("moves") != "since_last_turn" and counts in ("", options.get("from"))
        for options in found
    )


def unshown(config: GraphConfig) -> list[str]:
    """The changes that nobody at this seat can see."""
    return [
        name
        for name, (_, shown) in CHANGES.items()
        if not any(shows(config, section) for section in shown)
    ]


def reckless(request: ModelRequest) -> dict[str, Any]:
    """A choice that is likely to be refused: the last play of the list, else the first move."""
    plays = [label for label, move in request.moves.items() if isinstance(move, Play)]
    label = [*plays[::-1], *request.moves][0]
    plans = [{"action": label, "plan": "p", "gain": 1}]
    deductions = [{"seat": 0, "slots": ["anything"]}]
    return {"ratings": [], "plans": plans, "deductions": deductions, "reason": "r", "action": label}


def brain(config: GraphConfig) -> Scripted:
    """Choices are reckless, judges refuse, and everybody else gives no usable answer."""
    asked = {node.role: config.role(name).reply for name, node in config.nodes.items()}
    answers: dict[str, Any] = {}
    for role, reply in asked.items():
        answers[role] = reckless if issubclass(reply, Choice) else "mumble"
        if issubclass(reply, Judgement):
            answers[role] = {"reason": "no", "accept": False}
    return Scripted(answers)


async def played(
    config: GraphConfig, view: View, *, exact: bool
) -> tuple[Any, Decision, list[str]]:
    """What is asked on a turn, what is decided, and what refusals tell: the deciding node is a reckless model, the
    others are the same, or exact programs where they have one."""
    if exact:
        able = {n: "program" for n in config.nodes if n not in (config.decides, config.redo)}
        config = graphs.replace(config, **able) if able else config
    script = brain(config)
    events = list[Event]()
    decision = await graphs.seat(config, script).bind(GameContext(events.append))(view, {})
    asked = [(ask.node, [(part.name, part.text) for part in ask.parts]) for ask in script.asked]
    verdicts = [event for event in events if isinstance(event, VerdictGiven) and not event.accepted]
    return asked, decision, [event.why if event.told is None else event.told for event in verdicts]


VIEWS = [
    *random_views(3, 4)[7:60:9],
    *literal_views(2, 3)[9:60:8],
    position("3p-empty-deck"),
    position("5p-last-round"),
    position("4p-one-life"),
]


@pytest.mark.parametrize("name", GRAPHS)
async def test_no_refusal_and_no_forced_move_tells_what_a_config_took_away(name: str) -> None:
    refused = 0
    forced = 0
    found = list(cases(name))
    for config, change, view, exact in found if FULL else found[:: len(found) // 5 or 1]:
        try:
            asked, decision, told = await played(config, view, exact=exact)
        except UserError:
            continue  # a program lacks the section
        assert (asked, decision, told) == await played(
            config, CHANGES[change][0](view), exact=exact
        ), change
        refused = refused + bool(told)
        forced = forced + decision.forced
    if (
        graphs.read(name).decides != "planner"
    ):  # one is a program, the others may get no play to choose
        assert refused + forced > 0


def cases(name: str) -> Iterator[tuple[GraphConfig, str, View, bool]]:
    """An arm of a graph, a change that nobody sees there, a view that it changes, and who answers."""
    for config in arms(name):
        for change, view, exact in product(unshown(config), VIEWS, (True, False)):
            if view.players in config.players and CHANGES[change][0](view) != view:
                yield config, change, view, exact


async def test_the_changes_show_where_nothing_is_taken_away() -> None:
    """The comparison above can fail."""
    config = graphs.verified(graphs.read("sherlock"), "safety")
    seen = set()
    for view in VIEWS if FULL else (VIEWS[2], position("3p-empty-deck")):
        whole = await played(config, view, exact=True)
        for change, (changed, _) in CHANGES.items():
            seen |= {change} if whole != await played(config, changed(view), exact=True) else set()
    assert seen == set(CHANGES) - {"the past"}  # this graph shows no past


# A gate that knows more

BLIND = ("own_deductions", "discards", "partner_deductions", "convention_facts", "history")
LIMITS = {1: 1.0, 2: 0.7, 3: 0.7}
KNOWS_ALL = {"rule": "safety", "knows": "all", "conventions": False, "limits": LIMITS}
KNOWING = graphs.setting(
    graphs.read("house"),
    verify={"rule": "safety", "knows": "all", "conventions": False, "limits": LIMITS},
)


async def verdict(config: GraphConfig, view: View, move: Play) -> tuple[VerdictGiven, Verdict]:
    """What the gate says of a play: to the journal, and to the seat."""
    events = list[Event]()
    notes = {config.decides: (Choice(reason="r", action=move),)}
    state: SeatState = {"view": view, "memory": {}, "notes": notes}
    node = safety_node(config, attempts(config)[0])
    (told,) = await ask(node, state, SeatRuntime({}, GameContext(events.append)))
    (said,) = (event for event in events if isinstance(event, VerdictGiven))
    assert isinstance(told, Verdict)
    return said, told


def told_one(*colours: Colour) -> View:
    """A card that was told to be a 1, and by negative hints to be of these colours, where red 1 is played."""
    card = Knowledge(rank=1, colours=colours, ranks=(1,))
    view = position("2p-opening")
    return view.model_copy(update={"fireworks": (1, 0, 0, 0, 0), "own": (card, *view.own[1:])})


async def test_a_gate_that_knows_more_tells_no_reason_that_the_seat_may_not_know() -> None:
    """The same refusal is told in the same words whatever the hints say that only the gate knows."""
    config = graphs.without_sections(KNOWING, *BLIND)
    (red, told), (either, again) = [
        await verdict(config, told_one(*c), Play(slot=0)) for c in ("R", ("R", "Y"))
    ]
    assert not red.accepted and not either.accepted and red.why != either.why
    assert told.reason == again.reason == red.told == NO_REASON
    blind = graphs.setting(
        config, verify={"rule": "safety", "knows": "seat", "conventions": False, "limits": LIMITS}
    )
    allowed, _ = await verdict(blind, told_one("R"), Play(slot=0))
    assert (
        allowed.accepted and "playable with probability 0." in allowed.why
    )  # for all that the seat may know


async def test_a_gate_that_knows_more_tells_the_reason_that_the_seat_may_know() -> None:
    config = graphs.without_sections(KNOWING, *BLIND)
    view = told_one("R").model_copy(update={"fireworks": (1, 1, 1, 1, 1)})
    said, told = await verdict(config, view, Play(slot=0))
    assert (
        not said.accepted
        and told.reason == said.told
        and "playable with probability 0.00" in told.reason
    )


async def test_a_redo_reads_what_it_may_be_told_and_the_journal_keeps_the_reason() -> None:
    config = graphs.without_sections(KNOWING, *BLIND)
    script = scripted(aggregator={"reason": "r", "action": "play slot 0"})
    events = list[Event]()
    await graphs.seat(config, script).bind(GameContext(events.append))(told_one("R"), {})
    again = " ".join(
        part.text for ask in script.asked if ask.node == "aggregator-2" for part in ask.parts
    )
    (said,) = (
        event for event in events if isinstance(event, VerdictGiven) and event.node == "safety"
    )
    assert (
        f"- play slot 0: {NO_REASON}" in again
        and "probability 0.00" in said.why
        and said.why not in again
    )
    assert notes_of(config, events)["safety"] == (
        Verdict(move=Play(slot=0), accept=False, reason=NO_REASON),
    )


async def test_past_games_that_are_taken_away_reach_no_role() -> None:
    """Also not by the facts of the conventions, which are made with them where they are there."""
    view = random_views(2, 3)[20]
    records = [
        {"players": 2, "deck": [card.value for card in _deck()], "moves": ["discard slot 0"] * 20}
    ]
    config = graphs.without_sections(graphs.read("house"), "past_games")
    asked = []
    for memory in ({}, {BEFORE: records}):
        script = brain(config)
        await graphs.seat(config, script)(view, memory)
        asked.append([ask.parts for ask in script.asked])
    assert asked[0] == asked[1]


def _deck() -> list[Any]:
    from hanabi_orchestrator.orchestrator.hanabi.referee import deal

    return list(deal(4))


def test_programs_get_no_negative_hints_where_their_sections_are_taken_away() -> None:
    for view in VIEWS:
        for kind in (roles.SECTIONS["state"], roles.SECTIONS["partner_knowledge"]):
            told = repr(kind.of(view, {"own": "told", "words": "told"}))
            bare = others(own(view, without_negatives), without_negatives)
            assert told == repr(kind.of(bare, {"own": "told", "words": "told"}))
