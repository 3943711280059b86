"""Code that is read once: how much a line holds, by folder."""

import pytest

from tests.support.density import Density, measure
from tests.support.folders import ROOT

MOST: dict[str, Density] = {
    "orchestrator": Density(9.0, 5.2, 0.5, 39.7, 57.1, 0.0, 0.7),
    "roles": Density(8.8, 11.0, 0.4, 54.2, 91.3, 0.0, 1.4),
    "graphs": Density(10.0, 14.6, 0.9, 48.6, 106.0, 0.0, 1.0),
    "experiments/analysis": Density(9.1, 0.3, 0.0, 34.2, 77.4, 0.0, 0.0),
    "experiments/cli": Density(7.5, 0.4, 0.4, 28.2, 24.2, 0.0, 0.0),
    "experiments/document": Density(9.0, 0.0, 0.0, 41.8, 66.1, 0.0, 0.0),
    "experiments/environments": Density(8.9, 0.0, 0.0, 19.4, 62.1, 0.0, 0.0),
    "experiments/forecast": Density(8.2, 0.0, 0.0, 41.1, 63.8, 0.0, 0.0),
    "experiments/interchange": Density(8.5, 0.0, 0.0, 27.9, 62.0, 0.0, 0.0),
    "experiments/page": Density(9.1, 0.5, 0.0, 40.1, 61.3, 0.0, 0.1),
    "experiments/record": Density(8.9, 7.8, 0.0, 49.8, 61.8, 0.0, 0.6),
    "experiments/report": Density(8.8, 0.3, 0.0, 28.0, 82.5, 0.0, 0.0),
    "experiments/running": Density(8.5, 0.0, 0.0, 20.4, 30.5, 0.0, 0.0),
    "experiments/show": Density(8.5, 0.6, 0.0, 53.8, 48.9, 0.0, 0.0),
    "experiments/study": Density(8.5, 0.0, 0.0, 21.4, 70.4, 0.0, 0.0),
    "experiments/tasks": Density(8.9, 1.2, 0.0, 23.6, 81.1, 0.0, 0.1),
    "experiments/training": Density(8.1, 0.0, 0.0, 24.9, 30.6, 0.0, 0.0),
    "experiments/values": Density(8.9, 0.6, 0.0, 30.5, 70.1, 0.0, 0.0),
}
"""By folder, what its code may hold at most; a figure may only fall. The aim: 8 tokens a line; of 1,000 lines 1.5
nested comprehensions, 2 pairs, 20 conditional expressions and 35 comprehensions; no splat; 3 % long lines."""


@pytest.mark.parametrize("folder", MOST)
def test_a_line_says_one_thing(folder: str) -> None:
    density = measure(sorted((ROOT / folder).rglob("*.py")))
    dense = {
        name: f"{share:.4g}, at most {most:.4g}"
        for (name, share), most in zip(
            vars(density).items(), vars(MOST[folder]).values(), strict=True
        )
        if share > most
    }
    assert not dense, f"{folder} has become denser; the newest code says several things in a line"
