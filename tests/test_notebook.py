"""The notebook of the docs, executed from end to end: what it shows is what it showed when it was written."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from docs.notebook import HOME, executed, read


@pytest.mark.parametrize("path", sorted(HOME.glob("*.ipynb")), ids=lambda path: path.stem)
def test_a_notebook_runs_and_shows_what_it_showed(path: Path) -> None:
    written = shown(read(path))
    assert shown(executed(path)) == written
    pages = [output for cell in written for output in cell if isinstance(output, str)]
    assert sum("<svg" in page for page in pages) >= 2, "the graph's picture, and the study's figure"


def shown(notebook: Any) -> list[list[str]]:
    """Return what each cell shows, without the places of objects in memory, what passes on stderr, and progress."""
    cells = []
    for cell in notebook.cells:
        texts = []
        for output in cell.get("outputs", ()):
            if output.get("name") == "stderr" or output.output_type == "display_data":
                continue
            text = json.dumps(output.get("text", output.get("data")), sort_keys=True)
            texts.append(re.sub("0x[0-9a-f]+", "", text))
        cells.append(texts)
    return cells
