"""The table of all roles: they are registered here by name, and found again."""

from collections.abc import Callable
from inspect import isfunction, signature
from pathlib import Path
from typing import Any, get_type_hints

from pydantic import BaseModel

from hanabi_orchestrator import prompts
from hanabi_orchestrator.orchestrator import plugins
from hanabi_orchestrator.orchestrator.cells import check_name
from hanabi_orchestrator.orchestrator.errors import UserError, did_you_mean
from hanabi_orchestrator.orchestrator.models.request import Absent
from hanabi_orchestrator.roles.legal_moves import LegalMoves
from hanabi_orchestrator.roles.marks import Mark, Marker, Marks, Stated, checked
from hanabi_orchestrator.roles.notes_text import Notes
from hanabi_orchestrator.roles.reply_types import Reply
from hanabi_orchestrator.roles.role_definition import Role, Solve
from hanabi_orchestrator.roles.role_options import AllowedValues, check_declared
from hanabi_orchestrator.roles.sections import SECTIONS, Fact, Section, SectionNeed, Sections

_KNOWN: dict[str, Role] = {}
_SOURCES: dict[str, str] = {}
_PLUGINS = plugins.Group("hanabi_orchestrator.roles")


def add(role: Role) -> Role:
    """Register a role by its name. Raises UserError when the name is taken or a model could not play it."""
    by = _PLUGINS.source(role.solve)
    check_name(role.name)
    if role.name in _KNOWN:
        first = _SOURCES[role.name]
        raise UserError(
            f"role {role.name!r} is registered twice: by {first} and by {by}; choose another name"
        )
    if role.reply.names_moves and role.template is not None and LegalMoves not in role.takes:
        raise UserError(
            f"role {role.name!r} names moves but does not take the section 'legal_moves'"
        )
    try:
        check_declared(f"role {role.name!r}", role.options)
    except ValueError as error:
        raise UserError(str(error)) from None
    if surplus := prompts.variables(role.template or "") - set(role.options):
        raise UserError(
            f"the template of role {role.name!r} has variables, which no option fills: {sorted(surplus)}"
        )
    _KNOWN[role.name], _SOURCES[role.name] = role, by
    return role


def role(
    *,
    reply: type[Reply],
    takes: tuple[type[Section], ...],
    needs: tuple[type[Section] | SectionNeed, ...] = (),
    template: str | Path | None = None,
    options: AllowedValues | None = None,
    settled: Callable[[Sections, Notes], BaseModel | None] | None = None,
    mark: Mark | None = None,
    after_game: bool = False,
    rests_on: tuple[Fact, ...] | None = None,
    extends: Role | None = None,
) -> Callable[[Solve], Role]:
    """Make a role of its program; the function's name is the role's, its docstring's first line the title.

    `template`: the instruction for a model, as text or as a file; a role of this package finds its own in prompts/.
    `options`: what a node may set, e.g. `{"k": (5, 3, "all")}`; the default comes first.
    `settled`: `(sections, notes) -> reply` before anybody is asked; None where there is a question. A role that has
    nothing to say or to propose returns an `Absent` here: it then has no note in this turn, and its readers do without
    it. The program itself must always return a reply.
    `mark`: scores a reply, `(reply, sections, truth) -> numbers by name`, once the hidden cards are known.
    `after_game`: whether it judges games that are over, so that no graph may have it.
    `rests_on`: the facts that its task asks about; a run names the arms in which its prompt does not hold one.
    `extends`: the role whose prompt it gets, to which its own template is added.
    """

    def make_role(solve: Solve) -> Role:
        name = getattr(solve, "__name__", "")
        title = (solve.__doc__ or "").strip().split("\n")[0]
        text = None if template is None else prompts.own_template(template)
        if template is None and name in prompts.names("roles"):
            text = prompts.text(f"roles/{name}.md")
        more = (settled, options or {}, mark, after_game, rests_on, extends)
        return add(Role(name, reply, takes, needs, solve, text, title, *more))

    return make_role


def load() -> None:
    """Import the roles and sections of installed packages, once; raises UserError, each time, when one fails."""
    _PLUGINS.load()


def get(name: str) -> Role:
    """Return a role by name, also one of a plain function in imported code.

    Raises UserError with the known names, or when an installed package fails to load.
    """
    load()
    if name not in _KNOWN and (program := _imported(name)):
        title = (program.__doc__ or "").strip().split("\n")[0]
        return add(
            Role(
                name,
                reply_of(program) or Reply,
                tuple(SECTIONS.values()),
                solve=program,
                title=title,
            )
        )
    if name not in _KNOWN:
        raise UserError(
            f"unknown role {name!r}: a role of your own needs --import FILE; {did_you_mean(name, names())}"
        )
    return _KNOWN[name]


def _imported(name: str) -> Solve | None:
    """The plain function of this name in the code that was imported. Raises UserError for two of them."""
    every = [vars(module).get(name) for module in plugins.own_code().values()]
    programs = list({program for program in every if reply_of(program)})
    if len(programs) > 1:
        modules = " and ".join(sorted(program.__module__ for program in programs))
        raise UserError(
            f"role {name!r} is a function of {modules}; choose another name for one of them"
        )
    return programs[0] if programs else None


def reply_of(function: object) -> type[Reply] | None:
    """The type of reply that a plain function `(sections, notes) -> reply` says it returns; None for anything else."""
    if not isfunction(function):
        return None
    try:
        signature(function).bind(None, None)
        kind = get_type_hints(function).get("return")
    except (TypeError, NameError):
        return None
    return kind if isinstance(kind, type) and issubclass(kind, Reply) else None


def is_known(name: str) -> bool:
    """Return whether `get` has this role."""
    load()
    return name in _KNOWN or _imported(name) is not None


def names(game: str | None = None) -> list[str]:
    """Return the names of all roles, including those of installed packages; `game`: of those that can play it."""
    load()
    return sorted(name for name, role in _KNOWN.items() if game is None or role.plays(game))


def source(name: str) -> str:
    """Return the origin of a role: `built-in`, an installed package, or the module that registered it."""
    return _SOURCES[get(name).name]


def mark(role: Role, reply: BaseModel, sections: Sections, truth: Any) -> Marks | None:
    """Return the marks of a reply; None if its role has no mark, or there is nothing to mark.

    `sections`: those that the role got when it replied. Raises ValueError for a mark that is no finite number.
    """
    if role.mark is None or isinstance(reply, Absent):
        return None
    return checked(role.name, role.mark(reply, sections, truth))


def stated(role: Role, reply: BaseModel, sections: Sections, truth: Any) -> tuple[Stated, ...]:
    """Return the probabilities and categories that a reply states, each with its outcome; arguments as in `mark`."""
    if not isinstance(role.mark, Marker) or role.mark.pairs is None or isinstance(reply, Absent):
        return ()
    return tuple(role.mark.pairs(reply, sections, truth))
