"""What a seat does in a turn: redos, absences, verdicts, samples; and the prompts of a recorded turn."""

from typing import Any

import pytest

from hanabi_orchestrator import graphs, roles
from hanabi_orchestrator.graphs.attempts import attempts, role_node
from hanabi_orchestrator.graphs.config import checked, parse
from hanabi_orchestrator.graphs.prompt_preview import requests
from hanabi_orchestrator.graphs.recorded import notes_of
from hanabi_orchestrator.orchestrator.errors import RoleError, UserError
from hanabi_orchestrator.orchestrator.hanabi.cards import COLOUR_NAMES
from hanabi_orchestrator.orchestrator.hanabi.moves import Discard, HintColour, Play
from hanabi_orchestrator.orchestrator.journal.events import Call, VerdictGiven
from hanabi_orchestrator.roles import Choice, Sections, Verdict
from hanabi_orchestrator.roles.hanabi.reasoning.position import TAKES, Position
from hanabi_orchestrator.roles.sections import cut
from tests.support.positions import random_views, turn_of
from tests.support.small_graph import LAST, OPENING, nodes, scripted, small, turn


async def test_an_always_refusing_judge_costs_two_redos_and_then_the_safest_move_is_forced() -> (
    None
):
    moves = iter(range(9))
    brain = scripted(
        generator=lambda _: {"reason": "r", "action": str(LAST.legal[next(moves)])},
        self_verifier={"reason": "no", "accept": False},
    )
    decision, events = await turn("cac", brain)
    asked = [ask.node for ask in brain.asked if ask.role != "cac_interpreter"]
    assert asked == ["generate", "check", "generate-2", "check-2", "generate-3", "check-3"]
    assert (
        decision.forced and decision.node is None and decision.move in (Play(slot=0), Play(slot=3))
    )
    assert [event.node for event in events if isinstance(event, VerdictGiven)] == [
        "check",
        "check-2",
        "check-3",
    ]
    assert {event.sample for event in events if isinstance(event, Call)} == {0}, (
        "samples count from 0"
    )


async def test_a_redo_reads_every_earlier_verdict_and_refused_moves_are_off_its_list() -> None:
    moves = iter(range(9))
    brain = scripted(
        generator=lambda _: {"reason": "r", "action": str(LAST.legal[next(moves)])},
        self_verifier={"reason": "not that one", "accept": False},
    )
    await turn("cac", brain)
    third = next(ask for ask in brain.asked if ask.node == "generate-3")
    notes = next(part.text for part in third.parts if part.name == "notes")
    refused = [str(LAST.legal[0]), str(LAST.legal[1])]
    assert all(f"- {move}: not that one" in notes for move in refused)
    assert {str(move) for move in third.moves.values()} == {str(move) for move in LAST.legal} - set(
        refused
    )
    first = next(ask for ask in brain.asked if ask.node == "generate")
    assert third.moves.items() <= first.moves.items()


async def test_a_redo_is_shown_and_asked_what_the_first_choice_was() -> None:
    """No section that is taken away comes back."""
    config = graphs.without_sections(graphs.read("house"), "discards")
    brain = scripted(aggregator={"reason": "r", "action": "play slot 1"})
    await turn(config, brain)
    first, again = (
        {part.name: part.text for part in ask.parts if part.name not in ("notes", "legal_moves")}
        for ask in brain.asked
        if ask.node in ("aggregator", "aggregator-2") and not ask.ask
    )
    assert again == first and "discards" not in first


def test_a_role_keeps_its_options_in_a_redo() -> None:
    config = graphs.change(graphs.read("house_planner"), planner={"options": {"rollouts": 3}})
    assert [role_node(config, "planner", one).options["rollouts"] for one in attempts(config)] == [
        3,
        3,
        3,
    ]


async def test_a_last_choice_that_the_check_accepts_and_the_rule_refuses_is_not_played() -> None:
    moves = iter(("play slot 1", "play slot 2"))
    brain = scripted(
        generator=lambda _: {"reason": "r", "action": next(moves)},
        self_verifier={"reason": "fine", "accept": True},
    )
    config = graphs.dotted(graphs.verified(graphs.read("cac"), "safety"), ["check.at_most=1"])
    decision, events = await turn(config, brain)
    ruled = [(event.node, event.accepted) for event in events if isinstance(event, VerdictGiven)]
    assert ruled == [("check", True), ("safety", False), ("check-2", True), ("safety-2", False)]
    assert decision.forced and decision.move in (Play(slot=0), Play(slot=3))


