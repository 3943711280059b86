"""All tables of a report for LaTeX, in the style of booktabs.

Those of arms and of differences are made for papers; each other table is as in the report, with a caption of its own.
"""

from collections.abc import Sequence

from experiments.analysis import stopping
from experiments.analysis.analysis import OTHER
from experiments.analysis.differences import Difference
from experiments.analysis.labels import difference_labels, labels
from experiments.analysis.summaries import Score, Summary
from experiments.document.latex import environment, escape
from experiments.record.measures import METRICS
from experiments.record.rows import Metric
from experiments.report import latex_captions, order, table_texts
from experiments.report.latex_captions import Captioned
from experiments.report.page import Contents
from experiments.report.run_data import RunData
from experiments.report.tables import number, probability
from experiments.study.notes import DEPARTS, notes, spans

HEAD = """\
% Tables of the run {name}, made by `orchestrator experiment report --latex`; \\usepackage{{booktabs,graphicx}}.
"""
CI = r"95\,\% CI"


def document(data: RunData, shown: Contents) -> str:
    """All tables, to be read with \\input; `shown`: the contents of the report."""
    name = str(data.run.get("name") or data.folder.resolve().name)
    found = [HEAD.format(name=escape(name)), _arms(data, name)]
    found += [_differences(data, name)] if data.analysis.differences else []
    return "\n".join([*found, *(_as_it_is(data, name, one) for one in latex_captions.tables(data, shown))])


def _as_it_is(data: RunData, name: str, one: Captioned) -> str:
    """A table of the report; rows that a page folds away are rows like the others."""
    heads = [escape(column) for column in one.grid.columns]
    caption = f"{one.title} in {name}. {one.text} {_design(data)}"
    rows = (*one.grid.rows, *one.grid.folded)
    return environment(
        heads, rows, caption, f"{name}-{one.key}", "l" * one.grid.words + "r" * (len(heads) - one.grid.words)
    )


def _arms(data: RunData, name: str) -> str:
    metrics: tuple[Metric, Metric] = (data.metric, OTHER[data.metric])
    n = f"{len(data.rows)} games on {len({row.seed for row in data.rows})} deals"
    named = labels(data.comparable)
    rows = [[named[s.arm], *_summary(s, metrics, order.at(s, mixed=data.mixed))] for s in data.comparable]
    heads = ["Arm", "Players", "Games", *(h for one in metrics for h in (one.capitalize(), CI, "SD"))]
    caption = (
        f"Mean scores of {name}, of 25 points, {n}, with 95 % confidence intervals ({_method(data)} over deals) and "
        f"standard deviations of games; games with 25 points and games in which the third life was lost, in percent. "
        f"{_design(data)}"
    )
    heads += [r"25 (\%)", r"Lost (\%)"]
    return environment(heads, rows, caption, f"{name}-arms", "l" + "r" * (len(heads) - 1))


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
    other = analysis.other_differences[0].metric if analysis.other_differences else ""
    heads = ["Arm", "Players", one.unit.capitalize()]
    heads += [h for m in (analysis.metric, other) for h in (f"$\\Delta$ {escape(m)}", CI, "$p$")]
    between = one.baseline or "the first run"
    caption = (
        f"Differences from {between} in {name}, in {one.measured_in}, on the same {'deal' if alone else 'deals'}, with "
        "95 % confidence intervals (all means that the test does not reject, not corrected for the number of arms). "
        f"p: {_test(analysis.differences)}, {_correction(data)} {_design(data)}"
    )
    return environment(heads, rows, caption, f"{name}-differences", "l" + "r" * (len(heads) - 1))


def _correction(data: RunData) -> str:
    stopped = data.analysis.stopped
    if stopped is None:
        tests = len({(d.arm, d.baseline) for d in data.analysis.differences if d.p is not None})
        return f"with Holm's correction for all arms ({tests})."
    stood = "; ".join(stopping.sentences(stopped)).replace(".;", ";")
    return f"valid at every look, with Bonferroni's correction for {len(stopped.rule.arms)} arms. {stood}"


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
        f"Headline: {table_texts.named(data.analysis.metric)}, {_about(data)}.",
        f"Players: {data.label}." if data.label else "",
    ]
    return " ".join(filter(None, found))


def _about(data: RunData) -> str:
    named = METRICS.get(data.analysis.metric)
    return named.says if named else "the mean of a mark over the replies of a game"


def _method(data: RunData) -> str:
    return "percentile bootstrap" if data.analysis.interval == "bootstrap" else "Student's t"


def _test(found: Sequence[Difference]) -> str:
    alone = all(one.unit == "repeats" for one in found)
    kind = "permutation test of repeats" if alone else "sign-flip permutation test, paired by deal"
    if any(one.stop for one in found):
        kind = "group-sequential sign-flip test, paired by deal, spending of the O'Brien-Fleming type"
    draws = {one.draws for one in found if one.p is not None}
    drawn = f"{max(filter(None, draws)):,} draws" if any(draws) else ""
    exact = "exact" if None in draws or not draws else ""
    return f"two-sided {kind} ({' or '.join(filter(None, (exact, drawn)))})"
