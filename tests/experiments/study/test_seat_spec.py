"""Mixed tables: who sits where, in which file, and that such games go on and replay as any other."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from hanabi_orchestrator import graphs
from hanabi_orchestrator.experiments.study import seat_spec
from hanabi_orchestrator.orchestrator import journal
from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.journal.events import GameStarted
from hanabi_orchestrator.orchestrator.players.base import Partner
from hanabi_orchestrator.orchestrator.players.python_agent import PythonAgent
from tests.conftest import Run

AGENT = """
class First:
    def act(self, observation):
        return observation["legal_moves_as_int"][0]

def last(observation):
    return observation["legal_moves_as_int"][-1]

class Broken:
    def act(self, observation):
        raise KeyError("policy")

async def native(view, memory):
    raise NotImplementedError

nothing = 7
"""


@pytest.fixture
def agents(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A module of agents in the working directory."""
    (tmp_path / "seated_agents.py").write_text(AGENT, "utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(__import__("sys").modules, "seated_agents", raising=False)


MIXED = ("--seat", "1=partner:piers", "--seat", "2=python:seated_agents:First")


def played(run: Run, *more: str) -> Mapping[str, Any]:
    code, out, err = run("play", "--json", *more)
    assert code == 0, err
    result: dict[str, Any] = json.loads(out)
    return result


def test_a_spec_is_a_partner_an_outside_agent_or_a_graph(agents: None) -> None:
    assert isinstance(seat_spec.read_seat("partner:iggi"), Partner)
    assert isinstance(seat_spec.read_seat("python:seated_agents:last"), PythonAgent)
    assert (
        getattr(seat_spec.read_seat("python:seated_agents:native"), "__name__", None) == "native"
    )  # a seat of our own kind
    seat = seat_spec.read_seat("moa_watson")
    assert isinstance(seat, graphs.GraphSeat) and seat.info.model == "program"


def test_the_other_seats_are_the_graph(run: Run, agents: None) -> None:
    result = played(run, *MIXED, "--players", "4", "--graph", "watson")
    assert result["graph"] == "watson+partner:piers+python:seated_agents:First"
    assert Path(result["journal"]).name == "watson-P1-partner-piers-P2-python-First-4p-s1.jsonl"
    started = journal.read(Path(result["journal"]))[0]
    assert isinstance(started, GameStarted)
    assert [seat.graph for seat in started.seats] == [
        "watson",
        *result["graph"].split("+")[1:],
        "watson",
    ]


def test_other_tables_have_other_files(run: Run) -> None:
    names = {
        played(run, "--players", "2", "--graph", "watson", "--seat", f"{seat}=partner:{name}")[
            "journal"
        ]
        for seat, name in ((0, "iggi"), (1, "iggi"), (1, "outer"))
    }
    assert len(names) == 3


def test_a_table_may_be_of_partners_alone(run: Run) -> None:
    result = played(run, "--players", "2", "--seat", "0=partner:iggi", "--seat", "1=partner:outer")
    assert result["graph"] == "partner:iggi+partner:outer"
    assert Path(result["journal"]).name == "P0-partner-iggi-P1-partner-outer-2p-s1.jsonl"


def test_a_second_graph_has_a_seat_and_is_verified_too(run: Run) -> None:
    result = played(
        run, "--players", "2", "--graph", "watson", "--seat", "1=sherlock", "--set", "verify=safety"
    )
    started = journal.read(Path(result["journal"]))[0]
    assert isinstance(started, GameStarted) and result["graph"] == "watson-verify-safety+sherlock"
    assert all(seat.config and seat.config["verify"]["rule"] == "safety" for seat in started.seats)


def test_a_killed_game_goes_on_to_the_same_journal(run: Run, agents: None) -> None:
    table = (*MIXED, "--seat", "0=partner:random", "--players", "4", "--graph", "watson")
    path = Path(played(run, *table)["journal"])
    data = path.read_bytes()
    whole = journal.comparable(journal.read(path))
    for part in (0.3, 0.8):
        path.write_bytes(data[: int(len(data) * part)])
        assert Path(played(run, *table)["journal"]) == path
        assert journal.comparable(journal.read(path)) == whole
    assert played(run, *table, "--force-new")["journal"] != str(path)


def test_a_mixed_game_with_a_model_is_replayed_without_it(run: Run, endpoint: str) -> None:
    table = ("--players", "3", "--graph", "watson", "--seat", "1=partner:piers")
    result = played(run, *table, "--model", f"openai:fake@{endpoint}")
    again = played(run, *table, "--cache", "replay:games")
    assert result["calls"] and {**again, "journal": ""} == {**result, "journal": ""}


def test_a_mixed_game_is_drawn_and_told(run: Run, agents: None) -> None:
    code, out, _ = run("play", *MIXED, "--graph", "watson")
    assert code == 0 and "an agent from outside" in out
    path = next(Path("games").iterdir())
    assert "P1  partner:piers on program" in run("show", str(path))[1]
    assert "partner:piers on program" in run("show", str(path), "--turn", "2")[1]


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (["3=partner:piers"], "--seat '3=partner:piers': the seats of 3 players are 0 to 2"),
        (
            ["1=partner:piers", "1=partner:iggi"],
            "--seat '1=partner:iggi': seat 1 is taken by 'partner:piers'",
        ),
        (["partner:piers"], "is not N=SPEC, e.g. 1=partner:piers"),
        (["1=partner:moriarty"], "unknown partner 'moriarty'; known: random"),
        (
            ["1=python:no_such_module:Agent"],
            "the module 'no_such_module' cannot be imported: ModuleNotFoundError",
        ),
        (["1=python:seated_agents:Nobody"], "the module 'seated_agents' has no 'Nobody'"),
        (["1=python:seated_agents:nothing"], "python:seated_agents:nothing is no agent"),
        (["1=python:seated_agents"], "say python:module:object"),
        (["1=no_such_graph"], "unknown graph 'no_such_graph'"),
    ],
)
def test_a_seat_that_cannot_be_is_one_sentence(
    run: Run, agents: None, given: list[str], sentence: str
) -> None:
    code, out, err = run("play", *(part for one in given for part in ("--seat", one)))
    assert (code, out) == (2, "") and sentence in err and len(err.splitlines()) == 1
    assert not Path("games").exists()


def test_a_partner_for_other_counts_is_refused() -> None:
    four = Partner("four", seat_spec.read_seat("partner:random").rule, "a test", players=(4,))  # type: ignore[attr-defined]
    with pytest.raises(UserError, match="partner:four is for 4 players, not 3"):
        seat_spec.check(four, 3)


def test_an_agent_that_fails_fails_its_game(run: Run, agents: None) -> None:
    code, _, err = run("play", "--seat", "1=python:seated_agents:Broken")
    assert code == 1 and "turn 2: python:seated_agents:Broken raised KeyError: 'policy'" in err
