"""Packages of others, installed in a folder."""

from collections.abc import Mapping
from pathlib import Path


def install(
    folder: Path, name: str, files: Mapping[str, str], points: Mapping[str, Mapping[str, str]]
) -> None:
    """A package as an installer leaves it: its files, and what its metadata says of entry points, by group and name."""
    for file, text in files.items():
        path = folder / name / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    info = folder / f"{name}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {name.replace('_', '-')}\nVersion: 1.0\n", "utf-8"
    )
    lines = []
    for group, named in points.items():
        lines.append(f"[{group}]")
        for point, value in named.items():
            lines.append(f"{point} = {value}")
    (info / "entry_points.txt").write_text("\n".join(lines), "utf-8")
