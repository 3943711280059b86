"""Runs of probes: a journal each, asked once, continued after every stop, and reported for what they are."""

import json
from pathlib import Path

import pytest
import yaml

from hanabi_orchestrator.experiments.analysis.statistics.clusters import ratio_interval
from hanabi_orchestrator.experiments.analysis.statistics.estimates import wilson
from hanabi_orchestrator.experiments.document.blocks import Table
from hanabi_orchestrator.experiments.running.runner import Done
from hanabi_orchestrator.experiments.tasks.probes import bank, probe_report, probe_run
from hanabi_orchestrator.experiments.tasks.probes.convention import LITERAL
from hanabi_orchestrator.experiments.tasks.probes.probe import Probe
from hanabi_orchestrator.orchestrator.errors import ModelError, UserError
from hanabi_orchestrator.orchestrator.hanabi.view import View
from hanabi_orchestrator.orchestrator.journal.events import Memory
from hanabi_orchestrator.orchestrator.table.seat import Decision
from tests.conftest import Run


@pytest.fixture(scope="module")
def probes() -> list[Probe]:
    return bank.probes(["hgroup_1"], ["chop", "focus-chop"], [2, 3], 2)


class Answering:
    """A seat that gives a right answer to all probes but some, and fails when it is told to."""

    def __init__(self, probes: list[Probe], wrong: int = 0, fails_at: int | None = None) -> None:
        self.by_view = {one.view: (one, n < wrong) for n, one in enumerate(probes)}
        self.asked = 0
        self.fails_at = fails_at

    async def __call__(self, view: View, memory: Memory, /) -> Decision:
        self.asked += 1
        if self.asked == self.fails_at:
            raise ModelError("the server is gone")
        probe, wrong = self.by_view[view]
        other = next(move for move in view.legal if move not in probe.answers)
        return Decision(other if wrong else probe.answers[0], "because")


def asked(probes: list[Probe], seat: Answering, folder: Path) -> Done:
    return probe_run.run(probes, seat, folder, seed=1)


def test_figures_are_counts_with_intervals(tmp_path: Path, probes: list[Probe]) -> None:
    asked(probes, Answering(probes, wrong=1), tmp_path)
    chop, save, whole = probe_report.scores(probe_report.run_of(tmp_path))
    assert (chop.convention, chop.kept, chop.probes) == ("chop", 3, 4) and (
        save.kept,
        whole.kept,
    ) == (4, 7)
    assert chop.interval == pytest.approx((0.3006, 0.9544), abs=5e-4)  # Wilson's of 3 in 4
    assert chop.chance == pytest.approx(sum(one.chance for one in probes[:4]) / 4)
    assert next(one for one in chop.others if one.name == LITERAL).keeps == 0
    table, *_ = probe_report.blocks(probe_report.read([tmp_path]))
    assert isinstance(table, Table) and table.texts()[0][:4] == [
        "hgroup_1",
        "chop",
        "4",
        "75% (30–95)",
    ]
    assert whole.decks <= whole.probes and whole.interval[0] < 7 / 8 < whole.interval[1]


def test_the_interval_over_decks_widens_where_their_probes_agree() -> None:
    alone = ratio_interval([[True]] * 15 + [[False]] * 5)
    agreeing = ratio_interval([[True] * 4] * 15 + [[False] * 4] * 5)
    assert alone == pytest.approx(agreeing), "four equal probes of a deck are worth one"
    assert ratio_interval([[True, True]] * 3) == wilson(3, 3)


def test_a_folder_belongs_to_one_player(tmp_path: Path, run: Run) -> None:
    few = ("--convention", "chop", "--players", "2", "--per", "1", "--out", str(tmp_path / "run"))
    words = ("evaluate", "probes", *few)
    code, out, _ = run(*words, "iggi", "--json")
    told = json.loads(out)
    assert (
        code == 0
        and told["conventions"][0]["share"] == 0
        and told["conventions"][0]["answered_by"] == "program"
    )
    assert (
        yaml.safe_load((tmp_path / "run" / "probes.yaml").read_text())["seat"]["graph"]
        == "partner:iggi"
    )
    status = json.loads(run("experiment", "status", str(tmp_path / "run"), "--json")[1])
    assert (status["finished"], status["games"], status["things"]) == (1, 1, "probes")
    code, out, err = run(*words, "smart")
    assert code == 2 and "holds a run with another seat: graph 'partner:iggi'" in err
    code, out, _ = run("show", str(tmp_path / "run" / "games" / "newest" / "chop-2p-1.jsonl"))
    assert code == 0 and "a move of the probe's story" in out and "partner:iggi" in out


def test_bad_commands_say_what_would_be_right(tmp_path: Path, run: Run) -> None:
    for words, said in (
        (("probes", "smrt"), "did you mean 'partner:smart'"),
        (
            ("probes", "smart", "--model", "program"),
            "--model is for graphs, and partner:smart is none",
        ),
        (("probes", "person"), "a person answers no probes"),
        (("show", "chop"), "is not the name of a probe"),
    ):
        code, _, err = run("evaluate", *words)
        assert code == 2 and said in err, words


def test_a_simulated_model_and_an_untold_pack_are_named(tmp_path: Path, run: Run) -> None:
    more = ("--pack", "hgroup_1", "--convention", "chop", "--players", "2", "--per", "1", "--json")
    code, out, _ = run(
        "evaluate", "probes", "house", "--model", "sim:average", *more, "--out", str(tmp_path / "a")
    )
    notes = " ".join(json.loads(out)["notes"])
    assert (
        code == 0
        and "no language model" in notes
        and "the graph tells newest, so its probes of hgroup_1" in notes
    )
    told = ("--set", "options.conventions=hgroup_1")
    code, out, _ = run(
        "evaluate",
        "probes",
        "house",
        "--model",
        "sim:average",
        *more,
        *told,
        "--out",
        str(tmp_path / "b"),
    )
    assert code == 0 and "without being told" not in " ".join(json.loads(out)["notes"])


def test_a_refused_run_of_another_kind_is_no_game(tmp_path: Path, probes: list[Probe]) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(UserError, match=r"holds other files, and no probes\.yaml"):
        asked(probes, Answering(probes), tmp_path)


def test_a_dry_run_counts_the_calls_and_asks_nothing(run: Run) -> None:
    probes = ("evaluate", "probes", "cac", "--players", "2", "--per", "1", "--dry-run", "--json")
    code, out, err = run(
        *probes, "--model", "openai:m@http://127.0.0.1:9/v1", "--max-tokens", "100"
    )
    told = json.loads(out)
    number = told["arms"][0]["probes"]
    assert (
        code == 0
        and 2 * number < told["calls"] <= 3 * number
        and told["tokens_out"] == 100 * told["calls"]
    ), err
    assert json.loads(run(*probes)[1])["calls"] == 0 and not Path("runs").exists()
