"""Graphs of Collab Capture and Collab Escape: what they play, what their prompts say, and what no seat is told."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from hanabi_orchestrator import graphs, play
from hanabi_orchestrator.graphs.attempts import attempts, role_node
from hanabi_orchestrator.graphs.config import checked, parse
from hanabi_orchestrator.graphs.prompt_preview import requests
from hanabi_orchestrator.orchestrator.errors import PlayWarning, UserError
from hanabi_orchestrator.orchestrator.game import registry
from hanabi_orchestrator.orchestrator.journal.file import comparable, read
from hanabi_orchestrator.orchestrator.models import fake_endpoint
from hanabi_orchestrator.orchestrator.models.json_schema import response_format
from hanabi_orchestrator.orchestrator.models.request import (
    Message,
    ModelRequest,
    ModelResponse,
    messages,
)
from hanabi_orchestrator.orchestrator.models.retries import call_seed
from hanabi_orchestrator.orchestrator.models.simulated_settings import Rates, SimSettings
from hanabi_orchestrator.orchestrator.table.seat import GameContext
from hanabi_orchestrator.roles import Choice
from tests.support.folders import TESTS
from tests.support.positions import turn_of

GRAPHS = [*graphs.names("capture"), *graphs.names("escape")]
GOLDEN = TESTS / "golden"
NEVER = Rates().model_dump()


def test_each_game_has_its_graphs() -> None:
    assert graphs.names("capture") == ["capture_cac", "capture_generator"]
    assert graphs.names("escape") == ["escape_cac", "escape_cac_no_tom", "escape_cac_verifier"]
    assert not set(GRAPHS) & set(graphs.names("hanabi"))


# What they play


@pytest.mark.parametrize("name", graphs.names("capture"))
def test_programs_catch_the_thief_as_fast_as_can_be(name: str) -> None:
    results = [play(graphs.seat(name), seed=seed) for seed in (1, 2, 3, 4)]
    assert [result.measures["rounds"] for result in results] == [2, 4, 2, 4]
    assert all(result.end == "caught" and not result.forced for result in results)


@pytest.mark.parametrize("name", graphs.names("escape"))
def test_programs_escape(name: str) -> None:
    for seed in range(1, 13):
        result = play(graphs.seat(name), seed=seed)
        assert result.end == "escaped" and result.measures["rounds"] <= 8 and not result.forced


@pytest.mark.filterwarnings(f"ignore::{PlayWarning.__module__}.{PlayWarning.__name__}")
@pytest.mark.parametrize("name", GRAPHS)
def test_a_simulated_model_errs_in_the_ways_that_every_game_has(name: str) -> None:
    rates = {"misread_stack": 0.4, "wrong_refusal": 0.3, "malformed": 0.2}
    model = SimSettings.model_validate({"model": "sim:average", **NEVER, **rates})
    injected = set()
    for seed in (1, 2, 3):
        calls: list[Any] = []
        play(graphs.seat(name, model), seed=seed, sink=calls.append)
        for event in calls:
            injected |= set(getattr(event, "injected", ()))
    judges = {"wrong_refusal"} if graphs.read(name).judges else set()
    assert injected == {"another_move", "malformed"} | judges


@pytest.mark.filterwarnings(f"ignore::{PlayWarning.__module__}.{PlayWarning.__name__}")
@pytest.mark.parametrize("name", GRAPHS)
def test_a_journal_cut_after_any_line_resumes_to_the_same_game(name: str, tmp_path: Path) -> None:
    whole = tmp_path / "whole.jsonl"
    result = play(graphs.seat(name, "sim:careless"), seed=2, journal=whole)
    lines = whole.read_bytes().splitlines(keepends=True)
    for number in range(1, len(lines)):
        cut = tmp_path / f"cut-{number}.jsonl"
        cut.write_bytes(b"".join(lines[:number]))
        assert play(graphs.seat(name, "sim:careless"), seed=2, journal=cut) == result
        assert comparable(read(cut)) == comparable(read(whole))


def test_a_partner_who_is_not_shown_is_not_reported_and_the_program_plays_on() -> None:
    blind = graphs.without_sections(graphs.read("escape_cac"), "collab_partner")
    events: list[Any] = []
    play(graphs.seat(blind), seed=1, sink=events.append)
    calls = [event for event in events if event.event == "call"]
    assert {call.outcome for call in calls if call.node == "interpret"} == {"unasked"}
    assert {call.outcome for call in calls if call.node == "generate"} == {"ok"}


def test_the_generator_replies_to_what_the_report_forecasts() -> None:
    game = registry.get("capture")
    view = game.referee(2, game.deal(1)).view()
    forecasts = ("stay in room 6", "move to room 5", "nobody knows")
    config = graphs.read("capture_cac")
    node = role_node(config, "generate", attempts(config)[0])
    reasons = []
    for forecast in forecasts:
        report = {"explanation": "", "needs": "", "forecast": forecast}
        notes = {"interpret": (config.role("interpret").reply.model_validate(report),)}
        choice = node.program(node.sections(view, notes), notes)
        assert isinstance(choice, Choice)
        reasons.append(choice.reason)
    assert "if the partner's is stay in room 6" in reasons[0]
    assert "if the partner's is move to room 5" in reasons[1]
    assert "with the partner's best move" in reasons[2]


# What no seat is told


class Overheard:
    """A brain that answers blindly, and keeps all that reaches it."""

    def __init__(self) -> None:
        self.asks: list[str] = []

    async def __call__(self, ask: ModelRequest, texts: tuple[Message, ...], /) -> ModelResponse:
        plain = [{"role": message.role, "content": message.content} for message in texts]
        self.asks.append(json.dumps([ask.node, plain, [*ask.moves], call_seed(1, ask)]))
        request: dict[str, Any] = {"messages": plain}
        if ask.form == "json_schema":
            request["response_format"] = response_format(ask.reply)
        message = fake_endpoint.complete(request, None)["choices"][0]["message"]
        return ModelResponse(text=message["content"] or "", finish="stop")

    async def aclose(self) -> None:
        """Nothing to close."""


async def asks_of(name: str, referee: Any) -> tuple[str, ...]:
    """All that reaches the model of the seat to move."""
    brain = Overheard()
    seat = graphs.seat(name, brain).bind(GameContext(hash="the hash of a game"))
    await seat(referee.view(), {})
    return tuple(brain.asks)


@pytest.mark.parametrize("name", GRAPHS)
async def test_the_second_seats_prompts_are_the_same_for_every_sealed_move(name: str) -> None:
    game = registry.get(graphs.read(name).game)
    for seed in (1, 2, 3, 4):
        deal = game.deal(seed)
        played: list[Any] = []
        while not (referee := game.rebuilt(game.usual, deal, played)).over and len(played) < 16:
            view = referee.view()
            if view.seat == 0:
                tables = [game.rebuilt(2, deal, [*played, move]) for move in view.legal]
                asked = {await asks_of(name, table) for table in tables}
                assert len(asked) == 1 and asked != {()}
            played.append(view.legal[(seed + len(played)) % len(view.legal)])


# What prompts say

PLAYED = {
    "capture": ("move to room 2", "move to room 5", "stay in room 2"),
    "escape": ("fix the generator in room 1", "go to room 3", "fix the generator in room 1"),
}


async def told(name: str, moves: Iterable[str]) -> str:
    config = graphs.at(graphs.read(name), 2)
    game = registry.get(config.game)
    view = game.rebuilt(2, game.deal(1), [game.parse(move) for move in moves]).view()
    notes = await turn_of(config, view)
    blocks = []
    for node, ask in requests(config, view, notes, {}).items():
        for message in messages(ask.parts):
            blocks.append(f"=== {node}: {message.role} message\n\n{message.content}\n")
    return "\n".join(blocks)


@pytest.mark.parametrize("name", GRAPHS)
async def test_prompts_are_as_stored(name: str, request: pytest.FixtureRequest) -> None:
    text = await told(name, PLAYED[graphs.read(name).game])
    path = GOLDEN / "collab" / f"{name}.md"
    if request.config.getoption("--golden"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, "utf-8")
    assert text == path.read_text("utf-8")


@pytest.mark.parametrize("name", GRAPHS)
async def test_no_prompt_has_a_word_of_another_game(name: str) -> None:
    text = (await told(name, ())).lower()
    assert not [word for word in ("hanabi", "slot", "hint", "card", "firework") if word in text]


# What is refused

TEXT = "name: mine\ncontext: capture\nnodes: {generate: {role: capture_generator}}\ndecides: generate\n"


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        (TEXT.replace("capture_generator", "proposer"), "'proposer' plays Hanabi, not Collab Capture"),
        (TEXT.replace("capture_generator", "escape_generator"), "plays Collab Escape, not Collab"),
        (TEXT.replace("role: capture_generator", "role: capture_generator, context: cac"), "'cac' is of Hanabi"),
        (TEXT + "verify: safety", "the safety rule is made for Hanabi alone"),
        (TEXT + "players: 3", "Collab Capture is for 2 players, not 3"),
        (TEXT + "without_sections: [hands]", "known: capture_doors"),
        (
            "name: mine\ncontext: {name: own, game: capture, sections: [state, legal_moves]}\n"
            "nodes: {generate: {role: capture_generator}}\ndecides: generate\n",
            "section 'state' is of Hanabi, not of Collab Capture",
        ),
        (
            "name: mine\ncontext: {name: own, game: go, sections: [legal_moves]}\n"
            "nodes: {generate: {role: capture_generator}}\ndecides: generate\n",
            "unknown game 'go'",
        ),
    ],
)  # fmt: skip
def test_a_graph_of_two_games_is_one_sentence(text: str, wrong: str) -> None:
    with pytest.raises(UserError, match=wrong) as error:
        parse(text, "mine.yaml")
    assert "\n" not in str(error.value)


def test_controls_that_are_made_for_hanabi_are_refused() -> None:
    data = graphs.read("escape_cac").model_dump(mode="json")
    for controls in ({"placebo": ["interpret"]}, {"own_hand": True}):
        with pytest.raises(UserError, match="made for Hanabi alone, not for Collab Escape"):
            checked(data | {"controls": controls}, "mine")
    assert checked(data | {"controls": {"draw": 1}}, "mine").controls.draw == 1


def test_a_graph_is_for_the_players_of_its_game() -> None:
    assert parse(TEXT, "mine.yaml").players == (2,)
    with pytest.raises(UserError, match="is for 2 players, not 3"):
        play(graphs.seat("capture_cac"), players=3)
