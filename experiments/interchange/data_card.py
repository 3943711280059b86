"""The card of a data set: its rows, who answered, its deals, its command; Hugging Face reads the head."""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from experiments.record.files import write_atomically
from orchestrator.plugins import versions

MARK = "<!-- written by hanabi-orchestrator export -->"
BY = {
    "model": "a language model, whose provider's terms hold for its responses",
    "program": "a program of this package; prompts and responses are what a model would have read and written",
    "simulated": "a simulated model: a program with errors, never to be taken for a language model",
    "fake": "the package's fake server, which answers at random",
}
COUNTED = ("answered_by", "model", "graph", "role", "players", "state")
"""The columns whose values the card counts."""


Counts = Mapping[str, Mapping[str, Counter[str]]]
"""By file and column: how many rows have a value."""


def write(out: Path, command: str, files: Mapping[str, int], counts: Counts, notes: Sequence[str]) -> Path:
    """Write the card beside the files: README.md, or NAME.README.md where another file's card or page is README.md."""
    path = out.with_name("README.md")
    if path.exists() and not {MARK, f"- config_name: {out.stem}"} <= {*path.read_text("utf-8").splitlines()}:
        path = out.with_name(f"{out.stem}.README.md")
    kinds = {name: "test" if name == f"{out.stem}-test{out.suffix}" else "train" for name in files}
    splits = [f"  - split: {kind}\n    path: {name}" for name, kind in kinds.items()]
    head = ["---", "license: other", "configs:", f"- config_name: {out.stem}", "  data_files:", *splits]
    whole = {column: sum((counts[name][column] for name in files), Counter[str]()) for column in (*COUNTED, "deal")}
    body = [
        f"# Games of Hanabi: {out.stem}",
        f"`{command}`",
        f"hanabi-orchestrator {versions()['hanabi-orchestrator']}. Its programs' texts are under the MIT licence.",
        "## Who answered",
        *(f"- {many:,} rows: {BY.get(by, by)}" for by, many in whole["answered_by"].items()),
        "## Rows",
        *(f"- `{name}`: {rows:,} rows of {len(counts[name]['deal']):,} deals" for name, rows in files.items()),
        *(f"- {column}: {_listed(whole[column])}" for column in COUNTED[1:]),
        *(f"- {note}" for note in notes),
        "## Deals",
        "A deal is in one file alone. `deal` is a hash of the deck.",
        *(f"- `{name}`: {_listed(counts[name]['seed'])}" for name in files),
    ]
    write_atomically(path, "\n".join([*head, "---", MARK, "", *body]) + "\n")
    return path


def _listed(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{value} ({many:,})" for value, many in counts.items()) or "none"
