"""One game: `play` it, or `fork` it: decide a turn of a recorded game again, and play on from
there."""

import asyncio
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument, Option

from hanabi_orchestrator.experiments.cli import completion
from hanabi_orchestrator.experiments.cli.shared_options import (
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
    print_yaml,
)
from hanabi_orchestrator.orchestrator.errors import Suspended, UserError

if TYPE_CHECKING:
    from rich.console import Console

    from hanabi_orchestrator.experiments.tasks.fork.branch import Branch
    from hanabi_orchestrator.experiments.tasks.fork.decision import Fork
    from hanabi_orchestrator.experiments.tasks.fork.new_seat import Change
    from hanabi_orchestrator.orchestrator.models.layer import ModelLayer
    from hanabi_orchestrator.orchestrator.table.seat import Seat


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
    force_new: Annotated[
        bool, Option("--force-new", help="Start a new game; an old journal is kept.")
    ] = False,
    min_own: Annotated[
        float, Option(help="Stop when a smaller share of moves is the model's own; 0 for never.")
    ] = 0.5,
    output: Output,
) -> None:
    """Play one game, or go on with an unfinished one.

    The same command again continues it; API calls that were completed are never billed again.
    """
    from hanabi_orchestrator import graphs
    from hanabi_orchestrator.experiments.document.terminal import console
    from hanabi_orchestrator.experiments.record.files import short_name
    from hanabi_orchestrator.experiments.record.game import Game
    from hanabi_orchestrator.experiments.show import game_story
    from hanabi_orchestrator.experiments.show.live_table import LiveTable
    from hanabi_orchestrator.experiments.show.person import terminal_seat
    from hanabi_orchestrator.experiments.study import decks, seat_spec
    from hanabi_orchestrator.experiments.tasks.games import single_game
    from hanabi_orchestrator.orchestrator.hanabi import referee
    from hanabi_orchestrator.orchestrator.journal.events import nowhere
    from hanabi_orchestrator.orchestrator.models.settings import PROGRAM, REPLAY
    from hanabi_orchestrator.orchestrator.table import game_loop

    loud = output.loud
    as_json = output.as_json
    replay = calls.replay
    named_graph = graphs.read(graph)
    config = graphs.dotted(named_graph, settings or ())
    verify = next(
        (
            rule
            for key, _, rule in (text.partition("=") for text in settings or ())
            if key == "verify"
        ),
        None,
    )
    specs = seat_spec.placed(seat or (), referee.check_players(players))
    cards = None if deck is None else decks.read_deck(deck)
    if seed is not None:
        referee.check_seed(seed)
    layer = calls.options.layer()
    answering = model or (PROGRAM if replay is None else f"{REPLAY}{replay}")
    bound = single_game.models(seat_spec.configs(config, specs, players), answering)
    named = single_game.resampled(bound, **sampling.settings)
    screen = console(err=as_json)
    console_seats, person = terminal_seat.persons(
        seat_spec.persons(specs), screen, replay, named.values()
    )
    cast = seat_spec.table(
        config, specs, players, named=named, layer=layer, verify=verify, person=person
    )
    label = deck.stem if deck else None
    start = partial(game_loop.start, players=players, seed=seed, deck=cards, label=label)
    started = start(cast)
    full_name = seat_spec.name(
        f"{Path(graph).stem}{config.name.removeprefix(named_graph.name)}", specs, players
    )
    stem = short_name(full_name)
    name = f"{stem}-{players}p-{f's{started.seed}' if cards is None else f'd-{label}'}"
    replaying = replay is not None or any(
        str(model_).startswith(REPLAY) for model_ in named.values()
    )
    name = f"{name}-replay" if replaying else name
    new = force_new or (replaying and not single_game.asks_servers(cast))
    path = single_game.file(out, name, started, new=new)
    if not (new or loud.quiet) and (why := single_game.beside(out, name, path, started)):
        console(err=True).print(why, soft_wrap=True, style="dim")
    if single_game.plays_rollouts(cast):
        output.before_rollouts()
    live = None if as_json or loud.quiet else LiveTable(screen, live=not loud.verbose)
    board = console_seats.waiting if console_seats else live
    played = single_game.SingleGame(cast, started, path, layer)
    with board or nullcontext(), traces.sent(path):
        try:
            result = asyncio.run(played.play(board or nowhere, min_own))
        except KeyboardInterrupt:
            message = f"the game is kept in {path}; the same command goes on with it"
            raise Interrupted(message if path.exists() else "the game had not begun") from None
        except Suspended as suspended:
            totals = game_story.totals(path)
            if as_json:
                facts = {"suspended": str(suspended), "turn": suspended.turn}
                print_json({**facts, "journal": str(path), "so_far": totals})
            elif totals["calls"] or not console_seats:
                screen.print(f"so far   {game_story.spent(totals)}", soft_wrap=True)
            same = f"The same command{' without --force-new' if force_new else ''}"
            onward = "A larger budget" if suspended.held else same
            raise Suspended(f"{suspended}. {onward} continues from there", suspended.turn) from None
    if as_json:
        print_json(result.model_dump(mode="json") | {"journal": str(path)})
    elif console_seats and not loud.quiet:  # persons get to know the others' cards and reasons now
        screen.print(
            "\nThe game is over. This is all of it, with the hidden cards and everybody's "
            "reasons.\n"
        )
        game_story.print_game(Game.open(path), screen)
        game_story.print_next(path, screen, again=played.over)
    else:
        game_story.print_result(result, path, screen, again=played.over)


