"""The interface to model servers: what goes through it, where keys go, Azure, proxies, and what is imported when."""

import asyncio
import subprocess
import sys
from typing import Any

import pytest
from aiohttp import web

from hanabi_orchestrator.orchestrator.errors import ModelError, UserError
from hanabi_orchestrator.orchestrator.models import fake_endpoint, layer
from hanabi_orchestrator.orchestrator.models.faults import NotACompletion
from hanabi_orchestrator.orchestrator.models.layer import ModelLayer
from hanabi_orchestrator.orchestrator.models.limiter import Limiter
from hanabi_orchestrator.orchestrator.models.openai_client import OpenAITransport
from hanabi_orchestrator.orchestrator.models.request import ModelResponse, answer, messages
from hanabi_orchestrator.orchestrator.models.retries import ChatBrain, call_seed
from hanabi_orchestrator.orchestrator.models.settings import settings
from hanabi_orchestrator.orchestrator.models.transport import FakeTransport, Transport
from hanabi_orchestrator.roles import Choice
from tests.support.servers import GOOD, ask, completion, in_a_thread, quick

KEY = "sk-marker-1"


def brain(transport: Transport, **more: Any) -> ChatBrain:
    return ChatBrain(transport, settings(quick("http://127.0.0.1:9/v1", **more)), Limiter(2))


async def call(asked: ChatBrain) -> ModelResponse:
    return await asked(ask(), messages(ask().parts))


# Any transport


async def test_a_transport_gets_the_messages_the_format_and_a_seed() -> None:
    fake = FakeTransport([GOOD])
    reply = await answer(ask(), brain(fake, seed=3), lambda _: None)
    (request,) = fake.requests
    assert isinstance(reply, Choice) and [message.content for message in request.messages] == [
        "A table."
    ]
    assert request.response_format is not None and request.seed == call_seed(3, ask())


async def test_faults_of_any_transport_are_tried_again_and_keys_removed() -> None:
    fake = FakeTransport(
        [ConnectionResetError(), NotACompletion(f"a page about {KEY}"), f"{KEY} says hello"], (KEY,)
    )
    response = await call(brain(fake))
    assert response.text == "*** says hello" and len(fake.requests) == 3
    assert [attempt.error for attempt in response.attempts] == [
        "hung up",
        "did not answer as a model server does: a page about ***",
        None,
    ]


async def test_a_transport_that_takes_no_format_gets_none() -> None:
    fake = FakeTransport([GOOD], takes_response_format=False)
    await call(brain(fake))
    assert fake.requests[0].response_format is None and fake.requests[0].seed is None


async def test_a_request_that_can_never_succeed_is_made_once() -> None:
    fake = FakeTransport([OddError("no")])
    with pytest.raises(ModelError, match="the model server failed: OddError: no"):
        await call(brain(fake))
    assert len(fake.requests) == 1


class OddError(Exception):
    """Its name says nothing of what went wrong."""


# Servers


class Recorder:
    """A server that keeps what it was sent."""

    def __init__(self) -> None:
        self.seen: list[tuple[str, dict[str, str], dict[str, Any]]] = []

    async def handle(self, request: web.Request) -> web.Response:
        body = await request.json() if request.can_read_body else {}
        self.seen.append((request.path_qs, dict(request.headers), body))
        return completion(model="served", usage={"prompt_tokens": 3, "completion_tokens": 2})

    @property
    def app(self) -> web.Application:
        made = web.Application()
        made.router.add_route("*", "/{path:.*}", self.handle)
        return made


