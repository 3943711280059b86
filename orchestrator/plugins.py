"""Plugins: the entry points that installed packages declare in a group, loaded once.

A plugin that fails to load raises at every use: going on silently without it could play a different game.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from orchestrator.errors import UserError

BUILT_IN = "built-in"
"""The source of objects that this project itself defines."""


@dataclass(frozen=True)
class Plugin:
    source: str
    """Name of the distribution that declares it."""
    entry: EntryPoint

    def load(self) -> Any:
        """The object that the entry point names. Raises UserError, which names the entry point and the cause."""
        try:
            return self.entry.load()
        except UserError as error:
            raise UserError(f"{self}: {error}") from None
        except Exception as error:
            raise UserError(f"{self} cannot be loaded: {type(error).__name__}: {error}") from error

    def __str__(self) -> str:
        return f"plugin {self.source!r} ({self.entry.name} = {self.entry.value})"


def installed(group: str) -> list[Plugin]:
    """The plugins of a group, sorted by the names of their packages."""
    found = [Plugin(point.dist.name if point.dist else point.value, point) for point in entry_points(group=group)]
    return sorted(found, key=lambda plugin: (plugin.source, plugin.entry.name))


@dataclass
class Group:
    """The plugins of a group; each registers its objects when it is imported."""

    name: str
    loading: str | None = None
    """The source of the plugin that is being loaded."""
    loaded: bool = False
    failed: UserError | None = field(default=None)

    def load(self) -> None:
        """Load the plugins, once. Raises UserError at every call if one of them failed."""
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
        """The package that an object comes from: the plugin that is being loaded, else the package of its code."""
        package = getattr(made, "__module__", "__main__").partition(".")[0]
        return self.loading or (BUILT_IN if package == "roles" else package)
