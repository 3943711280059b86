"""No prompt contradicts itself: what sections, reports and steps of one prompt say of the same thing is the same."""

import re
from collections.abc import Iterator

import pytest

from hanabi_orchestrator import graphs
from hanabi_orchestrator.graphs.prompt_preview import requests
from hanabi_orchestrator.orchestrator.hanabi.cards import CARDS
from hanabi_orchestrator.orchestrator.hanabi.moves import Hint, HintColour
from hanabi_orchestrator.orchestrator.hanabi.view import View
from tests.support.positions import GRAPHS, partners_game, turn_of
from tests.support.prove import FULL

POSITIONS = 500 if FULL else 12
"""Of each graph."""


def views() -> Iterator[View]:
    """Yield positions of games of convention players, some with a partner who reads hints literally."""
    seed = 0
    while True:
        seed += 1
        players = 2 + seed % 4
        names = ["literal" if seat == 1 and seed % 3 == 0 else "smart" for seat in range(players)]
        for turn, referee in enumerate(partners_game(names, seed)):
            if not referee.over and (FULL or turn % 9 == seed % 9):
                yield referee.view()


def contradictions(texts: dict[str, str], view: View) -> Iterator[str]:
    """Yield what the prompts of a turn say in two ways."""
    whole = "\n".join(texts.values())
    # where nobody else keeps to the conventions, what is only likely to fit is listed as playable
    alone = re.search(r"None of the others keeps|which is off", whole)
    for node, text in texts.items():
        differences = (
            *steps(text),
            *plays(text),
            *counts(text, view),
            *cards(text, view),
            *steps_of_table(text, view),
        )
        yield from (f"{node}: {difference}" for difference in differences)
        playable = re.search(r"^playable: (.+)$", text, re.MULTILINE)
        first = re.search(r"^safest first: (\d)", text, re.MULTILINE)
        every = playable and playable[1].split(", ")
        if not alone and first and every and first[1] in every and len(every) < len(view.own):
            yield f"{node}: slot {first[1]} is playable and safest to lose"
    going = dict(re.findall(r"^- P(\d) .*discards next: slot (\d)", whole, re.MULTILINE))
    for seat, slot in re.findall(r"^- seat: (\d); next action: .*?discard slot (\d)", whole, re.M):
        if going.get(seat, slot) != slot:
            yield f"P{seat} discards slot {going[seat]}, and slot {slot}"
    yield from chances(whole, alone=bool(alone))


def steps(text: str) -> Iterator[str]:
    """Numbers of steps that do not follow each other."""
    for section in text.split("\n# "):
        numbers = [int(number) for number in re.findall(r"^(\d+)\. ", section, re.MULTILINE)]
        if numbers and numbers != list(range(1, len(numbers) + 1)):
            yield f"steps {numbers}"


def plays(text: str) -> Iterator[str]:
    """What is said of the cards to play, and of the moves that are refused."""
    playable = re.search(r"^playable: (.+)$", text, re.MULTILINE)
    if playable and ("I know of no card to play" in text) != (playable[1] == "none"):
        yield f"playable {playable[1]}"
    fits = re.findall(r"^- slots? ([\d, ]+): .*playable 0%", text, re.MULTILINE)
    dead = {slot for slots in fits for slot in slots.split(", ")}
    sure = re.search(r"^Surely playable, in the order to play them: (.+)\.$", text, re.MULTILINE)
    if sure and dead & set(re.findall(r"slot (\d)", sure[1])):
        yield f"{sure[1]}, and playable 0%"
    refused = re.search(r"Now it refuses: (.+)\.$", text, re.MULTILINE)
    chosen = re.search(r"^1\. [^:\n]*: ((?:play|discard) slot \d) \(", text, re.MULTILINE)
    listed = f"play slot {playable[1][0]}" if playable and playable[1] != "none" else None
    for move in (chosen and chosen[1], listed):
        if (
            refused
            and move
            and (move in refused[1] or (move.startswith("play") and "every play" in refused[1]))
        ):
            yield f"{move} comes first, and is refused"


