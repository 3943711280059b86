"""Hidden information never leaves the table: whatever hand and deck lie behind a public past, agents get one and the
same.
"""

import json
import random
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from hanabi_orchestrator import graphs, prompts, roles
from hanabi_orchestrator.experiments.interchange import data_rows
from hanabi_orchestrator.experiments.interchange.data_rows import COLUMNS, DataSet
from hanabi_orchestrator.experiments.record.games import Source
from hanabi_orchestrator.experiments.tasks.probes import probe as probe_games
from hanabi_orchestrator.experiments.tasks.probes.bank import probes
from hanabi_orchestrator.graphs import ablate, context, recorded
from hanabi_orchestrator.graphs.config import checked
from hanabi_orchestrator.graphs.control_notes import GIVEN
from hanabi_orchestrator.orchestrator import play, play_async
from hanabi_orchestrator.orchestrator.errors import IllegalMove
from hanabi_orchestrator.orchestrator.hanabi.cards import COLOURS, RANKS
from hanabi_orchestrator.orchestrator.hanabi.moves import Discard, HintColour, HintRank, Move, Play
from hanabi_orchestrator.orchestrator.hanabi.referee import Referee, deal, rebuild
from hanabi_orchestrator.orchestrator.journal.events import (
    Event,
    GameEnded,
    Memory,
    Moved,
    TurnStarted,
)
from hanabi_orchestrator.orchestrator.journal.file import Journal, comparable
from hanabi_orchestrator.orchestrator.models import fake_endpoint
from hanabi_orchestrator.orchestrator.models.fake_faults import CONTENT
from hanabi_orchestrator.orchestrator.models.json_schema import response_format
from hanabi_orchestrator.orchestrator.models.request import Message, ModelRequest, ModelResponse
from hanabi_orchestrator.orchestrator.models.retries import call_seed
from hanabi_orchestrator.orchestrator.table.game_loop import start
from hanabi_orchestrator.orchestrator.table.seat import Decision, GameContext
from hanabi_orchestrator.roles import marks, registry
from hanabi_orchestrator.roles.hanabi import truth
from hanabi_orchestrator.roles.reply_types import Judgement
from tests.orchestrator.hanabi.test_view import disguised
from tests.support.positions import GRAPHS, partners_game, random_game
from tests.support.prove import FULL
from tests.support.stories import result_of, story_of

PLAYERS = (2, 3, 4, 5)
GAME = "the hash of a game"
MOVES = [
    *(kind(slot=slot) for kind in (Play, Discard) for slot in range(5)),
    *(HintColour(to=to, colour=colour) for to in range(5) for colour in COLOURS),
    *(HintRank(to=to, rank=rank) for to in range(5) for rank in RANKS),
]
"""Every move that anybody could name."""


class Overheard:
    """A brain that answers blindly, now and then unusably, and keeps all that reaches it."""

    def __init__(self) -> None:
        self.heard: list[object] = []

    async def __call__(self, ask: ModelRequest, messages: tuple[Message, ...], /) -> ModelResponse:
        plain = [{"role": message.role, "content": message.content} for message in messages]
        self.heard.append((ask.key, ask.place, plain, ask.moves, call_seed(1, ask)))
        chance = random.Random(json.dumps(plain))
        kind = chance.choice(CONTENT) if chance.random() < 0.2 else None
        request: dict[str, Any] = {"messages": plain}
        if ask.form == "json_schema":
            request["response_format"] = response_format(ask.reply)
        message = fake_endpoint.complete(request, kind)["choices"][0]["message"]
        return ModelResponse(text=message["content"] or "", finish="stop")

    async def aclose(self) -> None:
        """Nothing to close."""


def everybody(told: str) -> graphs.GraphConfig:
    """Every role that a model can play, told in one context, remembering all it can."""
    nodes: dict[str, Any] = {}
    for name in roles.names("hanabi"):
        role = roles.get(name)
        if role.template is not None and not role.after_game:
            nodes[name] = {
                "role": name,
                "reads": list(nodes) if issubclass(role.reply, Judgement) else [],
            }
    nodes["selector"]["reads"] = ["proposer", "generator"]
    return checked({"name": told, "context": told, "nodes": nodes, "decides": "proposer"}, told)


