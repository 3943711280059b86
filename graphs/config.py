"""Graph configs as frozen values: what a YAML file says, checked."""

from collections.abc import Mapping
from graphlib import CycleError, TopologicalSorter
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import Field, ValidationError, ValidationInfo, field_validator, model_validator

from hanabi_orchestrator import prompts, roles
from hanabi_orchestrator.graphs import context, graph_data, node_kinds
from hanabi_orchestrator.graphs import named as library
from hanabi_orchestrator.graphs.context import Context, ContextName, Order
from hanabi_orchestrator.graphs.controls import NONE, Controls
from hanabi_orchestrator.graphs.refusals import Check, Verify
from hanabi_orchestrator.orchestrator.cells import check_name
from hanabi_orchestrator.orchestrator.errors import (
    UserError,
    did_you_mean,
    nearby,
    shortened,
    user_error,
)
from hanabi_orchestrator.orchestrator.game.registry import DEFAULT, get
from hanabi_orchestrator.orchestrator.models.settings import PROGRAM as PROGRAM
from hanabi_orchestrator.orchestrator.models.simulated_settings import is_simulated
from hanabi_orchestrator.orchestrator.values import Frozen, OneOrMore, cached_by_identity
from hanabi_orchestrator.orchestrator.yaml_files import from_file, loaded
from hanabi_orchestrator.roles import Judgement, Role, Section
from hanabi_orchestrator.roles.notes_text import check_report
from hanabi_orchestrator.roles.reply_types import Choice, Form, Shortlist, answer_format
from hanabi_orchestrator.roles.role_options import check_options, defaults
from hanabi_orchestrator.roles.sections import section_names

NOBODY = "nobody"
"""Stands for a model where nobody answers, so that other nodes read nothing: for prompts that are made without models,
of roles that have no program."""

RESERVED = ("view", "notes", "safety")
"""Names that a node cannot have: the graph uses them itself."""

PlayerCount = Annotated[int, Field(ge=2, le=5)]
PLAYERS = (2, 3, 4, 5)


class Node(Frozen):
    role: str
    reads: OneOrMore[str] = ()
    """The nodes whose notes it reads; it runs when all of them have answered."""
    samples: int = Field(default=1, ge=1, le=16)
    """How often it is asked; its note holds all answers."""
    model: str = "default"
    """A name bound at run time, `program`, or `sim:NAME`."""
    context: ContextName | None = None
    """Instead of the graph's."""
    players: OneOrMore[PlayerCount] = PLAYERS
    """The player counts at which it is there."""
    options: dict[str, Any] = Field(default_factory=dict)
    """Its role's own (`k: 3`), and those of sections that it gets (`history: {moves: 10}`)."""
    without_sections: OneOrMore[str] = Field(default=(), exclude_if=lambda value: not value)
    """Sections of its context that it does not get, although its role takes them."""
    added: bool = Field(default=False, exclude_if=lambda value: not value)
    """Whether it was added to a graph: the sections of the other nodes' prompts keep their order."""
    inner: str | None = Field(default=None, exclude_if=lambda value: value is None)
    """Of the node that decides in a graph inside this one: the name of that graph."""


LONGEST_TITLE = 60
"""Characters of a graph's name in a sentence."""


