"""The packaged experiments as plain rows: what `experiment list` prints."""

import re
from typing import Any

from experiments.design.experiment import Experiment, packaged, read


def experiments() -> list[dict[str, Any]]:
    """A row for every packaged experiment, with the first sentence of its file's comment."""
    return [_row(name, text, read(name)) for name, text in packaged().items()]


def _row(name: str, text: str, asked: Experiment) -> dict[str, Any]:
    return {
        "experiment": name,
        "players": sorted(set(asked.players)),
        "deals": len(asked.deals),
        "repeats": asked.repeats,
        "what_for": _about(text),
    }


def _about(text: str) -> str:
    """The first sentence of the comment above the settings; the comment's own first line is a command."""
    lines = [line.removeprefix("#").strip() for line in text.split("\n\n")[0].splitlines() if line.startswith("#")]
    whole = " ".join(line for line in lines if not line.startswith("orchestrator "))
    return re.split(r'(?<=\.) (?=[A-Z"])', whole)[0]
