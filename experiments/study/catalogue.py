"""The packaged experiments as plain rows: what `experiment list` prints."""

from typing import Any

from experiments.study.experiment import Experiment, about, packaged, read


def experiments() -> list[dict[str, Any]]:
    """A row for every packaged experiment, with the first sentence of its file's comment."""
    return [_row(name, text, read(name)) for name, text in packaged().items()]


def _row(name: str, text: str, experiment: Experiment) -> dict[str, Any]:
    return {
        "experiment": name,
        "players": sorted(set(experiment.players)),
        "deals": len(experiment.deals),
        "repeats": experiment.repeats,
        "what_for": about(text),
    }
