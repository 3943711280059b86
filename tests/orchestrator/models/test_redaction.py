"""Keys: taken out of all that a server says, however it spells them, and words of the game are never taken for one."""

import html
import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

import pytest

from hanabi_orchestrator.orchestrator.models import faults
from hanabi_orchestrator.orchestrator.models.faults import NotACompletion
from hanabi_orchestrator.orchestrator.models.limiter import Limiter
from hanabi_orchestrator.orchestrator.models.redaction import redact
from hanabi_orchestrator.orchestrator.models.request import (
    Exchange,
    ModelResponse,
    Part,
    answer,
    messages,
)
from hanabi_orchestrator.orchestrator.models.retries import ChatBrain, text_fields
from hanabi_orchestrator.orchestrator.models.settings import settings
from hanabi_orchestrator.orchestrator.models.transport import FakeTransport
from hanabi_orchestrator.roles import Choice
from tests.support.servers import GOOD, ask, quick

KEY = 'sk-1/aB+"c"_x'


def brain(key: str, *responses: str | ModelResponse | Exception) -> ChatBrain:
    return ChatBrain(
        FakeTransport(responses, (key,)), settings(quick("http://127.0.0.1:9/v1")), Limiter(2)
    )


@pytest.mark.parametrize(
    "spelt",
    [
        KEY,
        json.dumps(KEY)[1:-1],
        json.dumps(json.dumps(KEY))[3:-3],
        json.dumps(json.dumps(json.dumps(KEY)))[7:-7],
        KEY.replace("/", "\\/"),
        "".join(f"\\u{ord(c):04x}" for c in KEY),
        "".join(f"\\u{ord(c):04X}" for c in KEY),
        "".join(f"\\x{ord(c):02x}" for c in KEY),
        quote(KEY, safe=""),
        quote(KEY, safe="").lower().replace("sk-1%2fab", "sk-1%2faB"),
        html.escape(KEY),
        "".join(f"&#{ord(c)};" for c in KEY),
        "".join(f"&#x{ord(c):X};" for c in KEY),
        KEY.replace("-", "\\u002d"),
    ],
)
def test_a_key_is_found_however_it_is_spelt(spelt: str) -> None:
    assert redact(f"I got {spelt}, thanks", (KEY,)) == "I got ***, thanks"


def test_a_key_is_found_among_the_signs_of_all_spellings() -> None:
    assert (
        redact(f"100 % of R&D in C:\\ with {quote(KEY, safe='')}", (KEY,))
        == "100 % of R&D in C:\\ with ***"
    )


def test_from_eight_characters_a_key_is_taken_out_wherever_it_stands() -> None:
    assert redact("sk-1234 sk-12345", ("sk-1234", "sk-12345")) == "sk-1234 ***"


@pytest.mark.parametrize("sign", ["\\", "%", "&", "s\\", "\\u0073", "&#0"])
def test_a_long_text_of_signs_takes_no_time(sign: str) -> None:
    began = time.process_time()
    redact(sign * (500_000 // len(sign)), (KEY,))
    assert time.process_time() - began < 3


@dataclass(frozen=True)
class LaterResponse(ModelResponse):
    """A response with fields that nobody has thought of yet."""

    region: str | None = None
    warnings: tuple[str, ...] = ()
    headers: Mapping[str, str] = field(default_factory=dict)


async def test_a_key_is_in_no_field_of_a_response() -> None:
    said = f"<{KEY}>"
    texts: dict[str, Any] = dict.fromkeys(text_fields(LaterResponse), said)
    assert {
        "text",
        "finish",
        "served_by",
        "fingerprint",
        "service_tier",
        "reasoning",
        "region",
    } == {*texts}
    response = LaterResponse(
        **texts, warnings=(said, "\ud800"), headers={KEY: said}, injected=(said,)
    )
    cleaned = await brain(KEY, response)(ask(), messages(ask().parts))
    assert isinstance(cleaned, LaterResponse) and KEY not in repr(cleaned)
    assert {getattr(cleaned, name) for name in texts} == {"<***>"} == {*cleaned.injected}
    assert (cleaned.warnings, cleaned.headers) == (("<***>", "?"), {"***": "<***>"})


async def test_a_text_of_another_type_is_none() -> None:
    response = ModelResponse(text="r", service_tier={"key": KEY}, finish=7)  # type: ignore[arg-type]  # a server's
    cleaned = await brain(KEY, response)(ask(), messages(ask().parts))
    assert (cleaned.text, cleaned.service_tier, cleaned.finish) == ("r", None, None)


async def test_an_escaped_key_reaches_no_reply() -> None:
    escaped = KEY.replace("-", "\\u002d").replace('"', '\\"')
    reply = await answer(
        ask(), brain(KEY, GOOD.replace('"r"', f'"the key {escaped}"')), lambda _: None
    )
    assert isinstance(reply, Choice) and reply.reason == "the key ***"


@pytest.mark.parametrize("key", ["x", "1", "hint", "slot", "play slot 1"])
async def test_keys_that_are_words_of_the_game_leave_answers_alone(key: str) -> None:
    """Local servers take any key; the last one is long, and stands in the prompt."""
    seen: list[Exchange] = []
    asked = ask(Part("legal_moves", "0: play slot 0\n1: play slot 1"))
    reply = await answer(asked, brain(key, GOOD), seen.append)
    assert isinstance(reply, Choice) and str(reply.action) == "play slot 1"
    assert (
        [one.outcome for one in seen] == ["ok"]
        and seen[0].response
        and seen[0].response.text == GOOD
    )


@pytest.mark.parametrize(
    ("said", "left"),
    [
        ("Authorization: Bearer hint", "Authorization: Bearer ***"),
        ("{'Authorization': 'Bearer hint'}", "{'Authorization': 'Bearer ***'}"),
        ('{"api-key": "hint"}', '{"api-key": "***"}'),
        ("Incorrect API key provided: hint.", "Incorrect API key provided: ***."),
        ("bearer hint, and a hint", "bearer ***, and a hint"),
        ("a hint token: hints are left", "a hint token: hints are left"),
    ],
)
def test_a_short_key_is_removed_where_it_is_called_a_key(said: str, left: str) -> None:
    assert redact(said, ("hint",)) == left
    assert left in faults.classify(NotACompletion(said), ("hint",)).sentence
