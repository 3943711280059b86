"""What there is: packaged experiments, runs and games; and pointers for options that a command does not have."""

import json
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from hanabi_orchestrator.experiments.document import terminal
from hanabi_orchestrator.experiments.document.terminal import Terminal, plain_table
from hanabi_orchestrator.experiments.record.rows import constructed
from hanabi_orchestrator.experiments.record.run_folder import RUN
from hanabi_orchestrator.experiments.record.saved import told
from hanabi_orchestrator.experiments.show import listing
from hanabi_orchestrator.experiments.study.experiment import packaged
from tests.conftest import Run


def test_the_packaged_experiments_are_listed_with_what_they_are_for(run: Run) -> None:
    rows = json.loads(run("list", "experiments", "--json")[1])
    assert [row["experiment"] for row in rows] == list(packaged())
    assert all(
        row["what_for"].endswith((".", ").")) and "orchestrator" not in row["what_for"]
        for row in rows
    )
    assert "What house loses without each of its roles" in run("list", "experiments")[1]
    written = StringIO()
    terminal.show([listing.rows_table(rows)], Console(width=80, file=written))
    lines = written.getvalue().splitlines()
    assert len(lines) == len(rows) + 1 and max(map(len, lines)) <= 80 and "…" in lines[1]


def test_a_narrow_terminal_folds_words_and_cuts_no_number() -> None:
    table = plain_table("arm", "players", "score", "95 %", words=("arm",))
    table.add_row("a-very-long-name-of-an-arm (simulated)", "2", "12.75", "-10.25 to +17.50")
    for width in (100, 60, 30, 10):
        written = StringIO()
        Terminal(width=width, file=written).print(table)
        shown = written.getvalue()
        assert all(cell in shown for cell in ("players", "12.75", "-10.25 to +17.50")), width
        assert max(map(len, shown.splitlines())) <= max(width, 16 + 7 + 5 + 16 + 6)
        assert "(simulated)" in shown


def test_games_and_runs_are_listed_finished_or_not(run: Run) -> None:
    run("play", "--graph", "watson", "--players", "2", "--out", "own")
    whole = Path("own/watson-2p-s1.jsonl")
    lines = whole.read_text("utf-8").splitlines(keepends=True)
    Path("own/half.jsonl").write_text("".join(lines[: len(lines) // 2]), "utf-8")
    Path("own/other.jsonl").write_text("{}\n", "utf-8")
    half, full = json.loads(run("list", "games", "own", "--json")[1])
    assert (full["graph"], full["model"], full["players"], full["seed"]) == (
        "watson",
        "program",
        2,
        1,
    )
    assert (
        full["finished"] and isinstance(full["score_strict"], int) and half["score_strict"] is None
    )
    assert not half["finished"] and 0 < half["turns"] < full["turns"]
    out = run("list", "games", "own")[1]
    assert (
        "unfinished" in out
        and "finished" not in out.splitlines()[0]
        and "score" in out.splitlines()[0]
    )
    assert told([{**full, "score_strict": 0, "score_kept": 8}])[0]["score"] == "0 (kept 8)"
    assert constructed("probe+house") and not constructed("house+house_solo")
    code, _, err = run("list", "games", "nowhere")
    assert code == 2 and err == "error: 'nowhere' is no folder\n"


def test_runs_are_listed_with_their_finished_games(run: Run) -> None:
    Path("small.yaml").write_text("{name: small, graph: watson, players: 2, seeds: 2}", "utf-8")
    run("experiment", "run", "small.yaml", "-q")
    (row,) = json.loads(run("list", "runs", "--json")[1])
    assert row["run"] == "runs/small" and (row["finished"], row["unfinished"], row["arms"]) == (
        2,
        0,
        1,
    )
    assert Path(row["run"], RUN).exists() and "small" in run("list", "runs")[1]


@pytest.mark.parametrize(
    ("command", "pointer"),
    [
        (["experiment", "run", "strength", "--model", "x"], "--set models.default=VALUE"),
        (
            ["experiment", "plan", "strength", "--temperature", "1"],
            "--set sampling.temperature=VALUE",
        ),
        (["experiment", "run", "strength", "--players", "2"], "--set players=VALUE"),
        (["play", "--context", "watson"], "--set context=VALUE"),
    ],
)
def test_an_option_that_is_a_setting_is_pointed_to(
    run: Run, command: list[str], pointer: str
) -> None:
    code, _, err = run(*command)
    assert code == 2 and err == f"error: there is no option {command[-2]}; say {pointer}\n"


def test_a_second_game_of_one_name_says_how_it_differs(run: Run) -> None:
    run("play", "--graph", "watson", "--players", "2")
    code, _, err = run("play", "--graph", "watson", "--players", "2", "--model", "sim:average")
    assert code == 0 and err.startswith(
        "games/watson-2p-s1.jsonl is another game (model was 'program', is 'sim:average'"
    )
    assert "kept in games/watson-2p-s1-2.jsonl" in err
    assert run("play", "--graph", "watson", "--players", "2")[2] == ""


def test_a_dry_run_says_how_much_the_journals_will_take(run: Run) -> None:
    Path("small.yaml").write_text("{name: small, graph: watson, players: 2, seeds: 4}", "utf-8")
    guessed = json.loads(run("experiment", "run", "small.yaml", "--dry-run", "--json")[1])["bytes"]
    assert "disk space: about " in run("experiment", "run", "small.yaml", "--dry-run")[1]
    run("experiment", "run", "small.yaml", "-q", "--set", "seeds=2")
    sizes = [path.stat().st_size for path in Path("runs/small/games").glob("*/*")]
    left = json.loads(run("experiment", "run", "small.yaml", "--dry-run", "--json")[1])["bytes"]
    assert abs(left - sum(sizes)) < 2 and 0.5 < guessed / (2 * sum(sizes)) < 2


def test_a_dry_run_of_programs_estimates_the_time_and_plays_no_game(run: Run) -> None:
    Path("small.yaml").write_text("{name: small, graph: watson, players: 2, seeds: 4}", "utf-8")
    whole = json.loads(run("experiment", "run", "small.yaml", "--dry-run", "--json")[1])["seconds"]
    assert 0 < whole < 100 and not Path("runs").exists()
    said = run("experiment", "run", "small.yaml", "--dry-run")[1]
    assert "time: about " in said and "(estimated from a few turns)" in said
    model = ("--set", "models.default=openai:m@http://127.0.0.1:9/v1")
    asked = json.loads(run("experiment", "run", "small.yaml", "--dry-run", "--json", *model)[1])
    assert asked["seconds"] is None


def test_a_run_that_cannot_be_read_hides_no_other_run(tmp_path: Path, run: Run) -> None:
    for name, content in {
        "a-yaml": b"name: [",
        "b-list": b"- 1\n",
        "c-good": b"name: small\n",
        "d-bytes": b"\xff\xfe\x00",
        "e-arms": b"name: x\narms: 3\n",
    }.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "run.yaml").write_bytes(content)
    (tmp_path / "f-folder" / "run.yaml").mkdir(parents=True)
    code, out, err = run("list", "runs", str(tmp_path), "--json")
    assert code == 0 and [row["experiment"] for row in json.loads(out)] == ["small"]
    assert all(name in err for name in ("a-yaml", "b-list", "d-bytes", "e-arms", "f-folder"))