def fork(
    game: Annotated[
        Path, Argument(metavar="GAME", help="A game's journal.", autocompletion=completion.game)
    ],
    turn: Annotated[int, Option(help="The turn to decide again.")],
    graph: Annotated[str | None, Option(help="Another graph: a name, or a YAML file.")] = None,
    model: Model = None,
    node_model: Annotated[
        list[str] | None, Option(help="NODE=MODEL: another model for one node; repeatable.")
    ] = None,
    settings: Settings = None,
    without: Annotated[list[str] | None, Option(help="Take this node away; repeatable.")] = None,
    edit: Annotated[
        list[str] | None,
        Option(help="NODE=FILE: put this note in the place of the node's own; repeatable."),
    ] = None,
    note: Annotated[
        str | None, Option(help="Print this node's note, to be changed for --edit; ask nobody.")
    ] = None,
    samples: Annotated[int, Option(help="Decide so many times, with other seeds.")] = 1,
    onward: Annotated[
        bool, Option("--continue", help="Play on from there, in a new journal.")
    ] = False,
    seat: Seats = None,
    out: Annotated[Path, Option(help="The folder for the journal of --continue.")] = Path("forks"),
    *,
    calls: Calls,
    force_new: Annotated[
        bool, Option("--force-new", help="Fork anew; an old journal is kept.")
    ] = False,
    output: Output,
) -> None:
    """Decide a turn again, with another graph, model or note.

    Without a change it is decided as it was. --continue plays on from there, in a new journal.
    """
    from hanabi_orchestrator.experiments.document.terminal import console
    from hanabi_orchestrator.experiments.tasks.fork import branch, decision, fork_report

    if note is not None:
        _print_note(game, turn, note, output)
        return
    if onward and samples != 1:
        raise UserError(
            f"--continue plays on from one decision, not from {samples}: leave out --samples"
        )
    if seat and not onward:
        raise UserError(
            "--seat says who sits in the other seats from there on, so it needs --continue"
        )
    layer = calls.options.layer()
    change = _change(graph, model, node_model, settings, without)
    notes = _pairs("--edit", edit, "analyst=note.yaml")
    change = replace(change, edits={node: Path(file) for node, file in notes.items()})
    if onward:
        prepared = asyncio.run(decision.prepare(game, turn, change, layer=layer))
        partners = _partners(seat or (), prepared.place.started.players, model, layer)
        new_game = branch.branch(prepared, game, out, layer, partners, force_new=force_new)
        _play_on(prepared, game, new_game, layer, output)
        return
    try:
        forked = asyncio.run(
            decision.decide_async(game, turn, change, samples=samples, layer=layer)
        )
    finally:
        layer.close()
    if output.as_json:
        print_json({"journal": str(game)} | fork_report.json_value(forked))
    else:
        _show(forked, game, console())
    if forked.stopped:
        message = f"{len(forked.new)} of {samples} decisions were made"
        raise Suspended(
            f"{forked.stopped}; {message}. With --cache their answers are not paid for again", turn
        )


def _pairs(flag: str, values: list[str] | None, example: str) -> dict[str, str]:
    """The values of `NODE=VALUE`, by node. Raises UserError."""
    pairs: dict[str, str] = {}
    for text in values or ():
        node, equals, value = text.partition("=")
        if not (node and equals and value):
            raise UserError(
                f"{flag} {text!r} is not NODE={'FILE' if flag == '--edit' else 'MODEL'}, e.g. "
                f"{example}"
            )
        if node in pairs:
            raise UserError(f"{flag} {text!r}: node {node!r} is given twice")
        pairs[node] = value
    return pairs


def _change(
    graph: str | None,
    model: str | None,
    node_model: list[str] | None,
    settings: list[str] | None,
    without: list[str] | None,
) -> "Change":
    from hanabi_orchestrator.experiments.tasks.fork.new_seat import Change
    from hanabi_orchestrator.experiments.tasks.games.single_game import models

    named = dict(models([], model)) if model else {}
    nodes: dict[str, Any] = {}
    for node, name in _pairs("--node-model", node_model, "analyst=program").items():
        nodes[node] = named.get(name) or models([], name).get("default", name)
    return Change(
        graph=graph,
        model=named.pop("default", None),
        named=named,
        settings=tuple(settings or ()),
        nodes=nodes,
        without=tuple(without or ()),
    )


