from .design.experiment import Experiment, read
from .design.seat_spec import read_seat
from .fork.decision import Fork, decide
from .results.rows import Row
from .results.run_folder import read_rows
from .running.model_options import ModelOptions
from .running.runner import RunOptions, run
from .statistics.analysis import analyse

__all__ = [
    "Experiment",
    "Fork",
    "ModelOptions",
    "Row",
    "RunOptions",
    "analyse",
    "decide",
    "read",
    "read_rows",
    "read_seat",
    "run",
]
