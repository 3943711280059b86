"""Words on disk: find them and fill them. A missing or surplus variable is an error that names it.

Templates are text with `$variables`: `sections/` one per section, `roles/` one per role, `conventions/` one per pack;
`contexts/` are YAML. `$$` stands for a dollar sign.
"""

import hashlib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from string import Template

_HOME = files(__name__)


@cache
def text(name: str) -> str:
    """The text of a file, e.g. `sections/rules.md`; raises ValueError with the known names when there is none."""
    folder, _, base = name.rpartition("/")
    found = _HOME.joinpath(name)
    if not found.is_file():
        suffix = Path(base).suffix
        raise ValueError(
            f"no prompt {base.removesuffix(suffix)!r} in {folder}; known: {', '.join(names(folder, suffix))}"
        )
    return found.read_text("utf-8").strip()


def names(folder: str, suffix: str = ".md") -> list[str]:
    """The names in a folder, without their suffix."""
    return sorted(Path(f.name).stem for f in _HOME.joinpath(folder).iterdir() if f.name.endswith(suffix))


def given(template: str | Path) -> str:
    """A template given as text or as a file. Raises ValueError for a file that cannot be read."""
    if isinstance(template, str):
        return template.strip()
    try:
        return template.read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise ValueError(f"cannot read template {str(template)!r}: {error}") from None


def variables(template: str) -> set[str]:
    """The variables that a template wants."""
    return set(Template(template).get_identifiers())


def substitute(template: str, values: Mapping[str, object], name: str = "template") -> str:
    """A template filled; raises ValueError naming what is missing and what is surplus."""
    wanted, given = variables(template), set(values)
    if wanted != given:
        raise ValueError(f"prompt {name!r}: missing {sorted(wanted - given)}, surplus {sorted(given - wanted)}")
    return Template(template).substitute(values)


def fill(name: str, values: Mapping[str, object]) -> str:
    """The template of a file, filled."""
    return substitute(text(name), values, name)


@cache
def hashes() -> Mapping[str, str]:
    """A hash of every prompt file, by its name: `sections/rules.md`."""
    return {path: digest(content) for path, content in sorted(_walk(_HOME, ""))}


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _walk(folder: Traversable, path: str) -> list[tuple[str, str]]:
    found = []
    for item in folder.iterdir():
        if item.is_dir():
            found += _walk(item, f"{path}{item.name}/")
        elif item.name.endswith((".md", ".yaml")):
            found.append((path + item.name, item.read_text("utf-8")))
    return found