def counts(text: str, view: View) -> Iterator[str]:
    """Numbers of the table that are not the table's."""
    table = {
        r"[Ll]ives:? (\d)[.,]": view.lives,
        r"(?:Information tokens:|, tokens) (\d)[.,]": view.tokens,
        r"(?:Cards left in the deck:|, deck) (\d+)\.": view.deck_size,
        r"Score: (\d+)\.": sum(view.fireworks),
        r"^You are P\d; it is turn (\d+)": view.turn,
        r"^You are P(\d)": view.seat,
        r"; (\d+) turns are left": view.turns_left or 0,
    }
    for pattern, value in table.items():
        lines = (
            line for line in text.splitlines() if "; fireworks R" not in line
        )  # the table after a past move
        said = {int(number) for line in lines for number in re.findall(pattern, line)}
        if said - {value}:
            yield f"{pattern} says {said}, and it is {value}"
    piles = dict(zip(("red", "yellow", "green", "white", "blue"), view.fireworks, strict=True))
    tops = re.search(r"^Fireworks: (.+)\.$", text, re.MULTILINE)
    if tops and tops[1] != ", ".join(f"{colour} {top}" for colour, top in piles.items()):
        yield f"fireworks {tops[1]}"


def cards(text: str, view: View) -> Iterator[str]:
    """Cards in sight that are another card elsewhere, and touched slots that do not hold what a hint names."""
    hands = {hand.seat: hand.cards for hand in view.hands}
    for seat, slot, card in re.findall(
        r"P(\d)[^\n]{0,40}? slot (\d) \(([RYGWB]\d)\)", latest(text)
    ):
        if int(seat) in hands and hands[int(seat)][int(slot)].value != card:
            yield f"P{seat}'s slot {slot} is {card}"
    for move in (move for move in view.legal if isinstance(move, Hint)):
        named = move.colour if isinstance(move, HintColour) else str(move.rank)
        touched = ", ".join(
            str(slot) for slot, card in enumerate(hands[move.to]) if named in card.value
        )
        for slots in re.findall(rf"^- {move} \(([\d, ]+)\): ", text, re.MULTILINE):
            if slots != touched:
                yield f"{move} touches {slots}"


def latest(text: str) -> str:
    """A prompt without the past moves, whose slots are those of their time."""
    past = re.compile("turn |^Last moves|action explanation")
    return "\n".join(line for line in text.splitlines() if not past.search(line))


def steps_of_table(text: str, view: View) -> Iterator[str]:
    """Steps for another table than this one, and what costs a token that is not there."""
    words = {
        r"[Ww]ith 8 tokens[,:]|to the player before you, the rank": view.tokens == 8,
        r"is worth a token|^   b\. To any player": view.tokens > 0,
        r"^There is no token|There is no token, so": view.tokens == 0,
        r"The deck is nearly out, and": view.deck_size <= {3: 3, 2: 1}.get(view.lives, -1),
        r"You are two|the other takes no card": view.players == 2,
    }
    task = text[text.find("# Your task") :]
    rules = task if "the code" not in task else ""  # which names its cases itself
    for pattern, holds in words.items():
        if not holds and (match := re.search(pattern, rules, re.MULTILINE)):
            yield f"{match[0]!r}, with {view.tokens} tokens, {view.deck_size} cards, {view.players} players"


