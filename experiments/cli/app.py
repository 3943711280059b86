"""The command line. Exit codes: 0 ok, 1 a game failed, 2 usage or config, 3 suspended, 130
interrupted."""

import io
import os
import re
import signal
import sys
import warnings
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from itertools import islice
from types import FrameType
from typing import Annotated, Any, NoReturn, TextIO

import typer
from pydantic import ValidationError
from typer import Option
from typer.main import get_command

from hanabi_orchestrator.experiments.cli import (
    env_file,
    evaluate,
    experiment,
    export,
    game,
    logs,
    parts,
    report,
    show,
    tools,
    train,
)
from hanabi_orchestrator.experiments.cli.shared_options import (
    HELP,
    INTERRUPTED,
    Commands,
    Interrupted,
    Output,
)
from hanabi_orchestrator.orchestrator.errors import (
    Suspended,
    TurnError,
    UserError,
    complaint,
    did_you_mean,
    shortened,
)
from hanabi_orchestrator.orchestrator.models import keys

app = Commands(no_args_is_help=True, context_settings=HELP)
PLAY = "Play and look"
STUDIES = "Studies"
BUILD = "Build"
TOOLS = "Tools"
app.command(rich_help_panel=PLAY)(game.play)
app.command(rich_help_panel=PLAY)(show.show)
app.command("fork", rich_help_panel=PLAY)(game.fork)
app.command("diff", rich_help_panel=PLAY)(show.diff)
app.command(rich_help_panel=PLAY)(show.view)
app.add_typer(experiment.app, name="experiment", rich_help_panel=STUDIES)
app.add_typer(evaluate.app, name="evaluate", rich_help_panel=STUDIES)
app.command("report", rich_help_panel=STUDIES)(report.report)
app.command(rich_help_panel=STUDIES)(train.train)
app.command("list", rich_help_panel=BUILD)(parts.listed)
app.add_typer(parts.graphs_app, name="graphs", rich_help_panel=BUILD)
app.add_typer(parts.roles_app, name="roles", rich_help_panel=BUILD)
app.add_typer(tools.models_app, name="models", rich_help_panel=BUILD)
app.command("doctor", rich_help_panel=TOOLS)(tools.doctor)
app.command("export", rich_help_panel=TOOLS)(export.export)
app.command("import", rich_help_panel=TOOLS)(export.import_games)
app.command("bench", rich_help_panel=TOOLS)(tools.measure)
app.command("fake-endpoint", rich_help_panel=TOOLS)(tools.serve_blindly)

SUSPENDED = 3


def main() -> None:
    """The console script: a user's mistake is one sentence on stderr and an exit code, never a
    traceback."""
    try:
        _heed_sigterm()
        _open_streams()
        everywhere, words = hoisted(sys.argv[1:])
        keys.allow_typed(words)
        notes = env_file.load()
        if not {"-q", "--quiet"} & {*everywhere}:
            for note in notes:
                _tell(f"note: {note}")
        # the code of a typer.Exit, as which an interrupt comes too
        code = built(app)([*everywhere, *words], standalone_mode=False)
    except Exception as error:
        code, sentence = _ended(error)
        head = HEADS.get(code, "error: ")
        _fail(sentence, code, "" if sentence.startswith("suspended") else head)
    if code == INTERRUPTED:
        _fail("interrupted", INTERRUPTED)
    _exit(code)


built = cache(get_command)
"""The command of a typer app, built once in a process."""


