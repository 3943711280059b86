"""What the terminal shows of runs of questions."""

from rich.console import Console
from rich.text import Text

from experiments.document.terminal import plain_table
from experiments.tasks.questions import question_report
from experiments.tasks.questions.question_report import COLUMNS, CORRELATED, Report


def show(report: Report, screen: Console) -> None:
    """The table, the correlations and the notes."""
    table = plain_table(*COLUMNS, words=("who", "game"), fixed=COLUMNS)
    for row in question_report.rows(report):
        table.add_row(*row, style="dim" if row[0] == question_report.GUESSING else None)
    screen.print(table)
    if report.correlations:
        correlated = plain_table(*CORRELATED, words=CORRELATED[:1])
        for line in question_report.correlation_rows(report):
            correlated.add_row(*line)
        screen.print()
        screen.print(correlated)
    screen.print()
    for note in dict.fromkeys(question_report.notes(report)):
        screen.print(Text(note, style="magenta" if "no language model" in note else "dim"))
