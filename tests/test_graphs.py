"""Graphs: what a config may say, what an ablation leaves, and what a seat does after a refusal."""

from collections.abc import Callable
from typing import Any

import pytest
import yaml

import graphs
import roles
from graphs.build import attempts
from graphs.config import checked, parse
from graphs.prompting import asks, notes_of
from orchestrator.brain import Scripted
from orchestrator.errors import RoleError, UserError
from orchestrator.events import Call, Event, Ruled
from orchestrator.moves import Discard, Play
from orchestrator.seat import Decision
from orchestrator.view import View
from roles import Choice, Told, Verdict
from roles.position import TAKES, Position
from roles.sections import cut
from tests.tables import GRAPHS, position, random_views, turn_of

LAST = position("5p-last-round")
OPENING = position("2p-opening")

SMALL = {
    "name": "small",
    "context": "sherlock",
    "nodes": {"proposer": {"role": "proposer"}, "aggregator": {"role": "aggregator", "reads": ["proposer"]}},
    "decides": "aggregator",
}


def small(**changes: Any) -> str:
    return yaml.safe_dump({**SMALL, **changes}, sort_keys=False)


def nodes(**more: Any) -> dict[str, Any]:
    return {**SMALL["nodes"], **more}  # type: ignore[dict-item]


# Configs


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (small(nodes=nodes(proposer={"role": "nope"})), "unknown role 'nope'; known: aggregator, analyst"),
        (small(color="red"), "unknown key 'color'; known: name, context, nodes"),
        (
            small(nodes=nodes(proposer={"role": "proposer", "sample": 3})),
            "nodes.proposer: unknown key 'sample'; known: role",
        ),
        (small(nodes=nodes(proposer={"role": "proposer", "samples": 0})), "nodes.proposer.samples: .* not 0"),
        (
            small(nodes=nodes(proposer={"role": "proposer", "reads": ["x"]})),
            "reads 'x' is not a node; the nodes are: ",
        ),
        (small(nodes=nodes(proposer={"role": "proposer", "reads": ["aggregator"]})), "read in a circle: "),
        (small(nodes=nodes(notes={"role": "proposer"})), "'notes' cannot name a node"),
        (small(decides="nobody"), "decides: 'nobody' is not a node; the nodes are: proposer, aggregator"),
        (small(nodes=nodes(a={"role": "analyst"}), decides="a"), "role 'analyst', which does not reply with a Choice"),
        (small(nodes=nodes(proposer={"role": "proposer", "samples": 2}), decides="proposer"), "let a selector read it"),
        (small(context="nope"), "unknown context 'nope'; known: cac, cac_verifier, house, sherlock, watson"),
        (small(verify="nope"), "verify.rule: .* not 'nope'"),
        (small(verify={"rule": "safety", "limits": {1: 2}}), "limits give each of 1, 2 and 3 lives a probability"),
        (small(check={"judge": "proposer", "redo": "proposer"}), "'proposer' does not reply with a Judgement"),
        (
            small(nodes=nodes(j={"role": "self_verifier"}), check={"judge": "j", "redo": "aggregator"}),
            "'j' does not read 'aggregator', the node that decides",
        ),
        (
            small(
                nodes=nodes(j={"role": "self_verifier", "reads": ["aggregator"]}, lone={"role": "analyst"}),
                check={"judge": "j", "redo": "lone"},
            ),
            "nothing that 'lone' says reaches 'aggregator'",
        ),
        (small(nodes=nodes(s={"role": "safety"})), "only a program plays role 'safety'; say `model: program`"),
        (small(without_sections=["legal_moves"]), "role 'proposer' names moves, so it needs the section legal_moves"),
        (small(players=[7]), "players.0: .* not 7"),
        (
            small(nodes=nodes(aggregator={"role": "aggregator", "players": [2, 3]})),
            "is missing at some",
        ),
        (small(nodes=nodes(__x={"role": "proposer"})), "'__x' cannot name a node"),
        (small(context="../contexts/cac"), "unknown context '../contexts/cac'"),
        (
            small(
                nodes=nodes(j={"role": "self_verifier", "reads": ["aggregator"], "samples": 3}),
                check={"judge": "j", "redo": "aggregator"},
            ),
            "'j' answers 3 times, not once",
        ),
        ("name: 2001-99-99", "is not YAML: "),
        ("name: [", "is not YAML, line 1"),
        ("just words", "is not a graph: a YAML mapping with the keys name"),
        (small(players=["two"]), "players.0: .* not 'two'"),
    ],
)
def test_a_wrong_config_is_one_sentence_that_names_the_value(text: str, said: str) -> None:
    with pytest.raises(UserError, match=said) as caught:
        parse(text, "mine.yaml")
    assert str(caught.value).startswith("mine.yaml") and "\n" not in str(caught.value)


