"""A package of somebody else, installed beside ours, adds one of each thing that people extend, by public names alone;
each is used through the command line."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.roles.test_plugins import command
from tests.support.installed import install

FORMATS = """
import json
from pathlib import Path

from hanabi_orchestrator import UserError
from hanabi_orchestrator.experiments import formats, games


def write(path, out):
    lines = []
    for source in games.sources(path):
        game = source.open()
        moves = [str(move) for move in game.moves]
        lines.append(json.dumps({"deck": game.started.deck, "moves": moves}))
    out.write_text("\\n".join(lines), "utf-8")
    return formats.Written(f"{len(lines)} games written")


def read(source, out):
    paths = []
    for number, line in enumerate(Path(source).read_text("utf-8").splitlines(), 1):
        game = json.loads(line)
        paths.append(out / f"{number}.jsonl")
        games.save(paths[-1], game["deck"], game["moves"], players=["a", "b"], program="far")
    return formats.Written(f"{len(paths)} games read", data={"games": len(paths)})


EXPORT = formats.ExportFormat(says="decks and moves", write=write)
IMPORT = formats.ImportFormat(
    says="decks and moves", read=read, takes=lambda source: source.endswith(".far")
)
"""

FILES = {"__init__.py": "", "formats.py": FORMATS}
POINTS = {
    "hanabi_orchestrator.exports": {"far": "hanabi_far.formats:EXPORT"},
    "hanabi_orchestrator.imports": {"far": "hanabi_far.formats:IMPORT"},
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    install(tmp_path, "hanabi_far", FILES, POINTS)
    return tmp_path


def done(folder: Path, *arguments: str) -> str:
    code, out, err = command(folder, *arguments)
    assert (code, err) == (0, ""), err
    return out


def test_its_formats_write_games_and_read_them_back(folder: Path) -> None:
    result = json.loads(done(folder, "play", "--graph", "watson", "--players", "2", "--json"))
    out = done(folder, "export", result["journal"], "all.far", "--to", "far")
    assert out == "1 games written\n"
    assert done(folder, "import", "all.far", "--out", "back") == "1 games read\n"
    turns = json.loads(done(folder, "show", "back/1.jsonl", "--json"))
    assert turns["result"]["score_strict"] == result["score_strict"]
    assert turns["result"]["turns"] == result["turns"]
    (folder / "all.text").write_bytes((folder / "all.far").read_bytes())
    done(folder, "import", "all.text", "--from", "far", "--out", "named")
    assert (folder / "named" / "1.jsonl").is_file()


def test_a_list_says_who_brings_a_format(folder: Path) -> None:
    rows = json.loads(done(folder, "list", "formats", "--json"))
    assert {
        "format": "far",
        "for": "import",
        "from": "hanabi-far",
        "holds": "decks and moves",
    } in rows
    sources = {row["format"]: row["from"] for row in rows if row["for"] == "export"}
    assert (sources["far"], sources["hanab-live"]) == ("hanabi-far", "built-in")


def test_a_deck_or_a_move_that_does_not_fit_is_one_sentence(folder: Path) -> None:
    (folder / "bad.far").write_text(json.dumps({"deck": ["R1"], "moves": []}), "utf-8")
    code, out, err = command(folder, "import", "bad.far", "--out", "back")
    assert (code, out) == (2, "") and "Traceback" not in err and err.startswith("error: ")
    assert not (folder / "back").exists()


BROKEN: Mapping[str, tuple[dict[str, str], str]] = {
    "its module is missing": (
        {"bad": "hanabi_bad.nothing:EXPORT"},
        "plugin 'hanabi-bad' (bad = hanabi_bad.nothing:EXPORT) cannot be loaded: ModuleNotFoundError",
    ),
    "its name is missing": (
        {"bad": "hanabi_bad:NOTHING"},
        "plugin 'hanabi-bad' (bad = hanabi_bad:NOTHING) cannot be loaded: AttributeError",
    ),
    "it is of another type": (
        {"bad": "hanabi_bad:THING"},
        "is no export format: its type is str, not ExportFormat",
    ),
    "its name is taken": (
        {"far": "hanabi_bad:THING"},
        "export format 'far' is there twice: by hanabi-bad and by hanabi-far; uninstall one",
    ),
    "its name is ours": (
        {"atif": "hanabi_bad:THING"},
        "export format 'atif' is there twice: by built-in and by hanabi-bad; uninstall one",
    ),
}


@pytest.mark.parametrize("fault", BROKEN)
def test_a_broken_package_is_one_sentence_and_everything_else_goes_on(
    folder: Path, fault: str
) -> None:
    points, sentence = BROKEN[fault]
    (name,) = points
    group = "hanabi_orchestrator.exports"
    install(folder, "hanabi_bad", {"__init__.py": "THING = 'x'"}, {group: points})
    journal = json.loads(done(folder, "play", "--graph", "watson", "--json"))["journal"]
    code, out, err = command(folder, "export", journal, "out", "--to", name)
    assert (code, out) == (2, "") and sentence in " ".join(err.split()) and "Traceback" not in err
    listed = json.loads(done(folder, "list", "formats", "--json"))
    holds = {row["format"]: row["holds"] for row in listed if row["for"] == "export"}
    assert sentence in holds[name]
    done(folder, "export", journal, "live.json", "--to", "hanab-live")
    if name != "far":
        done(folder, "export", journal, "all.far", "--to", "far")
