"""The shape of the house: who may import whom, where libraries are used, and faces that hold what they name."""

import importlib
from pathlib import Path

import pytest

from tests.support.folders import ROOT
from tests.support.imports import ONE_NAME, PACKAGES, circle, files, names, rooms, sources

MAY_IMPORT: dict[str, set[str]] = {
    "prompts": set(),
    "orchestrator": set(),
    "roles": {"orchestrator", "prompts"},
    "graphs": {"orchestrator", "prompts", "roles"},
    "experiments": {"orchestrator", "prompts", "roles", "graphs"},
}

NEUTRAL = {
    "errors",
    "cells",
    "values",
    "locks",
    "logs",
    "plugins",
    "printable",
    "regular_files",
    "yaml_files",
    "replies",
}
"""What every room of orchestrator may use."""

ROOMS: dict[str, dict[str, set[str]]] = {
    "orchestrator": {
        "errors": set(),
        "cells": {"errors"},
        "values": {"errors"},
        "logs": {"printable"},
        "event_loop": {"errors"},
        "regular_files": {"logs"},
        "printable": set(),
        "locks": set(),
        "plugins": {"cells", "errors", "regular_files"},
        "yaml_files": {"errors", "regular_files"},
        "replies": {"errors", "printable", "values"},
        "sealed_play": {"errors"},
        "spare_memory": set(),
        "models": NEUTRAL,
        "game": NEUTRAL,
        "hanabi": {*NEUTRAL, "game", "spare_memory"},
        "guandan": {"errors", "values"},
        "collab": {*NEUTRAL, "game", "sealed_play"},
        "overcooked": {"errors", "sealed_play", "values"},
        "journal": {*NEUTRAL, "models", "game"},
        "versions": {"hanabi"},
        "table": {*NEUTRAL, "event_loop", "models", "game", "journal", "versions"},
        "players": {
            *NEUTRAL,
            "collab",
            "event_loop",
            "models",
            "game",
            "hanabi",
            "journal",
            "table",
        },
    },
    "experiments": {
        "record": set(),
        "document": set(),
        "formats": set(),
        "study": {"record"},
        "values": {"record"},
        "show": {"document", "formats", "record", "values"},
        "analysis": {"record", "study", "values"},
        "running": {"record", "study"},
        "forecast": {"analysis", "document", "record", "study"},
        "report": {"analysis", "document", "record", "study", "values"},
        "tasks": {"analysis", "document", "record", "report", "running", "study", "values"},
        "interchange": {"formats", "record", "values"},
        "training": {"document", "record"},
        "environments": {"interchange", "tasks"},
        "page": {"record", "report", "study", "tasks", "values"},
        "cli": {
            "document",
            "forecast",
            "formats",
            "interchange",
            "page",
            "record",
            "report",
            "running",
            "show",
            "study",
            "tasks",
            "training",
            "values",
        },
    },
}
"""The rooms of the two large packages, each with those that it may import."""

ONLY_IN = {
    "hanabi_learning_environment": {"orchestrator/hanabi/engine.py"},
    "pyspiel": {"orchestrator/hanabi/engine.py"},
    "genai_prices": {"orchestrator/models/list_prices.py"},
    "openai": {"orchestrator/models/openai_client.py", "orchestrator/models/http_client.py"},
    "httpx2": {"orchestrator/models/http_client.py"},
    "langchain": {"orchestrator/models/langchain_client.py"},
    "sqlite3": {"orchestrator/models/cache.py"},
    "langgraph": {"graphs/langgraph_compile.py", "graphs/graph_seat.py"},
    "starlette": {"experiments/page/server.py", "experiments/page/guard.py"},
    "uvicorn": {"experiments/page/server.py"},
    "pyarrow": {"experiments/record/parquet.py"},
    "opentelemetry": {"experiments/interchange/otlp.py"},
    "aiohttp": {
        "orchestrator/models/fake_endpoint.py",
        "orchestrator/models/fake_faults.py",
        "experiments/environments/hanabi_v1/hanabi_v1.py",
    },
    "typer": {
        f"experiments/cli/{name}.py"
        for name in (
            "app",
            "shared_options",
            "experiment",
            "export",
            "parts",
            "report",
            "evaluate",
            "game",
            "positions",
            "show",
            "tools",
            "train",
        )
    },
}


STARTS_LOOPS = {
    "orchestrator/event_loop.py",
    "experiments/cli/game.py",  # commands, which nobody calls inside a loop
    "experiments/cli/tools.py",
    "experiments/page/person_tables.py",  # in a thread of its own
    "experiments/running/processes.py",  # in a process of its own
}
"""Where an event loop may be started; everywhere else `event_loop` does that, for a notebook has a loop already."""
LOOPS = ("asyncio.run(", "asyncio.Runner(", "run_until_complete(")


def test_event_loops_are_started_in_one_place() -> None:
    starters = set[str]()
    for package in PACKAGES:
        for path in sources(package):
            text = (ROOT / path).read_text("utf-8")
            if any(loop in text for loop in LOOPS):
                starters.add(path.as_posix())
    assert starters == STARTS_LOOPS


def libraries(path: Path) -> set[str]:
    return {name.split(".")[0] for name in names(path)}


@pytest.mark.parametrize("package", MAY_IMPORT)
def test_packages_import_one_way(package: str) -> None:
    for path in sources(package):
        assert libraries(path) & set(MAY_IMPORT) <= MAY_IMPORT[package] | {package}, path


@pytest.mark.parametrize("package", ROOMS)
def test_rooms_import_one_way(package: str) -> None:
    found = rooms(package)
    assert set(found) == set(ROOMS[package])
    wrong = {
        name: used - ROOMS[package][name]
        for name, used in found.items()
        if used - ROOMS[package][name]
    }
    assert not wrong


def test_what_belongs_to_hanabi_lies_in_its_folder() -> None:
    used = {name: used for name, used in rooms("roles").items() if "hanabi" in used}
    assert not used, "the core of roles knows no cards"


def test_statistics_know_no_subject() -> None:
    own = "experiments.analysis.statistics"
    for path in sources(own.replace(".", "/")):
        assert not {
            name
            for name in names(path)
            if name.split(".")[0] in MAY_IMPORT and not name.startswith(own)
        }, path


@pytest.mark.parametrize("package", PACKAGES)
def test_there_is_no_circle(package: str) -> None:
    assert not circle(rooms(package))
    assert not circle(files(package))


@pytest.mark.parametrize("library", ONLY_IN)
def test_each_edge_has_one_place(library: str) -> None:
    found = {
        str(path) for package in PACKAGES for path in sources(package) if library in libraries(path)
    }
    assert found == ONLY_IN[library]


FOLDERS = [
    path.parent for package in PACKAGES for path in sources(package) if path.name == "__init__.py"
]


@pytest.mark.parametrize("folder", FOLDERS, ids=str)
def test_every_folder_says_what_it_is_and_its_face_holds_what_it_names(folder: Path) -> None:
    face = importlib.import_module(".".join((ONE_NAME, *folder.parts)))
    assert face.__doc__ and len(face.__doc__.split()) > 15, (
        "what it is, what it may import, where to start reading"
    )
    assert all(hasattr(face, name) for name in getattr(face, "__all__", ()))


def test_files_keep_to_one_noun() -> None:
    long = {
        str(path): lines
        for package in PACKAGES
        for path in sources(package)
        if (lines := _lines(path)) > 560
    }
    assert not long


def _lines(path: Path) -> int:
    return len((ROOT / path).read_text("utf-8").splitlines())
