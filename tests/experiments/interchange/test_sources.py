"""What every export refuses: files that are no journals."""

from pathlib import Path

import pytest

from tests.conftest import Run
from tests.support.known_games import journal_of


@pytest.mark.parametrize("target", ["hanab-live", "otlp", "atif"])
@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"some text\n", "line 1: not a journal line"),
        (b"\xff\xfe\n", "not UTF-8 text"),
        (b"", "has no game yet"),
        (b'{"v": 9, "event": "call", "t": "2026-01-01"}\n', "line 1: "),
    ],
)
def test_a_file_that_is_no_journal_is_told_in_one_sentence(
    target: str, content: bytes, said: str, run: Run, tmp_path: Path
) -> None:
    (tmp_path / "odd.jsonl").write_bytes(content)
    code, out, err = run("export", "odd.jsonl", "--to", target, "--out", "made")
    assert (code, out) == (2, "") and said in err and err.count("\n") == 1
    assert not Path("made").exists()


@pytest.mark.parametrize("target", ["hanab-live", "otlp", "atif"])
def test_half_a_last_line_is_left_out(target: str, run: Run, tmp_path: Path) -> None:
    journal_of(tmp_path / "game.jsonl", 2, "unfinished")
    with (tmp_path / "game.jsonl").open("ab") as file:
        file.write(b'{"v": 2, "event": "tur')
    code, _, err = run("export", "game.jsonl", "--to", target, "--out", "made")
    assert code == 0, err
