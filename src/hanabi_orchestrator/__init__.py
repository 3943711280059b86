"""The project's one package: `from hanabi_orchestrator import graphs, play, roles`.

A file's path is its module's name: `roles/registry.py` is `hanabi_orchestrator.roles.registry`. In the repository the
five packages lie at the top, and links beside this file lead to them; in a wheel they lie here. The names of
`orchestrator` are offered here as well, loaded when they are first used.
"""

from importlib import import_module
from pathlib import Path
from typing import Any

PACKAGES = ("orchestrator", "roles", "graphs", "prompts", "experiments")

_HERE = Path(__file__).resolve().parent
if not (_HERE / "orchestrator").is_dir():  # a checkout on Windows may hold links as plain files
    __path__.append(str(_HERE.parent.parent))


def __getattr__(name: str) -> Any:
    if name in PACKAGES:
        return import_module(f"{__name__}.{name}")
    if name.startswith("__"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.orchestrator"), name)


def __dir__() -> list[str]:
    return [*PACKAGES, *import_module(f"{__name__}.orchestrator").__all__]
