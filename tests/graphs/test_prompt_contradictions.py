"""No prompt contradicts itself: what sections, reports and steps of one prompt say of the same thing is the same."""

import re
from collections.abc import Iterator

import pytest

import graphs
from graphs.prompt_preview import requests
from orchestrator.hanabi.moves import Hint
from orchestrator.hanabi.view import View
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
    # where nobody else keeps to the conventions, what is only likely to fit is listed as playable
    alone = re.search(r"None of the others keeps|which is off", "\n".join(texts.values()))
    for node, text in texts.items():
        for section in text.split("\n# "):
            steps = [int(number) for number in re.findall(r"^(\d+)\. ", section, re.MULTILINE)]
            if steps and steps != list(range(1, len(steps) + 1)):
                yield f"{node}: steps {steps}"
        playable = re.search(r"^playable: (.+)$", text, re.MULTILINE)
        if playable and ("I know of no card to play" in text) != (playable[1] == "none"):
            yield f"{node}: playable {playable[1]}"
        first, every = re.search(r"^safest first: (\d)", text, re.MULTILINE), playable and playable[1].split(", ")
        if not alone and first and every and first[1] in every and len(every) < len(view.own):
            yield f"{node}: slot {first[1]} is playable and safest to lose"
        if not any(isinstance(move, Hint) for move in view.legal) and "is worth a token" in text:
            yield f"{node}: a token, and there is none"
        fits = re.findall(r"^- slots? ([\d, ]+): .*playable 0%", text, re.MULTILINE)
        dead = {slot for slots in fits for slot in slots.split(", ")}
        plays = re.search(r"^Surely playable, in the order to play them: (.+)\.$", text, re.MULTILINE)
        if plays and dead & set(re.findall(r"slot (\d)", plays[1])):
            yield f"{node}: {plays[1]}, and playable 0%"
    going = dict(re.findall(r"^- P(\d) .*discards next: slot (\d)", "\n".join(texts.values()), re.MULTILINE))
    for seat, slot in re.findall(r"^- seat: (\d); next action: .*?discard slot (\d)", "\n".join(texts.values()), re.M):
        if going.get(seat, slot) != slot:
            yield f"P{seat} discards slot {going[seat]}, and slot {slot}"


@pytest.mark.parametrize("name", GRAPHS)
async def test_sections_reports_and_steps_of_a_prompt_agree(name: str) -> None:
    wrong, positions = list[str](), views()
    for _ in range(POSITIONS if name == "house" or FULL else 4):
        view = next(view for view in positions if view.players in graphs.read(name).players)
        for config in arms(name):
            at = graphs.at(config, view.players)
            asked = requests(at, view, await turn_of(config, view))
            texts = {node: "\n\n".join(part.text for part in ask.parts) for node, ask in asked.items()}
            wrong += [f"turn {view.turn}, {config.name}: {one}" for one in contradictions(texts, view)]
    assert not wrong


def arms(name: str) -> Iterator[graphs.GraphConfig]:
    """Yield a graph, and `house` also without each of its advisers."""
    yield graphs.read(name)
    for adviser in ("history_analyst", "tom_interpreter", "discard_strategist") if name == "house" else ():
        yield graphs.without(graphs.read(name), adviser)


def test_a_contradiction_is_seen() -> None:
    view = next(views())
    texts = {"a": "2. Play.\n3. Discard.", "b": "I know of no card to play\nplayable: 1\nsafest first: 1"}
    assert len(list(contradictions(texts, view))) == 3
