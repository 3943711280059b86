"""Judges in a row: their order, their verdicts in journal, story and results, and the exact rule among them."""

from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from hanabi_orchestrator import graphs
from hanabi_orchestrator.experiments import Game
from hanabi_orchestrator.experiments.page import turn_page
from hanabi_orchestrator.experiments.show.graph_tree import show_graph
from hanabi_orchestrator.experiments.show.turn_story import TurnStory
from hanabi_orchestrator.graphs.attempts import depth, judging, steps
from hanabi_orchestrator.graphs.config import parse
from hanabi_orchestrator.orchestrator import journal, play
from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.hanabi.view import View
from hanabi_orchestrator.orchestrator.journal.events import Call, VerdictGiven
from hanabi_orchestrator.orchestrator.journal.move_origins import origins
from hanabi_orchestrator.orchestrator.models.request import ModelRequest, Scripted
from tests.graphs.test_walk import both, bound
from tests.support.positions import literal_views, random_views
from tests.support.small_graph import OPENING, nodes, scripted, small, turn


def judged(place: str = "last", rule: str = "none", **changes: Any) -> str:
    """A graph with two judges, of whom the second reads a node that does not reach the decision."""
    judges = {
        "beside": {"role": "history_analyst"},
        "second": {"role": "self_verifier", "reads": ["aggregator", "beside"]},
        "first": {"role": "self_verifier", "reads": ["aggregator"]},
    }
    check = {"judge": ["first", "second"], "redo": "aggregator"}
    return small(
        context="house",
        nodes=nodes(**judges),
        check=check,
        verify={"rule": rule, "place": place},
        **changes,
    )


def hint(request: ModelRequest) -> dict[str, Any]:
    """The last of the legal moves, which the exact rule accepts."""
    return {"reason": "r", "action": list(request.moves)[-1]}


def verdicts(*answers: tuple[str, bool]) -> Scripted:
    """Judges who answer in this order, whatever was chosen; `answers`: a reason, and whether the move is accepted."""
    left = iter(answers)

    def verdict(_: Any) -> dict[str, Any]:
        reason, accept = next(left)
        return {"reason": reason, "accept": accept}

    return scripted(
        aggregator=hint,
        self_verifier=verdict,
        history_analyst={"summary": "s", "own_cards": [], "inferences": []},
    )


async def ruled(
    text: str, brain: Scripted, view: View = OPENING
) -> tuple[list[tuple[str, bool]], Any]:
    decision, events = await turn(parse(text), brain, view)
    return [
        (event.node, event.accepted) for event in events if isinstance(event, VerdictGiven)
    ], decision


async def test_the_second_judge_is_asked_about_what_the_first_accepts() -> None:
    given = (("no", False), ("fine", True), ("no", False), ("fine", True), ("fine", True))
    passed, decision = await ruled(judged(), verdicts(*given))
    assert passed == [
        ("first", False), ("first-2", True), ("second-2", False), ("first-3", True), ("second-3", True),
    ]  # fmt: skip
    assert not decision.forced and decision.node == "aggregator-3"


async def test_no_verdict_of_any_judge_is_overruled() -> None:
    passed, decision = await ruled(judged(), verdicts(*[("fine", True), ("no", False)] * 3))
    assert decision.forced and passed[-1] == ("second-3", False)


async def test_the_rule_stands_last_or_first() -> None:
    def brain() -> Scripted:
        return verdicts(*[("fine", True)] * 2)

    assert [node for node, _ in (await ruled(judged(rule="safety"), brain()))[0]] == [
        "first",
        "second",
        "safety",
    ]
    passed, _ = await ruled(judged("first", "safety"), brain())
    assert [node for node, _ in passed] == ["safety", "first", "second"]


async def test_the_redo_reads_the_verdicts_of_all() -> None:
    brain = verdicts(
        ("too early", False), ("fine", True), ("too late", False), ("fine", True), ("fine", True)
    )
    await turn(parse(judged()), brain, OPENING)
    third = next(ask for ask in brain.asked if ask.node == "aggregator-3")
    notes = next(part.text for part in third.parts if part.name == "notes")
    assert "too early" in notes and "too late" in notes


def test_the_steps_say_that_judges_wait_for_one_another() -> None:
    config = parse(judged())
    assert (
        steps(config) == [["proposer", "beside"], ["aggregator"], ["first"], ["second"]]
        and depth(config) == 4
    )
    assert judging(parse(judged("first", "safety"))) == ("safety", "first", "second")


