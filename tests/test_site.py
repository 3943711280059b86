"""The site of the documentation builds without a warning, and its navigation has every page."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.folders import ROOT

pytest.importorskip("zensical")
pytest.importorskip("griffe")

CONFIG = (ROOT / "mkdocs.yml").read_text("utf-8")
FAST = CONFIG.replace("separate_signature: true", "separate_signature: false")
"""Without a formatter's process for each signature, which takes most of the time."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the pages and a config for them."""
    from docs import site

    folder = tmp_path_factory.mktemp("site")
    site.write(folder / "docs")
    config = FAST.replace("docs_dir: build/docs", "docs_dir: docs").replace(
        "paths: [src]", f"paths: [{ROOT / 'src'}]"
    )
    (folder / "mkdocs.yml").write_text(config, "utf-8")
    return folder


def test_the_navigation_names_every_page_once(folder: Path) -> None:
    named = re.findall(r": ([\w-]+\.md)$", CONFIG, re.M)
    assert sorted(named) == sorted(path.name for path in (folder / "docs").glob("*.md"))


def test_the_site_builds_without_a_broken_link(folder: Path) -> None:
    command = [sys.executable, "-m", "zensical", "build", "--strict"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    index = (folder / "site" / "api-orchestrator.html").read_text("utf-8")
    assert 'id="hanabi_orchestrator.orchestrator.play"' in index and "The 25 types of card" in index
    assert "house_planner" in (folder / "site" / "search.json").read_text("utf-8")
