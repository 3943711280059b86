"""Texts that tests hold as files, which `--golden` writes anew."""

from pathlib import Path

import pytest

from tests.support.folders import TESTS

GOLDEN = TESTS / "golden"


def matches(request: pytest.FixtureRequest, name: str, text: str) -> None:
    """Assert that a text is that of tests/golden/NAME; with `--golden`, write it there."""
    path: Path = GOLDEN / name
    if request.config.getoption("--golden"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text("utf-8"), (
        f"{name} differs; after a meant change run this test with --golden"
    )
