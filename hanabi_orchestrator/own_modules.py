"""The imports of this project's modules, which find each other even where others have their names.

`graphs`, `roles`, `prompts` and the like are names that users' own projects have, too. So each module of ours is loaded
once, as `hanabi_orchestrator.graphs...`, and what it calls `graphs` is that. Elsewhere `import graphs` means whatever
Python's path says; where it says ours, it is the same module.
"""

import builtins
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import ModuleType

PACKAGES = ("orchestrator", "roles", "graphs", "prompts", "experiments")
NAME = __package__
HOME = Path(__file__).resolve().parent.parent


def install() -> None:
    """Find modules in this way from now on; a package of ours whose import has begun is replaced as well."""
    sys.meta_path.insert(0, _Finder)
    for package in PACKAGES:
        if package in sys.modules and _is_ours(
            package, getattr(sys.modules[package], "__file__", None)
        ):
            sys.modules[package] = import_module(f"{NAME}.{package}")


def _is_ours(package: str, file: str | None) -> bool:
    return file is not None and Path(file).resolve().is_relative_to(HOME / package)


class _Finder:
    """Finds the modules of ours, under either name."""

    @staticmethod
    def find_spec(
        name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        plain = name.removeprefix(f"{NAME}.")
        package = plain.partition(".")[0]
        if package not in PACKAGES:
            return None
        spec = PathFinder.find_spec(name, [str(HOME)] if name == f"{NAME}.{package}" else path)
        if spec is None or spec.origin is None or not _is_ours(package, spec.origin):
            return None
        spec.loader = (_Alias if plain == name else _Loader)(name, spec.origin)
        return spec


class _Loader(SourceFileLoader):
    """Loads a module of ours."""

    def exec_module(self, module: ModuleType) -> None:
        vars(module)["__builtins__"] = vars(builtins) | {"__import__": _import}
        super().exec_module(module)


class _Alias(SourceFileLoader):
    """Gives the module of ours that a plain name stands for."""

    def exec_module(self, module: ModuleType) -> None:
        sys.modules[module.__name__] = import_module(f"{NAME}.{module.__name__}")


def _import(
    name: str,
    names: Mapping[str, object] | None = None,
    local_names: Mapping[str, object] | None = None,
    fromlist: Sequence[str] | None = (),
    level: int = 0,
) -> ModuleType:
    """The `__import__` of our modules."""
    package = name.partition(".")[0]
    if level or package not in PACKAGES:
        return builtins.__import__(name, names, local_names, fromlist or (), level)
    module = builtins.__import__(f"{NAME}.{name}", names, local_names, fromlist or ())
    return module if fromlist else sys.modules[f"{NAME}.{package}"]