class GraphConfig(Frozen):
    """A graph as a frozen value; the fields are the keys of its YAML file."""

    name: str
    context: ContextName
    """A name, a path to a YAML file (relative to the graph's), or the context itself."""
    nodes: dict[str, Node] = Field(max_length=100)
    decides: str
    """The node whose choice is the seat's decision."""
    check: Check | None = None
    verify: Verify = Verify()
    players: OneOrMore[PlayerCount] = Field(default=PLAYERS, validate_default=True)
    """The player counts that it is for: all of its game where nobody says one."""
    order: Order | None = None
    """In place of the contexts' setting; so are the next five."""
    answer_format: Form | None = None
    reports: Literal["typed", "raw", "brief"] | None = None
    ratings: bool | None = None
    reason_first: bool | None = None
    lang: prompts.Lang | None = None
    options: dict[str, Any] = Field(default_factory=dict)
    """Section options for every node that gets the sections, e.g. `{rules: {scoring: kept}, conventions: none}`."""
    remembers: OneOrMore[str] = ()
    """The nodes whose notes the seat keeps for its own next turn in the game: the section `remembered`."""
    engine: Literal["langgraph", "walk"] | None = Field(
        default=None, exclude_if=lambda value: value is None
    )
    """LangGraph or a plain walk; None: LangGraph if a model is asked or a tracer listens, else the walk."""
    without_sections: OneOrMore[str] = ()
    """Sections that are taken away from every node."""
    texts: dict[str, str] = Field(default={}, exclude_if=lambda value: not value)
    """Prompt files by name, `sections/state.md`, with the texts that stand in their place; see `replaced_texts`."""
    controls: Controls = Field(default=NONE, exclude_if=lambda value: value == NONE)
    """Changes by which an experiment rules out other explanations of a difference."""

    @model_validator(mode="before")
    @classmethod
    def _plain(cls, value: Any, info: ValidationInfo) -> Any:
        where = info.context or {}
        folder = where.get("folder", Path())
        outer = where.get("outer", ())
        if not isinstance(value, dict):
            return value
        value = node_kinds.inlined(
            value,
            lambda graph: read(graph_data.file_of(graph, folder, outer), outer).model_dump(
                mode="json"
            ),
        )
        return graph_data.plain(node_kinds.named(value, folder))

    @field_validator("verify", mode="before")
    @classmethod
    def _verify_by_name(cls, value: Any) -> Any:
        return {"rule": value} if isinstance(value, str) else value

    @field_validator("players")
    @classmethod
    def _of_the_game(cls, players: tuple[int, ...], info: ValidationInfo) -> tuple[int, ...]:
        if "context" not in info.data:
            return players
        return context.resolved(info.data["context"]).players(players, PLAYERS)

    @field_validator("nodes")
    @classmethod
    def _programs(cls, nodes: dict[str, Node]) -> dict[str, Node]:
        """A role that only a program plays need not be bound to it."""
        alone = {name for name in roles.names() if roles.get(name).template is None}
        unbound = [
            name for name, node in nodes.items() if node.role in alone and node.model == "default"
        ]
        return nodes | {name: nodes[name].model_copy(update={"model": PROGRAM}) for name in unbound}

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        _names(self)
        try:
            TopologicalSorter({name: node.reads for name, node in self.nodes.items()}).prepare()
        except CycleError as error:
            raise ValueError(f"nodes read in a circle: {' -> '.join(error.args[1])}") from None
        _decision(self)
        _judging(self)
        if unknown := [
            section for section in self.without_sections if section not in roles.SECTIONS
        ]:
            hint = did_you_mean(unknown[0], section_names(self.game))
            raise ValueError(f"without_sections: unknown section {unknown[0]!r}; {hint}")
        sections = list(
            dict.fromkeys(section for name in self.nodes for section in self.context_of(name).names)
        )
        if absent := [section for section in self.options if section not in sections]:
            meant = did_you_mean(absent[0], sections)
            raise ValueError(
                f"options: no context of the graph has a section {absent[0]!r}; {meant}"
            )
        for name in self.nodes:
            try:
                context.check_player(self.role(name), self.context_of(name), self.game)
            except ValueError as error:
                raise ValueError(f"nodes.{name}: {error}") from None
            _options(self, name)
            _sections(self, name)
            _language(self, name)
            self.context_of(name).check_conditions(
                self.role(name), self.without_sections, self.wording_of(name)
            )
        _controls(self)
        remembered = any(
            roles.SECTIONS["remembered"] in dict(self.kinds(name)) for name in self.nodes
        )
        if self.remembers and not remembered and "remembered" not in self.without_sections:
            raise ValueError(
                "remembers: no node gets the section remembered; its context or its role leaves it out"
            )
        return self

    @property
    def game(self) -> str:
        """The name of the game that it plays: its context's."""
        return context.resolved(self.context).game

    def role(self, node: str) -> Role:
        return roles.get(self.nodes[node].role)

    @cached_by_identity(256)
    def context_of(self, node: str) -> Context:
        """Return the context of a node, with the options of the graph and of the node."""
        base = context.resolved(self.nodes[node].context or self.context)
        options = self.nodes[node].options
        inner = {section: options[section] for section in options if section in roles.SECTIONS}
        settings = {setting: getattr(self, setting) for setting in context.SETTINGS}
        return base.changed(self.options, texts=self.texts or None, **settings).changed(inner)

    def kinds(self, node: str) -> list[tuple[type[Section], Mapping[str, Any]]]:
        """Return the sections that a node gets, with their options, in prompt order."""
        removed = (*self.without_sections, *self.nodes[node].without_sections)
        return self.context_of(node).kinds(self.role(node), removed)

    def wording_of(self, node: str) -> str | None:
        """The folder of the roles' texts that the node's instruction is taken from; see `Context.worded`."""
        return self.context_of(node).worded(
            self.without_sections, self.nodes[node].without_sections
        )

    def options_of(self, node: str) -> dict[str, Any]:
        """The options of the node's role."""
        options = {
            name: value
            for name, value in self.nodes[node].options.items()
            if name not in roles.SECTIONS
        }
        return {**defaults(self.role(node).options), **options}

    @property
    def title(self) -> str:
        """The name as sentences about mistakes say it: many settings make a long one."""
        return shortened(self.name, LONGEST_TITLE)

    @property
    def judges(self) -> tuple[str, ...]:
        """The nodes that judge its decisions, in order."""
        return self.check.judge if self.check else ()

    @property
    def redo(self) -> str:
        """The node asked again after a refusal."""
        return self.check.redo if self.check else self.decides

    @property
    def at_most(self) -> int:
        """Redos in one turn; none for a graph whose decisions nobody judges."""
        if self.check:
            return self.check.at_most
        return self.verify.at_most if self.verify.rule == "safety" else 0

    @property
    def models(self) -> tuple[str, ...]:
        """The models that its nodes name, each once."""
        return tuple(dict.fromkeys(node.model for node in self.nodes.values()))


