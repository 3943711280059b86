"""Checks a role for its author: `conformance.check(role)` returns what is wrong, a sentence each.

The role is run on positions of games at each player count: of Hanabi, games that the literal player plays with itself.
A problem is named once, with the first position that shows it.
"""

import random
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import Any

from pydantic import BaseModel, ValidationError

from hanabi_orchestrator import prompts
from hanabi_orchestrator.orchestrator.errors import UserError, complaint, in_words
from hanabi_orchestrator.orchestrator.game import registry as games
from hanabi_orchestrator.orchestrator.game.reading import labelled
from hanabi_orchestrator.orchestrator.game.registry import DEFAULT
from hanabi_orchestrator.orchestrator.game.types import Game
from hanabi_orchestrator.orchestrator.models.json_schema import response_format
from hanabi_orchestrator.orchestrator.models.request import Absent
from hanabi_orchestrator.orchestrator.plugins import BUILT_IN
from hanabi_orchestrator.orchestrator.replies import reader, writer
from hanabi_orchestrator.orchestrator.replies.values import models_in
from hanabi_orchestrator.orchestrator.values import cached_by_identity
from hanabi_orchestrator.roles import registry
from hanabi_orchestrator.roles.legal_moves import LegalMoves
from hanabi_orchestrator.roles.marks import Marker, checked, infos
from hanabi_orchestrator.roles.notes_text import Notes
from hanabi_orchestrator.roles.reply_types import Choice, Form, Judgement, Reply, variant
from hanabi_orchestrator.roles.role_definition import Role
from hanabi_orchestrator.roles.role_options import Options, defaults
from hanabi_orchestrator.roles.sections import Section, Sections, cut

FORMS: tuple[Form, ...] = ("text", "json", "json_schema")
EVERY = 13
"""Turns from one position to the next; both ends of a game are among them."""
LONGEST = 200
"""Turns of a game that is drawn at random."""


@dataclass(frozen=True)
class Case:
    """A turn of a game, with the truth that the seat does not know."""

    view: Any
    truth: Any = None
    """In Hanabi a `Truth`; None in a game that has none, where nothing is marked."""

    def __str__(self) -> str:
        game = games.of_view(self.view)
        title = "" if game.name == DEFAULT else f"{game.title}, "
        return f"{title}{self.view.players} players, turn {self.view.turn}"

    def sections(
        self,
        role: Role,
        *removed: type[Section],
        refused: Iterable[Any] = (),
        options: Options | None = None,
    ) -> Sections:
        """All that the role takes, at the sections' defaults, but for sections that are gone and moves refused."""
        needs = role.requirements
        sections = [kind for kind in role.takes if kind not in removed]
        kinds = [(kind, defaults(kind.choices) | dict(needs.get(kind, {}))) for kind in sections]
        return cut(
            self.view, kinds, tuple(refused), None, defaults(role.options) | dict(options or {})
        )

    def notes(self, role: Role) -> Notes:
        """The least that the role reads: a judge always reads the choice that it judges, under the name of `choice`."""
        choice = Choice(reason="It is legal.", action=self.view.legal[0])
        return {"choice": (choice,)} if issubclass(role.reply, Judgement) else {}


CASES: dict[str, Callable[[], tuple[Case, ...]]] = {}
"""By the name of a game, its own positions, with truths; of other games see `drawn_cases`."""


@cache
def cases(game: str) -> tuple[Case, ...]:
    """Some positions of a game, the first and the last turn among them."""
    return CASES[game]() if game in CASES else drawn_cases(games.get(game))


def drawn_cases(game: Game) -> tuple[Case, ...]:
    """Positions of games of moves drawn at random, at each player count, without truths."""
    positions: list[Case] = []
    for players in game.players:
        dice = random.Random(f"conformance {game.name} {players}")
        referee = game.referee(players, game.deal(1))
        views = list[Any]()
        while not referee.over and len(views) < LONGEST:
            views.append(referee.view())
            referee.apply(dice.choice(views[-1].legal))
        turns = [Case(view) for view in views]
        positions += [*turns[:-1:EVERY], turns[-1]]
    return tuple(positions)


def check(role: Role) -> list[str]:
    """Everything that is wrong with a role, a sentence each; empty when it keeps its promises."""
    problems = [*_reply(role.reply), *_playable(role)]
    if problems:
        return problems
    played = sorted(role.game_names) or [DEFAULT]
    positions = [case for game in played for case in cases(game)]
    for test in CHECKS:
        for at in positions:
            try:
                test(role, at)
            except PromiseError as problem:
                problems.append(f"{problem} (first seen at {at})")
                break
    return problems


# What can be seen without a position


