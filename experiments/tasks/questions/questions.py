"""The questions of CoordinationQA, from its CSV: one row a scenario, three questions each.

A row has the columns `Game` and `Game Description` and, for each kind (EC, TOM, JP), its question
with the options, the letters of the right ones (`C`, or several: `C,D`) and the directive that the
paper puts before it.
"""

import csv
import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Literal, get_args

from hanabi_orchestrator.orchestrator import regular_files
from hanabi_orchestrator.orchestrator.errors import UserError, did_you_mean, nearby, shortened
from hanabi_orchestrator.orchestrator.values import Frozen

Kind = Literal["ec", "tom", "jp"]
KINDS: tuple[Kind, ...] = get_args(Kind)
TITLES: Mapping[Kind, str] = {
    "ec": "environment comprehension",
    "tom": "theory of mind reasoning",
    "jp": "joint planning",
}
GAMES = ("hanabi", "overcooked", "collab-capture", "collab-escape")
"""The paper's games; a file may have others."""
HANABI = GAMES[0]

SOURCE = (
    "CoordinationQA publishes them as src/reasoning_evals/data/single_turn_trials.csv in "
    "https://github.com/eric-ai-lab/llm_coordination. A file of your own has a row for each "
    "scenario, with the columns 'Game', 'Game Description' and, for EC, TOM or JP, e.g. 'EC "
    "Question', 'EC Answer Ordinal' and 'EC Directive'"
)
"""Where the questions are, and what a file of them holds."""

_NAMED_BY = {
    "catch the thief": "collab-capture",
    "collab capture": "collab-capture",
    "collab escape": "collab-escape",
    "collabcooking": "overcooked",
    "game overcooked": "overcooked",
}
"""Of rows whose game is `CollabGames`: the game by words of its description."""

_HEAD = re.compile(r"^[ \t]*Available (?:actions|answers)[ \t]*:", re.IGNORECASE | re.MULTILINE)
_OPTION = re.compile(r"^[ \t]*([A-Z])[ \t]*[.)][ \t]*(.*?)[ \t]*$", re.MULTILINE)


class Option(Frozen):
    """An answer to choose."""

    label: str
    """The letter that stands before it; two options may have the same."""
    text: str

    def __str__(self) -> str:
        return self.text

    @property
    def full(self) -> str:
        """The letter and the text, as the question shows them."""
        return f"{self.label}. {self.text}"


def normal(text: str) -> str:
    """Return a text for comparison: small letters, single spaces, no marks around it."""
    return " ".join(text.replace("’", "'").lower().split()).strip(" .*_`\"'")


class KeyedQuestion(Frozen):
    """A question as the folder of a run keeps it: enough to score and to report."""

    name: str
    """Row, game and kind: `07-hanabi-tom`."""
    row: int
    """Of the file; 1 is the first after the head."""
    game: str
    kind: Kind
    options: tuple[Option, ...]
    right: tuple[int, ...]
    """The numbers of the right options, from 0."""
    mended: str = ""
    """How its key was read, where the letters alone do not say it; or that its answer's text is
    another option."""

    @property
    def chance(self) -> float:
        """The probability that an option drawn at random is right."""
        return len(self.right) / len(self.options)


class Question(KeyedQuestion):
    """One question: what is asked, its options, and the right ones."""

    description: str
    """Of the game and its rules."""
    directive: str
    text: str
    """The state, the question and the options, as the file has them."""

    @property
    def stem(self) -> str:
        """The text without its options: the state, then the question."""
        *_, head = _HEAD.finditer(self.text)
        return self.text[: head.start()].strip()

    @property
    def asked(self) -> str:
        """The question itself: the last line before the options."""
        return self.stem.splitlines()[-1].strip()


@dataclass(frozen=True)
class QuestionFile:
    """The questions of a file."""

    path: Path
    digest: str
    """SHA-256 of the file, 16 digits."""
    questions: tuple[Question, ...]
    left_out: tuple[str, ...] = ()
    """Sentences on questions without a usable key that were left out."""


def read(
    path: Path, games: Sequence[str] = (), kinds: Sequence[str] = (), *, skip_broken: bool = False
) -> QuestionFile:
    """Return the questions of a file, of some games and kinds, or all.

    Raises UserError, in one sentence, for a file without the columns, a key that names no option, a
    question that stands there twice, or a choice that leaves no question. `skip_broken`: questions
    with such a key are left out.
    """
    rows, digest = _rows(path)
    chosen = [_kind(kind) for kind in kinds] or list(KINDS)
    needed = ["Game", "Game Description"]
    parts = ("Question", "Answer Ordinal", "Directive")
    needed += [f"{kind.upper()} {part}" for kind, part in product(chosen, parts)]
    if lacking := [name for name in needed if name not in rows[0]]:
        if len(lacking) == 1:
            which = f"column {lacking[0]!r}"
        else:
            which = f"columns {', '.join(map(repr, lacking))}"
        raise UserError(
            f"{path} lacks the {which}; a CSV of CoordinationQA has {', '.join(map(repr, needed))}"
        )
    names = [_game(row) for row in rows]
    for game in games:
        if game not in names:
            raise UserError(
                f"{path} has no questions on {game!r}; "
                f"{did_you_mean(game, sorted({*names}), 'it has')}"
            )
    questions = list[Question]()
    problems = list[str]()
    for (row, (game, cells)), kind in product(enumerate(zip(names, rows, strict=True), 1), chosen):
        if games and game not in games:
            continue
        try:
            questions.append(_question(row, cells, game, kind))
        except _Broken as problem:
            problems.append(f"row {row}, {kind.upper()}: {problem}")
            if not skip_broken:
                raise UserError(
                    f"{path}, {problems[0]}; --skip-broken leaves such questions out"
                ) from None
    _check_once(path, questions)
    if not questions:
        raise UserError(f"{path}: no question is left to be asked")
    return QuestionFile(path, digest, tuple(questions), tuple(problems))


