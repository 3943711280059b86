"""Data sets as files: games become rows, filtered, without repeats, split by deal, in JSON lines or
Parquet; a card beside them counts the rows, who answered, and the deals.

One game is read at a time, and a file is written as its rows come, so that any number of games fits
in memory.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import Any

from hanabi_orchestrator.experiments.interchange import data_rows
from hanabi_orchestrator.experiments.interchange.data_rows import DataSet, condition
from hanabi_orchestrator.experiments.record import parquet
from hanabi_orchestrator.experiments.record.files import whole, write_atomically
from hanabi_orchestrator.experiments.record.game import Game
from hanabi_orchestrator.experiments.record.games import Source, sources
from hanabi_orchestrator.experiments.record.parallel import mapped
from hanabi_orchestrator.experiments.record.seed_range import SPANS, numbers
from hanabi_orchestrator.experiments.values.marking import Done
from hanabi_orchestrator.orchestrator.errors import UserError
from hanabi_orchestrator.orchestrator.hanabi.referee import deal
from hanabi_orchestrator.orchestrator.journal.fingerprint import hashed
from hanabi_orchestrator.orchestrator.versions import versions
from hanabi_orchestrator.roles.words import many

SUFFIXES = (".jsonl", ".parquet")
MARK = "<!-- written by hanabi-orchestrator export -->"
"""In a data set's card."""
BY = {
    "model": "a language model, whose provider's terms hold for its responses",
    "program": (
        "a program of this package; prompts and responses are what a model would have read and "
        "written"
    ),
    "simulated": "a simulated model: a program with errors, never to be taken for a language model",
    "fake": "the package's fake server, which answers at random",
}
COUNTED = ("answered_by", "model", "graph", "role", "players", "state")
"""The columns whose values the card counts."""
CARD = (*COUNTED, "deal", "seed")
Add = Callable[[Mapping[str, Any]], None]


@dataclass(frozen=True)
class HeldOut:
    """The deals that are kept from training."""

    share: float = 0.0
    """Of the deals, those whose rows go to a test file."""
    deals: Mapping[str, str] = field(default_factory=dict)
    """Deals that no row may come from, in words."""

    @classmethod
    def read(cls, texts: Sequence[str]) -> "HeldOut":
        """From a share such as `0.1`, seeds such as `1-50,60`, and runs or journals. Raises
        UserError."""
        share = 0.0
        deals = dict[str, str]()
        for text in texts:
            if re.fullmatch(r"0?\.\d+", text):
                share = float(text)
            elif re.fullmatch(SPANS, text):
                deals |= {
                    hashed(list(deal(seed))): f"of --held-out {text}" for seed in numbers(text)
                }
            elif Path(text).exists():
                games = [Game.open(source.path).started for source in sources(Path(text))]
                deals |= {data_rows.deal_of(started): f"in {text}" for started in games}
            else:
                raise UserError(
                    f"--held-out is {text!r}; it can be a share of the deals such as 0.1, "
                    "seeds such as 1-50, or a run"
                )
        return cls(share, deals)

    def check(self, games: Sequence[Source]) -> None:
        """Raise UserError for a game of a deal that no row may come from."""
        for game in games if self.deals else ():
            started = Game.open(game.path).started
            if where := self.deals.get(data_rows.deal_of(started)):
                raise UserError(
                    f"{game.name} plays {started.deal}, which is held out ({where}); leave the "
                    "game out"
                )

    def tests(self, row: Mapping[str, Any]) -> bool:
        """Tell whether a row is one for the test file. A deal is always on the same side, whatever
        else is exported."""
        place = int(row["deal"], 16) / 16.0 ** len(row["deal"])
        return bool(place < self.share)


@dataclass
class Written:
    """What was written."""

    files: dict[str, int]
    """By file, how many rows it has."""
    columns: Mapping[str, str]
    games: int = 0
    repeats: int = 0
    """Rows that were left out, because another has the same texts."""
    left_out: Counter[str] = field(default_factory=Counter)
    counts: dict[str, dict[str, Counter[str]]] = field(default_factory=dict)
    """By file and column: how many rows have a value."""

    @property
    def notes(self) -> list[str]:
        """What was left out."""
        left_out = self.left_out + Counter({"rows that repeat another": self.repeats})
        return [f"{many:,} {what} are left out" for what, many in left_out.items()]

    def add(self, file: str, row: Mapping[str, Any]) -> None:
        self.files[file] += 1
        for column, counter in self.counts[file].items():
            counter[str(row[column])] += 1


