"""The figures of a run of questions: accuracy by kind and game, what guessing gives, and correlations over models.

Trials of one question are no independent questions. A question counts as one, with the share of its trials that are
right, and intervals are over questions.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from statistics import fmean

from experiments.analysis.shares import Bounds, guessed_share, mean_share, standard_error
from experiments.tasks.questions.coordination_qa import QaRun, chosen_option, is_right
from experiments.tasks.questions.questions import GAMES, KINDS, KeyedQuestion, Kind

ALL = "all"
"""In place of a game: every game."""


@dataclass(frozen=True)
class Accuracy:
    """The accuracy in a kind of questions of a game."""

    game: str
    """`all` for every game."""
    kind: Kind
    questions: int
    """Those with an answer."""
    trials: int
    accuracy: float
    """The mean over questions of the share of trials that are right; an answer that could not be read is not."""
    interval: Bounds
    """95 %, by Clopper and Pearson over questions."""
    trial_error: float | None
    """The standard error over trials, as the paper takes it; None for one trial."""
    unread: int
    """Trials without a readable answer, after a second ask."""
    asked_again: int
    """Trials with a second ask."""


@dataclass(frozen=True)
class Guess:
    """What an option drawn at random gives: exact, from the options and the keys."""

    game: str
    kind: Kind
    questions: int
    accuracy: float
    """The mean chance of being right."""
    interval: Bounds
    """Between the 2.5 % and 97.5 % points of the accuracy that one guess a question gives."""


@dataclass(frozen=True)
class Correlation:
    """How the accuracy in a kind goes with that in joint planning, over models."""

    kind: Kind
    models: int
    pearson: float | None
    """None when all models are equal in one of the two."""
    spearman: float | None


def cells(run: QaRun) -> list[Accuracy]:
    """Return, for each game and for all, each kind that has answers."""
    rows = []
    for game, kind in product(_games(run.questions), KINDS):
        by_trial: dict[int, list[bool]] = {}
        answers = [answer for answer in run.answers if _fits(answer.question, game, kind)]
        for answer in answers:
            by_trial.setdefault(answer.trial, []).append(is_right(answer))
        if answers:
            share = mean_share((answer.question.name, is_right(answer)) for answer in answers)
            error = standard_error([fmean(right) for right in by_trial.values()])
            unread = sum(chosen_option(answer.question.options, answer.reply) is None for answer in answers)
            again = sum(answer.asks > 1 for answer in answers)
            rows.append(
                Accuracy(game, kind, share.clusters, share.n, share.value, share.interval, error, unread, again)
            )
    return rows


def _games(questions: Iterable[KeyedQuestion]) -> list[str]:
    names = {question.game for question in questions}
    games = [*(game for game in GAMES if game in names), *sorted(names - {*GAMES})]
    return [*games, ALL] if len(games) > 1 else games


def _fits(question: KeyedQuestion, game: str, kind: Kind) -> bool:
    return question.kind == kind and game in (ALL, question.game)


def guesses(questions: Sequence[KeyedQuestion]) -> list[Guess]:
    """Return, for each game and for all, each kind that has questions."""
    return [
        Guess(game, kind, share.n, share.value, share.interval)
        for game, kind in product(_games(questions), KINDS)
        if (chances := [question.chance for question in questions if _fits(question, game, kind)])
        for share in [guessed_share(chances)]
    ]


LEAST = 3
"""Models, for a correlation over them."""


def correlations(runs: Sequence[QaRun]) -> list[Correlation]:
    """Correlate environment comprehension and theory of mind with joint planning, over language models.

    Runs of programs, simulated models and the fake server are left out. None for fewer than three models.
    """
    tables = [cells(run) for run in runs if not run.label]
    points = [{cell.kind: cell.accuracy for cell in table if cell.game == table[-1].game} for table in tables]
    points = [point for point in points if len(point) == len(KINDS)]
    if len(points) < LEAST:
        return []
    from scipy.stats import pearsonr, spearmanr

    rows = []
    for kind in KINDS[:2]:
        ours, planning = [point[kind] for point in points], [point["jp"] for point in points]
        constant = len(set(ours)) == 1 or len(set(planning)) == 1
        r, rho = (None if constant else float(f(ours, planning).statistic) for f in (pearsonr, spearmanr))
        rows.append(Correlation(kind, len(points), r, rho))
    return rows
