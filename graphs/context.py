"""Contexts: which sections a prompt is made of, with which options, in which order and messages."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, ValidationError, ValidationInfo, field_validator

from hanabi_orchestrator import prompts, roles
from hanabi_orchestrator.graphs import named
from hanabi_orchestrator.orchestrator.errors import UserError, did_you_mean, user_error
from hanabi_orchestrator.orchestrator.game.registry import DEFAULT, get
from hanabi_orchestrator.orchestrator.models.request import Part
from hanabi_orchestrator.orchestrator.values import Frozen, OneOrMore, as_list
from hanabi_orchestrator.orchestrator.yaml_files import from_file, loaded
from hanabi_orchestrator.roles import Role, Section
from hanabi_orchestrator.roles.reply_types import Form, Reply, variant
from hanabi_orchestrator.roles.role_options import check_options, defaults
from hanabi_orchestrator.roles.sections import OTHER, PROPOSAL, REPORT, section_names
from hanabi_orchestrator.roles.sections import OWN_PARTS as OWN_PARTS
from hanabi_orchestrator.roles.words import Words

Order = Literal["faithful", "cache"]

SETTINGS = ("order", "answer_format", "reports", "ratings", "reason_first", "lang")
"""What a graph may set instead of its contexts."""


class ContextSection(Frozen):
    """A section of a context, with its options."""

    section: str
    options: dict[str, Any] = Field(default_factory=dict)


class Context(Frozen):
    name: str
    game: str = Field(default=DEFAULT, exclude_if=lambda value: value == DEFAULT)
    """The game whose views its sections are made of."""
    order: Order = "faithful"
    """`faithful`: as listed. `cache`: what all roles of the graph take comes first, then the other sections, and the
    node's own parts last, in the user message, so that the prompts of a turn share a long beginning."""
    sections: OneOrMore[ContextSection]
    """Sections and OWN_PARTS, in prompt order; OWN_PARTS that are not listed come last."""
    system: OneOrMore[str] = ()
    """The parts that go into the system message."""
    answer_format: Form = "json_schema"
    """`text`: named lines of plain text. `json`: one object, by the prompt alone. `json_schema`: the server is sent the
    schema too."""
    second_ask: Literal["same", "json_schema"] = "json_schema"
    """The answer format of a second ask, after an unusable answer: `json_schema` where the server takes schemas, else
    the same as before."""
    reports: Literal["typed", "raw", "brief"] = "typed"
    """How colleagues' notes are passed on: field by field, or as the text that the model wrote (a program's, as a model
    would have written it); `brief`: field by field, but only what they conclude."""
    ratings: bool = False
    """Whether deciding roles rate every legal move."""
    reason_first: bool = False
    """Whether the reason is asked for before everything else."""
    reason_words: int | None = Field(default=None, ge=0)
    """How many words a deciding role may reason in before its move, as models need that do not think by themselves;
    None: a few sentences; 0: no reason, the move alone."""
    wording: str | None = None
    """A folder of prompts/roles/, whose texts of roles stand in for the roles' own."""
    lang: prompts.Lang = "en"
    """The language of the prompts; moves, cards, seats and the names of a reply's parts are the same in all."""
    texts: dict[str, str] = Field(default={}, exclude_if=lambda value: not value)
    """Prompt files by name, with the texts that stand in their place."""

    @field_validator("game")
    @classmethod
    def _known_game(cls, game: str) -> str:
        return get(game).name

    @field_validator("sections", mode="before")
    @classmethod
    def _short_forms(cls, value: Any) -> Any:
        """`state` or `{history: {moves: 10}}` for an entry."""
        entries = as_list(value)
        if not isinstance(entries, list | tuple):
            return entries
        sections = []
        for entry in entries:
            if isinstance(entry, dict) and len(entry) == 1 and "section" not in entry:
                ((section, options),) = entry.items()
                sections.append({"section": section, "options": long_options(section, options)})
            else:
                sections.append({"section": entry} if isinstance(entry, str) else entry)
        return sections

    @field_validator("sections")
    @classmethod
    def _checked(
        cls, sections: tuple[ContextSection, ...], info: ValidationInfo
    ) -> tuple[ContextSection, ...]:
        names = [section.section for section in sections]
        game = info.data.get("game", DEFAULT)
        for number, section in enumerate(sections):
            check(section, game)
            check_game(section.section, game)
            if section.section in names[:number]:
                raise ValueError(f"section {section.section!r} is listed twice")
        return sections

    @property
    def names(self) -> tuple[str, ...]:
        """The sections, in prompt order."""
        return tuple(
            section.section for section in self.sections if section.section not in OWN_PARTS
        )

    @field_validator("wording")
    @classmethod
    def _worded(cls, wording: str | None) -> str | None:
        plain = wording is None or all(map(str.isidentifier, wording.split("/")))
        if wording is not None and not (plain and prompts.names(f"roles/{wording}")):
            raise ValueError(
                f"there is no folder {wording!r} of roles' texts; leave `wording` out, or say `house`"
            )
        return wording

    def files(self, section: str) -> tuple[str, ...]:
        """The prompt files of one of its sections, with the options it has here."""
        kind = roles.SECTIONS[section]
        options = self._options()
        return kind.files(defaults(kind.choices) | dict(_placed(kind, options)))

    def changed(self, options: Mapping[str, Any], **settings: Any) -> Self:
        """With other section options, and with the settings that are not None."""
        changes = {name: value for name, value in settings.items() if value is not None}
        if not options and not changes:
            return self
        sections = tuple(
            ContextSection(
                section=entry.section,
                options={**entry.options, **long_options(entry.section, options[entry.section])},
            )
            if entry.section in options
            else entry
            for entry in self.sections
        )
        return self.model_copy(update={"sections": sections, **changes})

    def kinds(
        self, role: Role, without: Iterable[str] = ()
    ) -> list[tuple[type[Section], Mapping[str, Any]]]:
        """The sections that a role gets here, with their options."""
        options = self._options(without)
        kinds = [kind for kind in map(roles.SECTIONS.__getitem__, options) if kind in role.takes]
        return _spoken(
            role, [(kind, _placed(kind, options)) for kind in kinds if _at_home(kind, options)]
        )

    def _options(self, without: Iterable[str] = ()) -> dict[str, dict[str, Any]]:
        """The options of its sections, without some of these."""
        removed = {*OWN_PARTS, *without}
        return {
            entry.section: {**roles.SECTIONS[entry.section].in_game(self.game), **entry.options}
            for entry in self.sections
            if entry.section not in removed
        }

    def worded(self, without: Iterable[str] = (), never: Collection[str] = ()) -> str | None:
        """The folder of the roles' texts, that inside it of the convention pack where there is one; None, which means
        their own texts, also where a section is missing that the folder may speak of.

        `never`: sections that the node does not get in any case, so that its text does not speak of them.
        """
        options = self._options(without)
        kinds = [roles.SECTIONS[name] for name in self.names if name not in never]
        complete = all(
            kind.name in options and _at_home(kind, options) for kind in kinds if kind.beside
        )
        if not complete or self.wording is None:
            return None
        pack = f"{self.wording}/{options.get('conventions', {}).get('pack')}"
        return pack if prompts.names(f"roles/{pack}") else self.wording

    def check_conditions(
        self, role: Role, without: Iterable[str] = (), wording: str | None = None
    ) -> None:
        """The conditional blocks of a role's prompt here ask for roles and sections that exist. Raises UserError.

        `wording`: see `worded`.
        """
        sections = {f"section {section}" for section in roles.SECTIONS}
        table = {condition for kind in roles.SECTIONS.values() for condition in kind.conditions}
        terms = {REPORT, PROPOSAL, OTHER, *roles.names(), *sections, *table, *role.conditions()}
        if role.template is None:
            return
        texts = {f"roles/{name}.md": text for name, text in role.texts(self.words, wording).items()}
        for kind, _ in self.kinds(role, without):
            texts |= {file: self.words.text(file) for file in self.files(kind.name)}
            texts |= (
                {}
                if kind.template is None
                else {f"sections/{kind.name}.md": kind.wording(self.words)}
            )
        for file, text in texts.items():
            where = f"prompts/{prompts.path(file, self.lang)}"
            try:
                unknown = [
                    condition for condition in prompts.conditions(text) if condition not in terms
                ]
            except ValueError as error:
                raise UserError(f"{where}: {error}") from None
            if unknown:
                hint = did_you_mean(unknown[0], sorted(terms))
                raise UserError(
                    f"{where}: {{if {unknown[0]}}} names no role, and no section as `section NAME`; {hint}"
                )

    def players(self, counts: tuple[int, ...], every: tuple[int, ...]) -> tuple[int, ...]:
        """The player counts of a graph, all of its game where these are `every` count. Raises UserError."""
        game = get(self.game)
        if counts == every:
            return game.players
        return tuple(game.check_players(count) for count in counts)

    @property
    def words(self) -> Words:
        return Words(self.lang, tuple(sorted(self.texts.items())))

    def reply(self, role: Role) -> type[Reply]:
        """What a role is asked for here."""
        return variant(role.reply, self.ratings, self.reason_first, self.reason_words)

    def layout(self, team: Iterable[Role]) -> tuple[str, ...]:
        """The names of all parts in prompt order, for a graph of these roles."""
        names = [section.section for section in self.sections]
        parts = [*names, *(part for part in OWN_PARTS if part not in names)]
        if self.order == "faithful":
            return tuple(parts)
        everybody = tuple(team)
        sections = [name for name in parts if name not in OWN_PARTS]
        shared = {
            name: all(roles.SECTIONS[name] in role.takes for role in everybody) for name in sections
        }
        return (*sorted(sections, key=lambda name: not shared[name]), *OWN_PARTS)

    def arrange(self, parts: Iterable[Part], layout: tuple[str, ...]) -> tuple[Part, ...]:
        """Parts in prompt order, each in the message it belongs to."""
        ordered = sorted(parts, key=lambda part: layout.index(part.name))
        system = set(self.system) - set(OWN_PARTS if self.order == "cache" else ())
        return tuple(
            replace(part, speaker="system") if part.name in system else part for part in ordered
        )