def between(config: GraphConfig, first: str, last: str) -> list[str]:
    """The nodes on some path from `first` to `last`, both included, in config order."""
    reached: dict[str, set[str]] = {}
    for name in TopologicalSorter(
        {name: node.reads for name, node in config.nodes.items()}
    ).static_order():
        reached[name] = {name}.union(*(reached[read] for read in config.nodes[name].reads))
    return [name for name in config.nodes if first in reached[name] and name in reached[last]]


def _names(config: GraphConfig) -> None:
    """Nodes have names that a node can have, and everything that names a node names one of the graph."""
    check_name(config.name)
    for name, node in config.nodes.items():
        check_name(name)
        well_formed = (
            all(part.isidentifier() for part in name.split("."))
            and name.partition(".")[0] in config.nodes
        )
        if not well_formed or name in RESERVED or name.startswith("__"):
            rule = f"letters, digits and _, not two _ first, none of {', '.join(RESERVED)}"
            raise ValueError(f"{name!r} cannot name a node: {rule}")
        if config.role(name).after_game:
            raise ValueError(
                f"nodes.{name}: role {node.role!r} judges games that are over, with what no player may be told, so no "
                "graph can have it; `evaluate judge` asks it"
            )
        config.context_of(name)
    mentions = {
        "remembers": config.remembers,
        **{f"node {name!r} reads": node.reads for name, node in config.nodes.items()},
        "decides": (config.decides,),
        "check.judge": config.judges,
        "check.redo": (config.check.redo,) if config.check else (),
        "controls": config.controls.named,
    }
    for key, value in ((key, value) for key, values in mentions.items() for value in values):
        if value not in config.nodes:
            hint = did_you_mean(value, config.nodes, "the nodes are")
            raise ValueError(f"{key}: {value!r} is not a node; {hint}")


def _decision(config: GraphConfig) -> None:
    node = config.nodes[config.decides]
    if not issubclass(config.role(config.decides).reply, Choice):
        names = roles.names(config.game)
        deciding = [name for name in names if issubclass(roles.get(name).reply, Choice)]
        raise ValueError(
            f"decides: node {config.decides!r} has role {node.role!r}, which does not reply with a Choice; "
            f"roles that do: {', '.join(deciding)}"
        )
    if node.samples != 1:
        raise ValueError(
            f"decides: node {config.decides!r} answers {node.samples} times; let a selector read it"
        )
    if set(config.players) - set(node.players):
        raise ValueError(
            f"decides: node {config.decides!r} is missing at some of the graph's player counts"
        )


def _judging(config: GraphConfig) -> None:
    if not (check := config.check):
        return
    if set(config.players) - set(config.nodes[check.redo].players):
        raise ValueError(
            f"check.redo: node {check.redo!r} is missing at some of the graph's player counts"
        )
    for number, judge in enumerate(check.judge):
        _judge(config, judge, later=check.judge[number + 1 :])
    if config.decides not in between(config, check.redo, check.judge[0]):
        raise ValueError(
            f"check.redo: nothing that {check.redo!r} says reaches {config.decides!r}, which decides"
        )