async def test_an_accepted_redo_is_played_unforced() -> None:
    brain = scripted(
        generator=lambda ask: {
            "reason": "r",
            "action": str(LAST.legal[int(ask.node == "generate-2")]),
        },
        self_verifier=lambda ask: {"reason": "x", "accept": ask.node == "check-2"},
    )
    decision, _ = await turn("cac", brain)
    assert (decision.forced, decision.node, decision.move) == (False, "generate-2", LAST.legal[1])


async def test_a_verdict_that_cannot_be_read_refuses_and_it_is_recorded() -> None:
    """As CAC's authors have it. After the last redo the safest move is played."""
    brain = scripted(self_verifier="I would think so.")
    decision, events = await turn("cac", brain)
    verdicts = [event for event in events if isinstance(event, VerdictGiven)]
    assert [event.accepted for event in verdicts] == [False] * 3 and decision.forced
    assert {event.why for event in verdicts} == {"no verdict came, which counts as a refusal"}
    (again,) = [ask for ask in brain.asked if ask.node == "generate-2"]
    first = next(ask for ask in brain.asked if ask.node == "generate")
    assert str(next(iter(first.moves.values()))) not in [str(move) for move in again.moves.values()]


@pytest.mark.parametrize(
    ("reason", "accept"),
    [("Should it be G1, one of three lives is lost.", True), ("Yes, it is safe and legal.", False)],
)
async def test_a_verdict_is_what_it_says_whatever_its_reason(reason: str, accept: bool) -> None:
    brain = scripted(self_verifier={"reason": reason, "accept": accept})
    _, events = await turn("cac", brain)
    calls = {
        (event.outcome, event.cause)
        for event in events
        if isinstance(event, Call) and event.node == "check"
    }
    assert calls == {("repaired", None)}, "asked once"
    ruled = [(event.accepted, event.why) for event in events if isinstance(event, VerdictGiven)]
    assert ruled == [(accept, reason)] * (1 if accept else 3)


async def test_the_exact_rule_still_refuses_what_a_judge_accepts() -> None:
    brain = scripted(
        generator={"reason": "r", "action": "play slot 1"},
        self_verifier={"reason": "The play would lose a life.", "accept": True},
    )
    config = graphs.dotted(graphs.verified(graphs.read("cac"), "safety"), ["check.at_most=0"])
    decision, events = await turn(config, brain)
    ruled = [(event.node, event.accepted) for event in events if isinstance(event, VerdictGiven)]
    assert ruled == [("check", True), ("safety", False)] and decision.forced


async def test_a_verdict_that_cannot_be_read_may_accept() -> None:
    data = graphs.read("cac").model_dump()
    data["check"] = {"judge": "check", "redo": "generate", "unreadable": "accept"}
    brain = scripted()
    decision, events = await turn(checked(data, "cac"), brain)
    first = next(ask for ask in brain.asked if ask.node == "generate")
    assert (decision.forced, decision.move) == (False, next(iter(first.moves.values())))
    (ruled,) = [event for event in events if isinstance(event, VerdictGiven)]
    assert ruled.accepted and ruled.why == "the judge is absent: no objection"


async def test_a_move_by_distance_counts_from_the_seat_that_answers() -> None:
    hint = next(move for move in LAST.legal if isinstance(move, HintColour))
    steps = (hint.to - LAST.seat) % LAST.players
    brain = scripted(
        generator={"reason": "r", "action": f"hint player +{steps} {COLOUR_NAMES[hint.colour]}"}
    )
    decision, _ = await turn("cac_generator", brain)
    assert (decision.forced, decision.move) == (False, hint)


async def test_what_a_reply_loses_is_in_its_call() -> None:
    """A rating on another scale, and one of a move that is not legal; the choice stays."""
    answers = [{"action": str(LAST.legal[0]), "rating": 9}, {"action": "play slot 9", "rating": 0}]
    fine = {"action": str(LAST.legal[1]), "rating": 0.5}
    brain = scripted(
        proposer={"ratings": [*answers, fine], "reason": "r", "action": str(LAST.legal[1])}
    )
    decision, events = await turn("sherlock", brain)
    assert decision.move == LAST.legal[1] and decision.ratings == {str(LAST.legal[1]): 0.5}
    (call,) = [event for event in events if isinstance(event, Call)]
    assert call.outcome == "repaired" and [text.partition(":")[0] for text in call.dropped] == [
        "ratings.0.rating",
        "ratings.1.action",
    ]


