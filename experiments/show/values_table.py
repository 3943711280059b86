"""The values of a turn's moves as a table."""

from collections.abc import Iterator

from experiments.document.blocks import Block, Column, Note, table
from experiments.document.formats import INT, RIGHT, SIGNED, number
from experiments.values.move_values import MoveValue, TurnValues


def blocks(values: TurnValues) -> Iterator[Block]:
    """Return the moves, the best first, and whether the one that was played was a mistake."""
    columns = (
        *(Column("rank", ""), Column("move", "move"), Column("score", "score", number(1))),
        *(Column("difference", "difference", RIGHT), Column("at_once", "at once", SIGNED)),
        Column("deals", "deals", INT),
    )
    rows = [
        (
            *(str(value.rank), str(value.move), value.rollout, _difference(value, values), value.one_step),
            None if value.rollout is None else value.deals,
        )
        for value in values.moves
    ]
    looks = tuple("strong" if value.move == values.played else "plain" for value in values.moves)
    yield Note(f"values   {values.basis}", "aside")
    yield table("values", columns, rows, looks=looks)
    scores = [value.rollout for value in values.moves if value.rollout is not None]
    if scores and max(scores) > scores[0]:
        yield Note("1 was best on fresh deals; a score from few deals may be higher by chance", "aside")
    if values.mistake:
        yield Note(f"mistake  {values.mistake.text}", "error")
    elif values.played is None:
        yield Note("no move was played in this turn")
    else:
        yield Note("no mistake: no move was clearly better than the one that was played")


def _difference(value: MoveValue, values: TurnValues) -> str | None:
    played = values.of(values.played) if values.played else None
    if value.rollout is None:
        return None
    if value.move == values.played:
        return "played"
    if played is None or played.rollout is None:
        return None
    return f"{value.rollout - played.rollout:+.1f} (\N{PLUS-MINUS SIGN}{value.error:.1f})"
