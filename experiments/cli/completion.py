"""What the Tab key completes: names of graphs, roles, experiments, runs, games, partners and
models, and paths.

`orchestrator --install-completion` sets it up. Each function imports what it needs when a shell
asks.
"""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path

MOST = 200
"""Names that are offered at most."""


def graph(incomplete: str) -> list[str]:
    """Graphs, and paths of graph files."""
    from hanabi_orchestrator import graphs

    return [*_starting(graphs.names(), incomplete), *path(incomplete)]


def role(incomplete: str) -> list[str]:
    """Roles."""
    from hanabi_orchestrator import roles

    return _starting(roles.names(), incomplete)


def role_or_section(incomplete: str) -> list[str]:
    """Roles and sections."""
    from hanabi_orchestrator import roles

    return [*role(incomplete), *_starting(roles.SECTIONS, incomplete)]


def task(incomplete: str) -> list[str]:
    """Tasks of one's own."""
    from hanabi_orchestrator.experiments.tasks import task_kinds

    return _starting(task_kinds.kinds.names(), incomplete)


def experiment(incomplete: str) -> list[str]:
    """Packaged experiments, and paths of experiment files."""
    packaged = (file.stem for file in (Path(__file__).parents[1] / "configs").glob("*.yaml"))
    return [*_starting(sorted(packaged), incomplete), *path(incomplete)]


def run(incomplete: str) -> list[str]:
    """Runs below runs/, and paths."""
    records = sorted(folder.as_posix() for folder in Path("runs").glob("*") if folder.is_dir())
    return [
        *_starting(records, incomplete),
        *(name for name in path(incomplete) if name.rstrip("/") not in records),
    ]


def game(incomplete: str) -> list[str]:
    """Games below games/, and paths."""
    journals = (file.as_posix() for file in Path("games").glob("*.jsonl"))
    return list(dict.fromkeys([*_starting(sorted(journals), incomplete), *path(incomplete)]))


def bank(incomplete: str) -> list[str]:
    """Packaged banks of positions, and paths."""
    banks = (Path(__file__).parents[1] / "tasks" / "positions" / "banks").glob("*.jsonl.gz")
    return [
        *_starting(sorted(file.name.removesuffix(".jsonl.gz") for file in banks), incomplete),
        *path(incomplete),
    ]


def player(incomplete: str) -> list[str]:
    """Graphs and partners."""
    from hanabi_orchestrator.orchestrator.players import partners

    return [
        *_starting([f"{partners.PREFIX}{name}" for name in partners.names()], incomplete),
        *graph(incomplete),
    ]


def model(incomplete: str) -> list[str]:
    """Forms of models, and paths of models files."""
    forms = (
        "program",
        "sim:careful",
        "sim:average",
        "sim:careless",
        "openai:",
        "azure:",
        "langchain:",
        "replay:",
    )
    return [*_starting(forms, incomplete), *path(incomplete)]


def path(incomplete: str) -> list[str]:
    """Files and folders that begin so; none before the first letter."""
    with suppress(OSError):
        start = Path(incomplete)
        folder, stem = (start, "") if incomplete.endswith("/") else (start.parent, start.name)
        if incomplete:
            return sorted(islice(_entries(folder, stem), MOST))
    return []


def _entries(folder: Path, stem: str) -> Iterator[str]:
    for entry in folder.iterdir():
        if entry.name.startswith(stem) and (stem or not entry.name.startswith(".")):
            if entry.is_dir():
                yield f"{entry.as_posix()}/"
            else:
                yield entry.as_posix()


def _starting(names: Iterable[str], incomplete: str) -> list[str]:
    return [name for name in names if name.startswith(incomplete)][:MOST]
