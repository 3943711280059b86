"""The tables of arms and of differences for LaTeX, in the style of booktabs."""

import re
from collections.abc import Iterable, Sequence

from experiments.design.metric import MEANS
from experiments.design.notes import DEPARTS, notes, spans
from experiments.report import order
from experiments.report.run_data import RunData
from experiments.report.tables import number, probability
from experiments.results.rows import Metric
from experiments.statistics.analysis import OTHER
from experiments.statistics.differences import Difference
from experiments.statistics.labels import difference_labels, labels
from experiments.statistics.summaries import Score, Summary

HEAD = """\
% Tables of the run {name}; \\usepackage{{booktabs}} is needed. Made by `orchestrator experiment report --latex`.
"""
CI = r"95\,\% CI"
ESCAPED = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "−": r"$-$",
    "–": "--",
    "<": r"$<$",
    ">": r"$>$",
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
}


def escaped(text: str) -> str:
    """Plain text for LaTeX, with every special character as it is read."""
    return "".join(ESCAPED.get(sign, sign) for sign in text)


def document(data: RunData) -> str:
    """Both tables, to be read with \\input."""
    name = str(data.run.get("name") or data.folder.resolve().name)
    found = [HEAD.format(name=escaped(name)), _arms(data, name)]
    return "\n".join([*found, _differences(data, name)] if data.analysis.differences else found)


def _arms(data: RunData, name: str) -> str:
    metrics: tuple[Metric, Metric] = (data.metric, OTHER[data.metric])
    named = labels(data.comparable)
    rows = [[named[s.arm], *_summary(s, metrics, order.at(s, mixed=data.mixed))] for s in data.comparable]
    heads = ["Arm", "Players", "Games", *(h for one in metrics for h in (one.capitalize(), CI, "SD"))]
    caption = (
        f"Mean scores of {name}, of 25 points, with 95 % confidence intervals ({_method(data)} over deals) and "
        f"standard deviations of games; games with 25 points and games in which the third life was lost, in percent. "
        f"{_design(data)}"
    )
    return _table([*heads, r"25 (\%)", r"Lost (\%)"], rows, caption, f"{name}-arms")


def _summary(s: Summary, metrics: Sequence[Metric], players: str) -> tuple[str, ...]:
    shares = (f"{100 * share:.0f}" for share in (s.perfect, s.struck_out))
    return players, str(s.n), *(cell for one in metrics for cell in _score(s.of(one))), *shares


def _score(one: Score) -> tuple[str, ...]:
    return number(one.mean), _bounds(one.low, one.high), number(one.sd)


def _bounds(low: float | None, high: float | None, sign: str = "") -> str:
    return "–" if low is None or high is None else f"[{number(low, 2, sign)}, {number(high, 2, sign)}]"


def _differences(data: RunData, name: str) -> str:
    analysis, several = data.analysis, data.mixed
    named = difference_labels(analysis.summaries, [(d.arm, d.baseline) for d in analysis.differences])
    others = {(d.arm, d.baseline, d.players): d for d in analysis.other_differences}
    rows = [
        [label, order.at(d, mixed=several), str(d.n), *_cells(d), *_cells(others.get((d.arm, d.baseline, d.players)))]
        for d, label in zip(analysis.differences, named, strict=True)
    ]
    one, alone = analysis.differences[0], all(d.unit == "repeats" for d in analysis.differences)
    heads = ["Arm", "Players", one.unit.capitalize()]
    heads += [h for m in (data.metric, OTHER[data.metric]) for h in (f"$\\Delta$ {m}", CI, "$p$")]
    caption = (
        f"Differences from {one.baseline} in {name}, in points, on the same {'deal' if alone else 'deals'}, with 95 % "
        "confidence intervals (all means that the test does not reject, not corrected for the number of arms). "
        f"p: {_test(analysis.differences)}, with Holm's correction for all arms. {_design(data)}"
    )
    return _table(heads, rows, caption, f"{name}-differences")


def _cells(d: Difference | None) -> tuple[str, ...]:
    if d is None:
        return ("–", "–", "–")
    return number(d.mean, 2, "+"), _bounds(d.low, d.high, "+"), probability(d.p_holm)


def _design(data: RunData) -> str:
    """Seeds, protocol, score and what played, in sentences."""
    seeds = spans(sorted({row.seed for row in data.rows}))
    repeats = max(row.repeat for row in data.rows)
    asked = (data.run.get("experiment") or {}).get("protocol")
    departs = [one for one in notes(data.run) if one.startswith(DEPARTS)]
    found = [
        f"Deals: seeds {seeds} of the Hanabi Learning Environment"
        + (f", each played {repeats} times." if repeats > 1 else "."),
        f"Protocol {asked}." if asked else "No published protocol.",
        *departs,
        f"Headline: the {data.metric} score, {MEANS[data.metric]}.",
        f"Players: {data.label}." if data.label else "",
    ]
    return " ".join(filter(None, found))


def _method(data: RunData) -> str:
    return "percentile bootstrap" if data.analysis.interval == "bootstrap" else "Student's t"


def _test(found: Sequence[Difference]) -> str:
    alone = all(one.unit == "repeats" for one in found)
    kind = "permutation test of repeats" if alone else "sign-flip permutation test, paired by deal"
    draws = {one.draws for one in found if one.p is not None}
    drawn = f"{max(filter(None, draws)):,} draws" if any(draws) else ""
    exact = "exact" if None in draws or not draws else ""
    return f"two-sided {kind} ({' or '.join(filter(None, (exact, drawn)))})"


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]], caption: str, label: str) -> str:
    """A table environment; `heads` are LaTeX already, all else is plain text."""
    lines = [" & ".join(map(escaped, row)) + r" \\" for row in rows]
    return "\n".join(
        [
            r"\begin{table}",
            r"  \centering\small",
            rf"  \caption{{{escaped(caption)}}}",
            rf"  \label{{tab:{re.sub('[^A-Za-z0-9-]', '-', label)}}}",
            rf"  \begin{{tabular}}{{l{'r' * (len(heads) - 1)}}}",
            r"    \toprule",
            f"    {' & '.join(heads)} \\\\",
            r"    \midrule",
            *(f"    {line}" for line in lines),
            r"    \bottomrule",
            r"  \end{tabular}",
            r"\end{table}",
            "",
        ]
    )
