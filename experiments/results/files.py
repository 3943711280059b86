"""Files that are written whole or not at all."""

from pathlib import Path
from uuid import uuid4


def write_atomically(path: Path, text: str) -> None:
    """Write a text file so that neither a reader nor a killed process leaves or sees half of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.{uuid4().hex[:8]}.part")  # others may write it at the same time
    part.write_text(text, "utf-8")
    part.replace(path)
