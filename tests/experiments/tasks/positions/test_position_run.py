"""A run of positions: only what a change reaches is asked, nothing is asked twice, and the same study is the same."""

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from hanabi_orchestrator.experiments.running.model_options import ModelOptions
from hanabi_orchestrator.experiments.running.runner import RunOptions
from hanabi_orchestrator.experiments.study import experiment as files
from hanabi_orchestrator.experiments.tasks.positions import (
    bank,
    cheat,
    decisions,
    position_report,
    position_run,
)
from hanabi_orchestrator.experiments.tasks.positions.study import read
from hanabi_orchestrator.experiments.tasks.positions.truth import truths
from hanabi_orchestrator.experiments.values.position import Position
from hanabi_orchestrator.graphs.config import checked
from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.hanabi.cards import INDEX
from hanabi_orchestrator.orchestrator.hanabi.moves import Play
from hanabi_orchestrator.orchestrator.journal.events import Call
from tests.conftest import Run
from tests.experiments.tasks.positions.conftest import asking, effect_of_arm, graph_file, ran

SIM = {"default": "sim:average"}


def asked(folder: Path, arm: str) -> list[Call]:
    journals = (
        decisions.read(folder, arm, path.stem)
        for path in (folder / "decisions" / arm).glob("*.jsonl")
    )
    return [call for found in journals for sample in found for call in sample.calls]


def tables(folder: Path) -> list[str]:
    return [
        path.read_text("utf-8")
        for path in position_report.write(position_report.read(folder), folder)
    ]


def said(report: position_report.Report) -> list[str]:
    return [part.text for part in position_report.words(report)]


@pytest.fixture(scope="module")
def simulated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sim") / "run"
    arms = [
        "removed",
        "placebo:tom_interpreter",
        "add.second={role: proposer, feeds: [aggregator]}",
    ]
    ran(folder, models=SIM, arms=arms, first=5)
    return folder


def test_one_call_stands_for_a_turn_of_four(simulated: Path) -> None:
    """A removed report asks the aggregator alone, for nobody else reads it."""

    def nodes(arm: str) -> set[str]:
        return {call.node.partition("-")[0] for call in asked(simulated, arm)}

    arms = ("noise-floor", "no-tom_interpreter", "placebo-tom_interpreter", "no-history_analyst")
    assert [nodes(arm) for arm in arms] == [{"aggregator"}] * 4
    assert nodes("with-second") == {"second", "aggregator"}
    report = position_report.read(simulated)
    effect = effect_of_arm(report.effects, "no-tom_interpreter")
    assert effect and effect.cost.calls == len(asked(simulated, "no-tom_interpreter")) >= 5
    assert effect.arm.floor == "noise-floor" and effect.floor is not None
    added = effect_of_arm(report.effects, "with-second")
    assert added and added.arm.floor == "noise-floor" and added.positions == 5
    assert any(
        line.startswith("second: With its note, which the graph had not before, ")
        for line in said(report)
    )


def test_the_same_study_from_run_yaml_gives_the_same_tables(
    simulated: Path, tmp_path: Path
) -> None:
    before = tables(simulated)
    again = tmp_path / "again"
    replayed = tmp_path / "replayed"
    shutil.copytree(
        simulated, tmp_path / "moved", ignore=shutil.ignore_patterns("decisions", "*.csv", "*.md")
    )
    position_run.run(files.read(tmp_path / "moved" / "run.yaml"), again)
    assert tables(again) == before
    position_run.run(
        files.read(tmp_path / "moved" / "run.yaml"),
        replayed,
        RunOptions(ModelOptions(replay=simulated)),
    )
    assert tables(replayed) == before
    texts = [
        {call.text for call in asked(folder, "noise-floor")} for folder in (simulated, replayed)
    ]
    assert texts[0] == texts[1]


def test_a_call_that_was_answered_before_a_kill_is_not_made_again(
    simulated: Path, tmp_path: Path
) -> None:
    shutil.copytree(simulated, tmp_path / "run")
    path = decisions.path_of(tmp_path / "run", "no-history_analyst", "p001")
    lines = path.read_text("utf-8").splitlines()
    last = max(n for n, line in enumerate(lines) if '"text": "' in line)
    path.write_text(
        "\n".join([*lines[:last], lines[last][:50]]), "utf-8"
    )  # killed within the last answer
    done = position_run.run(files.read(simulated / "run.yaml"), tmp_path / "run")
    assert done.before == done.total - 1
    before, after = (
        [line.partition('"turn"')[2] for line in one.splitlines() if '"text": "' in line]
        for one in ("\n".join(lines), path.read_text("utf-8"))
    )
    assert len(after) == len(before) and after[: len(before) - 1] == before[:-1]


