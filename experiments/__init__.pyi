from . import document, formats, tasks
from .analysis.analysis import analyse
from .record import games, measures, results, rewards
from .record.game import Game
from .record.measures import Measure
from .record.rows import Row
from .record.run_folder import read_rows
from .running.model_options import ModelOptions
from .running.runner import RunOptions
from .study.experiment import Experiment, read
from .study.seat_spec import read_seat
from .tasks.fork.decision import Fork, decide
from .tasks.played_study import Study, run, run_async
from .values.game_marks import role_marks
from .values.score_strip import mistakes_of, strip
from .values.turn_values import turn_values

__all__ = [
    "Experiment",
    "Fork",
    "Game",
    "Measure",
    "ModelOptions",
    "Row",
    "RunOptions",
    "Study",
    "analyse",
    "decide",
    "document",
    "formats",
    "games",
    "measures",
    "mistakes_of",
    "read",
    "read_rows",
    "read_seat",
    "results",
    "rewards",
    "role_marks",
    "run",
    "run_async",
    "strip",
    "tasks",
    "turn_values",
]
