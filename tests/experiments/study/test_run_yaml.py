"""The run.yaml of a run: what it holds, and that the run is played again by it."""

import asyncio
import re
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import yaml

from hanabi_orchestrator.experiments.record import rows
from hanabi_orchestrator.experiments.study import experiment, manifest
from hanabi_orchestrator.experiments.study.plan import Plan
from hanabi_orchestrator.experiments.study.seats import Seats
from hanabi_orchestrator.experiments.tasks.games.experiment_run import GameTask
from hanabi_orchestrator.experiments.tasks.games.experiment_run import run as run_experiment
from hanabi_orchestrator.graphs import named as library
from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.journal.events import nowhere
from hanabi_orchestrator.orchestrator.journal.recorded_answers import Recording, Replay
from hanabi_orchestrator.orchestrator.models.layer import ModelLayer
from hanabi_orchestrator.orchestrator.table.game_loop import OpenGate
from tests.support.experiments import NOWHERE, asked


def rerun(folder: Path, *changes: str) -> experiment.Experiment:
    return experiment.read(folder / "run.yaml", changes)


def csv_of(folder: Path) -> bytes:
    return (folder / "results.csv").read_bytes()


def edited(folder: Path, change: Any) -> Path:
    path = folder / "run.yaml"
    data = yaml.safe_load(path.read_text("utf-8"))
    change(data)
    path.write_text(yaml.safe_dump(data), "utf-8")
    return folder


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of a user's graph, whose file is another afterwards."""
    home = tmp_path_factory.mktemp("played")
    graph = home / "mine.yaml"
    graph.write_text(library.graphs()["moa_watson"].text, "utf-8")
    keys = {
        "graph": str(graph),
        "players": [2, 3],
        "seeds": [2],
        "arms": "leave_one_out",
        "baseline": "full",
    }
    run_experiment(asked(**keys, journals="lean", seats={1: "partner:iggi"}), home / "run")
    graph.write_text(library.graphs()["watson"].text, "utf-8")
    return home / "run"


def test_a_run_is_played_again_by_what_its_run_yaml_holds(played: Path, tmp_path: Path) -> None:
    done = run_experiment(rerun(played), tmp_path / "again")
    assert not done.failed and csv_of(tmp_path / "again") == csv_of(played)
    assert done.plan.notes == Plan.resolve(rerun(played), NOWHERE).notes
    assert [
        note for note in done.plan.notes if "no-history_analyst is not played at 2 players" in note
    ]
    jobs = [Plan.resolve(rerun(folder), NOWHERE).jobs for folder in (played, tmp_path / "again")]
    assert jobs[0] == jobs[1]


def test_run_yaml_holds_texts_once_cards_and_who_sits_where(played: Path) -> None:
    text = (played / "run.yaml").read_text("utf-8")
    data = yaml.safe_load(text)
    assert set(data["deals"]) == {2} and all(
        len(cards.split()) == 50 for cards in data["deals"].values()
    )
    assert re.search(r"^  2: R5 B3 ", text, re.M)
    named = {
        key: name
        for seat in data["seats"].values()
        for name, key in seat.get("prompts", {}).items()
    }
    assert (
        set(named) == set(data["prompts"])
        and "fireworks"
        in data["prompts"][next(key for key, name in named.items() if name == "sections/state.md")]
    )
    full = data["arms"]["full"]
    assert data["seats"][full["others"][1]]["spec"] == "partner:iggi"
    assert "history_analyst" in data["seats"][full["everybody"]]["config"]["nodes"]
    assert data["arms"]["no-history_analyst"]["void"] == {2: "full"}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            lambda d: d["deals"].update({2: d["deals"][2].swapcase()}),
            "seed 2 gives another deck than in run.yaml",
        ),
        (lambda d: d["deals"].update({2: "R1"}), "seed 2 gives another deck than in run.yaml"),
        (
            lambda d: [
                s["prompts"].update({"sections/state.md": "0"})
                for s in d["seats"].values()
                if "prompts" in s
            ],
            "the prompts are not those of run.yaml, which holds their texts: sections/state.md differ",
        ),
        (lambda d: d["seats"].clear(), "run.yaml names a seat .* that it does not describe"),
        (lambda d: d.pop("experiment"), "the key `experiment` is missing"),
        (lambda d: d["arms"]["full"].update(everybodi="x"), "arms.full: unknown key 'everybodi'"),
    ],
)
def test_a_run_that_would_be_another_is_refused(
    change: Any, said: str, played: Path, tmp_path: Path
) -> None:
    folder = edited(Path(shutil.copytree(played, tmp_path / "copy")), change)
    with pytest.raises(UserError, match=said):
        Plan.resolve(rerun(folder), NOWHERE)


def test_other_versions_are_noted_and_arms_that_were_never_played_are_not_missed(
    tmp_path: Path,
) -> None:
    keys = {
        "full": {},
        "alike": {"verify": "safety"},
        "no-strategist": {"without": ["discard_strategist"]},
    }
    manifest.write(Plan.resolve(asked(graph="house", arms=keys, baseline="full"), tmp_path))
    edited(tmp_path, lambda data: data["versions"].update(langgraph="0.1"))
    again = Plan.resolve(rerun(tmp_path), NOWHERE)
    assert [arm.name for arm in again.arms] == ["full", "no-strategist"]
    assert [
        note
        for note in again.notes
        if note.startswith("run.yaml was written with langgraph 0.1, and this is ")
    ]


