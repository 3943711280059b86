"""LangChain model objects: their keys stay out of journals and messages, wherever they stand."""

from pathlib import Path
from typing import Any

import pytest
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_openai import ChatOpenAI
from pydantic import SecretStr

from hanabi_orchestrator import graphs
from hanabi_orchestrator.orchestrator.errors import Suspended
from hanabi_orchestrator.orchestrator.models.langchain_client import LangChainTransport, described
from hanabi_orchestrator.orchestrator.table.game_loop import play_async

KEYS = {
    "api_key": SecretStr("sk-PLAINKEY"),
    "base_url": "http://user:URLPASSWORD@127.0.0.1:1/v1?code=URLQUERYKEY",
    "default_headers": {"api-key": "HEADERKEY", "Authorization": "Bearer BEARERKEY"},
    "default_query": {"subscription": "QUERYKEY"},
    "model_kwargs": {
        "extra_headers": {"x-portkey": "KWARGKEY"},
        "user_token": "TOKENKEY",
        "top_k": 3,
    },
    "extra_body": {
        "metadata": {"auth": {"inner": ["NESTEDKEY"]}},
        "thinking": {"type": "on", "secret": "DEEPKEY"},
    },
    "metadata": {"password": "METADATAKEY"},
    "openai_proxy": "http://me:PROXYPASSWORD@proxy:80",
}
SECRETS = (
    "PLAINKEY", "URLPASSWORD", "URLQUERYKEY", "HEADERKEY", "BEARERKEY", "QUERYKEY", "KWARGKEY", "TOKENKEY", "NESTEDKEY",
    "DEEPKEY", "METADATAKEY", "PROXYPASSWORD",
)  # fmt: skip


def made(**more: Any) -> ChatOpenAI:
    return ChatOpenAI(**({"model": "q", "temperature": 0.5, **KEYS} | more))


class Telling(BaseChatModel):
    """A model that says what it was made with, in its answer or in an error."""

    default_headers: dict[str, str] = {"api-key": "HEADERKEY"}
    default_query: dict[str, str] = {"subscription": "QUERYKEY"}
    nested: dict[str, Any] = {"auth": {"deep": ["NESTEDKEY"]}}
    api_token: str = "TOKENKEY"
    fails: bool = False

    @property
    def _llm_type(self) -> str:
        return "telling"

    def _generate(self, messages: list[BaseMessage], *args: Any, **more: Any) -> ChatResult:
        said = (
            f"asked with {self.default_headers} {self.default_query} {self.nested} {self.api_token}"
        )
        if self.fails:
            raise ValueError(said)
        text = f"Reason: {said}\nMove: 0"
        return ChatResult(generations=[ChatGeneration(message=AIMessage(text))])


def test_only_fields_that_decide_answers_and_hold_no_key_are_written() -> None:
    told = described(made())
    assert (
        told.made_with.items()
        >= {
            "temperature": 0.5,
            "openai_api_base": "http://127.0.0.1:1/v1",
            "model_kwargs": {"top_k": 3},
            "extra_body": {"thinking": {"type": "on"}},
        }.items()
    )
    card = graphs.seat("watson", made()).info.model_dump_json()
    assert not [key for key in SECRETS if key in card + told.model_dump_json()]


def test_every_key_of_an_object_is_cut_from_texts() -> None:
    held = LangChainTransport(made()).secrets
    missing = {key for key in SECRETS if not any(key in secret for secret in held)}
    assert missing == set() and "BEARERKEY" in held and "3" not in held


@pytest.mark.parametrize(
    "other",
    [
        {"temperature": 0.6},
        {"base_url": "http://127.0.0.1:2/v1"},
        {"model_kwargs": {"house_style": "terse"}},
        {"extra_body": {"thinking": {"type": "off"}}},
    ],
)
def test_objects_that_answer_differently_are_told_apart(other: dict[str, Any]) -> None:
    assert described(made()).deciding != described(made(**other)).deciding


def test_another_key_is_the_same_model() -> None:
    other = made(
        api_key=SecretStr("sk-OTHER"),
        default_headers={"api-key": "ANOTHERKEY"},
        default_query={"a": "b"},
    )
    assert described(made()).deciding == described(other).deciding


@pytest.mark.parametrize("fails", [False, True])
async def test_no_key_reaches_a_journal_or_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fails: bool
) -> None:
    monkeypatch.setenv("HANABI_ATTEMPTS", "1")
    path = tmp_path / "game.jsonl"
    said = ""
    try:
        await play_async(
            graphs.seat("watson", Telling(fails=fails)),
            players=2,
            seed=1,
            journal=path,
            max_turns=2,
        )
    except Suspended as error:
        said = str(error)
    written = path.read_text("utf-8") + said
    assert "asked with" in written and "***" in written
    assert not [key for key in SECRETS if key in written]
