"""Executes the notebooks of the docs, each in an empty folder: `python -m docs.notebook` writes their outputs anew."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import nbformat
from nbclient import NotebookClient

HOME = Path(__file__).parent
SECONDS = 300
"""For a cell."""


def read(path: Path) -> Any:
    """Return a notebook as it was written."""
    return nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]


def executed(path: Path) -> Any:
    """Return a notebook with the outputs of its cells. Raises CellExecutionError for a cell that fails."""
    notebook = read(path)
    with TemporaryDirectory() as folder:
        client = NotebookClient(
            notebook,
            timeout=SECONDS,
            kernel_name="python3",
            resources={"metadata": {"path": folder}},
            record_timing=False,
        )
        client.execute()
    return notebook


def main() -> None:
    for path in sorted(HOME.glob("*.ipynb")):
        nbformat.write(executed(path), path)  # type: ignore[no-untyped-call]


if __name__ == "__main__":
    main()