def _reply(kind: type[Reply]) -> Iterator[str]:
    """The reply type explains every field and shows one whole reply."""
    for owner in _types(kind):
        for name in owner.answer_fields():
            if not owner.model_fields[name].description:
                yield f"field {name!r} of {owner.__name__} has no description; models read there what a field means"
    if missing := [name for name in kind.answer_fields() if name not in kind.example]:
        yield f"the example of {kind.__name__} leaves out {', '.join(missing)}; models copy what they are shown"
    if surplus := [name for name in kind.example if name not in kind.model_fields]:
        yield f"the example of {kind.__name__} has {', '.join(surplus)}, which are no fields"
    try:
        kind.model_validate(kind.example)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        yield f"the example of {kind.__name__} is no valid reply: {complaint(first, where)}"


def _types(kind: type[Reply]) -> list[type[Reply]]:
    """A reply type and the types of the entries in it that models are asked for."""
    inner = [
        part
        for name in kind.answer_fields()
        for part in models_in(kind.model_fields[name].annotation)
    ]
    return [kind, *(entry for part in inner if issubclass(part, Reply) for entry in _types(part))]


def _playable(role: Role) -> Iterator[str]:
    """Somebody can play it, and what it needs and fills is there."""
    if role.template is None and role.solve is None:
        yield "it has neither a template nor a program, so nobody can play it"
    if missing := [kind.name for kind in role.requirements if kind not in role.takes]:
        yield f"it needs the sections {', '.join(missing)}, which it does not take"
    if unfilled := prompts.variables(role.template or "") - set(role.options):
        yield f"its template has variables that no option fills: {', '.join(sorted(unfilled))}"
    if role.template is not None and not role.template.strip():
        yield "its template is empty, so that a model gets no instruction"


# At a position: each raises the first problem of its kind


class PromiseError(Exception):
    """What is wrong with a role, in a sentence."""


@contextmanager
def _blaming(what: str) -> Iterator[None]:
    """Raises PromiseError in place of any other error: `what` the role did, and the error."""
    try:
        yield
    except PromiseError:
        raise
    except Exception as error:
        message = str(error) if isinstance(error, UserError) else in_words(error)
        raise PromiseError(f"{what} {message}") from error


def _prompts(role: Role, at: Case) -> None:
    """Every form of its prompt can be made."""
    if role.template is None:
        return
    variants = dict.fromkeys(
        variant(role.reply, *settings) for settings in product((False, True), repeat=2)
    )
    for form, reply, options in product(FORMS, variants, _settings(role)):
        with _blaming("prompt() raised"):
            role.prompt(at.sections(role, options=options), at.notes(role), reply, form)


def _settings(role: Role) -> list[Mapping[str, object]]:
    """Every option at each of its values, the others at their defaults."""

    def example(allowed: object) -> object:
        return allowed[0] if isinstance(allowed, range) else 3 if allowed is int else allowed

    return [
        {},
        *({name: example(value)} for name, values in role.options.items() for value in values),
    ]


def _answers(role: Role, at: Case) -> None:
    """The program gives its reply type, whatever the options, the same each time."""
    for options in _settings(role) if role.solve else ():
        first, again = (at.sections(role, options=options) for _ in range(2))
        if role.settle(first, at.notes(role)) is not None:
            continue
        with _blaming("solve() raised"):
            reply, same = (role.answer(sections, at.notes(role)) for sections in (first, again))
        if not isinstance(reply, role.reply):
            raise PromiseError(f"the program of role {role.name!r} {role.misreply(reply)}")
        if reply != same:
            raise PromiseError(
                "solve() gave two replies to the same position; take chance and time out of it"
            )


def _legal(role: Role, at: Case) -> None:
    """It names legal moves alone, and none that was refused."""
    for refused in ((), at.view.legal[:1]):
        sections = at.sections(role, refused=refused)
        allowed = sections[LegalMoves].moves if LegalMoves in sections else at.view.legal
        with _blaming(
            f"when {', '.join(map(str, refused)) or 'nothing'} was refused, solve() raised"
        ):
            reply = role.answer(sections, at.notes(role))
        for move in _moves(reply):
            if move not in allowed and not isinstance(reply, Judgement):
                cause = "was refused" if move in refused else "is not legal"
                raise PromiseError(f"solve() named {str(move)!r}, which {cause}")


