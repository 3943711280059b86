"""Rows of other programs that cannot be read: --skip-broken leaves each of them out, whatever is wrong with it."""

import json
from pathlib import Path
from typing import Any

import pytest

from hanabi_orchestrator.experiments.cli.app import _ended
from hanabi_orchestrator.orchestrator.values import whole_number
from tests.conftest import Run
from tests.support import hanabi_logs

DIGITS = "5" * 5000
BROKEN: tuple[dict[str, Any] | bytes, ...] = (
    {"players": DIGITS},
    {"seed": "²"},
    {"seed": "٣٤"},
    {"turn_number": 1e300},
    {"players": float("inf")},
    {"response_content": "\ud800"},
    {"user_prompt": 3},
    b'{"model_name": "\xff"}',
    b"not JSON",
    b'{"seed": ' + DIGITS.encode() + b"}",
    b"[" * 100_000,
    b"null",
)


@pytest.mark.parametrize("place", [0, 1])
def test_a_broken_row_is_left_out_wherever_it_stands(place: int, run: Run) -> None:
    good = hanabi_logs.rows(2, 1, turns=3)
    for number, change in enumerate(BROKEN):
        bad = change if isinstance(change, bytes) else json.dumps({**good[0], **change}).encode()
        lines = [json.dumps(row).encode() for row in good]
        lines.insert(place * len(lines), bad)
        Path("rows.jsonl").write_bytes(b"\n".join(lines) + b"\n")
        code, out, err = run(
            "import",
            "rows.jsonl",
            "--graph",
            "watson",
            "--skip-broken",
            "--out",
            f"to{place}{number}",
            "--json",
        )
        assert code == 0 and len(json.loads(out)["left_out"]) == 1, (change, err)
        code, _, err = run("import", "rows.jsonl", "--graph", "watson", "--out", f"not{number}")
        assert code == 2 and "--skip-broken" in err and "Traceback" not in err


@pytest.mark.parametrize(
    "words",
    [
        ("experiment", "control", "here", "limit", "sim:average", "²"),
        ("experiment", "control", "here", "limit", "sim:average", DIGITS),
        ("export", "here", "--to", "rewards", "--out", "a.jsonl", "--with", "rollouts=²"),
        ("export", "here", "--to", "rewards", "--out", "a.jsonl", "--with", f"rollouts={DIGITS}"),
        ("play", "--max-tokens", "²"),
        ("play", "--max-tokens", DIGITS),
        (
            "experiment",
            "run",
            "role-ablation",
            "--dry-run",
            "--set",
            f"seats.{DIGITS}=partner:piers",
        ),
        ("experiment", "run", "role-ablation", "--dry-run", "--set", "seats.²=partner:piers"),
    ],
)
def test_a_number_that_is_none_is_one_sentence(words: tuple[str, ...], run: Run) -> None:
    code, out, err = run(*words)
    assert code == 2 and not out and err.startswith("error: ") and len(err) < 7000


def test_whole_numbers() -> None:
    assert [whole_number(text) for text in ("0", "007", "9" * 18)] == [0, 7, 10**18 - 1]
    assert not any(map(whole_number, ("", "-1", "²", "٣", "1.0", " 1", "9" * 19, "1_0")))


def test_little_memory_is_a_sentence() -> None:
    for error in (
        MemoryError(),
        ImportError("libscipy.so: failed to map segment from shared object"),
        ImportError("x.so: cannot allocate memory in static TLS block"),
        RuntimeError("can't start new thread"),
    ):
        assert _ended(error) == (1, "there is not enough memory for this")
    with pytest.raises(ImportError):
        _ended(ImportError("no module"))
