"""Games of persons on the page, as they were set up: partners, seats and their tokens, beside the
game's journal."""

import os
import re
import secrets
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import Field, ValidationError

from hanabi_orchestrator.experiments.study.seat_spec import read_graph
from hanabi_orchestrator.orchestrator import regular_files
from hanabi_orchestrator.orchestrator.errors import UserError, user_error
from hanabi_orchestrator.orchestrator.hanabi.referee import MAX_SEED
from hanabi_orchestrator.orchestrator.models.settings import PERSON, PROGRAM
from hanabi_orchestrator.orchestrator.players import partners
from hanabi_orchestrator.orchestrator.values import Frozen

SUFFIX = ".seats.json"
_NAME = re.compile(r"[\w+-][\w.+-]{0,120}")


class Setup(Frozen):
    """A game of persons: who sits where."""

    graph: str = "house"
    """The partners: a graph, or `partner:NAME`."""
    model: str = PROGRAM
    players: Annotated[int, Field(ge=2, le=5)] = 3
    seats: Annotated[tuple[Annotated[int, Field(ge=0, le=4)], ...], Field(min_length=1)] = (0,)
    """The seats of persons."""
    seed: Annotated[int | None, Field(ge=0, le=MAX_SEED)] = None
    """None for a deal that nobody knows before the game has ended."""
    tokens: dict[int, str] = {}
    """By seat: who has it may see and play that seat."""

    @classmethod
    def of(cls, query: Mapping[str, Any], models: tuple[str, ...]) -> Self:
        """Return a new setup as a browser asks for it. Raises UserError."""
        try:
            setup = cls.model_validate(
                {name: query[name] for name in cls.model_fields if name in query}
            )
        except ValidationError as error:
            raise user_error("", error) from None
        seats = tuple(sorted(set(setup.seats)))
        if seats[-1] >= setup.players:
            raise UserError(f"there is no P{seats[-1]} among {setup.players} players")
        if setup.model not in models:
            raise UserError(
                f"the server was not started with the model {setup.model!r}; it has "
                f"{', '.join(models)}"
            )
        setup.check()
        return setup.model_copy(
            update={"seats": seats, "tokens": {seat: secrets.token_urlsafe(16) for seat in seats}}
        )

    def check(self) -> None:
        """Raise UserError for partners that there are not: graphs and partners by name alone, no
        files."""
        name = self.graph.removeprefix(partners.PREFIX)
        if self.graph.startswith(partners.PREFIX):
            partners.get(name)
        elif not _NAME.fullmatch(name) or name.endswith((".yaml", ".yml")):
            raise UserError(f"{self.graph[:80]!r} is not the name of a graph")
        else:
            read_graph(name)

    @property
    def specs(self) -> dict[int, str]:
        """By seat, as `--seat` names them: persons, and partners that are no graph."""
        partner = {}
        for seat in range(self.players):
            if self.graph.startswith(partners.PREFIX):
                partner[seat] = self.graph
        return partner | dict.fromkeys(self.seats, PERSON)

    @property
    def config(self) -> str:
        """The graph of the seats that have no spec."""
        if self.graph.startswith(partners.PREFIX):
            return "house"
        return self.graph

    def store(self, folder: Path) -> str:
        """Write it under a new name, for its owner alone, and return the name. Raises UserError."""
        stamp = datetime.now().strftime("%Y%m%d-%H%M%S")
        stem = f"{re.sub('[^a-z0-9_]+', '-', self.graph)}-{self.players}p-{stamp}"
        try:
            folder.mkdir(exist_ok=True)
            for number in range(1, 1000):
                name = stem if number == 1 else f"{stem}-{number}"
                try:
                    file = os.open(
                        folder / f"{name}{SUFFIX}", os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600
                    )
                except FileExistsError:
                    continue
                with os.fdopen(file, "w", encoding="utf-8") as out:
                    out.write(self.model_dump_json())
                return name
        except OSError as error:
            raise UserError(f"cannot write to {str(folder)!r}: {error.strerror}") from None
        raise UserError(f"too many games have begun in {str(folder)!r} this second")


def read(folder: Path, name: str) -> Setup | None:
    """Return the setup of a game; None where there is none that can be read."""
    if not _NAME.fullmatch(name):
        return None
    try:
        return Setup.model_validate_json(regular_files.text(folder / f"{name}{SUFFIX}"))
    except (OSError, ValidationError, UnicodeDecodeError):
        return None


def names(folder: Path) -> list[str]:
    """Return all games that were set up, the newest first."""
    files = sorted(folder.glob(f"*{SUFFIX}"), key=lambda path: path.stat().st_mtime, reverse=True)
    return [path.name.removesuffix(SUFFIX) for path in files]
