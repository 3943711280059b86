"""The command line: one file for each group of commands, with the options and help texts of its commands.

It may import everything in `experiments`. A command imports what it needs in its own function, so that `--help` and
short commands start fast. Start with `app`, which puts the commands together and turns errors into exit codes.
"""


def main() -> None:
    """The console script `orchestrator`."""
    from experiments.cli.app import main as run

    run()