async def test_a_judge_rules_on_the_decision_and_on_no_other_choice_it_hears() -> None:
    text = small(
        nodes=nodes(j={"role": "self_verifier", "reads": ["proposer", "aggregator"]}),
        check={"judge": "j", "redo": "aggregator"},
    )
    brain = scripted(
        proposer={"ratings": [], "reason": "mine", "action": "discard slot 1"},
        aggregator={"ratings": [], "reason": "his", "action": "play slot 0"},
        self_verifier={"reason": "fine", "accept": True},
    )
    _, events = await turn(parse(text), brain)
    told = next(part.text for part in brain.asked[-1].parts if part.name == "notes")
    assert (
        told.count("# The chosen move") == 1
        and "play slot 0" in told
        and "discard slot 1" not in told
    )
    assert [str(event.move) for event in events if isinstance(event, VerdictGiven)] == [
        "play slot 0"
    ]


async def test_redos_that_use_up_every_legal_move_end_in_a_forced_one() -> None:
    data = graphs.read("cac").model_dump() | {
        "check": {"judge": "check", "redo": "generate", "at_most": 10}
    }
    refusing = scripted(self_verifier={"reason": "no", "accept": False})
    config = graphs.replace(checked(data, "cac"), interpret="program", generate="program")
    few = LAST.model_copy(update={"legal": LAST.legal[:4]})
    decision, events = await turn(config, refusing, few)
    assert (
        decision.forced and len([event for event in events if isinstance(event, VerdictGiven)]) == 4
    )


async def test_two_brains_of_one_class_stay_two() -> None:
    config = graphs.replace(graphs.read("cac"), check="other")
    first = scripted()
    second = scripted(self_verifier={"reason": "fine", "accept": True})
    await graphs.seat(config, first, named={"other": second})(LAST, {})
    assert {ask.node for ask in first.asked} == {"interpret", "generate"}
    assert {ask.node for ask in second.asked} == {"check"}


def test_a_model_that_nobody_bound_is_named_with_those_that_are() -> None:
    with pytest.raises(
        UserError, match="node 'proposer': no model is bound to 'other'; bound: default, program"
    ):
        graphs.seat(graphs.replace(parse(small(), "small"), proposer="other"))


def test_a_model_that_is_given_by_its_settings_is_called_by_its_name() -> None:
    given = {"model": "openai:m", "base_url": "http://127.0.0.1:9/v1", "temperature": 1}
    assert graphs.seat("watson", given).info.model == "openai:m"


async def test_programs_do_no_certain_harm_on_a_models_word() -> None:
    """An analyst who is certain of a card that is known dead, proposals to play it, a strategist who keeps the dead."""
    certain = {
        "action": "play slot 1", "type": "play", "immediate_effect": "", "chance": 1.0, "success": "certain",
        "token_change": 0, "future_impact": "", "rationale": "",
    }  # fmt: skip
    analysis = {
        "moves": [certain],
        "best": ["play slot 1"],
        "comparison": "",
        "risks": "",
        "observations": "",
    }
    brain = scripted(
        analyst=analysis, proposer={"ratings": [], "reason": "r", "action": "play slot 1"}
    )
    config = graphs.verified(graphs.replace(graphs.read("house"), aggregator="program"), "none")
    decision, _ = await turn(config, brain)
    assert decision.move != Play(slot=1)
    best, _ = await turn(graphs.replace(graphs.read("best_of_k"), selector="program"), brain)
    assert best.move != Play(slot=1) and not best.forced


async def test_reports_of_several_samples_keep_their_advisers_name() -> None:
    config = graphs.change(
        graphs.read("house"), discard_strategist={"samples": 2, "model": "program"}
    )
    brain = scripted()
    await turn(config, brain)
    notes = next(part.text for part in brain.asked[-1].parts if part.name == "notes")
    assert "## discard strategist, answer 1" in notes and "## discard strategist, answer 2" in notes