def _rows(path: Path) -> tuple[list[dict[str, str]], str]:
    try:
        data = regular_files.content(path)
        rows = list(csv.DictReader(data.decode("utf-8-sig").splitlines(keepends=True), strict=True))
    except OSError as error:
        raise UserError(
            f"cannot read the questions {str(path)!r}: {error.strerror}{nearby(path)}"
        ) from None
    except UnicodeDecodeError as error:
        raise UserError(
            f"cannot read the questions {str(path)!r}: {regular_files.not_text(error)}"
        ) from None
    except csv.Error as error:
        raise UserError(f"{path} is not a CSV file: {error}") from None
    if not rows:
        raise UserError(f"{path} has no rows; a CSV of CoordinationQA has one for each scenario")
    cells = []
    for row in rows:
        cells.append({key: value or "" for key, value in row.items() if key})
    return cells, hashlib.sha256(data).hexdigest()[:16]


def _kind(name: str) -> Kind:
    for kind in KINDS:
        if name.lower() in (kind, TITLES[kind]):
            return kind
    raise UserError(f"--kind is {name!r}; {did_you_mean(name, KINDS, 'it can be')}")


def _game(row: Mapping[str, str]) -> str:
    name = re.sub(r"[^a-z0-9]+", "-", row["Game"].strip().lower()).strip("-")
    if name not in ("collabgames", "collab-games"):
        return name
    about = row["Game Description"].lower()
    return next((game for words, game in _NAMED_BY.items() if words in about), name)


class _Broken(ValueError):  # noqa: N818  # the state of a question
    """A question that cannot be scored."""


def _question(row: int, cells: Mapping[str, str], game: str, kind: Kind) -> Question:
    text = cells[f"{kind.upper()} Question"].replace("\r\n", "\n").replace("\r", "\n").strip()
    if not (heads := list(_HEAD.finditer(text))):
        raise _Broken(
            f"{shortened(repr(text[-60:]))} ends without a list that begins with 'Available "
            "answers:'"
        )
    lines = text[heads[-1].end() :]
    options = tuple(Option(label=label, text=words) for label, words in _OPTION.findall(lines))
    if len(options) < 2:
        raise _Broken(
            f"it has {len(options)} options; a question has at least two, a line each: 'A. ...'"
        )
    right, mended = _key(
        cells[f"{kind.upper()} Answer Ordinal"], cells.get(f"{kind.upper()} Answer", ""), options
    )
    return Question(
        name=f"{row:02}-{game}-{kind}",
        row=row,
        game=game,
        kind=kind,
        description=cells["Game Description"].strip(),
        directive=cells[f"{kind.upper()} Directive"].strip(),
        text=text,
        options=options,
        right=right,
        mended=mended,
    )


def _key(key: str, text: str, options: Sequence[Option]) -> tuple[tuple[int, ...], str]:
    """Return the numbers of the right options, and how the key was mended. Raises _Broken."""
    letters = [letter.strip().upper() for letter in key.split(",") if letter.strip()]
    if not letters:
        raise _Broken("its key is empty; it is the letter of the right option, or several: 'C,D'")
    numbers = set[int]()
    notes = list[str]()
    for letter in letters:
        fitting = [number for number, option in enumerate(options) if option.label == letter]
        if len(fitting) != 1:
            fitting = _by_text(letter, text, options, fitting)
            notes.append(f"key {letter} read by its text as {options[fitting[0]].full}")
        numbers.update(fitting)
    other = [option for number, option in enumerate(options) if normal(option.text) == normal(text)]
    if other and not any(options[number] in other for number in numbers):
        notes.append(f"the key's letter counts, though its text is {other[0].full}")
    return tuple(sorted(numbers)), "; ".join(notes)


def _by_text(letter: str, text: str, options: Sequence[Option], among: Sequence[int]) -> list[int]:
    """Return the option that the text of the key states, where its letter names none or two. Raises
    _Broken."""
    bare = normal(re.sub(rf"^\s*{letter}\s*[.)]", "", text))
    fitting = [number for number, option in enumerate(options) if normal(option.text) == bare]
    if len(fitting) == 1 and (not among or fitting[0] in among):
        return fitting
    labels = ", ".join(option.label for option in options)
    raise _Broken(
        f"its key {letter!r} does not name one of its options {labels}, and neither does its "
        "answer's text"
    )


def _check_once(path: Path, questions: Iterable[Question]) -> None:
    seen: dict[tuple[str, str, str], Question] = {}
    for question in questions:
        first = seen.setdefault((question.game, question.kind, normal(question.text)), question)
        if first is not question:
            raise UserError(
                f"{path}: rows {first.row} and {question.row} have the same "
                f"{question.kind.upper()} question; each question may stand there once"
            )
