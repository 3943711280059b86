"""A person's seat in the terminal, with what they type piped in or typed at a pseudo terminal."""

import io
import json
import os
import pty
import re
import select
import sys
import time
from pathlib import Path

import pytest
from rich.console import Console

from hanabi_orchestrator.experiments.show.person import screen
from hanabi_orchestrator.orchestrator import journal
from hanabi_orchestrator.orchestrator.hanabi.view import View
from hanabi_orchestrator.orchestrator.journal.events import Decided
from tests.conftest import Run
from tests.support.folders import ROOT
from tests.support.prove import FULL
from tests.test_hidden import PLAYERS, positions

GAME = ("play", "--players", "2", "--graph", "watson", "--seat", "0=person")
PATH = Path("games/watson-P0-person-2p-s1.jsonl")


def types(monkeypatch: pytest.MonkeyPatch, *lines: str) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{line}\n" for line in lines)))


def test_a_person_plays_a_game_to_its_end_and_only_then_reads_the_others_reasons(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    types(monkeypatch, *["play 0"] * 3)
    code, out, err = run(*GAME)
    assert (code, err) == (0, "")
    before, after = out.split("The game is over.")
    reasons = {
        event.why for event in journal.read(PATH) if isinstance(event, Decided) and event.seat == 1
    }
    assert reasons and all(why not in before and why in after for why in reasons)
    assert "turn 3: you are P0" in before and "turn 1, P0 (you): play slot 0 (" in before
    assert re.search(r"  1  P0  play slot 0 \(", after) and "the third life was lost" in after
    assert f"journal  {PATH}" in after
    _, shown, _ = run("show", str(PATH))
    assert "P0  person\n" in shown
    assert run("show", str(PATH), "--turn", "1")[0] == 0


def test_help_log_undo_and_unclear_input_use_no_turn(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    types(monkeypatch, "?", "log", "undo", "", "play 9", "play 1 or 2", "quit")
    code, out, err = run(*GAME)
    assert (
        code == 3
        and "suspended at turn 1" in err
        and "P0 left the table. The same command continues" in err
    )
    assert "by hints and counting" in out and "A move cannot be taken back" in out
    assert "you have no slot 9" in out and "'play 1 or 2' is not a move that can be read" in out
    assert out.count("turn 1: you are P0") == 1


def test_the_end_of_the_input_suspends_and_the_same_command_goes_on(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    types(monkeypatch, "hint P1 rank 1 because they can be played")
    code, _, err = run(*GAME)
    assert code == 3 and "suspended at turn 3" in err
    types(monkeypatch, "quit")
    code, out, _ = run(*GAME)
    assert code == 3 and "turn 1, P0 (you): hint P1 rank 1" in out and "turn 3: you are P0" in out
    assert "because" not in out and "they can be played" in PATH.read_text("utf-8")


def test_json_is_alone_on_stdout(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    types(monkeypatch, *["play 0"] * 3)
    code, out, err = run(*GAME, "--json")
    assert (
        code == 0 and json.loads(out)["model"] == "person+program" and "turn 1: you are P0" in err
    )


def test_a_replay_asks_nobody(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    types(monkeypatch, *["play 0"] * 3)
    first = json.loads(run(*GAME, "--json")[1])
    types(monkeypatch)
    code, out, err = run(*GAME, "--json", "--model", "program", "--cache", "replay:games")
    again = json.loads(out)
    assert code == 0, err
    assert again["moves_digest"] == first["moves_digest"] and again["journal"] != first["journal"]


def test_two_persons_hand_the_terminal_over(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    types(monkeypatch, "h 1 5", "p 0")
    code, out, _ = run("play", "--players", "2", "--seat", "0=person", "--seat", "1=person")
    assert code == 3
    parts = re.split(r"P(\d) is next", out)
    assert parts[1::2] == ["0", "1", "0"]
    assert "P1        Y5" in parts[2] and "P1        Y5" not in parts[4], (
        "P1 does not see their own cards"
    )


def test_an_experiment_refuses_a_person_in_one_sentence(run: Run) -> None:
    code, _, err = run(
        "experiment", "run", "role-ablation", "--set", "graph=person", "--out", "here"
    )
    assert (
        code == 2
        and "a person takes a seat of one game: `orchestrator play --seat 0=person`" in err
    )
    assert not Path("here").exists()


def shown(view: View) -> str:
    console = Console(file=io.StringIO(), width=200, force_terminal=True)
    for part in (screen.turn_screen(view), screen.help_screen(view), screen.log(view)):
        console.print(part)
    written = console.file
    assert isinstance(written, io.StringIO)
    return written.getvalue()


@pytest.mark.parametrize("players", PLAYERS if FULL else (3, 5))
def test_another_hidden_hand_changes_no_byte_of_the_screen(players: int) -> None:
    met = 0
    for referee, other in positions(players, 3 + players, 0.1):
        assert shown(referee.view()) == shown(other.view())
        met += referee.deck != other.deck
    assert met > 3


def test_other_views_are_other_screens() -> None:
    """The comparison above can fail."""
    first, second = [referee.view() for referee, _ in positions(3, 9, 0.2)][:2]
    assert shown(first) != shown(second)


class AtATerminal:
    """The command at a pseudo terminal."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        self.pid, self.end = pty.fork()
        if self.pid == 0:  # pragma: no cover
            os.chdir(folder)
            os.environ.update(PYTHONPATH=str(ROOT), TERM="xterm", COLUMNS="100")
            os.execv(sys.executable, [sys.executable, "-m", "hanabi_orchestrator", *arguments])
        self.out = ""

    def until(self, text: str) -> str:
        """What comes until a text does; 30 seconds at most."""
        deadline = time.monotonic() + 30
        new = ""
        while text not in new:
            assert time.monotonic() < deadline, f"no {text!r} in {self.out!r}"
            if select.select([self.end], [], [], 0.2)[0]:
                new += os.read(self.end, 65536).decode("utf-8", "replace")
        self.out += new
        return new

    def type(self, keys: str) -> None:
        os.write(self.end, keys.encode())

    def code(self) -> int:
        try:
            while os.read(self.end, 65536):
                pass
        except OSError:  # it is gone
            pass
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


def test_at_a_terminal_persons_see_no_hand_before_they_ask_for_it_and_ctrl_c_keeps_the_game(
    tmp_path: Path,
) -> None:
    there = AtATerminal(
        tmp_path, "play", "--players", "2", "--seat", "0=person", "--seat", "1=person"
    )
    before = there.until("press Enter.")
    assert "Y5" not in before
    there.type("\n")
    there.until("(? for help): ")
    there.type("h 1 5\r")
    handed = there.until("P1, press Enter.")
    assert "\x1b[2J" in handed and "\x1b[3J" in handed, (
        "the screen and what was scrolled away are cleared"
    )
    there.type("\x03")
    there.until("interrupted")
    assert there.code() == 130
    assert list(tmp_path.rglob("*.jsonl"))