def test_a_graph_of_other_notes_is_refused_until_they_are_made(tmp_path: Path) -> None:
    keys = {"graph": "moa_watson", "first": 5, "arms": ["shuffled:analyst", "placebo:analyst"]}
    with pytest.raises(
        UserError, match="notes of graph 'house', none of 'proposer' of graph 'moa_watson'"
    ):
        position_run.run(asking(**keys), tmp_path / "run")
    assert not (tmp_path / "run").exists()
    ran(tmp_path / "run", **keys, notes="fresh", models=SIM)
    base = {call.node for call in asked(tmp_path / "run", "full")}
    assert base >= {"proposer", "analyst", "discard_strategist", "aggregator"}
    assert {call.node.partition("-")[0] for call in asked(tmp_path / "run", "placebo-analyst")} == {
        "aggregator"
    }


def moves(folder: Path, arm: str) -> dict[str, str]:
    found = {
        path.stem: decisions.read(folder, arm, path.stem)
        for path in (folder / "decisions" / arm).iterdir()
    }
    return {name: str(one.decided.move) for name, (one,) in found.items() if one.decided}


def offered(folder: Path, arm: str) -> dict[str, tuple[list[str], bool]]:
    """The numbered moves in what the planner is asked first, and whether the list stands there as a report."""
    found = {
        path.stem: decisions.read(folder, arm, path.stem)
        for path in (folder / "decisions" / arm).iterdir()
    }
    first = {
        name: next(call for call in one.calls if call.node == "planner")
        for name, (one,) in found.items()
    }
    texts = {name: call.messages[-1].content for name, call in first.items()}
    return {
        n: (re.findall(r"^\d+: (\w+ .+)$", text, re.M), "## recommender" in text)
        for n, text in texts.items()
    }


def test_a_gate_offers_its_moves_alone_and_advice_leaves_all_moves(tmp_path: Path) -> None:
    keys = {"notes": "fresh", "models": SIM, "controls": {"noise_floor": False}, "first": 3}
    ran(tmp_path / "run", graph="tom_planner_0", arms=["advise:recommender", "gate"], **keys)
    places = {one.name: one for one in bank.read("program").positions}
    gated, advised = (
        offered(tmp_path / "run", arm) for arm in ("gate-recommender", "advise-recommender")
    )
    assert gated == offered(tmp_path / "run", "full") and len(gated) == 3
    for name, (moves, reported) in advised.items():
        legal = {str(move) for move in places[name].view.legal}
        few = gated[name]
        assert set(moves) == legal and reported
        assert 1 <= len(few[0]) <= 5 and set(few[0]) < legal and not few[1]


def test_a_colleague_who_chooses_is_a_gate_of_one_move(tmp_path: Path) -> None:
    ran(tmp_path / "run", graph="house_planner", arms=["gate:aggregator"], first=4)
    places = {one.name: one for one in bank.read("program").positions}
    chosen = {
        name: next(
            str(call.reply["action"])
            for call in places[name].calls
            if call.node == "aggregator" and call.reply
        )
        for name in moves(tmp_path / "run", "gate-aggregator")
    }
    assert len(chosen) == 4 and chosen == moves(tmp_path / "run", "gate-aggregator")


def test_the_status_counts_decisions(simulated: Path, run: Run) -> None:
    status = json.loads(run("experiment", "status", str(simulated), "--json")[1])
    assert (
        status["finished"] == status["games"] == 5 * len(list((simulated / "decisions").iterdir()))
    )


