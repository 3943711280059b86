"""A copy of the page: one HTML file or a folder, with all that the server would answer, and nothing from elsewhere."""

import base64
import gzip
import json
import re
from pathlib import Path
from typing import Any

import pytest

from hanabi_orchestrator.experiments.page import assets
from hanabi_orchestrator.experiments.page.bundle import PACKED, Bundle
from hanabi_orchestrator.experiments.page.library import Library
from tests.conftest import Run
from tests.experiments.page.conftest import MARKUP, client
from tests.experiments.page.test_api import GAME, got


def written(page: str) -> dict[str, Any]:
    """The data that a copy holds."""
    found = re.search(r"<script>globalThis.HANABI_BUNDLE = (.*?);</script>", page, re.DOTALL)
    assert found
    data: dict[str, Any] = json.loads(found[1])
    return data


def unpacked(text: str) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(gzip.decompress(base64.b64decode(text.removeprefix(PACKED))))
    return data


@pytest.fixture(scope="module")
def page(played: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    out = tmp_path_factory.mktemp("copy") / "run.html"
    Bundle(Library.open(played), [GAME]).write(out)
    return out.read_text("utf-8")


def test_one_file_holds_what_the_server_answers(page: str, played: Path) -> None:
    data = written(page)
    server = client(played)
    game = unpacked(data["games"][GAME])
    assert game["game"] == got(server, "game", id=GAME)
    assert game["turn?turn=9"] == got(server, "turn", id=GAME, turn=9)
    assert game["beliefs?seat=1&turn=9"] == got(server, "beliefs", id=GAME, turn=9, seat=1)
    key = game["turn?turn=9"]["calls"][0]["key"] if game["turn?turn=9"]["calls"] else None
    assert key is None or game[f"prompt?key={key}&turn=9"] == got(
        server, "prompt", id=GAME, turn=9, key=key
    )
    run = data["answers"]["run"]
    assert run["arms"] == got(server, "run")["arms"] and not run["going"]
    assert [row[0] for row in data["answers"]["games"]["rows"]] == [GAME]


def test_one_file_names_no_other_file_and_no_other_host(page: str) -> None:
    without_data = re.sub(
        r"<script>globalThis.HANABI_BUNDLE.*?</script>", "", page, flags=re.DOTALL
    )
    for found in re.findall(r'(?:src|href)="([^"]*)"', without_data):
        assert found.startswith(("data:", "#"))
    assert "/static/" not in re.sub(r"data:[^\"]*", "", without_data)
    assert "default-src 'none'" in page


def test_all_modules_are_inside(page: str) -> None:
    found = re.search(r'<script type="importmap">(.*?)</script>', page, re.DOTALL)
    assert found
    imports = json.loads(found[1])["imports"]
    assert set(imports) == set(assets.modules())
    for bare, address in imports.items():
        source = base64.b64decode(address.partition(",")[2]).decode()
        assert source == assets.text(assets.modules()[bare])
        for name in re.findall(r'^(?:import\b|\}).* from "([^"]+)";$', source, re.MULTILINE):
            assert name in imports, f"{bare} imports {name}, which a copy does not have"


def test_markup_of_a_model_cannot_end_the_script(asked: Path, tmp_path: Path) -> None:
    Bundle(Library.open(asked)).write(tmp_path / "it.html")
    page = (tmp_path / "it.html").read_text("utf-8")
    assert "<script>alert" not in page and "onerror=alert" not in page
    assert (
        unpacked(written(page)["games"]["marked-up"])["turn?turn=1"]["calls"][0]["text"] == MARKUP
    )


def test_a_folder_has_a_file_for_each_game_and_the_figures(played: Path, tmp_path: Path) -> None:
    Bundle(Library.open(played), [GAME]).write(tmp_path / "copy")
    data = written((tmp_path / "copy/index.html").read_text("utf-8"))
    assert data["games"] == {GAME: "games/00001.js"}
    script = (tmp_path / "copy" / data["games"][GAME]).read_text("utf-8")
    name, text = re.fullmatch(r"HANABI_BUNDLE\.loaded\[(.*?)\] = (.*);\n", script).groups()  # type: ignore[union-attr]
    assert json.loads(name) == GAME
    assert unpacked(json.loads(text))["game"]["id"] == GAME
    figure = data["answers"]["run"]["figures"][0]["file"]
    assert (tmp_path / "copy" / data["files"][figure]).read_text("utf-8").startswith("<?xml")
    assert (tmp_path / "copy" / data["files"]["/files/report.html"]).exists()


def test_the_command_says_what_it_wrote_and_overwrites_nothing(
    run: Run, played: Path, tmp_path: Path
) -> None:
    code, _, err = run("export", "--to", "page", str(played), "it.html", "--with", f"game={GAME}")
    assert code == 0 and "it.html" in err and (tmp_path / "it.html").exists()
    code, _, err = run("export", "--to", "page", str(played), "it.html")
    assert code == 2 and "is there already" in err
    code, _, err = run(
        "export", "--to", "page", str(played), "other.html", "--with", "game=piers/9"
    )
    assert (
        code == 2 and "there is no game 'piers/9'" in err and not (tmp_path / "other.html").exists()
    )