async def test_an_absent_decision_is_not_judged_but_forced() -> None:
    brain = scripted(generator="mumble")
    decision, events = await turn("cac", brain)
    assert decision.forced and "gave no usable choice" in decision.why
    assert "self_verifier" not in {ask.role for ask in brain.asked}
    assert not [event for event in events if isinstance(event, VerdictGiven)]


async def test_absent_specialists_leave_no_trace_in_the_aggregators_prompt() -> None:
    brain = scripted()
    await turn("moa_sherlock", brain)
    prompt = next(ask for ask in brain.asked if ask.node == "aggregator")
    notes = next(part.text for part in prompt.parts if part.name == "notes")
    assert "## proposer" in notes and "analyst" not in notes and "JSON" not in notes


async def test_check_and_safety_share_the_redos() -> None:
    """Safety refuses the first choice, a card known dead; the check refuses the second; the third passes both."""
    brain = scripted(
        generator=lambda ask: {
            "reason": "r",
            "action": {"generate": "play slot 1", "generate-2": "A"}.get(ask.node, "B"),
        },
        self_verifier=lambda ask: {"reason": "x", "accept": ask.node != "check-2"},
    )
    decision, events = await turn(graphs.verified(graphs.read("cac"), "safety"), brain)
    ruled = [(event.node, event.accepted) for event in events if isinstance(event, VerdictGiven)]
    assert ruled == [
        ("check", True),
        ("safety", False),
        ("check-2", False),
        ("check-3", True),
        ("safety-3", True),
    ]
    assert not decision.forced and decision.node == "generate-3"


async def test_without_a_check_safety_redoes_the_deciding_node() -> None:
    brain = scripted(aggregator={"reason": "r", "action": "play slot 1"})
    decision, events = await turn("house", brain)
    ruled = [(event.node, event.accepted) for event in events if isinstance(event, VerdictGiven)]
    assert ruled[0] == ("safety", False)
    assert (
        decision.forced
    )  # the script's move left the list, so its second and third answers are unusable
    assert [ask.node for ask in brain.asked if ask.node.startswith("aggregator")] == [
        "aggregator",
        "aggregator-2",
        "aggregator-2",
    ]


async def test_verify_none_lets_a_certain_misplay_pass() -> None:
    brain = scripted(
        generator={"reason": "r", "action": "play slot 1"},
        self_verifier={"reason": "", "accept": True},
    )
    decision, _ = await turn("cac", brain)
    assert decision.move == Play(slot=1) and not decision.forced


async def test_safety_trusts_a_program_historian_and_not_a_models() -> None:
    view = next(v for v in random_views(3, 2) if v.lives == 1 and v.turn > 5)
    at = Position.read(cut(view, [(kind, {}) for kind in TAKES]))
    slot = next(i for i, s in enumerate(at.slots) if 0 < s.playable < 1)
    fits = [
        card.value for card, share in at.slots[slot].likely().items() if share and at.piles.playable
    ]
    playable = [card for card in fits if view.fireworks["RYGWB".index(card[0])] + 1 == int(card[1])]
    report = {
        "insights": [],
        "summary": "",
        "inferred": [{"slot": slot, "cards": playable, "reason": "hinted"}],
    }
    brain = scripted(
        history_analyst=report, aggregator={"reason": "r", "action": f"play slot {slot}"}
    )
    for trust, accepted in (("programs", False), ("models", True)):
        data = graphs.read("house").model_dump() | {"verify": {"rule": "safety", "trust": trust}}
        _, events = await turn(graphs.GraphConfig.model_validate(data), brain, view)
        assert (
            next(event.accepted for event in events if isinstance(event, VerdictGiven)) == accepted
        )


async def test_best_of_k_samples_and_selects_among_the_candidates() -> None:
    brain = scripted(
        proposer=lambda ask: {
            "ratings": [],
            "reason": f"sample {ask.sample}",
            "action": ask.sample % 2,
        },
        selector={"ratings": [], "reason": "r", "action": 1},
    )
    decision, _ = await turn("best_of_k", brain)
    assert sorted(ask.sample for ask in brain.asked if ask.node == "proposer") == [0, 1, 2, 3, 4]
    notes = next(part.text for part in brain.asked[-1].parts if part.name == "notes")
    assert "given 3 of 5 times" in notes and "given 2 of 5 times" in notes
    assert decision.move == LAST.legal[1]


