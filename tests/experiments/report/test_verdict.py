"""The verdict of a report, on made-up games: what its sentences say of an arm, and that it fits on a screen."""

from io import StringIO
from pathlib import Path

import yaml
from rich.console import Console

from hanabi_orchestrator.experiments.analysis import sentence_templates as say
from hanabi_orchestrator.experiments.analysis.role_marks import MarkedGame
from hanabi_orchestrator.experiments.document import terminal
from hanabi_orchestrator.experiments.record import run_folder
from hanabi_orchestrator.experiments.report import arm_graphs, verdict
from hanabi_orchestrator.experiments.report.marked_run import MarkedRun
from hanabi_orchestrator.experiments.study import experiment, manifest
from hanabi_orchestrator.experiments.study.plan import Plan
from hanabi_orchestrator.experiments.values.move_values import Kind
from tests.support.reports import data, game, games, report, text
from tests.support.sentences import template_of


def test_a_swap_of_graphs_is_said_to_change_more_than_roles(tmp_path: Path) -> None:
    others = ["cac", "sherlock", "watson", "mycroft"]
    arms = {
        "house": {},
        "house-solo": {"without": ["tom_interpreter"]},
        **{name: {"graph": name} for name in others},
    }
    study = {
        "name": "swap",
        "graph": "house",
        "players": [2],
        "seeds": [1],
        "arms": arms,
        "baseline": "house",
    }
    manifest.write(Plan.resolve(experiment.parse(yaml.safe_dump(study)), tmp_path))
    run = run_folder.run(tmp_path)
    assert not list(arm_graphs.sentences(run, ["house-solo"])), (
        "a removal changes what the arm is about"
    )
    assert arm_graphs.removed(run) == {"house-solo": ["tom_interpreter"]}
    assert arm_graphs.unnamed(run) == {"house-solo": "it lacks tom_interpreter"}
    (one,) = arm_graphs.sentences(run, ["cac", "house-solo"])
    assert one == (
        "cac and house differ in more than their roles: verifier (cac: the role self_verifier, house: the safety "
        "rule), context (cac: cac, house: house) and calls a turn (cac: 3, house: 4)."
    )
    (apart,) = arm_graphs.sentences(
        {
            **run,
            "seats": {**run["seats"], "p": {"spec": "partner:piers"}},
            "arms": {**run["arms"], "piers": {"everybody": "p", "players": [2]}},
        },
        ["piers"],
    )
    assert (
        apart
        == "piers differ from house in more than their roles: what plays there is no graph file."
    )
    assert template_of(apart) is not None
    (many,) = arm_graphs.sentences(run, others)
    assert many == (
        "4 arms and house differ in more than their roles: verifier, context and calls a turn; the report's table of "
        "seats lists them."
    )
    assert template_of(one) is template_of(many) is not None


def test_the_sentence_of_an_arm_names_what_its_name_does_not(tmp_path: Path) -> None:
    changes = {
        "without": ["history_analyst", "tom_interpreter"],
        "without_sections": ["convention_facts"],
    }
    arms = {
        "full": {},
        "no-theory-of-mind": changes,
        "no-history-and-interpreter": {"without": changes["without"]},
    }
    study = {
        "name": "tom",
        "graph": "house",
        "players": [2],
        "seeds": 8,
        "arms": arms,
        "baseline": "full",
    }
    manifest.write(Plan.resolve(experiment.parse(yaml.safe_dump(study)), tmp_path))
    played = [
        game(arm, seed, 20 - 3 * (arm != "full") - seed % 2) for arm in arms for seed in range(1, 9)
    ]
    found = data(tmp_path, played, run_folder.run(tmp_path))
    said = {each.split()[0]: each for each in verdict.sentences(found, None)}
    clause = "; it lacks history_analyst, tom_interpreter and section convention_facts."
    assert said["no-theory-of-mind"].endswith(clause) and all(map(template_of, said.values()))
    assert "lacks" not in said["no-history-and-interpreter"]
    page = text(report(tmp_path / "page", played, dict(found.run)))
    assert page.count("no-theory-of-mind scores") == 1, (
        "the sentence does not stand there again without its clause"
    )


def test_a_verdict_on_eight_arms_fits_on_a_screen(tmp_path: Path) -> None:
    others = ["cac", "cac_no_tom", "sherlock", "watson", "mycroft", "spin_bench", "best_of_k"]
    arms = {"house": {}, **{name: {"graph": name} for name in others}}
    study = {
        "name": "swap",
        "graph": "house",
        "players": [2],
        "seeds": 12,
        "arms": arms,
        "baseline": "house",
    }
    manifest.write(Plan.resolve(experiment.parse(yaml.safe_dump(study)), tmp_path))
    played = [
        game(arm, seed, 9 + seed % 5, lost=arm != "house") for arm in arms for seed in range(1, 13)
    ]
    faults: dict[bool, dict[Kind, int]] = {True: {"missed_play": 1}, False: {"missed_play": 9}}
    marked = [MarkedGame(row, {}, (), faults[row.arm == "house"], {}, None) for row in played]
    found = data(tmp_path, played, run_folder.run(tmp_path))
    screen = StringIO()
    blocks = verdict.blocks(found, MarkedRun(found, tuple(marked)))
    terminal.show(blocks, Console(file=screen, width=terminal.UNBROKEN))
    _, *said = screen.getvalue().split("\n\n")[0].splitlines()
    assert all(map(template_of, said)) and len(said) == len(others) + 2
    assert len(screen.getvalue().splitlines()) <= 25 - 3, (
        "after them an empty line, the report and the results"
    )


def test_a_verdict_says_where_the_baseline_leaves_no_room(tmp_path: Path) -> None:
    run = {
        "name": "strong",
        "baseline": "base",
        "metric": "kept",
        "players": [2],
        "seeds": [*range(1, 9)],
    }
    near = [25, 24, 25, 24, 25, 25, 24, 25]
    same = [24, 25, 24, 25, 24, 25, 25, 22]
    strong = data(tmp_path, [*games("base", near), *games("less", same)], run)
    (room,) = [each for each in verdict.sentences(strong, None) if "What has room" in each]
    assert room.startswith("base scores 24.62 of 25 in 8 games, so no arm can score ")
    assert template_of(room) is say.ROOM
    weak = data(
        tmp_path, [*games("base", [12, 9, 15, 11, 8, 13, 10, 14]), *games("less", same)], run
    )
    assert not [each for each in verdict.sentences(weak, None) if "What has room" in each]
