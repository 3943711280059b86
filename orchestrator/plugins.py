"""What installed packages bring: the entry points of a group, loaded once, with the package that each is from.

A package that fails to load is told at every use: to play silently without it would be a game of another kind.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from orchestrator.errors import UserError

BUILT_IN = "built-in"
"""The source of what this project itself brings."""


@dataclass(frozen=True)
class Plugin:
    source: str
    """The distribution's name."""
    entry: EntryPoint

    def load(self) -> Any:
        """The object that the entry point names. Raises UserError that names the entry point and the error."""
        try:
            return self.entry.load()
        except UserError as error:
            raise UserError(f"{self}: {error}") from None
        except Exception as error:
            raise UserError(f"{self} cannot be loaded: {type(error).__name__}: {error}") from error

    def __str__(self) -> str:
        return f"plugin {self.source!r} ({self.entry.name} = {self.entry.value})"


def installed(group: str) -> list[Plugin]:
    """The plugins of a group, by the names of their packages."""
    found = [Plugin(point.dist.name if point.dist else point.value, point) for point in entry_points(group=group)]
    return sorted(found, key=lambda plugin: (plugin.source, plugin.entry.name))


@dataclass
class Group:
    """The plugins of a group that register what they bring when they are imported."""

    name: str
    loading: str | None = None
    """The source of the plugin that is being loaded."""
    loaded: bool = False
    failed: UserError | None = field(default=None)

    def load(self) -> None:
        """Once; raises UserError each time when a plugin fails."""
        if self.failed:
            raise self.failed
        if self.loaded:
            return
        self.loaded = True
        try:
            for plugin in installed(self.name):
                self.loading = plugin.source
                plugin.load()
        except UserError as error:
            self.failed = error
            raise
        finally:
            self.loading = None

    def source(self, made: Callable[..., Any] | None) -> str:
        """The package that brings an object: the plugin that is being loaded, else the package of its code."""
        package = getattr(made, "__module__", "__main__").partition(".")[0]
        return self.loading or (BUILT_IN if package == "roles" else package)
