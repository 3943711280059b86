"""Accuracy by kind of question as a picture: a panel for each kind, a row for each model, and what guessing gives."""

from collections.abc import Sequence
from typing import Any

from experiments.report.figures import style
from experiments.report.figures.scores import interval
from experiments.tasks.questions.accuracy import Accuracy, Guess
from experiments.tasks.questions.questions import KINDS, Kind

TITLES: dict[Kind, str] = {
    "ec": "environment comprehension (EC)",
    "tom": "theory of mind (ToM)",
    "jp": "joint planning (JP)",
}
CAPTION = (
    "Accuracy in each kind of questions, all games together, with its 95 % interval over questions. The dashed line: "
    "options drawn at random."
)


def paint(names: Sequence[str], cells: Sequence[Sequence[Accuracy]], guesses: Sequence[Guess]) -> Any:
    """Return a matplotlib figure of the runs of these names, each with its accuracies over all its games."""
    game = guesses[-1].game
    chance = {guess.kind: guess.accuracy for guess in guesses if guess.game == game}
    kinds = [kind for kind in KINDS if kind in chance]
    figure, axes = style.panels([style.height(len(names))] * len(kinds))
    for ax, kind in zip(axes, kinds, strict=True):
        ax.set_title(TITLES[kind])
        ax.axvline(100 * chance[kind], color=style.MUTED, linewidth=0.8, linestyle=(0, (4, 3)), zorder=1)
        for place, run in enumerate(cells):
            for cell in (cell for cell in run if (cell.game, cell.kind) == (game, kind)):
                low, high = cell.interval
                interval(ax, place, 100 * cell.accuracy, 100 * low, 100 * high)
        style.rows(ax, names)
        ax.set_xlim(-2, 102)
    axes[-1].set_xlabel("% of questions right")
    return figure