def test_an_unknown_graph_is_named_with_the_known_ones() -> None:
    with pytest.raises(UserError, match="unknown graph 'huose'; known: best_of_k, cac, house, moa_sherlock"):
        graphs.read("huose")
    with pytest.raises(UserError, match=r"cannot read graph 'no/such\.yaml'"):
        graphs.read("no/such.yaml")


def test_the_named_graphs_are_there() -> None:
    assert set(GRAPHS) <= set(graphs.names())


@pytest.mark.parametrize("graph", GRAPHS)
@pytest.mark.parametrize("players", (2, 3, 4, 5))
def test_every_graph_compiles_at_every_count(graph: str, players: int) -> None:
    config = graphs.bind(graphs.read(graph), {"default": "program"})
    picture = graphs.build(config, players).get_graph().draw_mermaid()
    assert graphs.read(graph).decides in picture


def test_mixture_of_agents_has_no_historian_at_two_players() -> None:
    config = graphs.read("moa_sherlock")
    assert "history_analyst" not in graphs.at(config, 2).nodes
    assert "history_analyst" in graphs.at(config, 3).nodes
    assert "history_analyst" not in graphs.at(config, 2).nodes["aggregator"].reads


def test_house_is_three_calls_deep_and_ends_in_safety() -> None:
    from experiments.listing import calls, depth

    config = graphs.read("house")
    assert (depth(config), calls(config)) == (3, "6 to 8")
    assert "safety" in graphs.build(graphs.bind(config, {"default": "program"}), 3).get_graph().nodes


# Ablations


def test_without_a_node_nobody_hears_it() -> None:
    config = graphs.without(graphs.read("house"), "analyst", "proposer")
    assert not {"analyst", "proposer"} & {*config.nodes, *config.nodes["aggregator"].reads}
    assert config.name == "house-without-analyst-proposer"


def test_every_ablation_has_a_name_of_its_own() -> None:
    house = graphs.read("house")
    assert graphs.replace(house, analyst="program").name == "house-analyst-program"
    assert graphs.change(house, proposer={"samples": 3}).name == "house-proposer-samples-3"
    assert graphs.without_sections(house, "discards").name == "house-without-discards"


def test_without_its_judge_a_graph_has_no_check() -> None:
    assert graphs.without(graphs.read("cac"), "check").check is None


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda c: graphs.without(c, "analist"), "graph 'house' has no node 'analist'; it has: history_analyst"),
        (lambda c: graphs.without(c, "aggregator"), "decides: 'aggregator' is not a node"),
        (lambda c: graphs.without_sections(c, "strategy"), "graph 'house' has no section 'strategy'; it has: rules"),
        (lambda c: graphs.replace(c, analist="program"), "has no node 'analist'"),
        (lambda c: graphs.change(c, analyst={"samples": "many"}), "nodes.analyst.samples: .* not 'many'"),
        (lambda c: graphs.verified(c, "maybe"), "verify.rule: .* not 'maybe'"),
        (
            lambda c: graphs.bind(graphs.replace(c, analyst="other"), {"default": "program"}),
            "no model is bound to 'other'",
        ),
    ],
)
def test_a_wrong_ablation_is_named(change: Callable[[graphs.GraphConfig], object], said: str) -> None:
    with pytest.raises(UserError, match=said):
        change(graphs.read("house"))


def test_a_program_that_lacks_a_section_is_refused() -> None:
    config = graphs.without_sections(graphs.read("house"), "state")
    with pytest.raises(UserError, match="the program of role 'tom_interpreter' needs the sections state"):
        graphs.bind(config, {"default": "program"})
    graphs.bind(config, {"default": "openai:some"})  # a model may be asked without it


async def test_without_a_section_no_prompt_tells_it() -> None:
    config = graphs.without_sections(graphs.read("sherlock"), "discards", "probability_advice")
    full, less = (asks(c, LAST, {})["proposer"] for c in (graphs.read("sherlock"), config))
    gone = [part.name for part in full.parts if part not in less.parts]
    assert gone == ["discards", "probability_advice"]
    assert [part for part in full.parts if part.name not in gone] == list(less.parts)


