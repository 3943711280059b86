from . import belief
from .cards import CARDS, COLOURS, Card, Colour, Mask, Piles, mask, unmask
from .move_reading import Grounded
from .moves import Discard, HintColour, HintRank, Move, Play
from .public_record import Record
from .referee import Referee, deal, rebuild
from .view import Hand, Knowledge, Past, View

__all__ = [
    "CARDS",
    "COLOURS",
    "Card",
    "Colour",
    "Discard",
    "Grounded",
    "Hand",
    "HintColour",
    "HintRank",
    "Knowledge",
    "Mask",
    "Move",
    "Past",
    "Piles",
    "Play",
    "Record",
    "Referee",
    "View",
    "belief",
    "deal",
    "mask",
    "rebuild",
    "unmask",
]
