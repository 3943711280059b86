"""What the papers' graphs do in a turn: samples and their selector, a mixture of agents, raw reports."""

import json
import re
from typing import Any

import pytest

from hanabi_orchestrator import graphs, roles
from hanabi_orchestrator.graphs.prompt_preview import requests
from hanabi_orchestrator.orchestrator.hanabi.referee import Referee, deal
from hanabi_orchestrator.orchestrator.hanabi.view import View
from hanabi_orchestrator.orchestrator.journal.events import Call, Decided, Event, TurnStarted
from hanabi_orchestrator.orchestrator.models.request import ModelRequest
from hanabi_orchestrator.orchestrator.replies.writer import label
from hanabi_orchestrator.orchestrator.table.game_loop import play_async
from hanabi_orchestrator.roles import Choice
from hanabi_orchestrator.roles.hanabi.reasoning import literal_play
from hanabi_orchestrator.roles.hanabi.reasoning.position import TAKES, Position
from hanabi_orchestrator.roles.hanabi.sections.history import Remembered
from hanabi_orchestrator.roles.reply_types import Shortlist
from hanabi_orchestrator.roles.sections import cut
from tests.support.positions import position, turn_of
from tests.support.small_graph import LAST, OPENING, scripted, turn

CONTEXTS = ("watson", "sherlock", "spin_bench", "mycroft", "cac", "house", "moa_watson")
MIDDLE = position("3p-middle")


def notes_of(asked: list[ModelRequest], node: str) -> str:
    return next(
        part.text for ask in asked if ask.node == node for part in ask.parts if part.name == "notes"
    )


# Best of K


@pytest.mark.parametrize("context", CONTEXTS)
@pytest.mark.parametrize("k", range(1, 8))
async def test_k_samples_of_any_context_and_a_selector_if_there_is_something_to_select(
    context: str, k: int
) -> None:
    config = graphs.dotted(
        graphs.read("best_of_k"), [f"context={context}", f"nodes.proposer.samples={k}"]
    )
    brain = scripted(
        proposer=lambda ask: {
            "ratings": [],
            "reason": "r",
            "action": list(ask.moves)[ask.sample % 2],
        }
    )
    decision, events = await turn(config, brain)
    assert sorted(ask.sample for ask in brain.asked if ask.node == "proposer") == list(range(k))
    assert [ask.node for ask in brain.asked].count("selector") == (k > 1)
    assert decision.move == next(iter(brain.asked[-1].moves.values()))
    made = [call.model for call in events if isinstance(call, Call) and call.node == "selector"]
    assert made == (["Scripted"] if k > 1 else ["program"])


@pytest.mark.parametrize("context", CONTEXTS)
async def test_the_selector_gets_the_proposers_prompt_and_then_candidates_and_task(
    context: str,
) -> None:
    config = graphs.setting(graphs.read("best_of_k"), context=context)
    asked = requests(config, MIDDLE, await turn_of(config, MIDDLE))
    proposer = asked["proposer"].parts
    selector = asked["selector"].parts
    assert [part for part in selector if part.name not in ("notes", "addition")] == [*proposer]
    assert "candidate 1: " in told(asked["selector"], "notes")
    assert "Choose only among the candidates" in told(asked["selector"], "addition")
    if context in ("watson", "sherlock", "spin_bench"):
        assert [part.name for part in selector[-2:]] == ["notes", "addition"]


async def test_the_selector_sees_each_candidate_once_with_its_count_and_the_journal_the_votes() -> (
    None
):
    brain = scripted(
        proposer=lambda ask: {"ratings": [], "reason": "r", "action": 3 if ask.sample == 4 else 5}
    )
    events: list[Event] = []
    await play_async(
        graphs.seat("best_of_k", brain), players=3, seed=1, sink=events.append, max_turns=1
    )
    told = notes_of(brain.asked, "selector")
    assert (
        told.count("candidate ") == 2
        and "(given 4 of 5 times)" in told
        and "(given 1 of 5 times)" in told
    )
    (decided,) = [event for event in events if isinstance(event, Decided)]
    assert list(decided.votes["proposer"].values()) == [4, 1]


async def test_absent_samples_do_not_vote_and_a_lone_candidate_is_not_put_to_the_selector() -> None:
    brain = scripted(
        proposer=lambda ask: (
            {"ratings": [], "reason": "r", "action": 2} if ask.sample == 3 else "hm"
        )
    )
    decision, _ = await turn("best_of_k", brain)
    assert decision.votes == {"proposer": {str(LAST.legal[2]): 1}}
    assert decision.move == LAST.legal[2] and "selector" not in [ask.node for ask in brain.asked]


# Mixture of agents

SPECIALISTS = ["proposer", "rank_proposer", "analyst", "discard_strategist", "history_analyst"]


