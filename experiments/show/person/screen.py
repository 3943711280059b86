"""What a person sees at their turn: a function of their seat's View alone, so that nothing hidden
can be on it."""

from collections.abc import Iterator

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from hanabi_orchestrator.experiments.document.terminal import plain_table
from hanabi_orchestrator.experiments.show.live_table import counts, hands
from hanabi_orchestrator.experiments.show.terminal import STYLES, card
from hanabi_orchestrator.orchestrator.hanabi import belief
from hanabi_orchestrator.orchestrator.hanabi.cards import COLOUR_NAMES, COLOURS
from hanabi_orchestrator.orchestrator.hanabi.moves import HintColour, HintRank
from hanabi_orchestrator.orchestrator.hanabi.view import Past, View
from hanabi_orchestrator.roles.words import ENGLISH

HELP = """
Type a move by its number in the list, or in words:
play 2 (p 2), discard 0 (d 0), hint P1 red (h 1 r), hint P1 rank 3 (h 1 3).
A reason may follow: play 2 because P1 hinted it. It is kept in the journal,
and your partners do not see it.

?      this help, and what your cards can be by hints and counting
board  the table and the list of moves again
log    all moves of the game
quit   leave (so do Ctrl-C and Ctrl-D); the same command goes on with the game

Slots count from 0, your oldest card. Colours are R Y G W B, ranks 1 to 5.
"""


def turn_screen(view: View) -> RenderableType:
    """Return the person's turn: what happened since their last one, the table, and the legal moves
    by their numbers."""
    if view.turns_left is None:
        turns = ""
    else:
        turns = f", {view.turns_left} turns left, this one included"
    if view.turns_left == 1:
        turns = ", the last turn of the game"
    else:
        turns = turns
    heading = Text(f"turn {view.turn}: you are P{view.seat}{turns}", style="bold reverse")
    return Group(
        Text(), heading, Text(), since(view), Text(), *board(view), Text(), moves(view), Text()
    )


def since(view: View) -> Text:
    """Return the moves since the person's last turn, their own included, in words."""
    turns = [number for number, past in enumerate(view.history) if past.seat == view.seat]
    moves_since = view.history[turns[-1] if turns else 0 :]
    if not moves_since:
        return Text("You make the first move of the game.", style="dim")
    return Text("\n").join(_line(past, view) for past in moves_since)


def log(view: View) -> Text:
    """Return all moves of the game, in words."""
    if view.history:
        return Text("\n").join(_line(past, view) for past in view.history)
    return since(view)


def _line(past: Past, view: View) -> Text:
    """Return one move; bold where it hints the person, red where it cost a life."""
    to_you = getattr(past.move, "to", None) == view.seat
    line = Text(ENGLISH.say(past, view.seat, after=False), style="bold" if to_you else "")
    if to_you:
        line.append(" of yours")
    if past.scored is False:
        line.stylize("bold red")
    if past.drew is not None:
        line.append(f"; drew {past.drew.value}", style="dim")
    return line


def board(view: View) -> Iterator[RenderableType]:
    """Return the table as the person may see it."""
    yield counts(view)
    yield Text()
    yield hands(view)
    if view.discards:
        yield Text()
        yield discards(view)


def discards(view: View) -> Text:
    """Return the discarded and misplayed cards, by colour and rank."""
    line = Text("discards ")
    by_colour = []
    for colour in COLOURS:
        by_colour.append(sorted(face for face in view.discards if face.colour == colour))
    return line.append_text(
        Text("   ").join(Text(" ").join(map(card, pile)) for pile in by_colour if pile)
    )


def moves(view: View) -> Table:
    """Return the legal moves with their numbers: a row for each kind, and for each player who can
    be hinted."""
    rows: dict[str, list[Text]] = {}
    for number, move in enumerate(view.legal):
        if isinstance(move, HintColour | HintRank):
            kind = f"hint P{move.to}"
        else:
            kind = move.kind
        if isinstance(move, HintColour):
            name = Text(COLOUR_NAMES[move.colour], style=STYLES[move.colour])
        else:
            name = Text(f"rank {move.rank}" if isinstance(move, HintRank) else f"slot {move.slot}")
        rows.setdefault(kind, []).append(Text.assemble((f"{number:>2} ", "bold cyan"), name))
    table = plain_table("", "", words=("",))
    table.show_header = False
    for kind, cells in rows.items():
        table.add_row(Text(kind, style="dim"), Text("  ").join(cells))
    return table


def help_screen(view: View) -> RenderableType:
    """Return how to type, and what hints and counting say of the person's cards."""
    columns = ("", "by hints alone", "by hints and counting")
    table = plain_table(*columns, words=columns)
    for slot, (hints, sure) in enumerate(zip(view.own, belief.own_hand(view), strict=True)):
        table.add_row(f"slot {slot}", ENGLISH.possible(hints), ENGLISH.counted(sure))
    return Group(Text(HELP.strip()), Text(), Text("Your cards", style="bold"), table)


def handed_over(seat: int) -> Text:
    """Shown between the turns of two persons at one terminal."""
    return Text(
        f"P{seat} is next. Nobody else should see the screen now; P{seat}, press Enter.",
        style="bold",
    )