def configs() -> list[graphs.GraphConfig]:
    """All graphs of Hanabi, every role in every context that tells the legal moves, and a seat with a memory."""
    house = graphs.read("house")
    remembering = checked(
        house.model_dump() | {"name": "remembering", "remembers": list(house.nodes)}, "remembering"
    )
    return [
        *(graphs.read(name) for name in GRAPHS),
        *(
            everybody(name)
            for name in prompts.names("contexts", ".yaml")
            if "legal_moves" in context.read(name).names and context.read(name).game == "hanabi"
        ),
        remembering,
        graphs.setting(
            graphs.read("tom_planner_2"), lang="zh", reports="raw", answer_format="text"
        ),
        graphs.setting(house, reports="raw", answer_format="text"),
        graphs.setting(graphs.read("mycroft"), answer_format="text", reason_first=True),
        ablate.controlled(house, permuted=True, draw=1),
        ablate.controlled(graphs.read("tom_planner_1"), advise=["recommender"]),
    ]


@cache
def positions(players: int, seed: int, share: float) -> tuple[tuple[Referee, Referee], ...]:
    """Referees that differ in nothing that the acting seat may know, in a game of random moves and in two in which
    hints mean more than they say: by the conventions, and by the code of hat players."""
    chance = random.Random(seed)
    found = list[tuple[Referee, Referee]]()
    games = (partners_game((name,) * players, seed) for name in ("smart", "hat"))
    for game in (random_game(players, seed), *games):
        for referee in game:
            if not referee.over and chance.random() < share / 2:
                view = referee.view()
                here = rebuild(players, referee.deck, [past.move for past in view.history])
                found.append((here, disguised(referee, view, chance)))
    return tuple(found)


async def played(
    config: graphs.GraphConfig, referee: Referee
) -> tuple[list[object], Decision, list[dict[str, Any]]]:
    """All that brains heard on this turn, what was decided and remembered, and the turn's events."""
    brain = Overheard()
    events = list[Event]()
    seat = graphs.seat(config, brain).bind(GameContext(events.append, GAME))
    decision = await seat(referee.view(), await memory(config, referee))
    return brain.heard, decision, comparable(events)


async def memory(config: graphs.GraphConfig, referee: Referee) -> Memory:
    """What the seat kept of its own turn before."""
    view = referee.view()
    own = [past.turn for past in view.history if past.seat == view.seat]
    if not own or not config.remembers:
        return {}
    moves = [past.move for past in view.history[: own[-1] - 1]]
    before = rebuild(view.players, referee.deck, moves)
    seat = graphs.seat(config, Overheard()).bind(GameContext(hash=GAME))
    return (await seat(before.view(), {})).memory


class NeverDuringPlay:
    """Stands for the truth, and for marks: a seat that asks for either fails."""

    def __call__(self, *_: object, **__: object) -> None:
        raise AssertionError("a mark or the truth was asked for during play")

    of = __call__


@contextmanager
def without_truth() -> Iterator[None]:
    """Neither the truth nor a mark can be computed."""
    with pytest.MonkeyPatch.context() as patch:
        for home in (truth, recorded, roles):
            patch.setattr(home, "Truth", NeverDuringPlay())
        for module, names in (
            (truth, ("truths", "course_of")),
            (registry, ("mark", "stated")),
            (marks, ("checked",)),
        ):
            for name in names:
                patch.setattr(module, name, NeverDuringPlay())
        patch.setattr(marks.Marker, "__call__", NeverDuringPlay())
        yield


def test_a_truth_that_is_asked_for_during_play_is_noticed() -> None:
    with without_truth(), pytest.raises(AssertionError, match="was asked for during play"):
        registry.mark(roles.get("analyst"), None, None, None)  # type: ignore[arg-type]


