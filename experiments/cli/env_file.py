"""The `.env` of this folder or of one above it: keys of models, and the few settings that have a
variable.

A file that somebody else can put above one's folder must not steer this program: of a file of
another user nothing is read, of one's own no variable that is not ours, such as a proxy.
"""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from stat import S_ISREG

from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.models import keys
from hanabi_orchestrator.orchestrator.regular_files import not_text

NAME = ".env"
AZURE_KEYS = ("AZURE_OPENAI_API_KEY", "AZURE_OPENAI_AD_TOKEN")
READ = re.compile(
    rf"{keys.NAME.pattern}|HANABI_[A-Z_]+|OPENAI_API_VERSION|{keys.AZURE_ENDPOINT}|{AZURE_KEYS[1]}"
)
"""The variables that are read."""


def load() -> Iterator[str]:
    """Set the variables of the nearest `.env` that the environment does not have; yield sentences
    about it.

    Raises UserError for a file that cannot be read.
    """
    from dotenv import dotenv_values

    for path in (folder / NAME for folder in (Path.cwd(), *Path.cwd().parents)):
        why = unread(path)
        if why is None:
            break
        if why:
            yield f"{path} is not read: {why}"
    else:
        return
    try:
        values = dotenv_values(path)
        variables = {
            name: text
            for name, text in values.items()
            if text is not None and name not in os.environ
        }
        settings = {
            name: text
            for name, text in variables.items()
            if READ.fullmatch(name) and name != keys.HOSTS
        }
        if any(map(os.environ.get, AZURE_KEYS)):
            # a key goes where the environment, or its own file, says
            settings.pop(keys.AZURE_ENDPOINT, None)
        os.environ.update(settings)
    except UnicodeDecodeError as error:
        raise UserError(f"cannot read {path}: {not_text(error)}") from None
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror}") from None
    except ValueError as error:  # a NUL, which no variable can hold
        raise UserError(f"cannot read {path}: {error}") from None
    if settings:
        ignored = len(variables) - len(settings)
        left = f" ({ignored} of its variables are not read: they are no keys)" if ignored else ""
        yield f"{', '.join(settings)} from {path}{left}"


def unread(path: Path) -> str | None:
    """Return why a `.env` is not read, empty where there is none; None where it is."""
    try:
        status = path.stat()
    except OSError:
        return ""
    if not S_ISREG(status.st_mode):
        if path.is_dir():
            return ""
        return "it is a pipe or a device"
    user = getattr(os, "getuid", lambda: status.st_uid)()
    if status.st_uid in (user, 0):
        return None
    return "it belongs to another user"
