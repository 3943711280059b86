"""What a stopped run says of the arms that it leaves out."""

from types import SimpleNamespace
from typing import cast

from hanabi_orchestrator.experiments.cli.run_summary import so_far
from hanabi_orchestrator.experiments.tasks.games.experiment_run import ExperimentDone


def stopped(left: int) -> list[str]:
    """The sentences of a run of four arms, one of them void, of which one has games."""
    arms = [
        SimpleNamespace(name=name, players=players)
        for name, players in (("full", (2,)), ("a", (2,)), ("b", (2,)))
    ]
    plan = SimpleNamespace(arms=[*arms, SimpleNamespace(name="void", players=())])
    rows = (SimpleNamespace(arm="full"),)
    done = SimpleNamespace(status=SimpleNamespace(answers=0), rows=rows, left=left, plan=plan)
    return list(so_far(cast(ExperimentDone, done)))


def test_a_stopped_run_names_the_arms_without_a_game() -> None:
    assert stopped(4) == [
        "No game of these arms is finished yet, so nothing is said of them: a, b."
    ]
    assert stopped(0) == []
