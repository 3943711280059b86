"""The command line. Exit codes: 0 ok, 1 a game failed, 2 usage or config, 3 suspended, 130 interrupted."""

import signal
import sys
from types import FrameType
from typing import Annotated

import typer

from experiments.cli import experiment, export, game, listing, logs, models, pointers, tools
from experiments.cli.shared_options import HELP, INTERRUPTED, Interrupted, Quiet, Verbose
from orchestrator import spelling
from orchestrator.errors import Suspended, TurnError, UserError

app = typer.Typer(no_args_is_help=True, add_completion=False, context_settings=HELP)
app.command()(game.play)
app.command()(game.show)
app.add_typer(listing.graphs_app, name="graphs")
app.add_typer(listing.roles_app, name="roles")
app.add_typer(experiment.app, name="experiment")
app.add_typer(listing.partners_app, name="partners")
app.add_typer(models.app, name="models")
app.command("doctor")(models.doctor)
app.add_typer(listing.games_app, name="games")
app.command("export")(export.export)
app.command("bench")(tools.measure)
app.command("fake-endpoint")(tools.serve_blindly)

SUSPENDED = 3


def main() -> None:
    """The console script: a user's mistake is one sentence on stderr and an exit code, never a traceback."""
    try:
        signal.signal(signal.SIGTERM, _as_an_interrupt)
        _keys()
        code = app(standalone_mode=False)  # the code of a typer.Exit, as which an interrupt comes too
    except Interrupted as stop:
        _fail(str(stop), INTERRUPTED, "interrupted: ")
    except UserError as error:
        _fail(str(error), 2)
    except TurnError as error:
        _fail(str(error), 1)
    except Suspended as error:
        _fail(str(error), SUSPENDED)
    except OSError as error:
        _fail(f"{error.strerror or error}: {error.filename or 'no file'}", 1)
    except Exception as error:
        usage = getattr(error, "format_message", None)  # Click's usage errors, whose class Typer does not export
        if usage is None:
            raise
        _fail(pointers.usage(error) or usage(), 2)  # empty when no command was given: the help has been printed
    if code == INTERRUPTED:
        _fail("interrupted", INTERRUPTED)
    sys.exit(code)


def _as_an_interrupt(number: int, frame: FrameType | None) -> None:
    """Schedulers send SIGTERM: handle it like Ctrl-C, so that games stop cleanly and the terminal is restored.

    Background jobs of a shell script ignore SIGINT from the start; SIGTERM must end them all the same.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.default_int_handler(number, frame)
    signal.raise_signal(signal.SIGINT)


def _fail(sentence: str, code: int, head: str = "error: ") -> None:
    from rich.text import Text

    from experiments.show.terminal import console

    if sentence:
        console(err=True).print(Text.assemble((head, "bold red"), sentence))
    sys.exit(code)


def _keys() -> None:
    """Load API keys from the nearest .env; variables of the environment take precedence."""
    from dotenv import find_dotenv, load_dotenv

    path = find_dotenv(usecwd=True)
    try:
        load_dotenv(path)
    except UnicodeDecodeError:
        raise UserError(f"cannot read {path}: it is not UTF-8 text") from None


def _version(wanted: bool) -> None:
    if wanted:
        from platform import python_version

        from orchestrator.versions import versions

        print("\n".join(f"{name} {number}" for name, number in {**versions(), "python": python_version()}.items()))
        raise typer.Exit


@app.callback()
def common(
    context: typer.Context,
    version: Annotated[
        bool,
        typer.Option(
            "--version", help="Print the versions that can change a result.", callback=_version, is_eager=True
        ),
    ] = False,
    verbose: Verbose = False,
    quiet: Quiet = False,
    form: Annotated[str, typer.Option("--logs", envvar="HANABI_LOGS", help="console or json.")] = "console",
) -> None:
    """Role graphs that play Hanabi."""
    if form not in logs.FORMS:
        raise UserError(f"--logs is {form!r}; {spelling.known(form, logs.FORMS, 'it can be')}")
    context.obj = logs.Loudness(verbose, quiet, "json" if form == "json" else "console").set_up()