def _spoken(
    role: Role, kinds: list[tuple[type[Section], Mapping[str, Any]]]
) -> list[tuple[type[Section], Mapping[str, Any]]]:
    """The sections of a role, where one that is silent speaks if no other states a fact that the role's task asks for.

    A section is silent because another tells the same (`unsaid`); where that other is taken away, it no longer is. Of
    several the one speaks that has the fewest other facts.
    """
    stated = {fact for kind, options in kinds for fact in kind.facts(options)}
    for fact in (fact for fact in role.asks if fact not in stated):
        silent = [kind for kind, options in kinds if fact in kind.states]
        speaker = min(silent, key=lambda kind: len(kind.states), default=None)
        kinds = [
            (kind, kind.speaking(fact, options) if kind is speaker else options)
            for kind, options in kinds
        ]
        stated |= {fact for kind, options in kinds for fact in kind.facts(options)}
    return kinds


def _at_home(kind: type[Section], sections: Mapping[str, Mapping[str, Any]]) -> bool:
    """Whether the section that this one must stand beside is there, with a fitting option; True where it needs none."""
    if kind.beside is None:
        return True
    neighbour, option, values = kind.beside
    return neighbour in sections and _placed(kind, sections)[option] in values


def _placed(kind: type[Section], sections: Mapping[str, Mapping[str, Any]]) -> Mapping[str, Any]:
    """The options of a section, with that of the section which it stands beside."""
    options, (neighbour, option, _) = dict(sections[kind.name]), kind.beside or ("", "", ())
    if neighbour in sections:
        neighbour_options = defaults(roles.SECTIONS[neighbour].choices) | dict(sections[neighbour])
        options[option] = neighbour_options[option]
    return options


