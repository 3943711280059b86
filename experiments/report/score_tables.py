"""The tables of a run's games: scores, differences, variances, who decided, play and cost."""

from collections.abc import Sequence
from dataclasses import replace

from experiments.analysis import conclusions
from experiments.analysis.analysis import OTHER, Analysis
from experiments.analysis.deal_variance import DealVariance
from experiments.analysis.differences import Difference
from experiments.analysis.labels import difference_labels, labels
from experiments.analysis.summaries import Summary
from experiments.document.blocks import Cell, Column, Table, table
from experiments.document.formats import (
    INT,
    INTERVAL,
    MEASURED,
    MEASURED_INTERVAL,
    NUMBER,
    P_VALUE,
    PERCENT,
    PERCENT_ESTIMATE,
    SIGNED,
    SIGNED_INTERVAL,
    TALLY,
    bounds,
    number,
)
from experiments.record.measures import METRICS
from experiments.report import order
from roles.words import many

ARM = Column("arm", "arm", constant=True)
PLAYERS = Column("players", "players", INT, constant=True)
ONE_DIGIT, NO_DIGIT = number(1), number(0)


def folding(
    key: str, columns: Sequence[Column], arms: Sequence[str], rows: Sequence[Sequence[Cell]], analysis: Analysis
) -> Table:
    """Return a table of rows of these arms; of many arms those that differ least from the baseline are folded away."""
    first = order.foremost(tuple(dict.fromkeys(arms)), analysis)
    lines = list(zip(arms, map(tuple, rows), strict=True))
    unfolded = [row for arm, row in lines if arm in first]
    folded = [row for arm, row in lines if arm not in first]
    return Table(key, tuple(columns), (*unfolded, *folded), folded=len(folded))


def _score_columns(metric: str) -> tuple[Column, ...]:
    return (
        Column(metric, metric, NUMBER),
        Column(f"{metric}_bounds", "95 %", INTERVAL),
        Column(f"{metric}_se", "SE", NUMBER),
        Column(f"{metric}_sd", "SD", NUMBER),
    )


SCORES = "arm players games deals {0} {0}_bounds {0}_se {0}_sd {1} {1}_bounds {1}_se {1}_sd iqm perfect struck_out"
"""The columns of scores in a report: of the score that it is about, then of the other one."""


def keys(columns: str, analysis: Analysis) -> list[str]:
    """Return the keys of columns, with the score of an analysis and the other one in their places."""
    return columns.format(analysis.score, OTHER[analysis.score]).split()


def brief(analysis: Analysis, summaries: Sequence[Summary]) -> Table:
    """Return a row for each arm, pooled over player counts: its score, and its difference from the baseline."""
    pooled = {s.arm for s in summaries if s.players is None}
    rows = [s for s in summaries if s.players is None or s.arm not in pooled]
    first, mixed = order.foremost([s.arm for s in rows], analysis), order.mixed(rows)
    several = len({count for s in rows for count in s.counts}) > 1
    names = labels(rows) if len({s.provenance for s in rows}) > 1 else {s.arm: s.arm for s in rows}
    effects = {d.arm: d for d in (*conclusions.widest(analysis.differences), *conclusions.widest(analysis.apart))}
    score = next(iter(effects.values())).metric if effects else analysis.score
    columns = (
        *(ARM, PLAYERS, Column("games", "games", INT), Column("score", analysis.score, NUMBER)),
        Column("bounds", "95 %" if not effects else "", INTERVAL),
        Column("mean", "difference" if score == analysis.score else f"{score}, difference", SIGNED),
        Column("low", "95 %", SIGNED_INTERVAL),
        Column("p_holm", _corrected(analysis), P_VALUE),
    )
    cells = []
    for s in rows:
        if s.arm in first:
            of, effect = s.of(analysis.score), effects.get(s.arm)
            bound = None if effects else bounds(of.low, of.high)
            beside = (effect.mean, bounds(effect.low, effect.high), effect.p_holm) if effect else (None, None, None)
            tested = effect is not None and effect not in analysis.apart
            at = order.at(s, mixed=mixed) if several else None
            cells.append((names[s.arm], at, s.n, of.mean, bound, *beside[:2], beside[2] if tested else None))
    return table("verdict", columns, cells)


