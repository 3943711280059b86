"""The page of the papers' tables and figures: each command is one of ours, and each experiment can be planned."""

import re
import shlex

import pytest

from hanabi_orchestrator.experiments.forecast import dry_run
from hanabi_orchestrator.experiments.study import references
from tests.conftest import Run
from tests.support.folders import ROOT

PAGE = (ROOT / "docs/papers.md").read_text("utf-8")
COMMANDS = re.findall(r"`((?:experiment|evaluate|report|graphs|list) [^`]+)`", PAGE)
PLANNED = [command for command in COMMANDS if command.startswith("experiment run ")]


@pytest.mark.parametrize("command", PLANNED)
def test_an_experiment_can_be_planned(
    command: str, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dry_run, "TIMED", 1)  # how long the games take is tested elsewhere
    code, out, err = run(*shlex.split(command), "--dry-run", "--json")
    assert code == 0 and (not err or err.startswith("Playing ")) and '"arms"' in out


def test_every_other_command_exists_with_its_options(run: Run) -> None:
    others = [shlex.split(command) for command in COMMANDS if command not in PLANNED]
    assert len(PLANNED) > 15 and len(others) > 5
    for words in others:
        named = 1 if words[0] in ("report", "list") else 2
        code, out, _ = run(*words[:named], "--help")
        assert code == 0 and all(word in out for word in words if word.startswith("--")), words


def test_a_reference_stands_in_for_every_figure_that_the_text_gives() -> None:
    sparks = [ref for ref in references.packaged().values() if ref.source.startswith("Sparks of")]
    assert {mean for ref in sparks for mean in ref.means.values()} >= {
        12.2,
        14.5,
        15.4,
        16.1,
        14.9,
        11.3,
    }
