"""The project under a name that is its own: `from hanabi_orchestrator import graphs, play`.

Here are the packages `orchestrator`, `roles`, `graphs`, `prompts` and `experiments`, and the names of `orchestrator`. A
folder with a `graphs/`, `roles.py` or `prompts.py` of its own hides none of them. Start reading with `own_modules.py`.
"""

from importlib import import_module
from typing import Any

from hanabi_orchestrator import own_modules


def __getattr__(name: str) -> Any:
    if name in own_modules.PACKAGES:
        return import_module(f"{__name__}.{name}")
    if name.startswith("__"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.orchestrator"), name)


def __dir__() -> list[str]:
    return [*own_modules.PACKAGES, *import_module(f"{__name__}.orchestrator").__all__]


own_modules.install()