def long_options(section: str, options: Any) -> dict[str, Any]:
    """A section's options; its first option may be given by its bare value, e.g. `history: 10`."""
    if isinstance(options, dict) or options is None:
        return options or {}
    choices = roles.SECTIONS[section].choices if section in roles.SECTIONS else {}
    if not choices:
        raise ValueError(f"section {section!r} has no option, so it cannot be {options!r}")
    return {next(iter(choices)): options}


def check(section: ContextSection, game: str) -> None:
    """Raises ValueError for a section or an option that does not exist; `game`: whose sections it names then."""
    if section.section in OWN_PARTS:
        return
    roles.load()  # a section may be an installed package's
    if section.section not in roles.SECTIONS:
        hint = did_you_mean(section.section, (*section_names(game), *OWN_PARTS))
        raise ValueError(f"unknown section {section.section!r}; {hint}")
    check_options(
        f"section {section.section!r}", section.options, roles.SECTIONS[section.section].choices
    )


def check_game(section: str, game: str) -> None:
    """Raises ValueError for a section of another game."""
    if section in OWN_PARTS:
        return
    games = roles.SECTIONS[section].game_names
    if games and game not in games:
        titles = " and ".join(get(name).title for name in games)
        raise ValueError(f"section {section!r} is of {titles}, not of {get(game).title}")


