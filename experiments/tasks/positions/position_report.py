"""The report of a position-level ablation: tables, sentences, files. It never names a hidden card."""

import csv
import dataclasses
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any

from experiments.document import latex as tex
from experiments.record.files import write_atomically
from experiments.tasks.positions import effects, from_games, position_run, sentences, study
from experiments.tasks.positions.arms import Arm
from experiments.tasks.positions.bank import Bank
from experiments.tasks.positions.effects import Cost, Effect, Found, Tested
from experiments.tasks.positions.from_games import FromGames
from experiments.tasks.positions.study import Study
from orchestrator.models.settings import PROGRAM
from orchestrator.models.simulated_settings import is_simulated
from roles.words import percent

COLUMNS = ("arm", "n", "deals", "flips", "95 %", "floor", "better", "worse", "regret", "loss", "95 % ", "p (Holm)")
COSTS = ("calls", "tokens in", "tokens out")
KINDS = ("arm", "by", "is", "n", "flips", "loss")
GAMES = ("arm", "flips", "loss", "by rollouts", "games score less", "deals")
CORRELATED = ("figure", "arms", "Spearman", "95 %", "Pearson", "95 % ")
FILES = ("report.md", "arms.csv", "kinds.csv", "decisions.csv")
KEEPS = "keeps it"
TEX = """\
% Tables of {name}, made by `orchestrator experiment positions report --latex`; \\usepackage{{booktabs,graphicx}}.
"""
NOTHING = "–"
FEW = 20
"""Deals that differ in value below which intervals of losses hold too seldom, see docs/positions.md."""


@dataclass(frozen=True)
class Report:
    study: Study
    bank: Bank
    arms: tuple[Arm, ...]
    found: Found
    base: Cost
    """What the baseline asked."""
    rollouts: int = 0
    games: FromGames | None = None

    @property
    def positions(self) -> int:
        return max((one.positions for one in self.found.effects), default=0)


def of(folder: Path, *, rollouts: int = 0, games: Path | None = None) -> Report:
    """The report of a run of positions, finished or not. Raises UserError for a folder without a decision."""
    asked = study.record_of(folder)
    bank = study.opened(asked)
    arms = position_run.arms_of(asked)
    found = effects.of_run(folder, bank, arms, rollouts)
    base = effects.cost(folder, bank, arms[0])
    return Report(asked, bank, arms, found, base, rollouts, from_games.of(found, games) if games else None)


# Tables


def columns(report: Report) -> tuple[str, ...]:
    rolled = ("by rollouts", "95 %  ") if report.rollouts else ()
    rated = ("ratings",) if any(one.rerated is not None for one in report.found.effects) else ()
    return (*COLUMNS, *rolled, *rated, *((KEEPS,) if _probed(report) is not None else ()), *COSTS)


def rows(report: Report) -> Iterator[tuple[str, ...]]:
    """A row for each arm, the baseline's costs first."""
    keeps = [percent(kept)] if (kept := _probed(report)) is not None else []
    empty = len(columns(report)) - 1 - len(keeps) - len(COSTS)
    yield ("baseline", *[NOTHING] * empty, *keeps, *_cost(report.base))
    for one in report.found.effects:
        yield (*_row(one), *_more(report, one), *_cost(one.cost))


def _row(one: Effect) -> tuple[str, ...]:
    low, high = one.flips_between
    return (
        f"{one.arm.name} (cheats)" if one.arm.cheats else one.arm.name,
        str(one.positions),
        str(one.deals),
        percent(one.flips),
        f"{percent(low)} to {percent(high)}",
        NOTHING if one.floor is None else percent(one.floor),
        percent(one.better) if one.flips else NOTHING,
        percent(one.worse) if one.flips else NOTHING,
        f"{one.regret:.2f}",
        f"{one.loss.mean:+.2f}",
        interval(one.loss),
        NOTHING if one.p_holm is None else f"{one.p_holm:.3f}" if one.p_holm >= 0.001 else "< .001",
    )


def _more(report: Report, one: Effect) -> Iterator[str]:
    if report.rollouts:
        yield NOTHING if one.rolled is None else f"{one.rolled.mean:+.2f}"
        yield NOTHING if one.rolled is None else interval(one.rolled)
    if "ratings" in columns(report):
        yield NOTHING if one.rerated is None else f"{one.rerated:.2f}"
    if KEEPS in columns(report):
        yield NOTHING if one.keeps is None else percent(one.keeps)


