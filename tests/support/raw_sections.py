"""What sections of a prompt must say of a table that raw HLE tells: written out apart from the project's own words."""

import re
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial

from tests.support.raw_table import COPIES, FEW, LETTERS, NAMES, Knowledge, Moved, Table


def wrong(name: str, text: str, table: Table) -> Iterator[str]:
    """The lines of a section that do not hold; nothing for a section that says no fact of the table."""
    lines = [line for line in text.splitlines()[1:] if line]
    check = CHECKS.get(name)
    yield from check(lines, text, table) if check else ()


def differing(lines: list[str], *allowed: list[str]) -> Iterator[str]:
    """The lines by which a section is none of those allowed."""
    if lines not in allowed:
        yield from [line for line in lines if line not in allowed[0]] or [
            f"of {len(allowed[0])} lines {len(lines)}"
        ]


def state(lines: list[str], text: str, table: Table) -> Iterator[str]:
    you = table.seat
    n = table.players
    order = ", ".join(f"P{(you + step) % n}" + (" (you)" if step == 0 else "") for step in range(n))
    tops = ", ".join(
        f"{NAMES[letter]} {top}" for letter, top in zip(LETTERS, table.fireworks, strict=True)
    )
    head = [
        f"You are P{you}; it is turn {len(table.past) + 1} and your move. Players move in the order {order}.",
        f"Lives: {table.lives}. Information tokens: {table.tokens}. Cards left in the deck: {table.deck}. "
        f"Score: {sum(table.fireworks)}.",
        f"Fireworks: {tops}.",
    ]
    own = ["Your hand, which you cannot see, with what you have been told outright:"]
    own += [f"- slot {slot}: {card.told}" for slot, card in enumerate(table.known[you])]
    tail = ["The hands that you see, slot 0 first:"]
    tail += [f"- P{seat}: {by_slot(hand)}" for seat, hand in table.hands.items()]
    return differing(lines, [*head, *own, *tail], [*head, *tail])


def by_slot(texts: tuple[str, ...] | list[str]) -> str:
    return ", ".join(f"slot {slot} {text}" for slot, text in enumerate(texts))


def own_deductions(lines: list[str], text: str, table: Table) -> Iterator[str]:
    if lines[0].startswith("By hints and counting"):
        return counted(lines[1:], table)
    deduced = [
        f"- slot {slot}: {card.deduced}" for slot, card in enumerate(table.known[table.seat])
    ]
    return differing(lines[1:], deduced)


def counted(lines: list[str], table: Table) -> Iterator[str]:
    """Kinds, where they are few, and the chances of being playable, dead and critical."""
    slots: list[int] = []
    for line in lines:
        match = re.match(
            r"- slots? ([\d, ]+): (?:(.*); )?playable (\d+)%, dead (\d+)%, critical (\d+)%$", line
        )
        if match is None:
            yield line
            continue
        for slot in map(int, match[1].split(",")):
            slots.append(slot)
            kinds = table.chances[slot]
            if (match[2].split(" or ") if match[2] else []) != (
                list(kinds) if len(kinds) <= FEW else []
            ):
                yield f"{line}, not {list(kinds)}"
            for printed, what in zip(
                match.groups()[2:], (table.playable, table.dead, table.critical), strict=True
            ):
                if not rounded(
                    int(printed),
                    sum((share for kind, share in kinds.items() if what(kind)), Fraction()),
                ):
                    yield f"{line}: {printed}%"
    if sorted(slots) != list(range(len(table.known[table.seat]))):
        yield f"slots {slots}"


def rounded(printed: int, chance: Fraction) -> bool:
    """Whether a percentage is that of a chance; 0 and 100 are said of what is certain alone."""
    if chance in (0, 1) or printed in (0, 100):
        return Fraction(printed, 100) == chance
    return abs(100 * chance - printed) <= Fraction(1, 2) or printed == (
        1 if chance < Fraction(1, 2) else 99
    )


def partner_knowledge(lines: list[str], text: str, table: Table) -> Iterator[str]:
    others = [seat for seat in table.known if seat != table.seat]
    return differing(
        lines,
        [f"- P{seat}: {by_slot([card.told for card in table.known[seat]])}" for seat in others],
    )


