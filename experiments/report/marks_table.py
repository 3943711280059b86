"""`marks`: the marks of each role as tables, as plain data, and as CSV with a row for every reply's mark."""

import csv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text

from experiments.marks.move_faults import KINDS
from experiments.marks.move_values import TITLES
from experiments.report.marked_run import MarkedRun
from experiments.report.missing_marks import missing
from experiments.report.tables import Grid, interval, number
from experiments.show.terminal import printed_table
from experiments.statistics.caveats import caveats
from experiments.statistics.role_marks import BASELINES, MarkSummary
from orchestrator.models.settings import PROGRAM
from roles.words import many
