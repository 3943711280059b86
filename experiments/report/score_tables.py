"""The tables of a run's games: scores, differences, variances, who decided, play and cost."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from hanabi_orchestrator.experiments.analysis import conclusions
from hanabi_orchestrator.experiments.analysis.analysis import OTHER, Analysis
from hanabi_orchestrator.experiments.analysis.caveats import difference_labels, labels
from hanabi_orchestrator.experiments.analysis.differences import Difference
from hanabi_orchestrator.experiments.analysis.summaries import DealVariance, Summary
from hanabi_orchestrator.experiments.document.blocks import Column, Table, listing, table
from hanabi_orchestrator.experiments.document.formats import (
    INT,
    INTERVAL,
    MEASURED,
    MEASURED_INTERVAL,
    NUMBER,
    PERCENT,
    PERCENT_ESTIMATE,
    SIGNED,
    SIGNED_INTERVAL,
    TALLY,
    Format,
    bounds,
    number,
)
from hanabi_orchestrator.experiments.record.measures import known
from hanabi_orchestrator.experiments.record.rows import Metric
from hanabi_orchestrator.experiments.report import order
from hanabi_orchestrator.roles.words import many

ONE_DIGIT = number(1)
NO_DIGIT = number(0)
P_VALUE = Format(conclusions.pvalue)


def heads(name: Callable[[Any], str], summaries: Iterable[Summary]) -> tuple[Column, Column]:
    """Return the columns of a row's arm and of its player counts, which are named where those of
    `summaries` differ."""
    mixed = order.mixed(summaries)
    return (
        Column("arm", "arm", constant=True, of=name),
        Column("players", "players", INT, constant=True, of=lambda row: order.at(row, mixed=mixed)),
    )


def difference_heads(effects: Iterable[Difference], analysis: Analysis) -> tuple[Column, Column]:
    """Return the same columns of differences."""
    names = difference_labels(analysis.summaries, effects)
    return heads(lambda d: names[d.arm, d.baseline], analysis.summaries)


def unit(effects: Sequence[Difference]) -> Column:
    """Return the column of how many deals or repeats a difference is of."""
    return Column("n", effects[0].unit if effects else "n", INT, constant=True)


def mean(key: str, title: str, format: Format) -> Column:
    """Return the column of a measure's mean per game in a summary."""
    return Column(key, title, format, of=lambda s: s.means[key])


def folding(
    key: str, columns: Sequence[Column], items: Sequence[Any], analysis: Analysis, **options: Any
) -> Table:
    """Return a table of items of arms; of many arms those that differ least from the baseline are
    folded away."""
    first = order.foremost(tuple(dict.fromkeys(item.arm for item in items)), analysis)
    return listing(key, columns, items, lambda item: item.arm not in first, **options)


SCORES = (
    "arm players games deals {0} {0}_bounds {0}_se {0}_sd {1} {1}_bounds {1}_se {1}_sd iqm "
    "perfect struck_out"
)
"""The columns of scores in a report: of the score that it is about, then of the other one."""


def keys(columns: str, analysis: Analysis) -> list[str]:
    """Return the keys of columns, with the score of an analysis and the other one in their
    places."""
    return columns.format(analysis.score, OTHER[analysis.score]).split()


