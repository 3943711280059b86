"""Schemas for a small `max_tokens`: the longest answer that they allow ends before it is cut off."""

import json
import random
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from aiohttp import web
from hypothesis import given
from hypothesis import settings as limits
from hypothesis import strategies as st

from hanabi_orchestrator import roles
from hanabi_orchestrator.orchestrator.hanabi.cards import COLOURS
from hanabi_orchestrator.orchestrator.hanabi.moves import (
    Discard,
    HintColour,
    HintRank,
    Move,
    Play,
    labelled,
)
from hanabi_orchestrator.orchestrator.models import fake_endpoint
from hanabi_orchestrator.orchestrator.models.answer_room import SMALL
from hanabi_orchestrator.orchestrator.models.json_schema import constraints
from hanabi_orchestrator.orchestrator.models.layer import ModelLayer
from hanabi_orchestrator.orchestrator.models.request import messages
from hanabi_orchestrator.orchestrator.models.settings import settings
from hanabi_orchestrator.orchestrator.replies.reader import read
from hanabi_orchestrator.orchestrator.replies.values import as_objects
from hanabi_orchestrator.roles.reply_types import RatedChoice, Reply, variant
from tests.support.prove import FULL
from tests.support.servers import ask, completion, quick, server

LEGAL: tuple[Move, ...] = (
    *(Discard(slot=slot) for slot in range(5)),
    *(Play(slot=slot) for slot in range(5)),
    *(HintColour(to=1, colour=colour) for colour in COLOURS),
    *(HintRank(to=1, rank=rank) for rank in (1, 2)),
)
COUNTS = {"players": 2, "others": 1, "slots": 5}
KINDS: dict[str, type[Reply]] = {name: roles.get(name).reply for name in roles.names()} | {
    "rated": RatedChoice
}
JUDGES = {"safety", "self_verifier"}
"""Their reason may take the verdict back."""


def strictest(
    kind: type[Reply], max_tokens: int | None, moves: int = len(LEGAL)
) -> tuple[str, dict[str, Any]]:
    """The strictest constraint on a reply, and its schema."""
    model = settings({"model": "openai:m@http://127.0.0.1:9/v1", "max_tokens": max_tokens})
    first = constraints(
        replace(ask(), reply=kind, moves=labelled(LEGAL[:moves]), counts=COUNTS), model
    )[0]
    return first.name, first.response_format["json_schema"]["schema"]


def longest(schema: dict[str, Any]) -> Any:
    """The longest value that a schema allows."""
    if options := schema.get("enum"):
        return max(options, key=lambda value: len(str(value)))
    if "anyOf" in schema:
        return max(
            (longest(one) for one in schema["anyOf"]), key=lambda value: len(json.dumps(value))
        )
    match schema["type"]:
        case "object":
            return {key: longest(value) for key, value in schema["properties"].items()}
        case "array":
            return [longest(schema["items"])] * schema["maxItems"]
        case "string":
            return ("a word and another " * SMALL)[: schema["maxLength"]]
    return {"integer": schema.get("maximum", 99), "number": 12.25, "boolean": False, "null": None}[
        schema["type"]
    ]


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("max_tokens", [300, 600])
def test_the_longest_answer_fits(name: str, max_tokens: int) -> None:
    """By the tokens of a small model: half a token for a character of JSON, a third for one of a text."""
    constraint, schema = strictest(KINDS[name], max_tokens)
    if constraint != "fitted":
        assert name == "analyst" and max_tokens == 300  # an entry alone takes more
        return
    answer = longest(schema)
    texts = sum(len(text) for text in _texts(schema, answer))
    whole = len(json.dumps(answer))
    assert (whole - texts) / 2 + texts / 3 <= max_tokens


def _texts(schema: dict[str, Any], value: Any) -> Iterator[str]:
    """The free texts of a value."""
    if "anyOf" in schema or "enum" in schema:
        return
    if isinstance(value, str):
        yield value
    for inner in value if isinstance(value, list) else ():
        yield from _texts(schema["items"], inner)
    for key, inner in value.items() if isinstance(value, dict) else ():
        yield from _texts(schema["properties"][key], inner)


