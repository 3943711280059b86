"""What can be told of this machine: Python, the engine, extras, disk, keys, open files, processors.

Nothing of the game is imported before it is looked at, so that a broken installation is told in a
sentence.
"""

import os
import re
import shutil
import sys
import tempfile
import time
from importlib.metadata import PackageNotFoundError, metadata
from importlib.util import find_spec
from pathlib import Path
from platform import python_version

from hanabi_orchestrator.experiments.forecast.checklist import Checklist
from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.models import keys
from hanabi_orchestrator.orchestrator.versions import versions
from hanabi_orchestrator.roles.words import many

PACKAGE = "hanabi-orchestrator"
EXTRAS = {
    "hle": (
        "hanabi_learning_environment",
        "games on HLE itself; OpenSpiel's build of it plays the same",
    ),
    "langchain": ("langchain", "`--model langchain:...`"),
    "figures": ("matplotlib", "pictures in reports; their tables need nothing"),
    "tables": ("pyarrow", "`export --to tables`"),
    "ray": ("ray", "`experiment run --executor ray`"),
    "otlp": ("opentelemetry.sdk", "traces for other tools (OTLP)"),
}
"""By extra: a module that it installs, and what needs it."""
LITTLE = 2 * 10**9
"""Bytes of free disk below which a large run may fill it."""
NEEDED = 50 * 10**6
"""Bytes without which not even a few games can be kept."""
FEW_FILES = 256
"""Open files below which a run has few games and calls at a time."""


def examine() -> Checklist:
    """Check what every command needs of this machine, and what some can use."""
    checklist = Checklist()
    _installation(checklist)
    _engine(checklist)
    for extra, (module, use) in EXTRAS.items():
        try:
            there = find_spec(module) is not None
        except ModuleNotFoundError:  # nor the package around it
            there = False
        absent = f"not installed; only for {use}: pip install '{PACKAGE}[{extra}]'"
        checklist.ok(f"extra {extra}", f"installed, for {use}" if there else absent)
    _folder(checklist, Path.cwd())
    # never a key
    names = sorted(
        name for name, value in os.environ.items() if value and keys.NAME.fullmatch(name)
    )
    if names:
        checklist.ok(
            "keys",
            f"{', '.join(names)} {'is' if len(names) == 1 else 'are'} set (values are never shown)",
        )
    else:
        checklist.ok(
            "keys",
            "none is set; api.openai.com needs OPENAI_API_KEY, in the environment or in a file "
            "`.env`",
        )
    _open_files(checklist)
    if hasattr(os, "sched_getaffinity"):
        cpus = len(os.sched_getaffinity(0))
    else:
        cpus = os.cpu_count() or 1
    checklist.ok("processors", f"{cpus}; `--workers {cpus}` uses all of them for games of programs")
    return checklist


def _open_files(checklist: Checklist) -> None:
    try:
        import resource
    except ImportError:  # a system without such limits
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY:
        most = hard
    else:
        most = max(soft, FEW_FILES)
    sentence = f"{soft} may be open" + (
        f", raised to {min(most, 8192)} when needed" if most > soft else ""
    )
    if most < FEW_FILES:
        checklist.warn(
            "files", f"{sentence}: few games and calls at a time; say `ulimit -n 4096` first"
        )
    else:
        checklist.ok("files", sentence)


def _installation(checklist: Checklist) -> None:
    """Check Python, and the packages that a result depends on."""
    needed = metadata(PACKAGE)["Requires-Python"] or ""
    least = tuple(map(int, re.findall(r"\d+", needed)[:2]))
    if sys.version_info[:2] < least:
        checklist.fail(
            "python",
            f"{python_version()}, and {PACKAGE} needs {needed}: install it with a newer Python",
        )
    else:
        checklist.ok("python", f"{python_version()} at {sys.executable}")
    try:
        names = versions()
    except UserError:
        pass  # no engine, as the next line says
    except PackageNotFoundError as error:
        checklist.fail(
            "packages", f"{error.name} is not installed: pip install --force-reinstall {PACKAGE}"
        )
    else:
        checklist.ok("packages", ", ".join(f"{name} {number}" for name, number in names.items()))


def _engine(checklist: Checklist) -> None:
    """Tell whether the engine plays a game."""
    from hanabi_orchestrator.orchestrator.hanabi import engine

    try:
        title = engine.TITLES[engine.name()]
    except UserError as error:
        checklist.fail("engine", str(error))
        return
    began = time.monotonic()
    try:
        from hanabi_orchestrator.experiments.study import prompt_positions

        turns = prompt_positions.game(2).turns
    except Exception as error:  # of whatever kind: the library is built in C++
        checklist.fail(
            "engine",
            f"{title} plays no game ({type(error).__name__}: {error}): "
            f"pip install --force-reinstall {engine.distribution()}",
        )
        return
    took = time.monotonic() - began
    checklist.ok("engine", f"{title} played a game of {many(turns, 'turn')} in {took:.1f} s")


def _folder(checklist: Checklist, folder: Path) -> None:
    """Tell whether games can be kept here: commands write to `runs/` and `games/`, if not told
    otherwise."""
    try:
        with tempfile.NamedTemporaryFile(dir=folder) as file:
            file.write(b"1")
            file.flush()
    except OSError as error:
        sentence = (
            f"cannot write to {folder} ({error.strerror}): go to another folder, or give "
            "`--out` with each command"
        )
        checklist.fail("folder", sentence)
    else:
        checklist.ok("folder", f"{folder} can be written, for runs/ and games/")
    free = shutil.disk_usage(folder).free
    sentence = f"{free / 1e9:,.1f} GB free"
    if free < NEEDED:
        checklist.fail("disk", f"{sentence}: make room, or give `--out` on another disk")
    elif free < LITTLE:
        checklist.warn(
            "disk",
            f"{sentence}: make room before a large run; `experiment plan` and `--dry-run` say "
            "what it takes",
        )
    else:
        checklist.ok("disk", sentence)
