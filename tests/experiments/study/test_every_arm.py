"""Every form of arm on every graph: it changes what its name says and nothing else, in games as on positions."""

import asyncio
import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from hanabi_orchestrator import graphs
from hanabi_orchestrator.experiments.study import experiment as files
from hanabi_orchestrator.experiments.study.arms import Arm
from hanabi_orchestrator.experiments.study.plan import Plan
from hanabi_orchestrator.experiments.study.seat_spec import PlayerSpec
from hanabi_orchestrator.experiments.study.short_arms import OFFERING, advisers
from hanabi_orchestrator.experiments.tasks.positions import bank
from hanabi_orchestrator.experiments.tasks.positions.asking import ArmSeats, Donor, Ready
from hanabi_orchestrator.experiments.tasks.positions.bank import BankPosition
from hanabi_orchestrator.experiments.tasks.positions.study import study_of
from hanabi_orchestrator.experiments.tasks.positions.truth import truths
from hanabi_orchestrator.graphs import ablate
from hanabi_orchestrator.graphs.attempts import turn_calls
from hanabi_orchestrator.graphs.config import GraphConfig
from hanabi_orchestrator.graphs.context import SETTINGS
from hanabi_orchestrator.graphs.graph_seat import GraphSeat
from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.hanabi.referee import seeing_own_hand
from hanabi_orchestrator.orchestrator.journal.events import Call, Event
from hanabi_orchestrator.orchestrator.models.simulated_settings import AVERAGE
from hanabi_orchestrator.orchestrator.table.seat import GameContext
from tests.support.positions import GRAPHS
from tests.support.prove import FULL

EXACT = {"model": "sim:average", **dict.fromkeys(AVERAGE, 0.0)}
"""Answers as the programs do, and is sent prompts."""
NOTES = ("placebo", "padded", "shuffled")


@cache
def shorts(graph: str) -> list[str]:
    """The short forms of arms, as far as the graph has something that they change."""
    config = graphs.read(graph)
    forms = ["noise_floor", "own_hand", "same_compute", "added:analyst", "without_section:discards"]
    if any(len(node.reads) > 1 for node in config.nodes.values()):
        forms.append("permuted")
    for node in advisers(config)[: None if FULL else 1]:
        role = config.role(node)
        forms += [f"{kind}:{node}" for kind in NOTES]
        if role.template is not None:  # else a program answers in every arm
            forms += [f"exact:{node}", f"{node}=perturbed:0"]
        forms += [
            f"{kind}:{node}"
            for kind, replies in OFFERING.items()
            if issubclass(role.reply, replies)
        ]
        if removable(config, node):
            forms.append(f"removed:{node}")
    return [form for form in forms if applicable(config, form)]


def applicable(config: GraphConfig, form: str) -> bool:
    if form.startswith("without_section"):
        there = any("discards" in config.context_of(node).names for node in config.nodes)
        return there and "discards" not in config.without_sections
    return form != "added:analyst" or "analyst" not in config.nodes


def removable(config: GraphConfig, node: str) -> bool:
    try:
        ablate.without(config, node)
    except UserError:
        return False
    return True


def planned(graph: str, forms: Sequence[str], **keys: Any) -> Plan:
    data = {
        "name": "arms",
        "graph": graph,
        "models": {"default": EXACT},
        "arms": list(forms),
        **keys,
    }
    return Plan.resolve(files.checked(data, "the experiment"), Path("nowhere"))


def on_positions(graph: str, forms: Sequence[str]) -> Plan:
    return planned(graph, forms, task="positions", bank="program", notes="fresh")


def data_of(spec: PlayerSpec) -> dict[str, Any]:
    assert spec.config is not None
    data = spec.config.model_dump(mode="json", exclude={"name"})
    return {"controls": {}, **data}


FEW = ("cac_no_tom", "tom_planner_2", "spin_bench_no_discards")


@pytest.mark.parametrize("graph", GRAPHS if FULL else FEW)
def test_an_arm_differs_from_the_baseline_in_what_its_name_says_and_in_nothing_else(
    graph: str,
) -> None:
    plan = on_positions(graph, shorts(graph))
    baseline = plan.arms[0].everybody
    for arm in plan.arms[1:]:
        spec = arm.everybody
        changed = data_of(arm.everybody)
        whole = data_of(baseline)
        assert spec.models == baseline.models, arm.name
        nodes, (node,) = changed["nodes"], arm.nodes[:1] or ("",)
        if arm.is_noise_floor:
            assert changed["controls"].pop("draw") == 1
        elif arm.kind in (*NOTES, "advise", "gate"):
            assert changed["controls"].pop(arm.kind) == list(arm.nodes)
        elif arm.kind in ("permuted", "own_hand"):
            assert changed["controls"].pop(arm.kind) is True
        elif arm.kind in ("exact", "perturbed"):
            assert nodes[node].pop("model") != whole["nodes"][node].pop("model")
        elif arm.kind == "added":
            assert nodes.pop(node)["role"] == node
            assert node in nodes[whole["decides"]]["reads"]
            nodes[whole["decides"]]["reads"].remove(node)
        elif arm.kind == "removed":
            assert node not in nodes and not any(node in each["reads"] for each in nodes.values())
            del whole["nodes"][node]
            for each in whole["nodes"].values():
                each["reads"] = [name for name in each["reads"] if name != node]
        elif arm.kind == "same_compute":
            assert_same_compute(spec, baseline)
            continue
        else:
            assert changed.pop("without_sections") == [*whole.pop("without_sections"), "discards"]
        assert json.dumps(changed) == json.dumps(whole), (
            f"{arm.name}: more is changed, or its order"
        )


