"""The versions of the packages that can change a game."""

from collections.abc import Mapping
from functools import cache
from importlib.metadata import version

VERSIONS = ("hanabi-orchestrator", "hanabi-learning-environment", "langgraph", "langchain-core", "openai", "pydantic")


@cache
def versions() -> Mapping[str, str]:
    """By the package's name; journals, run.yaml and `--version` state them."""
    return {name: version(name) for name in VERSIONS}
