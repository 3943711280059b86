"""Control notes: of the role's own type, as long as the note they replace, with nothing of its content."""

from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from typing import Any

import pytest
from pydantic import BaseModel

from hanabi_orchestrator import graphs
from hanabi_orchestrator.graphs import ablate
from hanabi_orchestrator.graphs.ablate import at
from hanabi_orchestrator.graphs.config import GraphConfig
from hanabi_orchestrator.graphs.control_notes import (
    GIVEN,
    GivenNote,
    padded,
    phase,
    placebo,
    shuffled,
)
from hanabi_orchestrator.graphs.prompt_preview import Programs, requests
from hanabi_orchestrator.graphs.recorded import replies
from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.hanabi.moves import Move
from hanabi_orchestrator.orchestrator.hanabi.view import View
from hanabi_orchestrator.orchestrator.journal.events import Call, Event, Memory, TurnStarted
from hanabi_orchestrator.orchestrator.models.request import estimated
from hanabi_orchestrator.orchestrator.replies.reply import Reply
from hanabi_orchestrator.orchestrator.table.seat import Decision, GameContext
from hanabi_orchestrator.roles.notes_text import plain
from hanabi_orchestrator.roles.reply_types import Choice, Judgement, Rating, Shortlist, slot_fields
from hanabi_orchestrator.roles.words import ENGLISH, Words
from tests.support.positions import partners_game

GRAPHS = ("house", "moa_watson", "moa_sherlock", "tom_planner_2", "cac")
"""All roles that advise, between them."""
Said = list[tuple[View, Reply]]


async def said(name: str, players: int = 3, every: int = 12) -> Said:
    """What the programs of a graph reply on some turns of a game by the conventions."""
    config = at(graphs.read(name), players)
    found = list[tuple[View, Reply]]()
    for number, referee in enumerate(partners_game(("smart",) * players, 5)):
        if referee.over or number % every:
            continue
        view = referee.view()
        events = list[Event]()
        await graphs.seat(config).bind(GameContext(events.append, "game"))(view, {})
        for one in replies(
            config, [TurnStarted(turn=view.turn, seat=view.seat, view=view), *events]
        ):
            if isinstance(one.reply, Reply) and not isinstance(one.reply, Judgement):
                found.append((view, one.reply))
    return found


def values(said: object, path: str = "", key: str | None = None) -> Iterator[tuple[str, Any]]:
    """All that a reply says, by the names of its fields; the keys of entries, and what they are about, left out."""
    if isinstance(said, tuple):
        yield (path, len(said)) if said and not isinstance(said[0], BaseModel) else (path, None)
        for one in said:
            yield from values(one, path, getattr(type(one), "unique", None))
    elif isinstance(said, BaseModel) and not isinstance(said, Move):
        for name, value in said:
            if name not in (key, "type", "rank"):
                yield from values(value, f"{path}.{name}")
    else:
        yield path, said


@pytest.mark.parametrize("name", GRAPHS)
async def test_a_placebo_is_as_long_as_the_note_and_tells_no_entry_from_another(name: str) -> None:
    met = 0
    for view, reply in await said(name):
        for brief in (True, False):
            made = placebo(reply, view, brief=brief)
            assert type(made) is type(reply) and made == placebo(reply, view, brief=brief)
            size, wanted = (estimated(plain(one, ENGLISH, brief=brief)) for one in (made, reply))
            assert abs(size - wanted) <= max(6, wanted // 10), (
                plain(made, ENGLISH),
                plain(reply, ENGLISH),
            )
        told = defaultdict[str, set[Any]](set)
        for path, value in values(made):
            if not (isinstance(value, str) and value.startswith("Hanabi")) and value is not None:
                told[path].add(value)
        if not isinstance(reply, Choice | Shortlist):
            assert all(len(found) == 1 for found in told.values()), told
            assert not any(isinstance(value, Move) for found in told.values() for value in found)
        met += 1
    assert met > 6


async def test_what_must_name_moves_names_as_many_drawn_at_random() -> None:
    view, reply = next((v, r) for v, r in await said("tom_planner_2") if isinstance(r, Shortlist))
    made = [placebo(reply, view, seed=seed) for seed in range(8)]
    assert {len(one.moves) for one in made if isinstance(one, Shortlist)} == {len(reply.moves)}
    assert len({one.moves for one in made if isinstance(one, Shortlist)}) > 4
    chosen = [
        placebo(Choice(reason="It fits.", action=view.legal[0]), view, seed=seed)
        for seed in range(30)
    ]
    assert len({one.action for one in chosen if isinstance(one, Choice)}) > len(view.legal) // 2


async def test_a_placebo_speaks_the_language_of_its_readers() -> None:
    chinese, (view, reply) = Words("zh"), (await said("tom_planner_2"))[0]
    text = plain(placebo(reply, view, chinese), chinese)
    assert sum(not letter.isascii() for letter in text) > len(text) / 2


@pytest.mark.parametrize("name", GRAPHS)
async def test_a_shuffled_note_names_no_move_player_or_slot_that_is_not_there(name: str) -> None:
    found = await said(name)
    put = 0
    for view, reply in found:
        others = [
            (other, there) for there, other in found if type(other) is type(reply) and there != view
        ]
        for note in (shuffled(other, there, view) for other, there in others):
            if note is not None:
                assert type(note) is type(reply)
                assert_possible(note, view)
                put += 1
    assert put > 4