def _judge(config: GraphConfig, judge: str, later: tuple[str, ...]) -> None:
    """`later`: the judges that are asked after it."""
    node = config.nodes[judge]
    if not issubclass(config.role(judge).reply, Judgement):
        raise ValueError(f"check.judge: node {judge!r} does not reply with a Judgement")
    if node.samples != 1:
        raise ValueError(f"check.judge: node {judge!r} answers {node.samples} times, not once")
    if config.decides not in node.reads:
        raise ValueError(
            f"check.judge: node {judge!r} does not read {config.decides!r}, the node that decides"
        )
    if judge in later:
        raise ValueError(f"check.judge: node {judge!r} is named twice")
    if early := [read for read in later if between(config, read, judge)]:
        raise ValueError(f"check.judge: node {judge!r} needs {early[0]!r}, which is asked after it")
    for read in node.reads:  # all that judges read is there before the first of them is asked
        if read not in config.judges and (
            first := [name for name in config.judges if between(config, name, read)]
        ):
            raise ValueError(
                f"check.judge: node {judge!r} reads {read!r}, which needs the judge {first[0]!r}"
            )


def _options(config: GraphConfig, name: str) -> None:
    """Every option exists and belongs to a section that a node gets: a setting that changes nothing is a mistake."""
    node = config.nodes[name]
    role = config.role(name)
    base = context.resolved(node.context or config.context)
    check_options(f"role {role.name!r}", config.options_of(name), role.options)
    sections = {kind.name for kind, _ in base.kinds(role)}
    if absent := [
        section for section in node.options if section in roles.SECTIONS and section not in sections
    ]:
        raise ValueError(f"nodes.{name}.options: {name!r} does not get the section {absent[0]!r}")
    for entry in config.context_of(name).sections:
        context.check(entry, config.game)
    if absent := [section for section in node.without_sections if section not in base.names]:
        raise ValueError(
            f"nodes.{name}.without_sections: {did_you_mean(absent[0], base.names, 'it has')}"
        )


def _sections(config: GraphConfig, name: str) -> None:
    """What a role cannot do without: its program's needs, and for a model that names moves the legal ones."""
    role = config.role(name)
    node = config.nodes[name]
    if node.model == NOBODY:
        return
    sections = {kind for kind, _ in config.kinds(name)}
    if node.model == PROGRAM or is_simulated(node.model):
        if role.solve is None:
            reason = (
                "so a model must play it"
                if node.model == PROGRAM
                else f"so {node.model!r} cannot simulate it"
            )
            raise ValueError(
                f"nodes.{name}: role {role.name!r} has no program, {reason}: {GIVE_A_MODEL}"
            )
        if lacks := role.lacking(config.kinds(name)):
            raise ValueError(
                f"nodes.{name}: the program of role {role.name!r} needs the sections {', '.join(lacks)}"
            )
    if node.model == PROGRAM:
        return
    if role.template is None:
        raise ValueError(
            f"nodes.{name}: only a program plays role {role.name!r}; say `model: program`"
        )
    if role.reply.names_moves and roles.SECTIONS["legal_moves"] not in sections:
        raise ValueError(
            f"nodes.{name}: role {role.name!r} names moves, so it needs the section legal_moves"
        )


GIVE_A_MODEL = "give --model openai:NAME, or in an experiment `models: {default: openai:NAME}`"


def _language(config: GraphConfig, name: str) -> None:
    """All the texts that there are for a node in English are there in its language. Raises UserError."""
    role = config.role(name)
    base = config.context_of(name)
    if role.template is None or base.lang == "en":
        return
    for kind, _ in config.kinds(name):
        brought = () if kind.template is None else (f"sections/{kind.name}.md",)  # words in English
        for file in (*base.files(kind.name), *brought):
            base.words.text(file)
    role.texts(base.words, config.wording_of(name))
    answer_format(base.reply(role), base.answer_format, base.words)
    for reply in (
        config.context_of(node).reply(config.role(node)) for node in config.nodes[name].reads
    ):
        check_report(reply, base.words)


