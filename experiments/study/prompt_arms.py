"""Compares the prompts of an arm that replaces texts with those of the baseline, at the same positions."""

from collections.abc import Iterable, Iterator

from experiments.study.prompt_positions import positions
from graphs import replaced_texts
from graphs.config import GraphConfig
from graphs.replaced_texts import Position, TextProof


def proof(old: GraphConfig, new: GraphConfig, players: Iterable[int]) -> TextProof:
    """Compare the baseline's texts and prompts with those of an arm, part by part."""
    return replaced_texts.proof(old, new, list(_positions(old, players)))


def _positions(config: GraphConfig, players: Iterable[int]) -> Iterator[Position]:
    for count in sorted(set(players) & set(config.players)):
        for probed in positions(config, count):
            yield Position(probed.view, probed.notes, probed.memory)