def _probed(report: Report) -> float | None:
    """How often the baseline keeps the conventions that probes ask about, in the arm with the most positions; None
    without probes."""
    found = [one for one in report.found.effects if one.kept is not None]
    return max(found, key=lambda one: one.positions).kept if found else None


def _cost(cost: Cost) -> tuple[str, ...]:
    return str(cost.calls), str(cost.tokens_in), str(cost.tokens_out)


def interval(one: Tested) -> str:
    return NOTHING if one.low is None or one.high is None else f"{one.low:+.2f} to {one.high:+.2f}"


def kind_columns(report: Report) -> tuple[str, ...]:
    return KINDS if _probed(report) is None else (*KINDS, KEEPS)


def kind_rows(report: Report) -> Iterator[tuple[str, ...]]:
    for one in report.found.effects:
        for name, value, n, flips, loss, keeps in one.by_kind:
            kept = (percent(keeps),) if keeps is not None else (NOTHING,) if _probed(report) is not None else ()
            yield one.arm.name, name, value, str(n), percent(flips), f"{loss:+.2f}", *kept


def game_rows(games: FromGames) -> Iterator[tuple[str, ...]]:
    for one in games.arms:
        rolled = NOTHING if one.rolled is None else f"{one.rolled:+.2f}"
        yield one.name, percent(one.flips), f"{one.loss:+.2f}", rolled, f"{one.games:+.2f}", str(one.deals)


def correlation_rows(games: FromGames) -> Iterator[tuple[str, ...]]:
    for one in games.correlations:
        cells = [(one.spearman, one.spearman_between), (one.pearson, one.pearson_between)]
        said = (cell for value, between in cells for cell in (_r(value), _rs(between)))
        yield (one.figure, str(one.arms), *said)


def _r(value: float | None) -> str:
    return NOTHING if value is None else f"{value:+.2f}"


def _rs(between: tuple[float, float] | None) -> str:
    return NOTHING if between is None else f"{between[0]:+.2f} to {between[1]:+.2f}"


# Words


def said(report: Report) -> list[str]:
    """What the report says in sentences: what was asked, what it shows, and how to read the figures."""
    return [*sentences.sentences(report.found), *_of_games(report.games), *notes(report)]


def _of_games(games: FromGames | None) -> Iterator[str]:
    if games is None:
        return
    if not games.correlations:
        yield f"{len(games.arms)} arms are in {games.folder}, too: a correlation over arms takes three."
    for one in games.correlations:
        if one.spearman is None:
            yield f"No rank correlation of {one.figure} with whole games: all {one.arms} arms are equal in one of them."
        elif one.arms < 6:
            yield (
                f"Rank correlation of {one.figure} with whole games over {one.arms} arms: {one.spearman:+.2f}; so few "
                "arms can be in one order by chance."
            )


def notes(report: Report) -> Iterator[str]:
    head, asked = report.bank.head, report.study
    made = "made once and shared by all arms" if asked.notes == "fresh" else f"held fixed as recorded ({head.label})"
    first = "" if asked.first is None else f" (the first {asked.first})"
    yield (
        f"Bank {head.name}, {head.positions} positions{first}, {head.digest}; graph {asked.config.name}; models "
        f"{', '.join(f'{name}: {_named(model)}' for name, model in asked.models.items())}; colleagues' notes {made}."
    )
    yield (
        "Flips are decisions that differ from the baseline's; better and worse are shares of them. Regret is what the "
        "best move is worth more; loss, what the baseline's move is worth more; both in points a decision by exact "
        "one-step value, which looks one move ahead. Positions of a deal are averaged first; intervals are over deals."
    )
    if _probed(report) is not None:
        yield (
            "Keeps it: the share of decisions that keep the convention which the position asks about. A note may be "
            "worth nothing by value and yet be what the convention needs."
        )
    if report.rollouts:
        yield (
            f"By rollouts: what the baseline's move is worth more in the final score, {report.rollouts} deals for each "
            "pair of moves that differ, convention players to the end; p and the sentences are about it."
        )
    if any(one.floor is None and one.arm.kind != "null" for one in report.found.effects):
        yield "Without null arms there is no noise floor: every flip counts, also one that another draw would make."
    if few := [one.arm.name for one in report.found.effects if one.arm.kind != "null" and 0 < one.lost_on < FEW]:
        yield (
            f"Fewer than {FEW} deals differ in value in {', '.join(few)}: a 95 % interval of so few skewed losses "
            "holds the true one in about 75 to 90 % of studies."
        )
    if missing := [arm.name for arm in report.arms[1:] if not report.found.outcomes.get(arm.name)]:
        yield f"Nothing was decided in {', '.join(missing)}: not asked yet, or no position had a note to put there."
    if asked.notes == "recorded" and head.label in ("program", "simulated"):
        yield f"The colleagues' notes are those of {head.label} games: no language model wrote them."
    kinds = {"simulated models" if is_simulated(_named(one)) else _named(one) for one in asked.models.values()}
    if kinds <= {PROGRAM, "simulated models"}:
        who = " and ".join(sorted(kinds)).replace(PROGRAM, "programs")
        yield f"Decisions are those of {who}, of no language model."