def brief(analysis: Analysis, summaries: Sequence[Summary]) -> Table:
    """Return a row for each arm, pooled over player counts: its score, and its difference from the
    baseline."""
    pooled = {s.arm for s in summaries if s.players is None}
    rows = [s for s in summaries if s.players is None or s.arm not in pooled]
    first = order.foremost([s.arm for s in rows], analysis)
    mixed = order.mixed(rows)
    counts = set()
    for s in rows:
        for count in s.counts:
            counts.add(count)
    several = len(counts) > 1
    if len({s.provenance for s in rows}) > 1:
        names = labels(rows)
    else:
        names = {s.arm: s.arm for s in rows}
    effects = {
        d.arm: d
        for d in (*conclusions.widest(analysis.differences), *conclusions.widest(analysis.apart))
    }
    if effects:
        score = next(iter(effects.values())).metric
    else:
        score = analysis.score
    columns = (
        Column("arm", "arm", constant=True),
        Column("players", "players", INT, constant=True),
        Column("games", "games", INT),
        Column("score", analysis.score, NUMBER),
        Column("bounds", "95 %" if not effects else "", INTERVAL),
        Column("mean", "difference" if score == analysis.score else f"{score}, difference", SIGNED),
        Column("low", "95 %", SIGNED_INTERVAL),
        Column("p_holm", p_title(analysis), P_VALUE),
    )
    cells = []
    for s in rows:
        if s.arm in first:
            of = s.of(analysis.score)
            d = effects.get(s.arm)
            at = order.at(s, mixed=mixed) if several else None
            p = d.p_holm if d and d not in analysis.apart else None
            effect = (d.mean, d.bounds, p) if d else (None, None, None)
            cells.append((names[s.arm], at, s.n, of.mean, None if effects else of.bounds, *effect))
    return table("verdict", columns, cells)


BRIEF_CAPTION = (
    "Mean score of each arm over all player counts, and its mean difference from the baseline on "
    "the same deals with its 95 % confidence interval. The p-value is corrected for the number "
    "of arms, the interval is not."
)


def brief_caption(analysis: Analysis) -> str:
    """Return what the columns of the brief table mean."""
    if analysis.differences:
        return BRIEF_CAPTION
    return "Mean score of each arm over all player counts."


def correction(analysis: Analysis) -> str:
    """Return the title of a column of corrected p-values."""
    if analysis.stopped:
        return "p, corr."
    return "p, Holm"


def p_title(analysis: Analysis) -> str:
    """Return the title of a column of p-values, corrected where there are several tests."""
    if any(d.tests > 1 for d in analysis.differences):
        return correction(analysis)
    return "p"


def scores(analysis: Analysis, summaries: Sequence[Summary], **options: Any) -> Table:
    """Return both scores of these rows."""
    names = labels(summaries)
    metrics = (analysis.score, OTHER[analysis.score])
    columns = [
        *heads(lambda s: names[s.arm], summaries),
        Column("games", "games", INT, of=lambda s: s.n),
        Column("deals", "deals", INT),
        *score_columns(metrics[0]),
        *score_columns(metrics[1]),
        Column("iqm", "IQM", NUMBER, of=lambda s: s.of(metrics[0]).iqm),
        Column(
            "perfect",
            "perfect",
            PERCENT_ESTIMATE,
            of=lambda s: (s.perfect, s.perfect_low, s.perfect_high),
        ),
        Column(
            "struck_out",
            "struck out",
            PERCENT_ESTIMATE,
            of=lambda s: (s.struck_out, s.struck_out_low, s.struck_out_high),
        ),
    ]
    part = folding(
        "arms",
        columns,
        summaries,
        analysis,
        title="Scores",
        caption=scores_caption(analysis, summaries),
    )
    return part.select(keys(SCORES, analysis), **options)


def score_columns(metric: Metric) -> list[Column]:
    """Return the columns of one of the two scores."""
    return [
        Column(metric, metric, NUMBER, of=lambda s: s.of(metric).mean),
        Column(f"{metric}_bounds", "95 %", INTERVAL, of=lambda s: s.of(metric).bounds),
        Column(f"{metric}_se", "SE", NUMBER, of=lambda s: s.of(metric).se),
        Column(f"{metric}_sd", "SD", NUMBER, of=lambda s: s.of(metric).sd),
    ]


def scores_caption(analysis: Analysis, summaries: Sequence[Summary]) -> str:
    """Return what the columns of scores mean."""
    pooled = (
        " Not every arm was played at the same player counts: a pooled row names its own, and is "
        "comparable only with a row of the same counts."
    )
    return (
        "Points of 25, mean over deals; repeats of a deal are averaged first. *strict*: a game "
        "in which the third life was lost scores 0; *kept*: it scores the points on the table. "
        "*95 %* and *SE*: confidence interval and standard error of the mean, over deals; *SD*: "
        f"standard deviation of games. *IQM*: interquartile mean of the {analysis.score} score. "
        "*perfect*, *struck out*: share of games with 25 points, and in which the third life was "
        f"lost, with 95 % intervals.{pooled if order.mixed(summaries) else ''}"
    )


