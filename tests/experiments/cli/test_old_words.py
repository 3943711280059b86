"""Old spellings of the command line are read, with one line of hint on stderr; what their commands were is kept."""

import json

import pytest

from experiments.cli import app, old_words
from experiments.running.model_options import budget
from orchestrator.errors import UserError
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


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("play --replay games --verify safety", "play --cache replay:games --set verify=safety"),
        ("play --texts --max-usd=2.5", "play --texts --budget 2.5usd"),
        ("play -- --replay games", "play -- --replay games"),
    ],
)
def test_an_old_option_is_rewritten(old: str, new: str) -> None:
    assert old_words.renewed(old.split()).words == new.split()
    assert old_words.renewed(new.split()) == (new.split(), [])


def test_a_budget_by_its_old_name_never_becomes_the_length_of_an_answer(run: Run) -> None:
    for words in (("play", "--max-tokens", "200000"), ("experiment", "run", "strength", "--max-tokens=20000")):
        code, out, err = run(*words)
        assert (code, out) == (2, "") and "--max-tokens is the length of an answer" in err
        assert f"--budget {words[-1].rpartition('=')[2]}tokens" in err
    assert old_words.renewed(["play", "--max-tokens", "19999"]).words[-1] == "19999"
    code, _, err = run("experiment", "run", "strength", "--max-tokens", "900")
    assert code == 2 and "say --set sampling.max_tokens=VALUE" in err


def test_budgets_are_read() -> None:
    assert budget(["2_000_000tokens", "0.5USD"]) == (2_000_000, 0.5)
    assert budget(["5usd"]) == (None, 5.0) and budget([]) == (None, None)
    for wrong in (["5"], ["5 dollars"], ["1.5tokens"], ["infusd"], ["5usd", "6usd"], ["usd"], ["_tokens"]):
        with pytest.raises(UserError, match="--budget"):
            budget(wrong)


def test_options_of_the_program_stand_anywhere(run: Run) -> None:
    _, out, _ = run("--json", "list", "partners")
    assert run("list", "--json", "partners")[1] == out == run("list", "partners", "--json")[1]
    code, out, err = run("fake-endpoint", "--json")
    assert (code, out) == (2, "") and err == "error: `fake-endpoint` has nothing to say as data; leave --json out\n"
    assert app.hoisted(["play", "--import=a.py", "-q", "--import", "b", "--", "-q"]) == (
        ["--import=a.py", "-q", "--import", "b"],
        ["play", "--", "-q"],
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("experiment run a --stop-when either", "experiment run a --set stop.when=either"),
        ("experiment run a --metric kept", "experiment run a --set metric=kept"),
        ("report a --metric kept", "report a --metric kept"),
        ("play --otlp env --otlp-content", "play --otlp env --otlp content"),
        ("export a --to otlp --endpoint env --content", "export a --to otlp --otlp env --otlp content"),
        ("export a --to tables --texts --with marks", "export a --to tables --with texts --with marks"),
        ("experiment compare a b --arm x --arm-b y", "diff a b --arm x --arm y"),
        ("fake-endpoint --fault-seed 2 --hang 5", "fake-endpoint --faults seed=2 --faults hang=5"),
        ("fake-endpoint --faults 0.1 --only 429,hang", "fake-endpoint --faults 0.1 --faults 429,hang"),
    ],
)
def test_old_twins_are_rewritten(old: str, new: str) -> None:
    assert old_words.renewed(old.split()).words == new.split()


def test_proofs_of_the_project_are_no_command_of_a_user(run: Run) -> None:
    code, out, err = run("bench", "--claims")
    assert (code, out, err) == (2, "", "error: `bench --claims` is now `python -m benchmarks claims`\n")