def hoisted(words: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the options that may stand anywhere, and all other words; those after `--` are as they
    are."""
    everywhere = list[str]()
    others = list[str]()
    rest = iter(words)
    for word in rest:
        name, equals, _ = word.partition("=")
        if word == "--":
            others += [word, *rest]
        elif word in SWITCHES:
            everywhere.append(word)
        elif name in NAMED:
            everywhere += [word] if equals else [word, *islice(rest, 1)]
        else:
            others.append(word)
    return everywhere, others


SWITCHES = ("--json", "-v", "--verbose", "-q", "--quiet", "-vq", "-qv")
NAMED = ("--import", "--logs", "--key-host")
"""Options of `orchestrator` itself: alone, and with a value."""


def _ended(error: Exception) -> tuple[int, str]:
    """The exit code and the sentence for what ended a command. Raises an error that is a mistake of
    the program."""
    for kind, code in CODES.items():
        if isinstance(error, kind):
            return code, str(error)
    if isinstance(error, OSError):
        return 1, ": ".join(str(part) for part in (error.strerror or error, error.filename) if part)
    # from the command line, a file's name or an escape in JSON
    if isinstance(error, UnicodeEncodeError):
        return 2, f"{shortened(repr(error.object))} is not UTF-8 text"
    if isinstance(error, RecursionError):
        return 2, "a file, a setting or an answer has values that lie too deep inside one another"
    if isinstance(error, MemoryError) or (
        isinstance(error, ImportError | RuntimeError) and SHORT.search(str(error))
    ):
        return 1, str(error) if NOT_ENOUGH in str(error) else f"{NOT_ENOUGH} for this"
    # Click's usage errors, whose class Typer does not export
    message = getattr(error, "format_message", None)
    if message is None:
        raise error
    # empty when no command was given: the help has been printed
    return 2, usage(error) or message()


NOT_ENOUGH = "there is not enough memory"
SHORT = re.compile("failed to map segment|[Cc]annot allocate memory|can't start new thread")
"""What libraries and Python say where there is not enough memory."""

CODES = {Interrupted: INTERRUPTED, UserError: 2, TurnError: 1, Suspended: SUSPENDED}
HEADS = {INTERRUPTED: "interrupted: ", SUSPENDED: "suspended: "}
"""What a sentence begins with; all others with `error: `."""


def _heed_sigterm() -> None:
    """Schedulers send SIGTERM: handle it like Ctrl-C, so that games stop cleanly and the terminal
    is restored.

    Background jobs of a shell script ignore SIGINT from the start, and go on to: it stays blocked.
    Its handler is there all the same, for event loops put theirs in its place, which ends a task
    where it may end.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN and hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        signal.signal(signal.SIGINT, signal.default_int_handler)

    def as_an_interrupt(_: int, frame: FrameType | None) -> None:
        if callable(handler := signal.getsignal(signal.SIGINT)):
            handler(signal.SIGINT, frame)

    signal.signal(signal.SIGTERM, as_an_interrupt)


class _Stdout(io.FileIO):
    """Standard output whose reader may leave early, as `| head -1` does: nobody misses the rest."""

    def write(self, data: Any) -> int:
        try:
            return super().write(data) or 0
        except BrokenPipeError:
            return len(data)


class _Stderr(io.FileIO):
    """Standard error: where it cannot be written, nobody can be told so."""

    def write(self, data: Any) -> int:
        with suppress(OSError):
            super().write(data)
        return len(data)


def _open_streams() -> None:
    """A command does its work, and ends with its own exit code, whoever reads what it prints; a
    character that cannot be written there is replaced."""
    for name, number, kind in (("stdout", 1, _Stdout), ("stderr", 2, _Stderr)):
        stream = getattr(sys, name)
        if stream is None:  # closed before the program began
            setattr(sys, name, io.StringIO())
            continue
        try:
            terminal = stream.isatty()
            if stream.fileno() != number:
                continue
        except (OSError, AttributeError):  # a test's
            continue
        if terminal:
            stream.reconfigure(errors="replace")
            continue
        stream.flush()
        raw = io.BufferedWriter(kind(os.dup(number), "w"))  # the old stream may close its own
        setattr(sys, name, io.TextIOWrapper(raw, stream.encoding, "replace", line_buffering=True))


def _fail(sentence: str, code: int, head: str = "error: ") -> NoReturn:
    if sentence:
        _tell(sentence, head)
    _exit(code)


def _exit(code: int) -> NoReturn:
    """End with this code, or with 1 where what was printed cannot be written."""
    try:
        sys.stdout.flush()
    except OSError as error:
        sys.stdout = io.StringIO()  # Python would try again, and say so in words of its own
        if not code:
            _tell(f"cannot write what was to be printed: {error.strerror}", "error: ")
        code = code or 1
    sys.exit(code)


def _tell(sentence: str, head: str = "") -> None:
    from hanabi_orchestrator.experiments.document.terminal import tell

    tell(sentence, head)


def show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """Print a warning as Python does, without control characters."""
    _tell(warnings.formatwarning(message, category, filename, lineno, line).rstrip())


def _version(wanted: bool) -> None:
    if wanted:
        from platform import python_version

        from hanabi_orchestrator.orchestrator.versions import versions

        print(
            "\n".join(
                f"{name} {number}"
                for name, number in {**versions(), "python": python_version()}.items()
            )
        )
        raise typer.Exit


def _bring(names: list[str] | None) -> list[str] | None:
    """Load the user's own code: here and not in the command, so that its names can be completed,
    too."""
    if names:
        from hanabi_orchestrator.graphs import named

        named.bring(names)
    return names


def _allow(hosts: list[str] | None) -> list[str] | None:
    """Allow keys to be sent to these hosts, before a command makes a model."""
    keys.allow(*hosts or ())
    return hosts


@app.callback(
    epilog="--json, --import, --key-host, --verbose, --quiet and --logs may stand anywhere on the "
    "line."
)
def common(
    context: typer.Context,
    version: Annotated[
        bool,
        Option(
            "--version",
            help="Print the versions that can change a result.",
            callback=_version,
            is_eager=True,
        ),
    ] = False,
    as_json: Annotated[bool, Option("--json", help="Print only JSON on stdout.")] = False,
    own: Annotated[
        list[str] | None,
        Option(
            "--import",
            help="A file or module with roles, sections or graphs of your own; repeatable.",
            callback=_bring,
        ),
    ] = None,
    hosts: Annotated[
        list[str] | None,
        Option(
            "--key-host",
            help="A host that keys may be sent to; repeatable (docs/models.md).",
            callback=_allow,
        ),
    ] = None,
    verbose: Annotated[
        bool, Option("-v", "--verbose", help="Also log errors that are recovered from, on stderr.")
    ] = False,
    quiet: Annotated[
        bool, Option("-q", "--quiet", help="Print only the outcome and errors.")
    ] = False,
    form: Annotated[
        str, Option("--logs", envvar="HANABI_LOGS", help="console or json.")
    ] = "console",
) -> None:
    """Role graphs that play Hanabi."""
    if form not in logs.FORMS:
        raise UserError(f"--logs is {form!r}; {did_you_mean(form, logs.FORMS, 'it can be')}")
    loud = logs.Loudness(verbose, quiet, "json" if form == "json" else "console").set_up()
    context.obj = Output(as_json, loud)


OTHER_NAMES = {
    "model": "models.default",
    "seed": "seeds",
    "seat": "seats",
    "arm": "arms",
    "repeat": "repeats",
}
"""Options of `play`, by the key of an experiment that stands for each."""


def usage(error: Exception) -> str | None:
    """A sentence for a bad value, or for an option in whose place a `--set` does what it says; None
    otherwise."""
    if isinstance(error.__cause__, ValidationError):
        parameter = getattr(error, "param", None)
        return complaint(error.__cause__.errors()[0], parameter.opts[0] if parameter else "")
    option = getattr(error, "option_name", None)
    context = getattr(error, "ctx", None)
    parameters = getattr(getattr(context, "command", None), "params", ())
    if (
        option is None
        or context is None
        or not any("--set" in parameter.opts for parameter in parameters)
    ):
        return None
    from hanabi_orchestrator.experiments.study.experiment import Experiment
    from hanabi_orchestrator.graphs.config import GraphConfig
    from hanabi_orchestrator.orchestrator.models.settings import SAMPLING

    name = option.lstrip("-").replace("-", "_")
    if "experiment" in context.command_path.split():
        if name in SAMPLING:
            setting = f"sampling.{name}"
        else:
            setting = OTHER_NAMES.get(name, name)
        settable = setting.partition(".")[0] in Experiment.model_fields
    else:
        setting = name
        settable = name in GraphConfig.model_fields
    if settable:
        return f"there is no option {option}; say --set {setting}=VALUE"
    return None