def play(analysis: Analysis) -> Table:
    """Return how arms played and what a game cost; an estimated cost is called one."""
    names = labels(analysis.summaries)
    dollars = number(4)

    def usd(s: Summary) -> float | str | None:
        listed = s.usd_listed
        if listed is None:
            return s.means["usd"]
        return f"~{dollars.text(listed)} (estimate by list price)"

    columns = [
        *heads(lambda s: names[s.arm], analysis.summaries),
        mean("turns", "turns", ONE_DIGIT),
        mean("misplays", "misplays", NUMBER),
        mean("hints_wasted", "hints wasted", ONE_DIGIT),
        Column("forced", "forced", PERCENT, of=lambda s: s.forced_share),
        mean("fallbacks", "fallbacks", NUMBER),
        mean("calls", "calls", NO_DIGIT),
        mean("tokens_in", "tokens in", NO_DIGIT),
        mean("tokens_out", "out", NO_DIGIT),
        Column("usd", "USD", dollars, of=usd),
    ]
    title = "Play and cost, mean per game"
    return folding("play", columns, analysis.summaries, analysis, title=title, caption=PLAY_CAPTION)


def origins(analysis: Analysis) -> Table:
    """Return whose moves they are; without a row where no model was asked and nothing refused."""
    summaries = [s for s in analysis.summaries if s.model_moves or s.means["refused"]]
    names = labels(analysis.summaries)
    columns = [
        *heads(lambda s: names[s.arm], analysis.summaries),
        Column("moves", "moves of models", INT, constant=True, of=lambda s: s.model_moves),
        Column("own", "own", PERCENT, of=lambda s: s.own_share),
        Column("forced", "forced", PERCENT, of=lambda s: s.forced_share),
        mean("second_ask", "2nd ask", ONE_DIGIT),
        mean("copied", "copied", ONE_DIGIT),
        Column(
            "unanswered",
            "no answer",
            PERCENT,
            of=lambda s: s.unanswered if s.means["calls"] else None,
        ),
        mean("refused", "refused", ONE_DIGIT),
        mean("refused_by_rule", "by rule", ONE_DIGIT),
        mean("refused_turns", "turns", ONE_DIGIT),
        mean("after_refusal", "then own", ONE_DIGIT),
        mean("first_misplays", "1st choice: lives", ONE_DIGIT),
        mean("first_points", "1st choice: points", ONE_DIGIT),
        mean("played_misplays", "played: lives", ONE_DIGIT),
        mean("played_points", "played: points", ONE_DIGIT),
    ]
    return folding(
        "origins",
        columns,
        summaries,
        analysis,
        title="Whose moves they are",
        caption=ORIGINS_CAPTION,
    )


def differences(
    effects: Sequence[Difference], others: Sequence[Difference], analysis: Analysis
) -> Table:
    """Return differences by one metric, and beside each the `others` by another one."""
    other = {(d.arm, d.baseline, d.players): d for d in others}

    def second(name: str) -> Callable[[Difference], Any]:
        return lambda d: getattr(other.get((d.arm, d.baseline, d.players)), name, None)

    columns = [
        *difference_heads(effects, analysis),
        unit(effects),
        Column("look", "look", INT, of=lambda d: d.stop and f"{d.stop.look} of {d.stop.looks}"),
        Column("settled", "settled", of=lambda d: d.stop and (d.stop.settled or "open")),
        Column("mean", effects[0].metric if effects else "", SIGNED),
        Column("bounds", "95 %", SIGNED_INTERVAL),
        Column("se", "SE", NUMBER),
        Column("sd", "SD", NUMBER),
        Column("p", "p", P_VALUE),
        Column("p_holm", correction(analysis), P_VALUE),
        Column("tally", "W/T/L", TALLY),
        Column("mde", "MDE", NUMBER),
        Column("for_one_point", "for 1 point", INT),
        Column("other_mean", others[0].metric if others else "", SIGNED, of=second("mean")),
        Column("other_bounds", "95 %", SIGNED_INTERVAL, of=second("bounds")),
        Column("other_p_holm", correction(analysis), P_VALUE, of=second("p_holm")),
    ]
    alone = all(d.unit == "repeats" for d in analysis.differences)
    title = (
        f"Difference from *{analysis.baseline}*, "
        f"{'repeats of one deal' if alone else 'paired by deal'}"
    )
    return folding(
        "differences",
        columns,
        effects,
        analysis,
        title=title,
        caption=differences_caption(analysis),
    )


