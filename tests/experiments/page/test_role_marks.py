"""The page's marks of roles: beside each answer of a finished game, and none while a game is going."""

from pathlib import Path

from hanabi_orchestrator import graphs
from hanabi_orchestrator.experiments.page.bundle import Bundle
from hanabi_orchestrator.experiments.page.library import Library
from hanabi_orchestrator.experiments.report.turn_marks import quality
from hanabi_orchestrator.experiments.values.role_mark import RoleMark
from hanabi_orchestrator.orchestrator.journal import Journal
from hanabi_orchestrator.orchestrator.table.game_loop import play
from hanabi_orchestrator.roles.marks import MarkInfo
from tests.experiments.page.conftest import client


def test_answers_of_a_finished_game_have_marks_and_a_game_that_goes_on_has_none(
    tmp_path: Path,
) -> None:
    path = tmp_path / "one.jsonl"
    with Journal(path) as sink:
        play(graphs.seat("house", "sim:careless"), players=2, seed=1, sink=sink, max_turns=3)
    page = client(tmp_path)
    told = page.get("/api/marks?id=one&turn=2").json()
    assert told["ready"] and {one["node"] for one in told["marks"]} >= {
        "aggregator",
        "discard_strategist",
    }
    regret = next(one for one in told["marks"] if one["name"] == "regret")
    assert (
        regret["says"]
        and regret["best"] == 0
        and "program" in regret["baselines"]
        and regret["good"] in (True, False)
    )
    assert page.get("/api/marks?id=one&turn=9").status_code != 200
    bundle = Bundle(Library.open(tmp_path))
    assert "marks?turn=2" not in bundle.game("one"), (
        "a copy has the marks that were computed before"
    )
    bundle.api.ask("marks", id="one", turn="1")
    assert bundle.game("one")["marks?turn=2"] == told
    lines = path.read_text("utf-8").splitlines(keepends=True)
    path.write_text("".join(lines[:-1]), "utf-8")
    waiting = client(tmp_path).get("/api/marks?id=one&turn=2").json()
    assert (
        not waiting["ready"]
        and waiting["marks"] == []
        and "until the game has ended" in waiting["why"]
    )


def test_a_mark_is_good_at_its_best_value_or_where_its_program_is_no_better() -> None:
    share = MarkInfo("share", "A share.", "share", 1.0)
    loss = MarkInfo("loss", "A loss.", "points", 0.0, higher=False)

    def stands(info: MarkInfo | None, value: float, **baselines: float) -> tuple[bool | None, str]:
        where = {"turn": 1, "seat": 0, "node": "n", "role": "r", "model": "m", "sample": 0}
        return quality(
            RoleMark.model_validate({**where, "name": "x", "value": value, "baselines": baselines}),
            info,
        )

    assert stands(share, 1.0, program=1.0) == (True, "best value")
    assert stands(share, 0.5, program=0.6, uniform=0.1) == (False, "worse than its program")
    assert stands(loss, 0.5, program=0.6) == (True, "better than its program")
    assert stands(loss, 0.5, program=0.5) == (True, "equals its program")
    assert stands(loss, 0.5, uniform=0.4) == (False, "worse than a uniform guess")
    assert stands(loss, 0.5) == (None, "") == stands(None, 1.0, program=0.0)
