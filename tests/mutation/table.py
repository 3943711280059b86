"""The table of the core, `core.yaml`: its files, the tests that must notice a change, and changes that are known."""

from collections.abc import Iterator
from pathlib import Path

import yaml
from pydantic import BaseModel, ConfigDict

from tests.mutation.mutants import Mutant, mutants
from tests.support.folders import ROOT


class Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Area(Strict):
    files: tuple[str, ...]
    tests: tuple[str, ...]
    without: tuple[str, ...] = ()
    """Tests of those files that take long and notice nothing that the others do not."""

    @property
    def run(self) -> tuple[str, ...]:
        """As pytest is told."""
        return (*self.tests, *(f"--deselect={test}" for test in self.without))


class Named(Strict):
    """A change that some test must notice, by the texts in the file."""

    file: str
    was: str
    now: str
    relies: str
    """What a user relies on."""

    def mutant(self) -> Mutant:
        """Raises AssertionError when the file does not hold the old text just once."""
        text = (ROOT / self.file).read_text("utf-8")
        found = text.count(self.was)
        assert found == 1, (
            f"{self.file}: {self.was!r} of core.yaml stands there {found} times; it must be once"
        )
        line = text[: text.index(self.was)].count("\n") + 1
        return Mutant(self.file, line, self.was, self.now, lambda: text.replace(self.was, self.now))


class Equivalent(Strict):
    """A mutant that changes nothing that could be noticed."""

    file: str
    was: str
    now: str
    reason: str


class Table(Strict):
    areas: dict[str, Area]
    named: tuple[Named, ...]
    equivalent: tuple[Equivalent, ...]

    @classmethod
    def read(cls) -> "Table":
        return cls.model_validate(
            yaml.safe_load(Path(__file__).with_name("core.yaml").read_text("utf-8"))
        )

    def area_of(self, file: str) -> Area:
        return next(area for area in self.areas.values() if file in area.files)

    def reason(self, mutant: Mutant) -> str | None:
        """Why a mutant changes nothing; None where it is not known to."""
        same = (mutant.file, mutant.was, mutant.now)
        return next(
            (one.reason for one in self.equivalent if (one.file, one.was, one.now) == same), None
        )

    def lost(self) -> Iterator[Equivalent]:
        """The equivalent ones that are mutants no more, because the file has changed."""
        made = {one.file: {(m.was, m.now) for m in made_of(one.file)} for one in self.equivalent}
        return (one for one in self.equivalent if (one.was, one.now) not in made[one.file])


def made_of(file: str) -> list[Mutant]:
    """All mutants of a file of the repository."""
    return mutants(file, (ROOT / file).read_text("utf-8"))