@pytest.mark.parametrize("graph", ["moa_watson", "moa_sherlock"])
async def test_the_aggregator_hears_every_report_under_its_name_as_it_was_written(
    graph: str,
) -> None:
    config = graphs.at(graphs.read(graph), 3)
    written = dict[str, str]()

    def says(request: ModelRequest) -> str:
        data: dict[str, Any] = dict(request.reply.example)
        if "action" in data:
            data |= {"action": next(iter(request.moves)), "ratings": []}
        data |= {key: [] for key in ("moves", "best") if key in data}
        plain = "\n".join(
            f"{label(request.reply, name)}: {data[name] or 'none'}"
            for name in request.reply.answer_fields()
        )
        text = plain if request.form == "text" else f"Well:\n{json.dumps(data)}"
        written[request.node] = text
        return f"<think>secret thoughts of {request.node}</think>{text}"

    brain = scripted(**{config.nodes[name].role: says for name in config.nodes})
    decision, _ = await turn(config, brain, MIDDLE)
    told = notes_of(brain.asked, "aggregator")
    for name in SPECIALISTS:
        assert f"## {name.replace('_', ' ')}\n{written[name]}" in told
    assert "secret" not in told and decision.move == MIDDLE.legal[0]


@pytest.mark.parametrize("graph", ["moa_watson", "moa_sherlock"])
async def test_specialists_that_are_absent_leave_no_scar(graph: str) -> None:
    brain = scripted(proposer={"ratings": [], "reason": "mine alone", "action": 0})
    decision, _ = await turn(graph, brain, MIDDLE)
    reports = notes_of(brain.asked, "aggregator")
    assert [line for line in reports.splitlines() if line.startswith("## ")] == ["## proposer"]
    (task,) = [told(ask, "instruction") for ask in brain.asked if ask.node == "aggregator"]
    (reporter,) = re.findall(r"^- (?:a proposal|a strategist|one who|the ).*", task, re.M)
    assert reporter.startswith(("- a proposal", "- a strategist, with"))
    assert not decision.forced


@pytest.mark.parametrize(("graph", "message"), [("moa_watson", "system"), ("moa_sherlock", "user")])
async def test_what_makes_agent_2_prefer_ranks_is_added_to_agent_1s_prompt(
    graph: str, message: str
) -> None:
    """At the end of the system message, or of the whole prompt."""
    asked = requests(graphs.read(graph), MIDDLE, {})
    first, second = (
        [(p.text, p.speaker) for p in asked[node].parts] for node in ("proposer", "rank_proposer")
    )
    ((added, speaker),) = [part for part in second if part not in first]
    assert speaker == message and "choose the rank" in added
    assert [part for part in second if part[1] == message] == [
        *(p for p in first if p[1] == message),
        (added, message),
    ]


@pytest.mark.parametrize("graph", ["moa_watson", "moa_sherlock"])
async def test_at_two_players_no_historian_is_asked_or_heard(graph: str) -> None:
    config = graphs.read(graph)
    asked = requests(graphs.at(config, 2), OPENING, await turn_of(config, OPENING))
    assert list(asked) == [
        name for name in (*SPECIALISTS, "aggregator") if name != "history_analyst"
    ]
    assert not any("history analyst" in part.text for part in asked["aggregator"].parts)


async def test_watsons_last_agent_must_take_a_known_safe_play() -> None:
    """Its instruction says so; its program does so whatever the others propose."""
    brain = scripted(proposer=_first_hint, rank_proposer=_first_hint)
    view = next(
        v for v in (position(p) for p in ("3p-middle", "3p-empty-deck", "4p-one-life")) if _safe(v)
    )
    config = graphs.replace(graphs.read("moa_watson"), aggregator="program")
    decision, _ = await turn(config, brain, view)
    assert str(decision.move) == _safe(view)[0]
    told = requests(graphs.at(graphs.read("moa_watson"), view.players), view, {})["aggregator"]
    assert "you MUST play it" in "".join(
        part.text for part in told.parts if part.speaker == "system"
    )


async def test_watsons_last_agent_must_take_a_card_that_it_knows_by_colour_and_rank_alone() -> None:
    """A card that is sure to fit, whichever it is, gives way to a proposal."""
    decider = roles.get("watson_aggregator")
    seen = set[bool]()
    for players, seed in ((2, 1), (3, 2), (4, 3), (5, 4)):
        events: list[Event] = []
        await play_async(
            graphs.seat("moa_watson", "program"), players=players, seed=seed, sink=events.append
        )
        for view in (event.view for event in events if isinstance(event, TurnStarted)):
            sections = cut(view, [(kind, {}) for kind in decider.takes])
            slots = Position.read(sections).slots
            hints = [move for move in view.legal if move.kind.startswith("hint")]
            sure = {
                f"play slot {i}": slot.cards() for i, slot in enumerate(slots) if slot.playable == 1
            }
            known = [move for move, cards in sure.items() if len(cards) == 1]
            if sure and hints:
                assert decider.solve is not None
                chosen = decider.solve(
                    sections, {"proposer": (Choice(action=hints[0], reason="r"),)}
                )
                assert isinstance(chosen, Choice) and str(chosen.action) in (
                    known or [str(hints[0])]
                )
                seen.add(bool(known))
    assert seen == {True, False}