@pytest.mark.parametrize("config", configs(), ids=lambda config: config.name)
async def test_another_hidden_hand_changes_no_prompt_no_seed_no_memory_and_no_error(
    config: graphs.GraphConfig,
) -> None:
    """Nor does it matter that neither the truth nor a mark can be computed. Reduced: on as many turns of both games as
    it takes to hear a dozen prompts and an unusable reply."""
    turns = 0
    met = 0
    unusable = 0
    kept = 0
    for players in (
        config.players if FULL else [config.players[len(config.name) % len(config.players)]]
    ):
        places = positions(players, 11 + players, 0.4)
        for referee, other in (
            places if FULL else random.Random(config.name).sample(places, len(places))
        ):
            heard, decision, events = await played(config, referee)
            with without_truth():
                assert (heard, decision, events) == await played(config, other)
            turns += 1
            met += len(heard)
            unusable += sum(event.get("outcome") in ("reasked", "fallback") for event in events)
            kept += bool(decision.memory)
            if not FULL and turns > 1 and met > 10 and unusable:
                break
    assert met > 10 and unusable > 0 and bool(kept) == bool(config.remembers)


@pytest.mark.parametrize("players", PLAYERS)
def test_another_hidden_hand_changes_no_view_and_no_refusal(players: int) -> None:
    met = 0
    for seed in range(12 if FULL else 1):
        for referee, other in positions(players, seed, 0.2):
            assert referee.view().model_dump_json() == other.view().model_dump_json()
            for move in set(MOVES) - set(referee.legal()):
                assert refusal(referee, move) == refusal(other, move)
                met += 1
    assert met > 200


def refusal(referee: Referee, move: Move) -> str:
    with pytest.raises(IllegalMove) as caught:
        referee.apply(move)
    return str(caught.value)


def test_a_games_hash_depends_on_the_label_of_its_deal_and_not_on_the_cards() -> None:
    seat = graphs.seat("watson")

    def hashed(**more: Any) -> str:
        return start([seat] * 3, players=3, **more).game

    assert (
        hashed(deck=deal(1), label="mine")
        == hashed(deck=deal(2), label="mine")
        != hashed(deck=deal(1), label="his")
    )
    assert len({hashed(seed=1), hashed(seed=2), hashed(seed=1, repeat=2)}) == 3
    assert "1234567" not in hashed(seed=1234567)


async def test_the_overheard_differ_between_positions() -> None:
    """The comparison above can fail."""
    first, second = [
        await played(graphs.read("watson"), referee) for referee, _ in positions(3, 14, 0.1)[:2]
    ]
    assert first != second


# The exception: an arm of an experiment that says so


ORACLE = ablate.controlled(graphs.read("watson"), own_hand=True)


def test_no_graph_sees_its_own_hand_unless_it_says_so() -> None:
    assert not any(
        config.controls.own_hand or graphs.seat(config, Overheard()).info.own_hand
        for config in configs()
    )
    assert graphs.seat(ORACLE).info.own_hand and ORACLE.name.endswith("-sees-own-hand")


def test_a_seat_that_cheats_shows_nothing_to_the_others() -> None:
    """The others' views are those of the referee, and the cheat's differ in nothing but what is known of its hand."""
    events = list[Event]()
    honest = graphs.seat("watson")
    cheat = graphs.seat(ORACLE)
    result = play([cheat, honest], players=2, seed=3, sink=events.append, max_turns=12)
    referee = Referee(2, deal(3))
    assert result.control == "own_hand" and "sees-own-hand" in result.graph
    for event in events:
        if isinstance(event, TurnStarted):
            plain = referee.view()
            if event.seat == 0:
                hand = [f"{known.colour}{known.rank}" for known in event.view.own]
                assert hand == [card.value for card in referee.view(1).hands[0].cards]
                assert event.view.model_copy(update={"own": plain.own}) == plain
            else:
                assert event.view == plain
        if isinstance(event, Moved):
            referee.apply(event.past.move)