async def test_nothing_of_an_account_at_openai_goes_to_another_server(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    marks = {
        f"OPENAI_{name}": f"mark-{name}"
        for name in ("API_KEY", "ADMIN_KEY", "ORG_ID", "PROJECT_ID")
    }
    marks["OPENAI_CUSTOM_HEADERS"] = "Authorization: Bearer mark-custom\nX-Own: mark-own"
    marks["OPENAI_BASE_URL"] = "http://127.0.0.1:1/mark"
    for name, value in marks.items():
        monkeypatch.setenv(name, value)
    recorder = Recorder()
    async with fake_endpoint.serving(recorder.app) as url:
        made = ModelLayer().brain(quick(url))
        assert isinstance(made, ChatBrain)
        await made.check()
        await call(made)
        await made.aclose()
    assert [path for path, *_ in recorder.seen] == ["/v1/models", "/v1/chat/completions"]
    assert all(headers["Authorization"] == "Bearer not-needed" for _, headers, _ in recorder.seen)
    assert "mark" not in str(recorder.seen)


async def test_an_account_at_openai_is_named_to_openai(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("API_KEY", "ORG_ID", "PROJECT_ID"):
        monkeypatch.setenv(f"OPENAI_{name}", f"mark-{name}")
    made = OpenAITransport(settings({"model": "openai:gpt-4.1-mini", "max_tokens": 7}))
    client = made.client()
    assert str(client.base_url) == "https://api.openai.com/v1/" and client.max_retries == 0
    headers = client.default_headers | client.auth_headers
    wanted = {
        "Authorization": "API_KEY",
        "OpenAI-Organization": "ORG_ID",
        "OpenAI-Project": "PROJECT_ID",
    }
    assert {name: headers[name].removeprefix("Bearer ") for name in wanted} == {  # type: ignore[union-attr]
        name: f"mark-{value}" for name, value in wanted.items()
    }
    await made.aclose()


async def test_a_proxy_of_the_environment_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    recorder = Recorder()
    async with fake_endpoint.serving(recorder.app) as url:
        for name in ("NO_PROXY", "no_proxy", "http_proxy"):
            monkeypatch.delenv(name, raising=False)
        monkeypatch.setenv("HTTP_PROXY", url.removesuffix("/v1"))
        made = ModelLayer().brain(quick("http://models.invalid/v1"))
        assert isinstance(made, ChatBrain) and (await call(made)).served_by == "served"
        await made.aclose()
    assert recorder.seen[0][1]["Host"] == "models.invalid"


def test_each_event_loop_gets_a_client_of_its_own() -> None:
    recorder = Recorder()
    with in_a_thread(recorder.app) as url:
        made = layer.transport(quick(url))
        assert isinstance(made, OpenAITransport)

        async def game() -> object:
            client = made.client()
            await call(brain(made))
            assert made.client() is client
            await made.aclose()
            return client

        assert asyncio.run(game()) is not asyncio.run(game())
    assert len(recorder.seen) == 2


# Azure

AZURE = {"AZURE_OPENAI_API_KEY": "az-key", "OPENAI_API_VERSION": "2025-01-01"}


async def test_an_azure_deployment_is_asked_by_the_clients_own_variables(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    recorder = Recorder()
    for name, value in {**AZURE, "OPENAI_ORG_ID": "mark", "OPENAI_API_KEY": "mark"}.items():
        monkeypatch.setenv(name, value)
    async with fake_endpoint.serving(recorder.app) as url:
        monkeypatch.setenv("AZURE_OPENAI_ENDPOINT", url.removesuffix("/v1"))
        made = ModelLayer().brain({"model": "azure:my-gpt", "max_tokens": 9, "temperature": 0.5})
        assert isinstance(made, ChatBrain)
        await made.check()
        response = await call(made)
        await made.aclose()
    (listed, _, _), (path, headers, body) = recorder.seen
    assert listed == "/openai/models?api-version=2025-01-01"
    assert path == "/openai/deployments/my-gpt/chat/completions?api-version=2025-01-01"
    assert headers["api-key"] == "az-key" and "mark" not in str(headers)
    assert (body["model"], body["max_completion_tokens"], body["temperature"]) == ("my-gpt", 9, 0.5)
    assert (response.text, response.tokens_in, response.tokens_out) == (GOOD, 3, 2)


async def test_an_azure_token_goes_instead_of_a_key_and_neither_is_written(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    recorder = Recorder()
    monkeypatch.setenv("AZURE_OPENAI_AD_TOKEN", "az-token")
    monkeypatch.setenv("OPENAI_API_VERSION", "2025-01-01")
    async with fake_endpoint.serving(recorder.app) as url:
        made = layer.transport({"model": "azure:my-gpt", "base_url": url.removesuffix("/v1")})
        await call(brain(made))
        await made.aclose()
    assert recorder.seen[0][1]["Authorization"] == "Bearer az-token"
    assert made.secrets == ("az-token",) and "az-" not in repr(made)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (
            {},
            "needs AZURE_OPENAI_ENDPOINT and AZURE_OPENAI_API_KEY and OPENAI_API_VERSION: set them in",
        ),
        ({**AZURE}, "azure:gpt needs AZURE_OPENAI_ENDPOINT: set it in the environment or in .env"),
        (
            {**AZURE, "AZURE_OPENAI_ENDPOINT": "my-resource"},
            "AZURE_OPENAI_ENDPOINT: 'my-resource' is not a server's",
        ),
        (
            {**AZURE, "AZURE_OPENAI_API_KEY": "sk-\n", "AZURE_OPENAI_ENDPOINT": "https://a"},
            "characters that no key",
        ),
    ],
)
def test_what_azure_needs_is_one_sentence(
    monkeypatch: pytest.MonkeyPatch, given: dict[str, str], said: str
) -> None:
    for name in ("AZURE_OPENAI_ENDPOINT", *AZURE):
        monkeypatch.delenv(name, raising=False)
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(UserError) as caught:
        ModelLayer().brain("azure:gpt")
    assert said in str(caught.value) and "\n" not in str(caught.value)


# Imports

HEAVY = ("openai", "aiohttp", "httpx", "httpx2", "langchain_core", "langgraph")


@pytest.mark.parametrize(
    "name", ["layer", "settings", "request", "budget", "cache", "limiter", "transport"]
)
def test_the_model_layer_imports_no_client(name: str) -> None:
    loaded(f"import hanabi_orchestrator.orchestrator.models.{name}", HEAVY)


def test_a_game_of_programs_imports_no_client() -> None:
    """LangGraph imports LangChain's core, which imports HTTP clients; a model's client is imported with the model."""
    program = """
from hanabi_orchestrator import graphs, play
play(graphs.seat("watson"), players=2, seed=1, max_turns=2)
"""
    loaded(program, ("openai", "langchain", "langchain_core.language_models.chat_models"))


def loaded(program: str, never: tuple[str, ...]) -> None:
    script = f"import sys\n{program}\nprint([name for name in {never} if name in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
