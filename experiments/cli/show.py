"""`show`, `diff`, `view`: a game, a turn, which games of a folder are worth a look; two games or
runs; a browser."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typer import Argument, Option

from hanabi_orchestrator.experiments.cli import completion
from hanabi_orchestrator.experiments.cli.shared_options import (
    Budget,
    Intervals,
    MetricOf,
    Output,
    print_json,
    progress,
    say,
)
from hanabi_orchestrator.orchestrator.errors import UserError

if TYPE_CHECKING:
    from hanabi_orchestrator.experiments.record.game import Game
    from hanabi_orchestrator.experiments.values import Mistake, TurnValues
    from hanabi_orchestrator.experiments.values.game_marks import GameMarks


def show(
    game: Annotated[
        Path,
        Argument(
            metavar="GAME|DIR",
            help="A game's journal, or a folder of games.",
            autocompletion=completion.game,
        ),
    ],
    turn: Annotated[int | None, Option(help="Show this turn instead of the game.")] = None,
    full: Annotated[bool, Option("--full", help="With whole prompts and responses.")] = False,
    role: Annotated[
        str | None,
        Option(
            help="With --turn: only this node, or the nodes of this role.",
            autocompletion=completion.role,
        ),
    ] = None,
    prompts: Annotated[bool, Option("--prompts", help="With --turn: only the prompts.")] = False,
    mistakes: Annotated[
        bool,
        Option(
            "--mistakes",
            help="Mark mistakes, seconds a turn; with --turn the value of each move; of a DIR the "
            "worst moves.",
        ),
    ] = False,
    marks: Annotated[
        bool,
        Option(
            "--marks", help="With --turn: how right each response was, against the hidden cards."
        ),
    ] = False,
    most: Annotated[
        int,
        Option(
            min=1, help="With --mistakes of a DIR: the most games, those with the lowest scores."
        ),
    ] = 20,
    rollouts: Annotated[
        int, Option(min=50, help="With --mistakes: the most games played for a turn.")
    ] = 400,
    *,
    output: Output,
) -> None:
    """Look at a game or a turn, or find games worth a look.

    GAME: turn by turn; with --turn N one turn with its prompts and responses. DIR: the games worth
    a look.
    """
    _check(game, turn, role, prompts=prompts, full=full, marks=marks)
    if game.is_dir():
        _folder(game, most, output, swings=mistakes)
        return
    from hanabi_orchestrator.experiments.document import terminal
    from hanabi_orchestrator.experiments.document.terminal import console
    from hanabi_orchestrator.experiments.record.game import Game
    from hanabi_orchestrator.experiments.report import turn_marks
    from hanabi_orchestrator.experiments.show import game_story, turn_story

    opened = Game.open(game)
    if mistakes:
        output.before_rollouts()
    if turn is None:
        wrong = _mistakes(opened, game, rollouts) if mistakes else {}
        if output.as_json:
            print_json(game_story.as_data(opened, wrong))
        else:
            game_story.print_game(opened, console(), wrong)
            if mistakes:
                game_story.print_mistakes(wrong, game, console())
        return
    part = turn_story.Part(full=full, role=role, prompts=prompts)
    if output.as_json:
        values = _values(opened, turn, game, rollouts) if mistakes else None
        extra = {"values": values.model_dump(mode="json")} if values else {}
        extra |= turn_marks.data(_marks(opened, game), turn) if marks else {}
        print_json(turn_story.as_data(opened, turn, part) | extra)
    else:
        turn_story.print_turn(opened, turn, console(), part)
        parts = [*turn_marks.blocks(_marks(opened, game), turn, role)] if marks else []
        parts += turn_story.blocks(_values(opened, turn, game, rollouts)) if mistakes else []
        if parts:
            console().print()
        terminal.show(parts, console())


def _check(
    game: Path, turn: int | None, role: str | None, *, prompts: bool, full: bool, marks: bool
) -> None:
    """Raise UserError for options that do not belong together."""
    of_turn = {"--role": role is not None, "--prompts": prompts, "--marks": marks}
    if turn is None and (name := next((name for name, is_set in of_turn.items() if is_set), None)):
        if name == "--marks":
            whole = f"; `orchestrator report {game} --marks` marks all"
        else:
            whole = ""
        raise UserError(f"{name} is for one turn: name it with --turn N{whole}")
    if game.is_dir() and (turn is not None or full):
        raise UserError(
            f"{str(game)!r} is a folder, and --turn and --full are for one game; `orchestrator "
            f"show {game}` says which are worth a look, `orchestrator list games {game}` lists all"
        )


def _folder(folder: Path, most: int, output: Output, *, swings: bool) -> None:
    from hanabi_orchestrator.experiments.document.terminal import console
    from hanabi_orchestrator.experiments.record import saved
    from hanabi_orchestrator.experiments.show import worth_a_look
    from hanabi_orchestrator.experiments.values.looks import looks_of

    if swings:
        output.before_rollouts()
    looks = looks_of(folder, swings=swings, most=most, done=progress("rollouts of game"))
    if output.as_json:
        print_json(worth_a_look.as_data(looks))
    else:
        worth_a_look.print_looks(looks, f"there is no game in {folder}", console())
        if looks.games and not looks.looks:
            games = saved.told(saved.games(folder))
            output.rows(games[:LISTED], "")
            if len(games) > LISTED:
                say(f"{len(games) - LISTED} more: orchestrator list games {folder}")


LISTED = 20
"""Games of a folder that are listed where none stands out."""


def _mistakes(game: "Game", path: Path, rollouts: int) -> dict[int, "Mistake"]:
    """The mistakes of a game, by turn."""
    from hanabi_orchestrator.experiments.values import mistakes_of, store_of

    show = progress("mistakes of turn")
    total = len(game.turns)
    mistakes = mistakes_of(
        game, rollouts=rollouts, store=store_of(path), done=lambda number: show(number, total)
    )
    return {mistake.turn: mistake for mistake in mistakes}


def _marks(game: "Game", path: Path) -> "GameMarks":
    """The marks of a game. Raises UserError for one that is not finished."""
    from hanabi_orchestrator.experiments.values.marking import marks_of

    if game.result is None:
        raise UserError(f"{str(path)!r} is not finished; marks need the end of a game")
    return marks_of(path).of(path)


def _values(game: "Game", turn: int, path: Path, rollouts: int) -> "TurnValues":
    from hanabi_orchestrator.experiments.values import store_of, turn_values

    return turn_values(game, turn, rollouts=rollouts, store=store_of(path))


def diff(
    first: Annotated[
        Path,
        Argument(
            metavar="A", help="A game's journal, or a run folder.", autocompletion=completion.run
        ),
    ],
    second: Annotated[Path, Argument(metavar="B", help="Another one.")],
    arms: Annotated[
        list[str] | None,
        Option(
            "--arm", help="Of runs: only this arm, default all; given twice: one of A and one of B."
        ),
    ] = None,
    metric: MetricOf = None,
    interval: Intervals = "t",
    *,
    output: Output,
) -> None:
    """Compare two games turn by turn, or two runs deal by deal.

    Exit code 0: the same; 1: different.
    """
    from hanabi_orchestrator.experiments.report import two_runs
    from hanabi_orchestrator.experiments.show import two_games

    if len(arms or ()) > 2:
        raise UserError("--arm is given more than twice: one arm of A and one of B are compared")
    arm, arm_b = (*(arms or ()), None, None)[:2]
    if two_games.check(first, second):
        runs = two_runs.diff(first, second, arm, arm_b, metric=metric, interval=interval)
        output.show(two_runs.json_value(runs), two_runs.blocks(runs))
        same = runs.same
    elif arm or metric:
        raise UserError("--arm and --metric are for two runs, and these are two games")
    else:
        games = two_games.compare(first, second)
        output.draw(two_games.data(games), two_games.show, games)
        same = games.same
    if not same:
        raise typer.Exit(1)


def view(
    path: Annotated[
        Path,
        Argument(
            metavar="PATH",
            help="A run folder, a folder of journals, or one journal.",
            show_default=False,
            autocompletion=completion.run,
        ),
    ],
    port: Annotated[
        int | None,
        Option(
            min=0,
            max=65535,
            help="On 127.0.0.1; default 8642, or a free one where that is taken; 0: free.",
        ),
    ] = None,
    model: Annotated[
        list[str] | None,
        Option(help="A model that the page may ask, e.g. openai:NAME; repeatable."),
    ] = None,
    budget: Budget = None,
    browser: Annotated[bool, Option("--browser/--no-browser", help="Open a browser.")] = True,
) -> None:
    """Look at a run or at games in a browser.

    The page is on this machine alone. Ctrl-C ends it.
    """
    from hanabi_orchestrator.experiments.document.terminal import console
    from hanabi_orchestrator.experiments.page import server
    from hanabi_orchestrator.experiments.page.library import Library
    from hanabi_orchestrator.experiments.page.named_models import NamedModels
    from hanabi_orchestrator.experiments.running.model_options import budget as limits

    library = Library.open(path)
    models = NamedModels.of(model or (), *limits(budget or ()))
    listener = server.listening(port)
    screen = console(err=True)

    def ready(where: str, seats: Sequence[str]) -> None:
        if port is None and not where.endswith(f":{server.DEFAULT_PORT}/"):
            screen.print(f"port {server.DEFAULT_PORT} is taken, so another one is used")
        screen.print(f"{library.name} is at {where}{library.fragment}", soft_wrap=True)
        for seat in seats:
            screen.print(f"a person's seat: {where}{seat}", soft_wrap=True)
        screen.print("Ctrl-C ends this")

    server.serve(library, listener, ready=ready, browser=browser, models=models)
