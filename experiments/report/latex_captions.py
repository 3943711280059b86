"""Which tables of a report LaTeX gets besides those of arms and differences, and what their captions say."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from typing import NamedTuple

from experiments.report.judged_section import JudgedSection
from experiments.report.page import Contents, Part
from experiments.report.roles_section import RolesSection
from experiments.report.run_data import RunData
from experiments.report.tables import Grid


@dataclass(frozen=True)
class Captioned:
    key: str
    """For the label: `more`, `unforced-scores`."""
    title: str
    text: str
    grid: Grid


class _Caption(NamedTuple):
    title: str
    text: str


MADE = ("scores", "differences")
"""Tables that have versions for papers."""

CAPTIONS: Mapping[str, _Caption] = {
    "variances": _Caption(
        "Variance between and within deals",
        "Standard deviations by a one-way analysis of variance with the deals as groups; r: correlation with the "
        "baseline's scores on the same deals.",
    ),
    "more": _Caption("Differences by every other metric", ""),
    "play": _Caption(
        "Play and cost",
        "Means per game. Misplays: plays that cost a life; hints wasted: hints that told their receiver nothing new; "
        "forced: share of moves; fallbacks: questions to a model without a usable answer. No intervals, no tests.",
    ),
    "origins": _Caption(
        "Whose moves they are",
        "Shares of moves, and means per game. Own: chosen by the model's deciding node; forced: chosen by a program "
        "because no choice was usable or accepted. No intervals, no tests.",
    ),
    "adhoc": _Caption("Ad-hoc teams", ""),
    "references": _Caption("Published scores", ""),
    "apart": _Caption("Beside the hypotheses", ""),
    "roles-marks": _Caption(
        "Marks of each role",
        "What each role stated, scored against the hidden cards and the values of moves to a seat that knows what it "
        "may know. Means and 95 % intervals over deals, of each game's mean over its replies. Program, uniform, "
        "previous: what the role's exact program, a uniform guess, and the frequencies of the turns before would have "
        "had on the same replies; best: a perfect answer.",
    ),
    "roles-differences": _Caption(
        "Marks against the baseline, paired by deal",
        "The mean of each mark in the arm less that in the baseline on the same deals; arms come to other positions. "
        "Intervals: all means that the test does not reject; p with Holm's correction for all rows of this table.",
    ),
    "roles-following": _Caption(
        "Who was followed",
        "In turns in which a role put a move first that was of the kind played. Overruled though right: another move "
        "was played although its own was worth at least half a point more at once; followed though wrong: its move was "
        "played although another was worth so much more.",
    ),
    "roles-judging": _Caption(
        "What verifiers refused",
        "Right verdicts accept a choice that the safety rule accepts by all that the seat may know, or refuse another. "
        "Points: what the move played instead was worth more at once than the refused choice.",
    ),
    "roles-quality": _Caption(
        "Moves with a known fault, per game", "At most one fault a move, found by rules. No intervals, no tests."
    ),
    "arms": _Caption("What sat where", ""),
    "models": _Caption("Settings of the models", "Settings that are not listed were not sent."),
}


def tables(data: RunData, shown: Contents) -> Iterator[Captioned]:
    """The tables of a report in its order, whatever sections it has, without those that have a version for papers."""
    n = f"{len(data.rows)} games on {len({row.seed for row in data.rows})} deals."
    texts = {
        "more": shown.more_text,
        "adhoc": shown.adhoc_text,
        "controls": shown.controls_text,
        "apart": shown.apart_text,
        "references": shown.references_text,
    }
    for field in fields(shown):
        part = getattr(shown, field.name)
        if isinstance(part, Grid):
            yield _captioned(field.name, part, texts, n)
        elif isinstance(part, Part):
            yield from _of_part(field.name, part, texts, n)
        elif isinstance(part, RolesSection):
            yield from (_captioned(f"roles-{name}", grid, texts, n) for name, grid in _grids(part))
    for number, judged in enumerate(shown.judged, 1):
        about = f"State tracking, judged by {judged.judge}; {' '.join(judged.notes)}"
        for name, grid in _grids(judged):
            yield Captioned(f"judged-{name}-{number}", f"State tracking: {name}", f"{n} {about}", grid)


def _grids(section: RolesSection | JudgedSection) -> Iterator[tuple[str, Grid]]:
    """The tables of a section, by their names."""
    found = ((field.name, getattr(section, field.name)) for field in fields(section))
    return ((name, one) for name, one in found if isinstance(one, Grid))


def _of_part(where: str, part: Part, texts: Mapping[str, str], n: str) -> Iterator[Captioned]:
    whole = where == "whole"
    for field in fields(part):
        grid = getattr(part, field.name)
        if isinstance(grid, Grid) and not (whole and field.name in MADE):
            one = _captioned(field.name, grid, texts, n)
            yield one if whole else _without_forced(one)


def _captioned(key: str, grid: Grid, texts: Mapping[str, str], n: str) -> Captioned:
    found = CAPTIONS.get(key, _Caption(key.replace("_", " ").capitalize(), ""))
    text = " ".join(filter(None, (n, texts.get(key) or found.text)))
    label = "seats" if key == "arms" else key.replace("_", "-")  # `arms` is the table of their scores
    return Captioned(label, found.title, text, grid)


def _without_forced(one: Captioned) -> Captioned:
    about = "Only games without a forced move, and in differences only their counterparts: other deals, perhaps easier."
    method = (
        "Intervals of means by Student's t over deals; those of differences by the sign-flip test, p with Holm's "
        "correction."
    )
    return Captioned(f"unforced-{one.key}", f"{one.title} without forced moves", f"{about} {method}", one.grid)