BRIEF_CAPTION = (
    "Mean score of each arm over all player counts, and its mean difference from the baseline on the same deals with "
    "its 95 % confidence interval. The p-value is corrected for the number of arms, the interval is not."
)


def _corrected(analysis: Analysis) -> str:
    """Return the title of a column of p-values."""
    tests = max((d.tests for d in analysis.differences), default=1)
    return "p" if tests == 1 else "p, corr." if analysis.stopped else "p, Holm"


def scores(analysis: Analysis, summaries: Sequence[Summary]) -> Table:
    """Return both scores of these rows, with all columns."""
    names, mixed = labels(summaries), order.mixed(summaries)
    metrics = (analysis.score, OTHER[analysis.score])
    columns = (
        *(ARM, PLAYERS, Column("games", "games", INT), Column("deals", "deals", INT)),
        *(column for metric in metrics for column in _score_columns(metric)),
        Column("iqm", "IQM", NUMBER),
        Column("perfect", "perfect", PERCENT_ESTIMATE),
        Column("struck_out", "struck out", PERCENT_ESTIMATE),
    )
    rows = [
        (
            *(names[s.arm], order.at(s, mixed=mixed), s.n, s.deals),
            *(
                cell
                for score in map(s.of, metrics)
                for cell in (score.mean, bounds(score.low, score.high), score.se, score.sd)
            ),
            s.of(metrics[0]).iqm,
            (s.perfect, s.perfect_low, s.perfect_high),
            (s.struck_out, s.struck_out_low, s.struck_out_high),
        )
        for s in summaries
    ]
    return folding("arms", columns, [s.arm for s in summaries], rows, analysis)


def scores_caption(analysis: Analysis, *, mixed: bool) -> str:
    """Return what the columns of scores mean."""
    pooled = (
        " Not every arm was played at the same player counts: a pooled row names its own, and is comparable only with "
        "a row of the same counts."
    )
    return (
        "Points of 25, mean over deals; repeats of a deal are averaged first. *strict*: a game in which the third life "
        "was lost scores 0; *kept*: it scores the points on the table. *95 %* and *SE*: confidence interval and "
        "standard error of the mean, over deals; *SD*: standard deviation of games. *IQM*: interquartile mean of the "
        f"{analysis.score} score. *perfect*, *struck out*: share of games with 25 points, and in which the third life "
        f"was lost, with 95 % intervals.{pooled if mixed else ''}"
    )


def play(analysis: Analysis) -> Table:
    """Return how arms played and what a game cost; an estimated cost is called one."""
    names, mixed = labels(analysis.summaries), order.mixed(analysis.summaries)
    columns = (
        *(ARM, PLAYERS, Column("turns", "turns", ONE_DIGIT), Column("misplays", "misplays", NUMBER)),
        Column("hints_wasted", "hints wasted", ONE_DIGIT),
        *(Column("forced", "forced", PERCENT), Column("fallbacks", "fallbacks", NUMBER)),
        Column("calls", "calls", NO_DIGIT),
        *(Column("tokens_in", "tokens in", NO_DIGIT), Column("tokens_out", "out", NO_DIGIT)),
        Column("usd", "USD", number(4)),
    )
    rows = [
        (
            *(names[s.arm], order.at(s, mixed=mixed), s.means["turns"], s.means["misplays"]),
            *(s.means["hints_wasted"], s.forced_share),
            *(s.means[key] for key in ("fallbacks", "calls", "tokens_in", "tokens_out")),
            s.means["usd"] if s.usd_listed is None else f"~{number(4).text(s.usd_listed)} (estimate by list price)",
        )
        for s in analysis.summaries
    ]
    return folding("play", columns, [s.arm for s in analysis.summaries], rows, analysis)