def partner_deductions(lines: list[str], text: str, table: Table) -> Iterator[str]:
    given: list[str] = []
    for seat, hand in table.hands.items():
        cards: list[tuple[str, Knowledge]] = list(zip(hand, table.known[seat], strict=True))
        given += [
            f"- P{seat}:",
            *(f"  - slot {slot} ({c}): {k.deduced}" for slot, (c, k) in enumerate(cards)),
        ]
    return differing(lines[1:], given)


def discards(lines: list[str], text: str, table: Table) -> Iterator[str]:
    ranks = {
        letter: sorted(card[1] for card in table.discards if card[0] == letter)
        for letter in LETTERS
    }
    piles = [
        f"- {NAMES[letter]}: {', '.join(ranks[letter])}" for letter in LETTERS if ranks[letter]
    ]
    return differing(lines, piles or ["Empty."])


def next_playable(lines: list[str], text: str, table: Table) -> Iterator[str]:
    pairs = zip(LETTERS, table.next_cards, strict=True)
    return differing(lines, [f"- {NAMES[letter]}: {card or 'complete'}" for letter, card in pairs])


def final_round(lines: list[str], text: str, table: Table) -> Iterator[str]:
    turns = table.turns_left or 0
    last = (table.seat + turns - 1) % table.players
    final = (
        f"The deck is empty. {turns} turns are left in the whole game, this one included; P{last} takes the last. "
        "After this turn you will have no other."
    )
    alone = "The deck is empty. This is the last turn of the game, and it is yours."
    return differing(lines, [alone if turns == 1 else final if turns else "no final round"])


def legal_moves(lines: list[str], text: str, table: Table) -> Iterator[str]:
    pairs = [
        line.split(": ", 1) if ": " in line else (line, line.removeprefix("- "))
        for line in lines[:-1]
    ]
    labels = [label for label, _ in pairs]
    moves = [move for _, move in pairs]
    kinds = {
        kind: [move for move in table.legal if move.startswith(kind)]
        for kind in ("discard", "play", "hint")
    }
    hints_first = [*kinds["hint"], *kinds["play"], *kinds["discard"]]
    if len(set(labels)) < len(labels):
        yield "a label is there twice"
    yield from differing(moves, list(table.legal), hints_first)


def history(lines: list[str], text: str, table: Table) -> Iterator[str]:
    """Moves as far as they are told, without a gap up to the last."""
    told = [line for line in lines if line.startswith("- turn")]
    if not told:
        yield from [] if not table.past and "- No" in text else ["no move is told"]
        return
    past = table.past[len(table.past) - len(told) :]
    whole = text.startswith("# All moves")
    if len(told) > len(table.past) or (whole and len(told) != len(table.past)):
        yield f"{len(told)} moves of {len(table.past)}"
        return
    for line, move in zip(told, past, strict=True):
        if line not in worded(move, table):
            yield line


def worded(move: Moved, table: Table) -> list[str]:
    """The ways to tell a move: by seat or by distance, with what it showed and the table after it or without."""
    mine = move.seat == table.seat
    who = f"P{move.seat} (you)" if mine else f"P{move.seat}"
    far = who if mine else f"{who}, +{(move.seat - table.seat) % table.players}"
    distant = move.move
    if move.to is not None:
        distant = move.move.replace(
            f"P{move.to}", f"+{(move.to - move.seat) % table.players} (P{move.to})", 1
        )
    texts = [f"- turn {move.turn}, {who}: {move.move}", f"- turn {move.turn}, {far}: {distant}"]
    return [
        f"{text}{result}{after}"
        for text in texts
        for result in ("", move.result)
        for after in ("", move.table)
    ]


def own_actions(lines: list[str], text: str, table: Table) -> Iterator[str]:
    mine = [f"{move.turn}: {move.move}" for move in table.past if move.seat == table.seat]
    return differing(lines[1:], ["; ".join(mine) or "None yet."])


