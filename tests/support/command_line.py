"""The commands and options of the command line, counted: `python -m tests.support.command_line`."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import typer

from hanabi_orchestrator.experiments.cli.app import app


class Command(NamedTuple):
    name: str
    """Such as `experiment run`; empty for `orchestrator` itself."""
    options: tuple[str, ...]
    """By their long names, a switch with its opposite as one; without `--help` and the two that set completion up,
    which typer has for every program."""


def commands() -> list[Command]:
    """Return every command with its options, those that may stand anywhere first."""
    whole = typer.main.get_command(app)
    return [Command("", _options(whole)), *_below(whole, "")]


def _below(group: Any, above: str) -> Iterator[Command]:
    for name, command in group.commands.items():
        path = f"{above} {name}".strip()
        if hasattr(command, "commands"):
            yield from _below(command, path)
        else:
            yield Command(path, _options(command))


def _options(command: Any) -> tuple[str, ...]:
    options = [parameter for parameter in command.params if parameter.param_type_name == "option"]
    return tuple(
        option.opts[-1]
        for option in options
        if not option.hidden and option.opts[-1] not in OF_TYPER
    )


OF_TYPER = ("--help", "--install-completion", "--show-completion")


def main() -> None:
    """Print a line for each command, then the sums."""
    every = commands()
    for command in every:
        print(
            f"{len(command.options):>3}  {command.name or 'orchestrator'}: {' '.join(command.options)}"
        )
    print(f"{len(every) - 1} commands, {sum(len(command.options) for command in every)} options")


if __name__ == "__main__":
    main()
