from .design.experiment import Experiment, read
from .design.seat_spec import read_seat
from .fork.decision import Fork, decide
from .marks.score_strip import mistakes_of, strip
from .marks.turn_values import turn_values
from .results.rows import Row
from .results.run_folder import read_rows
from .results.story import Story
from .running.model_options import ModelOptions
from .running.runner import RunOptions, run
from .statistics.analysis import analyse

__all__ = [
    "Experiment",
    "Fork",
    "ModelOptions",
    "Row",
    "RunOptions",
    "Story",
    "analyse",
    "decide",
    "mistakes_of",
    "read",
    "read_rows",
    "read_seat",
    "run",
    "strip",
    "turn_values",
]
