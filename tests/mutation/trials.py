"""Tests on a changed copy of the repository, each run in a process forked from one that has imported the libraries."""

import os
import resource
import shutil
import signal
import subprocess
import sys
import time
import traceback
from importlib import import_module
from itertools import count
from pathlib import Path
from typing import Literal, NoReturn

from tests.support.folders import ROOT

LIBRARIES = (
    "aiohttp.web",
    "hypothesis",
    "langchain_core.language_models.chat_models",
    "langgraph.graph",
    "openai",
    "pydantic",
    "pytest",
    "rich.console",
    "scipy.optimize",
    "scipy.stats",
    "typer",
    "yaml",
)

OPTIONS = ("-x", "-q", "-p", "no:cacheprovider", "-W", "ignore::pytest.PytestAssertRewriteWarning")
"""The first failure is enough; that a library has been imported before is as it should be."""

Outcome = Literal["killed", "timed out", "survived"]

PATIENCE = 3
"""How many times as long as usual the tests of a mutant may take, and as many seconds more; then it hangs."""
HOUR = 60 * 60


class Trials:
    """A copy of the repository in an empty folder, one file of it changed at a time."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.output = folder / "output.txt"
        self._stamps = count(int(time.time()) - 24 * HOUR)
        listed = subprocess.run(
            ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True
        )
        for name in filter(None, listed.stdout.split("\0")):
            if (ROOT / name).is_file():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(ROOT / name, folder / name)
        for library in LIBRARIES:
            import_module(library)

    def seconds(self, tests: tuple[str, ...]) -> float:
        """The seconds of a processor that tests need on the code as it is. Raises AssertionError when they fail."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        outcome = self._run(tests, HOUR)
        assert outcome == "survived", (
            f"the tests do not pass on the code as it is:\n{self.output.read_text('utf-8')}"
        )
        return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before

    def outcome(self, file: str, text: str, tests: tuple[str, ...], usual: float) -> Outcome:
        """What becomes of a mutant; `usual`: the seconds that its tests need on the code as it is."""
        before = (self.folder / file).read_text("utf-8")
        self._write(file, text)
        try:
            return self._run(tests, PATIENCE * usual + PATIENCE)
        finally:
            self._write(file, before)

    def _write(self, file: str, text: str) -> None:
        """Each time with a date of its own: by it Python knows that a compiled module is out of date."""
        path = self.folder / file
        stamp = next(self._stamps)
        path.write_text(text, "utf-8")
        os.utime(path, (stamp, stamp))

    def _run(self, tests: tuple[str, ...], seconds: float) -> Outcome:
        """Run tests for so many seconds of a processor at most, or ten times as many of the clock if they wait."""
        sys.stdout.flush()
        child = os.fork()
        if not child:
            self._tests(tests, int(seconds))
        end = time.monotonic() + 10 * seconds
        while time.monotonic() < end:
            done, status = os.waitpid(child, os.WNOHANG)
            if done:
                hung = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGXCPU
                return "timed out" if hung else "killed" if status else "survived"
            time.sleep(0.02)
        os.killpg(child, signal.SIGKILL)
        os.waitpid(child, 0)
        return "timed out"

    def _tests(self, tests: tuple[str, ...], seconds: int) -> NoReturn:
        """In the forked process: the tests of the copy, on the packages of the copy."""
        code = 1
        try:
            os.setsid()
            resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
            os.chdir(self.folder)
            output = os.open(self.output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
            os.dup2(output, 1)
            os.dup2(output, 2)
            for name in [name for name in sys.modules if name.split(".")[0] == "tests"]:
                del sys.modules[name]
            sys.path[:] = [
                str(self.folder / "src"),
                str(self.folder),
                *(path for path in sys.path if Path(path).resolve() not in (ROOT, ROOT / "src")),
            ]
            sys.argv[0] = "pytest"
            os.environ["PYTHONPATH"] = f"{self.folder / 'src'}{os.pathsep}{self.folder}"
            code = int(import_module("pytest").main([*OPTIONS, *tests]))
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)