def _print_note(game: Path, turn: int, node: str, output: Output) -> None:
    """The note of a node as a file for --edit."""
    from hanabi_orchestrator.experiments.tasks.fork import decision
    from hanabi_orchestrator.experiments.tasks.fork.new_seat import Change
    from hanabi_orchestrator.orchestrator.models.layer import ModelLayer

    place = asyncio.run(decision.prepare(game, turn, Change(), layer=ModelLayer()))
    note = decision.as_data(place.place, place.old_notes, node)
    if output.as_json:
        print_json(note)
    else:
        print_yaml(note, 100)


def _partners(
    seat: Sequence[str], players: int, model: str | None, layer: "ModelLayer"
) -> "dict[int, Seat]":
    """Who sits in other seats from there on."""
    from hanabi_orchestrator.experiments.study import seat_spec
    from hanabi_orchestrator.experiments.tasks.games import single_game

    named = dict(single_game.models([], model or "program"))
    default = named.get("default", "program")
    specs = seat_spec.placed(seat, players)
    seats = {}
    for n, spec in specs.items():
        seats[n] = seat_spec.read_seat(spec, model=default, named=named, layer=layer)
    return {n: seat_spec.check(partner, players) for n, partner in seats.items()}


def _play_on(
    fork: "Fork", game: Path, new_game: "Branch", layer: "ModelLayer", output: Output
) -> None:
    """Play the forked game to its end, then print the turn and the result."""
    from hanabi_orchestrator.experiments.document.terminal import console
    from hanabi_orchestrator.experiments.record.game import Game
    from hanabi_orchestrator.experiments.show import game_story
    from hanabi_orchestrator.experiments.show.live_table import LiveTable
    from hanabi_orchestrator.experiments.tasks.fork import fork_report
    from hanabi_orchestrator.experiments.tasks.games.single_game import SingleGame
    from hanabi_orchestrator.orchestrator.journal.events import nowhere

    as_json = output.as_json
    loud = output.loud
    screen = console(err=as_json)
    board = None if as_json or loud.quiet else LiveTable(screen, live=not loud.verbose)
    played = SingleGame(new_game.seats, new_game.started, new_game.path, layer)
    try:
        with board or nullcontext():
            result = asyncio.run(played.play(board or nowhere))
    except KeyboardInterrupt:
        raise Interrupted(
            f"the game is kept in {new_game.path}; the same command goes on with it"
        ) from None
    except UserError as error:
        new_game.forget()
        raise UserError(
            f"{error} (the other seats sit as recorded; --seat N=SPEC puts others there)"
        ) from None
    except Suspended as suspended:
        if as_json:
            print_json(
                {"suspended": str(suspended), "turn": suspended.turn, "journal": str(new_game.path)}
            )
        raise Suspended(
            f"{suspended}. The same command continues from there", suspended.turn
        ) from None
    story = Game.open(new_game.path)
    done = replace(fork, new=(story.turn(fork.place.view.turn),))
    if as_json:
        end = {"result": result.model_dump(mode="json"), "journal": str(new_game.path)}
        print_json(fork_report.json_value(done) | end)
        return
    _show(done, game, screen)
    game_story.print_result(
        result, new_game.path, screen, again=played.over, turn=fork.place.view.turn
    )


def _show(fork: "Fork", game: Path, screen: "Console") -> None:
    """Print the position, the moves of several samples, then both decisions with what changed: of
    samples the first."""
    from hanabi_orchestrator.experiments.document import terminal
    from hanabi_orchestrator.experiments.document.blocks import Block, Heading, Note, Text
    from hanabi_orchestrator.experiments.show.game_story import spent
    from hanabi_orchestrator.experiments.show.live_table import picture
    from hanabi_orchestrator.experiments.show.terminal import on
    from hanabi_orchestrator.experiments.show.two_games import Side, sides
    from hanabi_orchestrator.experiments.tasks.fork import fork_report
    from hanabi_orchestrator.orchestrator.models.simulated_settings import among

    place = fork.place
    old = fork.place.info
    new = fork.seat.info
    terminal.show([Heading(f"turn {place.view.turn}: P{place.view.seat}, decided again")], screen)
    screen.print(picture(place.view))
    terminal.show([Note(f"note: {warning}", "caution") for warning in fork.warnings], screen)
    parts: list[Block] = []
    if fork.new:
        values = fork_report.one_step(fork)
        then = Side(
            f"then: {old.graph} on {on(old.model)}",
            fork.old,
            fork_report.value_of(fork.old, values),
        )
        now = Side(
            f"now: {new.graph} on {on(new.model)}",
            fork.new[0],
            fork_report.value_of(fork.new[0], values),
        )
        if samples := fork_report.moves(fork):
            screen.print()
            terminal.show(samples, screen)
        screen.print(sides(then, now, screen.width, fork_report.meanings(fork)))
        parts += [*fork_report.same_notes(fork), fork_report.worth(values, game, place.view.turn)]
    used = fork_report.usage(fork)
    if used["calls"]:
        costless = among(new.model) and not used["tokens_in"]
        parts.append(
            Text(
                f"asked    {used['calls']} calls at no cost"
                if costless
                else f"asked    {spent(used)}"
            )
        )
    terminal.show(parts, screen)