def convention_facts(lines: list[str], text: str, table: Table) -> Iterator[str]:
    """Of its list of hints: each hint that a player with a turn left can get, and the slots that it touches."""
    if re.match(r"P\d of", text):
        yield from compact(text.splitlines(), table)
        return
    listed = [line for line in lines if re.match(r"- (any )?hint ", line)]
    if not listed:
        return
    turns = table.turns_left or table.players
    late = [seat for step, seat in enumerate(table.hands, 1) if step >= turns]
    hints = [move for move in table.legal if move.startswith("hint") and int(move[6]) not in late]
    told = {
        match[1]: match[2]
        for line in listed
        if (match := re.match(r"- (hint .*?) \(([\d, ]+)\): ", line))
    }
    if sorted(told) != sorted(hints):
        yield f"hints {sorted(told)}, not {sorted(hints)}"
    for hint, slots in told.items():
        hand = table.hands.get(int(hint[6]), ())
        what = hint.split()[-1]
        key = what if what.isdigit() else what[0].upper()
        if slots != ", ".join(str(slot) for slot, card in enumerate(hand) if key in card):
            yield f"{hint} ({slots})"
    without = [int(line[len("- any hint to P")]) for line in listed if line.startswith("- any")]
    if without != late:
        yield f"without a turn: {without}, not {late}"


def compact(lines: list[str], table: Table) -> Iterator[str]:
    """The position in short lines: all but what the conventions say."""
    tops = " ".join(f"{letter}{top}" for letter, top in zip(LETTERS, table.fireworks, strict=True))
    ranks = {
        letter: sorted(card[1] for card in table.discards if card[0] == letter)
        for letter in LETTERS
    }
    gone = (
        " ".join(f"{letter}{''.join(ranks[letter])}" for letter in LETTERS if ranks[letter])
        or "none"
    )
    moves = [
        f"P{move.seat} {move.move}{shown(move)}" for move in table.past[-(table.players - 1) :]
    ]
    kinds = [
        kind
        for kind in ("discard", "play", "hint")
        if any(move.startswith(kind) for move in table.legal)
    ]
    wanted = [
        f"P{table.seat} of {table.players}, turn {len(table.past) + 1}. Lives {table.lives}, tokens {table.tokens}, "
        f"deck {table.deck}. Fireworks {tops}. Discarded {gone}.",
        *(
            f"P{seat}: {', '.join(map(partial(valued, table), hand, table.known[seat]))}"
            for seat, hand in table.hands.items()
        ),
        f"Last moves: {'; '.join(moves) or 'none'}.",
        f"You may {', '.join(kinds)}.",
    ]
    told = [
        line.partition("; thinks")[0].partition("; discards next")[0] if line[:1] == "P" else line
        for line in lines
    ]
    yield from (line for line in wanted if not any(text.startswith(line) for text in told))
    yield from unlikely(lines, table)


def shown(move: Moved) -> str:
    """` (R1)`, ` (R1, a life lost)`, or nothing for a hint."""
    card, _, rest = move.result.partition(",")
    if not card:
        return ""
    return f"{card}, a life lost)" if "lost" in rest else f"{card.rstrip(')')})"


def valued(table: Table, card: str, known: Knowledge) -> str:
    kinds = {"playable": table.playable, "dead": table.dead, "critical": table.critical}
    worth = "".join(f" {name}" for name, holds in kinds.items() if holds(card))
    return f"{card}{worth}" + (f" ({brief})" if (brief := short(known)) != "any" else "")


def short(known: Knowledge) -> str:
    """`RY12`, `any`."""
    colours = [letter for letter in LETTERS if any(kind[0] == letter for kind in known.kinds)]
    ranks = [str(rank) for rank in COPIES if any(kind[1] == str(rank) for kind in known.kinds)]
    return "".join([*colours] * (len(colours) < 5) + ranks * (len(ranks) < 5)) or "any"


def unlikely(lines: list[str], table: Table) -> Iterator[str]:
    """The own cards: each slot once, with what hints leave of it or some of the kinds that hints and counting leave."""
    slots: list[int] = []
    for line in lines:
        if match := re.match(r"([\d ]+): (\S+)", line):
            slots += map(int, match[1].split())
            for slot in map(int, match[1].split()):
                few = set(match[2].split("/")) <= set(table.chances[slot])
                if not few and match[2] != short(table.known[table.seat][slot]):
                    yield line
    if sorted(slots) != list(range(len(table.known[table.seat]))):
        yield f"slots {slots}"


CHECKS: dict[str, Callable[[list[str], str, Table], Iterator[str]]] = {
    "state": state,
    "own_deductions": own_deductions,
    "partner_knowledge": partner_knowledge,
    "partner_deductions": partner_deductions,
    "discards": discards,
    "next_playable": next_playable,
    "final_round": final_round,
    "legal_moves": legal_moves,
    "history": history,
    "own_actions": own_actions,
    "convention_facts": convention_facts,
}
