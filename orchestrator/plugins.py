"""Code from outside: plugins, which are entry points that installed packages declare, and what `--import` names.

A `Group` is imported as a whole: a plugin of it that fails to load raises at every use, for going on silently without
it could play a different game. A `Table` loads what is named: a broken plugin hinders nobody who does not name it.
"""

import hashlib
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any, Generic, TypeVar

from hanabi_orchestrator.orchestrator import regular_files
from hanabi_orchestrator.orchestrator.cells import check_name
from hanabi_orchestrator.orchestrator.errors import UserError, did_you_mean, in_words

BUILT_IN = "built-in"
"""The source of objects that this project itself defines."""


@dataclass(frozen=True)
class Plugin:
    source: str
    """Name of the distribution that declares it."""
    entry: EntryPoint

    def load(self) -> Any:
        """Return the object that the entry point names. Raises UserError, which names the entry point and the cause."""
        try:
            return self.entry.load()
        except UserError as error:
            raise UserError(f"{self}: {error}") from None
        except (Exception, SystemExit) as error:
            raise UserError(f"{self} cannot be loaded: {type(error).__name__}: {error}") from error

    def __str__(self) -> str:
        return f"plugin {self.source!r} ({self.entry.name} = {self.entry.value})"


def installed(group: str) -> list[Plugin]:
    """Return the plugins of a group, sorted by the names of their packages."""
    plugins = [
        Plugin(point.dist.name if point.dist else point.value, point)
        for point in entry_points(group=group)
    ]
    return sorted(plugins, key=lambda plugin: (plugin.source, plugin.entry.name))


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

    def source(self, registered: Callable[..., Any] | None) -> str:
        """Return the package that an object comes from: the plugin that is being loaded, else the package of its
        code."""
        package = getattr(registered, "__module__", "__main__").partition(".")[0]
        return (
            self.loading
            or _importing
            or (BUILT_IN if package == "hanabi_orchestrator" else package)
        )


T = TypeVar("T")


class Table(Generic[T]):
    """The things of a kind by name: those of this package, of installed packages, and those that code adds.

    An entry point of the group has the name of a thing, and says where it is. Nothing is loaded before it is named.
    """

    def __init__(self, kind: type[T], noun: str, group: str, built_in: Mapping[str, str]) -> None:
        """`built_in`: by name, where a thing is, `module:attribute`; `noun`: what a thing is called in sentences."""
        self.kind = kind
        self.noun = noun
        self.group = group
        self.built_in = built_in
        self._added: dict[str, tuple[str, T]] = {}
        self._loaded: dict[str, T] = {}

    @cached_property
    def _installed(self) -> Mapping[str, Sequence[Plugin]]:
        by_name: dict[str, list[Plugin]] = {}
        for plugin in installed(self.group):
            by_name.setdefault(plugin.entry.name, []).append(plugin)
        return by_name

    def add(self, name: str, thing: T) -> T:
        """Register a thing and return it. Raises UserError for a name that is taken, and for a thing of another type."""
        check_name(name)
        source = _importing or "this program"
        if owners := self._sources(name):
            raise UserError(
                f"{self.noun} {name!r} is registered twice: by {owners[0]} and by {source}; "
                "choose another name"
            )
        self._added[name] = source, self._checked(thing, f"{self.noun} {name!r}")
        return thing

    def starting(self, beginning: str) -> list[str]:
        """Return the names that begin so, for a shell that completes them."""
        return [name for name in self.names() if name.startswith(beginning)]

    def names(self) -> list[str]:
        """Return the names of all, those of this package first."""
        return list(dict.fromkeys((*self.built_in, *self._installed, *self._added)))

    def get(self, name: str) -> T:
        """Return the thing of a name. Raises UserError with the known names, and for a plugin that is broken."""
        if name not in self._loaded:
            self._loaded[name] = self._load(name)
        return self._loaded[name]

    def source(self, name: str) -> str:
        """Return who brings a thing: `built-in`, an installed package, or what `--import` named."""
        return " and ".join(self._sources(name))

    def sound(self) -> Iterator[tuple[str, T]]:
        """Give each thing with its name; those that cannot be loaded are left out."""
        for name in self.names():
            with suppress(UserError):
                yield name, self.get(name)

    def problems(self) -> list[str]:
        """Return why some cannot be loaded, each in a sentence."""
        problems = []
        for name in self.names():
            try:
                self.get(name)
            except UserError as error:
                problems.append(str(error))
        return problems

    def says(self, name: str) -> str:
        """Return what a thing says of itself; of one that cannot be loaded, why."""
        try:
            return str(getattr(self.get(name), "says", ""))
        except UserError as error:
            return str(error)

    def loaded(self) -> Mapping[str, T]:
        """Return what was named so far."""
        return self._loaded

    def _sources(self, name: str) -> list[str]:
        ours = [BUILT_IN] if name in self.built_in else []
        plugins = [plugin.source for plugin in self._installed.get(name, ())]
        added = [self._added[name][0]] if name in self._added else []
        return [*ours, *plugins, *added]

    def _load(self, name: str) -> T:
        sources = self._sources(name)
        if not sources:
            raise UserError(
                f"unknown {self.noun} {name!r}: one of your own needs --import FILE; "
                f"{did_you_mean(name, self.names())}"
            )
        if len(sources) > 1:
            raise UserError(
                f"{self.noun} {name!r} is there twice: by {sources[0]} and by {sources[1]}; "
                "uninstall one of them"
            )
        if name in self._added:
            return self._added[name][1]
        if name in self.built_in:
            module, _, attribute = self.built_in[name].partition(":")
            return self._checked(getattr(import_module(module), attribute), name)
        (plugin,) = self._installed[name]
        return self._checked(plugin.load(), str(plugin))

    def _checked(self, thing: object, name: str) -> T:
        if isinstance(thing, self.kind):
            return thing
        raise UserError(
            f"{name} is no {self.noun}: its type is {type(thing).__name__}, not "
            f"{self.kind.__name__}"
        )


