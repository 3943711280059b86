"""The command line: a file for each group of commands, with their own options and help texts.

`shared_options.py` has the options that several commands take, `logs.py` the logging. The folder may import everything
in `experiments`. A command imports what it needs in its own function, so that `--help` and short commands start fast.
Start with `app.py`, which puts the commands together and turns errors into exit codes.
"""


def main() -> None:
    """The console script `orchestrator`."""
    from experiments.cli.app import main as run

    run()
