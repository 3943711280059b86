"""The folder of a run: a record of what is asked of whom. A command begins it, or goes on with it, or is refused."""

from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from typing import Any, Generic, TypeVar

import yaml
from pydantic import ValidationError

from experiments.record.files import write_atomically
from orchestrator.errors import UserError, shortened, user_error
from orchestrator.plugins import versions
from orchestrator.values import Frozen
from orchestrator.yaml_files import from_file, loaded

R = TypeVar("R", bound=Frozen)


@dataclass(frozen=True)
class RunFolder(Generic[R]):
    """How a kind of run keeps its record."""

    kind: type[R]
    file: str
    """The record's file, such as `qa.yaml`."""
    what: str
    """Such as `run of questions`, for messages."""
    head: str
    """The comment above the record."""
    fixed: tuple[str, ...]
    """The fields of the record that a command must say again to go on with a run."""
    grows: tuple[str, ...] = ()
    """Those that hold the most that any command said."""
    files: tuple[str, ...] = ()
    """Patterns of other files and folders that a run may have before its first answer."""

    def begin(self, folder: Path, record: R, *, begun: bool) -> R:
        """Write the record of a new run, or check that a run goes on; the record as it stands then.

        A run that has not `begun`, for it holds no answer, counts as new. Its `versions` are those of the first
        command. Raises UserError for a folder with another run, and names the first difference, or with other files.
        """
        folder.mkdir(parents=True, exist_ok=True)
        new: dict[str, Any] = {"versions": dict(versions())}
        mine = (".*", self.file, *self.files)
        if begun and (folder / self.file).exists():
            before = self.read(folder)
            self.check(folder, before, record)
            grown = {name: max(getattr(before, name), getattr(record, name)) for name in self.grows}
            new = {"versions": getattr(before, "versions", {}), **grown}
        elif not all(any(fnmatch(path.name, name) for name in mine) for path in folder.iterdir()):
            raise UserError(f"{str(folder)!r} holds other files, and no {self.file}; give another --out")
        record = record.model_copy(update=new)
        plain = yaml.safe_dump(self.plain(record), sort_keys=False, allow_unicode=True, width=120)
        write_atomically(folder / self.file, self.head + plain)
        return record

    def plain(self, record: R) -> dict[str, Any]:
        """Return a record as its file holds it."""
        return record.model_dump(mode="json")

    def check(self, folder: Path, before: R, now: R) -> None:
        """Raise UserError where a command asks something else than the run in its folder."""
        for name in self.fixed:
            old, new = getattr(before, name), getattr(now, name)
            if old != new:
                raise UserError(
                    f"{str(folder)!r} holds a run with another {name.replace('_', ' ')}: {difference(old, new)}; give "
                    "another --out"
                )

    def read(self, folder: Path) -> R:
        """Return the record of a folder. Raises UserError when it holds no such run."""
        path = folder / self.file
        if not path.exists():
            raise UserError(f"there is no {self.what} in {str(folder)!r}: it has no {self.file}")
        return self.parsed(path)

    def parsed(self, path: Path) -> R:
        """Return the record in a file. Raises UserError."""
        try:
            return self.kind.model_validate(loaded(from_file(path, "the run"), str(path)))
        except ValidationError as error:
            raise user_error(str(path), error) from None


def difference(old: Any, new: Any) -> str:
    """Return what a value was and what it is now: of mappings, for the first key that differs."""
    if isinstance(old, Frozen) and isinstance(new, Frozen):
        return difference(dict(old), dict(new))
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        key = next(key for key in (*old, *new) if old.get(key) != new.get(key))
        return f"{key} {difference(old.get(key), new.get(key))}"
    return f"{shortened(_plain(old))}, not {shortened(_plain(new))}"


def _plain(value: Any) -> str:
    return ", ".join(map(str, value)) or "none" if isinstance(value, tuple) else repr(value)
