"""Interventions: what an arm changes in a graph. Experiment files, `--set`, `--arms` and forks share their short forms.

| short form | changes |
|---|---|
| `removed:analyst` | the node is taken away |
| `added:chop`, `add.chop={role: chop, feeds: [aggregator]}` | a new node; of its own role and read by who decides |
| `analyst=program`, `analyst=openai:NAME`, `analyst=nobody` | another answerer for the node |
| `analyst=perturbed:0.3` | its program answers, with errors at this rate |
| `analyst=placebo`, `analyst=padded`, `analyst=shuffled` | a control answers in its place |
| `analyst=shuffled:RUN` | the same, with the notes of another run |
| `advise:recommender`, `gate:proposer` | how a node's moves reach its readers |
| `proposer.samples=3`, `context=watson`, `options.history.moves=5` | a setting of a node, or of the graph |
| `noise_floor`, `permuted`, `own_hand`, `without_section:discards`, `same_compute:ARM` | the whole graph |

`KIND[:NODE][@VALUE]` is read as well: `exact:analyst`, `placebo:analyst`, `model:analyst@openai:NAME`.
"""

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from hanabi_orchestrator.graphs import ablate
from hanabi_orchestrator.graphs.config import PROGRAM, GraphConfig, check_removed_sections
from hanabi_orchestrator.graphs.controls import NOTES
from hanabi_orchestrator.graphs.replaced_texts import replaced
from hanabi_orchestrator.orchestrator import yaml_files
from hanabi_orchestrator.orchestrator.errors import UserError, did_you_mean

Kind = Literal[
    "removed",
    "added",
    "exact",
    "model",
    "perturbed",
    "placebo",
    "padded",
    "shuffled",
    "advise",
    "gate",
    "own_hand",
    "noise_floor",
    "permuted",
    "same_compute",
    "same_tokens",
    "without_section",
    "prompts",
    "setting",
]
KINDS: tuple[Kind, ...] = tuple(
    kind for kind in get_args(Kind) if kind not in ("prompts", "setting")
)
"""Kinds that a short form may name."""
ANSWERERS: dict[str, Kind] = {PROGRAM: "exact", **{kind: kind for kind in NOTES}}
"""Answerers with a kind of their own; `perturbed:RATE` and `shuffled:RUN` have a value too, any other is a model."""
VALUED = ("perturbed", "model")
"""Kinds that say nothing without a value."""
ALONE = ("noise_floor", "permuted", "own_hand")
"""Kinds that take neither a node nor a value."""
WHOLE = (*ALONE, "same_compute", "same_tokens", "without_section")
"""Kinds that are about no node."""
ADD = "add"
"""The key of experiment files under which new nodes stand."""
SHORT = re.compile(r"(?P<kind>[a-z_]+)(?::(?P<name>[\w./-]+))?(?:@(?P<value>.+))?")
SETTING = re.compile(r"(?P<key>[\w.-]+)=(?P<value>.*)", re.DOTALL)


@dataclass(frozen=True)
class Intervention:
    """One change of a graph."""

    kind: Kind
    node: str | None = None
    """The node that it is about; None where it is about the whole graph, or leaves open which node is meant."""
    value: Any = None
    """The model, the rate of errors, the run that notes come from, the arm that is matched, the section, the text, the
    value of a setting, or the keys of a new node."""
    keys: tuple[str, ...] = ()
    """The keys of a setting (`nodes`, `proposer`, `samples`), or the name of a text."""

    def __str__(self) -> str:
        """Return the short form."""
        if self.keys:
            return f"{'.'.join(self.keys)}={self.value if isinstance(self.value, str) else json.dumps(self.value)}"
        if self.node and (answerer := self.answerer):
            return f"{self.node}={answerer}"
        if self.kind in VALUED:
            return f"{self.kind}@{self.value}"
        if self.kind == "added" and self.value:
            return f"{ADD}.{self.node}={json.dumps(self.value)}"
        about = self.node or self.value
        return f"{self.kind}:{about}" if about else self.kind

    @property
    def answerer(self) -> str | None:
        """Who answers the node instead; None for a change of another kind."""
        if self.kind == "model":
            return str(self.value)
        name = (
            "perturbed"
            if self.kind == "perturbed"
            else {v: k for k, v in ANSWERERS.items()}.get(self.kind)
        )
        return f"{name}:{self.value}" if name and self.value else name

    @property
    def put(self) -> tuple[Sequence[str], Any, str]:
        """What `ablate.put` gets of a setting."""
        return self.keys, self.value, ""

    def apply(self, config: GraphConfig) -> GraphConfig:
        """Return the graph with this change. Raises UserError."""
        return apply(config, (self,))


def parse(text: str) -> Intervention:
    """Read a short form. Raises UserError."""
    text = text.strip()
    if setting := SETTING.fullmatch(text):
        return _assigned(text, setting["key"].split("."))
    short = SHORT.fullmatch(text)
    if short is None or short["kind"] not in KINDS:
        hint = did_you_mean(short["kind"] if short else text, KINDS, "the kinds are")
        raise UserError(
            f"{text!r} is no arm: KIND[:NODE] or NODE=ANSWERER, e.g. removed:analyst; {hint}"
        )
    kind = next(kind for kind in KINDS if kind == short["kind"])
    name = short["name"]
    value = short["value"]
    if (value is None) == (kind in VALUED):
        example = {"model": "model:analyst@openai:NAME", "perturbed": "perturbed:analyst@0.3"}.get(
            kind, kind
        )
        raise UserError(
            f"arm {text!r}: {'give it a value' if value is None else 'it takes no value'}, e.g. {example}"
        )
    if kind in WHOLE:
        if name is not None and kind in ALONE:
            raise UserError(f"arm {text!r}: {kind} is about no node; leave {name!r} out")
        return Intervention(kind, value=name)
    return _rated(text, Intervention(kind, name, value))


