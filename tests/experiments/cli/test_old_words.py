"""Old spellings of the command line are read, with one line of hint on stderr; what their commands were is kept."""

import json

import pytest

from experiments.cli import old_words
from tests.conftest import Run


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("games list own --json", "list games own --json"),
        ("experiment positions run program --first 2", "evaluate positions program --first 2"),
        ("experiment pause runs/a", "experiment control runs/a pause"),
        ("experiment limit runs/a fake 2", "experiment control runs/a limit fake 2"),
        ("marks runs/a --role analyst", "report --marks runs/a --role analyst"),
        ("bundle runs/a a.html", "export --to page runs/a a.html"),
        ("experiment compare a b", "diff a b"),
        ("qa run --help", "evaluate questions --help"),
        ("import hanab-live game.json", "import --from hanab-live game.json"),
    ],
)
def test_an_old_command_is_rewritten(old: str, new: str) -> None:
    line = old_words.renewed(old.split())
    assert line.words == new.split() and len(line.hints) == 1
    assert old_words.renewed(new.split()) == (new.split(), [])


def test_an_old_command_does_what_the_new_one_does_and_says_so_on_stderr(run: Run) -> None:
    code, out, err = run("partners", "list", "--json")
    assert code == 0 and err == "note: `partners list` is now `list partners`\n"
    assert json.loads(out) == json.loads(run("list", "partners", "--json")[1])
    assert run("list", "partners")[2] == ""