async def test_without_a_colleague_his_work_is_gone() -> None:
    """The house finds a certain play through the analyst; without him and the proposer it hears of a hint at most."""
    whole, bare = graphs.read("house"), graphs.without(graphs.read("house"), "analyst", "proposer")
    for config, why in ((whole, "the analyst is certain"), (bare, "the interpreter's hint")):
        decision = await graphs.seat(config)(LAST, {})
        assert why in decision.why


async def test_a_replaced_node_is_a_program_and_the_others_are_asked() -> None:
    brain = Scripted({"aggregator": {"reason": "r", "action": 0}})
    config = graphs.replace(graphs.read("moa_sherlock"), analyst="program")
    await graphs.seat(config, brain)(LAST, {})
    assert "analyst" not in {ask.node for ask in brain.asked}
    assert "discard_strategist" in {ask.node for ask in brain.asked}


# What a turn does


def scripted(**answers: Any) -> Scripted:
    plain = {
        role: {"ratings": [], "reason": "r", "action": 0}
        for role in ("proposer", "generator", "aggregator", "selector")
    }
    return Scripted({**plain, **answers})


async def turn(
    config: graphs.GraphConfig | str, brain: Scripted | str, view: View = LAST
) -> tuple[Decision, list[Event]]:
    events: list[Event] = []
    seat = graphs.seat(config, brain) if isinstance(brain, Scripted) else graphs.seat(config)
    return await seat.telling(events.append)(view, {}), events


async def test_an_always_refusing_judge_costs_two_redos_and_then_the_safest_move_is_forced() -> None:
    moves = iter(range(9))
    brain = scripted(
        generator=lambda _: {"reason": "r", "action": next(moves)},
        self_verifier={"reason": "no", "accept": False},
    )
    decision, events = await turn("cac", brain)
    asked = [ask.node for ask in brain.asked if ask.role != "tom_interpreter"]
    assert asked == ["generate", "check", "generate-2", "check-2", "generate-3", "check-3"]
    assert decision.forced and decision.node is None and decision.move in (Play(slot=0), Play(slot=3))
    assert [event.node for event in events if isinstance(event, Ruled)] == ["check", "check-2", "check-3"]


async def test_a_redo_reads_every_earlier_verdict_and_refused_moves_are_off_its_list() -> None:
    moves = iter(range(9))
    brain = scripted(
        generator=lambda _: {"reason": "r", "action": next(moves)},
        self_verifier={"reason": "not that one", "accept": False},
    )
    await turn("cac", brain)
    third = next(ask for ask in brain.asked if ask.node == "generate-3")
    notes = next(part.text for part in third.parts if part.name == "notes")
    refused = [str(LAST.legal[0]), str(LAST.legal[1])]
    assert all(f"- {move}: not that one" in notes for move in refused)
    assert [str(move) for move in third.moves.values()] == [str(m) for m in LAST.legal if str(m) not in refused]


async def test_an_accepted_redo_is_played_unforced() -> None:
    brain = scripted(
        generator=lambda ask: {"reason": "r", "action": int(ask.node == "generate-2")},
        self_verifier=lambda ask: {"reason": "x", "accept": ask.node == "check-2"},
    )
    decision, _ = await turn("cac", brain)
    assert (decision.forced, decision.node, decision.move) == (False, "generate-2", LAST.legal[1])


async def test_an_absent_judge_has_no_objection_and_it_is_recorded() -> None:
    decision, events = await turn("cac", scripted())
    assert (decision.forced, decision.move) == (False, LAST.legal[0])
    (ruled,) = [event for event in events if isinstance(event, Ruled)]
    assert ruled.accepted and ruled.why == "the judge is absent: no objection"


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
    assert told.count("# The chosen move") == 1 and "play slot 0" in told and "discard slot 1" not in told
    assert [str(event.move) for event in events if isinstance(event, Ruled)] == ["play slot 0"]


async def test_redos_that_use_up_every_legal_move_end_in_a_forced_one() -> None:
    data = graphs.read("cac").model_dump() | {"check": {"judge": "check", "redo": "generate", "at_most": 10}}
    refusing = scripted(self_verifier={"reason": "no", "accept": False})
    config = graphs.replace(checked(data, "cac"), interpret="program", generate="program")
    few = LAST.model_copy(update={"legal": LAST.legal[:4]})
    decision, events = await turn(config, refusing, few)
    assert decision.forced and len([event for event in events if isinstance(event, Ruled)]) == 4


