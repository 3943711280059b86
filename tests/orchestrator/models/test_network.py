"""The way to a server: proxies, certificates, addresses, and headers and parameters that gateways want."""

from typing import Any

import pytest
from aiohttp import web

from hanabi_orchestrator.orchestrator.errors import ModelError, UserError
from hanabi_orchestrator.orchestrator.models import fake_endpoint, layer, network
from hanabi_orchestrator.orchestrator.models.layer import ModelLayer
from hanabi_orchestrator.orchestrator.models.request import messages
from hanabi_orchestrator.orchestrator.models.retries import ChatBrain
from hanabi_orchestrator.orchestrator.models.settings import settings
from tests.support.servers import ask, completion, quick

PROXIES = ("http_proxy", "https_proxy", "all_proxy", "no_proxy")
DEAD = "http://user:pass-word@127.0.0.1:9"


@pytest.fixture(autouse=True)
def _no_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (*PROXIES, *map(str.upper, PROXIES), *network.CERTIFICATES):
        monkeypatch.delenv(name, raising=False)


async def answered(model: dict[str, Any]) -> str:
    """One answer of a model, after the check of its server."""
    models = ModelLayer()
    brain = models.brain(model)
    try:
        await models.check()
        return (await brain(ask(), messages(ask().parts))).text
    finally:
        await brain.aclose()


