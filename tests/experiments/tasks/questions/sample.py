"""A small file of questions of our own, and runs on it without a server."""

import csv
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from unittest.mock import patch

from hanabi_orchestrator.experiments.running.runner import Done
from hanabi_orchestrator.experiments.tasks.questions import coordination_qa, questions
from hanabi_orchestrator.orchestrator.models.layer import ModelLayer
from hanabi_orchestrator.orchestrator.models.request import ModelRequest, Scripted

ANYTHING = "[Red, Yellow, Green, White, Blue] [1, 2, 3, 4, 5]"

STATE = f"""\
It is currently My (Alice) turn. Current Stacks: Red - Red 1, Yellow - Y0, Green - Green 0, White - White 2, Blue - B0
My cards based on my knowledge:
Card 0 could be: {ANYTHING}
Card 1 could be: [Red] [2]
Card 2 could be: [Green 5]
Card 3 could be: {ANYTHING}
Card 4 could be: {ANYTHING}
I can see Bob's Cards are:
[Card 0: Yellow 5]
[Card 1: Blue 1]
[Card 2: Green 3]
[Card 3: White 1]
[Card 4: Blue 1]
Bob's Knowledge about his cards:
Bob believes his Card 0 could be: {ANYTHING}
Bob believes his Card 1 could be: {ANYTHING}
Bob believes his Card 2 could be: {ANYTHING}
Bob believes his Card 3 could be: {ANYTHING}
Remaining Reveal Tokens: 3
Remaining Lives: 2
Deck Size: 30
The discard pile is: [Green 3, Red 4]
My Action History: []
"""


def asked(
    question: str, *options: str, head: str = "Available Answers:", state: str = STATE
) -> str:
    """The text of a question."""
    lines = [
        f"{letter}. {option}"
        for letter, option in zip("ABCDEFGHIJKLMNOPQRS", options, strict=False)
    ]
    return "\n".join((state, question, head, *lines))


ACTIONS = (
    "Play Card 0.",
    "Play Card 1.",
    "Discard Card 0.",
    "Reveal Bob's rank 5 cards.",
    "Reveal Bob's Blue color cards.",
)

HANABI = {
    "Game": "Hanabi",
    "Game Description": "Two players stack cards of five colours.",
    "EC Question": asked(
        "How many of Bob's cards are currently playable?", "0", "1", "2", "3 or more"
    ),
    "EC Answer": "2",
    "EC Answer Ordinal": "C",
    "EC Directive": "Answer a question on the state. Explanation: <why> Answer: <one of the list>",
    "TOM Question": asked(
        "What should I reveal so that he does not discard his unique cards?",
        "Reveal Bob's rank 5 cards.",
        "Reveal Bob's Blue color cards.",
        "Reveal Bob's rank 1 cards.",
    ),
    "TOM Answer": "Reveal Bob's rank 5 cards.",
    "TOM Answer Ordinal": "A",
    "TOM Directive": "Say what the partner knows. Explanation: <why>\nAnswer: <one of the list>",
    "JP Question": asked("What action should I take next?", *ACTIONS, head="Available Actions:"),
    "JP Answer": "Reveal Bob's Blue color cards.",
    "JP Answer Ordinal": "E",
    "JP Directive": "Choose a move. Explanation: <why>\nAction: <one of the list>",
}
KITCHEN = "The soup has two onions. Bob holds an onion."
OVERCOOKED = {
    **{key: text for key, text in HANABI.items() if "Directive" in key},
    "Game": "Overcooked",
    "Game Description": "Two cooks make soup of three onions.",
    "EC Question": asked("How many onions does the soup need still?", "0", "1", "2", state=KITCHEN),
    "EC Answer": "1",
    "EC Answer Ordinal": "B",
    "TOM Question": asked(
        "What will Bob do?", "place onion in pot.", "wait.", "move away.", state=KITCHEN
    ),
    "TOM Answer": "place onion in pot.",
    "TOM Answer Ordinal": "A, C",
    "JP Question": asked(
        "What shall I do?",
        "pick up plate.",
        "pick up onion.",
        state=KITCHEN,
        head="Available actions:",
    ),
    "JP Answer": "pick up plate.",
    "JP Answer Ordinal": "A",
}
ROWS = (HANABI, OVERCOOKED)


def write(path: Path, *rows: Mapping[str, str]) -> Path:
    """A CSV of these scenarios, or of both."""
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, list((rows or ROWS)[0]))
        table.writeheader()
        table.writerows(rows or ROWS)
    return path


RIGHT = {"01-hanabi-ec": "C", "01-hanabi-tom": "A", "01-hanabi-jp": "E"}
RIGHT |= {"02-overcooked-ec": "B", "02-overcooked-tom": "A", "02-overcooked-jp": "A"}


def brain(says: Callable[[ModelRequest], str]) -> Scripted:
    """A model that answers by what is asked."""
    return Scripted({"coordination_qa": says})


def always(**wrong: str) -> Scripted:
    """A model that answers right, but for some questions: `hanabi_ec="A"`."""
    said = RIGHT | {
        name: letter
        for name in RIGHT
        for key, letter in wrong.items()
        if key == name[3:].replace("-", "_")
    }
    return brain(lambda request: f"Explanation: so.\nAnswer: {said[request.node]}")


def answering(brain: Scripted) -> AbstractContextManager[object]:
    """Let this brain answer in the place of every model's server."""
    return patch.object(ModelLayer, "brain", return_value=brain)


MODEL = "openai:tester@http://127.0.0.1:9/v1"


def run(folder: Path, asks: Scripted, *, model: str = MODEL, trials: int | None = None) -> Done:
    """A run on the file beside the folder."""
    file = questions.read(write(folder.parent / "questions.csv"))
    with answering(asks):
        return coordination_qa.run(file, model, folder, trials=trials)
