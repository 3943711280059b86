"""Texts of strangers in journals, runs, graphs and logs: none moves a terminal's cursor, and none ends a command."""

import json
import os
import subprocess
import sys
import warnings
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
import yaml
from rich.text import Text

from hanabi_orchestrator import graphs
from hanabi_orchestrator.experiments.document import html, latex, markdown, plots, terminal
from hanabi_orchestrator.experiments.document.blocks import (
    Column,
    Document,
    Folded,
    Heading,
    Note,
    Table,
)
from hanabi_orchestrator.experiments.document.formats import TEXT
from hanabi_orchestrator.orchestrator import play
from hanabi_orchestrator.orchestrator.journal.fingerprint import of_game
from hanabi_orchestrator.orchestrator.printable import escaped_json, is_printable, printable
from tests.conftest import Run
from tests.orchestrator.journal.test_resume import talkative
from tests.support.folders import ROOT

HOSTILE = "\x1b]0;PWNED\x07\x1b[2J\x9b31m\u202e\u2066\x7f\r\x08[red][/] :smile: $x_"
"""Sets a window's title, clears the screen, colours, turns a line around, goes back; markup, an emoji, a formula."""

KEPT = {
    "event",
    "t",
    "deck",
    "view",
    "move",
    "past",
    "end",
    "outcome",
    "cause",
    "form",
    "constraint",
    "hand",
    "spans",
}
KEPT |= {
    "config",
    "models",
    "config_hash",
    "game",
    "prompt_hash",
    "moves_digest",
    "action",
    "told",
    "rank",
}
"""Keys of values that are no free text."""


def hostile(value: Any) -> Any:
    """Return plain data with something bad at the end of each free text, and of the names of votes and nodes."""
    if isinstance(value, str):
        return value + HOSTILE
    if isinstance(value, list):
        return [hostile(item) for item in value]
    if isinstance(value, dict):
        return {key: item if key in KEPT else hostile(item) for key, item in value.items()}
    return value


def spoilt(path: Path, to: Path) -> None:
    """Write a journal anew, with something bad in each text."""
    lines = []
    for line in path.read_text("utf-8").splitlines():
        event = json.loads(line)
        new = hostile(event)
        if event["event"] == "call":
            new["attempts"] = [{"error": f"no {HOSTILE}", "latency_s": 0.1, "waited_s": 0.0}]
            for message, old in zip(new["messages"], event["messages"], strict=True):
                message["role"] = old["role"]
        if event["event"] == "decided":
            new["votes"] = {f"node{HOSTILE}": {event["move"]: 2}}
        if event["event"] == "game_started":
            for seat in new["seats"]:
                seat["label"] = f"Eve{HOSTILE}" if seat is new["seats"][0] else None
                if seat["label"] is None:
                    del seat["label"]
            hashed = (new["players"], new["deck"], new["repeat"], new["seats"], new["memories"])
            new["config_hash"] = of_game(*hashed)
        lines.append(json.dumps(new))
    *before, ended = lines
    halt = {
        "v": 2,
        "event": "suspended",
        "t": "2026-01-01T00:00:00+00:00",
        "turn": 2,
        "why": f"no money{HOSTILE}",
    }
    to.parent.mkdir(parents=True, exist_ok=True)
    to.write_text("\n".join((*before, json.dumps(halt), ended, "")), "utf-8")


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    played = tmp_path / "played.jsonl"
    play(graphs.seat("cac", talkative()), players=2, seed=1, journal=played, max_turns=3)
    path = tmp_path / "run" / "games" / f"a{HOSTILE.replace('/', '')}" / "2p-s1-r1.jsonl"
    spoilt(played, path)
    (tmp_path / "bad.jsonl").write_bytes(path.read_bytes())
    arms = {path.parent.name: {"players": [2]}}
    record = {
        "name": f"x{HOSTILE}",
        "question": f"why{HOSTILE}?",
        "arms": arms,
        "seeds": [1],
        "players": [2],
    }
    (tmp_path / "run" / "run.yaml").write_text(yaml.safe_dump(record), "utf-8")
    return tmp_path / "bad.jsonl"


COMMANDS = (
    ("show", "bad.jsonl"),
    ("show", "bad.jsonl", "--turn", "2"),
    ("show", "bad.jsonl", "--turn", "2", "--full"),
    ("show", "run"),
    ("list", "games", "."),
    ("list", "runs", "."),
    ("diff", "bad.jsonl", "played.jsonl"),
    ("diff", "run", "run"),
    ("fork", "bad.jsonl", "--turn", "2", "--model", "program"),
    ("report", "run"),
    ("experiment", "status", "run"),
    ("export", "bad.jsonl", "--to", "hanab-live"),
    ("export", "run", "--to", "results", "--out", "results.csv"),
)


