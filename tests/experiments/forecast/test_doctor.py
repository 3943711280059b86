"""`doctor`: what it finds, against servers that behave and servers that do not; it asks nothing without --online."""

import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from aiohttp import web

from hanabi_orchestrator import graphs
from hanabi_orchestrator.experiments.forecast import machine
from hanabi_orchestrator.experiments.study import prompt_positions
from hanabi_orchestrator.graphs import context
from hanabi_orchestrator.orchestrator.models import fake_endpoint, server_info
from tests.conftest import Run
from tests.support.servers import completion, in_a_thread

LLAMA = {"default_generation_settings": {"n_ctx": 1024}, "total_slots": 2}
WATSON = ("--graph", "watson", "--players", "2")


def checks(run: Run, *arguments: str) -> tuple[int, dict[str, tuple[str, str]]]:
    """The exit code, and by subject the status and the sentence."""
    code, out, err = run("doctor", *WATSON, *arguments, "--json")
    data = json.loads(out)
    assert data["ok"] == (code == 0), err
    return code, {one["about"]: (one["status"], one["said"]) for one in data["checks"]}


def models(**settings: Any) -> str:
    Path("models.yaml").write_text(json.dumps(settings), "utf-8")
    return "models.yaml"


def answering(
    handle: Callable[[dict[str, Any]], web.Response], listing: dict[str, Any] | None = None
) -> web.Application:
    """A server that answers requests by a function of their bodies."""

    async def completions(request: web.Request) -> web.Response:
        return handle(await request.json())

    async def listed(_: web.Request) -> web.Response:
        return web.json_response(listing or {"data": []})

    made = web.Application()
    made.router.add_post("/v1/chat/completions", completions)
    made.router.add_get("/v1/models", listed)
    return made


def test_a_good_server_passes(run: Run, endpoint: str) -> None:
    code, found = checks(run, "--model", f"openai:fake@{endpoint}", "--online")
    assert code == 0 and not any(status == "fail" for status, _ in found.values())
    assert found["answers"] == ("ok", "fake answers, as asked")
    assert found["schemas"][0] == "ok" and "taken and enforced" in found["schemas"][1]
    assert all(
        "read at the first answer" in found[form][1] for form in ("text", "json", "json_schema")
    )
    assert "does not say how many tokens it takes" in found["context"][1]


def test_nothing_is_asked_without_online(run: Run) -> None:
    def refused(_: dict[str, Any]) -> web.Response:
        raise AssertionError("a request was made")

    with in_a_thread(answering(refused)) as url:
        code, found = checks(run, "--model", f"openai:m@{url}")
    assert code == 0 and "server" not in found and found["online"][0] == "warn"


