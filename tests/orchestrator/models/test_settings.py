"""Models and how they are asked: strings, mappings, files, the environment; what is sent of it, and what is written."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from aiohttp import web
from langchain_openai import ChatOpenAI
from pydantic import SecretStr

from hanabi_orchestrator import graphs
from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.journal.events import Call, Event, GameStarted
from hanabi_orchestrator.orchestrator.models import fake_endpoint, keys, settings
from hanabi_orchestrator.orchestrator.models import layer as models
from hanabi_orchestrator.orchestrator.models.fake_faults import Faults
from hanabi_orchestrator.orchestrator.models.layer import ModelLayer
from hanabi_orchestrator.orchestrator.models.price import Price
from hanabi_orchestrator.orchestrator.models.request import Place, messages
from hanabi_orchestrator.orchestrator.models.retries import ChatBrain, call_seed
from hanabi_orchestrator.orchestrator.models.settings import ModelSettings
from hanabi_orchestrator.orchestrator.table.game_loop import play_async
from tests.support.servers import ask, completion, quick, server
from tests.test_games import of

ROOT = Path(__file__).parents[3]


async def body_of(**more: Any) -> dict[str, Any]:
    """What a server gets."""
    bodies = []

    async def handle(request: web.Request) -> web.Response:
        bodies.append(await request.json())
        return completion()

    async with fake_endpoint.serving(server(handle)) as url:
        brain = ModelLayer().brain(quick(url, **more))
        await brain(ask(), messages(ask().parts))
        await brain.aclose()
    (body,) = bodies
    return dict(body)


async def test_what_is_set_is_sent_and_nothing_else() -> None:
    assert set(await body_of()) == {"model", "messages", "response_format", "stream"}
    body = await body_of(
        temperature=0.6,
        top_p=0.9,
        max_tokens=500,
        reasoning_effort="low",
        extra_body={"top_k": 20},
        seed=3,
    )
    wanted = {
        "temperature": 0.6,
        "top_p": 0.9,
        "max_tokens": 500,
        "reasoning_effort": "low",
        "top_k": 20,
    }
    assert body.items() >= wanted.items() and body["seed"] == call_seed(3, ask())
    assert "response_format" not in await body_of(response_format="none")
    assert (await body_of(response_format="json_object"))["response_format"] == {
        "type": "json_object"
    }


def test_every_call_has_a_seed_of_its_own_that_tells_nothing() -> None:
    place = Place("a1b2", 1, 7, 2)
    plain = call_seed(3, ask(place=place))
    others = [
        call_seed(4, ask(place=place)),
        call_seed(3, ask(place=place, sample=1)),
        call_seed(3, ask(place=place, node="generate-2")),
        *(
            call_seed(3, ask(place=Place(*at)))
            for at in (("c3", 1, 7, 2), ("a1b2", 2, 7, 2), ("a1b2", 1, 8, 2))
        ),
    ]
    assert (
        plain == call_seed(3, ask(place=place))
        and plain not in others
        and len(set(others)) == len(others)
    )
    assert all(0 <= seed < 2**31 for seed in (plain, *others))


@pytest.mark.parametrize(
    ("model", "said"),
    [
        (
            "gpt-4",
            "unknown model 'gpt-4'; did you mean 'openai:gpt-4'? Known: program, openai:NAME",
        ),
        (
            {"model": "openai:m", "temprature": 1},
            "unknown key 'temprature'; did you mean 'temperature'? Known: model, temp",
        ),
        (
            {"model": "openai:m", "temperature": -1},
            "model 'openai:m': temperature: must be at least 0, not -1",
        ),
        ({"model": "openai:m", "top_p": 2}, "top_p: "),
        ({"model": "openai:m", "max_concurrency": 0}, "max_concurrency: "),
        ({"model": "openai:m", "extra_body": {"messages": []}}, "extra_body cannot set 'messages'"),
        ({"model": "openai:m@http://a/v1", "base_url": "http://b/v1"}, "names its server already"),
        ({"model": "openai:m", "base_url": "ftp://b"}, "'ftp://b' is not a server's address"),
        (
            {"model": "openai:m", "base_url": "http://me:pw@b/v1"},
            "cannot hold a user or a password",
        ),
        (
            {"model": "openai:m", "price": {"in": 1}},
            "price: unknown key 'in'; known: input, cached, output",
        ),
        ({"temperature": 1}, "model: is missing"),
        (
            {"model": "openai:m", "key": "sk-pw-1"},
            "key: this names the environment variable of the key",
        ),
        ({"model": "langchain:only"}, "unknown model 'langchain:only'"),
    ],
)
def test_a_wrong_setting_is_one_sentence(model: Any, said: str) -> None:
    with pytest.raises(UserError) as caught:
        settings.settings(model)
    assert (
        said in str(caught.value)
        and "pw" not in str(caught.value)
        and "\n" not in str(caught.value)
    )


def test_the_environment_completes_and_the_mapping_goes_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HANABI_TEMPERATURE", "0.3")
    monkeypatch.setenv("HANABI_PRICE", "{input: 1, output: 4}")
    made = settings.settings({"model": "openai:m", "temperature": 0.9})
    assert made.temperature == 0.9 and made.price == Price(input=1, output=4)
    assert settings.settings("openai:m").temperature == 0.3
    monkeypatch.setenv("HANABI_TEMPERATURE", "warm")
    with pytest.raises(UserError, match="temperature: "):
        settings.settings("openai:m")


def test_keys_are_named_by_their_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOGETHER_API_KEY", "sk-t")
    named = ModelSettings(model="openai:m@http://127.0.0.1:1/v1", key="TOGETHER_API_KEY")
    assert named.secret == "sk-t" and "sk-t" not in repr(named)
    with pytest.raises(UserError, match="needs a key: set NO_SUCH_API_KEY"):
        models.transport({"model": "openai:m@http://127.0.0.1:1/v1", "key": "NO_SUCH_API_KEY"})
    monkeypatch.setenv("HANABI_API_KEY", "sk-\nbroken")
    with pytest.raises(UserError, match="characters that no key has") as caught:
        models.transport("openai:m@http://127.0.0.1:1/v1")
    assert "broken" not in str(caught.value)


def test_a_server_given_as_base_url_may_move_and_one_in_the_name_may_not() -> None:
    here, there = (
        {"model": "openai:m", "base_url": f"http://127.0.0.1:{port}/v1/"} for port in (1, 2)
    )
    assert settings.settings(here).deciding == settings.settings(there).deciding
    assert settings.settings(here).url == "http://127.0.0.1:1/v1"
    named = settings.settings("openai:m@http://127.0.0.1:1/v1")
    assert (
        named.url == "http://127.0.0.1:1/v1" and named.deciding != settings.settings(here).deciding
    )


def test_what_decides_is_told_apart_from_how_it_is_asked() -> None:
    made = settings.settings(
        {
            "model": "openai:m",
            "temperature": 0.5,
            "timeout_s": 9,
            "price": {"input": 1, "output": 1},
        }
    )
    assert made.deciding == {"model": "openai:m", "temperature": 0.5}


def test_a_price_counts_cached_tokens_apart() -> None:
    price = Price(input=2, cached=0.5, output=8)
    assert price.usd(1_000_000, 500_000, cached=400_000) == pytest.approx(
        0.6 * 2 + 0.4 * 0.5 + 0.5 * 8
    )
    assert Price(input=2, output=8).usd(10, 0, cached=10) == pytest.approx(20 / 1e6)


MODELS = """
default: {model: "openai:m@http://127.0.0.1:9/v1", temperature: 0.2}
judge: openai:n@http://127.0.0.1:9/v1
exact: program
"""


def test_a_file_names_models(tmp_path: Path) -> None:
    path = tmp_path / "models.yaml"
    path.write_text(MODELS, "utf-8")
    named = settings.read_models(path)
    assert named["exact"] == "program" and isinstance(named["default"], ModelSettings)
    config = graphs.replace(graphs.read("cac"), check="judge", interpret="exact")
    seat = graphs.seat(config, named["default"], named=named)
    assert (
        seat.info.model == "program+openai:m@http://127.0.0.1:9/v1+openai:n@http://127.0.0.1:9/v1"
    )
    assert seat.info.models["openai:m@http://127.0.0.1:9/v1"]["temperature"] == 0.2
    path.write_text("model: openai:m@http://127.0.0.1:9/v1\nmax_tokens: 7\n", "utf-8")
    one = settings.read_models(path)["default"]
    for text, wanted in (("model: program", "program"), ("default: replay:games", "replay:games")):
        path.with_name("plain.yaml").write_text(text, "utf-8")
        assert settings.read_models(path.with_name("plain.yaml")) == {"default": wanted}
    assert isinstance(one, ModelSettings) and one.max_tokens == 7


@pytest.mark.parametrize("text", ["", "[1]", "default: 3", "model: [", "openai:m"])
def test_a_file_that_names_none_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "models.yaml"
    path.write_text(text, "utf-8")
    with pytest.raises(UserError, match="models"):
        settings.read_models(path)


def test_one_model_with_two_samplings_is_two_models() -> None:
    url = "http://127.0.0.1:9/v1"
    config = graphs.replace(graphs.read("cac"), check="hot")
    seat = graphs.seat(config, quick(url), named={"hot": quick(url, temperature=1.2)})
    assert len(seat.brains) == 2
    assert seat.info.models[f"openai:fake@{url} (hot)"]["temperature"] == 1.2


async def test_seats_of_one_layer_share_their_models_limits() -> None:
    layer = ModelLayer()
    url = "http://127.0.0.1:9/v1"
    cold, hot = (layer.brain(quick(url, temperature=heat)) for heat in (0.1, 0.9))
    assert isinstance(cold, ChatBrain) and isinstance(hot, ChatBrain)
    assert cold.limiter is hot.limiter


async def test_the_journal_says_how_a_model_was_asked() -> None:
    events: list[Event] = []
    async with fake_endpoint.serving(fake_endpoint.app()) as url:
        priced = quick(url, temperature=0.5, price={"input": 3, "output": 9})
        seat = graphs.seat("cac", priced)
        result = await play_async(seat, players=2, seed=1, sink=events.append, max_turns=2)
        await seat.aclose()
    (started,) = of(events, GameStarted)
    assert started.seats[0].models == {
        f"openai:fake@{url}": {"model": f"openai:fake@{url}", "temperature": 0.5}
    }
    calls = [call for call in of(events, Call) if call.outcome != "unasked"]
    assert all(
        call.usd == pytest.approx((3 * call.tokens_in + 9 * call.tokens_out) / 1e6)
        for call in calls
    )
    assert result.usd == pytest.approx(sum(call.usd or 0 for call in calls)) and result.usd


# Other providers


def lab_model(url: str, **more: Any) -> dict[str, Any]:
    """A LangChain model of a server on this machine."""
    return {"model": "langchain:openai:fake", "key": "HANABI_API_KEY", "base_url": url, **more}


async def test_a_langchain_model_is_asked_through_the_same_layer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HANABI_API_KEY", "sk-x")
    events: list[Event] = []
    async with fake_endpoint.serving(fake_endpoint.app()) as url:
        model = {
            "model": "langchain:openai:fake",
            "key": "HANABI_API_KEY",
            "base_url": url,
            "temperature": 0.4,
            "max_tokens": 900,
            "seed": 2,
        }
        seat = graphs.seat("watson", model)
        result = await play_async(seat, players=2, seed=1, sink=events.append, max_turns=3)
        await seat.aclose()
    assert result.model == "langchain:openai:fake" and result.calls == 3 and result.fallbacks == 0
    assert result.tokens_in > 0 and all(len(call.attempts) == 1 for call in of(events, Call))


async def test_a_langchain_models_faults_are_classified_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HANABI_API_KEY", "sk-x")
    faults = Faults(0.4, seed=2, kinds=("429", "500", "drop"))
    events: list[Event] = []
    async with fake_endpoint.serving(fake_endpoint.app(faults=faults)) as url:
        model = lab_model(url, backoff_s=0.001)
        seat = graphs.seat("watson", model)
        result = await play_async(seat, players=2, seed=1, sink=events.append, max_turns=12)
        await seat.aclose()
    assert result.faults == faults.done.total() > 0 and result.calls == result.turns


@pytest.mark.parametrize("kind", ["html", "half_json", "no_completion"])
async def test_a_langchain_models_garbled_answers_are_tried_again(
    monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    monkeypatch.setenv("HANABI_API_KEY", "sk-x")
    faults = Faults(0.3, seed=3, kinds=(kind,))
    async with fake_endpoint.serving(fake_endpoint.app(faults=faults)) as url:
        seat = graphs.seat("watson", lab_model(url, backoff_s=0.001))
        result = await play_async(seat, players=2, seed=1, max_turns=12)
        await seat.aclose()
    assert result.faults == faults.done[kind] > 0


def test_model_objects_that_differ_are_told_apart_and_their_keys_are_not_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HANABI_PRICE", "{input: 1, output: 2}")
    monkeypatch.setenv("HANABI_TEMPERATURE", "2")
    made = [
        ChatOpenAI(
            model="q",
            api_key=SecretStr("sk-x"),
            base_url=f"http://127.0.0.1:{port}/v1",
            temperature=heat,
        )
        for port, heat in ((1, 0.1), (2, 0.1), (1, 0.9))
    ]
    cards = [graphs.seat("watson", one).info for one in made]
    assert len({str(card) for card in cards}) == 3 and not any(
        "sk-x" in str(card) for card in cards
    )
    told = models.described(made[0])
    assert (
        told.made_with["temperature"] == 0.1 and told.temperature is None and told.price is not None
    )
    layer = ModelLayer()
    first, second = (layer.brain(made[0]) for _ in range(2))
    assert isinstance(first, ChatBrain) and isinstance(second, ChatBrain)
    assert first.limiter is second.limiter and first.transport.secrets == ("sk-x",)


@pytest.mark.parametrize(
    ("model", "said"),
    [
        ("langchain:nobody:m", "langchain:nobody:m cannot be used"),
        ("langchain:openai:m", "cannot be used: .*key|cannot be used: .*credentials"),
    ],
)
def test_a_langchain_model_that_cannot_be_is_one_sentence(model: str, said: str) -> None:
    with pytest.raises(UserError, match=said) as caught:
        models.transport(model)
    assert "\n" not in str(caught.value)


def test_without_langchain_its_models_name_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "langchain.chat_models", None)
    with pytest.raises(
        UserError, match=r"needs LangChain: pip install 'hanabi-orchestrator\[langchain\]'"
    ):
        models.transport("langchain:openai:m")


PROVIDERS = re.findall(
    r"^\| \w[^|]*\| `(\{model: .*?\})` \|", (ROOT / "docs" / "models.md").read_text("utf-8"), re.M
)


def test_the_page_has_a_line_for_every_provider() -> None:
    assert len(PROVIDERS) == 11


@pytest.mark.parametrize("line", PROVIDERS)
def test_the_line_of_a_provider_is_a_model(line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    names = ("OPENAI_API_KEY", "AZURE_OPENAI_API_KEY", "OPENROUTER_API_KEY", "OPENAI_API_VERSION")
    for name in names:
        monkeypatch.setenv(name, "sk-anything")
    monkeypatch.setenv("AZURE_OPENAI_ENDPOINT", "https://resource.openai.azure.com")
    keys.allow("openrouter.ai")
    made = settings.settings(yaml.safe_load(line))
    schema = (
        "with moves"
        if made.enumerates_moves
        else "without moves" + " and bounds" * (not made.bounds_values)
    )
    (row,) = [
        row for row in (ROOT / "docs" / "models.md").read_text("utf-8").splitlines() if line in row
    ]
    assert f"| {schema} |" in row or "OpenRouter" in row
    if not made.provider:
        assert made.name in repr(models.transport(made))