async def test_two_brains_of_one_class_stay_two() -> None:
    config = graphs.replace(graphs.read("cac"), check="other")
    first, second = scripted(), scripted()
    await graphs.seat(config, first, named={"other": second})(LAST, {})
    assert {ask.node for ask in first.asked} == {"interpret", "generate"}
    assert {ask.node for ask in second.asked} == {"check"}


async def test_programs_do_no_certain_harm_on_a_models_word() -> None:
    """An analyst who is certain of a card that is known dead, proposals to play it, a strategist who keeps the dead."""
    certain = {
        "action": "play slot 1", "type": "play", "immediate_effect": "", "chance": 1.0, "success": "certain",
        "token_change": 0, "future_impact": "", "rationale": "",
    }  # fmt: skip
    analysis = {"moves": [certain], "best": ["play slot 1"], "comparison": "", "risks": "", "observations": ""}
    brain = scripted(analyst=analysis, proposer={"ratings": [], "reason": "r", "action": "play slot 1"})
    config = graphs.verified(graphs.replace(graphs.read("house"), aggregator="program"), "none")
    decision, _ = await turn(config, brain)
    assert decision.move != Play(slot=1)
    best, _ = await turn(graphs.replace(graphs.read("best_of_k"), selector="program"), brain)
    assert best.move != Play(slot=1) and not best.forced


async def test_reports_of_several_samples_keep_their_advisers_name() -> None:
    config = graphs.change(graphs.read("house"), discard_strategist={"samples": 2, "model": "program"})
    brain = scripted()
    await turn(config, brain)
    notes = next(part.text for part in brain.asked[-1].parts if part.name == "notes")
    assert "## discard strategist, answer 1" in notes and "## discard strategist, answer 2" in notes


async def test_an_absent_decision_is_not_judged_but_forced() -> None:
    brain = scripted(generator="mumble")
    decision, events = await turn("cac", brain)
    assert decision.forced and "gave no usable choice" in decision.why
    assert "self_verifier" not in {ask.role for ask in brain.asked}
    assert not [event for event in events if isinstance(event, Ruled)]


async def test_absent_specialists_leave_no_trace_in_the_aggregators_prompt() -> None:
    brain = scripted()
    await turn("moa_sherlock", brain)
    prompt = next(ask for ask in brain.asked if ask.node == "aggregator")
    notes = next(part.text for part in prompt.parts if part.name == "notes")
    assert "## proposer" in notes and "analyst" not in notes and "JSON" not in notes


async def test_check_and_safety_share_the_redos() -> None:
    """Safety refuses the first choice, a card known dead; the check refuses the second; the third passes both."""
    brain = scripted(
        generator=lambda ask: {"reason": "r", "action": {"generate": "play slot 1", "generate-2": 0}.get(ask.node, 1)},
        self_verifier=lambda ask: {"reason": "x", "accept": ask.node != "check-2"},
    )
    decision, events = await turn(graphs.verified(graphs.read("cac"), "safety"), brain)
    ruled = [(event.node, event.accepted) for event in events if isinstance(event, Ruled)]
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
    ruled = [(event.node, event.accepted) for event in events if isinstance(event, Ruled)]
    assert ruled[0] == ("safety", False)
    assert decision.forced  # the script's move left the list, so its second and third answers are unusable
    assert [ask.node for ask in brain.asked if ask.node.startswith("aggregator")] == [
        "aggregator",
        "aggregator-2",
        "aggregator-2",
    ]


async def test_verify_none_lets_a_certain_misplay_pass() -> None:
    brain = scripted(generator={"reason": "r", "action": "play slot 1"}, self_verifier={"reason": "", "accept": True})
    decision, _ = await turn("cac", brain)
    assert decision.move == Play(slot=1) and not decision.forced