def test_nobody_who_is_asked_honestly_reads_the_truth(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(cheat, "truths", lambda path: pytest.fail("the truth is read"))
    arms = ["removed", "exact", "placebo", "shuffled", "permuted", "same_compute", "noise_floor"]
    ran(tmp_path / "run", arms=arms, first=2)
    position_report.read(tmp_path / "run")


def test_the_cheating_arm_is_told_the_own_hand_and_valued_by_it(house_run: Path) -> None:
    truth = truths(bank.path_of("program"))
    sure = 0
    for position in bank.read("program").positions[:20]:
        told = cheat.view(position, truth)
        assert [f"{card.colour}{card.rank}" for card in told.own] == list(truth[position.name].own)
        assert told == position.view.model_copy(update={"own": told.own}), "nothing else is told"
        values = cheat.values(position, Position(position.view, position.memory).scene, truth)
        plays = {move.slot: value for move, value in values.items() if isinstance(move, Play)}
        playable = position.view.piles.playable
        hand = truth[position.name].own
        fits = [slot for slot, card in enumerate(hand) if playable >> INDEX[card] & 1]
        sure += len(fits)
        assert all(
            plays[slot] > max((plays[n] for n in plays if n not in fits), default=-9.0)
            for slot in fits
        )
    assert sure > 5
    report = position_report.read(house_run)
    arms = position_report.arm_table(report)
    (look,) = (
        look
        for row, look in zip(arms.texts(), arms.looks, strict=True)
        if row[0].endswith("(cheats)")
    )
    assert look == "no model"
    assert any(
        "cheats: it is told the own hand" in part.text for part in position_report.words(report)
    )


@pytest.mark.parametrize(
    ("arms", "said"),
    [
        ("remvoed", "did you mean 'removed'"),
        ("removed:analyst", "no node 'analyst'"),
        ("removed:aggregator", "'aggregator'"),
        ("perturbed:tom_interpreter@2", "the rate of errors is '2'"),
        ("model:tom_interpreter", "give it a value, e.g. model:analyst@openai:NAME"),
        ("exact@program", "it takes no value"),
        ("noise_floor:tom_interpreter", "noise_floor is about no node"),
        ("removed,removed:tom_interpreter", "two arms are called 'no-tom_interpreter'"),
        (
            "advise:tom_interpreter",
            "node 'tom_interpreter' lists no moves; it is for a recommender",
        ),
        (
            "gate",
            "no colleague of 'aggregator' lists moves in graph 'house'; gate is for a recommender, or",
        ),
        ("added:tom_interpreter", "graph 'house' has a node 'tom_interpreter' already"),
        ("own_hand:discard_strategist", "own_hand is about no node"),
    ],
)
def test_an_arm_that_cannot_be_is_said_in_a_sentence(
    arms: str, said: str, run: Run, tmp_path: Path
) -> None:
    command = ("evaluate", "positions", "program", "--first", "1", "--out", str(tmp_path / "run"))
    code, _, err = run(*command, "--arms", arms)
    assert code == 2 and said in err and "Traceback" not in err


def test_latex_has_every_table_of_a_run_of_positions(house_run: Path, run: Run) -> None:
    code, out, _ = run("report", str(house_run), "--latex")
    report = position_report.read(house_run)
    tex = (house_run / "arms.tex").read_text("utf-8")
    assert code == 0 and "arms.tex" in out
    bodies = re.findall(r"\\toprule\n(.*?)\\bottomrule", tex, re.DOTALL)
    for table, body in zip(
        (position_report.arm_table(report), position_report.kind_table(report)), bodies, strict=True
    ):
        shown = table.printed()
        cells = [len(re.split(r"(?<!\\)&", line)) for line in body.splitlines() if "&" in line]
        assert shown and cells == [len(shown.columns)] * (1 + len(table.rows))
    assert "notes are those of program games: no language model wrote them" in tex and all(
        ord(sign) < 128 for sign in tex
    )
    assert "cheats" in tex


def test_commands_say_what_a_bank_holds(run: Run, tmp_path: Path) -> None:
    assert "120" in run("list", "positions")[1]
    code, out, _ = run("evaluate", "show", "program")
    assert code == 0 and "made by   orchestrator evaluate build" in out
    code, out, _ = run("evaluate", "show", "program", "p007")
    assert code == 0 and '"view"' in out and '"deck"' not in out
    assert run("evaluate", "show", "program", "p999")[0] == 2
    assert run("evaluate", "build", str(tmp_path), "--out", str(tmp_path / "b.txt"))[0] == 2


def decorated() -> Iterator[dict[str, object]]:
    """A node whose report the deciding program does not use."""
    nodes = {
        "chatter": {"role": "first_order"},
        "proposer": {"role": "proposer", "reads": ["chatter"]},
    }
    yield {"name": "decorated", "context": "house", "nodes": nodes, "decides": "proposer"}


def test_a_graph_of_ones_own_is_kept_in_the_record(tmp_path: Path) -> None:
    (graph,) = decorated()
    ran(
        tmp_path / "run",
        graph=graph_file(tmp_path, graph),
        notes="fresh",
        arms=["removed"],
        first=2,
    )
    assert read(tmp_path / "run").baseline.everybody.config == checked(graph, "decorated")


def test_a_dry_run_counts_the_calls_of_each_arm_and_asks_nothing(run: Run) -> None:
    Path("priced.yaml").write_text(
        "model: openai:m@http://127.0.0.1:9/v1\nprice: {input: 1, output: 4}\n", "utf-8"
    )
    study = (
        "evaluate",
        "positions",
        "program",
        "--first",
        "12",
        "--arms",
        "removed:tom_interpreter",
        "--dry-run",
        "--json",
    )
    told = json.loads(run(*study, "--model", "priced.yaml", "--samples", "2")[1])
    arms = {arm["arm"]: arm for arm in told["arms"]}
    assert {name: arm["calls"] for name, arm in arms.items()} == dict.fromkeys(
        ("full", "noise-floor", "no-tom_interpreter"), 24
    )
    assert arms["no-tom_interpreter"]["tokens_in"] < arms["full"]["tokens_in"]
    assert told["usd"] == pytest.approx(
        (told["tokens_in"] + 4 * told["tokens_out"]) / 1e6, rel=1e-3
    )
    fresh = json.loads(run(*study, "--model", "priced.yaml", "--notes", "fresh")[1])
    without_discard = 4  # positions in which the strategist has nothing to say
    assert fresh["arms"][0]["calls"] == 4 * 12 - without_discard and not Path("runs").exists()
