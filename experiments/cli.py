"""The command line. Exit codes: 0 ok, 1 a game failed, 2 usage or config, 3 suspended, 130 interrupted."""

import asyncio
import json
import signal
import sys
from contextlib import nullcontext
from dataclasses import asdict
from pathlib import Path
from types import FrameType
from typing import Annotated, Any

import typer
from dotenv import find_dotenv, load_dotenv
from rich.text import Text

import graphs
import roles
from experiments import (
    bench,
    dry,
    game,
    graph_picture,
    listing,
    logs,
    prompt_picture,
    seats,
    self_play,
    sim_table,
    story,
    summary,
    turn_story,
)
from experiments import config as experiment
from experiments import run as experiment_runner
from experiments.board import Board
from experiments.progress import Progress
from experiments.terminal import console
from graphs.config import PROGRAM, GraphConfig
from orchestrator import fake_endpoint, hle, journal, partners, table
from orchestrator.errors import Suspended, TurnError, UserError
from orchestrator.events import nowhere
from orchestrator.fake_faults import KINDS, Faults
from orchestrator.settings import REPLAY
from roles import conformance

HELP = {"help_option_names": ["-h", "--help"]}
app = typer.Typer(no_args_is_help=True, add_completion=False, context_settings=HELP)
graphs_app = typer.Typer(no_args_is_help=True, help="The graphs there are.")
roles_app = typer.Typer(no_args_is_help=True, help="The roles there are.")
experiment_app = typer.Typer(no_args_is_help=True, help="Arms of games on the same deals, and what they come to.")
partners_app = typer.Typer(no_args_is_help=True, help="The rule players there are.")
app.add_typer(graphs_app, name="graphs")
app.add_typer(roles_app, name="roles")
app.add_typer(experiment_app, name="experiment")
app.add_typer(partners_app, name="partners")

Json = Annotated[bool, typer.Option("--json", help="Print JSON on stdout and nothing else.")]
Graph = Annotated[str, typer.Option("--graph", help="A graph's name, or a path to its YAML file.")]
Model = Annotated[
    str,
    typer.Option(
        "--model", help="program, openai:NAME or openai:NAME@URL, sim:average, replay:DIR ..., or a file of models."
    ),
]
Settings = Annotated[
    list[str] | None,
    typer.Option("--set", help="Another setting of the graph, e.g. nodes.proposer.samples=3; may be repeated."),
]
Players = Annotated[int, typer.Option("--players", help="2 to 5.")]
Seats = Annotated[
    list[str] | None,
    typer.Option("--seat", help="N=SPEC, N from 0: partner:NAME, python:module:object, or a graph; may be repeated."),
]


SUSPENDED = 3
INTERRUPTED = 130


def main() -> None:
    """The console script: a mistake is one sentence on stderr and an exit code, never a traceback."""
    try:
        signal.signal(signal.SIGTERM, _as_an_interrupt)
        _keys()
        code = app(standalone_mode=False)  # the code of a typer.Exit, as which an interrupt comes too
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
        _fail(usage(), 2)  # empty when no command was given: the help has been printed
    if code == INTERRUPTED:
        _fail("interrupted", INTERRUPTED)
    sys.exit(code)