def _first_hint(request: ModelRequest) -> dict[str, Any]:
    hint = next(label for label, move in request.moves.items() if str(move).startswith("hint"))
    return {"ratings": [], "reason": "r", "action": hint}


def _safe(view: View) -> list[str]:
    return [
        str(move)
        for move in literal_play.certain_plays(
            Position.read(cut(view, [(kind, {}) for kind in TAKES]))
        )
    ]


async def test_only_the_historian_and_the_last_agent_of_sherlocks_mixture_see_the_past() -> None:
    config = graphs.read("moa_sherlock")
    asked = requests(config, MIDDLE, await turn_of(config, MIDDLE))
    seeing = [
        name for name, ask in asked.items() if any(part.name == "history" for part in ask.parts)
    ]
    assert seeing == ["history_analyst", "aggregator"]
    (past,) = [part.text for part in asked["history_analyst"].parts if part.name == "history"]
    assert (
        past.count("\n- turn ") == len(MIDDLE.history)
        and "they count from the player who GAVE it" in past
    )


async def test_in_watsons_mixture_everybody_sees_the_latest_ten_moves() -> None:
    config = graphs.read("moa_watson")
    for ask in requests(config, MIDDLE, await turn_of(config, MIDDLE)).values():
        (past,) = [part.text for part in ask.parts if part.name == "history"]
        assert past.count("\n- turn ") == 10


async def test_three_of_sherlocks_specialists_answer_in_plain_text_without_steps_to_think_by() -> (
    None
):
    config = graphs.read("moa_sherlock")
    asked = requests(config, MIDDLE, await turn_of(config, MIDDLE))
    assert {name for name, ask in asked.items() if ask.form == "text"} == {
        "analyst",
        "discard_strategist",
        "history_analyst",
    }
    stepped = {
        name
        for name, ask in asked.items()
        if any(part.name == "step_by_step" for part in ask.parts)
    }
    assert stepped == {"proposer", "rank_proposer"}


# A list of actions in place of all


async def test_a_recommender_of_all_moves_leaves_the_list_of_legal_moves_as_it_is() -> None:
    """So that the arm without its choice among them is not told its ranking by their order."""
    five = graphs.read("tom_planner_2")
    whole = graphs.dotted(five, ["nodes.recommender.options.k=all"])
    (ranked,), (listed,) = [
        (await turn_of(config, MIDDLE))["recommender"] for config in (five, whole)
    ]
    asked = await prompts_of(whole)
    for ask in (asked["second_order"], asked["planner"]):
        assert list(ask.moves.values()) == [*MIDDLE.legal] and "recommender" not in "".join(
            p.text for p in ask.parts
        )
    assert "# Your legal moves\n" in told(asked["planner"], "legal_moves")
    assert isinstance(ranked, Shortlist) and isinstance(listed, Shortlist)
    assert [listed.rank(move) for move in ranked.moves] == [1, 2, 3, 4, 5]


# What the papers' prompts leave out


def told(ask: ModelRequest, name: str) -> str:
    return next((part.text for part in ask.parts if part.name == name), "")


async def prompts_of(config: graphs.GraphConfig, view: View = MIDDLE) -> dict[str, ModelRequest]:
    config = graphs.at(config, view.players)
    return requests(config, view, await turn_of(config, view))


@pytest.mark.parametrize("graph", ["mycroft", "moa_watson", "moa_sherlock", "cac"])
async def test_no_history_names_touched_slots_or_what_a_card_was(graph: str) -> None:
    """Who is to work that out is not told it; with the option they are."""
    config = graphs.read(graph)
    for details, said in (("unsaid", False), ("told", True)):
        chosen = (
            graphs.setting(config, options={"history": {"details": details}}) if said else config
        )
        past = [
            text for ask in (await prompts_of(chosen)).values() if (text := told(ask, "history"))
        ]
        assert past and all(
            bool(re.search(r"touching|\([RYGWB]\d", text)) == said for text in past
        ), details


