"""Controls inside a graph: the order of reports, lists that advise or bind, and other seeds of models."""

from dataclasses import replace

from hanabi_orchestrator import graphs
from hanabi_orchestrator.graphs import ablate
from hanabi_orchestrator.graphs.asking import ordered
from hanabi_orchestrator.graphs.attempts import attempts, role_node
from hanabi_orchestrator.graphs.config import GraphConfig
from hanabi_orchestrator.graphs.prompt_preview import Programs, requests
from hanabi_orchestrator.orchestrator.hanabi.referee import Referee, deal
from hanabi_orchestrator.orchestrator.models.request import ModelRequest, Place
from hanabi_orchestrator.orchestrator.models.retries import call_seed


async def asked(config: GraphConfig, node: str) -> ModelRequest:
    """What a node is asked on the first turn of a game."""
    view = Referee(3, deal(1)).view()
    notes, _ = await Programs(config).turn(view, {})
    return requests(config, view, notes)[node]


def part(request: ModelRequest, name: str) -> str:
    return next((part.text for part in request.parts if part.name == name), "")


def test_reports_stand_in_another_order_on_every_turn_and_in_the_same_when_it_is_played_again() -> (
    None
):
    house = graphs.read("house")
    plain, mixed = (
        role_node(config, "aggregator", attempts(config)[0])
        for config in (house, ablate.controlled(house, permuted=True))
    )
    notes = dict.fromkeys(("history_analyst", "tom_interpreter", "discard_strategist"), ())
    orders = [tuple(ordered(mixed, notes, Place("game", turn=turn))) for turn in range(1, 30)]
    assert set(map(frozenset, orders)) == {frozenset(notes)} and len(set(orders)) == 6
    assert orders == [
        tuple(ordered(mixed, notes, Place("game", turn=turn))) for turn in range(1, 30)
    ]
    assert tuple(ordered(plain, notes, Place("game", turn=3))) == tuple(notes)


async def test_a_recommender_binds_or_advises() -> None:
    planner = graphs.read("tom_planner_1")
    bound = await asked(planner, "planner")
    free = await asked(ablate.controlled(planner, advise=["recommender"]), "planner")
    whole = Referee(3, deal(1)).view().legal
    assert len(bound.moves) == 5 and "## recommender" not in part(bound, "notes")
    assert len(free.moves) == len(whole) and "## recommender" in part(free, "notes")


async def test_proposals_may_be_the_only_moves_offered() -> None:
    moa = graphs.read("moa_sherlock")
    free = await asked(moa, "aggregator")
    bound = await asked(ablate.controlled(moa, gate=["proposer", "rank_proposer"]), "aggregator")
    assert set(bound.moves.values()) < set(free.moves.values()) and 1 <= len(bound.moves) <= 2


async def test_another_draw_gives_other_seeds_and_the_same_prompt() -> None:
    request = await asked(graphs.read("house"), "tom_interpreter")
    seeds = {call_seed(1, replace_draw(request, draw)) for draw in (0, 1, 2)}
    assert len(seeds) == 3 and call_seed(1, replace_draw(request, 0)) == call_seed(1, request)


def replace_draw(request: ModelRequest, draw: int) -> ModelRequest:
    return replace(request, place=replace(request.place, draw=draw))


def test_a_graph_without_controls_stores_nothing_of_them() -> None:
    house = graphs.read("house")
    assert not {"controls", "texts"} & set(house.model_dump(mode="json"))
    given = ablate.controlled(house, placebo=["tom_interpreter"], permuted=True)
    assert given.model_dump(mode="json")["controls"] == {
        "placebo": ["tom_interpreter"],
        "permuted": True,
    }
    assert not graphs.without(given, "tom_interpreter").controls.placebo
