"""The command line: a file for each group of commands, with their own options and help texts.

`shared_options.py` has the options that several commands take, `logs.py` the logging. The folder
may import everything in `experiments`. A command imports what it needs in its own function, so that
`--help` and short commands start fast. Start with `app.py`, which puts the commands together and
turns errors into exit codes.
"""

import sys
import warnings
from pathlib import Path


def main() -> None:
    """The console script `orchestrator`."""
    try:
        Path.cwd()  # what is imported needs it
        from hanabi_orchestrator.experiments.cli.app import main as run
        from hanabi_orchestrator.experiments.cli.app import show_warning

        warnings.showwarning = show_warning
        run()
    except KeyboardInterrupt:  # during imports; app.py has its own words for the rest
        _end("interrupted", 130)
    except (MemoryError, ImportError) as error:
        if isinstance(error, ImportError) and "failed to map segment" not in str(error):
            raise
        _end("error: there is not enough memory for this", 1)
    except FileNotFoundError:
        _end("error: the working folder does not exist any more; change to one that does", 2)


def _end(sentence: str, code: int) -> None:
    print(sentence, file=sys.stderr)
    sys.exit(code)
