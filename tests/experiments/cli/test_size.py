"""The command line stays small enough to be remembered, and every command says when to use it."""

import typer

from hanabi_orchestrator.experiments.cli.app import app
from tests.support.command_line import commands


def test_there_are_at_most_30_commands_and_214_options() -> None:
    every = commands()
    assert len(every) - 1 <= 30 and sum(len(command.options) for command in every) <= 214


def test_no_command_has_an_option_of_the_program_itself() -> None:
    program, *others = commands()
    assert [command.name for command in others if {*program.options} & {*command.options}] == []


def test_the_help_fits_a_screen() -> None:
    whole = typer.main.get_command(app)
    assert all(len(command.get_short_help_str(200)) <= 60 for command in whole.commands.values())  # type: ignore[attr-defined]
