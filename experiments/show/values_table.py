"""The values of a turn's moves as a table."""

from rich.console import Console
from rich.text import Text

from experiments.document.terminal import plain_table
from experiments.values.move_values import MoveValue, TurnValues


def print_values(values: TurnValues, console: Console) -> None:
    """The moves, the best first, and whether the one that was played was a mistake."""
    console.print(Text(f"\nvalues   {values.basis}", style="dim"))
    table = plain_table("", "move", "score", "difference", "at once", "deals", words=("", "move"))
    for value in values.moves:
        mark = "played" if value.move == values.played else ""
        table.add_row(str(value.rank), f"{value.move}", *_numbers(value, values), style="bold" if mark else "")
        table.columns[-1].justify = "right"
    console.print(table)
    scores = [value.rollout for value in values.moves if value.rollout is not None]
    if scores and max(scores) > scores[0]:
        console.print(Text("1 was best on fresh deals; a score from few deals may be higher by chance", style="dim"))
    console.print(_verdict(values), soft_wrap=True)


def _numbers(value: MoveValue, values: TurnValues) -> tuple[str, str, str, str]:
    if value.rollout is None:
        return "-", "-", f"{value.one_step:+.2f}", "-"
    played = value.move == values.played
    base = values.of(values.played) if values.played else None
    gain = value.rollout - base.rollout if base and base.rollout is not None else None
    difference = "played" if played else "-" if gain is None else f"{gain:+.1f} (\N{PLUS-MINUS SIGN}{value.error:.1f})"
    return f"{value.rollout:.1f}", difference, f"{value.one_step:+.2f}", str(value.deals)


def _verdict(values: TurnValues) -> Text:
    if values.mistake:
        return Text(f"mistake  {values.mistake.text}", style="bold red")
    if values.played is None:
        return Text("no move was played in this turn")
    return Text("no mistake: no move was clearly better than the one that was played")
