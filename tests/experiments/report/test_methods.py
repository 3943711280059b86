"""What a paper takes from a report: the methods paragraph, run.yaml's facts, and tokens and money by role."""

import csv
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from hanabi_orchestrator import graphs
from hanabi_orchestrator.experiments.record import run_folder
from hanabi_orchestrator.experiments.record import software as software_of_run
from hanabi_orchestrator.experiments.record.game import Game
from hanabi_orchestrator.experiments.report import methods, run_facts, run_report, usage_table
from hanabi_orchestrator.experiments.report.answerers import RoleUsage, read_asked
from hanabi_orchestrator.experiments.report.figures import drawing
from hanabi_orchestrator.experiments.report.run_data import run_data
from hanabi_orchestrator.experiments.study import experiment
from hanabi_orchestrator.experiments.tasks.games.experiment_run import run as run_experiment
from hanabi_orchestrator.orchestrator.journal import Journal
from hanabi_orchestrator.orchestrator.journal.events import Call, Event
from hanabi_orchestrator.orchestrator.journal.totals import Ledger
from hanabi_orchestrator.orchestrator.models.request import Scripted
from hanabi_orchestrator.orchestrator.models.settings import PROGRAM
from hanabi_orchestrator.orchestrator.table.game_loop import play
from tests.support.reports import BASE, BETTER, KEPT, data, games

STUDY = """
name: small
graph: sherlock
players: 2
seeds: 2
arms: {full: {}, piers: {graph: "partner:piers"}}
baseline: full
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished run of programs with its report."""
    place = tmp_path_factory.mktemp("methods")
    (place / "small.yaml").write_text(STUDY, "utf-8")
    done = run_experiment(experiment.read(str(place / "small.yaml")), place / "run")
    with pytest.MonkeyPatch.context() as few:
        few.setattr(drawing, "draw", lambda data, png: ([], []))
        run_report.write(done.plan.folder, peeked=done.games, png=False, marks=False)
    return place / "run"


def of_run(folder: Path) -> dict[str, Any]:
    return dict(yaml.safe_load((folder / "run.yaml").read_text("utf-8")))


def test_run_yaml_states_what_the_paragraph_says(folder: Path) -> None:
    facts = of_run(folder)["methods"]
    text = (folder / "report.md").read_text("utf-8")
    paragraph = text.partition("### Methods\n\n")[2].partition("\n\n")[0]
    stamps = [
        json.loads(line)["t"]
        for path in folder.glob("games/*/*.jsonl")
        for line in path.read_text().splitlines()
    ]
    assert (facts["first_game"][:19], facts["last_game"][:19]) == (
        min(stamps)[:19],
        max(stamps)[:19],
    )
    assert facts["played_by"] == of_run(folder)["software"] == [dict(software_of_run.software())]
    assert facts["planned_games"] == 4 == facts["games"]
    assert facts["models"] == {"program": []}
    for word in (
        facts["first_game"][:10],
        *facts["analysed_by"].values(),
        facts["test"],
        "Planned: 2 arms on 2 deals, 2 players (",
    ):
        assert str(word).removesuffix("-dirty") in paragraph, word
    assert (
        f"sherlock {facts['prompts']['sherlock']}" in paragraph and "Models: programs." in paragraph
    )
    assert paragraph.endswith("No game was excluded.")


def test_the_same_command_again_keeps_the_facts_of_run_yaml(folder: Path) -> None:
    before = (folder / "run.yaml").read_text("utf-8")
    run_experiment(experiment.read(str(folder.parent / "small.yaml")), folder)
    assert (folder / "run.yaml").read_text("utf-8") == before


