"""The tables of a design of coalitions: what each part adds, interactions, and which part is worth
a better model."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from hanabi_orchestrator.experiments.analysis.coalitions import CoalitionStudy, Effect, Kind
from hanabi_orchestrator.experiments.analysis.differences import Difference
from hanabi_orchestrator.experiments.document.blocks import (
    Block,
    Cell,
    Column,
    Heading,
    Table,
    table,
)
from hanabi_orchestrator.experiments.document.formats import (
    INT,
    RIGHT,
    estimate,
)
from hanabi_orchestrator.experiments.report import allocation
from hanabi_orchestrator.experiments.report.allocation import Played
from hanabi_orchestrator.experiments.report.run_data import RunData
from hanabi_orchestrator.experiments.report.score_tables import P_VALUE

SHOWN: tuple[Kind, ...] = ("leave_one_out", "shapley", "alone", "banzhaf")
TITLES: Mapping[Kind, str] = {
    "leave_one_out": "leave-one-out",
    "shapley": "Shapley",
    "alone": "alone",
    "banzhaf": "Banzhaf",
    "interaction": "interaction",
    "highest_order": "all at once",
    "all_parts": "all less none",
    "disagreement": "leave-one-out less Shapley",
}


def blocks(data: RunData) -> Iterator[Block]:
    """Return the section of a design of coalitions; nothing for a run without one."""
    yield from of_study(data.coalitions)
    if allocations := allocation_of(data):
        yield allocations


def of_study(study: CoalitionStudy | None) -> Iterator[Block]:
    """Return what each part adds, and interactions; nothing without terms."""
    if study is not None and study.effects:
        yield Heading("Coalitions", 3, key="coalitions")
        yield parts(study)
        yield interactions(study)


PARTS_CAPTION = (
    "What each part adds, in the metric of this report, with 95 % intervals over deals; p is "
    "corrected by Holm among the terms of a kind. *Leave-one-out*: what the whole graph loses "
    "without the part. *Shapley*: the mean of what it adds over all orders in which the parts "
    "may join; these values sum to all less none. *Alone*: what it adds to none of the others. "
    "*Banzhaf*: the mean over all sets of the others. Only Shapley values are shares of the "
    "whole: the last row has the sums. *Primary*, named before the run: {primary}; the other "
    "kinds are exploratory."
)


def parts(study: CoalitionStudy) -> Table:
    """Return a row for each part, and one with the sums, at each player count and pooled."""
    rows = list[list[Cell]]()
    looks = list[Any]()
    for absence, players in _groups(study):
        effects = {}
        for each in _at(study, absence, players):
            effects[(each.kind, each.parts)] = each.difference
        head = [absence if len(study.absences) > 1 else None, _counts(study, players)]
        for name in study.design.names:
            cells = []
            for kind in SHOWN:
                for cell in _estimate(effects.get((kind, (name,)))):
                    cells.append(cell)
            rows.append([*head, name, *cells])
            looks.append("plain")
        sums = []
        for kind in SHOWN:
            sums.append(
                [
                    effects[kind, (name,)].mean
                    for name in study.design.names
                    if (kind, (name,)) in effects
                ]
            )
        whole = effects.get(("all_parts", study.design.names))
        totals = []
        for values in sums:
            for cell in (((sum(values), None, None) if values else None), None):
                totals.append(cell)
        rows.append([*head, f"sum (all less none: {whole.mean:+.2f})" if whole else "sum", *totals])
        looks.append("strong")
    columns = [
        Column("absence", "absent by", constant=True),
        Column("players", "players", RIGHT, constant=True),
        Column("part", "part", constant=True),
    ]
    for kind in SHOWN:
        columns.append(Column(kind, TITLES[kind], estimate(signed=True)))
        columns.append(Column(f"{kind}_p", "p, Holm", P_VALUE))
    caption = PARTS_CAPTION.format(primary=TITLES[study.design.primary])
    return table(
        "coalitions",
        columns,
        rows,
        title="What each part adds",
        caption=caption,
        looks=tuple(looks),
    )


def brief(study: CoalitionStudy) -> Table:
    """Return the rows over all player counts alone, without p-values, for a terminal."""
    table_of_parts = parts(study)
    counts = {_counts(study, effect.difference.players) for effect in study.pooled}
    rows = tuple(row for row in table_of_parts.rows if row[1] in counts)
    looks = tuple(
        look
        for look, row in zip(table_of_parts.looks, table_of_parts.rows, strict=True)
        if row[1] in counts
    )
    shown = replace(table_of_parts, rows=rows, looks=looks, title="", caption="")
    keys = ["absence", "part", "leave_one_out", "shapley", "alone"]
    if len(counts) > 1:
        keys.insert(1, "players")
    return shown.select(keys)


INTERACTIONS_CAPTION = (
    "How much more each of two parts adds where the other is there, on average over the others "
    "(Shapley interaction index), with 95 % intervals over deals; p is corrected by Holm among "
    "all pairs. The last row: the interaction of all parts at once, which is left when all "
    "smaller ones are taken out."
)


def interactions(study: CoalitionStudy) -> Table:
    """Return a row for each pair, and one for all parts together."""
    rows = list[list[Cell]]()
    for absence, players in _groups(study):
        for each in _at(study, absence, players):
            if each.kind in ("interaction", "highest_order"):
                name = " x ".join(each.parts)
                head = [absence if len(study.absences) > 1 else None, _counts(study, players), name]
                rows.append([*head, *_estimate(each.difference), each.difference.n, reading(each)])
    columns = (
        Column("absence", "absent by", constant=True),
        Column("players", "players", RIGHT, constant=True),
        Column("parts", "parts", constant=True),
        Column("interaction", "interaction", estimate(signed=True)),
        Column("p_holm", "p, Holm", P_VALUE),
        Column("n", "deals", INT),
        Column("reading", "reading"),
    )
    return table("interactions", columns, rows, title="Interactions", caption=INTERACTIONS_CAPTION)


def reading(effect: Effect) -> str:
    """Return in a word what an interaction of two is, where it is shown."""
    if not effect.difference.claimed or effect.kind != "interaction":
        if effect.difference.claimed:
            return "shown"
        return "not shown"
    gain = effect.benefit
    if gain is None:
        return "shown"
    if gain > 0:
        return "complementary"
    return "redundant"


# Which part deserves the better model


def allocation_of(data: RunData) -> Table | None:
    """Return which part deserves the better model; None for a design without one."""
    study = data.coalitions
    if study is None or not allocation.has_models(study.design):
        return None
    simulated = any(row.simulated for row in data.rows)
    words = allocation.Words(data.analysis.score, allocation.GAMES)
    return allocation.allocation(study.design, _played(data), words, simulated=simulated)


def _played(data: RunData) -> dict[str, Played]:
    """Return by arm what its games score and cost."""
    arms = dict[str, Played]()
    for summary in data.analysis.summaries:  # the last of an arm is pooled
        score = summary.of(data.analysis.score)
        means = summary.means
        tokens = float((means["tokens_in"] or 0) + (means["tokens_out"] or 0))
        arms[summary.arm] = Played(score.mean, score.low, score.high, tokens, means["usd"])
    return arms


# Parts of tables


def _groups(study: CoalitionStudy) -> list[tuple[str, int | None]]:
    """Return the ways to be absent and the player counts that there are terms of, pooled ones
    first."""
    counts = dict.fromkeys(each.difference.players for each in study.effects)
    ascending = sorted(counts, key=lambda players: players or 0)
    groups = list[tuple[str, int | None]]()
    for absence in study.absences:
        for players in ascending:
            groups.append((absence, players))
    return groups


def _at(study: CoalitionStudy, absence: str, players: int | None) -> list[Effect]:
    eaches = list[Effect]()
    for each in study.effects:
        if (each.absence, each.difference.players) == (absence, players):
            eaches.append(each)
    return eaches


def _counts(study: CoalitionStudy, players: int | None) -> str:
    if players is None:
        return "all"
    return str(players)


def _estimate(difference: Difference | None) -> tuple[Cell, Cell]:
    """Return the cells of a mean with its interval, and of its corrected p."""
    if difference is None:
        return None, None
    return (difference.mean, *(difference.bounds or (None, None))), difference.p_holm


def plain(data: RunData) -> dict[str, Any]:
    """Return the terms and the assignments as plain data."""
    study = data.coalitions
    if study is None:
        return {}
    return {**terms(study), **allocation.plain(study.design, _played(data))}


def terms(study: CoalitionStudy) -> dict[str, Any]:
    """Return the terms of a design as plain data."""
    return {
        "parts": {name: list(members) for name, members in study.design.parts.items()},
        "primary": study.design.primary,
        "terms": [
            {
                "kind": each.kind,
                "parts": each.parts,
                "absence": each.absence,
                **_numbers(each.difference),
            }
            for each in study.effects
        ],
    }


def _numbers(difference: Difference) -> dict[str, Any]:
    names = [
        "players",
        "n",
        "mean",
        "low",
        "high",
        "se",
        "sd",
        "p",
        "p_holm",
        "tests",
        "alike",
        "claimed",
    ]
    return {name: getattr(difference, name) for name in names}