async def test_ratings_reach_the_decision() -> None:
    rated = {
        "ratings": [{"action": 0, "rating": -1}, {"action": 4, "rating": 1}],
        "reason": "r",
        "action": 4,
    }
    decision, _ = await turn("watson", scripted(proposer=rated))
    assert decision.ratings == {str(LAST.legal[0]): -1.0, str(LAST.legal[4]): 1.0}


async def test_a_raising_program_names_its_role_and_turn(own_roles: None) -> None:
    def broken(sections: Sections, notes: Any) -> Choice:
        raise ZeroDivisionError("oops")

    made = roles.add(
        roles.Role("broken", Choice, roles.get("proposer").takes, solve=broken, template="Choose.")
    )
    config = parse(small(nodes={"it": {"role": made.name}}, decides="it"))
    with pytest.raises(
        RoleError, match="turn 54: the program of role 'broken' failed: ZeroDivisionError: oops"
    ):
        await turn(config, "program")


async def test_a_program_that_replies_with_another_type_is_named(own_roles: None) -> None:
    made = roles.add(
        roles.Role("odd", Choice, roles.get("proposer").takes, solve=lambda told, notes: LAST)
    )
    config = parse(small(nodes={"it": {"role": made.name, "model": "program"}}, decides="it"))
    with pytest.raises(RoleError, match="program of role 'odd' replied with View, not with Choice"):
        await turn(config, "program")


# Prompts


async def test_a_recorded_turn_gives_the_notes_back() -> None:
    config = graphs.read("cac")
    brain = scripted(
        generator=lambda ask: {
            "reason": "r",
            "action": str(LAST.legal[int(ask.node == "generate-2")]),
        },
        self_verifier=lambda ask: {"reason": "x", "accept": ask.node == "check-2"},
    )
    _, events = await turn(config, brain)
    notes = notes_of(config, events)
    assert isinstance(notes["check"][0], Verdict) and isinstance(notes["generate-2"][0], Choice)
    rendered = requests(config, LAST, notes)
    for ask in brain.asked:
        assert rendered[ask.node].parts == ask.parts


async def test_the_parts_that_roles_share_come_first_in_the_house() -> None:
    config = graphs.read("house")
    made = requests(config, OPENING, await turn_of(config, OPENING))
    orders = [[part.name for part in ask.parts] for ask in made.values()]
    assert all(order[0] == "rules" and order[-1] == "answer_format" for order in orders)
    shared = ["rules", "conventions", "state", "discards", "own_deductions", "convention_facts"]
    assert all(
        [name for name in order if name in shared] == [name for name in shared if name in order]
        for order in orders
    )


async def test_the_verifiers_role_is_its_system_message() -> None:
    ask = requests(graphs.read("cac"), OPENING, await turn_of(graphs.read("cac"), OPENING))["check"]
    assert {part.name for part in ask.parts if part.speaker == "system"} == {
        "instruction",
        "answer_format",
    }


def test_a_graph_has_as_many_attempts_as_redos_and_one() -> None:
    assert [len(attempts(graphs.read(name))) for name in ("watson", "cac", "house")] == [1, 3, 3]


async def test_calls_are_recorded_with_their_prompts() -> None:
    _, events = await turn("watson", scripted(proposer="no JSON here"))
    calls = [event for event in events if isinstance(event, Call)]
    assert [call.outcome for call in calls] == ["reasked", "fallback"]
    assert [call.ask for call in calls] == [0, 1]
    spans = {span.name for message in calls[0].messages for span in message.spans}
    assert {"state", "legal_moves", "answer_format"} <= spans
    assert calls[0].text == "no JSON here" and calls[0].reply is None and calls[0].error


def test_the_position_of_these_tests_is_what_they_take_it_for() -> None:
    """Known plays in slots 0 and 3, known dead cards in slots 1 and 2."""
    at = Position.read(cut(LAST, [(kind, {}) for kind in TAKES]))
    assert [slot.playable for slot in at.slots] == [1.0, 0.0, 0.0, 1.0]
    assert [slot.dead for slot in at.slots] == [0.0, 1.0, 1.0, 0.0]
    assert LAST.legal[0] == Discard(slot=0)