def _as_an_interrupt(number: int, frame: FrameType | None) -> None:
    """Schedulers send SIGTERM: the game ends as by Ctrl-C, the terminal as it was.

    A shell script's background jobs are born deaf to SIGINT; SIGTERM ends them all the same.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.default_int_handler(number, frame)
    signal.raise_signal(signal.SIGINT)


def _fail(sentence: str, code: int) -> None:
    if sentence:
        console(err=True).print(Text.assemble(("error: ", "bold red"), sentence))
    sys.exit(code)


def _keys() -> None:
    """Keys from the nearest .env; the environment goes first."""
    path = find_dotenv(usecwd=True)
    try:
        load_dotenv(path)
    except UnicodeDecodeError:
        raise UserError(f"cannot read {path}: it is not UTF-8 text") from None


Verbose = Annotated[bool, typer.Option("-v", "--verbose", help="Log what goes wrong and is mended, on stderr.")]
Quiet = Annotated[bool, typer.Option("-q", "--quiet", help="Say how it ended, and errors, and nothing else.")]


@app.callback()
def common(
    context: typer.Context,
    verbose: Verbose = False,
    quiet: Quiet = False,
    form: Annotated[str, typer.Option("--logs", envvar="HANABI_LOGS", help="console or json.")] = "console",
) -> None:
    """Role graphs that play Hanabi."""
    if form not in logs.FORMS:
        raise UserError(f"--logs is {form!r}; it can be: {', '.join(logs.FORMS)}")
    context.obj = logs.Loudness(verbose, quiet, "json" if form == "json" else "console").set_up()


@app.command()
def play(
    context: typer.Context,
    graph: Graph = "house",
    players: Players = 3,
    seed: Annotated[int | None, typer.Option(help="HLE's own deal of this seed; 1 if no deck is given.")] = None,
    deck: Annotated[Path | None, typer.Option(help="A JSON list of 50 cards, first dealt first.")] = None,
    model: Model | None = None,
    seat: Seats = None,
    settings: Settings = None,
    verify: Annotated[str | None, typer.Option(help="none or safety, instead of the graph's own.")] = None,
    out: Annotated[Path, typer.Option(help="The folder for the game's journal.")] = Path("games"),
    replay: Annotated[Path | None, typer.Option(help="Ask no model: answer from these journals.")] = None,
    cache: Annotated[str, typer.Option(help="A folder that keeps answers across runs; off for none.")] = "off",
    max_tokens: Annotated[int | None, typer.Option(help="Stop, resumably, before more tokens than this.")] = None,
    max_usd: Annotated[float | None, typer.Option(help="Stop, resumably, before it costs more than this.")] = None,
    force_new: Annotated[bool, typer.Option("--force-new", help="Begin anew; an old journal stays.")] = False,
    as_json: Json = False,
    verbose: Verbose = False,
    quiet: Quiet = False,
) -> None:
    """Play one game; the same command again goes on with an unfinished one."""
    loud = context.obj.more(verbose=verbose, quiet=quiet).set_up()
    named_graph = graphs.read(graph)
    config = _verified(graphs.dotted(named_graph, settings or ()), verify)
    specs = seats.placed(seat or (), hle.check_players(players))
    cards = _deck(deck)
    if seed is not None:
        hle.check_seed(seed)
    asked = game.layer(cache=cache, replay=replay, max_tokens=max_tokens, max_usd=max_usd)
    said = model or (PROGRAM if replay is None else f"{REPLAY}{replay}")
    named = game.models(seats.configs(config, specs, players), said)
    cast = seats.table(config, specs, players, named=named, layer=asked, verify=verify)
    label = deck.stem if deck else None
    started = table.start(cast, players=players, seed=seed, deck=cards, label=label)
    stem = seats.name(f"{Path(graph).stem}{config.name.removeprefix(named_graph.name)}", specs, players)
    name = f"{stem}-{players}p-{f's{started.seed}' if cards is None else f'd-{label}'}"
    replaying = replay is not None or any(str(one).startswith(REPLAY) for one in named.values())
    path = game.file(out, f"{name}-replay" if replaying else name, started, new=force_new or replaying)
    screen = console(err=as_json)
    board = None if as_json or loud.quiet else Board(screen, live=not loud.verbose)
    played = game.Game(cast, started, label, path, asked)
    with board or nullcontext():
        try:
            result = asyncio.run(played.on(board or nowhere))
        except Suspended as suspended:
            if as_json:
                _print({"suspended": str(suspended), "turn": suspended.turn, "journal": str(path)})
            raise Suspended(f"{suspended}. {_onward(suspended, force_new)}", suspended.turn) from None
    if as_json:
        _print(result.model_dump(mode="json") | {"journal": str(path)})
    else:
        game.closing(result, path, screen, again=played.over)


def _onward(suspended: Suspended, forced: bool) -> str:
    """How a suspended game goes on."""
    if suspended.held:
        return "A larger budget goes on from there"
    return (
        "The same command without --force-new goes on from there" if forced else "The same command goes on from there"
    )


def _verified(config: GraphConfig, rule: str | None) -> GraphConfig:
    return config if rule is None else graphs.verified(config, rule)


def _deck(path: Path | None) -> list[str] | None:
    if path is None:
        return None
    try:
        cards = json.loads(path.read_text("utf-8"))
    except OSError as error:
        raise UserError(f"cannot read deck {str(path)!r}: {error.strerror}") from None
    except ValueError as error:
        raise UserError(f"deck {str(path)!r} is not JSON: {error}") from None
    if not isinstance(cards, list) or not all(isinstance(card, str) for card in cards):
        raise UserError(f'deck {str(path)!r} is not a JSON list of cards like ["R1", "B3", ...]')
    return cards


@app.command()
def show(
    game: Annotated[Path, typer.Argument(help="A game's journal.")],
    turn: Annotated[int | None, typer.Option(help="Tell this turn instead of the game.")] = None,
    full: Annotated[bool, typer.Option("--full", help="With whole prompts and whole replies.")] = False,
    as_json: Json = False,
) -> None:
    """Tell the story of a game, or of one turn."""
    told = story.Story.of(journal.read(game))
    if as_json:
        _print(story.as_data(told, turn))
    elif turn is None:
        story.tell_game(told, console())
    else:
        turn_story.tell_turn(told, turn, console(), full=full)


def _print(data: Any) -> None:
    print(json.dumps(data, ensure_ascii=False))


@graphs_app.command("list")
def graphs_list(as_json: Json = False) -> None:
    """Name every graph."""
    _print(listing.graphs_data()) if as_json else listing.list_graphs(console())


@graphs_app.command("show")
def graphs_show(
    name: Annotated[str, typer.Argument(help="A graph's name, or a path to its YAML file.")],
    mermaid: Annotated[bool, typer.Option("--mermaid", help="The compiled graph as a Mermaid picture.")] = False,
    players: Players = 3,
    settings: Settings = None,
    as_json: Json = False,
) -> None:
    """Show who hears whom in a graph."""
    config = graphs.dotted(graphs.read(name), settings or ())
    if mermaid:
        print(graph_picture.mermaid(config, hle.check_players(players)))
    elif as_json:
        _print(config.model_dump(mode="json"))
    else:
        graph_picture.show_graph(config, console(), graphs.source(name) if name in graphs.names() else name)


@graphs_app.command("prompt")
def graphs_prompt(
    name: Annotated[str, typer.Argument(help="A graph's name, or a path to its YAML file.")],
    players: Players = 3,
    seed: Annotated[int, typer.Option(help="HLE's own deal of this seed.")] = 1,
    turn: Annotated[int, typer.Option(help="Of the game that the graph's programs play.")] = 1,
    node: Annotated[str | None, typer.Option(help="This node's prompt alone.")] = None,
    settings: Settings = None,
    as_json: Json = False,
) -> None:
    """Print the prompts that a graph would send for a position, with their size; nobody is asked."""
    config = graphs.dotted(graphs.read(name), settings or ())
    made = prompt_picture.pictures(config, hle.check_players(players), hle.check_seed(seed), turn, node)
    _print(prompt_picture.data(made)) if as_json else prompt_picture.show(made, console())


@roles_app.command("list")
def roles_list(as_json: Json = False) -> None:
    """Name every role."""
    if as_json:
        _print([listing.role_data(roles.get(name)) for name in roles.names()])
    else:
        listing.list_roles(console())


@roles_app.command("show")
def roles_show(name: str, as_json: Json = False) -> None:
    """Show what a role takes and answers, and its instruction."""
    role = roles.get(name)
    _print(listing.role_data(role)) if as_json else listing.show_role(role, console())


@roles_app.command("check")
def roles_check(name: str, as_json: Json = False) -> None:
    """Check that a role keeps its promises: at 2 to 5 players, in every answer format, without any section or note."""
    problems = conformance.check(roles.get(name))
    if as_json:
        _print({"role": name, "ok": not problems, "problems": problems})
    else:
        console().print(Text("\n".join(problems) or "ok"), soft_wrap=True)
    if problems:
        raise typer.Exit(1)


@partners_app.command("list")
def partners_list(as_json: Json = False) -> None:
    """Name every rule player that can have a seat."""
    _print(listing.partners_data()) if as_json else listing.list_partners(console())


@experiment_app.command("run")
def experiment_run(
    context: typer.Context,
    name: Annotated[str, typer.Argument(metavar="FILE", help="A YAML file, or the name of a packaged experiment.")],
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", help="Another setting of the experiment, e.g. seeds.count=10; may be repeated."),
    ] = None,
    out: Annotated[Path | None, typer.Option(help="The run's folder; runs/NAME if not given.")] = None,
    workers: Annotated[int, typer.Option(min=1, help="Processes that play.")] = 1,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be played, and play nothing.")] = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Run an experiment; the same command again goes on with it."""
    loud = context.obj.more(verbose=False, quiet=quiet).set_up()
    asked = experiment.read(name, settings or ())
    folder = out or Path("runs") / asked.name
    if dry_run:
        planned = dry.of(asked, folder)
        _print(dry.data(planned)) if as_json else dry.show(planned, console())
        return
    done = experiment_runner.run(asked, folder, workers=workers, progress=Progress(quiet=loud.quiet))
    _print(summary.data(done)) if as_json else summary.show(done, console())
    if done.suspended:
        raise Suspended(f"{done.suspended}. The same command goes on from there", 0)
    if done.failed:
        raise TurnError(summary.failures(done))