def differences_caption(analysis: Analysis) -> str:
    """Return what the columns of differences are, how they are tested, and what p is corrected
    for."""
    if not analysis.differences:
        return ""
    first = analysis.differences[0]
    alone = all(d.unit == "repeats" for d in analysis.differences)
    deals, units = ("deal", "repeats") if alone else ("deals", "deals")
    if analysis.other_differences:
        second = analysis.other_differences[0].metric
    else:
        second = ""
    if analysis.metric in OTHER:
        won = "won, tied and lost"
    else:
        won = "on which the arm has more, as much, and less"
    if alone:
        sd = ""
    else:
        sd = "SD: standard deviation of the deals' differences. "
    if any(d.mde for d in analysis.differences):
        planning = (
            " MDE, for planning: the smallest effect that the test detects with 80 % power, "
            f"corrected for the arms compared; for 1 point: how many {units} would detect one "
            "point so."
        )
    else:
        planning = ""
    return (
        f"How many {first.measured_in} more or fewer than {first.baseline} on the same {deals}, "
        f"first by {spoken(analysis.metric)}, then by {spoken(second)}, tested where the first "
        "shows a difference. SE: standard error of the mean difference; "
        f"{sd}{corrections(analysis)} W/T/L: {units} {won}.{planning}"
    )


def corrections(analysis: Analysis) -> str:
    """Return how intervals are computed, and what p is corrected for."""
    if analysis.stopped is None:
        return (
            "95 %: confidence interval by inversion of the permutation test, not corrected; p, "
            "Holm: corrected for all arms."
        )
    arms = len(analysis.stopped.rule.arms)
    return (
        "Look: the look of the stop rule at which the arm stopped, or the last that it has "
        "reached, and what it settled. 95 %: confidence interval by inversion of the sequential "
        "test at that look, not corrected for the number of arms; p, corr.: corrected for the "
        f"looks and for {'one arm' if arms == 1 else many(arms, 'arm')} (Bonferroni)."
    )


def corrected_intervals(analysis: Analysis) -> Table:
    """Return the intervals of differences at their corrected levels, where several are corrected
    together."""
    effects = [d for d in analysis.differences if d.tests > 1 and d.level is not None]
    columns = [
        *difference_heads(effects, analysis),
        Column("mean", analysis.metric, SIGNED),
        Column(
            "bounds_holm", "interval", SIGNED_INTERVAL, of=lambda d: bounds(d.low_holm, d.high_holm)
        ),
        Column("level", "at", number(4)),
        Column("p_holm", p_title(analysis), P_VALUE),
    ]
    return folding(
        "corrected",
        columns,
        effects,
        analysis,
        title="Corrected intervals",
        caption=CORRECTED_CAPTION,
    )


CORRECTED_CAPTION = (
    "Each difference with its confidence interval at the level at which the correction for all "
    "arms tests it (*at*; 0.05 is 95 %): it contains 0 exactly when the corrected p is .05 or "
    "more."
)


def spoken(metric: str) -> str:
    """Return `the kept score`, `turns`."""
    if metric in OTHER:
        return f"the {metric} score"
    return metric