def _controls(config: GraphConfig) -> None:
    """Controls name nodes that they can change something of. Raises ValueError."""
    controls = config.controls
    hanabi = {
        "controls: notes of another game and own hands are": controls.replaced or controls.own_hand,
        "verify: the safety rule is": config.verify.rule == "safety",
    }
    if config.game != DEFAULT and (refused := [what for what, used in hanabi.items() if used]):
        raise ValueError(f"{refused[0]} made for Hanabi alone, not for {get(config.game).title}")
    if config.decides in controls.replaced:
        raise ValueError(
            f"controls: {config.decides!r} decides, so its answer cannot be that of another game"
        )
    if judging := [judge for judge in config.judges if judge in controls.replaced]:
        raise ValueError(
            f"controls: {judging[0]!r} judges the choice, so its answer cannot be replaced"
        )
    replies = {name: config.role(name).reply for name in (*controls.advise, *controls.gate)}
    if wrong := [name for name in controls.advise if not issubclass(replies[name], Shortlist)]:
        raise ValueError(
            f"controls.advise: node {wrong[0]!r} lists no moves; it is for a recommender"
        )
    if wrong := [
        name for name in controls.gate if not issubclass(replies[name], Shortlist | Choice)
    ]:
        raise ValueError(f"controls.gate: node {wrong[0]!r} names no moves to choose from")


def check_removed_sections(config: GraphConfig, where: str | None = None) -> GraphConfig:
    """The same config; raises UserError when `without_sections` names one that no context of the graph has."""
    sections = list(
        dict.fromkeys(section for name in config.nodes for section in config.context_of(name).names)
    )
    if unknown := [section for section in config.without_sections if section not in sections]:
        graph = where or f"graph {config.title!r}"
        raise UserError(
            f"{graph} has no section {unknown[0]!r}; {did_you_mean(unknown[0], sections, 'it has')}"
        )
    return config


def names(game: str | None = None) -> list[str]:
    """Return the names of all graphs, including those of installed packages; `game`: of those that play it."""
    return sorted(name for name in library.graphs() if game is None or read(name).game == game)


def source(name: str) -> str:
    """Return the origin of a named graph: `built-in` or an installed package. Raises UserError."""
    return _named(name).source


def read(graph: str | Path, extending: tuple[str, ...] = ()) -> GraphConfig:
    """Return a graph by name or from a YAML file; `extending`: those that extend it, the next one first. Raises
    UserError."""
    if graph in _MADE:
        return _MADE[str(graph)]
    path = Path(graph)
    if path.suffix in (".yaml", ".yml"):
        return parse(from_file(path, "graph"), str(graph), path.parent, extending)
    return parse(_named(str(graph)).text, str(graph), extending=extending)


_MADE: dict[str, GraphConfig] = {}
"""Graphs made in Python, by the names by which this process reads them."""


def name_of(config: GraphConfig) -> str:
    """Return a name by which `read` gives this graph from now on in this process: its own, with a hash where another
    graph has that name."""
    name = config.name
    if name in names() or name in _MADE:
        if read(name) == config:
            return name
        name = f"{name}-{sha256(config.model_dump_json().encode()).hexdigest()[:8]}"
    _MADE[name] = config
    return name


def is_made(name: str) -> bool:
    """Return whether a graph made in Python has this name."""
    return name in _MADE


def _named(name: str) -> library.Found:
    if name not in library.graphs():
        file = nearby(Path(name), ".yaml")
        raise UserError(
            f"unknown graph {name!r}; {did_you_mean(name, names())}, or a path to a .yaml file{file}"
        )
    return library.graphs()[name]


def parse(
    text: str, where: str = "graph", folder: Path | None = None, extending: tuple[str, ...] = ()
) -> GraphConfig:
    """A graph of YAML text, which names files relative to `folder`. Raises UserError with one sentence."""
    data = loaded(text, where)
    if not isinstance(data, dict):
        raise UserError(
            f"{where} is not a graph: a YAML mapping with the keys {', '.join(GraphConfig.model_fields)}"
        )
    if "extends" in data:
        graph = str(data.pop("extends"))
        base = read(
            graph_data.file_of(graph, folder or Path(), (where, *extending)), (where, *extending)
        )
        data = graph_data.extended(base.model_dump(mode="json"), data, f"{where}: graph {graph!r}")
    return check_removed_sections(checked(data, where, folder, (where, *extending)), where)


def checked(
    data: dict[str, Any], where: str, folder: Path | None = None, outer: tuple[str, ...] = ()
) -> GraphConfig:
    """A graph of plain data; `outer`: the graphs that it is read for. Raises UserError with one sentence."""
    try:
        return GraphConfig.model_validate(
            data, context={"folder": folder or Path(), "outer": outer}
        )
    except ValidationError as error:
        raise user_error(where, error, EXAMPLES) from None


EXAMPLES = {
    "name": "name: my_graph",
    "context": "context: house",
    "nodes": "nodes: {proposer: {role: proposer}}",
    "decides": "decides: proposer",
    "role": "role: proposer",
    "judge": "judge: self_verifier",
    "redo": "redo: generator",
}
"""What to write where a key is missing."""