# Code that a command names


@dataclass(frozen=True)
class OwnCode:
    """A Python file or a module that a user imports for a command, so that its roles and sections are known."""

    name: str
    """As the user wrote it: `my_role.py`, `my_package.roles`."""
    path: Path
    """The absolute path of the file, or of the folder in which the module's top package lies."""
    sha256: str
    """Of the file, or of all files of the top package."""

    @property
    def is_file(self) -> bool:
        return self.name.endswith(".py")

    def load(self) -> ModuleType:
        """Import it, once per process. Raises UserError, also where another code has this name on this machine."""
        if self.name in _OWN:
            return _OWN[self.name][1]
        with _named(self.name):
            module = _file(self.path) if self.is_file else _module(self.name, self.path)
            if (digest := _digest(self.path if self.is_file else _home(module))) != self.sha256:
                raise UserError(
                    f"its content here is another: sha256 {digest[:12]}, not {self.sha256[:12]}"
                )
        _OWN[self.name] = self, module
        return module


_OWN: dict[str, tuple[OwnCode, ModuleType]] = {}
_importing: str | None = None
"""The code that is being imported."""


def own_code() -> dict[OwnCode, ModuleType]:
    """Return what was imported so far, in order."""
    return dict(_OWN.values())


def import_own(name: str) -> OwnCode:
    """Import a file (`my_role.py`) or a module (`my_package.roles`) of the working directory or an installed one, once.

    Raises UserError, in one sentence, when it cannot be imported.
    """
    if name not in _OWN:
        with _named(name):
            if name.endswith(".py"):
                path = Path(name).resolve()
                code = OwnCode(name, path, _digest(path))
            else:
                home = _home(_module(name, Path.cwd()))
                code = OwnCode(name, home.parent, _digest(home))
        code.load()
    return _OWN[name][0]


@contextmanager
def _named(name: str) -> Iterator[None]:
    """Names the code in errors, and as the source of the roles that it registers meanwhile."""
    global _importing
    before = _importing
    _importing = name
    try:
        yield
    except OSError as error:
        raise UserError(
            f"--import {name}: cannot read {error.filename}: {error.strerror}"
        ) from None
    except UserError as error:
        raise UserError(f"--import {name}: {error}") from None
    except (Exception, SystemExit) as error:
        raise UserError(f"--import {name}: {in_words(error)}") from error
    finally:
        _importing = before


def _file(path: Path) -> ModuleType:
    """Its folder comes last among those that are searched: a stray file must not pose as an installed package."""
    if module := sys.modules.get(path.stem):
        if getattr(module, "__file__", None) == str(path):
            return module
        raise UserError(f"a module {path.stem!r} is there already; give the file another name")
    _search(path.parent)
    spec = spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None  # the name ends in .py
    module = sys.modules[path.stem] = module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[path.stem]
        raise
    return module


def _module(name: str, folder: Path) -> ModuleType:
    _search(folder)
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        if error.name and (name == error.name or name.startswith(f"{error.name}.")):
            raise UserError(
                "there is no such module here; name a module, or a file that ends in .py"
            ) from None
        raise


def _search(folder: Path) -> None:
    if str(folder) not in sys.path:
        sys.path.append(str(folder))


def _home(module: ModuleType) -> Path:
    """Return the folder of a module's top package, or the module's only file."""
    top = sys.modules[module.__name__.partition(".")[0]]
    folders = list(getattr(top, "__path__", ()))
    return Path(folders[0] if folders else str(top.__file__)).resolve()


def _digest(path: Path) -> str:
    """Return the SHA-256 of a file, or of the names and contents of all files below a folder."""
    if not path.is_dir():
        return hashlib.sha256(regular_files.content(path)).hexdigest()
    digest = hashlib.sha256()
    for file in sorted(
        each for each in path.rglob("*") if each.is_file() and "__pycache__" not in each.parts
    ):
        digest.update(
            f"{file.relative_to(path).as_posix()}\n".encode() + regular_files.content(file)
        )
    return digest.hexdigest()
