"""`probe`: convention probes, asked of graphs and rule players, and what their answers show."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from experiments.cli import completion
from experiments.cli.report import print_probes
from experiments.cli.shared_options import (
    Evaluation,
    Output,
    Settings,
    check_done,
    print_blocks,
    printed,
)
from orchestrator.errors import UserError

if TYPE_CHECKING:
    from experiments.study.seat_spec import PlayerSpec
    from experiments.tasks.probes.probe import Probe

Packs = Annotated[
    list[str] | None, typer.Option("--pack", help="A convention pack: newest (default), hgroup_1, basic; repeatable.")
]
Conventions = Annotated[
    list[str] | None,
    typer.Option("--convention", help="Only this one, e.g. play-hint-read; repeatable; default all of the pack."),
]
PlayerCounts = Annotated[
    list[int] | None, typer.Option("--players", min=2, max=5, help="A player count; repeatable; default 2 to 5.")
]
Per = Annotated[int, typer.Option("--per", help="Probes of each convention at each player count.")]
Seed = Annotated[int, typer.Option("--seed", min=0, help="Other probes of the same kinds.")]


def list_probes(
    pack: list[str] | None, convention: list[str] | None, players: list[int] | None, per: int, seed: int, as_json: bool
) -> None:
    """Print the conventions with their probes; as JSON every probe."""
    from experiments.document import terminal
    from experiments.tasks.probes import bank, probe_report

    packs = pack or bank.packs()
    probes = bank.probes(packs, convention or (), players or bank.PLAYERS, per, seed)
    if as_json:
        printed([probe_report.probe_data(probe) for probe in probes])
        return
    terminal.show([probe_report.probe_list(probes, packs)], terminal.console())


def show_probe(name: str, seed: int, as_json: bool) -> None:
    """Print one probe: how the position came about, the question, the moves that keep the convention, and why."""
    from experiments.document import terminal
    from experiments.show.live_table import picture
    from experiments.show.terminal import turn_line
    from experiments.tasks.probes import bank, probe_report

    probe = bank.probe(name, seed)
    if as_json:
        printed(probe_report.probe_data(probe))
        return
    screen = terminal.console()
    for turn in probe.story.turns:
        if turn.decided and turn.moved:
            screen.print(turn_line(turn.view, turn.decided, turn.moved.past, None, screen.width))
    screen.print(picture(probe.view))
    terminal.show([probe_report.probe_facts(probe)], screen)


def run(
    player: Annotated[
        str,
        typer.Argument(
            metavar="PLAYER", help="A graph, partner:NAME, or python:module:object.", autocompletion=completion.player
        ),
    ],
    pack: Packs = None,
    convention: Conventions = None,
    players: PlayerCounts = None,
    per: Per = 3,
    seed: Seed = 1,
    settings: Settings = None,
    *,
    asked: Evaluation,
    output: Output,
) -> None:
    """Which conventions does a player keep?

    Asks it in positions where one convention decides the move. The same command again goes on.
    """
    from experiments.cli.run_progress import RunProgress
    from experiments.running import single_game
    from experiments.study import seat_spec
    from experiments.study.seat_spec import PlayerSpec
    from experiments.tasks.probes import bank, probe_run
    from orchestrator.models.settings import PROGRAM, REPLAY

    loud, replay, model = output.loud, asked.replay, asked.model
    spec = _spec(player)
    counts = players or bank.PLAYERS
    probes = bank.probes(pack or bank.packs()[:1], convention or (), counts, per, seed)
    if spec.startswith(seat_spec.OTHERS):
        _no_graph(spec, {"--model": model, "--set": settings, **asked.settings})
        player_spec = PlayerSpec(spec=spec)
    else:
        import graphs

        config = graphs.dotted(seat_spec.read_graph(spec), settings or ())
        answering = model or (PROGRAM if replay is None else f"{REPLAY}{replay}")
        models = single_game.resampled(single_game.models([config], answering), **asked.settings)
        player_spec = PlayerSpec(spec=spec, config=config, models=dict(single_game.resampled(models, **asked.settings)))
    for count in counts:
        seat_spec.check(player_spec.seat(), count)
    if asked.dry_run:
        _estimate(probes, player_spec, output.as_json)
        return
    folder = asked.out or Path("runs") / _folder(spec, model, replay)
    progress = RunProgress(quiet=loud.quiet)
    done = probe_run.run(probes, player_spec, folder, seed=seed, options=asked.run(), progress=progress)
    if done.left < done.total:
        print_probes([folder], folder, output.as_json)
    check_done(done, "probes")


def _estimate(probes: "Sequence[Probe]", player: "PlayerSpec", as_json: bool) -> None:
    """Print what probes would cost."""
    from experiments.costs import asked
    from experiments.tasks.probes import probe_run

    loads = {}
    if player.config:
        exact = player.model_copy(update={"models": asked.exact(player.models)})
        loads = asked.loads(probe_run.calls_of(probes, exact), player.config)
    rows = [asked.Asked(player.spec, len(probes), loads)]
    print_blocks(
        asked.data(rows, player.models, "probes"), asked.blocks(rows, player.models, "probes"), as_json=as_json
    )


def _spec(player: str) -> str:
    """The seat's spec; a rule player may be named without its prefix. Raises UserError."""
    from graphs.config import names
    from orchestrator.models.settings import PERSON
    from orchestrator.players import partners

    if player == PERSON:
        raise UserError("a person answers no probes; name a graph, partner:NAME, or python:module:object")
    return f"{partners.PREFIX}{player}" if player in partners.names() and player not in names() else player


def _no_graph(spec: str, options: dict[str, object]) -> None:
    """Raises UserError for an option of graphs that was given for another player."""
    if wrong := next((name for name, value in options.items() if value), None):
        raise UserError(f"{wrong} is for graphs, and {spec} is none")


def _folder(spec: str, model: str | None, replay: Path | None) -> str:
    named = "replay" if replay else Path(model).stem if model and model.endswith((".yaml", ".yml")) else model or ""
    player = Path(spec).stem if spec.endswith((".yaml", ".yml")) else spec
    parts = ("probes", player, named.partition("@http")[0])
    return re.sub(r"[^A-Za-z0-9._-]+", "-", "-".join(part for part in parts if part)).strip("-")
