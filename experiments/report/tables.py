"""The tables of a report, as text."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from experiments.analysis.analysis import OTHER, Analysis
from experiments.analysis.deal_variance import DealVariance
from experiments.analysis.differences import Difference
from experiments.analysis.labels import difference_labels, labels
from experiments.analysis.summaries import Score, Summary
from experiments.record.rows import Metric
from experiments.report import order
from roles.words import percent


@dataclass(frozen=True)
class Grid:
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    words: int = 1
    """The number of leading columns that are words; the others are numbers."""
    folded: tuple[tuple[str, ...], ...] = ()
    """More rows, which a page folds away."""


def number(value: float | None, digits: int = 2, sign: str = "") -> str:
    return "–" if value is None else f"{value:{sign}.{digits}f}".replace("-", "−")


def interval(low: float | None, high: float | None, sign: str = "") -> str:
    return "–" if low is None or high is None else f"{number(low, 2, sign)} to {number(high, 2, sign)}"


def probability(p: float | None) -> str:
    return "–" if p is None else "< .001" if p < 0.001 else f"{p:.3f}".removeprefix("0")


def share(of: float, low: float, high: float) -> str:
    return f"{percent(of)} ({100 * low:.0f}–{100 * high:.0f})"


def scores(analysis: Analysis, found: Sequence[Summary]) -> Grid:
    """Both scores of every row of `found`, the one of the headline first."""
    named, several = labels(found), order.mixed(found)
    metrics: tuple[Metric, Metric] = (analysis.score, OTHER[analysis.score])
    columns = ("arm", "players", "games", "deals", *(name for one in metrics for name in (one, "95 %", "SE", "SD")))
    rows = [
        (
            named[s.arm],
            order.at(s, mixed=several),
            str(s.n),
            str(s.deals),
            *(cell for one in metrics for cell in _score(s.of(one))),
            number(s.of(metrics[0]).iqm),
            share(s.perfect, s.perfect_low, s.perfect_high),
            share(s.struck_out, s.struck_out_low, s.struck_out_high),
        )
        for s in found
    ]
    return folded((*columns, "IQM", "perfect", "struck out"), [s.arm for s in found], rows, analysis)


def _score(one: Score) -> tuple[str, ...]:
    bounds = "–" if one.low is None or one.high is None else f"{number(one.low)}–{number(one.high)}"
    return number(one.mean), bounds, number(one.se), number(one.sd)


def folded(columns: tuple[str, ...], arms: Sequence[str], rows: Sequence[tuple[str, ...]], analysis: Analysis) -> Grid:
    """A grid of rows of these arms; of many arms those that differ least from the baseline are folded away."""
    first = order.foremost(tuple(dict.fromkeys(arms)), analysis)
    lines = list(zip(arms, rows, strict=True))
    shown, rest = ([row for arm, row in lines if (arm in first) is is_shown] for is_shown in (True, False))
    return Grid(columns, tuple(shown), folded=tuple(rest))


def play(analysis: Analysis) -> Grid:
    found = analysis.summaries
    named, several = labels(found), order.mixed(found)
    columns = ("arm", "players", "turns", "misplays", "hints wasted", "forced", "fallbacks", "calls", "tokens in")
    rows = [
        (
            named[s.arm],
            order.at(s, mixed=several),
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
    return folded((*columns, "out", "USD"), [s.arm for s in found], rows, analysis)


def _usd(s: Summary) -> str:
    """What a game cost; an estimate is called one."""
    return number(s.usd, 4) if s.usd_listed is None else f"~{number(s.usd_listed, 4)} (estimate by list price)"


def origins(analysis: Analysis) -> Grid | None:
    """Whose moves they are: forced, refused, asked again. None where no model was asked and nothing refused."""
    shown = [s for s in analysis.summaries if s.model_moves or s.refused]
    if not shown:
        return None
    named, several = labels(analysis.summaries), order.mixed(analysis.summaries)
    rows = [_origin(s, named[s.arm], order.at(s, mixed=several)) for s in shown]
    return folded(ORIGINS, [s.arm for s in shown], rows, analysis)


ORIGINS = (
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


def _origin(s: Summary, label: str, players: str) -> tuple[str, ...]:
    refused = s.refused, s.refused_by_rule, s.refused_turns, s.after_refusal
    effects = s.first_misplays, s.first_points, s.played_misplays, s.played_points
    return (
        label,
        players,
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
    """The differences by both scores, those of the headline first."""
    found, several = analysis.differences, order.mixed(analysis.summaries)
    named = difference_labels(analysis.summaries, [(d.arm, d.baseline) for d in found])
    corrected = "p, corr." if analysis.stopped else "p, Holm"
    unit, looks = found[0].unit, ("look", "settled") if analysis.stopped else ()
    columns: tuple[str, ...] = ("arm", "players", unit, *looks, analysis.metric, "95 %", "SE", "SD", "p", corrected)
    other = analysis.other_differences[0].metric if analysis.other_differences else "–"
    columns += ("corrected", "W/T/L", "MDE", "for 1 point", other, "95 %", corrected)
    others = {(d.arm, d.baseline, d.players): d for d in analysis.other_differences}
    rows = [
        (
            label,
            order.at(d, mixed=several),
            str(d.n),
            *looked(d),
            *_difference(d),
            *_other(others.get((d.arm, d.baseline, d.players))),
        )
        for d, label in zip(found, named, strict=True)
    ]
    return folded(columns, [d.arm for d in found], rows, analysis)


def _difference(d: Difference) -> tuple[str, ...]:
    return (
        number(d.mean, 2, "+"),
        interval(d.low, d.high, "+"),
        number(d.se),
        number(d.sd),
        probability(d.p),
        probability(d.p_holm),
        interval(d.low_holm, d.high_holm, "+"),
        f"{d.wins}/{d.ties}/{d.losses}",
        number(d.mde),
        "–" if d.for_one_point is None else str(d.for_one_point),
    )


def looked(d: Difference) -> tuple[str, ...]:
    """The look that an arm was compared at, and what it settled; nothing without a stop rule."""
    return (f"{d.stop.look} of {d.stop.looks}", d.stop.settled or "open") if d.stop else ()


def more_differences(differing: Sequence[Difference], analysis: Analysis) -> Grid | None:
    """Every arm by every other metric. None where nothing else varies."""
    found = [one for one in differing if one.p is not None or one.mean]
    if not found:
        return None
    named = difference_labels(analysis.summaries, [(d.arm, d.baseline) for d in found])
    corrected = "p, corr." if analysis.stopped else "p, Holm"
    rows = [
        (
            label,
            d.metric,
            d.better or "–",
            str(d.n),
            signed(d.mean),
            f"{signed(d.low)} to {signed(d.high)}" if d.low is not None and d.high is not None else "–",
            probability(d.p),
            probability(d.p_holm),
        )
        for d, label in zip(found, named, strict=True)
    ]
    columns = ("arm", "metric", "better", found[0].unit, "difference", "95 %", "p", corrected)
    shown = folded(columns, [d.arm for d in found], rows, analysis)
    return replace(shown, words=3)


def signed(value: float | None) -> str:
    """A number of any metric: with four digits where it is small."""
    if value is None:
        return "–"
    digits = 0 if abs(value) >= 1000 else 2 if abs(value) >= 0.095 or abs(value) < 0.00005 else 4
    value = value if abs(value) >= 0.00005 else 0.0
    return f"{value:+,.{digits}f}".replace("-", "−")


def _other(d: Difference | None) -> tuple[str, ...]:
    if d is None:
        return ("–", "–", "–")
    return number(d.mean, 2, "+"), interval(d.low, d.high, "+"), probability(d.p_holm)


def variances(found: Sequence[DealVariance], analysis: Analysis) -> Grid:
    """How much scores vary between deals and within them, and how far arms go along with the baseline."""
    named = labels(analysis.summaries)
    repeated = any(one.within is not None for one in found)
    columns = ("arm", "players", "deals", "games", "SD of deals")
    more = ("between deals", "within a deal", "share between") if repeated else ()
    rows = [
        (
            named[one.arm],
            *(str(count) for count in (one.players, one.deals, one.games)),
            number(one.sd),
            *((number(one.between), number(one.within), _percent(one.share)) if repeated else ()),
            number(one.correlation),
        )
        for one in found
    ]
    return folded((*columns, *more, "r with baseline"), [one.arm for one in found], rows, analysis)


def _percent(share: float | None) -> str:
    return "–" if share is None else percent(share)
