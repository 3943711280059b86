"""What the page's server refuses: other hosts, other pages, frames, and files outside the opened folder."""

import json
import os
import shutil
import socket
import time
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from hanabi_orchestrator.experiments.cli import logs
from hanabi_orchestrator.experiments.page import server
from hanabi_orchestrator.experiments.page.bundle import Bundle
from hanabi_orchestrator.experiments.page.games import Games
from hanabi_orchestrator.experiments.page.library import Library
from hanabi_orchestrator.orchestrator.printable import is_printable
from tests.experiments.page.conftest import client
from tests.support.browser import served

OUTSIDE = "/api/game?id="
POLICY = "content-security-policy"


@pytest.mark.parametrize(
    "headers",
    [
        {"host": "evil.example"},
        {"host": "evil.example:8642"},
        {"host": "127.0.0.1:1"},
        {"host": "127.0.0.1.evil.example:8642"},
        {"host": ""},
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"origin": "https://127.0.0.1:8642"},
        {"origin": "http://127.0.0.1:1"},
        {"sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors"},
        {"sec-fetch-site": "same-site", "sec-fetch-mode": "no-cors"},
        {"sec-fetch-dest": "iframe"},
        {"sec-fetch-dest": "object"},
    ],
    ids=str,
)
@pytest.mark.parametrize("address", ["/", "/api/run", "/static/app.js", "/files/report.html"])
def test_strangers_are_refused(page: TestClient, headers: dict[str, str], address: str) -> None:
    answer = page.get(address, headers=headers)
    assert answer.status_code == 403 and answer.json()["error"]


@pytest.mark.parametrize("host", ["127.0.0.1:8642", "localhost:8642"])
def test_the_pages_own_addresses_are_served(page: TestClient, host: str) -> None:
    assert (
        page.get("/api/version", headers={"host": host, "origin": f"http://{host}"}).status_code
        == 200
    )


@pytest.mark.parametrize(
    "address", ["/", "/api/run", "/api/nothing", "/static/app.js", "/files/report.html"]
)
def test_every_answer_forbids_frames_and_remote_things(page: TestClient, address: str) -> None:
    headers = page.get(address).headers
    policy = headers["content-security-policy"]
    assert (
        "default-src 'none'" in policy
        and "frame-ancestors 'none'" in policy
        and "http" not in policy
    )
    assert (headers["x-content-type-options"], headers["x-frame-options"]) == ("nosniff", "DENY")
    assert headers["cache-control"] == "no-store"


def test_scripts_of_the_page_are_its_own_files_or_hashed(page: TestClient) -> None:
    answer = page.get("/")
    policy = answer.headers["content-security-policy"]
    assert "script-src 'self' 'sha256-" in policy
    assert "unsafe" not in policy


@pytest.mark.parametrize(
    "id",
    [
        "../run",
        "..%2Frun",
        "%2e%2e/secret",
        "piers/../../secret",
        "piers/%2e%2e/%2e%2e/secret",
        "/etc/passwd",
        "//etc/passwd",
        "piers//2p-s1-r1",
        "./piers/2p-s1-r1",
        "piers\\..\\secret",
        "%00",
        "",
    ],
)
def test_ids_that_lead_out_are_refused(run_copy: Path, id: str) -> None:
    shutil.copy(run_copy / "games/piers/2p-s1-r1.jsonl", run_copy / "secret.jsonl")
    answer = client(run_copy).get(f"{OUTSIDE}{id}")
    assert answer.status_code in (403, 404) and "deck" not in answer.text


def test_symbolic_links_that_lead_out_are_refused_and_not_listed(
    run_copy: Path, asked: Path
) -> None:
    (run_copy / "games/piers/2p-s7-r1.jsonl").symlink_to(asked / "marked-up.jsonl")
    (run_copy / "games/other").symlink_to(asked)
    page = client(run_copy)
    for id in ("piers/2p-s7-r1", "other/marked-up"):
        assert page.get(OUTSIDE + id).status_code == 403
    assert len(page.get("/api/games").json()["rows"]) == 4


@pytest.mark.parametrize(
    "name",
    [
        "run.yaml",
        "results.csv",
        "figures/../run.yaml",
        "figures%2F..%2Frun.yaml",
        "..%2f..%2fetc/passwd",
        "games/piers/2p-s1-r1.jsonl",
        "/etc/passwd",
        "figures/a%00.svg",
        f"figures/{'a' * 300}.svg",
    ],
)
def test_only_the_report_and_its_figures_are_files(page: TestClient, name: str) -> None:
    assert page.get(f"/files/{name}").status_code == 404


@pytest.mark.parametrize(
    "name", ["../server.py", "%2e%2e/server.py", "..%2fserver.py", "/etc/passwd"]
)
def test_static_files_are_only_those(page: TestClient, name: str) -> None:
    assert page.get(f"/static/{name}").status_code == 404


def test_other_files_of_the_folder_are_no_games(run_copy: Path) -> None:
    (run_copy / "games/piers/notes.jsonl").write_text('{"secret": 1}\n', "utf-8")
    (run_copy / "games/piers/key.txt").write_text("sk-secret", "utf-8")
    (run_copy / "games/piers" / os.fsdecode(b"\xff.jsonl")).write_bytes(b"a name that is no text")
    page = client(run_copy)
    assert len(page.get("/api/games").json()["rows"]) == 4
    for id in ("piers/notes", "piers/key", "piers/key.txt"):
        answer = page.get(OUTSIDE + id)
        assert answer.status_code in (400, 404) and "secret" not in answer.text