ORIGINS = {
    "own": ("own", PERCENT),
    "forced": ("forced", PERCENT),
    "second_ask": ("2nd ask", ONE_DIGIT),
    "copied": ("copied", ONE_DIGIT),
    "unanswered": ("no answer", PERCENT),
    "refused": ("refused", ONE_DIGIT),
    "refused_by_rule": ("by rule", ONE_DIGIT),
    "refused_turns": ("turns", ONE_DIGIT),
    "after_refusal": ("then own", ONE_DIGIT),
    "first_misplays": ("1st choice: lives", ONE_DIGIT),
    "first_points": ("1st choice: points", ONE_DIGIT),
    "played_misplays": ("played: lives", ONE_DIGIT),
    "played_points": ("played: points", ONE_DIGIT),
}
"""How moves came about: the titles and formats of the columns that follow the number of moves."""


def origins(analysis: Analysis) -> Table:
    """Return whose moves they are; without a row where no model was asked and nothing refused."""
    summaries = [s for s in analysis.summaries if s.model_moves or s.means["refused"]]
    names, mixed = labels(analysis.summaries), order.mixed(analysis.summaries)
    columns = (
        *(ARM, PLAYERS, Column("moves", "moves of models", INT, constant=True)),
        *(Column(key, title, format) for key, (title, format) in ORIGINS.items()),
    )
    rows = [
        (
            *(names[s.arm], order.at(s, mixed=mixed), s.model_moves),
            *(s.own_share, s.forced_share, s.means["second_ask"], s.means["copied"]),
            s.unanswered if s.means["calls"] else None,
            *(s.means[key] for key in list(ORIGINS)[5:]),
        )
        for s in summaries
    ]
    return folding("origins", columns, [s.arm for s in summaries], rows, analysis)


def differences(effects: Sequence[Difference], others: Sequence[Difference], analysis: Analysis) -> Table:
    """Return differences by one metric, and beside each the `others` by another one."""
    names = difference_labels(analysis.summaries, [(d.arm, d.baseline) for d in effects])
    mixed = order.mixed(analysis.summaries)
    corrected = "p, corr." if analysis.stopped else "p, Holm"
    columns = [
        *(ARM, PLAYERS, Column("n", effects[0].unit if effects else "n", INT, constant=True)),
        *(Column("look", "look", INT), Column("settled", "settled")),
        *(Column("mean", effects[0].metric if effects else "", SIGNED), Column("bounds", "95 %", SIGNED_INTERVAL)),
        *(Column("se", "SE", NUMBER), Column("sd", "SD", NUMBER), Column("p", "p", P_VALUE)),
        Column("p_holm", corrected, P_VALUE),
        *(Column("tally", "W/T/L", TALLY), Column("mde", "MDE", NUMBER)),
        Column("for_one_point", "for 1 point", INT),
        Column("other_mean", others[0].metric if others else "", SIGNED),
        *(Column("other_bounds", "95 %", SIGNED_INTERVAL), Column("other_p_holm", corrected, P_VALUE)),
    ]
    by_arm = {(d.arm, d.baseline, d.players): d for d in others}
    rows = []
    for d, name in zip(effects, names, strict=True):
        other = by_arm.get((d.arm, d.baseline, d.players))
        rows.append(
            (
                *(name, order.at(d, mixed=mixed), d.n),
                *((f"{d.stop.look} of {d.stop.looks}", d.stop.settled or "open") if d.stop else (None, None)),
                *(d.mean, bounds(d.low, d.high), d.se, d.sd, d.p, d.p_holm),
                *((d.wins, d.ties, d.losses), d.mde, d.for_one_point),
                *((other.mean, bounds(other.low, other.high), other.p_holm) if other else (None, None, None)),
            )
        )
    return folding("differences", columns, [d.arm for d in effects], rows, analysis)


