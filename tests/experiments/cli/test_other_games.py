"""Games that only Python plays so far are refused elsewhere in one sentence, and hide no game of Hanabi."""

from pathlib import Path

import pytest
import yaml

from hanabi_orchestrator import play
from hanabi_orchestrator.experiments import read_seat
from tests.conftest import Run

PLAYERS = ["capture_planner", "capture_nearest", "escape_planner", "escape_bold"]


@pytest.mark.parametrize("name", PLAYERS)
@pytest.mark.parametrize(
    "command",
    [
        ["show"],
        ["report", "--marks"],
        ["show", "--turn", "1"],
        ["export", "--to", "grpo", "--out", "x.jsonl"],
    ],
)
def test_its_journal_is_refused_in_a_sentence(
    run: Run, tmp_path: Path, name: str, command: list[str]
) -> None:
    path = tmp_path / "game.jsonl"
    play(read_seat(f"partner:{name}"), seed=1, journal=path)
    code, _, err = run(command[0], str(path), *command[1:])
    title = "Collab Capture" if name.startswith("capture") else "Collab Escape"
    assert code == 2 and f"a game of {title}, which is played from Python alone" in err


@pytest.mark.parametrize("name", PLAYERS)
def test_its_players_sit_at_no_table_of_hanabi(run: Run, tmp_path: Path, name: str) -> None:
    spec = f"partner:{name}"
    study = {"name": "other", "graph": spec, "players": 2, "seeds": 1}
    (tmp_path / "other.yaml").write_text(yaml.safe_dump(study), "utf-8")
    for command in (
        ["play", "--players", "2", "--seat", f"0={spec}", "--seat", f"1={spec}"],
        ["play", "--players", "2", "--seat", f"1={spec}"],
        ["experiment", "run", str(tmp_path / "other.yaml"), "--out", str(tmp_path / "run")],
    ):
        code, _, err = run(*command)
        assert code == 2 and f"{spec} is for a game of Collab" in err


def test_a_list_of_games_names_it_and_goes_on(run: Run, tmp_path: Path) -> None:
    play(read_seat("partner:escape_planner"), seed=1, journal=tmp_path / "escape.jsonl")
    play(read_seat("partner:smart"), seed=1, players=2, journal=tmp_path / "hanabi.jsonl")
    code, out, err = run("list", "games", str(tmp_path))
    assert code == 0 and "hanabi" in out and "a game of Collab Escape" in err
