"""The graphs and contexts that have names: packaged ones, and those of installed packages.

An entry point of the group `hanabi_orchestrator.graphs` names a package: the `*.yaml` in its folder are graphs, those
in its folder `contexts` are contexts. A package that a user imports by `--import` brings graphs and contexts likewise.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from hanabi_orchestrator import prompts, roles
from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.plugins import (
    BUILT_IN,
    OwnCode,
    import_own,
    installed,
    own_code,
)
from hanabi_orchestrator.orchestrator.yaml_files import about

GROUP = "hanabi_orchestrator.graphs"


@dataclass(frozen=True)
class Found:
    source: str
    """`built-in`, or the name of the installed package."""
    text: str

    @property
    def about(self) -> str:
        """What it is, with its paper and section: the first sentence of its file."""
        return about(self.text)


@cache
def graphs() -> Mapping[str, Found]:
    """Every named graph. Raises UserError when a package cannot be loaded or a name is taken twice."""
    return _all("graph", files(__package__).joinpath("configs"), "")


@cache
def contexts() -> Mapping[str, Found]:
    """Every named context; raises UserError likewise."""
    return _all("context", files(prompts).joinpath("contexts"), "contexts")


def _all(what: str, folder_of_ours: Traversable, folder: str) -> Mapping[str, Found]:
    entries: dict[str, Found] = {}
    for source, home in [(BUILT_IN, folder_of_ours), *_brought(folder)]:
        for file in sorted(home.iterdir(), key=lambda file: file.name) if home.is_dir() else ():
            name = Path(file.name).stem
            if not file.name.endswith(".yaml"):
                continue
            if name in entries:
                by = f"by {entries[name].source} and by {source}"
                raise UserError(f"{what} {name!r} is there twice: {by}; choose another name")
            entries[name] = Found(source, file.read_text("utf-8"))
    return entries


def _brought(folder: str) -> Iterator[tuple[str, Traversable]]:
    """The folder of every installed package. Its roles come first, so that they are known as its own."""
    roles.load()
    packages = []
    for plugin in installed(GROUP):
        package = plugin.load()
        if not hasattr(package, "__path__"):
            raise UserError(
                f"{plugin} names no package; name the package whose folder holds the graphs' YAML files"
            )
        packages.append((plugin.source, package))
    packages += [
        (code.name, module) for code, module in own_code().items() if hasattr(module, "__path__")
    ]
    for source, package in packages:
        yield source, files(package).joinpath(folder) if folder else files(package)


# Code of a user's own (`--import`), in every process of a run


def bring(names: Iterable[str]) -> None:
    """Import files and modules by name; their roles, sections and graphs are known from then on. Raises UserError."""
    roles.load()  # those of packages and our own come first, so that nobody else passes for their source
    for name in names:
        import_own(name)
    graphs.cache_clear()
    contexts.cache_clear()


def brought() -> tuple[OwnCode, ...]:
    """Return what was imported, as plain data for other processes."""
    return tuple(own_code())


def bring_again(codes: Iterable[OwnCode]) -> None:
    """Import the same in another process. Raises UserError where the code is not there, or is another."""
    roles.load()
    for code in codes:
        code.load()
