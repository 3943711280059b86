"""What a role is, and the one table of roles."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import BaseModel

import prompts
from orchestrator import plugins
from orchestrator.errors import UserError
from orchestrator.models.request import Absent, Part
from roles.marks import Mark, Marks, checked
from roles.notes_text import Notes, notes_for_judge, notes_text
from roles.reply_types import Form, Judgement, Reply, Shortlist, answer_format
from roles.role_options import AllowedValues, Options, check_declared, defaults
from roles.sections import LegalMoves, Section, Sections
from roles.words import ENGLISH, Words

Solve = Callable[[Sections, Notes], BaseModel]
"""A role's program: the sections and the notes that a model would get -> the reply."""


@dataclass(frozen=True)
class Role:
    """A question about a position. A model and the program get the same: the sections, and the notes read."""

    name: str
    reply: type[Reply]
    takes: tuple[type[Section], ...]
    """The sections it wants; it gets those that its graph's context has."""
    needs: tuple[type[Section], ...] = ()
    """Those without which its program cannot answer."""
    solve: Solve | None = None
    """Its program: computes the exact reply without a model."""
    template: str | None = None
    """Its instruction for a model; None for a role that only a program plays."""
    title: str = ""
    """One line: what the role is for."""
    settled: Callable[[Sections, Notes], BaseModel | None] | None = None
    """The reply, when there is nothing to ask: a selector of a single candidate."""
    options: AllowedValues = field(default_factory=dict)
    """What a node may set for it; its program finds them in `sections.options`, its template as variables."""
    mark: Mark | None = None
    """Scores a reply once the hidden cards are known; see `roles.mark`."""

    def instruction(self, words: Words) -> str:
        """Its template in a language. Raises UserError when there is none."""
        if self.template is None:
            raise UserError(f"role {self.name!r} has no template: only a program plays it")
        return self.template if words == ENGLISH else words.text(f"roles/{self.name}.md")

    def filling(self, options: Options) -> dict[str, object]:
        """The values of its template's variables."""
        wanted = prompts.variables(self.template or "")
        return {name: value for name, value in (defaults(self.options) | dict(options)).items() if name in wanted}

    def prompt(
        self,
        sections: Sections,
        notes: Notes,
        reply: type[Reply] | None = None,
        form: Form = "json_schema",
        *,
        raw: bool = False,
    ) -> tuple[Part, ...]:
        """The prompt's named parts: the sections, the notes read, the instruction, the answer format.

        `reply`: a variant of its own type, such as one with ratings. `raw`: reports are passed on as they were written.
        """
        words, written = sections.words, form if raw else None
        instruction = self.instruction(words)
        if LegalMoves in sections:  # a shortlist shows there
            notes = {node: tuple(n for n in replies if not isinstance(n, Shortlist)) for node, replies in notes.items()}
        text = notes_for_judge if issubclass(self.reply, Judgement) else notes_text
        own = (
            Part("notes", text(notes, words, written)),
            Part("instruction", prompts.substitute(instruction, self.filling(sections.options), self.name)),
            Part("answer_format", answer_format(reply or self.reply, form, words)),
        )
        return tuple(part for part in (*sections.parts(), *own) if part.text)


_KNOWN: dict[str, Role] = {}
_SOURCES: dict[str, str] = {}
_PLUGINS = plugins.Group("hanabi_orchestrator.roles")


def add(made: Role) -> Role:
    """Make a role known by its name. Raises UserError when the name is taken or a model could not play it."""
    by = _PLUGINS.source(made.solve)
    if made.name in _KNOWN:
        first = _SOURCES[made.name]
        raise UserError(f"role {made.name!r} is registered twice: by {first} and by {by}; choose another name")
    if made.reply.names_moves and made.template is not None and LegalMoves not in made.takes:
        raise UserError(f"role {made.name!r} names moves but does not take the section 'legal_moves'")
    try:
        check_declared(f"role {made.name!r}", made.options)
    except ValueError as error:
        raise UserError(str(error)) from None
    if surplus := prompts.variables(made.template or "") - set(made.options):
        raise UserError(f"the template of role {made.name!r} has variables, which no option fills: {sorted(surplus)}")
    _KNOWN[made.name], _SOURCES[made.name] = made, by
    return made


def role(
    *,
    reply: type[Reply],
    takes: tuple[type[Section], ...],
    needs: tuple[type[Section], ...] = (),
    template: str | Path | None = None,
    options: AllowedValues | None = None,
    settled: Callable[[Sections, Notes], BaseModel | None] | None = None,
    mark: Mark | None = None,
) -> Callable[[Solve], Role]:
    """Make a role of its program; the function's name is the role's, its docstring's first line the title.

    `template`: the instruction for a model, as text or as a file; a role of this package finds its own in prompts/.
    `options`: what a node may set, e.g. `{"k": (5, 3, "all")}`; the default comes first.
    `settled`: the reply when there is nothing to ask.
    `mark`: scores a reply, `(reply, sections, truth) -> numbers by name`, once the hidden cards are known.
    """

    def made(solve: Solve) -> Role:
        name = getattr(solve, "__name__", "")
        title = (solve.__doc__ or "").strip().split("\n")[0]
        text = _instruction(name, template)
        return add(Role(name, reply, takes, needs, solve, text, title, settled, options or {}, mark))

    return made


def _instruction(name: str, template: str | Path | None) -> str | None:
    if template is not None:
        return prompts.given(template)
    return prompts.text(f"roles/{name}.md") if name in prompts.names("roles") else None


def load() -> None:
    """Import the roles and sections of installed packages, once; raises UserError, each time, when one fails."""
    _PLUGINS.load()


def get(name: str) -> Role:
    """The role of a name; raises UserError with the known names, or when an installed package fails to load."""
    load()
    if name not in _KNOWN:
        raise UserError(f"unknown role {name!r}; known: {', '.join(names())}")
    return _KNOWN[name]


def names() -> list[str]:
    """All roles, those of installed packages included."""
    load()
    return sorted(_KNOWN)


def source(name: str) -> str:
    """Who brings a role: `built-in`, an installed package, or the module that registered it."""
    return _SOURCES[get(name).name]


def mark(role: Role, reply: BaseModel, sections: Sections, truth: Any) -> Marks | None:
    """The marks of a reply; None when its role has no mark, or when there is nothing to mark.

    `sections`: those that the role got when it replied. Raises ValueError for a mark that is no finite number.
    """
    if role.mark is None or isinstance(reply, Absent):
        return None
    return checked(role.name, role.mark(reply, sections, truth))
