from .design.experiment import Experiment, read
from .design.seat_spec import read_seat
from .results.rows import Row
from .results.run_folder import read_rows
from .running.model_options import ModelOptions
from .running.runner import RunOptions, run
from .statistics.analysis import analyse

__all__ = [
    "Experiment",
    "ModelOptions",
    "Row",
    "RunOptions",
    "analyse",
    "read",
    "read_rows",
    "read_seat",
    "run",
]
