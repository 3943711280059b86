"""Which part of a graph is worth a better model: what each assignment of models scores and costs,
of games and of decisions on positions."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from hanabi_orchestrator.experiments.document.blocks import Cell, Column, Table, table
from hanabi_orchestrator.experiments.document.formats import SIGNED, interval, number
from hanabi_orchestrator.experiments.study.coalitions import Coalitions, Replacement, label

Assignments = Mapping[str, "list[Assignment]"]
"""By the model that answers in the place of the graph's own."""


@dataclass(frozen=True)
class Played:
    """What an arm scores, and what a game or a decision of it costs, on average."""

    score: float
    low: float | None
    high: float | None
    tokens: float
    usd: float | None
    """Dollars; None where the price of a call is not known."""


@dataclass(frozen=True)
class Assignment:
    """Which parts a better model answers, what that scores, and what a game or a decision of it
    costs."""

    arm: str
    parts: tuple[str, ...]
    """The parts that the graph's own models answer; the others are answered by the replacement."""
    score: float
    low: float | None
    high: float | None
    cost: float
    """In dollars, or in tokens where a price is not known."""
    best: bool
    """Whether no other assignment scores at least as much at a lower cost, by the means."""
    per_cost: float | None
    """Points gained over the replacement in all parts for each unit of cost; None for that
    assignment itself."""


@dataclass(frozen=True)
class Words:
    """How a table of assignments names what it counts."""

    score: str
    thing: str
    """What a cost is of: a game, a decision."""
    says: str = "the mean score"
    digits: int = 2
    signed: bool = False


GAMES = "game"
CAPTION = (
    "Which parts the graph's own models answer, and which {replacement} answers in their place: "
    "{score} with its 95 % interval, and what a {thing} costs, in {unit}{made_up}. *Front*: no "
    "other assignment scores as much for less, by the means; neighbours on it may differ by "
    "chance. *Points for each*: points more than the replacement in all parts, divided by the cost "
    "more."
)
MADE_UP = "; prices of simulated models are made up"
UNPRICED = " (not every price is known, and tokens of unlike models cost unlike money)"


def has_models(design: Coalitions) -> bool:
    """Return whether parts of a design are absent by another model."""
    return any(isinstance(absence, Replacement) for absence in design.by)


def priced(design: Coalitions, played: Mapping[str, Played]) -> bool:
    """Return whether the costs of all assignments are known in money: every price is, and not all
    are nothing."""
    prices = [arm.usd for arm in _of_models(design, played).values()]
    return None not in prices and any(prices)


def assignments(design: Coalitions, played: Mapping[str, Played]) -> Assignments:
    """Return the assignments of models by the replacement, the cheapest first; none where no model
    is replaced."""
    money = priced(design, played)
    every = dict[str, list[Assignment]]()
    for absence in design.by:
        if isinstance(absence, Replacement):
            arms = {design.arm(absence, present): present for present in design.every}
            none = design.arm(absence, frozenset())
            rows = list[Assignment]()
            for arm, present in arms.items():
                if arm in played:
                    own = tuple(name for name in design.names if name in present)
                    rows.append(_assignment(arm, own, played[arm], money=money))
            rows = [_compared(row, rows, none) for row in rows]
            every[label(absence)] = sorted(rows, key=lambda row: (row.cost, -row.score))
    return every


def _of_models(design: Coalitions, played: Mapping[str, Played]) -> dict[str, Played]:
    """Return the arms of coalitions by another model."""
    arms = dict[str, Played]()
    for absence in design.by:
        if isinstance(absence, Replacement):
            for present in design.every:
                arm = design.arm(absence, present)
                if arm in played:
                    arms[arm] = played[arm]
    return arms


def _assignment(arm: str, own: tuple[str, ...], played: Played, *, money: bool) -> Assignment:
    cost = played.tokens
    if money and played.usd is not None:
        cost = played.usd
    return Assignment(
        arm, own, played.score, played.low, played.high, cost, best=False, per_cost=None
    )


def _compared(row: Assignment, rows: Iterable[Assignment], none: str) -> Assignment:
    """Return an assignment with its place among all."""
    best = True
    per_cost = None
    for peer in rows:
        as_good = peer.cost <= row.cost and peer.score >= row.score
        if as_good and (peer.cost, peer.score) != (row.cost, row.score):
            best = False
        if peer.arm == none and row.cost > peer.cost:
            per_cost = (row.score - peer.score) / (row.cost - peer.cost)
    return replace(row, best=best, per_cost=per_cost)


def allocation(
    design: Coalitions, played: Mapping[str, Played], words: Words, *, simulated: bool
) -> Table:
    """Return a row for each assignment of models, the cheapest first."""
    every = assignments(design, played)
    money = priced(design, played)
    rows = list[list[Cell]]()
    for model, rows_of_model in every.items():
        for row in rows_of_model:
            rows.append(_cells(model, row, 0.01 if money else 1_000.0))
    unit = "USD" if money else "tokens"
    if not money:
        made_up = UNPRICED
    elif simulated:
        made_up = MADE_UP
    else:
        made_up = ""
    columns = (
        Column("model", "replacement", constant=True),
        Column("parts", "own model for", constant=True),
        Column("score", words.score, number(words.digits, signed=words.signed)),
        Column("bounds", "95 %", interval(words.digits, signed=words.signed)),
        Column("cost", f"{unit} a {words.thing}", number(4 if money else 0, grouped=not money)),
        Column("front", "front"),
        Column("per_cost", f"points for each {'cent' if money else '1,000 tokens'}", SIGNED),
    )
    caption = CAPTION.format(
        replacement=", ".join(every),
        score=words.says,
        thing=words.thing,
        unit=unit,
        made_up=made_up,
    )
    return table(
        "allocation", columns, rows, title="Which part deserves the better model", caption=caption
    )


def _cells(model: str, row: Assignment, scale: float) -> list[Cell]:
    return [
        model,
        " + ".join(row.parts) or "no part",
        row.score,
        (row.low, row.high),
        row.cost,
        "yes" if row.best else "",
        None if row.per_cost is None else row.per_cost * scale,
    ]


def plain(design: Coalitions, played: Mapping[str, Played]) -> dict[str, Any]:
    """Return the assignments as plain data."""
    by_model = dict[str, list[dict[str, Any]]]()
    for model, rows in assignments(design, played).items():
        by_model[model] = [asdict(row) for row in rows]
    return {"assignments": by_model}


def front(full: Table) -> Table:
    """Return the rows on the front alone, for a terminal."""
    place = [column.key for column in full.columns].index("front")
    rows = tuple(row for row in full.rows if row[place])
    shown = replace(full, rows=rows, looks=(), title="", caption="")
    return shown.select(["model", "parts", "score", "bounds", "cost", "per_cost"])