def differences_title(analysis: Analysis) -> str:
    """Return what the arms are compared with, and how."""
    alone = all(d.unit == "repeats" for d in analysis.differences)
    return f"Difference from *{analysis.baseline}*, {'repeats of one deal' if alone else 'paired by deal'}"


def differences_caption(analysis: Analysis) -> str:
    """Return what the columns of differences are, how they are tested, and what p is corrected for."""
    if not analysis.differences:
        return ""
    first, alone = analysis.differences[0], all(d.unit == "repeats" for d in analysis.differences)
    deals, units = ("deal", "repeats") if alone else ("deals", "deals")
    second = analysis.other_differences[0].metric if analysis.other_differences else ""
    won = "won, tied and lost" if analysis.metric in OTHER else "on which the arm has more, as much, and less"
    sd = "" if alone else "SD: standard deviation of the deals' differences. "
    planning = (
        " MDE, for planning: the smallest effect that the test detects with 80 % power, corrected for the arms "
        f"compared; for 1 point: how many {units} would detect one point so."
        if any(d.mde for d in analysis.differences)
        else ""
    )
    return (
        f"How many {first.measured_in} more or fewer than {first.baseline} on the same {deals}, first by "
        f"{spoken(analysis.metric)}, then by {spoken(second)}. SE: standard error of the mean difference; "
        f"{sd}{_corrections(analysis)} W/T/L: {units} {won}.{planning}"
    )


def _corrections(analysis: Analysis) -> str:
    if analysis.stopped is None:
        return (
            "95 %: confidence interval by inversion of the permutation test, not corrected; p, Holm: corrected for all "
            "arms."
        )
    arms = len(analysis.stopped.rule.arms)
    return (
        "Look: the look of the stop rule at which the arm stopped, or the last that it has reached, and what it "
        "settled. 95 %: confidence interval by inversion of the sequential test at that look, not corrected for the "
        f"number of arms; p, corr.: corrected for the looks and for {'one arm' if arms == 1 else many(arms, 'arm')} "
        "(Bonferroni)."
    )


def corrected_intervals(analysis: Analysis) -> Table:
    """Return the intervals of differences at their corrected levels, where several are corrected together."""
    effects = [d for d in analysis.differences if d.tests > 1 and d.level is not None]
    names = difference_labels(analysis.summaries, [(d.arm, d.baseline) for d in effects])
    mixed = order.mixed(analysis.summaries)
    columns = (
        *(ARM, PLAYERS, Column("mean", analysis.metric, SIGNED), Column("bounds_holm", "interval", SIGNED_INTERVAL)),
        *(Column("level", "at", number(4)), Column("p_holm", _corrected(analysis), P_VALUE)),
    )
    rows = [
        (name, order.at(d, mixed=mixed), d.mean, bounds(d.low_holm, d.high_holm), d.level, d.p_holm)
        for d, name in zip(effects, names, strict=True)
    ]
    part = folding("corrected", columns, [d.arm for d in effects], rows, analysis)
    return replace(part, title="Corrected intervals", caption=CORRECTED_CAPTION)


CORRECTED_CAPTION = (
    "Each difference with its confidence interval at the level at which the correction for all arms tests it (*at*; "
    "0.05 is 95 %): it contains 0 exactly when the corrected p is .05 or more."
)


def spoken(metric: str) -> str:
    """Return `the kept score`, `turns`."""
    return f"the {metric} score" if metric in OTHER else metric