def _named(model: Any) -> str:
    return model if isinstance(model, str) else str(model.model)


# Files


def write(report: Report, folder: Path) -> list[Path]:
    """Write report.md and the CSVs. Raises OSError."""
    texts = (
        markdown(report),
        _csv(columns(report), rows(report)),
        _csv(kind_columns(report), kind_rows(report)),
        _decisions(report),
    )
    for name, text in zip(FILES, texts, strict=True):
        write_atomically(folder / name, text)
    return [folder / name for name in FILES]


def _csv(heads: Sequence[str], lines: Iterator[tuple[Any, ...]]) -> str:
    out = StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(head.strip() for head in heads)
    writer.writerows(lines)
    return out.getvalue()


DECISIONS = ("arm", "position", "deal", "flipped", "better", "worse", "regret", "loss", "rolled", "forced", "keeps")


def _decisions(report: Report) -> str:
    lines = (
        (name, one.position.name, one.position.deal, *(getattr(one, key) for key in DECISIONS[3:]))
        for name, outcomes in report.found.outcomes.items()
        for one in outcomes
    )
    return _csv(DECISIONS, lines)


def markdown(report: Report) -> str:
    """The report as one page."""
    asked = report.study
    parts = [f"# {asked.name}", *([asked.question] if asked.question else []), *said(report)]
    parts.append(_table(columns(report), rows(report)))
    parts += ["## By kind of position", _table(kind_columns(report), kind_rows(report))]
    if report.games:
        parts += [f"## Beside the games of {report.games.folder}", _table(GAMES, game_rows(report.games))]
        parts += [_table(CORRELATED, correlation_rows(report.games))] if report.games.correlations else []
    return "\n\n".join(parts) + "\n"


def _table(heads: Sequence[str], lines: Iterator[tuple[str, ...]]) -> str:
    made = [f"| {' | '.join(head.strip() for head in heads)} |", f"|{'---|' * len(heads)}"]
    return "\n".join([*made, *(f"| {' | '.join(line)} |" for line in lines)])


def latex(report: Report) -> str:
    """All tables for LaTeX (booktabs), to be read with \\input."""
    name, games = report.study.name, report.games
    about = " ".join(notes(report))
    found = [
        ("arms", f"Arms of {name} beside the baseline. {about}", 1, columns(report), rows(report)),
        (
            "kinds",
            f"Arms of {name} by kind of position, means over positions.",
            3,
            kind_columns(report),
            kind_rows(report),
        ),
    ]
    if games:
        beside = f"Arms of {name} on positions and in the games of {games.folder}, points a decision and points a game."
        found.append(("games", beside, 1, GAMES, game_rows(games)))
    if games and games.correlations:
        over = f"Correlation over arms of {name} with {games.folder}; intervals by a bootstrap over the deals of both."
        found.append(("correlations", over, 1, CORRELATED, correlation_rows(games)))
    made = (
        tex.environment(
            [tex.escape(head.strip()) for head in heads],
            list(lines),
            caption,
            f"{name}-{key}",
            "l" * words + "r" * (len(heads) - words),
        )
        for key, caption, words, heads, lines in found
    )
    return "\n".join([TEX.format(name=tex.escape(name)), *made])


def _of_arm(arm: Arm) -> dict[str, Any]:
    return {"arm": arm.name, "short": arm.short, "node": arm.node, "null": arm.null, "cheats": arm.cheats}


def data(report: Report) -> dict[str, Any]:
    """What `--json` prints."""
    plain = [
        {
            **dataclasses.asdict(one),
            "arm": one.arm.name,
            "kind": one.arm.kind,
            "node": one.arm.node,
            "cheats": one.arm.cheats,
        }
        for one in report.found.effects
    ]
    return {
        "study": report.study.name,
        "bank": {"name": report.bank.head.name, "digest": report.bank.head.digest, "label": report.bank.head.label},
        "baseline": dataclasses.asdict(report.base),
        "arms": plain,
        "games": dataclasses.asdict(report.games) if report.games else None,
        "sentences": said(report),
    }