def test_every_move_is_rated_where_that_fits_else_the_list_is_short() -> None:
    every = strictest(RatedChoice, 300, 12)[1]
    listed_ = strictest(RatedChoice, 200)[1]
    assert len(every["properties"]["ratings"]["properties"]) == 12
    assert every["properties"]["reason"]["maxLength"] >= 100
    assert 1 <= listed_["properties"]["ratings"]["maxItems"] < len(LEGAL)


@pytest.mark.parametrize("max_tokens", [None, SMALL])
def test_nothing_is_shortened_for_a_large_max_tokens(max_tokens: int | None) -> None:
    for name, kind in KINDS.items():
        constraint, schema = strictest(kind, max_tokens)
        assert constraint != "fitted" and "maxLength" not in str(schema), name


def test_room_to_reason_in_is_kept_as_far_as_it_fits() -> None:
    told = strictest(variant(RatedChoice, reason_words=200), 900)[1]["properties"]["reason"]
    assert told["maxLength"] > 1000  # 200 words


def allowed(schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Every value that a schema allows, with plain words for texts and no two entries of a list about the same."""
    if options := schema.get("enum"):
        return st.sampled_from(options)
    if "anyOf" in schema:
        return st.one_of(*map(allowed, schema["anyOf"]))
    match schema["type"]:
        case "object":
            return st.fixed_dictionaries(
                {key: allowed(value) for key, value in schema["properties"].items()}
            )
        case "array":
            size = {
                "min_size": max(1, schema.get("minItems", 0)),
                "max_size": schema.get("maxItems", 4),
            }
            return st.lists(allowed(schema["items"]), unique_by=_subject, **size)
        case "string":
            return st.sampled_from(["The red one fits.", "so be it", "because"]).map(
                lambda text: text[: _most(schema)]
            )
        case "integer":
            return st.integers(schema.get("minimum", 0), schema.get("maximum", 9))
        case "number":
            return st.integers(int(schema["minimum"]), int(schema["maximum"]))
    return st.booleans() if schema["type"] == "boolean" else st.none()


def _subject(entry: Any) -> Any:
    """What an entry of a list is about: its slot or seat, its move, itself."""
    about = (
        [entry[key] for key in ("action", "slot", "seat", "turn") if key in entry]
        if isinstance(entry, dict)
        else []
    )
    return (about or [entry])[0]


def _most(schema: dict[str, Any]) -> int | None:
    found = schema.get("maxLength")
    return None if found is None else int(found)


@pytest.mark.parametrize("max_tokens", [None, 300])
@pytest.mark.parametrize(
    "name", sorted(set(KINDS) - JUDGES) if FULL else ("rated", "tracker", "tom_interpreter")
)
@given(data=st.data())
@limits(max_examples=200 if FULL else 10, deadline=None)
def test_whatever_a_schema_allows_is_read_as_it_stands(
    name: str, max_tokens: int | None, data: st.DataObject
) -> None:
    kind = KINDS[name]
    value = data.draw(allowed(strictest(kind, max_tokens)[1]))
    reading = read(json.dumps(value), kind, labelled(LEGAL))
    assert as_objects(reading.reply.as_data(), kind) == as_objects(value, kind)
    assert not reading.repaired and not reading.dropped


async def test_a_server_that_bounds_no_texts_still_gets_the_moves() -> None:
    sent: list[str] = []

    async def handle(request: web.Request) -> web.Response:
        schema = (await request.json())["response_format"]["json_schema"]["schema"]
        sent.append(
            "fitted"
            if "maxLength" in str(schema)
            else "moves"
            if "enum" in str(schema)
            else "schema"
        )
        bad = sent[-1] == "fitted"
        text = json.dumps(fake_endpoint.fill(schema, [], random.Random(1)))
        return (
            web.json_response({"error": {"message": "maxLength"}}, status=400)
            if bad
            else completion(text)
        )

    asked = replace(ask(), reply=RatedChoice, moves=labelled(LEGAL))
    async with fake_endpoint.serving(server(handle)) as url:
        brain = ModelLayer().brain(quick(url, max_tokens=300))
        said = [await brain(asked, messages(asked.parts)) for _ in range(3)]
        await brain.aclose()
    assert sent == ["fitted", "fitted", "moves", "fitted", "moves", "moves"]
    assert {one.constraint for one in said} == {"moves"}
    reading = read(said[0].text, RatedChoice, asked.moves)
    assert len(reading.reply.as_data()["ratings"]) == len(LEGAL) and not reading.repaired
