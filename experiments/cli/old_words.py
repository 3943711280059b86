"""Old spellings of the command line: a table of words, old and new, by which a line is rewritten before it is read."""

import shlex
from collections.abc import Sequence
from typing import NamedTuple

COMMANDS = {
    "graphs list": "list graphs",
    "roles list": "list roles",
    "partners list": "list partners",
    "games list": "list games",
    "experiment list": "list experiments",
    "experiment runs": "list runs",
    "experiment references": "list references",
    "experiment positions list": "list positions",
    "probe list": "list probes",
    "experiment report": "report",
    "experiment positions report": "report",
    "qa report": "report",
    "probe report": "report",
    "judge report": "report",
    "marks": "report --marks",
    "experiment errors": "report --errors",
    "experiment compare": "diff",
    "bundle": "export --to page",
    "import hanab-live": "import --from hanab-live",
    "import hanabilogs": "import --from hanabilogs",
    "experiment pause": "experiment control {} pause",
    "experiment resume": "experiment control {} resume",
    "experiment limit": "experiment control {} limit",
    "experiment retry": "experiment control {} retry",
    "experiment cancel": "experiment control {} cancel",
    "experiment positions run": "evaluate positions",
    "experiment positions build": "evaluate build",
    "experiment positions show": "evaluate show",
    "probe run": "evaluate probes",
    "probe show": "evaluate show",
    "qa run": "evaluate questions",
    "judge run": "evaluate judge",
}
"""Commands, old and new; `{}` is the word after the old command, such as a folder."""


class Line(NamedTuple):
    """The words of a command line as they are spelled now."""

    words: list[str]
    hints: list[str]
    """What is spelled differently now, a sentence each."""


def renewed(words: Sequence[str]) -> Line:
    """Return a command line in today's words."""
    for length in (3, 2, 1):
        old = " ".join(words[:length])
        if new := COMMANDS.get(old):
            rest = list(words[length:])
            taken = rest[:1] if "{}" in new and rest and not rest[0].startswith("-") else []
            command = [*_split(new, taken), *rest[len(taken) :]]
            return Line(command, [f"`{old}` is now `{new.replace('{}', 'RUN')}`"])
    return Line(list(words), [])


def _split(new: str, taken: Sequence[str]) -> list[str]:
    return [word for part in shlex.split(new) for word in (taken if part == "{}" else [part])]
