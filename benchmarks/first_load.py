"""How long the page of a run takes that nobody has looked at yet: its server, and the browser that shows it.

    python -m benchmarks.first_load RUN

RUN is the folder of a run, such as one of 2,000 games by rule players. A new server reads it, and a new Chromium asks
for the page and waits for the table of its games. CPU seconds are those of the processes, on Linux: of the server and
of the browser, each without its start.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from time import perf_counter, sleep
from typing import NamedTuple

from playwright.sync_api import sync_playwright

COMMAND = (sys.executable, "-m", "hanabi_orchestrator", "view", "--no-browser", "--port", "0")
SETTLED_S = 1.0
"""After the table is there, so that what goes on in the background counts."""
TICKS = os.sysconf("SC_CLK_TCK")


class Process(NamedTuple):
    """A process that lives, as Linux tells of it."""

    parent: int
    cpu_s: float


def measure(run: Path) -> Iterator[tuple[str, float]]:
    """Yield what is measured, and its seconds."""
    chromium = os.environ.get("CHROMIUM") or shutil.which("chromium")
    with serving(run) as (server, url), sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        server_before, all_before = cpu(server), cpu(os.getpid())
        begun = perf_counter()
        page.goto(url)
        page.locator(".games-table tbody tr").first.wait_for(timeout=120_000)
        yield "until the table of games is shown, by the clock", perf_counter() - begun
        sleep(SETTLED_S)
        server_s = cpu(server) - server_before
        yield "CPU of the server", server_s
        yield "CPU of the browser", cpu(os.getpid()) - all_before - server_s
        browser.close()


@contextmanager
def serving(run: Path) -> Iterator[tuple[int, str]]:
    """Give the process of a new server, and its address."""
    with subprocess.Popen([*COMMAND, str(run)], stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        try:
            line = process.stderr.readline()
            address = re.search(r"http://\S+", line)
            assert address, line
            yield process.pid, address[0]
        finally:
            process.terminate()


def cpu(number: int) -> float:
    """Return the CPU seconds of a process and of all those below it."""
    processes = living()
    seconds = processes[number].cpu_s
    return seconds + sum(cpu(child) for child in processes if processes[child].parent == number)


def living() -> dict[int, Process]:
    processes = {}
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it has ended meanwhile
            fields = (folder / "stat").read_text("utf-8").rpartition(")")[2].split()
            ticks = int(fields[11]) + int(fields[12])
            processes[int(folder.name)] = Process(int(fields[1]), ticks / TICKS)
    return processes


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("run", type=Path)
    print("      s")
    for what, seconds in measure(asked.parse_args().run):
        print(f"{seconds:7.2f}  {what}")


if __name__ == "__main__":
    main()