def as_tuple(value: object) -> tuple[Any, ...]:
    return value if isinstance(value, tuple) else (value,)


def assert_possible(said: object, view: View) -> None:
    if isinstance(said, tuple):
        for one in said:
            assert_possible(one, view)
    elif isinstance(said, Move):
        assert said in view.legal
    elif isinstance(said, BaseModel):
        assert getattr(said, "seat", 0) < view.players and getattr(said, "turn", 1) <= view.turn
        slots = [getattr(said, name) for name in slot_fields(type(said))]
        assert all(
            slot is None or slot < len(view.own) for value in slots for slot in as_tuple(value)
        )
        for _, value in said:
            assert_possible(value, view)


def test_a_shuffled_choice_that_is_not_legal_here_is_no_note() -> None:
    first = next(partners_game(("smart",) * 3, 5)).view()
    reply = Choice(reason="P1 needs it.", action=first.legal[0])
    here = first.model_copy(update={"seat": 1, "legal": first.legal[1:]})
    assert shuffled(reply, first, first) == reply
    assert shuffled(reply, first, here) is None
    assert shuffled(reply, first, first.model_copy(update={"players": 4})) is None
    moved = shuffled(Rating(action=first.legal[-1], rating=1), first, first)
    assert moved is not None


# The padded note


def replaceable(config: GraphConfig) -> list[str]:
    """The nodes that can be removed, and whose note a control can stand for."""
    nodes = []
    for name in set(config.nodes) - {*config.judges}:
        with suppress(UserError):
            ablate.without(config, name)
            nodes.append(name)
    return nodes


def given(config: GraphConfig, node: str, replies: Said) -> Memory:
    """The memory in which a node finds notes of another game."""
    kind = config.role(node).reply
    notes = [
        GivenNote(
            node=node,
            turn=view.turn,
            seat=view.seat,
            phase=phase(view),
            replies=(reply.model_dump(mode="json"),),
        )
        for view, reply in replies
        if type(reply) is kind
    ]
    return {
        GIVEN: {"from": "full/3p-s2-r1", "notes": [note.model_dump(mode="json") for note in notes]}
    }


async def turns(
    config: GraphConfig, model: str, memory: Memory
) -> tuple[list[Decision], list[Call]]:
    """What a seat decides on some turns of a game by the conventions, and all its calls."""
    decisions = list[Decision]()
    events = list[Event]()
    for number, referee in enumerate(partners_game(("smart",) * 3, 5)):
        if not referee.over and number % 13 == 1:
            seat = graphs.seat(config, model).bind(GameContext(events.append, "game"))
            decisions.append(replace(await seat(referee.view(), memory), memory={}))
    return decisions, [event for event in events if isinstance(event, Call)]


@pytest.mark.parametrize(
    ("name", "model"),
    [
        *((name, "program") for name in ("house", "moa_watson", "tom_planner_2", "cac")),
        ("tom_planner_2", "sim:careless"),
    ],
)
async def test_a_padded_note_is_played_as_no_note_at_all(name: str, model: str) -> None:
    config = at(graphs.read(name), 3)
    replies = await said(name, every=24)
    nodes = replaceable(config)
    assert nodes
    for node in nodes:
        empty = ablate.controlled(config, padded=[node])
        decisions, calls = await turns(empty, model, given(config, node, replies))
        without, _ = await turns(ablate.without(config, node), model, {})
        assert len(decisions) > 3 and decisions == without, node
        given_calls = [call for call in calls if call.node == node]
        assert any(call.padding for call in given_calls) and not any(
            call.reply for call in given_calls
        )


@pytest.mark.parametrize("name", GRAPHS)
async def test_a_padded_note_leaves_all_else_of_every_prompt_and_is_as_long(name: str) -> None:
    config = at(graphs.read(name), 3)
    view = next(islice(partners_game(("smart",) * 3, 5), 12, None)).view()
    notes, _ = await Programs(config).turn(view, {})
    full = requests(config, view, notes)
    for node in replaceable(config):
        replies = notes[node]
        context = config.context_of(node)
        shown: dict[str, Any] = {"brief": context.reports == "brief"}
        shown |= {"raw": context.answer_format} if context.reports == "raw" else {}
        empty = tuple(padded(reply, **shown) for reply in replies if isinstance(reply, Reply))
        prompts = requests(config, view, {**notes, node: empty})
        changed = [
            (part, other)
            for reader, request in prompts.items()
            for part, other in zip(request.parts, full[reader].parts, strict=True)
            if part != other
        ]
        if isinstance(
            replies[0], Shortlist
        ):  # its moves are the list of legal moves, which are now all
            assert {part.name for part, _ in changed} == {"legal_moves"}
            continue
        assert len(changed) == sum(node in config.nodes[reader].reads for reader in prompts)
        for part, other in changed:
            assert (
                part.name == "notes"
                and f"## {ENGLISH.name(node)}\nEmpty: this note says nothing" in part.text
            )
            assert abs(estimated(part.text) - estimated(other.text)) < max(
                8, estimated(other.text) // 50
            )
