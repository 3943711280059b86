"""Answers that `make real` recorded, as a file of the corpus in tests/replies_corpus, for a person to read.

    python -m benchmarks.reply_corpus runs/real --to tests/replies_corpus/recorded-mine.yaml [--readings]

An entry for each answer in the games of the folders, with the moves as its prompt lists them, or else the legal ones.
`is` stays empty, for the person to fill in; with `--readings` it has what the reader reads, for the person to correct.
Exit codes: 0, or 2 for a mistake in the command.
"""

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from benchmarks.real_model import Game, answers
from hanabi_orchestrator.orchestrator import journal
from hanabi_orchestrator.orchestrator.errors import UserError

HEAD = "# What {models} answered, word for word, with the reading of a person under `is`; see README.md.\n"
LABELS = "0123456789"


def games(folder: Path) -> Iterator[Game]:
    """The games that a run of `make real` left in its folder. Raises UserError when there are none."""
    paths = sorted((folder / "games").glob("*.jsonl"))
    if not paths:
        raise UserError(
            f"{folder}/games holds no journal (*.jsonl); name the --out folder of a run of real_model"
        )
    for path in paths:
        graph, _, form = path.stem.partition("-")
        yield Game(graph, form, path, 0.0, events=tuple(journal.read(path)))


def entry(one: Mapping[str, Any], *, readings: bool) -> dict[str, Any]:
    """An answer as an entry of the corpus."""
    made = {"reply": one["reply_type"], "form": one["form"]}
    labels = list(one["moves"])
    if one["reason_first"]:
        made["reason_first"] = True
    if labels and labels[0] not in LABELS:
        made["letters"] = True
    made["moves"] = _Flow(one["moves"].values() or one["legal"])
    if one["finish"] == "length":
        made["finish"] = "length"
    made["text"] = one["text"]
    made["is"] = (one.get("reply") or "unreadable") if readings else None
    if readings and one.get("dropped"):
        made["dropped"] = len(one["dropped"])
    return made


class _Flow(list[str]):
    """A list that is written on a line."""


class _Dumper(yaml.SafeDumper):
    """Texts with line breaks stand as they are; moves stand on a line."""


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.Node:
    return dumper.represent_scalar(
        "tag:yaml.org,2002:str", text, style="|" if "\n" in text else None
    )


_Dumper.add_representer(str, _text)
_Dumper.add_representer(
    _Flow, lambda dumper, moves: dumper.represent_sequence("tag:yaml.org,2002:seq", moves, True)
)


def written(entries: Sequence[Mapping[str, Any]], models: str) -> str:
    """The file with these entries."""
    data = {"answers": [dict(one) for one in entries]}
    return HEAD.format(models=models) + yaml.dump(
        data, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=120
    )


def main(given: Sequence[str] | None = None) -> int:
    """Returns the exit code."""
    parser = argparse.ArgumentParser(
        description="Recorded answers as a file of the corpus of replies."
    )
    parser.add_argument(
        "folders", nargs="+", type=Path, help="--out folders of runs of benchmarks.real_model"
    )
    parser.add_argument(
        "--to", type=Path, required=True, help="the file to write; one that is there is kept"
    )
    parser.add_argument("--readings", action="store_true", help="fill in what the reader reads")
    parser.add_argument(
        "--models", default="SmolLM2-135M-Instruct", help="who answered, for the head of the file"
    )
    asked = parser.parse_args(given)
    if asked.to.exists():
        raise UserError(
            f"{asked.to} is there already, perhaps with readings; name another file, or move it away"
        )
    found = [one for folder in asked.folders for one in answers(games(folder))]
    entries = [entry(one, readings=asked.readings) for one in found]
    asked.to.write_text(written(entries, asked.models), "utf-8")
    print(f"{len(entries)} answers in {asked.to}")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except UserError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(2)
