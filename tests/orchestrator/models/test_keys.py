"""Which key goes where: a file from somebody else can send no secret of this machine to a server of its own."""

from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.models import keys, layer
from hanabi_orchestrator.orchestrator.models.settings import settings
from tests.conftest import Run
from tests.support.servers import completion, in_a_thread, server

SECRET = "sk-of-this-machine"
FAR = "https://models.example/v1"


@pytest.mark.parametrize(
    "model",
    [
        f"openai:m@{FAR}",
        {"model": f"openai:m@{FAR}", "key": "TOGETHER_API_KEY"},
        {"model": "openai:m", "base_url": FAR},
        {"model": "openai:m", "base_url": "https://localhost.models.example/v1"},
        {"model": "openai:m", "base_url": "https://127.0.0.1.models.example/v1"},
        {"model": "openai:m", "base_url": "https://api.openai.com.models.example/v1"},
        {"model": "openai:m", "base_url": "https://notapi.openai.com/v1"},
        {
            "model": "openai:m",
            "base_url": "http://api.openai.com/v1",
        },  # anybody on the way could read it
        {"model": "openai:m", "base_url": "https://models.example\\.api.openai.com/v1"},
        {"model": "openai:m", "key": "OPENAI_API_KEY", "base_url": FAR},
        {"model": "openai:m", "key": "OPENAI_API_KEY", "base_url": "http://127.0.0.1:8000/v1"},
        {"model": "azure:m", "base_url": "https://mine.openai.azure.com"},
        {"model": "langchain:openai:m", "base_url": FAR},
        {"model": "langchain:openai:m", "extra_body": {"openai_api_base": "models.example"}},
        {
            "model": "langchain:openai:m",
            "extra_body": {"openai_proxy": "http://models.example:3128"},
        },
        {"model": "langchain:openai:m", "extra_body": {"model_kwargs": {"deep": [FAR]}}},
        {
            "model": "langchain:openai:m",
            "base_url": "http://127.0.0.1:8000/v1",
        },  # with OPENAI_API_KEY
        {"model": "langchain:openai:m", "key": "TOGETHER_API_KEY"},
        {"model": "langchain:anthropic:m", "key": "OPENAI_API_KEY"},
    ],
    ids=str,
)
def test_no_key_goes_where_the_user_has_not_sent_it(
    model: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in (
        "OPENAI_API_KEY",
        "HANABI_API_KEY",
        "TOGETHER_API_KEY",
        "AZURE_OPENAI_API_KEY",
        "OPENAI_API_VERSION",
    ):
        monkeypatch.setenv(name, SECRET)
    monkeypatch.delenv("AZURE_OPENAI_ENDPOINT", raising=False)
    with pytest.raises(
        UserError, match=r"is not sent to|goes to https://api\.openai\.com and its"
    ) as caught:
        layer.transport(model)
    assert SECRET not in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("model", "variable"),
    [
        ("openai:m", "OPENAI_API_KEY"),
        ("openai:m@https://eu.api.openai.com/v1", "OPENAI_API_KEY"),
        ("openai:m@https://API.openai.com:443/v1", "OPENAI_API_KEY"),
        ("openai:m@http://localhost:8000/v1", "HANABI_API_KEY"),
        ("openai:m@http://127.9.9.9/v1", "HANABI_API_KEY"),
        ("openai:m@http://[::1]:8000/v1", "HANABI_API_KEY"),
        (
            {"model": "openai:m@http://127.0.0.1:1/v1", "key": "TOGETHER_API_KEY"},
            "TOGETHER_API_KEY",
        ),
        (
            {"model": "openai:m@https://mine.openai.azure.com/v1", "key": "AZURE_OPENAI_API_KEY"},
            "AZURE_OPENAI_API_KEY",
        ),
        ("azure:m", "AZURE_OPENAI_API_KEY"),
        ("langchain:openai:m", "OPENAI_API_KEY"),
    ],
    ids=str,
)
def test_a_key_goes_to_its_own_server_and_it_is_said_once(
    model: Any, variable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = list[str]()
    monkeypatch.setattr(keys, "announce", said.append)
    monkeypatch.setenv(variable, SECRET)
    monkeypatch.setenv("AZURE_OPENAI_ENDPOINT", "https://mine.openai.azure.com/")
    monkeypatch.setenv("OPENAI_API_VERSION", "1")
    for _ in range(2):
        assert SECRET in layer.transport(model).secrets
    server = settings(model).server.removesuffix("/v1").rstrip("/")
    assert said == [f"{variable} goes to {server}"]


def test_without_a_key_any_server_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    said = list[str]()
    monkeypatch.setattr(keys, "announce", said.append)
    assert layer.transport(f"openai:m@{FAR}").secrets == () and said == []


@pytest.mark.parametrize(
    "name",
    ["AWS_SECRET_ACCESS_KEY", "GITHUB_TOKEN", "DATABASE_URL", "API_KEYS", "PATH", "_API_KEY"],
)
def test_a_variable_that_is_no_key_is_none(name: str) -> None:
    with pytest.raises(
        UserError, match=r"names of keys end in _API_KEY|names the environment variable of"
    ):
        settings({"model": "openai:m@http://127.0.0.1:1/v1", "key": name})


@pytest.mark.parametrize(
    "word",
    ["models.example", "MODELS.example.", FAR, "models.example:8443", "a.example, models.example"],
)
def test_a_host_is_allowed_by_a_variable_and_by_a_file(
    word: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with pytest.raises(
        UserError, match=r"--key-host models\.example, or set HANABI_KEY_HOSTS=models\.ex"
    ):
        keys.check("MY_API_KEY", FAR)
    monkeypatch.setenv(keys.HOSTS, word)
    keys.check("MY_API_KEY", FAR)
    monkeypatch.setenv(keys.HOSTS, "")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    keys.hosts_file().parent.mkdir()
    keys.hosts_file().write_text(
        "# mine\n\n" + "\n".join(word.split(", ")) + "  # the lab's\n", "utf-8"
    )
    keys.check("MY_API_KEY", FAR)
    with pytest.raises(UserError, match="is not sent to https://other"):
        keys.check("MY_API_KEY", "https://other.models.example/v1")
    with pytest.raises(UserError, match=r"goes to https://api\.openai\.com"):
        keys.check("OPENAI_API_KEY", FAR)


@pytest.mark.parametrize(
    ("words", "allowed"),
    [
        (["play", "--model", f"openai:m@{FAR}"], True),
        (["play", f"--model=openai:m@{FAR}"], True),
        (["experiment", "run", "x.yaml", "--set", f"models.default=openai:m@{FAR}"], True),
        (["experiment", "run", "x.yaml", "--set", f"models.default.base_url={FAR}"], True),
        (
            [
                "experiment",
                "run",
                "x.yaml",
                "--set",
                f"models.default={{model: openai:m, base_url: {FAR}}}",
            ],
            True,
        ),
        (["import", FAR], False),
        (["experiment", "run", "models.example/v1/x.yaml"], False),
    ],
)
def test_an_address_that_is_typed_is_the_users_word(words: list[str], allowed: bool) -> None:
    keys.allow_typed(words)
    assert keys.allowed() == ({"models.example"} if allowed else set())


# The command

STEAL = """
name: steal
graph: sherlock
players: [2]
seeds: 1
models: {{default: {{model: 'openai:x@{url}', key: {key}, attempts: 1}}}}
"""


@pytest.fixture
def thief(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A server that is not this machine, as far as keys go, and the headers that it gets."""
    seen = list[str]()

    async def handle(request: web.Request) -> web.Response:
        seen.append(request.headers["Authorization"])
        return completion()

    monkeypatch.setattr(keys, "is_loopback", lambda name: False)
    with in_a_thread(server(handle)) as url:
        yield url, seen


@pytest.mark.parametrize(
    "key", ["AWS_SECRET_ACCESS_KEY", "OPENAI_API_KEY", "HANABI_API_KEY", "TOGETHER_API_KEY"]
)
def test_an_experiment_of_a_stranger_gets_no_key(
    key: str, thief: tuple[str, list[str]], run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    url, seen = thief
    monkeypatch.setenv(key, SECRET)
    Path("steal.yaml").write_text(STEAL.format(url=url, key=key), "utf-8")
    Path("models.yaml").write_text(f"model: openai:x@{url}\nkey: {key}\n", "utf-8")
    for command in (
        ("experiment", "run", "steal.yaml"),
        ("play", "--model", "models.yaml", "--players", "2"),
    ):
        code, out, err = run(*command)
        assert (code, out, seen) == (2, "", []) and err.startswith("error: ") and SECRET not in err
    assert not list(Path().rglob("*.jsonl"))


def test_the_sentence_says_how_to_allow_a_host_and_then_it_works(
    thief: tuple[str, list[str]], run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    url, seen = thief
    monkeypatch.setenv("LAB_API_KEY", SECRET)
    Path("study.yaml").write_text(STEAL.format(url=url, key="LAB_API_KEY"), "utf-8")
    _, _, err = run("experiment", "run", "study.yaml")
    assert (
        "say --key-host 127.0.0.1, or set HANABI_KEY_HOSTS=127.0.0.1, or write a line"
        in " ".join(err.split())
    )
    _, _, err = run("experiment", "run", "study.yaml", "--key-host", "127.0.0.1")
    assert {*seen} == {f"Bearer {SECRET}"}
    assert err.count(f"note: LAB_API_KEY goes to {url.removesuffix('/v1')}\n") == 1