def test_a_run_that_goes_on_with_other_software_states_both(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from hanabi_orchestrator.experiments.study import manifest

    before = of_run(folder)
    monkeypatch.setattr(
        manifest, "software", lambda: {"program": "p 2", "python": "4", "system": "s"}
    )
    merged = manifest._merged(before, {**before, "labels": {}})
    assert [each["program"] for each in merged["software"]] == [
        before["software"][0]["program"],
        "p 2",
    ]
    run = {**before, "software": merged["software"]}
    rows = run_folder.read_rows(folder)
    assert ", then by p 2 under Python 4 on s." in methods.paragraph(run_data(folder, rows, run))


def test_an_extended_run_states_every_planned_size(folder: Path) -> None:
    size = {
        "deals": 6,
        "players": [2],
        "repeats": 1,
        "arms": ["full", "piers"],
        "date": "2026-01-01T00:00:00+00:00",
    }
    later = {**size, "deals": 12, "repeats": 2, "date": "2026-01-03T00:00:00+00:00", "finished": 6}
    made = run_data(
        folder, run_folder.read_rows(folder), {**of_run(folder), "planned": [size, later]}
    )
    first = "2 arms on 6 deals, 2 players (2026-01-01)"
    second = "2 arms on 12 deals, each 2 times, 2 players"
    assert (
        f"Planned: {first}; then {second} (2026-01-03, when 6 deals were finished)."
        in methods.paragraph(made)
    )
    assert methods.stated(made)["planned"] == [size, later]


def test_what_is_excluded_is_said(tmp_path: Path) -> None:
    rows = [*games("base", BASE), *games("better", BETTER[:-1])]
    run = {
        **KEPT,
        "players": [2],
        "seeds": list(range(1, len(BASE) + 1)),
        "arms": {"base": {"players": [2]}, "better": {"players": [2]}},
    }
    run_folder.write_failures(tmp_path, {f"better/2p-s{len(BASE)}-r1": "ValueError: no"}, ())
    made = data(tmp_path, rows, run)
    said = " ".join(methods.exclusions(made))
    assert f"1 of {2 * len(BASE)} games failed" in said
    assert (
        "better: 1 game without a counterpart of the same deal, left out of its difference." in said
    )
    assert methods.paragraph(made).endswith(f"Excluded: {said}")


def test_models_are_marked_and_no_test_is_claimed_where_none_was_made(
    tmp_path: Path,
) -> None:
    rows = [
        replace(row, model=f"sim:average+openai:fake@x+{PROGRAM}", fake=True)
        for row in games("base", BASE[:1])
    ]
    paragraph = methods.paragraph(data(tmp_path, [*rows, *games("better", BETTER[:1])], KEPT))
    assert (
        "Models: sim:average (simulated); openai:fake@x (fake server); programs; m. " in paragraph
    )
    assert "by the metric *kept*. No test was made. " in paragraph and "Holm" not in paragraph


def test_settings_that_say_nothing_are_not_listed() -> None:
    model: dict[str, Any] = {
        "model": "openai:x",
        "extra_body": {},
        "made_with": "",
        "trained_on": None,
        "tools": [],
        "temperature": 0,
    }
    assert run_facts._settings(model) == ("openai:x", "temperature 0")


# Where the program came from


def test_a_checkout_states_its_commit_and_an_installed_package_its_files(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Installed:
        def __init__(self, **texts: str) -> None:
            self.texts = texts

        def read_text(self, name: str) -> str | None:
            return self.texts.get(name.partition(".")[0])

    def source(**texts: str) -> dict[str, str]:
        monkeypatch.setattr(software_of_run, "distribution", lambda name: Installed(**texts))
        return software_of_run._source()

    monkeypatch.setattr(Path, "exists", lambda path: False)
    assert source(direct_url='{"vcs_info": {"commit_id": "abc"}}') == {"commit": "abc"}
    assert source(RECORD="a,b") != source(RECORD="a,c") and len(source(RECORD="a,b")["wheel"]) == 64
    assert source(RECORD="a,b", direct_url='{"dir_info": {"editable": true}}') == source() == {}


# Tokens and money by role


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A journal of four turns in which a model is asked, with the calls' tokens, prices and cache hits set."""
    path = tmp_path_factory.mktemp("asked") / "games" / "full" / "2p-s1-r1.jsonl"
    path.parent.mkdir(parents=True)
    events: list[Event] = []
    play(graphs.seat("cac", Scripted({})), players=2, seed=1, sink=events.append, max_turns=4)
    with Journal(path) as journal:
        for number, event in enumerate(events):
            if isinstance(event, Call):
                sizes = {
                    "tokens_in": 100 + number,
                    "tokens_out": 7,
                    "cached_tokens": 3,
                    "reasoning_tokens": 2,
                }
                event = event.model_copy(update={**sizes, "usd": 0.5, "cached": number % 3 == 0})
            journal(event)
    return path


def test_usage_by_role_is_that_of_the_calls(asked: Path) -> None:
    rows = [replace(games("full", [9])[0], journal="games/full/2p-s1-r1.jsonl", calls=1)]
    usage = read_asked(asked.parents[2], rows).usage
    calls = [
        event for event in Game.open(asked).events if isinstance(event, Call) and event.of_model
    ]
    assert {role for _, role, _ in usage} == {call.role for call in calls} and len(usage) > 1
    for (arm, role, model), found in usage.items():
        answered = [
            call
            for call in calls
            if (call.role, call.model) == (role, model) and call.text is not None
        ]
        paid = [call for call in answered if call.paid]
        assert arm == "full" and found == RoleUsage(
            calls=len(answered),
            paid=len(paid),
            tokens_in=sum(call.tokens_in for call in paid),
            tokens_out=7 * len(paid),
            cached_tokens=3 * len(paid),
            reasoning_tokens=2 * len(paid),
            usd=0.5 * len(paid),
        )
    assert any(0 < found.paid < found.calls for found in usage.values()), (
        "some answers came from the cache"
    )
    ledger = Ledger()
    for call in calls:
        ledger(call)
    assert sum(found.tokens_in for found in usage.values()) == ledger.stated["tokens_in"], (
        "as in results.csv"
    )
    assert sum(found.calls for found in usage.values()) == ledger.stated["calls"]
    assert sum(found.usd or 0 for found in usage.values()) == ledger.stated["usd"]


def test_the_table_is_written_with_shares_and_unknown_prices_stay_empty(
    folder: Path, tmp_path: Path
) -> None:
    made = data(tmp_path, [*games("base", BASE), *games("better", BETTER)], KEPT)
    usage = {
        ("base", "a", "openai:x"): RoleUsage(10, 10, 100, 50, 20, 5, 3.0),
        ("base", "b", "openai:y"): RoleUsage(5, 5, 10, 40, 0, 0, 1.0),
        ("better", "a", "openai:x"): RoleUsage(4, 2, 60, 20, 0, 0, None),
        ("better", "b", "openai:y"): RoleUsage(1, 1, 10, 10, 0, 0, 1.0),
    }
    made.asked.usage.update(usage)
    usage_table.write(tmp_path, usage_table.table(made))
    with (tmp_path / usage_table.USAGE).open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    shares = {
        (row["arm"], row["role"]): (row["usd"], round(float(row["share"]), 3)) for row in rows
    }
    assert shares["base", "a"] == ("3.0", 0.75) and shares["base", "b"] == ("1.0", 0.25)
    assert shares["better", "a"] == ("", 0.8) and shares["better", "b"] == ("1.0", 0.2)
    assert not (folder / usage_table.USAGE).exists()