def _reads_back(role: Role, at: Case) -> None:
    """Its replies survive every answer format: written as text and read by the ordinary reader."""
    reply = _own_reply(role, at)
    example = role.reply.model_validate(role.reply.example)
    for written, form in product([example, *([reply] if reply else [])], FORMS):
        with _blaming(f"its reply cannot be read back from the answer format {form!r}:"):
            if form == "json_schema":
                response_format(type(written))
            text = writer.text_of(written, form)
            moves = labelled(dict.fromkeys(_moves(written)))
            was = written.as_data()
            now = reader.read(text, type(written), moves, form).reply.as_data()
        for name in (name for name in was if was[name] != now[name]):
            changed = f"{was[name]!r} came back as {now[name]!r}"
            raise PromiseError(
                f"field {name!r} does not survive the answer format {form!r}: {changed}"
            )


def _does_without(role: Role, at: Case) -> None:
    """A section that it takes and does not need may be taken away."""
    if _own_reply(role, at) is None:
        return
    for kind in role.takes:
        if kind not in role.requirements:
            with _blaming(
                f"without the section {kind.name!r}, which it does not need, solve() raised"
            ):
                role.answer(at.sections(role, kind), at.notes(role))


def _reads_notes(role: Role, at: Case) -> None:
    """Other nodes may reply anything, or nothing."""
    if _own_reply(role, at) is None:
        return
    answered = {
        name: replies for name, replies in _replies_of_others(at).items() if name != role.name
    }
    absent = (Absent(reason="no usable answer"),)
    silent: Notes = dict.fromkeys(answered, absent)
    twice: Notes = {name: (*replies, *absent, *replies) for name, replies in answered.items()}
    for what, notes in {
        "nobody answered": silent,
        "all answered": answered,
        "some answered twice": twice,
    }.items():
        read = {**at.notes(role), **notes}
        with _blaming(f"when {what}, it raised"):
            role.answer(at.sections(role), read)
            if role.template is not None:
                role.prompt(at.sections(role), read)


@cache
def _replies_of_others(at: Case) -> Notes:
    """What programs of built-in roles reply there at the least effort: one for each type of reply, and no judge."""
    names = registry.names(games.of_view(at.view).name)
    built_in = (registry.get(name) for name in names if registry.source(name) == BUILT_IN)
    by_reply = {
        role.reply: role
        for role in built_in
        if role.solve and not issubclass(role.reply, Judgement)
    }
    replies: dict[str, tuple[Reply, ...]] = {}
    for role in by_reply.values():
        numbers = {
            name: v[0]
            for name, values in role.options.items()
            for v in values
            if isinstance(v, range)
        }
        if (reply := _reply_to(role, at.sections(role, options=numbers), {})) is not None:
            replies[role.name] = (reply,)
    return replies


def _marks(role: Role, at: Case) -> None:
    """Its marks are finite numbers, also of a reply that does not fit the position, as models give them; so are their
    baselines, and what it stated has chances."""
    sections = at.sections(role)
    mark = role.mark
    if at.truth is None:
        return
    for reply in (_own_reply(role, at), role.reply.model_validate(role.reply.example)):
        with _blaming("mark() failed:"):
            if reply is None:
                continue
            registry.mark(role, reply, sections, at.truth)
            baselines = (
                {"guess": mark.guess, "previous": mark.previous} if isinstance(mark, Marker) else {}
            )
            for name, baseline in baselines.items():
                marks = (
                    checked(role.name, baseline(reply, sections, at.truth)) if baseline else None
                )
                if unknown := set(marks or {}) - set(infos(mark)):
                    raise PromiseError(
                        f"{name}() gave {', '.join(sorted(unknown))}, which no MarkInfo explains"
                    )
            for pair in registry.stated(role, reply, sections, at.truth):
                if not isinstance(pair.claim, str) and not 0 <= pair.claim <= 1:
                    raise PromiseError(
                        f"pairs() gave {pair.kind!r} the chance {pair.claim}; a chance lies between 0 and 1"
                    )


CHECKS: tuple[Callable[[Role, Case], None], ...] = (
    _prompts,
    _answers,
    _legal,
    _reads_back,
    _does_without,
    _reads_notes,
    _marks,
)


@cached_by_identity(most=100)
def _own_reply(role: Role, at: Case) -> Reply | None:
    """The program's reply there; it gives the same each time, or `_answers` reports it."""
    return _reply_to(role, at.sections(role), at.notes(role))


def _reply_to(role: Role, sections: Sections, notes: Notes) -> Reply | None:
    """The program's reply; None when it has none to give, which `_answers` reports."""
    try:
        reply = role.answer(sections, notes)
    except Exception:
        return None
    return reply if isinstance(reply, role.reply) else None


def _moves(value: object) -> list[Any]:
    """Every move that a reply names."""
    if games.is_move(value):
        return [value]
    if isinstance(value, BaseModel):
        return [move for _, inner in value for move in _moves(inner)]
    return (
        [move for inner in value for move in _moves(inner)]
        if isinstance(value, tuple | list)
        else []
    )
