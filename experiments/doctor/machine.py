"""What can be told of this machine: Python, the learning environment, extras, disk, keys, open files, processors.

Nothing of the game is imported before it is looked at, so that a broken installation is told in a sentence.
"""

import os
import re
import resource
import shutil
import sys
import tempfile
import time
from importlib.metadata import PackageNotFoundError, metadata
from importlib.util import find_spec
from pathlib import Path
from platform import python_version

from experiments.doctor.checklist import Checklist
from orchestrator.plugins import versions

PACKAGE = "hanabi-orchestrator"
EXTRAS = {
    "langchain": ("langchain", "`--model langchain:...`"),
    "figures": ("matplotlib", "pictures in reports; their tables need nothing"),
    "tables": ("pyarrow", "`export --to tables`"),
    "ray": ("ray", "`experiment run --executor ray`"),
    "otlp": ("opentelemetry.sdk", "traces for other tools (OTLP)"),
}
"""By extra: a module that it installs, and what needs it."""
KEYS = ("OPENAI_API_KEY", "HANABI_API_KEY", "AZURE_OPENAI_API_KEY", "AZURE_OPENAI_AD_TOKEN", "ANTHROPIC_API_KEY")
LITTLE = 2 * 10**9
"""Bytes of free disk below which a large run may fill it."""
NEEDED = 50 * 10**6
"""Bytes without which not even a few games can be kept."""
FEW_FILES = 256
"""Open files below which a run has few games and calls at a time."""


def examine() -> Checklist:
    """Check what every command needs of this machine, and what some can use."""
    found = Checklist()
    _python(found)
    _packages(found)
    _environment(found)
    for extra, (module, use) in EXTRAS.items():
        _extra(found, extra, module, use)
    _folder(found, Path.cwd())
    _keys(found)
    _files(found)
    cpus = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    found.ok("processors", f"{cpus}; `--workers {cpus}` uses all of them for games of programs")
    return found


def _packages(found: Checklist) -> None:
    try:
        there = versions()
    except PackageNotFoundError as error:
        found.fail("packages", f"{error.name} is not installed: pip install --force-reinstall {PACKAGE}")
    else:
        found.ok("packages", ", ".join(f"{name} {number}" for name, number in there.items()))


def _python(found: Checklist) -> None:
    asked = metadata(PACKAGE)["Requires-Python"] or ""
    least = tuple(int(part) for part in re.findall(r"\d+", asked)[:2])
    if sys.version_info[:2] < least:
        found.fail("python", f"{python_version()}, and {PACKAGE} needs {asked}: install it with a newer Python")
    else:
        found.ok("python", f"{python_version()} at {sys.executable}")


def _environment(found: Checklist) -> None:
    """Whether the Hanabi Learning Environment plays a game."""
    began = time.monotonic()
    try:
        from experiments.study import prompt_positions

        turns = prompt_positions.game(2).turns
    except Exception as error:  # of whatever kind: the library is built in C++
        found.fail(
            "environment",
            f"the Hanabi Learning Environment plays no game ({type(error).__name__}: {error}): "
            "pip install --force-reinstall hanabi-learning-environment",
        )
        return
    took = time.monotonic() - began
    found.ok("environment", f"the Hanabi Learning Environment played a game of {turns} turns in {took:.1f} s")


def _extra(found: Checklist, extra: str, module: str, use: str) -> None:
    if _there(module):
        found.ok(f"extra {extra}", f"installed, for {use}")
    else:
        found.ok(f"extra {extra}", f"not installed; only for {use}: pip install '{PACKAGE}[{extra}]'")


def _there(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # nor the package around it
        return False


def _folder(found: Checklist, folder: Path) -> None:
    """Whether games can be kept here: commands write to `runs/` and `games/`, if not told otherwise."""
    try:
        with tempfile.NamedTemporaryFile(dir=folder) as file:
            file.write(b"1")
            file.flush()
    except OSError as error:
        said = f"cannot write to {folder} ({error.strerror}): go to another folder, or give `--out` with each command"
        found.fail("folder", said)
    else:
        found.ok("folder", f"{folder} can be written, for runs/ and games/")
    free = shutil.disk_usage(folder).free
    said = f"{free / 1e9:,.1f} GB free"
    if free < NEEDED:
        found.fail("disk", f"{said}: make room, or give `--out` on another disk")
    elif free < LITTLE:
        found.warn("disk", f"{said}: make room before a large run; `experiment plan` and `--dry-run` say what it takes")
    else:
        found.ok("disk", said)


def _keys(found: Checklist) -> None:
    """Which keys the environment or `.env` holds; never a key."""
    there = [name for name in KEYS if os.environ.get(name)]
    if there:
        found.ok("keys", f"{', '.join(there)} {'is' if len(there) == 1 else 'are'} set (values are never shown)")
    else:
        found.ok("keys", "none is set; api.openai.com needs OPENAI_API_KEY, in the environment or in a file `.env`")


def _files(found: Checklist) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = hard if hard != resource.RLIM_INFINITY else max(soft, FEW_FILES)
    said = f"{soft} may be open" + (f", raised to {min(most, 8192)} when needed" if most > soft else "")
    if most < FEW_FILES:
        found.warn("files", f"{said}: few games and calls at a time; say `ulimit -n 4096` first")
    else:
        found.ok("files", said)