def check_player(role: Role, context: Context, game: str) -> None:
    """A node's role and context are of the graph's game. Raises ValueError."""
    title = get(game).title
    if not role.plays(game):
        titles = " and ".join(get(name).title for name in sorted(role.game_names))
        raise ValueError(f"role {role.name!r} plays {titles}, not {title}")
    if context.game != game:
        context_title = get(context.game).title
        raise ValueError(
            f"context {context.name!r} is of {context_title}, and the graph's of {title}"
        )


@cache
def read(name: str) -> Context:
    """A context by its name; raises UserError."""
    contexts = named.contexts()
    if name not in contexts:
        raise UserError(
            f"unknown context {name!r}; {did_you_mean(name, contexts)}, or a path to a .yaml file"
        )
    return parse(contexts[name].text, f"context {name!r}")


def parse(text: str, where: str) -> Context:
    """A context of YAML text; raises UserError with one sentence."""
    return checked(loaded(text, where), where)


def checked(data: Any, where: str) -> Context:
    """A context of plain data; raises UserError with one sentence."""
    if not isinstance(data, dict):
        raise UserError(
            f"{where} is not a context: a YAML mapping with the keys {', '.join(Context.model_fields)}"
        )
    try:
        return Context.model_validate(data)
    except ValidationError as error:
        raise user_error(where, error, EXAMPLES) from None


EXAMPLES = {
    "name": "name: my_context",
    "sections": "sections: [rules, state, history, legal_moves]",
}
"""What to write where a key is missing."""


def inlined(value: Any, info: ValidationInfo) -> Any:
    """A context given as a path becomes the context itself, so that a config holds all that it says.

    A path is relative to the file that names it, or to the working directory.
    """
    if isinstance(value, str) and value.endswith((".yaml", ".yml")):
        path = (info.context or {}).get("folder", Path()) / value
        return parse(from_file(path, "context"), f"context {value!r}")
    return checked(value, "context") if isinstance(value, dict) else value


ContextName = Annotated[str | Context, BeforeValidator(inlined)]
"""A context's name, its file, or the context itself."""


def resolved(context: str | Context) -> Context:
    """The context itself, also of a name; raises UserError for an unknown one."""
    return read(context) if isinstance(context, str) else context