def more_differences(differing: Sequence[Difference], analysis: Analysis) -> Table:
    """Return every arm by every other metric that varies: exploratory, and a family of its own."""
    effects = [d for d in differing if d.p is not None or d.mean]
    names = difference_labels(analysis.summaries, [(d.arm, d.baseline) for d in effects])
    columns = (
        *(ARM, Column("metric", "metric", constant=True), Column("better", "better", constant=True)),
        Column("n", effects[0].unit if effects else "n", INT, constant=True),
        *(Column("mean", "difference", MEASURED), Column("bounds", "95 %", MEASURED_INTERVAL)),
        *(Column("p", "p", P_VALUE), Column("p_holm", "p, corr." if analysis.stopped else "p, Holm", P_VALUE)),
    )
    rows = [
        (name, d.metric, d.better, d.n, d.mean, bounds(d.low, d.high), d.p, d.p_holm)
        for d, name in zip(effects, names, strict=True)
    ]
    return folding("more", columns, [d.arm for d in effects], rows, analysis)


def more_caption(differing: Sequence[Difference], analysis: Analysis) -> str:
    """Return that this table tests nothing, and what its metrics are."""
    if not differing:
        return ""
    abouts = "; ".join(f"{name}: {METRICS[name].says}" for name in dict.fromkeys(d.metric for d in differing))
    by = "Bonferroni" if analysis.stopped else "Holm"
    looks = "; p and intervals are valid at every look" if analysis.stopped else ""
    return (
        "A look around, not what the run was made to show: every arm by every other metric that differs between games, "
        f"pooled over player counts. p is corrected for all {max(d.tests for d in differing)} of these tests as one "
        f"family ({by}), apart from the tests by {spoken(analysis.metric)}; intervals are not corrected{looks}. "
        f"{abouts}. A metric that is not here is the same in all games, or not known."
    )


def variances(parts: Sequence[DealVariance], analysis: Analysis) -> Table:
    """Return how much scores vary between deals and within them, and how far arms go along with the baseline."""
    names = labels(analysis.summaries)
    columns = (
        *(ARM, PLAYERS, Column("deals", "deals", INT, constant=True), Column("games", "games", INT, constant=True)),
        *(Column("sd", "SD of deals", NUMBER), Column("between", "between deals", NUMBER)),
        *(Column("within", "within a deal", NUMBER), Column("share", "share between", PERCENT)),
        Column("correlation", "r with baseline", NUMBER),
    )
    rows = [
        (names[v.arm], v.players, v.deals, v.games, v.sd, v.between, v.within, v.share, v.correlation) for v in parts
    ]
    return folding("variances", columns, [v.arm for v in parts], rows, analysis)


def variances_caption(parts: Sequence[DealVariance], analysis: Analysis) -> str:
    """Return which standard deviations the table of variances holds."""
    repeated = (
        ", between deals once the chance of the repeats is taken out, and within a deal, between its repeats; then the "
        "share of the variance that lies between deals."
    )
    once = ". No deal was repeated, so this holds both how deals differ and chance within a deal."
    return (
        f"Standard deviations of the {analysis.score} score: of the deals' means"
        f"{repeated if any(v.within is not None for v in parts) else once} *r*: correlation with the baseline's scores "
        "on the same deals; the larger it is, the more pairing by deal helps."
    )


ORIGINS_CAPTION = (
    "*Own* is the share of moves that the model's deciding node chose, *forced* the share that a program chose because "
    "no choice was usable or accepted. *2nd ask*: moves read from a second answer; *copied*: answers that repeat the "
    "example of their prompt; *no answer*: the share of questions without a usable answer. *Refused*: choices that "
    "were refused before a move was made, *by rule* those that the exact safety rule refused; in how many *turns*, and "
    "in how many of these a later choice was accepted (*then own*). *1st choice*: lives lost and points scored at "
    "once, had the refused first choices been played; *played*: the same of the moves that were played instead. "
    "Columns without a percent sign are means per game."
)
PLAY_CAPTION = (
    "*Misplays*: plays that cost a life; *hints wasted*: hints that told their receiver nothing new; *forced*: share "
    "of moves; *fallbacks*: questions to a model without a usable answer."
)