def test_of_a_run_only_its_deals_can_be_set(played: Path) -> None:
    part = Plan.resolve(rerun(played, "players=[3]", "seeds=[2, 9]"), NOWHERE)
    assert {(job.deal.players, job.deal.seed) for job in part.jobs} == {(3, 2), (3, 9)}
    with pytest.raises(
        UserError,
        match=r"played again as it was; only name, .* journals, baseline, metric, reference can be set",
    ):
        rerun(played, "models.default=sim:average")
    with pytest.raises(UserError, match="no arm at these player counts; it has them at 2, 3"):
        Plan.resolve(rerun(played, "players=[5]"), NOWHERE)


PAIRS: dict[str, Any] = {
    "cross_play": {"seats": {"a": "watson", "b": "partner:iggi"}, "rotate": True}
}


STRANGERS: dict[str, Any] = {
    "adhoc": {
        "seat": "watson",
        "pool": ["partner:iggi"],
        "games": 1,
        "past": {"first": 50, "count": 2},
    }
}


@pytest.mark.parametrize("keys", [PAIRS, STRANGERS])
def test_pairs_and_strangers_are_played_again_too(keys: dict[str, Any], tmp_path: Path) -> None:
    first = run_experiment(
        asked(**keys, players=[3], seeds=[1, 2], journals="lean"), tmp_path / "first"
    )
    run_experiment(rerun(tmp_path / "first"), tmp_path / "again")
    assert first.rows and csv_of(tmp_path / "again") == csv_of(tmp_path / "first")
    labels = yaml.safe_load((tmp_path / "again" / "run.yaml").read_text("utf-8"))["labels"]
    assert set(labels) == ({"a", "b"} if keys is PAIRS else {"evaluated", "iggi"})


def test_models_keep_their_settings_and_no_key_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HANABI_API_KEY", "sk-very-secret")
    monkeypatch.setenv("HANABI_TEMPERATURE", "0.25")
    models = {
        "default": "openai:x@http://127.0.0.1:9/v1",
        "judge": {"model": "sim:careless", "seed": 3},
    }
    change = {"change": {"aggregator": {"model": "judge"}}}
    keys = {"graph": "house", "models": models, "arms": {"a": change}, "players": [2]}
    before = Plan.resolve(asked(**keys), tmp_path)
    manifest.write(before)
    assert "sk-very-secret" not in (tmp_path / "run.yaml").read_text("utf-8")
    monkeypatch.setenv("HANABI_TEMPERATURE", "0.75")
    again = Plan.resolve(rerun(tmp_path), NOWHERE)
    hashes = [
        Seats(one.specs, ModelLayer()).start(one.jobs[0]).config_hash for one in (before, again)
    ]
    monkeypatch.setenv("HANABI_TEMPERATURE", "0.25")
    assert (
        hashes[1] != hashes[0]
        and hashes[1] == Seats(before.specs, ModelLayer()).start(before.jobs[0]).config_hash
    )


async def test_a_run_of_a_model_is_played_again_from_its_recording(
    endpoint: str, tmp_path: Path
) -> None:
    keys = {
        "graph": "watson",
        "models": {"default": {"model": f"openai:blind@{endpoint}", "max_tokens": 90}},
    }
    first = await asyncio.to_thread(run_experiment, asked(**keys, players=[2], seeds=[1]), tmp_path)
    again = Plan.resolve(rerun(tmp_path), tmp_path / "again")
    asker = GameTask(again.specs).open(ModelLayer(replay=Replay(Recording.read(tmp_path))))
    (played,) = [await asker.ask(job, OpenGate(), nowhere) for job in again.jobs]
    assert rows.row("small", 1, first.rows[0].journal, played.result) == first.rows[0]
    assert first.rows[0].calls == first.rows[0].turns > 0 and first.rows[0].tokens_in > 0


def test_parts_of_a_run_that_share_a_folder_lose_nothing_of_each_other(tmp_path: Path) -> None:
    parts = [
        Plan.resolve(asked(graph="watson", players=[2 + n % 4], seeds=[n]), tmp_path)
        for n in range(12)
    ]
    with ThreadPoolExecutor(6) as pool:
        list(pool.map(manifest.write, parts))
    data = yaml.safe_load((tmp_path / "run.yaml").read_text("utf-8"))
    assert (data["seeds"], data["players"]) == (list(range(12)), [2, 3, 4, 5]) and set(
        data["deals"]
    ) == set(range(12))
    assert data["arms"]["small"]["players"] == [2, 3, 4, 5]
    assert [path.name for path in tmp_path.iterdir()] == ["run.yaml"]


def test_a_thousand_deals_are_a_thousand_lines(tmp_path: Path) -> None:
    manifest.write(
        Plan.resolve(asked(graph="partner:iggi", seeds={"first": 1, "count": 1000}), tmp_path)
    )
    text = (tmp_path / "run.yaml").read_text("utf-8")
    assert len(re.findall(r"^  \d+: [RYGWB1-5 ]{149}$", text, re.M)) == 1000 and len(text) < 250_000