@pytest.mark.parametrize(
    "variables",
    [
        {"http_proxy": DEAD},
        {"HTTP_PROXY": DEAD},
        {"ALL_PROXY": "socks5://127.0.0.1:9"},
        {"SSL_CERT_FILE": "/nonexistent/cacert.pem"},
        {"SSL_CERT_DIR": "/nonexistent"},
        {"http_proxy": DEAD, "SSL_CERT_FILE": "/nonexistent/cacert.pem"},
    ],
)
@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "HTTP://127.0.0.1"])
async def test_a_server_on_this_machine_needs_no_proxy_and_no_certificates(
    variables: dict[str, str], host: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    async with fake_endpoint.serving(fake_endpoint.app()) as url:
        assert await answered(
            quick(url.replace("http://127.0.0.1" if "://" in host else "127.0.0.1", host))
        )


async def test_a_proxy_that_answers_for_a_server_on_this_machine_is_not_asked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def refuse(_: web.Request) -> web.Response:
        return web.Response(status=502)

    proxy = web.Application()
    proxy.router.add_route("*", "/{path:.*}", refuse)
    async with (
        fake_endpoint.serving(proxy) as through,
        fake_endpoint.serving(fake_endpoint.app()) as url,
    ):
        monkeypatch.setenv("http_proxy", through.removesuffix("/v1"))
        assert await answered(quick(url))
        with pytest.raises(
            UserError,
            match=r"HTTP 502; requests go through the proxy 127.0.0.1:\d+ that http_proxy names",
        ):
            await answered(quick("http://models.invalid/v1"))


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of aiohttp, for the user of a proxy
@pytest.mark.parametrize("variable", ["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"])
async def test_a_dead_proxy_is_named_without_its_password(
    variable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, DEAD)
    with pytest.raises(UserError) as raised:
        await answered(quick("http://models.invalid/v1"))
    assert f"the proxy 127.0.0.1:9 that {variable} names" in str(raised.value)
    assert "NO_PROXY=models.invalid goes without it" in str(
        raised.value
    ) and "pass-word" not in str(raised.value)
    brain = ModelLayer().brain(quick("http://models.invalid/v1", attempts=2))
    assert isinstance(brain, ChatBrain)
    with pytest.raises(ModelError, match=f"that {variable} names: is it right"):
        await brain(ask(), messages(ask().parts))
    await brain.aclose()


@pytest.mark.parametrize("without", ["models.invalid", ".invalid", "*"])
def test_a_host_without_proxy_gets_no_hint(without: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", DEAD)
    assert network.proxy_hint("http://models.invalid/v1")
    assert not network.proxy_hint("https://models.invalid/v1") and not network.proxy_hint(
        "http://[::1]:8000/v1"
    )
    monkeypatch.setenv("no_proxy", without)
    assert not network.proxy_hint("http://models.invalid/v1")


@pytest.mark.parametrize("variable", network.CERTIFICATES[:1])
async def test_certificates_that_cannot_be_read_are_named(
    variable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, "/nonexistent/cacert.pem")
    with pytest.raises(
        UserError,
        match=f"{variable} is '/nonexistent/cacert.pem', from which no certificates can be read",
    ):
        await answered(quick("https://models.invalid/v1"))


# Headers and parameters


async def sent_by(model: dict[str, Any]) -> tuple[list[str], list[Any]]:
    """The addresses and headers of the requests of a model."""
    paths = list[str]()
    headers = list[Any]()

    async def handle(request: web.Request) -> web.Response:
        paths.append(request.path_qs)
        headers.append(request.headers)
        return completion()

    served = web.Application()
    served.router.add_route("*", "/{path:.*}", handle)
    async with fake_endpoint.serving(served) as url:
        await answered(quick(url, **model))
    return paths, headers


async def test_headers_and_parameters_go_with_every_request(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("GATEWAY_API_KEY", "gw-0123456789")
    model = {
        "headers": {"Ocp-Apim-Subscription-Key": "$GATEWAY_API_KEY", "X-Team": "hanabi"},
        "query": {"api-version": "2024-05-01-preview"},
    }
    paths, headers = await sent_by(model)
    assert paths == [
        "/v1/models?api-version=2024-05-01-preview",
        "/v1/chat/completions?api-version=2024-05-01-preview",
    ]
    assert {(header["Ocp-Apim-Subscription-Key"], header["X-Team"]) for header in headers} == {
        ("gw-0123456789", "hanabi")
    }
    made = layer.transport(quick("http://127.0.0.1:9/v1", **model))
    assert made.secrets == ("gw-0123456789",)
    assert "gw-" not in str(settings(quick("http://127.0.0.1:9/v1", **model)).deciding)


async def test_a_header_may_hold_more_than_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GATEWAY_API_KEY", "gw-0123456789")
    _, headers = await sent_by({"headers": {"Authorization": "Token ${GATEWAY_API_KEY}"}})
    assert {header["Authorization"] for header in headers} == {"Token gw-0123456789"}


@pytest.mark.parametrize(
    ("given", "error"),
    [
        (
            {"headers": {"api-key": "sk-123"}},
            "api-key holds a key, which no file may: name its environment variable",
        ),
        ({"query": {"key": "AIza"}}, "key holds a key"),
        ({"headers": {"X-Token": "$AWS_SECRET_ACCESS"}}, "names of keys end in _API_KEY"),
        ({"headers": {"X-Y": "a\nb"}}, "cannot be sent"),
        ({"headers": {"X Y": "a"}}, "cannot be sent"),
        ({"headers": {"Content-Type": "text/plain"}}, "headers cannot set Content-Type"),
        ({"headers": {"X-Y": ["a"]}}, "must be text"),
        (
            {"model": "langchain:openai:m", "headers": {"X-Y": "a"}},
            "are for openai: and azure: models",
        ),
    ],
)
def test_a_header_that_cannot_be_is_one_sentence(given: dict[str, Any], error: str) -> None:
    with pytest.raises(UserError, match=error) as raised:
        settings({"model": "openai:m@http://127.0.0.1:9/v1", **given})
    assert "sk-123" not in str(raised.value) and "AIza" not in str(raised.value)


def test_a_key_in_a_header_goes_to_no_host_that_is_not_allowed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("GATEWAY_API_KEY", "gw-0123456789")
    with pytest.raises(
        UserError, match=r"GATEWAY_API_KEY is not sent to https://models\.invalid/v1"
    ):
        layer.transport(
            {
                "model": "openai:m@https://models.invalid/v1",
                "headers": {"X-Key": "$GATEWAY_API_KEY"},
            }
        )
    monkeypatch.delenv("GATEWAY_API_KEY")
    with pytest.raises(UserError, match="set GATEWAY_API_KEY"):
        layer.transport(
            {"model": "openai:m@http://127.0.0.1:9/v1", "headers": {"X-Key": "$GATEWAY_API_KEY"}}
        )


def test_a_query_in_an_address_names_the_setting() -> None:
    with pytest.raises(
        UserError, match=r"cannot hold a query; in a models file, `query: \{api-version: VALUE\}`"
    ):
        settings("openai:m@https://models.invalid/v1?api-version=2024-05-01-preview")
