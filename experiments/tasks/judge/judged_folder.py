"""The folder of a judge's run: `judge.yaml` says who judged what, `judged.ndjson` holds each statement with its exact
score, `calls.jsonl` the journal of calls."""

import hashlib
from collections.abc import Iterable
from pathlib import Path

import prompts
import roles
from experiments.running.answer_folder import AnswerFolder, AnswerRecord
from experiments.tasks.judge.judging import ROLE, context
from experiments.tasks.judge.statements import Choice, Statement
from orchestrator.plugins import versions
from orchestrator.values import Frozen


class JudgeRecord(AnswerRecord):
    """Who judged what."""

    judged: str
    """The name of the run, folder or journal, without its folder."""
    turns: str
    every: int
    prompt: str
    """The SHA-256 of the judge's own words, the first 16 digits."""


class Judged(Frozen):
    """A statement as the folder keeps it."""

    name: str
    game: str
    turn: int
    seat: int
    model: str
    exact: dict[str, float]

    @classmethod
    def of(cls, statement: Statement) -> "Judged":
        return cls(**{name: getattr(statement, name) for name in cls.model_fields})


FOLDER = AnswerFolder(
    JudgeRecord,
    Judged,
    record="judge.yaml",
    questions="judged.ndjson",  # a journal's name would make readers of journals read it
    what="run of a judge",
    head="# Who judged the state tracking of which games. The same command again goes on, also with new games.\n",
    fixed=("model", "settings", "judged", "turns", "every", "prompt"),
)


def record(path: Path, choice: Choice, model: str, settings: dict[str, object], trials: int) -> JudgeRecord:
    return JudgeRecord(
        model=model,
        settings=settings,
        trials=trials,
        versions=versions(),
        judged=path.resolve().name,
        turns=choice.turns,
        every=choice.every,
        prompt=prompt_hash(),
    )


def prompt_hash() -> str:
    """Of everything that the judge's prompt says but for what is judged."""
    files = [f for section in context().names for f in context().files(section)]
    texts: Iterable[str] = (roles.get(ROLE).template or "", *(prompts.text(file) for file in files))
    return hashlib.sha256("\n\n".join(texts).encode()).hexdigest()[:16]
