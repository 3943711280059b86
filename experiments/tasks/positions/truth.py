"""The truth of a bank: the hidden cards, and which journal a position is from. Kept at the end of a
bank's file.

Only what cheats by intention (the arm `own_hand`), and what is read by people alone, may import
this file; a test keeps that.
"""

import json
from pathlib import Path

from pydantic import ValidationError

from hanabi_orchestrator.experiments.tasks.positions.bank import TRUTH, path_of, plain_lines
from hanabi_orchestrator.orchestrator.errors import UserError, user_error
from hanabi_orchestrator.orchestrator.hanabi.cards import Card
from hanabi_orchestrator.orchestrator.values import Frozen


class PositionTruth(Frozen):
    """The cards that the acting seat of a position did not know."""

    name: str
    """The name of the position."""
    journal: str = ""
    """The journal that it is from; empty for a position that was made up."""
    turn: int
    own: tuple[Card, ...]
    """The own hand, slot 0 first."""
    deck: tuple[Card, ...] = ()
    """The cards not yet drawn, in order."""


def truths(bank: str | Path) -> dict[str, PositionTruth]:
    """Return the truths of a bank by the names of positions, if it has any. Raises UserError for an
    unreadable file."""
    lines = (line for line in plain_lines(path_of(bank)) if line.startswith(TRUTH))
    try:
        rows = [PositionTruth.model_validate(json.loads(line)["truth"]) for line in lines]
    except ValidationError as error:
        raise user_error(f"the truth in {str(bank)!r}", error) from None
    except (ValueError, RecursionError):
        raise UserError(f"the truth in {str(bank)!r} is not whole: a line is no JSON") from None
    return {row.name: row for row in rows}