def test_no_control_character_of_a_journal_reaches_the_terminal(journal: Path, run: Run) -> None:
    texts = list[str]()
    for command in COMMANDS:
        for more in ((), ("--json",)):
            code, out, err = run(*command, *more)
            texts += [out, err]
            unseen = {char for char in out + err if not is_printable(char)}
            assert not unseen, (command, more, unseen)
            if more and code in (0, 1) and out:
                json.loads(out.splitlines()[0])
    assert sum(text.count("PWNED") for text in texts) > 100
    for file in ("report.md", "report.html"):
        text = (journal.parent / "run" / file).read_text("utf-8")
        assert "PWNED" in text and all(map(is_printable, text)), file


def test_logs_and_warnings_hold_none(capsys: pytest.CaptureFixture[str]) -> None:
    code = f"""
import warnings, structlog
from hanabi_orchestrator.experiments.cli import logs, app
from hanabi_orchestrator.orchestrator.logs import log
bad = {HOSTILE!r}
warnings.showwarning = app.show_warning
for form in ("console", None):
    if form: logs.Loudness(verbose=True).set_up()
    log.warning("a server said " + bad, error=bad, list=[bad])
    try: raise ValueError(bad)
    except ValueError as error: log.error("x", exc_info=error)
warnings.warn(bad)
app._fail(bad, 2)
"""
    ended = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )
    assert ended.returncode == 2 and ended.stderr.count("PWNED") >= 7 and not ended.stdout
    assert all(map(is_printable, ended.stderr)), ended.stderr


def test_whatever_is_printed_passes_one_console_which_shows_the_rest_as_it_is() -> None:
    for text in (
        "\x1b[1mx",
        "\x9b",
        "a\u2028b",
        "\ud800",
        "\ue000",
        "\x00",
        "\u200f",
        f"naïve 日本 \u00a0{HOSTILE}",
    ):
        out = StringIO()
        screen = terminal.Terminal(
            file=out, force_terminal=True, color_system=None, markup=False, emoji=False
        )
        grid = terminal.plain_table("", words=("",))
        grid.add_row(text)
        screen.print(text, Text(text), grid)
        with screen.status(text):
            pass
        own = (
            out.getvalue().replace("\x1b[?25l", "").replace("\x1b[?25h", "").replace("\x1b[2K", "")
        )
        own = own.replace("\x1b[1A", "").replace("\r", "")
        assert all(map(is_printable, own)), own
    assert all(word in own for word in ("naïve 日本", "\u00a0", "[red][/] :smile: $x_"))
    assert printable("é\u00a0\n\t日本") == "é\u00a0\n\t日本"


@pytest.mark.parametrize(
    "char", [*map(chr, (0, 7, 27, 0x7F, 0x9B, 0x202E, 0x2028, 0xE000)), "\U000e0001", "\ud800"]
)
def test_json_and_documents_hold_none(char: str) -> None:
    text = f"a{char}b $x_ é"
    shown = escaped_json(json.dumps({"a": text}, ensure_ascii=False))
    assert json.loads(shown) == {"a": text} and all(map(is_printable, shown))
    table = Table("t", (Column("c", text, TEXT),), ((text,),), caption=text, title=text)
    document = Document(text, (Heading(text, 2, "key"), Note(text), table, Folded(text, text)))
    for written in (markdown.text(document), html.page(document), latex.table(table, "t")):
        assert "b" in written and all(map(is_printable, written))


def test_a_picture_holds_none_and_warns_of_no_letter(tmp_path: Path) -> None:
    def paint() -> Any:
        figure, axes = plots.row_panels({f"title{HOSTILE}": ["row"]}, f"x{HOSTILE}")
        plots.rows(axes[0], [f"日本{HOSTILE}"])
        return figure

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        svg = plots.picture(paint, png=tmp_path / "a.png")
    assert "PWNED" in svg and "日本" in svg and "$x_" in svg and all(map(is_printable, svg))


PRINTING = "import sys; from hanabi_orchestrator.experiments.cli.app import main; sys.argv[1:] = ['show', 'j.jsonl']; main()"


@pytest.mark.parametrize(
    ("encoding", "shell", "code", "error"),
    [
        ("ascii", "", 0, ""),
        ("utf-8", ">/dev/full", 1, "error: No space left on device"),
        ("utf-8", ">&- 2>&-", 0, ""),
        ("utf-8", "2>&1 | head -1", 0, ""),
    ],
)
def test_a_console_that_cannot_take_a_text_ends_no_command(
    encoding: str, shell: str, code: int, error: str, tmp_path: Path
) -> None:
    play(
        graphs.seat("watson", talkative()),
        players=2,
        seed=1,
        journal=tmp_path / "j.jsonl",
        max_turns=1,
    )
    data = (tmp_path / "j.jsonl").read_text("utf-8").replace('"why": "', '"why": "日本 ')
    (tmp_path / "j.jsonl").write_text(data, "utf-8")
    line = f'{sys.executable} -c "{PRINTING}" {shell}; exit ${{PIPESTATUS[0]}}'
    environment = {**os.environ, "PYTHONIOENCODING": encoding, "PYTHONPATH": str(ROOT)}
    ended = subprocess.run(
        ["bash", "-c", line], cwd=tmp_path, env=environment, capture_output=True, check=False
    )
    assert (ended.returncode, ended.stderr.decode().strip()) == (code, error)