async def test_safety_trusts_a_program_historian_and_not_a_models() -> None:
    view = next(v for v in random_views(3, 2) if v.lives == 1 and v.turn > 5)
    at = Position.of(cut(view, [(kind, {}) for kind in TAKES]))
    slot = next(i for i, s in enumerate(at.slots) if 0 < s.playable < 1)
    fits = [card.value for card, share in at.slots[slot].likely().items() if share and at.piles.playable]
    playable = [card for card in fits if view.fireworks["RYGWB".index(card[0])] + 1 == int(card[1])]
    report = {"insights": [], "summary": "", "inferred": [{"slot": slot, "cards": playable, "reason": "hinted"}]}
    brain = scripted(history_analyst=report, aggregator={"reason": "r", "action": f"play slot {slot}"})
    for trust, accepted in (("programs", False), ("models", True)):
        data = graphs.read("house").model_dump() | {"verify": {"rule": "safety", "trust": trust}}
        _, events = await turn(graphs.GraphConfig.model_validate(data), brain, view)
        assert next(event.accepted for event in events if isinstance(event, Ruled)) == accepted


async def test_best_of_k_samples_and_selects_among_the_candidates() -> None:
    brain = scripted(
        proposer=lambda ask: {"ratings": [], "reason": f"sample {ask.sample}", "action": ask.sample % 2},
        selector={"ratings": [], "reason": "r", "action": 1},
    )
    decision, _ = await turn("best_of_k", brain)
    assert sorted(ask.sample for ask in brain.asked if ask.node == "proposer") == [0, 1, 2, 3, 4]
    notes = next(part.text for part in brain.asked[-1].parts if part.name == "notes")
    assert "given 3 of 5 times" in notes and "given 2 of 5 times" in notes
    assert decision.move == LAST.legal[1]


async def test_ratings_reach_the_decision() -> None:
    rated = {"ratings": [{"action": 0, "rating": -1}, {"action": 4, "rating": 1}], "reason": "r", "action": 4}
    decision, _ = await turn("watson", scripted(proposer=rated))
    assert decision.ratings == {str(LAST.legal[0]): -1.0, str(LAST.legal[4]): 1.0}


async def test_a_raising_program_names_its_role_and_turn(own_roles: None) -> None:
    def broken(told: Told, notes: Any) -> Choice:
        raise ZeroDivisionError("oops")

    made = roles.add(roles.Role("broken", Choice, roles.get("proposer").takes, solve=broken, template="Choose."))
    config = parse(small(nodes={"it": {"role": made.name}}, decides="it"))
    with pytest.raises(RoleError, match="turn 54: the program of role 'broken' failed: ZeroDivisionError: oops"):
        await turn(config, "program")


async def test_a_program_that_replies_with_another_type_is_named(own_roles: None) -> None:
    made = roles.add(roles.Role("odd", Choice, roles.get("proposer").takes, solve=lambda told, notes: LAST))
    config = parse(small(nodes={"it": {"role": made.name, "model": "program"}}, decides="it"))
    with pytest.raises(RoleError, match="program of role 'odd' replied with a View, not a Choice"):
        await turn(config, "program")


# Prompts


async def test_a_recorded_turn_gives_the_notes_back() -> None:
    config = graphs.read("cac")
    brain = scripted(
        generator=lambda ask: {"reason": "r", "action": int(ask.node == "generate-2")},
        self_verifier=lambda ask: {"reason": "x", "accept": ask.node == "check-2"},
    )
    _, events = await turn(config, brain)
    notes = notes_of(config, events)
    assert isinstance(notes["check"][0], Verdict) and isinstance(notes["generate-2"][0], Choice)
    rendered = asks(config, LAST, notes)
    for ask in brain.asked:
        assert rendered[ask.node].parts == ask.parts


async def test_the_parts_that_roles_share_come_first_in_the_house() -> None:
    config = graphs.read("house")
    made = asks(config, OPENING, await turn_of(config, OPENING))
    orders = [[part.name for part in ask.parts] for ask in made.values()]
    assert all(order[0] == "rules" and order[-1] == "answer_format" for order in orders)
    shared = orders[0][: orders[0].index("legal_moves")]
    assert all(order[: len(shared)] == shared for order in orders)


async def test_the_verifiers_role_is_its_system_message() -> None:
    ask = asks(graphs.read("cac"), OPENING, await turn_of(graphs.read("cac"), OPENING))["check"]
    assert {part.name for part in ask.parts if part.speaker == "system"} == {"instruction", "answer_format"}


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
    at = Position.of(cut(LAST, [(kind, {}) for kind in TAKES]))
    assert [slot.playable for slot in at.slots] == [1.0, 0.0, 0.0, 1.0]
    assert [slot.dead for slot in at.slots] == [0.0, 1.0, 1.0, 0.0]
    assert LAST.legal[0] == Discard(slot=0)
