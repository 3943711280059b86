"""Old spellings of the command line: a table of words, old and new, by which a line is rewritten before it is read."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from orchestrator.errors import UserError
from orchestrator.values import whole_number

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


OPTIONS: Mapping[str, Mapping[str, str]] = {
    "--replay": {"": "--cache replay:{}"},
    "--verify": {"": "--set verify={}"},
    "--max-answer-tokens": {"": "--max-tokens {}"},
    "--max-usd": {"": "--budget {}usd"},
    "--csv": {"report": "--out {}", "experiment policy": "--out {}"},
    "--figure": {"experiment policy": "--out {}"},
    "--metric": {"experiment run": "--set metric={}"},
    "--arm-b": {"diff": "--arm {}"},
    "--stop-when": {"experiment run": "--set stop.when={}"},
    "--stop-effect": {"experiment run": "--set stop.effect={}"},
    "--looks": {"experiment run": "--set stop.looks=[{}]"},
    "--otlp-content": {"": "--otlp content"},
    "--content": {"export": "--otlp content"},
    "--endpoint": {"export": "--otlp {}"},
    "--texts": {"export": "--with texts"},
    "--game": {"export": "--with game={}"},
    "--values": {"export": "--with values"},
    "--swings": {"show": "--mistakes"},
    "--trials": {"evaluate": "--samples {}"},
    "--position": {"evaluate show": "{}"},
    "--mermaid": {"graphs show": "--as mermaid"},
    "--yaml": {"graphs show": "--as yaml"},
    "--only": {"fake-endpoint": "--faults {}"},
    "--fault-seed": {"fake-endpoint": "--faults seed={}"},
    "--hang": {"fake-endpoint": "--faults hang={}"},
    "--from": {"evaluate build": "{}"},
    "--partners": {"bench": "--partner all"},
}
"""Options, old and new, by the command that they are of; `{}` is the value."""

PROOFS = ("--claims", "--coverage", "--stopping")
"""Options that `bench` had for what is measured of the project itself."""

LONGEST_ANSWER = 20_000
"""Tokens from which on `--max-tokens` was meant as a budget, which it used to be."""


class Line(NamedTuple):
    """The words of a command line as they are spelled now."""

    words: list[str]
    hints: list[str]
    """What is spelled differently now, a sentence each."""


def renewed(words: Sequence[str]) -> Line:
    """Return a command line in today's words. Raises UserError for a budget by its old name."""
    command, hints = _command(words)
    if command[:1] == ["bench"] and (proofs := [word for word in command if word in PROOFS]):
        raise UserError(f"`bench {proofs[0]}` is now `python -m benchmarks {proofs[0].lstrip('-')}`")
    new, rest, line = list[str](), iter(command), f"{' '.join(command)} "
    for word in rest:
        if word == "--":
            return Line([*new, word, *rest], hints)
        name, equals, value = word.partition("=")
        of_command = OPTIONS.get(name, {}).items()
        old = next((new for start, new in of_command if line.startswith(f"{start} ".lstrip())), None)
        if not equals and (name == "--max-tokens" or "{}" in (old or "")):
            value = next(rest, "")
        if name == "--max-tokens":
            if (whole_number(value) or 0) >= LONGEST_ANSWER:
                raise UserError(
                    f"--max-tokens is the length of an answer; for a budget write --budget {value}tokens (a longer "
                    "answer: max_tokens in a models file)"
                )
            new += [name, value]
        elif old:
            new += old.replace("{}", value).split(" ", 1)
            hints.append(f"`{name}` is now `{old.replace('{}', value)}`")
        else:
            new.append(word)
    return Line(new, hints)


def _command(words: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the line with today's command, and a hint if that is another one."""
    for length in (3, 2, 1):
        old = " ".join(words[:length])
        if new := COMMANDS.get(old):
            rest = list(words[length:])
            place = [] if "{}" not in new or not rest or rest[0].startswith("-") else [rest.pop(0)]
            command = [word for part in new.split() for word in (place if part == "{}" else [part])]
            return [*command, *rest], [f"`{old}` is now `{new.replace('{}', 'RUN')}`"]
    return list(words), []