def _assigned(text: str, keys: list[str]) -> Intervention:
    """Read `NODE=ANSWERER` or `KEY=VALUE`."""
    *path, value = *keys, yaml_files.setting(text, "nodes.proposer.samples=3")[1]
    if path[0] == ADD and len(path) == 2 and isinstance(value, dict):
        return Intervention("added", path[1], value or None)
    node = path[-1] if len(path) == 1 or (len(path) == 2 and path[0] == "nodes") else None
    if (
        node is None
        or not isinstance(value, str)
        or (len(path) == 1 and node in GraphConfig.model_fields)
    ):
        inside = path[0] in GraphConfig.model_fields or len(path) == 1
        return Intervention(
            "setting", value=value, keys=tuple(path) if inside else ("nodes", *path)
        )
    name, _, rest = value.partition(":")
    if name == "perturbed" or (name in ANSWERERS and (not rest or name in NOTES)):
        return _rated(text, Intervention(ANSWERERS.get(name, "perturbed"), node, rest or None))
    return Intervention("model", node, value)


def _rated(text: str, step: Intervention) -> Intervention:
    """Return the intervention. Raises UserError for a rate of errors that is none."""
    try:
        rated = step.kind != "perturbed" or 0 <= float(step.value or "nan") <= 1
    except ValueError:
        rated = False
    if not rated:
        raise UserError(
            f"arm {text!r}: the rate of errors is {step.value!r}; it is a number from 0 to 1"
        )
    return step


def dotted(config: GraphConfig, shorts: Iterable[str]) -> GraphConfig:
    """Return the graph with the changes that a command line gives as short forms: `context=watson`, `removed:analyst`.

    New nodes come first, then settings, all at once. Raises UserError with one sentence.
    """
    steps = [(short, parse(short)) for short in shorts]
    config = apply(config, [step for _, step in steps if step.kind == "added"])
    for short, step in steps:
        if step.node and step.node not in config.nodes:
            hint = did_you_mean(step.node, (*config.nodes, *GraphConfig.model_fields))
            raise UserError(f"--set {short!r}: there is no node or setting {step.node!r}; {hint}")
    settings = [
        (step.keys, step.value, f"--set {short!r}")
        for short, step in steps
        if step.kind == "setting"
    ]
    config = check_removed_sections(ablate.put(config, settings)) if settings else config
    return apply(config, [step for _, step in steps if step.kind not in ("setting", "added")])


def apply(config: GraphConfig, steps: Sequence[Intervention]) -> GraphConfig:
    """Return the graph with all changes, those of a kind at once. Raises UserError.

    Arms with as many calls or tokens as another (`same_compute`) are graphs of their own, so these change nothing here.
    """
    settings = [step for step in steps if step.kind == "setting"]
    nodes, options = (
        [step for step in settings if step.keys[0] == key] for key in ("nodes", "options")
    )
    added = {str(step.node): dict(step.value or {}) for step in steps if step.kind == "added"}
    removed = [str(step.node) for step in steps if step.kind == "removed"]
    models = {
        str(step.node): str(step.answerer)
        for step in steps
        if step.kind in ("exact", "model", "perturbed")
    }
    sections = [str(step.value) for step in steps if step.kind == "without_section"]
    texts = {step.keys[0]: str(step.value) for step in steps if step.kind == "prompts"}

    config = ablate.add(config, **added) if added else config
    config = ablate.put(config, [step.put for step in settings if step not in (*nodes, *options)])
    config = ablate.without(config, *removed) if removed else config
    config = ablate.replace(config, **models) if models else config
    config = ablate.put(config, [step.put for step in nodes])
    config = ablate.without_sections(config, *sections) if sections else config
    config = ablate.put(config, [step.put for step in options])
    config = replaced(config, texts) if texts else config
    controls = {kind: value for kind in CONTROLS if (value := _control(config, kind, steps))}
    return (
        ablate.controlled(
            config, **{"draw" if k == "noise_floor" else k: v for k, v in controls.items()}
        )
        if controls
        else config
    )


CONTROLS: tuple[Kind, ...] = (*NOTES, "permuted", "advise", "gate", "own_hand", "noise_floor")
"""In the order in which they name a graph: the noise floor's is named after the baseline's."""


def _control(config: GraphConfig, kind: Kind, steps: Iterable[Intervention]) -> Any:
    """Return the nodes of a control, True for one of the whole graph, 1 for the first other draw; else nothing."""
    chosen = [step for step in steps if step.kind == kind]
    if kind in ("permuted", "own_hand"):
        return bool(chosen)
    return (
        len(chosen)
        if kind == "noise_floor"
        else [n for step in chosen for n in named(config, kind, str(step.node))]
    )


def named(config: GraphConfig, control: str, name: str) -> list[str]:
    """Return the node of this name, or the nodes of this role. Raises UserError."""
    if name in config.nodes:
        return [name]
    if nodes := [node for node, settings in config.nodes.items() if settings.role == name]:
        return nodes
    hint = did_you_mean(name, config.nodes, "its nodes are")
    raise UserError(f"{control}: graph {config.title!r} has no node or role {name!r}; {hint}")
