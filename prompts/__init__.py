"""The texts of prompts: this folder holds them, these functions find and fill them.

A missing or surplus variable is an error that names it. The folder uses nothing of the project. Start reading with
`sections/state.md` and `roles/proposer.md`, then `fill`.

Templates are text with `$variables`: `sections/` one per section, `roles/` one per role, `conventions/` one per pack;
`contexts/` are YAML. `$$` stands for a dollar sign. English is what these files and the code say; every other language
has a folder with texts of the same names, and with `phrases.yaml`: what the code says, by its English.
"""

import hashlib
import re
from collections.abc import Mapping
from functools import cache, lru_cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from itertools import count
from pathlib import Path
from string import Template
from typing import Literal, get_args

import yaml

if __name__ == "prompts":
    raise ImportError("prompts is part of one package: from hanabi_orchestrator import prompts")

_HOME = files(__name__)

Lang = Literal["en", "zh"]
"""The languages of prompts."""
LANGUAGES: tuple[str, ...] = get_args(Lang)

PHRASES = "phrases.yaml"


_ADDED: dict[str, str] = {}
"""Texts of others, by the names of the files that they would be."""


def add(name: str, text: str) -> None:
    """Add a text as if it were a file here: `conventions/mine.md`. Raises ValueError where there is one of its name."""
    if name in contents():
        raise ValueError(f"there is a text {name!r} already")
    _ADDED[name] = text.strip()
    contents.cache_clear()
    hashes.cache_clear()


def path(name: str, lang: Lang = "en") -> str:
    """Where a text lies in a language: `sections/rules.md`, `zh/sections/rules.md`."""
    return name if lang == "en" else f"{lang}/{name}"


def text(name: str, lang: Lang = "en") -> str:
    """The text of a file, e.g. `sections/rules.md`; raises ValueError with the known names when there is none."""
    added = _ADDED.get(path(name, lang))
    return _file(name, lang) if added is None else added


@cache
def _file(name: str, lang: Lang) -> str:
    folder, _, base = path(name, lang).rpartition("/")
    file = _HOME.joinpath(path(name, lang))
    if not file.is_file():
        suffix = Path(base).suffix
        raise ValueError(
            f"no prompt {base.removesuffix(suffix)!r} in {folder}; known: {', '.join(names(folder, suffix))}"
        )
    return file.read_text("utf-8").strip()


def names(folder: str, suffix: str = ".md") -> list[str]:
    """The names in a folder, without their suffix."""
    home = _HOME.joinpath(folder)
    files = [file.name for file in home.iterdir()] if home.is_dir() else []
    for name in _ADDED:
        place, _, file = name.rpartition("/")
        if place == folder:
            files.append(file)
    return sorted(Path(file).stem for file in files if file.endswith(suffix))


def phrase(english: str, lang: Lang = "en") -> str:
    """A phrase of the code in a language; raises ValueError when it is not in the language's list."""
    if lang == "en":
        return english
    if english not in (phrases := _phrases(lang)):
        raise ValueError(
            f"no phrase {english!r} in {path(PHRASES, lang)}; it lists {len(phrases)} others"
        )
    return phrases[english]


@cache
def _phrases(lang: Lang) -> Mapping[str, str]:
    phrases: dict[str, str] = yaml.safe_load(text(PHRASES, lang))
    return phrases


def own_template(template: str | Path) -> str:
    """A template given as text or as a file. Raises ValueError for a file that cannot be read."""
    if isinstance(template, str):
        return template.strip()
    try:
        return template.read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise ValueError(f"cannot read template {str(template)!r}: {error}") from None


def variables(template: str) -> frozenset[str]:
    """The variables that a template wants."""
    return _parsed(template)[1]


@lru_cache(maxsize=4096)
def _parsed(template: str) -> tuple[str | None, frozenset[str]]:
    """A template as a %-format, which fills several times faster, and its variables; no format where a `$` is amiss.

    A turn fills some hundred templates, nearly all of them known.
    """
    parsed = Template(template)
    literal = template.replace("%", "%%")
    valid = not any(match["invalid"] is not None for match in parsed.pattern.finditer(literal))
    form = parsed.pattern.sub(
        lambda match: f"%({name})s" if (name := match["named"] or match["braced"]) else "$", literal
    )
    return form if valid else None, frozenset(parsed.get_identifiers())


def substitute(template: str, values: Mapping[str, object], name: str = "template") -> str:
    """A template filled; raises ValueError naming what is missing and what is surplus."""
    form, needed = _parsed(template)
    if needed != values.keys():
        names = set(values)
        raise ValueError(
            f"prompt {name!r}: missing {sorted(needed - names)}, surplus {sorted(names - needed)}"
        )
    return Template(template).substitute(values) if form is None else form % values


_TAG = re.compile(r"\{(?:if|without) ([^{}\n]+)\}|\{end\}")
_OPEN = r"\{(if|without) ([^{}\n]+)\}"
_BODY = r"((?:(?!\{(?:if|without) |\{end\}).)*?)"
_BLOCK = re.compile(rf"(?ms)^{_OPEN}\n?{_BODY}\n?\{{end\}}(\n|\Z)|{_OPEN}{_BODY}\{{end\}}")
"""A conditional block without another inside; one that has its lines for itself takes the end of the last with it."""

_STEP = re.compile(r"(?m)^#\. ")
"""The beginning of a step whose number depends on the steps before it."""


@lru_cache(maxsize=1024)
def chosen(text: str, present: frozenset[str]) -> str:
    """A text with those of its conditional blocks alone whose conditions hold where these are present.

    `{if analyst}...{end}` is there beside the analyst's report, `{without analyst or section history}...{end}` where
    neither is. Lines that begin with `#. ` get the numbers 1, 2 ... of those that are there.
    """

    def block(match: re.Match[str]) -> str:
        kind, names, body, end = match.groups()[:4] if match[1] else (*match.groups()[4:], "")
        holds = any(name in present for name in names.split(" or ")) == (kind == "if")
        return f"{body}{end}" if holds else ""

    blocks = 1 if "{end}" in text else 0
    while blocks:
        text, blocks = _BLOCK.subn(block, text)
    numbers = count(1)
    return _STEP.sub(lambda _: f"{next(numbers)}. ", text.strip())


@lru_cache(maxsize=1024)
def conditions(text: str) -> tuple[str, ...]:
    """What a text's conditional blocks ask for: `analyst`, `section history`. Raises ValueError for half a block."""
    if amiss := _TAG.search(chosen(text, frozenset())):
        raise ValueError(f"{amiss[0]} has no {'beginning' if amiss[0] == '{end}' else '{end}'}")
    return tuple(
        dict.fromkeys(name for names in _TAG.findall(text) if names for name in names.split(" or "))
    )


def fill(name: str, values: Mapping[str, object], lang: Lang = "en") -> str:
    """The template of a file, filled."""
    return substitute(text(name, lang), values, path(name, lang))


@cache
def hashes() -> Mapping[str, str]:
    """A hash of every prompt file, by its name: `sections/rules.md`."""
    return {path: digest(content) for path, content in contents().items()}


@cache
def contents() -> Mapping[str, str]:
    """What every prompt file holds, by its name."""
    return dict(sorted([*_walk(_HOME, ""), *_ADDED.items()]))


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _walk(folder: Traversable, path: str) -> list[tuple[str, str]]:
    files = []
    for item in folder.iterdir():
        if item.is_dir():
            files += _walk(item, f"{path}{item.name}/")
        elif item.name.endswith((".md", ".yaml")):
            files.append((path + item.name, item.read_text("utf-8")))
    return files