@pytest.mark.parametrize("kind", ["placebo", "padded", "shuffled"])
async def test_a_note_of_another_game_depends_on_no_hidden_card(kind: str) -> None:
    """The notes are drawn by the place in the game, and read by what the seat sees."""
    config = ablate.controlled(graphs.read("house"), **{kind: ["tom_interpreter"]})
    events = list[Event]()
    met = 0
    await play_async(graphs.seat("house"), players=3, seed=5, sink=events.append, max_turns=20)
    notes = recorded.given_notes(events, [("tom_interpreter", "tom_interpreter")])
    given = {GIVEN: {"from": "another", "notes": [note.model_dump(mode="json") for note in notes]}}
    for referee, other in positions(3, 14, 0.1):
        heard = []
        for table in (referee, other):
            brain = Overheard()
            told = list[Event]()
            seat = graphs.seat(config, brain).bind(GameContext(told.append, GAME))
            decision = await seat(table.view(), given)
            heard.append((brain.heard, decision, comparable(told)))
        assert heard[0] == heard[1]
        met += len(heard[0][0])
    assert met > 1


async def test_a_probe_tells_neither_its_name_nor_what_is_hidden() -> None:
    """Another hand and deck behind the same story changes nothing that the asked player hears, and its name, which says
    what is asked, reaches nobody."""
    chance = random.Random(2)
    met = 0
    for probe in probes(["newest"], players=[3], per=1):
        other = disguised(probe.referee, probe.view, chance)
        heard = []
        for deck in (probe.deck, other.deck):
            brain = Overheard()
            asked = probe_games.table(probe, graphs.seat("tom_planner_1", brain))
            await play_async(asked, players=3, deck=deck, label=probe.name, max_turns=probe.turn)
            heard.append(brain.heard)
        assert other.deck != probe.deck and heard[0] == heard[1]
        said = repr(heard[0])
        assert not any(
            word in said
            for word in (probe.name, probe.question, probe.why, probe.name.split("/")[-1])
        )
        met += len(heard[0])
    assert met > 10


# Exports of finished games


OUTCOMES = {"deal", "score_change", "score_kept", "score_strict", "lives", "end"}
"""Columns that name the deal, or tell what came of the game."""


def rows_of(
    path: Path, referee: Referee, config: graphs.GraphConfig, data: DataSet
) -> list[dict[str, Any]]:
    """The rows of the turn before which a referee stands, from the journal of a game that ends with it."""
    story = story_of(referee, [referee.view().legal[-1]])
    seats = [graphs.seat(config)] * referee.players
    started = start(seats, players=referee.players, deck=referee.deck, label="a game")
    after = rebuild(referee.players, referee.deck, story.moves)
    ended = GameEnded(result=result_of(after).model_copy(update={"end": "max_turns"}))
    path.unlink(missing_ok=True)
    with Journal(path, lean=True) as journal:
        for event in (
            started,
            *(event for event in story.events[1:] if not isinstance(event, GameEnded)),
            ended,
        ):
            journal(event)
    made = data_rows.rows(Source(path), data).rows
    return [
        {k: v for k, v in row.items() if k not in OUTCOMES}
        for row in made
        if row["turn"] == referee.turn
    ]


@pytest.mark.parametrize("kind", COLUMNS)
def test_another_hidden_hand_changes_no_row_of_a_data_set(kind: Any, tmp_path: Path) -> None:
    house = graphs.read("house")
    other_prompts = graphs.read("sherlock")
    met = 0
    for n, (referee, other) in enumerate(
        positions(3, 14, 0.1)[:2] if FULL else positions(3, 14, 0.1)[1:2]
    ):
        for asked in [DataSet(kind, prompts=other_prompts), *([DataSet(kind)] if n == 0 else [])]:
            here = rows_of(tmp_path / "game.jsonl", referee, house, asked)
            assert here == rows_of(tmp_path / "game.jsonl", other, house, asked)
            met += len(here)
    assert met > 1
