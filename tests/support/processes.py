"""Processes of their own for commands and scripts, forked from one that has done the imports already."""

import multiprocessing
import os
import runpy
import sys
import tempfile
import traceback
from collections.abc import Callable, Mapping
from multiprocessing.process import BaseProcess
from pathlib import Path
from subprocess import CompletedProcess

from tests.support import unsynced
from tests.support.folders import ROOT
from tests.support.prove import FULL

IMPORTED = (
    "hanabi_orchestrator.experiments.cli.app",
    "hanabi_orchestrator.experiments.report.run_report",
    "hanabi_orchestrator.experiments.tasks.games.experiment_run",
    "hanabi_orchestrator.graphs.langgraph_compile",
    "langchain_core.language_models.chat_models",
    "matplotlib.pyplot",
    "hanabi_orchestrator.orchestrator.models.fake_endpoint",
    "hanabi_orchestrator.orchestrator.models.openai_client",
    "rich.console",
    "scipy.stats",
    unsynced.__name__,
)
"""What costs a process of its own a second or three to import; plugins are loaded later, in the process itself."""

FEW_POSITIONS = 42
"""Turns from one position to the next of those on which a test checks a role."""

FORKS = multiprocessing.get_context("forkserver")
FORKS.set_forkserver_preload(list(IMPORTED))


def command(
    folder: Path, *arguments: str, paths: tuple[Path, ...] = (), marking: bool = False
) -> "CompletedProcess[str]":
    """`orchestrator ARGUMENTS`, run in a folder; packages that lie in `paths` are installed."""
    return _completed(
        folder, marking_command if marking else run_command, arguments, (*paths, ROOT)
    )


def begun(folder: Path, *arguments: str, run: "Run | None" = None) -> BaseProcess:
    """`orchestrator ARGUMENTS`, begun in a folder for a test that acts on it while it goes.

    Its output is in the files `stdout` and `stderr`. `run` runs the command there in its own way.
    """
    out = folder / "stdout"
    err = folder / "stderr"
    given = (folder, (str(ROOT),), dict(os.environ), out, err, run or run_command, arguments)
    process = FORKS.Process(target=_child, args=given)
    process.start()
    return process


def script(folder: Path, text: str, *, paths: tuple[Path, ...] = ()) -> "CompletedProcess[str]":
    """Python code, run in a folder as by `python -c`."""
    return _completed(folder, _script, (text,), (folder, *paths, ROOT))


def file(folder: Path, name: str, *, paths: tuple[Path, ...] = ()) -> "CompletedProcess[str]":
    """A Python file, run in its folder as by `python FILE`."""
    return _completed(folder, _file, (name,), (folder, *paths, ROOT))


def run_command(*arguments: str) -> None:
    """Run `orchestrator ARGUMENTS` in this process; reports mark no games unasked but in `make prove`."""
    if not FULL:
        from hanabi_orchestrator.experiments.report import marked_run

        marked_run.SMALL = 0
    marking_command(*arguments)


def marking_command(*arguments: str) -> None:
    """Run `orchestrator ARGUMENTS` in this process; but in `make prove`, reports have empty pictures and roles are
    checked on fewer positions."""
    sys.argv = ["orchestrator", *arguments]
    from hanabi_orchestrator.experiments.cli import main
    from hanabi_orchestrator.experiments.report.figures import drawing
    from hanabi_orchestrator.roles import conformance
    from tests.support.pictures import blank

    if not FULL:
        drawing._picture = blank
        conformance.EVERY = FEW_POSITIONS
    main()


def _script(text: str) -> None:
    module: dict[str, object] = {"__name__": "__main__"}
    exec(compile(text, "<script>", "exec"), module)


def _file(name: str) -> None:
    runpy.run_path(name, run_name="__main__")


Run = Callable[..., None]


def _completed(
    folder: Path, run: Run, arguments: tuple[str, ...], paths: tuple[Path, ...]
) -> "CompletedProcess[str]":
    with tempfile.TemporaryDirectory() as held:
        out = Path(held, "out")
        err = Path(held, "err")
        given = (folder, tuple(map(str, paths)), dict(os.environ), out, err, run, arguments)
        process = FORKS.Process(target=_child, args=given)
        process.start()
        process.join()
        assert process.exitcode is not None
        return CompletedProcess(
            arguments, process.exitcode, out.read_text("utf-8"), err.read_text("utf-8")
        )


def _child(
    folder: Path,
    paths: tuple[str, ...],
    environment: Mapping[str, str],
    out: Path,
    err: Path,
    run: Run,
    arguments: tuple[str, ...],
) -> None:
    """Run it as in a new process: its folder, its packages, its variables, and its output in two files."""
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.path[:0] = paths
    for stream, path in ((1, out), (2, err)):
        os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), stream)
    sys.stdout = open(1, "w", encoding="utf-8")  # noqa: SIM115
    sys.stderr = open(2, "w", encoding="utf-8", buffering=1)  # noqa: SIM115
    try:
        run(*arguments)
    except SystemExit:
        raise
    except BaseException:
        traceback.print_exc()
        sys.exit(1)
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
