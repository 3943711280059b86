"""LangChain's models: what is sent and what is read, without the packages of their providers."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import langchain.chat_models
import pytest
from aiohttp import web
from langchain_core.caches import InMemoryCache
from langchain_core.globals import set_llm_cache
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_openai import ChatOpenAI
from pydantic import Field, SecretStr

from hanabi_orchestrator import graphs
from hanabi_orchestrator.orchestrator import play
from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.journal.events import Call
from hanabi_orchestrator.orchestrator.models import fake_endpoint
from hanabi_orchestrator.orchestrator.models.langchain_client import LangChainTransport, described
from hanabi_orchestrator.orchestrator.models.layer import ModelLayer
from hanabi_orchestrator.orchestrator.models.request import (
    Exchange,
    Message,
    ModelResponse,
    answer,
    messages,
)
from hanabi_orchestrator.orchestrator.models.transport import CompletionRequest
from hanabi_orchestrator.roles import Choice
from tests.support.servers import GOOD, ask, in_a_thread, server


class Recording(BaseChatModel):
    """A model that says what its class was taught to, and keeps what it was asked with."""

    says: ClassVar[AIMessage] = AIMessage(GOOD)
    asked: ClassVar[list[dict[str, Any]]] = []
    model: str = "m"

    @property
    def _llm_type(self) -> str:
        return "recording"

    def _generate(self, messages: list[BaseMessage], *args: Any, **more: Any) -> ChatResult:
        self.asked.append(
            {name: value for name, value in self if name in self.model_fields_set} | more
        )
        return ChatResult(generations=[ChatGeneration(message=self.says)])


class ChatAnthropic(Recording):
    temperature: float | None = None
    max_tokens: int | None = None
    model_kwargs: dict[str, Any] = {}


class ChatGoogleGenerativeAI(Recording):
    temperature: float | None = 0.7
    max_output_tokens: int | None = Field(default=None, alias="max_tokens")
    include_thoughts: bool | None = None
    seed: int | None = None
    model_kwargs: dict[str, Any] = {}


class ChatOllama(Recording):
    temperature: float | None = None
    num_predict: int | None = None
    seed: int | None = None


class ChatMistralAI(Recording):
    temperature: float = 0.7


class Forgetful(Recording):
    """A package that knows no response_format, as older ones do not."""

    def _generate(self, messages: list[BaseMessage], *args: Any, **more: Any) -> ChatResult:
        if "response_format" in more:
            raise TypeError("create() got an unexpected keyword argument 'response_format'")
        if "seed" in self.model_fields_set:
            raise TypeError("create() got an unexpected keyword argument 'seed'")
        return super()._generate(messages, *args, **more)


class ChatGroq(Forgetful):
    seed: int | None = None


KINDS = {
    "anthropic": ChatAnthropic,
    "google_genai": ChatGoogleGenerativeAI,
    "ollama": ChatOllama,
    "mistralai": ChatMistralAI,
    "groq": ChatGroq,
}


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[dict[str, Any]]]:
    def init_chat_model(
        name: str, *, model_provider: str, max_retries: int, timeout: float, **options: Any
    ) -> Any:
        return KINDS[model_provider](model=name, **options)

    monkeypatch.setattr(langchain.chat_models, "init_chat_model", init_chat_model)
    Recording.asked.clear()
    yield Recording.asked
    set_llm_cache(None)


async def response(model: Any) -> ModelResponse:
    return await ModelLayer().brain(model)(ask(), messages(ask().parts))


# What is read

CASES = {
    "anthropic": (
        AIMessage(
            [
                {"type": "thinking", "thinking": "I ponder.", "signature": "s"},
                {"type": "text", "text": GOOD},
            ],
            response_metadata={"model_provider": "anthropic", "stop_reason": "max_tokens"},
        )
    ),
    "gemini": AIMessage(
        [{"type": "thinking", "thinking": "I ponder."}, {"type": "text", "text": GOOD}],
        response_metadata={"model_provider": "google_genai", "finish_reason": "MAX_TOKENS"},
    ),
    "bedrock": AIMessage(
        [
            {
                "type": "reasoning_content",
                "reasoning_content": {"text": "I ponder.", "signature": "s"},
            },
            {"type": "text", "text": GOOD},
        ],
        response_metadata={"model_provider": "bedrock_converse", "stopReason": "max_tokens"},
    ),
    "responses": AIMessage(
        [
            {
                "type": "reasoning",
                "id": "rs",
                "summary": [{"type": "summary_text", "text": "I ponder."}],
            },
            {"type": "text", "text": GOOD, "annotations": []},
        ],
        response_metadata={
            "model_provider": "openai",
            "status": "incomplete",
            "incomplete_details": {"reason": "max_output_tokens"},
        },
    ),
    "ollama": AIMessage(
        GOOD,
        additional_kwargs={"reasoning_content": "I ponder."},
        response_metadata={"model_provider": "ollama", "done_reason": "length", "model": "q"},
    ),
}


@pytest.mark.parametrize("provider", CASES)
async def test_thinking_and_cut_offs_are_read_from_every_provider(
    provider: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Recording, "says", CASES[provider])
    got = await response(Recording())
    assert (got.text, got.reasoning, got.finish) == (GOOD, "I ponder.", "length")


async def test_an_answer_in_an_unknown_form_is_read_all_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def broken(_: AIMessage) -> None:
        raise KeyError("summary")

    monkeypatch.setattr(AIMessage, "content_blocks", property(broken))
    assert (await response(Recording())).text == GOOD


async def test_an_answer_that_openai_raises_as_cut_off_is_read() -> None:
    async def cut(_: web.Request) -> web.Response:
        message = {"role": "assistant", "content": '{"reason": "because'}
        choice = {"index": 0, "message": message, "finish_reason": "length"}
        usage = {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5}
        return web.json_response(
            {
                "id": "c",
                "object": "chat.completion",
                "created": 1,
                "model": "m",
                "choices": [choice],
                "usage": usage,
            }
        )

    async with fake_endpoint.serving(server(cut)) as url:
        got = await response(
            ChatOpenAI(model="m", base_url=url, api_key=SecretStr("k"), max_retries=0)
        )
    assert (got.text, got.finish, got.tokens_in, got.tokens_out) == (
        '{"reason": "because',
        "length",
        3,
        2,
    )
    assert [attempt.error for attempt in got.attempts] == [None] and got.constraint == "schema"


# What is sent


async def test_settings_go_by_the_names_that_a_package_has_for_them(
    asked: list[dict[str, Any]],
) -> None:
    await response({"model": "langchain:ollama:q", "max_tokens": 400, "seed": 3})
    await response({"model": "langchain:google_genai:g", "extra_body": {"include_thoughts": True}})
    await response(
        {"model": "langchain:anthropic:c", "extra_body": {"cache_control": {"type": "ephemeral"}}}
    )
    ollama, gemini, claude = asked
    assert ollama["num_predict"] == 400 and 0 <= ollama["seed"] < 2**31
    assert gemini["temperature"] is None and gemini["include_thoughts"] is True
    assert claude["model_kwargs"] == {"extra_body": {"cache_control": {"type": "ephemeral"}}}


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        (
            {"model": "langchain:anthropic:c", "seed": 3},
            "langchain:anthropic:c: ChatAnthropic takes no seed",
        ),
        (
            {"model": "langchain:ollama:q", "reasoning_effort": "low"},
            "ChatOllama has no setting like `reasoning_effort`",
        ),
        (
            {"model": "langchain:ollama:q", "extra_body": {"thinking": 1}},
            "ChatOllama has no setting 'thinking' for",
        ),
        (
            {"model": "langchain:mistralai:m"},
            "ChatMistralAI sends temperature 0.7 if none is set; set `temperature`",
        ),
        (
            {"model": "langchain:anthropic:c", "response_format": "json_object"},
            "ChatAnthropic takes schemas alone",
        ),
    ],
)
def test_what_a_package_would_drop_or_add_is_refused(
    asked: list[dict[str, Any]], settings: dict[str, Any], said: str
) -> None:
    with pytest.raises(UserError, match=said):
        ModelLayer().brain(settings)


async def test_an_argument_that_the_package_does_not_know_is_a_mistake_at_once(
    asked: list[dict[str, Any]],
) -> None:
    with pytest.raises(
        UserError, match=r"ChatGroq cannot be asked: .* unexpected keyword argument 'seed'"
    ):
        await response({"model": "langchain:groq:g", "seed": 3, "response_format": "none"})
    assert asked == []


async def test_every_provider_with_schemas_is_sent_the_one_of_the_reply(
    asked: list[dict[str, Any]],
) -> None:
    for name in ("anthropic", "google_genai", "ollama"):
        got = await response(f"langchain:{name}:m")
        assert asked[-1]["response_format"]["json_schema"]["name"] == "Choice"
        assert got.constraint == ("moves" if name == "ollama" else "schema")
    assert (await response(Recording())).constraint is None and "response_format" not in asked[-1]


async def test_a_package_without_schemas_is_asked_without_one(asked: list[dict[str, Any]]) -> None:
    got = await response({"model": "langchain:groq:g", "backoff_s": 60})
    assert got.text == GOOD and got.constraint is None
    assert "'response_format'" in str(got.attempts[0].error) and len(asked) == 1


def test_the_temperature_that_langchain_sends_is_written(asked: list[dict[str, Any]]) -> None:
    assert described(ChatGoogleGenerativeAI()).made_with == {"temperature": 0.7}
    assert described(ChatOllama()).made_with == {}


# Several games


@pytest.mark.parametrize("own", [None, True])
async def test_no_cache_of_langchain_makes_samples_and_repeats_one_answer(
    asked: list[dict[str, Any]], own: bool | None
) -> None:
    set_llm_cache(InMemoryCache())
    model = Recording(cache=own)
    request = CompletionRequest((Message(role="user", content="A table."),))
    for _ in range(3):
        await LangChainTransport(model).send(request)
    assert len(asked) == 3 and model.cache is own


def test_an_object_that_plays_several_games_pays_nothing_twice(tmp_path: Path) -> None:
    with in_a_thread(fake_endpoint.app()) as url:
        model = ChatOpenAI(model="fake", base_url=url, api_key=SecretStr("k"), max_retries=0)
        calls: list[Call] = []
        for seed in (1, 2, 3):
            play(
                graphs.seat("watson", model),
                players=2,
                seed=seed,
                max_turns=2,
                sink=lambda event: calls.append(event) if isinstance(event, Call) else None,
            )
    assert len(calls) == 6 and [call.attempts[0].error for call in calls] == [None] * 6
    assert all(len(call.attempts) == 1 for call in calls)


async def test_answers_of_a_provider_are_asked_again_as_others_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen: list[Exchange] = []
    monkeypatch.setattr(Recording, "says", CASES["bedrock"])
    reply = await answer(ask(), ModelLayer().brain(Recording()), seen.append)
    assert not isinstance(reply, Choice) and [exchange.cause for exchange in seen] == [
        "cut_off",
        "cut_off",
    ]
