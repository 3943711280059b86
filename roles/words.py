"""How past moves, cards and chances are put, for models and people alike."""

from collections.abc import Iterable

from orchestrator.belief import Slot
from orchestrator.cards import COLOUR_NAMES, COLOURS, RANKS, name
from orchestrator.moves import Discard, HintColour, HintRank, Play
from orchestrator.view import Knowledge, Past


def say(past: Past, seat: int, players: int | None = None, *, after: bool = True) -> str:
    """A past move as a line: `turn 3, P1: hint P2 red, touching slots 0, 3; fireworks R0 ..., tokens 6, lives 3`.

    With `players`, how many they are, also by distance: `turn 3, P1, +2: hint +1 (P2) red ...`.
    """
    who = f"P{past.seat} (you)" if past.seat == seat else f"P{past.seat}"
    move = str(past.move)
    if players is not None:
        who += "" if past.seat == seat else f", +{(past.seat - seat) % players}"
        if isinstance(past.move, HintColour | HintRank):
            to = past.move.to
            move = move.replace(f"P{to}", f"+{(to - past.seat) % players} (P{to})", 1)
    touched = f", touching slot{'s' if len(past.slots) > 1 else ''} {', '.join(map(str, past.slots))}"
    tops = " ".join(f"{colour}{top}" for colour, top in zip(COLOURS, past.fireworks, strict=True))
    standing = f"; fireworks {tops}, tokens {past.tokens}, lives {past.lives}" if after else ""
    return f"turn {past.turn}, {who}: {move}{outcome(past)}{touched if past.slots else ''}{standing}"


def outcome(past: Past) -> str:
    """What a play or a discard showed, e.g. ` (R1, it fits)`."""
    if isinstance(past.move, Play) and past.card:
        return f" ({past.card.value}, {'it fits' if past.scored else 'it does not fit, a life is lost'})"
    return f" ({past.card.value})" if isinstance(past.move, Discard) and past.card else ""


def result(past: Past) -> str:
    """The same, shorter: ` (R1)`, ` (R1, a life lost)`."""
    lost = ", a life lost" if isinstance(past.move, Play) and not past.scored else ""
    return f" ({past.card.value}{lost})" if past.card else ""


def by_slot(texts: Iterable[str]) -> str:
    """`slot 0 R1, slot 1 B3`."""
    return ", ".join(f"slot {i} {text}" for i, text in enumerate(texts))


def possible(known: Knowledge) -> str:
    """What hints leave of a card, e.g. `red, white; rank 1, 2`."""
    colours = ", ".join(COLOUR_NAMES[c] for c in known.colours) if len(known.colours) < len(COLOURS) else "any colour"
    ranks = "rank " + ", ".join(map(str, known.ranks)) if len(known.ranks) < len(RANKS) else "any rank"
    return f"{colours}; {ranks}"


SHOWN = 6
"""Cards of a belief that are spelled out."""


def counted(slot: Slot) -> str:
    """A belief: its likeliest cards, and the three chances that matter."""
    likely = list(slot.likely().items())
    if len(likely) == 1:
        cards = f"{name(likely[0][0])}, for certain"
    else:
        cards = ", ".join(f"{card.value} {percent(share)}" for card, share in likely[:SHOWN])
        cards += f", {len(likely) - SHOWN} more" if len(likely) > SHOWN else ""
    chances = f"playable {percent(slot.playable)}, dead {percent(slot.dead)}, critical {percent(slot.critical)}"
    return f"{cards} ({chances})"


def percent(chance: float) -> str:
    """0% and 100% only when it is certain."""
    return f"{chance:.0%}" if chance in (0.0, 1.0) else f"{min(max(round(chance * 100), 1), 99)}%"
