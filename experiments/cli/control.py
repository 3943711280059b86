"""`experiment pause`, `resume`, `limit`, `retry`, `cancel` and `status`: a run while it is played."""

from pathlib import Path
from typing import Annotated, Any

import typer

from experiments.cli.shared_options import Json, printed

Folder = Annotated[Path, typer.Argument(metavar="DIR", help="A run folder, e.g. runs/role-ablation.")]
Game = Annotated[
    str, typer.Argument(metavar="GAME", help="A game as ARM/NAME, e.g. full/2p-s1-r1, or the path of its journal.")
]


def pause(folder: Folder, as_json: Json = False) -> None:
    """Pause a run: calls in flight end, no other begins until `resume`. It changes no result."""
    _say(folder, as_json, "pause")


def resume(folder: Folder, as_json: Json = False) -> None:
    """Go on with a paused run."""
    _say(folder, as_json, "resume")


def limit(
    folder: Folder,
    model: Annotated[str, typer.Argument(metavar="MODEL", help="As in a models file, or its bare name.")],
    n: Annotated[int, typer.Argument(metavar="N", min=1, help="Calls at the same time.")],
    as_json: Json = False,
) -> None:
    """Allow a model another number of calls at a time (max_concurrency) until the command that plays the run ends."""
    _say(folder, as_json, "limit", model=model, most=n)


def retry(game: Game, folder: Folder, as_json: Json = False) -> None:
    """Try a game that failed or was suspended again now, while its run is still played."""
    _say_of_game(game, folder, as_json, "retry")


def cancel(game: Game, folder: Folder, as_json: Json = False) -> None:
    """Suspend a game at the end of its turn, and leave it out until the run is started again."""
    _say_of_game(game, folder, as_json, "cancel")


def status(folder: Folder, as_json: Json = False) -> None:
    """Show how a run stands: games, tokens, money, limits, and who plays it; also when nobody does."""
    from experiments.document.terminal import console
    from experiments.show import run_status as shown
    from experiments.tasks import run_status

    data = run_status.status(folder)
    printed(data) if as_json else shown.show(data, console())


def _say_of_game(game: str, folder: Path, as_json: bool, command: str) -> None:
    """Act on a game; the folder may also stand first, as in the other commands."""
    if Path(game).is_dir() and not folder.is_dir():
        game, folder = folder.as_posix(), Path(game)
    _say(folder, as_json, command, game=game)


def _say(folder: Path, as_json: bool, command: str, **values: Any) -> None:
    from experiments.tasks import run_status

    answer = run_status.command(folder, command, **values)
    printed(answer) if as_json else print("\n".join(answer["said"]))