@experiment_app.command("errors")
def experiment_errors(
    folder: Annotated[Path, typer.Argument(help="A run's folder, e.g. runs/cac-table-3.")], as_json: Json = False
) -> None:
    """Count what became of the errors of a run's simulated models."""
    found = sim_table.tallies(folder)
    _print(sim_table.data(found)) if as_json else sim_table.show(found, console())


@app.command("bench")
def run_bench(
    graph: Annotated[list[str] | None, typer.Option("--graph", help="Only this graph; may be repeated.")] = None,
    games: Annotated[int, typer.Option(min=1, help="Games per graph or partner, and player count.")] = 5,
    of_partners: Annotated[bool, typer.Option("--partners", help="Measure partners with themselves.")] = False,
    partner: Annotated[list[str] | None, typer.Option("--partner", help="Only this partner; may be repeated.")] = None,
    latency: Annotated[
        float | None,
        typer.Option(min=0.01, help="Measure turns instead, on models that take so many seconds to answer."),
    ] = None,
    turns: Annotated[int, typer.Option(min=1, help="With --latency: turns per graph.")] = 20,
    as_json: Json = False,
) -> None:
    """Measure how long program games take on this machine, or turns on a model of some latency, or partners' scores."""
    if of_partners or partner:
        scores = list(self_play.measure(partner or partners.names(), games))
        _print([asdict(one) for one in scores]) if as_json else self_play.show(scores, console())
        return
    if latency is not None:
        found = asyncio.run(bench.depths(graph or graphs.names(), latency, turns))
        _print([asdict(one) for one in found]) if as_json else bench.show_depths(found, console())
        return
    timings = list(bench.measure(graph or graphs.names(), games))
    _print(bench.data(timings)) if as_json else bench.show(timings, console())


