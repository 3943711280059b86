"""Schemas of a turn: legal moves and bounds in them, for which servers, and what comes when a server refuses one."""

from dataclasses import replace
from typing import Any

import pytest
from aiohttp import web

from hanabi_orchestrator import roles
from hanabi_orchestrator.orchestrator.hanabi.cards import COLOURS
from hanabi_orchestrator.orchestrator.hanabi.moves import (
    Discard,
    HintColour,
    HintRank,
    Play,
    labelled,
)
from hanabi_orchestrator.orchestrator.models import fake_endpoint
from hanabi_orchestrator.orchestrator.models.json_schema import constraints
from hanabi_orchestrator.orchestrator.models.layer import ModelLayer
from hanabi_orchestrator.orchestrator.models.request import ModelRequest, Place, answer, messages
from hanabi_orchestrator.orchestrator.models.settings import settings
from hanabi_orchestrator.roles import Choice
from hanabi_orchestrator.roles.reply_types import RatedChoice, Reply
from tests.support.servers import ask, completion, quick, server

OWN = "openai:m@http://127.0.0.1:9/v1"
MOVES = labelled((Play(slot=0), Discard(slot=1), HintRank(to=1, rank=3)))
NAMES = ["play slot 0", "discard slot 1", "hint P1 rank 3"]
COUNTS = {"players": 2, "others": 1, "slots": 5}
MORE = (
    *(move(slot=slot) for move in (Play, Discard) for slot in range(4)),
    *(HintColour(to=to, colour=colour) for to in range(1, 5) for colour in COLOURS),
)


def schemas(reply: type[Reply], model: str = OWN, **more: Any) -> dict[str, dict[str, Any]]:
    """The properties of each schema that the server is offered, by the constraint's name."""
    request = replace(
        ask(), reply=reply, moves=more.pop("moves", MOVES), counts=more.pop("counts", {})
    )
    offered = constraints(request, settings({"model": model, **more}))
    return {one.name: one.response_format["json_schema"]["schema"]["properties"] for one in offered}


def test_a_schema_names_the_legal_moves_and_keeps_bounds() -> None:
    found = schemas(roles.get("plan_evaluator").reply)
    assert list(found) == ["moves", "schema"]
    assert found["moves"]["action"]["enum"] == NAMES
    assert found["moves"]["plans"]["maxItems"] == 3
    gain = found["moves"]["plans"]["items"]["properties"]["gain"]
    assert (gain["minimum"], gain["maximum"]) == (-25, 25)
    assert "enum" not in found["schema"]["action"] and "minimum" not in str(found["schema"])
    assert list(found["moves"]) == ["plans", "reason", "action"]


def test_a_number_for_each_move_is_asked_for_once_and_in_steps() -> None:
    found = schemas(RatedChoice)
    ratings = found["moves"]["ratings"]
    assert ratings["type"] == "object" and ratings["additionalProperties"] is False
    assert ratings["required"] == list(ratings["properties"]) == NAMES
    steps = ratings["properties"]["play slot 0"]["enum"]
    assert steps[:3] == [-1, -0.9, -0.8] and steps[-1] == 1 and len(steps) == 21
    assert found["schema"]["ratings"]["type"] == "array" and "enum" not in str(found["schema"])
    listed_ = schemas(RatedChoice, schema_moves="string")["bounds"]["ratings"]["items"][
        "properties"
    ]["rating"]
    assert (listed_["minimum"], listed_["maximum"]) == (-1, 1) and "enum" not in listed_
    free = schemas(RatedChoice, schema_bounds=False)["moves"]["ratings"]["properties"][
        "play slot 0"
    ]
    assert free["type"] == "number" and "enum" not in free


def test_chances_have_steps_of_their_own() -> None:
    mind = schemas(roles.get("tom_interpreter").reply)["moves"]["intentions"]["items"]["properties"]
    assert mind["chance"]["enum"][:3] == [0, 0.05, 0.1] and len(mind["chance"]["enum"]) == 21


def test_decimals_are_free_where_their_steps_would_be_too_many_values() -> None:
    """OpenAI takes 1,000 enumerated values in a schema."""
    many = labelled(
        (*(HintRank(to=to, rank=rank) for to in range(1, 5) for rank in (1, 2, 3, 4, 5)), *MORE)
    )
    assert len(many) == 48
    rating = schemas(RatedChoice, moves=many)["moves"]["ratings"]["properties"]["play slot 0"]
    assert (rating["minimum"], rating["maximum"]) == (-1, 1) and "enum" not in rating


