"""`evaluate`: put decisions, conventions, questions or statements of a player to the test, without whole games.

Here are the group, what shows its banks and probes, and `evaluate probes`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from experiments.cli import completion, positions, questions
from experiments.cli.report import print_task
from experiments.cli.shared_options import Evaluation, Output, Settings, check_done, group, print_json, slug
from orchestrator.errors import UserError

if TYPE_CHECKING:
    from experiments.study.seat_spec import PlayerSpec
    from experiments.tasks.probes.probe import Probe


Seed = Annotated[int, Option("--seed", min=0, help="Other probes of the same kinds.")]


@dataclass(frozen=True)
class ProbeChoice:
    """Options for which probes."""

    pack: Annotated[
        list[str] | None, Option(help="A convention pack: newest (default), hgroup_1, basic; repeatable.")
    ] = None
    convention: Annotated[
        list[str] | None, Option(help="Only this one, e.g. play-hint-read; repeatable; default all of the pack.")
    ] = None
    players: Annotated[list[int] | None, Option(min=2, max=5, help="A player count; repeatable; default 2 to 5.")] = (
        None
    )
    per: Annotated[int, Option(help="Probes of each convention at each player count.")] = 3
    seed: Seed = 1

    def of(self, packs: Sequence[str]) -> "list[Probe]":
        """The probes of these convention packs. Raises UserError."""
        from experiments.tasks.probes import bank

        return bank.probes(packs, self.convention or (), self.players or bank.PLAYERS, self.per, self.seed)


def list_probes(choice: ProbeChoice, output: Output) -> None:
    """Print the conventions with their probes; as JSON every probe."""
    from experiments.tasks.probes import bank, probe_report

    packs = choice.pack or bank.packs()
    probes = choice.of(packs)
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


def run_probes(
    player: Annotated[
        str,
        Argument(
            metavar="PLAYER", help="A graph, partner:NAME, or python:module:object.", autocompletion=completion.player
        ),
    ],
    *,
    choice: ProbeChoice,
    settings: Settings = None,
    asked: Evaluation,
    output: Output,
) -> None:
    """Which conventions does a player keep?

    Asks it in positions where one convention decides the move. The same command again goes on.
    """
    from experiments.forecast import dry_run
    from experiments.study import seat_spec
    from experiments.tasks.probes import bank, probe_report, probe_run

    probes = choice.of(choice.pack or bank.packs()[:1])
    player_spec = _player_spec(player, settings, asked)
    for count in choice.players or bank.PLAYERS:
        seat_spec.check(player_spec.seat(), count)
    if asked.dry_run:
        loads, models = {}, player_spec.models
        if player_spec.config:
            exact = player_spec.model_copy(update={"models": dry_run.exact(models)})
            loads = dry_run.loads(probe_run.calls_of(probes, exact), player_spec.config)
        rows = [dry_run.Asked(player_spec.spec, len(probes), loads)]
        output.show(*dry_run.estimate(rows, models, "probes"))
        return
    folder = asked.out or Path("runs") / slug("probes", player_spec.spec, "replay" if asked.replay else asked.model)
    done = probe_run.run(probes, player_spec, folder, seed=choice.seed, options=asked.run(), progress=output.progress())
    if done.left < done.total:
        print_task(probe_report, probe_report.read([folder]), folder, output, folder=str(folder))
    check_done(done, "probes")


def _player_spec(player: str, settings: list[str] | None, asked: Evaluation) -> "PlayerSpec":
    """The player with its models; a rule player may be named without its prefix. Raises UserError."""
    import graphs
    from experiments.study import seat_spec
    from experiments.study.seat_spec import PlayerSpec
    from experiments.tasks.games import single_game
    from orchestrator.models.settings import PERSON, PROGRAM, REPLAY
    from orchestrator.players import partners

    if player == PERSON:
        raise UserError("a person answers no probes; name a graph, partner:NAME, or python:module:object")
    rule_player = player in partners.names() and player not in graphs.names()
    spec = f"{partners.PREFIX}{player}" if rule_player else player
    if spec.startswith(seat_spec.OTHERS):
        options = {"--model": asked.model, "--set": settings, **asked.settings}
        if wrong := next((name for name, value in options.items() if value), None):
            raise UserError(f"{wrong} is for graphs, and {spec} is none")
        return PlayerSpec(spec=spec)
    config = graphs.dotted(seat_spec.read_graph(spec), settings or ())
    answering = asked.model or (PROGRAM if asked.replay is None else f"{REPLAY}{asked.replay}")
    models = single_game.resampled(single_game.models([config], answering), **asked.settings)
    return PlayerSpec(spec=spec, config=config, models=dict(models))


def show(
    name: Annotated[
        str, Argument(metavar="BANK|PROBE", help="A bank's file or name, or a probe as its journal names it.")
    ],
    position: Annotated[
        str | None, Argument(help="Of a bank: one position as JSON, e.g. p007.", show_default=False)
    ] = None,
    seed: Seed = 1,
    *,
    output: Output,
) -> None:
    """Show a bank of positions, one position, or a probe."""
    from experiments.tasks.positions import bank

    file = Path(name).exists() or name.endswith((".jsonl", ".jsonl.gz"))
    if file or position is not None or name in bank.packaged():
        positions.show_bank(name, position, output)
    else:
        show_probe(name, seed, output)


app = group("Ask in positions, probes, questions, or by a judge.")
app.command("positions")(positions.run)
app.command("probes")(run_probes)
app.command("questions")(questions.questions)
app.command("judge")(questions.judge)
app.command("build")(positions.build)
app.command()(show)
