"""The report of runs of probes: a table of the conventions that players keep, as rows, Markdown, CSV and plain data."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from experiments.record.files import write_atomically
from experiments.record.table_text import as_csv, as_markdown
from experiments.tasks.probes import scores
from experiments.tasks.probes.scores import Cell, Run
from experiments.tasks.probes.told import told_by
from orchestrator.errors import UserError
from roles.words import percent

MARKDOWN, TABLE, OTHERS, ANSWERS = "report.md", "conventions.csv", "others.csv", "answers.csv"


@dataclass(frozen=True)
class Report:
    """The figures of runs."""

    runs: tuple[Run, ...]
    cells: tuple[tuple[Cell, ...], ...]
    """Of each run."""

    @property
    def names(self) -> list[str]:
        """What the runs are called: by the player, and by their folder, too, where several have the same."""
        named = [run.name for run in self.runs]
        pairs = zip(named, self.runs, strict=True)
        return [name if named.count(name) == 1 else f"{name} in {run.folder}" for name, run in pairs]

    @property
    def conventions(self) -> list[tuple[str, str]]:
        """The packs and conventions of all runs, in their order."""
        return list(dict.fromkeys((cell.pack, cell.convention) for found in self.cells for cell in found))


def of(folders: Sequence[Path]) -> Report:
    """The report of the runs in these folders. Raises UserError for a folder without answers."""
    runs = tuple(scores.read(folder) for folder in folders)
    for run in runs:
        if not run.answers:
            raise UserError(f"{str(run.folder)!r} holds no answer yet; `probe run` with the same --out goes on")
    return Report(runs, tuple(tuple(scores.cells(run)) for run in runs))


# As rows


def columns(report: Report) -> tuple[str, ...]:
    """Of the table: one run in detail, or several side by side."""
    if len(report.runs) == 1:
        return ("pack", "convention", "probes", "keeps it", "guessing", "literal", "else plays like")
    return ("pack", "convention", "guessing", "literal", *report.names)


def rows(report: Report) -> list[tuple[str, ...]]:
    if len(report.runs) == 1:
        return [_detailed(cell) for cell in report.cells[0]]
    found = [{(cell.pack, cell.convention): cell for cell in cells} for cells in report.cells]
    made = []
    for place in report.conventions:
        here = [cells.get(place) for cells in found]
        first = next(cell for cell in here if cell)
        shares = (_share(cell) if cell else "-" for cell in here)
        made.append((*place, percent(first.chance), percent(first.literal), *shares))
    return made


def _detailed(cell: Cell) -> tuple[str, ...]:
    share, chance, literal = _share(cell), percent(cell.chance), percent(cell.literal)
    return cell.pack, cell.convention, str(cell.probes), share, chance, literal, _like(cell)


def _share(cell: Cell) -> str:
    low, high = cell.interval
    return f"{percent(cell.share)} ({100 * low:.0f}–{100 * high:.0f})"


def _like(cell: Cell) -> str:
    """The players from whom the probes tell, and whose move was made, the most frequent first."""
    apart = sorted((one for one in cell.others if one.apart and one.like), key=lambda one: -one.like)
    return ", ".join(f"{one.name} {percent(one.like)}" for one in apart) or "-"


def notes(report: Report) -> list[str]:
    """What a reader of the table must know."""
    told = [
        "Keeps it: the share of probes in which the move keeps the convention, with its 95 % interval (Wilson's; over "
        "decks in the lines `all`). Guessing: a legal move at random. Literal: a player without conventions (iggi)."
    ]
    for name, run in zip(report.names, report.runs, strict=True):
        told += list(_of_run(name, run))
    return [*told, *_same_probes(report)]


def _of_run(name: str, run: Run) -> Iterator[str]:
    if run.label == "fake server":
        yield f"{name}: answered by the package's fake server, which is no language model."
    elif run.label == "simulated":
        yield f"{name}: no language model, but programs with errors at stated rates."
    elif run.label == "program":
        yield f"{name}: no model; programs alone."
    yield from _untold(name, run)
    if any(call.paid for call in run.calls):
        tokens_in, tokens_out, usd = run.cost
        price = "" if usd is None else f", ${usd:.4f}"
        yield f"{name}: {len(run.calls):,} calls, {tokens_in:,} tokens in, {tokens_out:,} out{price}."
    if run.missing:
        yield f"{name}: {run.missing} of {len(run.probes)} probes are not decided; the same `probe run` goes on."
    if forced := sum(one.forced for one in run.answers):
        yield f"{name}: {forced} moves were forced, as no choice was accepted; they count as any others."


def _untold(name: str, run: Run) -> Iterator[str]:
    """The packs that were probed and that no prompt of the graph tells."""
    if run.record.seat.config is None:
        return
    there = told_by(run.record.seat.config)
    for pack in dict.fromkeys(one.probe.pack for one in run.answers):
        if pack not in there:
            which = f"tells {' and '.join(there)}" if there else "tells no conventions"
            yield f"{name}: the graph {which}, so its probes of {pack} show what it does without being told that pack."


def _same_probes(report: Report) -> Iterator[str]:
    asked = [{one.probe.name: one.probe for one in run.answers} for run in report.runs]
    if any(one != asked[0] for one in asked):
        yield "The runs did not decide the same probes; compare them only where their numbers of probes are the same."


# As files and data


def markdown(report: Report) -> str:
    table = as_markdown(columns(report), rows(report))
    return "\n\n".join(["# Conventions kept", table, "\n".join(f"- {note}" for note in notes(report))]) + "\n"


def tidy(report: Report) -> list[dict[str, Any]]:
    """A row for each run and convention."""
    return [
        {
            "player": name,
            "folder": str(run.folder),
            "answered_by": run.label or "model",
            "pack": cell.pack,
            "convention": cell.convention,
            "probes": cell.probes,
            "decks": cell.decks,
            "kept": cell.kept,
            "share": cell.share,
            "low": cell.interval[0],
            "high": cell.interval[1],
            "guessing": cell.chance,
            "literal": cell.literal,
            "forced": cell.forced,
        }
        for name, run, found in zip(report.names, report.runs, report.cells, strict=True)
        for cell in found
    ]


def others(report: Report) -> list[dict[str, Any]]:
    """A row for each run, convention and player of another convention."""
    return [
        {"player": name, "pack": cell.pack, "convention": cell.convention, **asdict(one)}
        for name, found in zip(report.names, report.cells, strict=True)
        for cell in found
        for one in cell.others
    ]


def answers(report: Report) -> list[dict[str, Any]]:
    """A row for each decision."""
    return [
        {
            "player": name,
            "probe": one.probe.name,
            "move": str(one.move),
            "keeps": int(one.keeps),
            "answers": ", ".join(map(str, one.probe.answers)),
            "like": ", ".join(who for who, moves in one.probe.others.items() if one.move in moves),
            "forced": int(one.forced),
            "chance": one.probe.chance,
            "question": one.probe.question,
            "why": one.probe.why,
            "journal": str(one.path.relative_to(run.folder)),
        }
        for name, run in zip(report.names, report.runs, strict=True)
        for one in run.answers
    ]


def data(report: Report) -> dict[str, Any]:
    """What `--json` prints."""
    return {"conventions": tidy(report), "others": others(report), "notes": notes(report)}


def write(report: Report, folder: Path) -> list[Path]:
    """Write the report as Markdown and CSV, with every decision. Raises OSError."""
    folder.mkdir(parents=True, exist_ok=True)
    texts = {
        MARKDOWN: markdown(report),
        TABLE: as_csv(tidy(report)),
        OTHERS: as_csv(others(report)),
        ANSWERS: as_csv(answers(report)),
    }
    for name, text in texts.items():
        write_atomically(folder / name, text)
    return [folder / name for name in texts]
