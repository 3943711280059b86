"""What the terminal shows of a judge's run."""

from rich.console import Console
from rich.text import Text

from experiments.document.terminal import plain_table
from experiments.tasks.judge import judge_report
from experiments.tasks.judge.judge_report import AGREED, SCORES, Report


def show(report: Report, screen: Console) -> None:
    """The means, the agreement and the notes."""
    means = plain_table(*SCORES, words=SCORES[:2])
    for row in judge_report.score_rows(report):
        means.add_row(*row)
    screen.print(means)
    if report.agreements:
        agreed = plain_table(*AGREED, words=AGREED[:2])
        for row in judge_report.agreement_rows(report):
            agreed.add_row(*row)
        screen.print()
        screen.print(agreed)
    screen.print()
    for note in judge_report.notes(report):
        screen.print(Text(note, style="magenta" if "no language model" in note or "no model" in note else "dim"))
