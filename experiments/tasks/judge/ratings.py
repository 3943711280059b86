"""What a judge rated, as its folder has it: one answer for each statement and trial, beside the exact score."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from statistics import fmean

from experiments.running.answer_folder import AnswerRun, by_trial, paid
from experiments.running.question_run import ended
from experiments.tasks.judge.judged_folder import FOLDER, Judged, JudgeRecord
from orchestrator.journal.events import Call
from roles.hanabi.state_judge import ASPECTS, StateRating


@dataclass(frozen=True)
class Rated:
    """A trial that has ended."""

    judged: Judged
    trial: int
    """From 0."""
    rating: StateRating | None
    """None when no answer could be read."""
    asks: int
    error: str | None
    tokens_in: int
    tokens_out: int
    usd: float | None


@dataclass(frozen=True)
class JudgeRun(AnswerRun[JudgeRecord]):
    """A judge's run, as far as it has come."""

    judged: tuple[Judged, ...]
    answers: tuple[Rated, ...]

    @property
    def missing(self) -> int:
        """Trials that have not ended."""
        return len(self.judged) * self.record.trials - len(self.answers)

    @property
    def unread(self) -> int:
        return sum(one.rating is None for one in self.answers)

    @cached_property
    def means(self) -> Mapping[str, Mapping[str, float]]:
        """By statement: each aspect, the mean over its trials."""
        found: dict[str, list[StateRating]] = {}
        for one in self.answers:
            if one.rating is not None:
                found.setdefault(one.judged.name, []).append(one.rating)
        return {
            name: {aspect: fmean(getattr(one, aspect) for one in given) for aspect in ASPECTS}
            for name, given in found.items()
        }


def read(folder: Path) -> JudgeRun:
    """The run in a folder. Raises UserError when there is none."""
    record, judged, calls = FOLDER.record_of(folder), tuple(FOLDER.questions_of(folder)), FOLDER.calls(folder)
    by_name = {one.name: one for one in judged}
    return JudgeRun(folder, record, any(call.fake for call in calls), judged, tuple(_rated(by_name, calls)))


def _rated(judged: Mapping[str, Judged], calls: Sequence[Call]) -> Iterator[Rated]:
    for (name, trial), asked in by_trial(calls, judged).items():
        last = asked[-1]
        if ended(last):
            yield Rated(
                judged[name],
                trial,
                None if last.reply is None else StateRating.model_validate(last.reply),
                len({call.ask for call in asked}),
                last.error,
                *paid(asked),
            )