def export(
    paths: Sequence[Path],
    out: Path,
    data: DataSet,
    held_out: HeldOut,
    workers: int = 1,
    done: Done | None = None,
) -> Written:
    """Write the rows of games and runs. Raises UserError; no file is written then."""
    if out.suffix not in SUFFIXES:
        raise UserError(f"--out {str(out)!r} must end in {' or '.join(SUFFIXES)}")
    games = []
    for path in paths:
        games.extend(sources(path))
    condition(data.where)
    held_out.check(games)
    names = {False: out.with_stem(f"{out.stem}-train"), True: out.with_stem(f"{out.stem}-test")}
    targets = names if held_out.share else {False: out}
    written = Written({path.name: 0 for path in targets.values()}, data.columns)
    for name in written.files:
        written.counts[name] = {column: Counter() for column in CARD}
    seen = set[bytes]()
    out.parent.mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        add = {
            test: stack.enter_context(_opened(path, data.columns)) for test, path in targets.items()
        }
        for number, game in enumerate(
            mapped(partial(data_rows.rows, data=data), games, workers), 1
        ):
            written.left_out += game.left_out
            written.games += bool(game.rows)
            for row in game.rows:
                key = blake2b(
                    json.dumps([row[name] for name in data.key]).encode(), digest_size=16
                ).digest()
                if key in seen:
                    written.repeats += 1
                    continue
                seen.add(key)
                test = held_out.tests(row)
                add[test](row)
                written.add(targets[test].name, row)
            if done:
                done(number, len(games))
    return written


@contextmanager
def _opened(path: Path, columns: Mapping[str, str]) -> Iterator[Add]:
    """Give what adds a row to a file, which is there once all rows are."""
    if path.suffix == ".parquet":
        with parquet.table(path, columns) as add:
            yield add
        return
    with whole(path) as part, part.open("w", encoding="utf-8", errors="replace") as file:
        yield lambda row: print(json.dumps(row, ensure_ascii=False), file=file)


def write_card(out: Path, command: str, written: Written) -> Path:
    """Write the card of a data set beside its files, whose head Hugging Face reads: README.md, or
    NAME.README.md where another file's card or page is README.md."""
    files = written.files
    counts = written.counts
    path = out.with_name("README.md")
    if path.exists() and not {MARK, f"- config_name: {out.stem}"} <= {
        *path.read_text("utf-8").splitlines()
    }:
        path = out.with_name(f"{out.stem}.README.md")
    kinds = {}
    for name in files:
        kinds[name] = "test" if name == f"{out.stem}-test{out.suffix}" else "train"
    splits = [f"  - split: {kind}\n    path: {name}" for name, kind in kinds.items()]
    head = [
        "---",
        "license: other",
        "configs:",
        f"- config_name: {out.stem}",
        "  data_files:",
        *splits,
    ]
    whole = {}
    for column in (*COUNTED, "deal"):
        whole[column] = sum((counts[name][column] for name in files), Counter[str]())
    body = [
        f"# Games of Hanabi: {out.stem}",
        f"`{command}`",
        f"hanabi-orchestrator {versions()['hanabi-orchestrator']}. Its programs' texts are "
        "under the MIT licence.",
        "## Who answered",
        *(
            f"- {many(number, 'row')}: {BY.get(by, by)}"
            for by, number in whole["answered_by"].items()
        ),
        "## Rows",
        *(
            f"- `{name}`: {many(rows, 'row')} of {many(len(counts[name]['deal']), 'deal')}"
            for name, rows in files.items()
        ),
        *(f"- {column}: {_listed(whole[column])}" for column in COUNTED[1:]),
        *(f"- {note}" for note in written.notes),
        "## Deals",
        "A deal is in one file alone. `deal` is a hash of the deck.",
        *(f"- `{name}`: {_listed(counts[name]['seed'])}" for name in files),
    ]
    write_atomically(path, "\n".join([*head, "---", MARK, "", *body]) + "\n")
    return path


def _listed(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{value} ({many:,})" for value, many in counts.items()) or "none"