@app.command("fake-endpoint")
def endpoint(
    port: Annotated[int, typer.Option(min=0, max=65535, help="On 127.0.0.1; 0 takes a free one.")] = 8000,
    latency: Annotated[float, typer.Option(min=0, help="Seconds that every answer waits.")] = 0.0,
    faults: Annotated[float, typer.Option(min=0, max=1, help="The share of requests that go wrong.")] = 0.0,
    fault_seed: Annotated[int, typer.Option(help="Another seed makes others go wrong.")] = 1,
    only: Annotated[str, typer.Option(help="Faults, by commas, instead of all: 429,500,hang,empty ...")] = "",
    hang: Annotated[float, typer.Option(min=0, help="Seconds after which a hanging answer is dropped.")] = 10.0,
) -> None:
    """Serve an OpenAI-compatible endpoint that answers blindly, for trials without a model."""
    kinds = tuple(kind.strip() for kind in only.split(",")) if only else KINDS
    wrong = Faults(faults or float(bool(only)), fault_seed, kinds, hang_s=hang) if faults or only else None

    async def serve() -> None:
        async with fake_endpoint.serving(fake_endpoint.app(latency, wrong), port) as url:
            console(err=True).print(Text(f"serving {url}\nplay with: orchestrator play --model openai:fake@{url}"))
            await asyncio.Event().wait()

    try:
        asyncio.run(serve())
    except OSError as error:
        raise UserError(f"cannot serve on port {port}: {error.strerror}") from None
