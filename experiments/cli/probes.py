"""`probe`: convention probes, asked of graphs and rule players, and what their answers show."""

import re
from pathlib import Path
from typing import Annotated

import typer

from experiments.cli import completion
from experiments.cli.report import print_probes
from experiments.cli.shared_options import Evaluation, Output, Settings, check_done, print_json
from orchestrator.errors import UserError

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
    pack: list[str] | None, convention: list[str] | None, players: list[int] | None, per: int, seed: int, output: Output
) -> None:
    """Print the conventions with their probes; as JSON every probe."""
    from experiments.tasks.probes import bank, probe_report

    packs = pack or bank.packs()
    probes = bank.probes(packs, convention or (), players or bank.PLAYERS, per, seed)
    output.show([probe_report.probe_data(probe) for probe in probes], [probe_report.probe_list(probes, packs)])


def show_probe(name: str, seed: int, output: Output) -> None:
    """Print one probe: how the position came about, the question, the moves that keep the convention, and why."""
    from experiments.document import terminal
    from experiments.show.live_table import picture
    from experiments.show.terminal import turn_line
    from experiments.tasks.probes import bank, probe_report

    probe = bank.probe(name, seed)
    if output.as_json:
        print_json(probe_report.probe_data(probe))
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
    import graphs
    from experiments.costs import asked as costs
    from experiments.running import single_game
    from experiments.study import seat_spec
    from experiments.study.seat_spec import PlayerSpec
    from experiments.tasks.probes import bank, probe_run
    from orchestrator.models.settings import PERSON, PROGRAM, REPLAY
    from orchestrator.players import partners

    replay, model = asked.replay, asked.model
    if player == PERSON:
        raise UserError("a person answers no probes; name a graph, partner:NAME, or python:module:object")
    rule_player = player in partners.names() and player not in graphs.names()  # without its prefix
    spec = f"{partners.PREFIX}{player}" if rule_player else player
    counts = players or bank.PLAYERS
    probes = bank.probes(pack or bank.packs()[:1], convention or (), counts, per, seed)
    if spec.startswith(seat_spec.OTHERS):
        options = {"--model": model, "--set": settings, **asked.settings}
        if wrong := next((name for name, value in options.items() if value), None):
            raise UserError(f"{wrong} is for graphs, and {spec} is none")
        player_spec = PlayerSpec(spec=spec)
    else:
        config = graphs.dotted(seat_spec.read_graph(spec), settings or ())
        answering = model or (PROGRAM if replay is None else f"{REPLAY}{replay}")
        models = single_game.resampled(single_game.models([config], answering), **asked.settings)
        player_spec = PlayerSpec(spec=spec, config=config, models=dict(models))
    for count in counts:
        seat_spec.check(player_spec.seat(), count)
    if asked.dry_run:
        loads = {}
        if player_spec.config:
            exact = player_spec.model_copy(update={"models": costs.exact(player_spec.models)})
            loads = costs.loads(probe_run.calls_of(probes, exact), player_spec.config)
        rows, models = [costs.Asked(player_spec.spec, len(probes), loads)], player_spec.models
        output.show(costs.data(rows, models, "probes"), costs.blocks(rows, models, "probes"))
        return
    answering = (
        "replay" if replay else Path(model or "").stem if (model or "").endswith((".yaml", ".yml")) else model or ""
    )
    parts = ("probes", Path(spec).stem if spec.endswith((".yaml", ".yml")) else spec, answering.partition("@http")[0])
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", "-".join(part for part in parts if part)).strip("-")
    folder = asked.out or Path("runs") / name
    done = probe_run.run(probes, player_spec, folder, seed=seed, options=asked.run(), progress=output.progress())
    if done.left < done.total:
        print_probes([folder], folder, output)
    check_done(done, "probes")
