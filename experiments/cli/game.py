"""One game: `play`."""

import asyncio
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import Annotated

from typer import Option

from experiments.cli.shared_options import (
    Calls,
    Graph,
    Interrupted,
    Model,
    Output,
    Players,
    Sampling,
    Seats,
    Settings,
    Traces,
    print_json,
)
from orchestrator.errors import Suspended


def play(
    graph: Graph = "house",
    players: Players = 3,
    seed: Annotated[int | None, Option(help="HLE's own deal of this seed; default 1.")] = None,
    deck: Annotated[Path | None, Option(help="A JSON list of 50 cards, first dealt first.")] = None,
    model: Model = None,
    seat: Seats = None,
    settings: Settings = None,
    *,
    sampling: Sampling,
    out: Annotated[Path, Option(help="The folder for the game's journal.")] = Path("games"),
    calls: Calls,
    traces: Traces,
    force_new: Annotated[bool, Option("--force-new", help="Start a new game; an old journal is kept.")] = False,
    output: Output,
) -> None:
    """Play one game, or go on with an unfinished one.

    The same command again continues it; API calls that were completed are never billed again.
    """
    import graphs
    from experiments.document.terminal import console
    from experiments.record.game import Game
    from experiments.show import game_story
    from experiments.show.live_table import LiveTable
    from experiments.show.person import terminal_seat
    from experiments.study import decks, seat_spec
    from experiments.tasks.games import single_game
    from orchestrator.hanabi import referee
    from orchestrator.journal.events import nowhere
    from orchestrator.models.settings import PROGRAM, REPLAY
    from orchestrator.table import game_loop

    loud, as_json, replay = output.loud, output.as_json, calls.replay
    named_graph = graphs.read(graph)
    config = graphs.dotted(named_graph, settings or ())
    verify = next((rule for key, _, rule in (text.partition("=") for text in settings or ()) if key == "verify"), None)
    specs = seat_spec.placed(seat or (), referee.check_players(players))
    cards = None if deck is None else decks.read_deck(deck)
    if seed is not None:
        referee.check_seed(seed)
    layer = calls.options.layer()
    answering = model or (PROGRAM if replay is None else f"{REPLAY}{replay}")
    named = single_game.resampled(
        single_game.models(seat_spec.configs(config, specs, players), answering), **sampling.settings
    )
    screen = console(err=as_json)
    console_seats, person = terminal_seat.persons(seat_spec.persons(specs), screen, replay, named.values())
    cast = seat_spec.table(config, specs, players, named=named, layer=layer, verify=verify, person=person)
    label = deck.stem if deck else None
    start = partial(game_loop.start, players=players, seed=seed, deck=cards, label=label)
    started = start(cast)
    stem = seat_spec.name(f"{Path(graph).stem}{config.name.removeprefix(named_graph.name)}", specs, players)
    name = f"{stem}-{players}p-{f's{started.seed}' if cards is None else f'd-{label}'}"
    replaying = replay is not None or any(str(model_).startswith(REPLAY) for model_ in named.values())
    name = f"{name}-replay" if replaying else name
    new = force_new or (replaying and not single_game.asks_servers(cast))
    path = single_game.file(out, name, started, new=new)
    if not (new or loud.quiet) and (why := single_game.beside(out, name, path, started)):
        console(err=True).print(why, markup=False, soft_wrap=True, style="dim")
    live = None if as_json or loud.quiet else LiveTable(screen, live=not loud.verbose)
    board = console_seats.waiting if console_seats else live
    played = single_game.SingleGame(cast, started, path, layer)
    with board or nullcontext(), traces.sent(path):
        try:
            result = asyncio.run(played.play(board or nowhere))
        except KeyboardInterrupt:
            message = f"the game is kept in {path}; the same command goes on with it"
            raise Interrupted(message if path.exists() else "the game had not begun") from None
        except Suspended as suspended:
            totals = game_story.totals(path)
            if as_json:
                print_json(
                    {"suspended": str(suspended), "turn": suspended.turn, "journal": str(path), "so_far": totals}
                )
            elif totals["calls"] or not console_seats:
                screen.print(f"so far   {game_story.spent(totals)}", markup=False, soft_wrap=True)
            same = f"The same command{' without --force-new' if force_new else ''}"
            onward = "A larger budget" if suspended.held else same
            raise Suspended(f"{suspended}. {onward} continues from there", suspended.turn) from None
    if as_json:
        print_json(result.model_dump(mode="json") | {"journal": str(path)})
    elif console_seats and not loud.quiet:  # persons get to know the others' cards and reasons now
        screen.print("\nThe game is over. This is all of it, with the hidden cards and everybody's reasons.\n")
        game_story.print_game(Game.open(path), screen)
        game_story.print_next(path, screen, again=played.over)
    else:
        game_story.print_result(result, path, screen, again=played.over)