@pytest.mark.parametrize("graph", ["sherlock", "spin_bench", "mycroft", "moa_sherlock"])
async def test_cards_are_counted_in_the_section_of_counts_alone(graph: str) -> None:
    counted = graphs.read(graph)
    there = [
        name
        for name in counted.context_of(next(iter(counted.nodes))).names
        if name == "card_counts"
    ]
    assert bool(there) == (graph != "spin_bench")
    less = graphs.without_sections(counted, "card_counts") if there else counted
    for ask in (await prompts_of(less)).values():
        text = "\n".join(part.text for part in ask.parts)
        assert "50 cards" not in text and "three 1s" not in text
        assert "their ranks are 1 to 5" in told(ask, "rules")


async def test_cacs_verifier_sees_the_players_state_and_not_the_reason() -> None:
    asked = await prompts_of(graphs.read("cac"))
    check = asked["check"]
    generate = asked["generate"]
    for section in ("state", "partner_deductions", "own_actions", "legal_moves"):
        assert told(check, section) == told(generate, section) != ""
    assert told(check, "notes").startswith("# The chosen move") and "reason" not in told(
        check, "notes"
    )
    plainly = graphs.change(graphs.read("cac"), check={"options": {"reason": "told"}})
    assert "The player's reason: " in told((await prompts_of(plainly))["check"], "notes")


async def test_cacs_moves_are_hints_then_plays_then_discards_and_own_moves_are_without_results() -> (
    None
):
    ask = (await prompts_of(graphs.read("cac")))["generate"]
    kinds = [move.kind for move in ask.moves.values()]
    assert list(dict.fromkeys(kinds)) == ["hint_colour", "hint_rank", "play", "discard"]
    assert list(ask.moves)[:2] == ["A", "B"] and set(ask.moves.values()) == set(MIDDLE.legal)
    assert "(" not in told(ask, "own_actions").split("then.")[1]


async def test_the_selector_is_told_how_each_answer_rated_each_candidate() -> None:
    def rates(ask: ModelRequest) -> dict[str, Any]:
        first, second = list(ask.moves.values())[:2]
        ratings = [
            {"action": str(first), "rating": ask.sample / 4},
            {"action": str(second), "rating": -1},
        ]
        return {
            "ratings": ratings,
            "reason": "r",
            "action": str(second if ask.sample == 4 else first),
        }

    brain = scripted(proposer=rates)
    await turn("best_of_k", brain, MIDDLE)
    said = notes_of(brain.asked, "selector")
    assert "- rated by the answers: 0, 0.25, 0.50, 0.75, 1" in said
    assert "- rated by the answers: -1, -1, -1, -1, -1" in said
    unsaid = graphs.change(graphs.read("best_of_k"), selector={"options": {}})
    brain = scripted(proposer=rates)
    await turn(unsaid, brain, MIDDLE)
    assert "rated" not in notes_of(brain.asked, "selector")


def test_a_memory_of_an_older_journal_has_no_hands_and_is_told_without_them() -> None:
    (section,) = cut(MIDDLE, [(Remembered, {"table": "whole"})])
    kept = {
        "turn": 1,
        "move": "play slot 0",
        "lives": 3,
        "tokens": 8,
        "deck_size": 35,
        "fireworks": [0] * 5,
    }
    old = section.holding({**kept, "own": ["nothing"] * 5, "notes": {}}).words()
    assert "then: slot 0 nothing" in old and "The others' hands then" not in old
    new = section.holding(
        {**kept, "own": [], "notes": {}, "hands": {"1": ["R1"]}, "discards": []}
    ).words()
    assert "The others' hands then: P1: slot 0 R1\nThe discard pile then: Empty." in new


# Before the first move


@pytest.mark.parametrize(
    ("graph", "reader", "decider", "players"),
    [
        ("cac", "interpret", "generate", 2),
        ("moa_watson", "history_analyst", "aggregator", 3),
        ("moa_sherlock", "history_analyst", "aggregator", 3),
    ],
)
async def test_who_reads_the_past_is_not_asked_before_the_first_move(
    graph: str, reader: str, decider: str, players: int
) -> None:
    """And who decides is not told of a report that is not there; the journal says why there is none."""
    config = graphs.at(graphs.read(graph), players)
    referee = Referee(players, deal(1))
    _, events = await turn(config, brain := scripted(), view := referee.view())
    assert reader not in [ask.node for ask in brain.asked] and decider in [
        ask.node for ask in brain.asked
    ]
    (call,) = [event for event in events if isinstance(event, Call) and event.node == reader]
    assert (call.model, call.outcome, call.error) == ("program", "unasked", "nobody has moved yet")
    words = "Use the report" if graph == "cac" else "past$"
    asked = requests(config, view, await turn_of(config, view))
    assert reader not in asked and not re.search(words, told(asked[decider], "instruction"), re.M)
    referee.apply(view.legal[0])
    asked = requests(config, after := referee.view(), await turn_of(config, after))
    assert reader in asked and re.search(words, told(asked[decider], "instruction"), re.M)