@pytest.mark.parametrize(
    ("role", "field", "lengths"),
    [
        ("tracker", "deductions", (2, 2)),
        ("discard_strategist", "cards", (5, 5)),
        ("discard_strategist", "safest_first", (None, 5)),
        ("first_order", "beliefs", (1, 1)),
        ("history_analyst", "inferred", (None, 5)),
    ],
)
def test_a_list_is_as_long_as_there_are_players_or_slots(
    role: str, field: str, lengths: tuple[int | None, int]
) -> None:
    strictest = next(iter(schemas(roles.get(role).reply, counts=COUNTS).values()))[field]
    assert (strictest.get("minItems"), strictest["maxItems"]) == lengths
    unknown = next(iter(schemas(roles.get(role).reply).values()))[field]
    assert "minItems" not in unknown and "maxItems" not in unknown


def test_a_number_of_a_player_or_a_slot_is_one_that_there_is() -> None:
    def numbers(role: str, field: str, key: str) -> Any:
        strictest = next(
            iter(schemas(roles.get(role).reply, counts={**COUNTS, "slots": 4}).values())
        )
        return strictest[field]["items"]["properties"][key]["maximum"]

    assert (
        numbers("tracker", "deductions", "seat")
        == numbers("tom_interpreter", "intentions", "seat")
        == 1
    )
    assert (
        numbers("discard_strategist", "cards", "slot")
        == numbers("history_analyst", "inferred", "slot")
        == 3
    )


def test_a_field_for_hints_takes_hints_alone() -> None:
    interpreter = roles.get("tom_interpreter").reply
    assert schemas(interpreter)["moves"]["hint"]["anyOf"][0]["enum"] == ["hint P1 rank 3"]
    assert schemas(interpreter, moves=labelled((Play(slot=0),)))["moves"]["hint"]["anyOf"] == [
        {"type": "null"}
    ]


@pytest.mark.parametrize(
    ("model", "more", "names"),
    [
        (OWN, {}, ["moves", "schema"]),
        ("openai:gpt-4.1-mini", {}, ["bounds", "schema"]),
        ("azure:mine", {}, ["schema"]),
        ("azure:mine", {"schema_bounds": True}, ["bounds", "schema"]),
        ("openai:gpt-4.1-mini", {"schema_moves": "enum"}, ["moves", "schema"]),
        (OWN, {"schema_moves": "string"}, ["bounds", "schema"]),
        (OWN, {"schema_moves": "string", "schema_bounds": False}, ["schema"]),
        (OWN, {"response_format": "none"}, []),
    ],
)
def test_what_a_server_is_offered(model: str, more: dict[str, Any], names: list[str]) -> None:
    assert list(schemas(RatedChoice, model, **more)) == names


def test_no_schema_has_a_key_of_ours_or_one_that_strict_mode_refuses() -> None:
    for name in roles.names():
        for properties in schemas(roles.get(name).reply).values():
            assert not any(
                key in str(properties) for key in ("x-", "$ref", "minLength", "'default'")
            )


@pytest.mark.parametrize(
    ("refused", "sent"),
    [
        ("enum", [["moves", "moves", "schema"], ["moves", "schema"], ["schema"], ["schema"]]),
        (
            "json_schema",
            [["moves", "moves", "schema", None], ["moves", "schema", None], [None], [None]],
        ),
        ("nothing", [["moves"], ["moves"]]),
    ],
)
async def test_a_server_that_refuses_a_schema_gets_a_weaker_one_from_then_on(
    refused: str, sent: list[list[str | None]]
) -> None:
    """A refusal is believed when it comes twice for a request, and remembered after two requests."""
    seen: list[str | None] = []

    async def handle(request: web.Request) -> web.Response:
        body = await request.text()
        seen.append("moves" if '"enum"' in body else "schema" if "json_schema" in body else None)
        bad = f'"{refused}"' in body
        return (
            web.json_response({"error": {"message": "bad grammar"}}, status=400)
            if bad
            else completion()
        )

    async with fake_endpoint.serving(server(handle)) as url:
        brain = ModelLayer().brain(quick(url))
        said = [await brain(ask(), messages(ask().parts)) for _ in sent]
        await brain.aclose()
    assert seen == [constraint for tries in sent for constraint in tries]
    assert {response.constraint for response in said} == {sent[-1][-1]}


async def test_a_model_that_takes_no_schema_is_not_asked_for_one_again() -> None:
    """A second ask in another format is for servers that take it."""

    async def handle(request: web.Request) -> web.Response:
        bad = "response_format" in await request.json()
        return (
            web.json_response({"error": {"message": "unknown field"}}, status=400)
            if bad
            else completion("Hm.")
        )

    request = ModelRequest(
        "n",
        "r",
        0,
        ask().parts,
        Choice,
        MOVES,
        "text",
        second_form="json_schema",
        place=Place(turn=3),
    )
    async with fake_endpoint.serving(server(handle)) as url:
        brain = ModelLayer().brain(quick(url))
        forms = []
        for _ in range(4):
            await answer(request, brain, lambda exchange: forms.append(exchange.form))
        await brain.aclose()
    assert forms == [None, "json_schema"] * 3 + [None, None]