def test_a_missing_key_and_a_server_that_is_not_there_fail(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    code, found = checks(run, "--model", "openai:gpt-4.1-mini")
    assert code == 2 and "set OPENAI_API_KEY" in found["key"][1]
    assert found["price"][0] == "warn" and "list prices" in found["price"][1]
    code, found = checks(run, "--model", "openai:m@http://127.0.0.1:9/v1", "--online")
    assert code == 2 and found["server"] == (
        "fail",
        "cannot reach a model server at http://127.0.0.1:9/v1: nothing listens there; is it running?",
    )


def test_another_model_short_context_and_ignored_schemas_are_told(run: Run) -> None:
    def prose(_: dict[str, Any]) -> web.Response:
        usage = {"prompt_tokens": 3000, "completion_tokens": 50}
        return completion("I would rather not say.", model="other-7b", usage=usage)

    listing = {"data": [{"id": "m", "max_model_len": 512}]}
    with in_a_thread(answering(prose, listing)) as url:
        code, found = checks(
            run, "--model", models(model=f"openai:m@{url}", max_tokens=5), "--online"
        )
    assert code == 2
    assert found["answers"] == (
        "warn",
        "m was asked for, and the server says that other-7b answers",
    )
    assert found["schemas"][0] == "warn" and "not enforced" in found["schemas"][1]
    assert found["context"][0] == "fail" and "takes 512 tokens, too few" in found["context"][1]
    assert found["max_tokens"][0] == "fail" and "too few for proposer" in found["max_tokens"][1]
    own = [
        form
        for form in ("text", "json", "json_schema")
        if "the format this graph asks for" in found[form][1]
    ]
    assert len(own) == 1 and found[own[0]][0] == "fail" and "format" not in found


@pytest.mark.parametrize(
    ("prose", "told"),
    [
        ("", "taken and enforced, but answers stand in the reasoning, from where they are read"),
        ("Let me think.", "whether they are enforced is not known: answers stand in the reasoning"),
    ],
)
def test_an_answer_in_the_reasoning_is_told_from_a_schema_that_is_not_enforced(
    run: Run, prose: str, told: str
) -> None:
    def thinking(body: dict[str, Any]) -> web.Response:
        answer = fake_endpoint.complete(body)
        message = answer["choices"][0]["message"]
        message |= {"content": None, "reasoning_content": prose or message["content"]}
        return web.json_response(answer)

    with in_a_thread(answering(thinking)) as url:
        _, found = checks(run, "--model", f"openai:m@{url}", "--online")
    assert found["schemas"][0] == "warn" and told in found["schemas"][1]


def test_an_address_without_v1_is_told(run: Run) -> None:
    async def unexpected(request: web.Request) -> web.Response:
        return web.json_response(
            {"error": f"Unexpected endpoint or method. ({request.method} {request.path})"}
        )

    made = web.Application()
    made.router.add_route("*", "/{path:.*}", unexpected)
    with in_a_thread(made) as url:
        code, found = checks(run, "--model", f"openai:m@{url.removesuffix('/v1')}", "--online")
    assert code == 2 and found["server"][0] == "fail" and f"try {url}" in found["server"][1]


def test_a_server_that_refuses_schemas_is_told(run: Run) -> None:
    def plain(body: dict[str, Any]) -> web.Response:
        if "response_format" in body:
            return web.json_response({"error": {"message": "no grammar here"}}, status=400)
        return web.json_response(fake_endpoint.complete(body))

    with in_a_thread(answering(plain)) as url:
        code, found = checks(run, "--model", f"openai:m@{url}", "--online")
    assert (
        code == 0
        and found["schemas"][0] == "warn"
        and "refuses JSON schemas" in found["schemas"][1]
    )
    assert found["json_schema"][0] == "ok"


def test_a_server_that_refuses_schemas_of_legal_moves_is_told(run: Run) -> None:
    def without_moves(body: dict[str, Any]) -> web.Response:
        if "discard slot" in json.dumps(body.get("response_format")):
            return web.json_response({"error": {"message": "too many values"}}, status=400)
        return web.json_response(fake_endpoint.complete(body))

    with in_a_thread(answering(without_moves)) as url:
        code, found = checks(run, "--model", f"openai:m@{url}", "--online")
    assert (
        code == 0
        and found["schemas"][0] == "warn"
        and "is refused with moves" in found["schemas"][1]
    )


def test_a_format_that_is_read_better_is_proposed(run: Run) -> None:
    def only_json(body: dict[str, Any]) -> web.Response:
        made = fake_endpoint.complete(body)
        text = made["choices"][0]["message"]["content"]
        return web.json_response(made) if text.startswith("{") else completion("No.")

    with in_a_thread(answering(only_json)) as url:
        code, found = checks(run, "--model", f"openai:m@{url}", "--online")
    assert code == 0 and found["text"][0] == "warn"  # the second ask goes with a schema
    assert found["format"] == (
        "warn",
        "json_schema is read better than text: add --set answer_format=json_schema to the command",
    )


def test_programs_have_nothing_to_check(run: Run) -> None:
    code, found = checks(run, "--model", "sim:average")
    assert code == 0 and "no language model" in found["default"][1]


@pytest.mark.parametrize(
    ("listing", "props", "context", "slots"),
    [
        ({"data": [{"id": "m", "max_model_len": 8192}]}, None, 8192, None),
        ({"data": [{"id": "a", "context_length": 1}, {"id": "m", "context_length": 4096}]}, None, 4096, None),
        ({"data": [{"id": "a", "context_length": 1}, {"id": "b", "context_length": 2}]}, None, None, None),
        ({"data": [{"id": "m", "meta": {"n_ctx_train": 9}}]}, LLAMA, 1024, 2),
        ({"data": "soup"}, ["soup"], None, None),
        (None, {"total_slots": True, "default_generation_settings": {"n_ctx": -1}}, None, None),
    ],
)  # fmt: skip
def test_what_servers_say_of_themselves(
    listing: object, props: object, context: int | None, slots: int | None
) -> None:
    found = server_info.parse("m", listing, props)
    assert (found.context, found.slots) == (context, slots)


def test_a_decision_needs_room_for_the_reason_that_its_prompt_asks_for() -> None:
    def answer(words: int) -> int:
        config = graphs.read("house_solo")
        told = context.resolved(config.context).model_dump(mode="json") | {"reason_words": words}
        config = graphs.setting(config, context=told)
        found = prompt_positions.needs(config, 2, prompt_positions.positions(config, 2)[:2])
        return next(need.answer or 0 for need in found if need.node == "player")

    assert answer(400) - answer(200) == 200 * prompt_positions.WORD * 5 // 16


def machine_checks(run: Run) -> tuple[int, dict[str, tuple[str, str]]]:
    code, out, _ = run("doctor", "--json")
    return code, {one["about"]: (one["status"], one["said"]) for one in json.loads(out)["checks"]}


def test_without_a_model_it_checks_the_machine_and_shows_no_key(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret")
    code, out, _ = run("doctor")
    assert (
        code == 0
        and "played a game of" in out
        and "OPENAI_API_KEY is set" in out
        and "sk-very" not in out
    )
    assert " failed" not in out and out.splitlines()[-1].startswith("next  orchestrator play")
    code, found = machine_checks(run)
    abouts = {
        "python",
        "packages",
        "engine",
        "folder",
        "disk",
        "keys",
        "files",
        "processors",
        "extra ray",
    }
    assert code == 0 and abouts <= set(found)
    assert run("doctor", "--online")[0] == 2


def test_what_the_machine_lacks_is_told_with_what_to_do(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_: int) -> None:
        raise ImportError("libhanabi.so: no such file")

    monkeypatch.setattr(prompt_positions, "game", broken)
    monkeypatch.setattr(machine, "EXTRAS", {"ray": ("no_such_module.here", "`--executor ray`")})
    monkeypatch.setattr("shutil.disk_usage", lambda _: SimpleNamespace(free=10**6))
    monkeypatch.setattr("tempfile.NamedTemporaryFile", unwritable)
    monkeypatch.setattr("resource.getrlimit", lambda _: (64, 64))
    code, found = machine_checks(run)
    assert code == 1
    assert found["engine"][0] == "fail" and "pip install --force-reinstall" in found["engine"][1]
    assert found["extra ray"] == (
        "ok",
        "not installed; only for `--executor ray`: pip install 'hanabi-orchestrator[ray]'",
    )
    assert found["disk"][0] == "fail" and "make room" in found["disk"][1]
    assert (
        found["folder"][0] == "fail"
        and "Permission denied" in found["folder"][1]
        and "--out" in found["folder"][1]
    )
    assert found["files"][0] == "warn" and "ulimit -n 4096" in found["files"][1]
    code, out, _ = run("doctor")
    assert code == 1 and "3 failed" in out and "next" not in out


def unwritable(dir: Path) -> None:  # the library's name
    raise PermissionError(13, "Permission denied", str(dir))