def assert_same_compute(spec: PlayerSpec, baseline: PlayerSpec) -> None:
    """As many calls at every player count, and all settings of the whole graph that it can have, too."""
    config = spec.config
    whole = baseline.config
    assert config and whole
    for players in config.players:
        calls, wanted = (turn_calls(ablate.at(graph, players)) for graph in (config, whole))
        assert calls == (
            3 if wanted == 2 else wanted
        )  # one proposal needs no choice, two and a choice are three
    for key in (*SETTINGS, "context", "verify", "options", "without_sections", "texts", "controls"):
        assert getattr(config, key) == getattr(whole, key), key


def test_as_many_calls_keep_the_words_and_the_verifier_of_the_baseline(tmp_path: Path) -> None:
    words = "$title\nYour moves:\n$moves\n$labels"
    (tmp_path / "words.md").write_text(words, "utf-8")
    baseline = {"prompts": {"sections/legal_moves": str(tmp_path / "words.md")}, "verify": "none"}
    changes = {"setting": {"without_sections": ["discards"], "order": "cache"}, **baseline}
    arms = {"full": changes, "compute": {"same_compute": "full"}}
    plan = planned("house", [], arms=arms, baseline="full", players=[3], seeds=2)
    full, compute = (arm.everybody for arm in plan.arms if arm.name in arms)
    assert_same_compute(compute, full)


@pytest.mark.parametrize("graph", GRAPHS if FULL else ["tom_planner_2"])
def test_games_and_positions_have_the_same_arms(graph: str) -> None:
    forms = shorts(graph)
    games = planned(graph, forms, seeds=2)
    positions = on_positions(graph, forms)
    by_name = {arm.name: arm for arm in positions.arms}
    for arm in games.arms:
        there = by_name[arm.name]
        assert (there.everybody, there.purpose, there.sources) == (
            arm.everybody,
            arm.purpose,
            arm.sources,
        )


# The prompts


def turn(ready: Ready) -> tuple[list[Call], str]:
    """The calls of one decision, those that are held fixed left out, and the move."""
    events = list[Event]()
    context = GameContext(events.append, "a game")
    decision = asyncio.run(ready.seat.bind(context)(ready.view, ready.memory))
    calls = [event for event in events if isinstance(event, Call)]
    return [call for call in calls if call.fixed != "recorded"], str(decision.move)


def prompts(calls: Sequence[Call]) -> dict[tuple[str, int, int], Any]:
    """What was asked, or given in a node's place, by node, sample and ask."""
    return {
        (call.node, call.sample, call.ask): (
            call.fixed,
            call.padding,
            call.reply if call.fixed else call.messages,
        )
        for call in calls
    }


def lines(prompt: Any) -> list[str]:
    """The lines of a prompt, whatever the order of its parts."""
    return sorted(line for message in prompt[2] for line in message.content.splitlines())


def in_a_game(arm: Arm, position: BankPosition, memory: Any) -> Ready:
    """The seat of an arm as it plays a game: nothing is held fixed."""
    seat = arm.everybody.seat()
    assert isinstance(seat, GraphSeat)
    own = truths("program")[position.name].own
    view = seeing_own_hand(position.view, own) if arm.cheats else position.view
    return Ready(seat, view, memory)


PLACES = {"moa_watson": (2,)}
"""By graph, the player counts."""


@pytest.mark.parametrize("graph", GRAPHS if FULL else PLACES)
def test_the_same_arm_sends_the_same_prompts_in_games_and_on_positions(graph: str) -> None:
    study = study_of(on_positions(graph, shorts(graph)))
    seats = ArmSeats(study, None, truths("program"))  # type: ignore[arg-type]  # nobody is on a server
    places = bank.read("program").positions
    for players in (2, 3, 4, 5) if FULL else PLACES[graph]:
        if players not in graphs.read(graph).players:
            continue
        same_count = [place for place in places if place.view.players == players]
        position, *others = [same_count[number] for number in ((9, 3, 6) if FULL else (9, 3))]
        turns = {
            place.name: tuple(recorded(study.baseline, place)) for place in (position, *others)
        }
        donors = [Donor(place, turns[place.name]) for place in (position, *others)]
        whole = prompts(turn(in_a_game(study.baseline, position, position.memory))[0])
        for arm in study.arms:
            ready = seats.ready(arm, position, turns[position.name], donors)
            if ready is None:
                assert not {*arm.nodes} & {*ablate.at(graphs.read(graph), players).nodes}, arm.name
                continue
            calls, move = turn(ready)
            game_calls, game_move = turn(in_a_game(arm, position, ready.memory))
            here = prompts(calls)
            there = prompts(game_calls)
            assert here.items() <= there.items() and move == game_move, (graph, arm.name)
            assert len(here) == len(calls) and len(there) == len(game_calls)
            for key in (
                there.keys() - here.keys()
            ):  # what is held fixed is what the arm leaves as it is
                assert lines(there[key]) == lines(whole[key]), (graph, arm.name, key)
                assert arm.kind != "permuted" or there[key] == whole[key], (graph, key)


def recorded(baseline: Arm, position: BankPosition) -> list[Event]:
    events = list[Event]()
    ready = in_a_game(baseline, position, position.memory)
    asyncio.run(ready.seat.bind(GameContext(events.append))(ready.view, ready.memory))
    return events
