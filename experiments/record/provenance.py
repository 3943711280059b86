"""Who answered: a language model, or something that must never be taken for one."""

from collections.abc import Iterable
from enum import Flag, auto
from functools import reduce
from operator import or_

from hanabi_orchestrator.orchestrator.models.settings import PERSON, PROGRAM
from hanabi_orchestrator.orchestrator.models.simulated_settings import is_simulated

NAMES = {PROGRAM: "PROGRAM", PERSON: "PERSON", "nobody": "NOBODY"}
"""What journals write in the place of a model."""


class Provenance(Flag):
    """The answerers of a call, a game or a run: several of them where seats or nodes differ."""

    MODEL = auto()
    """A language model."""
    SIMULATED = auto()
    """A program that makes errors and answers in text."""
    FAKE_SERVER = auto()
    """The package's fake server."""
    PROGRAM = auto()
    PERSON = auto()
    NOBODY = auto()

    @classmethod
    def of_models(cls, names: str, *, fake: bool = False) -> "Provenance":
        """Return the answerers behind model names joined by `+`; `fake`: models are those of the fake server."""
        server = cls.FAKE_SERVER if fake else cls.MODEL
        return cls.union(
            cls[NAMES[name]] if name in NAMES else cls.SIMULATED if is_simulated(name) else server
            for name in names.split("+")
        ) | (cls.FAKE_SERVER if fake else cls(0))

    @classmethod
    def union(cls, parts: Iterable["Provenance"]) -> "Provenance":
        """Return all answerers of several calls, games or arms."""
        return reduce(or_, parts, cls(0))

    @property
    def only_programs(self) -> bool:
        """Whether no model, no server and no person was asked."""
        return self == self.PROGRAM

    @property
    def labels(self) -> tuple[str, ...]:
        """The words beside a score: `simulated`, `fake server`, or `program` alone; empty for language models."""
        words = {self.SIMULATED: "simulated", self.FAKE_SERVER: "fake server"}
        return (
            tuple(word for part, word in words.items() if part in self)
            or ("program",) * self.only_programs
        )

    @property
    def note(self) -> str:
        """The sentence below a figure or a table: the first of the labels in words; empty for language models."""
        return NOTES[self.labels[0]] if self.labels else ""


NOTES = {
    "simulated": "simulated models, no language models",
    "fake server": "the package's fake server, no language model",
    "program": "programs, no language model",
}
"""By label: the sentence below a figure or a table of scores that no language model played."""