def chances(texts: str, *, alone: bool) -> Iterator[str]:
    """Chances of an own card by the same grounds that differ from prompt to prompt, and lists that they contradict."""
    counting = by_slot(texts, r"By hints and counting alone.*:\n((?:- .+\n?)+)")
    more = by_slot(texts, r"Your own cards by hints, counting and conventions.*:\n((?:- .+\n?)+)")
    risks = by_slot(
        texts, r"What your own cards are by hints, counting and conventions:\n((?:- .+\n?)+)"
    )
    reported = dict(
        re.findall(r"^- slot: (\d); reason: dead (?:\d+%), critical (\d+)%", texts, re.MULTILINE)
    )
    for slot, risk in risks.items():
        known = (counting | more).get(slot, risk) if "where that says more" in texts else {}
        for name in ("dead", "critical"):
            if name in known and known[name] != risk[name]:
                yield f"slot {slot} is {name} with {known[name]} and {risk[name]}"
        if int(reported.get(slot, risk["critical"])) != risk["critical"]:
            yield f"slot {slot} is critical with {risk['critical']} and {reported[slot]}"
    dead = re.search(r"^Surely dead, in the order to discard them: (.+)\.$", texts, re.MULTILINE)
    if (
        dead
        and risks
        and {slot for slot in risks if risks[slot]["dead"] == 100}
        != {*re.findall(r"slot (\d)", dead[1])}
    ):
        yield f"surely dead: {dead[1]}"
    for slot in re.findall(r"slot (\d) \([a-z ]+, for certain\)", texts):
        if slot in counting and 100 not in (counting[slot]["playable"], counting[slot]["dead"]):
            yield f"slot {slot} is for certain, and by counting {counting[slot]}"


def by_slot(texts: str, pattern: str) -> dict[str, dict[str, int]]:
    """The chances in percent that a part of the prompts gives, by slot."""
    table = dict[str, dict[str, int]]()
    for lines in re.findall(pattern, texts):
        for slots, text in re.findall(r"^- slots? ([\d, ]+): (.+)$", lines, re.MULTILINE):
            numbers = {
                name: int(chance)
                for name, chance in re.findall(r"(playable|dead|critical) (\d+)%", text)
            }
            table |= dict.fromkeys(slots.split(", "), numbers)
    return table


@pytest.mark.parametrize("name", GRAPHS)
async def test_sections_reports_and_steps_of_a_prompt_agree(name: str) -> None:
    wrong = list[str]()
    positions = views()
    for _ in range(POSITIONS if name == "house" or FULL else 4):
        view = next(view for view in positions if view.players in graphs.read(name).players)
        for config in arms(name):
            at = graphs.at(config, view.players)
            asked = requests(at, view, await turn_of(config, view))
            texts = {
                node: "\n\n".join(part.text for part in ask.parts) for node, ask in asked.items()
            }
            wrong += [
                f"turn {view.turn}, {config.name}: {one}" for one in contradictions(texts, view)
            ]
    assert not wrong


def arms(name: str) -> Iterator[graphs.GraphConfig]:
    """Yield a graph, and `house` also without each of its advisers."""
    yield graphs.read(name)
    for adviser in (
        ("history_analyst", "tom_interpreter", "discard_strategist") if name == "house" else ()
    ):
        yield graphs.without(graphs.read(name), adviser)


def test_a_contradiction_is_seen() -> None:
    view = next(views())
    texts = {
        "a": "2. Play.\n3. Discard.",
        "b": "I know of no card to play\nplayable: 1\nsafest first: 1",
    }
    assert len(list(contradictions(texts, view))) == 3
    (seat, *_), (cards, *_) = zip(*((hand.seat, hand.cards) for hand in view.hands), strict=True)
    other = next(card for card in CARDS if card != cards[0])
    says = "By hints and counting alone:\n- slots 0, 1: playable 20%, dead 5%, critical 9%\n"
    adds = "Your own cards by hints, counting and conventions, where that says more:\n- slot 0: dead 7%, critical 1%\n"
    risks = "What your own cards are by hints, counting and conventions:\n- slots 0, 1: dead 7%, critical 1%\n"
    faults = {
        f"Lives: {view.lives + 1}.": 1,
        f"P{seat} will play slot 0 ({other.value})": 1,
        f"# Your task\n{'There is no token, so name none' if view.tokens else 'a hint is worth a token'}": 1,
        "1. Play: play slot 2 (it fits).\nNow it refuses: play slot 2.": 1,
        says + adds + risks: 2,
        says
        + "Surely playable, in the order to play them: slot 0 (everybody knows, for certain).": 1,
        f"Lives: {view.lives}.\nP{seat} will play slot 0 ({cards[0].value})\n{says}": 0,
    }
    assert [len(list(contradictions({"a": text}, view))) for text in faults] == [*faults.values()]
