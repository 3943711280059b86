"""The tables of a report, as text."""

from collections.abc import Sequence
from dataclasses import dataclass

from experiments.statistics.analysis import Analysis
from experiments.statistics.differences import Difference
from experiments.statistics.labels import difference_labels, labels
from experiments.statistics.summaries import Summary
from roles.words import percent


@dataclass(frozen=True)
class Grid:
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    words: int = 1
    """The number of leading columns that are words; the others are numbers."""


def number(value: float | None, digits: int = 2, sign: str = "") -> str:
    return "–" if value is None else f"{value:{sign}.{digits}f}".replace("-", "−")


def interval(low: float | None, high: float | None, sign: str = "") -> str:
    return "–" if low is None or high is None else f"{number(low, 2, sign)} to {number(high, 2, sign)}"


def probability(p: float | None) -> str:
    return "–" if p is None else "< .001" if p < 0.001 else f"{p:.3f}".removeprefix("0")


def at(players: int | None) -> str:
    return "all" if players is None else str(players)


def scores(found: Sequence[Summary]) -> Grid:
    named = labels(found)
    columns = "arm", "players", "games", "deals", "score", "95 %", "kept", "SD", "IQM", "perfect", "struck out"
    rows = [
        (
            named[s.arm],
            at(s.players),
            str(s.n),
            str(s.deals),
            number(s.strict),
            interval(s.low, s.high),
            number(s.kept),
            number(s.sd),
            number(s.iqm),
            percent(s.perfect),
            percent(s.struck_out),
        )
        for s in found
    ]
    return Grid(columns, tuple(rows))


def play(found: Sequence[Summary]) -> Grid:
    named = labels(found)
    columns = (
        "arm",
        "players",
        "turns",
        "misplays",
        "hints wasted",
        "forced",
        "fallbacks",
        "calls",
        "tokens in",
        "out",
        "USD",
    )
    rows = [
        (
            named[s.arm],
            at(s.players),
            number(s.turns, 1),
            number(s.misplays),
            number(s.hints_wasted, 1),
            percent(s.forced_share),
            number(s.fallbacks),
            number(s.calls, 0),
            number(s.tokens_in, 0),
            number(s.tokens_out, 0),
            _usd(s),
        )
        for s in found
    ]
    return Grid(columns, tuple(rows))


def _usd(s: Summary) -> str:
    """What a game cost; an estimate is called one."""
    return number(s.usd, 4) if s.usd_listed is None else f"~{number(s.usd_listed, 4)} (estimate by list price)"


def origins(found: Sequence[Summary]) -> Grid | None:
    """Whose moves they are: forced, refused, asked again. None where no model was asked and nothing refused."""
    shown = [s for s in found if s.model_moves or s.refused]
    if not shown:
        return None
    named = labels(found)
    columns = (
        "arm",
        "players",
        "moves",
        "own",
        "forced",
        "2nd ask",
        "copied",
        "no answer",
        "refused",
        "by rule",
        "turns",
        "then own",
        "1st: lives",
        "points",
        "played: lives",
        "points",
    )
    return Grid(columns, tuple(_origin(s, named[s.arm]) for s in shown))


def _origin(s: Summary, label: str) -> tuple[str, ...]:
    refused = s.refused, s.refused_by_rule, s.refused_turns, s.after_refusal
    effects = s.first_misplays, s.first_points, s.played_misplays, s.played_points
    return (
        label,
        at(s.players),
        str(s.model_moves),
        "–" if s.own_share is None else percent(s.own_share),
        percent(s.forced_share),
        number(s.second_ask, 1),
        number(s.copied, 1),
        percent(s.unanswered) if s.calls else "–",
        *(number(mean, 1) for mean in refused),
        *(number(mean, 1) for mean in effects),
    )


def differences(analysis: Analysis) -> Grid:
    found = analysis.differences
    named = difference_labels(analysis.summaries, [(d.arm, d.baseline) for d in found])
    columns = (
        "arm",
        "players",
        "pairs",
        "difference",
        "95 %",
        "p",
        "p, Holm",
        "won",
        "tied",
        "lost",
        "MDE",
        "for 1 point",
    )
    rows = [_difference(d, label) for d, label in zip(found, named, strict=True)]
    return Grid(columns, tuple(rows))


def _difference(d: Difference, label: str) -> tuple[str, ...]:
    return (
        label,
        at(d.players),
        f"{d.n} {d.unit}",
        number(d.mean, 2, "+"),
        interval(d.low, d.high, "+"),
        probability(d.p),
        probability(d.p_holm),
        str(d.wins),
        str(d.ties),
        str(d.losses),
        number(d.mde),
        "–" if d.for_one_point is None else f"{d.for_one_point} {d.unit}",
    )