def more_differences(differing: Sequence[Difference], analysis: Analysis) -> Table:
    """Return every arm by every other metric that varies: exploratory, and a family of its own."""
    effects = [d for d in differing if d.p is not None or d.mean]
    columns = [
        difference_heads(effects, analysis)[0],
        Column("metric", "metric", constant=True),
        Column("better", "better", constant=True),
        unit(effects),
        Column("mean", "difference", MEASURED),
        Column("bounds", "95 %", MEASURED_INTERVAL),
        Column("p", "p", P_VALUE),
        Column("p_holm", correction(analysis), P_VALUE),
    ]
    caption = more_caption(differing, analysis)
    return folding("more", columns, effects, analysis, title="Every other metric", caption=caption)


def more_caption(differing: Sequence[Difference], analysis: Analysis) -> str:
    """Return that this table tests nothing, and what its metrics are."""
    if not differing:
        return ""
    names = dict.fromkeys(d.metric for d in differing)
    abouts = "; ".join(f"{name}: {known()[name].says}" for name in names)
    by = "Bonferroni" if analysis.stopped else "Holm"
    tests = max(difference.tests for difference in differing)
    apart = f"apart from the tests by {spoken(analysis.metric)}"
    if tests > 1:
        corrected = (
            f"p is corrected for all {tests} of these tests as one family ({by}), {apart}; "
            "intervals are not corrected"
        )
    elif tests:
        corrected = f"One of them is tested, {apart}"
    else:
        corrected = "None of them is tested"
    if analysis.stopped:
        looks = "; p and intervals are valid at every look"
    else:
        looks = ""
    return (
        "A look around, not what the run was made to show: every arm by every other metric that "
        f"differs between games, pooled over player counts. {corrected}{looks}. {abouts}. A metric "
        "that is not here is the same in all games, or not known."
    )


def variances(parts: Sequence[DealVariance], analysis: Analysis) -> Table:
    """Return how much scores vary between deals and within them, and how far arms go along with the
    baseline."""
    names = labels(analysis.summaries)
    columns = [
        Column("arm", "arm", constant=True, of=lambda v: names[v.arm]),
        Column("players", "players", INT, constant=True),
        Column("deals", "deals", INT, constant=True),
        Column("games", "games", INT, constant=True),
        Column("sd", "SD of deals", NUMBER),
        Column("between", "between deals", NUMBER),
        Column("within", "within a deal", NUMBER),
        Column("share", "share between", PERCENT),
        Column("correlation", "r with baseline", NUMBER),
    ]
    caption = variances_caption(parts, analysis)
    return folding(
        "variances",
        columns,
        parts,
        analysis,
        title="Variance between and within deals",
        caption=caption,
    )


def variances_caption(parts: Sequence[DealVariance], analysis: Analysis) -> str:
    """Return which standard deviations the table of variances holds."""
    repeated = (
        ", between deals once the chance of the repeats is taken out, and within a deal, between "
        "its repeats; then the share of the variance that lies between deals."
    )
    once = ". No deal was repeated, so this holds both how deals differ and chance within a deal."
    return (
        f"Standard deviations of the {analysis.score} score: of the deals' "
        f"means{repeated if any(v.within is not None for v in parts) else once} *r*: correlation "
        "with the baseline's scores on the same deals; the larger it is, the more pairing by "
        "deal helps."
    )


ORIGINS_CAPTION = (
    "*Own* is the share of moves that the model's deciding node chose, *forced* the share that a "
    "program chose because no choice was usable or accepted. *2nd ask*: moves read from a second "
    "answer; *copied*: answers that repeat the example of their prompt; *no answer*: the share "
    "of questions without a usable answer. *Refused*: choices that were refused before a move "
    "was made, *by rule* those that the exact safety rule refused; in how many *turns*, and in "
    "how many of these a later choice was accepted (*then own*). *1st choice*: lives lost and "
    "points scored at once, had the refused first choices been played; *played*: the same of the "
    "moves that were played instead. Columns without a percent sign are means per game."
)
PLAY_CAPTION = (
    "*Misplays*: plays that cost a life; *hints wasted*: hints that told their receiver nothing "
    "new; *forced*: share of moves; *fallbacks*: questions to a model without a usable answer."
)