def test_it_listens_on_this_machine_alone(played: Path) -> None:
    with server.listening(0) as listener:
        assert listener.getsockname()[0] == "127.0.0.1"
        assert server.address(listener) == f"http://127.0.0.1:{listener.getsockname()[1]}/"


@pytest.mark.parametrize(
    "name", ["fork", "person/start", "person/seat", "person/move", "person/leave"]
)
@pytest.mark.parametrize(
    "body", ['{"id": "persons/x", "token": "\\ud800"}', '{"id": ', "[]", "\x00", "1" * 5000]
)
def test_a_command_that_is_no_object_in_utf8_is_refused(
    page: TestClient, name: str, body: str
) -> None:
    answer = page.post(f"/api/{name}", content=body, headers={"x-page": "1"})
    assert answer.status_code == 400 and "one JSON object" in answer.json()["error"]


def test_two_origins_must_both_be_the_pages_own(page: TestClient) -> None:
    both = [("origin", "http://127.0.0.1:8642"), ("origin", "http://evil.example")]
    assert page.get("/api/version", headers=both).status_code == 403


def test_an_error_tells_its_kind_alone_and_is_marked_like_any_answer(
    played: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(*_: object) -> None:
        hidden = "sk-" + "secret"
        raise ZeroDivisionError(len(hidden))

    logs.Loudness().set_up()

    monkeypatch.setattr(Games, "shelf", broken)
    answer = client(played).get("/api/version")
    assert (answer.status_code, answer.json()) == (
        500,
        {"error": "the page failed: ZeroDivisionError"},
    )
    assert (
        answer.headers["cache-control"] == "no-store"
        and "default-src 'none'" in answer.headers[POLICY]
    )
    logged = capsys.readouterr().err
    assert "the page failed" in logged and "sk-secret" not in logged


def test_a_journal_of_another_hand_cannot_break_an_answer(asked: Path, tmp_path: Path) -> None:
    """Numbers and letters that JSON has no way to say, and values of a wrong type."""
    lines = (asked / "marked-up.jsonl").read_text("utf-8").splitlines()
    call = next(
        n for n, line in enumerate(lines) if '"event": "call"' in line and '"usd": null' in line
    )
    strange = [
        line.replace('"usd": null', '"usd": NaN') if n == call else line
        for n, line in enumerate(lines)
    ]
    strange = [line.replace("onerror", "\\ud800") for line in strange]
    (tmp_path / "strange.jsonl").write_text("\n".join(strange), "utf-8")
    wrong = [
        line.replace('"node": ', '"node": [7], "was": ') if '"event": "decided"' in line else line
        for line in lines
    ]
    (tmp_path / "wrong.jsonl").write_text("\n".join(wrong), "utf-8")
    page = client(tmp_path)
    assert page.get("/api/game?id=strange").json()["turns"][0]["usd"] is None
    assert "<img src=https://example.org/x ?=alert" in page.get("/api/turn?id=strange&turn=1").text
    answer = page.get("/api/game?id=wrong")
    assert answer.status_code == 400 and answer.json()["error"].startswith("wrong.jsonl, line ")
    assert answer.text == page.get("/api/game?id=wrong").text, "the line has one number"


def test_no_answer_and_no_copy_holds_a_control_character(asked: Path, tmp_path: Path) -> None:
    """Whoever looks at a copy of the page in a terminal keeps their screen."""
    text = (asked / "marked-up.jsonl").read_text("utf-8")
    hostile = text.replace("onerror", "\x9b31m\x7f\u202e")
    assert hostile != text
    (tmp_path / "strange.jsonl").write_text(hostile, "utf-8")
    answer = client(tmp_path).get("/api/turn?id=strange&turn=1")
    meant = json.dumps(answer.json(), ensure_ascii=False)
    assert all(map(is_printable, answer.text)) and "\x9b31m\x7f\u202e" in meant
    odd = tmp_path / "strange\x9b\u202e"
    odd.mkdir()
    (tmp_path / "strange.jsonl").rename(odd / "a\u202eb.jsonl")
    Bundle(Library.open(odd)).write(tmp_path / "page.html")
    copy = (tmp_path / "page.html").read_text("utf-8")
    assert "a\\u202eb" in copy and all(map(is_printable, copy))


def test_commands_need_the_pages_own_header(page: TestClient) -> None:
    assert page.post("/api/run").status_code == 405
    assert page.get("/api/fork").status_code in (404, 405)


def test_a_games_folder_that_lies_elsewhere_is_named(run_copy: Path, tmp_path: Path) -> None:
    (run_copy / "games").rename(tmp_path / "elsewhere")
    (run_copy / "games").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(Exception, match="leads out of the run folder"):
        Library.open(run_copy)


HALVES = {
    "a line": b"GET /api/ver",
    "headers": b"GET /api/version HTTP/1.1\r\nHost: x",
    "a body": b"POST /api/fork HTTP/1.1\r\nHost: %b\r\nX-Page: 1\r\nContent-Length: 9\r\n\r\n{",
    "a second request": b"GET /api/version HTTP/1.1\r\nHost: %b\r\n\r\nGET /",
}


@pytest.mark.parametrize("name", HALVES)
def test_half_a_request_is_not_waited_for(
    name: str, asked: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "HALF_S", 0.2)
    with served(asked) as address:
        host = address.removeprefix("http://").removesuffix("/")
        with socket.create_connection(
            ("127.0.0.1", int(host.partition(":")[2])), timeout=20
        ) as browser:
            browser.sendall(HALVES[name].replace(b"%b", host.encode()))
            began = time.monotonic()
            answer = b""
            while part := browser.recv(4096):  # it ends where the server closes
                answer += part
        assert time.monotonic() - began < 5 and (b" 200 OK" in answer) == (
            name == "a second request"
        )
