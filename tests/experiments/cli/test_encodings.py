"""Files in another encoding than UTF-8, and halves of characters: one sentence, or a question mark, no traceback."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from hanabi_orchestrator import graphs
from hanabi_orchestrator.orchestrator import play
from tests.conftest import Run

LATIN = "name: small\ngraph: watson\nplayers: 2\nquestion: déjà vu\n".encode("cp1252")
READERS: dict[str, Sequence[str]] = {
    "an experiment": ("experiment", "plan", "x.yaml"),
    "a graph": ("play", "--graph", "x.yaml"),
    "a models file": ("play", "--model", "x.yaml"),
    "a deck": ("play", "--deck", "x.yaml"),
    "questions": ("evaluate", "questions", "--data", "x.yaml"),
    "a bank": ("evaluate", "show", "x.yaml"),
    "a game of hanab.live": ("import", "x.yaml"),
}


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize(
    ("text", "byte", "line"),
    [
        (LATIN, "e9", 4),
        (LATIN.decode("cp1252").encode("utf-16"), "ff", 1),
        (b"name: \xed\xa0\x80\n", "ed", 1),
    ],
    ids=["cp1252", "utf-16", "half a character"],
)
def test_a_file_that_is_not_utf_8(reader: str, text: bytes, byte: str, line: int, run: Run) -> None:
    Path("x.yaml").write_bytes(text)
    code, out, err = run(*READERS[reader])
    assert (code, out) == (2, "")
    assert (
        "x.yaml" in err
        and f"it is not UTF-8 text (byte 0x{byte} in line {line}); save it as UTF-8\n" in err
    )


@pytest.mark.parametrize(
    "arguments",
    [
        ("play", "--set", "verify=\udce9"),
        ("play", "--model", "openai:\udce9@http://127.0.0.1:9/v1"),
        ("play", "--model", "openai:m@http://127.0.0.1:9/v1", "--effort", "\udce9"),
        ("play", "--graph", "\udce9"),
        ("play", "--seat", "0=partner:\udce9"),
        ("--key-host", "\udce9", "list", "graphs"),
        ("experiment", "run", "\udce9.yaml"),
    ],
    ids=" ".join,
)
def test_a_word_of_the_command_line_that_is_not_utf_8(arguments: Sequence[str], run: Run) -> None:
    code, out, err = run(*arguments)
    assert (code, out) == (2, "") and err.startswith("error: ") and r"\udce9" in err
    assert not list(Path().rglob("*.jsonl"))


@pytest.fixture
def lines(tmp_path: Path) -> list[bytes]:
    """The lines of a journal; `x.jsonl` lies in the working folder."""
    play(graphs.seat("watson"), players=2, seed=1, journal=tmp_path / "x.jsonl", max_turns=2)
    return (tmp_path / "x.jsonl").read_bytes().splitlines(keepends=True)


def test_a_journal_that_is_not_utf_8_is_named_with_its_line(lines: list[bytes], run: Run) -> None:
    lines[3] = lines[3].replace(b'"why": "', b'"why": "d\xe9')
    assert b"\xe9" in lines[3]
    Path("x.jsonl").write_bytes(b"".join(lines))
    for arguments in (
        ("show", "x.jsonl"),
        ("export", "x.jsonl", "--to", "logs", "--out", "y.jsonl"),
    ):
        code, _, err = run(*arguments)
        assert code == 2 and err == "error: x.jsonl, line 4: not UTF-8 text\n"


def test_half_a_character_in_a_journal_is_a_question_mark(lines: list[bytes], run: Run) -> None:
    lines[3] = lines[3].replace(b'"why": "', b'"why": "\\ud800 here')
    assert b"ud800" in lines[3]
    Path("x.jsonl").write_bytes(b"".join(lines))
    code, out, _ = run("show", "x.jsonl", "--turn", "1", "--json")
    assert code == 0 and "? here" in out and "ud800" not in out
    for format, name in (("atif", "y"), ("logs", "y.jsonl"), ("page", "y.html")):
        assert run("export", "x.jsonl", "--to", format, "--out", name)[0] == 0
    assert any("? here" in path.read_text("utf-8") for path in Path("y").glob("*.json"))


def test_folders_may_have_names_that_are_not_utf_8(run: Run) -> None:
    Path("x.yaml").write_text(
        "{name: small, graph: 'partner:random', players: 2, seeds: 1}", "utf-8"
    )
    assert run("experiment", "run", "x.yaml", "--out", "r\udce9", "--no-marks")[0] == 0
    code, _, err = run("export", "r\udce9", "--to", "tables", "--out", "t\udce9")
    assert code == 0, err
    assert {path.name for path in Path("t\udce9").iterdir()} == {
        "games.parquet",
        "turns.parquet",
        "calls.parquet",
    }