@pytest.mark.parametrize("place", ["last", "first"])
async def test_the_walk_leaves_what_langgraph_leaves(place: str) -> None:
    config = graphs.dotted(
        parse(judged(place, "safety")), ["verify.limits={1: 1.0, 2: 1.0, 3: 1.0}"]
    )
    config = graphs.at(graphs.bind(config, {"default": "program"}), 2)
    refusals = 0
    for view in list(literal_views(2, 12))[::4]:
        walked, scheduled = await both(config, view)
        assert walked == scheduled and walked[1]
        refusals += sum('"accepted":false' in event for event in walked[1])
    assert refusals


def test_each_verdict_is_in_the_journal_the_story_the_page_and_the_counts(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    brain = verdicts(("no", False), ("fine", True), ("no", False), ("fine", True), ("fine", True))
    play(
        graphs.seat(parse(judged("last", "safety")), brain),
        players=2,
        seed=1,
        journal=path,
        max_turns=1,
    )
    game = Game.open(path)
    game.refresh()
    events = journal.read(path)
    given = [event.node for event in events if isinstance(event, VerdictGiven)]
    assert given == ["first", "first-2", "second-2", "first-3", "second-3", "safety-3"]
    (origin,) = origins(events)
    assert (len(origin.refused), origin.refused_by_rule, origin.chosen) == (2, 0, True)
    shown = turn_page.turn(game, 1)
    assert [one["node"] for one in shown["verdicts"]] == given
    assert shown["graph"]["judges"] == ["first", "second", "safety"]
    story = TurnStory(game, 1, width=100)
    order = [event.node for event in story._in_order() if isinstance(event, VerdictGiven)]
    assert order == given
    assert {event.node for event in events if isinstance(event, Call)} >= {
        "first",
        "second-2",
        "beside",
    }


def test_a_judge_alone_is_stored_as_it_always_was() -> None:
    cac = graphs.read("cac")
    assert (
        cac.model_dump(mode="json")["check"]["judge"] == "check"
        and "place" not in cac.model_dump()["verify"]
    )
    both_judges = parse(judged())
    assert (
        graphs.without(both_judges, "first").model_dump(mode="json")["check"]["judge"] == "second"
    )
    assert graphs.without(both_judges, "first", "second").check is None


@pytest.mark.parametrize(
    ("judges", "second", "complaint"),
    [
        (["first", "first"], [], "'first' is named twice"),
        (["first", "second"], ["second"], "'first' needs 'second', which is asked after it"),
        ([], [], "check.judge: "),
    ],
)
def test_a_row_that_cannot_be_is_named(
    judges: list[str], second: list[str], complaint: str
) -> None:
    judge = {"role": "self_verifier", "reads": ["aggregator"]}
    named = nodes(first={**judge, "reads": ["aggregator", *second]}, second=judge)
    with pytest.raises(UserError, match=complaint):
        parse(small(nodes=named, check={"judge": judges, "redo": "aggregator"}))


def test_nobody_between_two_judges_waits_for_the_first() -> None:
    judge = {"role": "self_verifier", "reads": ["aggregator"]}
    report = {"role": "history_analyst", "reads": ["first"]}
    named = nodes(first=judge, report=report, second={**judge, "reads": ["aggregator", "report"]})
    with pytest.raises(UserError, match="'second' reads 'report', which needs the judge 'first'"):
        parse(small(nodes=named, check={"judge": ["first", "second"], "redo": "aggregator"}))


@pytest.mark.parametrize("graph", graphs.names("hanabi"))
async def test_the_exact_rule_stands_before_the_moves_of_every_graph(graph: str) -> None:
    for players in (2, 5):
        config = bound(graph, players)
        assert judging(config)[-1] == "safety"
        for view in random_views(players, seed=players)[4::30]:
            decision, events = await turn(config, "program", view)
            ruled = [
                event
                for event in events
                if isinstance(event, VerdictGiven) and event.node.startswith("safety")
            ]
            assert ruled or decision.forced
            assert decision.forced or (ruled[-1].accepted and ruled[-1].move == decision.move)


def test_the_graphs_with_a_verifier_are_those_that_the_readme_names() -> None:
    judges = {name: judging(graphs.read(name)) for name in graphs.names("hanabi")}
    assert {name for name, row in judges.items() if row == ("check",)} == {"cac", "cac_no_tom"}
    assert {name for name, row in judges.items() if row == ("safety",)} == {
        name for name in judges if name.startswith("house")
    }


def test_a_graph_without_a_verifier_is_shown_with_how_to_get_one(
    capsys: pytest.CaptureFixture[str],
) -> None:
    for name in graphs.names("hanabi"):
        show_graph(graphs.read(name), Console())
        text = capsys.readouterr().out
        assert ("verifier: none" in text) == (not judging(graphs.read(name)))
