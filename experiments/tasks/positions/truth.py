"""The truth of a bank: the hidden cards, and which journal a position is from. Kept at the end of a bank's file.

Only what cheats by intention (the arm `own_hand`), and what is read by people alone, may import this file; a test
keeps that.
"""

import json
from pathlib import Path

from pydantic import ValidationError

from experiments.tasks.positions.bank import found, plain_lines
from orchestrator.errors import UserError, user_error
from orchestrator.hanabi.cards import Card
from orchestrator.values import Frozen


class PositionTruth(Frozen):
    """What the acting seat of a position did not know."""

    name: str
    """Of the position."""
    journal: str = ""
    """From which it is; empty for a position that was made up."""
    turn: int
    own: tuple[Card, ...]
    """The own hand, slot 0 first."""
    deck: tuple[Card, ...] = ()
    """The cards not yet drawn, in order."""


def truths(bank: str | Path) -> dict[str, PositionTruth]:
    """By the name of the position; empty where a bank has none. Raises UserError for a file that cannot be read."""
    lines = (line for line in plain_lines(found(bank)) if line.startswith('{"truth"'))
    try:
        read = [PositionTruth.model_validate(json.loads(line)["truth"]) for line in lines]
    except ValidationError as error:
        raise user_error(f"the truth in {str(bank)!r}", error) from None
    except (ValueError, RecursionError):
        raise UserError(f"the truth in {str(bank)!r} is not whole: a line is no JSON") from None
    return {one.name: one for one in read}
