"""The versions of the packages that can change a game."""

from collections.abc import Iterator, Mapping
from functools import cache
from importlib.metadata import version

from hanabi_orchestrator.orchestrator.hanabi import engine

PACKAGES = ("hanabi-orchestrator", "langgraph", "langchain-core", "openai", "pydantic")
"""Beside the engine's."""


def versions() -> Mapping[str, str]:
    """Return the version of each, the engine's included; journals, run.yaml and `--version` state them. Raises
    UserError where no engine is installed."""
    return _versions((*PACKAGES, engine.distribution()))


@cache
def _versions(packages: tuple[str, ...]) -> Mapping[str, str]:
    return {name: version(name) for name in packages}


def changed(recorded: Mapping[str, str]) -> Iterator[tuple[str, str, str]]:
    """Yield each package that may change a game: its name, its version in a record, and what this version is. The
    builds of the engine play alike, so another one is no change."""
    installed = versions()
    for name, old in recorded.items():
        if name not in engine.DISTRIBUTIONS.values() and installed.get(name) != old:
            yield name, old, installed.get(name, "another")
