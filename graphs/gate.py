"""The gate: the exact safety rule between a seat's decision and the table, the forced move where nothing passes, and
what both may know.

By default they know what the seat may: the sections that reach some node on the way to the decision, and the reports
that count as knowledge. So neither a refusal nor a forced move tells a seat what its config took away. With
`verify.knows: all` the rule knows more; its verdict then tells the seat only what the seat may know.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from hanabi_orchestrator import roles
from hanabi_orchestrator.graphs.config import PROGRAM, GraphConfig, between
from hanabi_orchestrator.orchestrator.game.registry import of_view
from hanabi_orchestrator.orchestrator.game.types import AnyView
from hanabi_orchestrator.orchestrator.hanabi.moves import Move
from hanabi_orchestrator.roles.hanabi import safety
from hanabi_orchestrator.roles.hanabi.history_report import HistoryReport
from hanabi_orchestrator.roles.hanabi.reasoning.position import Position
from hanabi_orchestrator.roles.hanabi.safety import Safety
from hanabi_orchestrator.roles.hanabi.sections.convention_facts import PACKS, ConventionFacts
from hanabi_orchestrator.roles.hanabi.sections.fixed import Conventions
from hanabi_orchestrator.roles.hanabi.sections.history import History
from hanabi_orchestrator.roles.hanabi.sections.table import State
from hanabi_orchestrator.roles.legal_moves import LegalMoves
from hanabi_orchestrator.roles.notes_text import Notes
from hanabi_orchestrator.roles.reply_types import Judgement
from hanabi_orchestrator.roles.role_options import defaults
from hanabi_orchestrator.roles.sections import UNSAID, Section, Sections, cut
from hanabi_orchestrator.roles.words import Words

SAFETY = "safety"
Kinds = tuple[tuple[type[Section], Mapping[str, Any]], ...]


def knows_more(config: GraphConfig) -> bool:
    """Whether the graph has the rule, and it judges by sections that the seat does not get."""
    seat = {kind for kind, _ in of_seat(config)}
    return config.verify.rule == SAFETY and any(kind not in seat for kind, _ in kinds(config))


def kinds(config: GraphConfig) -> Kinds:
    """The sections that the rule judges by."""
    if config.verify.knows != "all":
        return of_seat(config)
    nodes = [name for name in _on_the_way(config) if config.nodes[name].model != PROGRAM]
    # the pack that a model on the way to the decision is told, and that the exact reading knows
    packs = [options["pack"] for name in nodes for options in _options(config, name, Conventions)]
    read = [pack for pack in packs if pack in PACKS] if config.verify.conventions else []
    kinds = [kind for kind in roles.get(SAFETY).takes if kind is not ConventionFacts or read]
    return tuple((kind, {"pack": read[0]} if kind is ConventionFacts else {}) for kind in kinds)


def of_seat(config: GraphConfig) -> Kinds:
    """The sections that the rule may judge by without knowing more than the seat: those that reach the decision.

    The legal moves are always among them: the table tells them to everybody.
    """
    reaching = {kind for name in _on_the_way(config) for kind, _ in config.kinds(name)}
    facts = [
        options
        for name in _on_the_way(config)
        for options in _options(config, name, ConventionFacts)
    ]
    scopes = {options["told"] for options in facts}
    tells_own = bool(scopes - {"others", "without_own", "losses"})
    tells_others = bool(scopes - {"own", "losses", "without_hints"})
    read = config.verify.conventions and (tells_own or tells_others)
    scope = "whole" if tells_own and tells_others else "own" if tells_own else "others"
    partners = "blind" if all(options["partners"] == "blind" for options in facts) else "learnt"
    taken_sections = (kind for kind in roles.get(SAFETY).takes if kind is not ConventionFacts)
    kinds_read: Kinds = tuple(
        (kind, {}) for kind in taken_sections if kind in reaching or kind is LegalMoves
    )
    if not (read and tells_own):
        kinds_read = (*kinds_read, *_latest_hints(config))
    facts_read = {"told": scope, "partners": partners, "pack": facts[0]["pack"]} if read else {}
    return (*kinds_read, (ConventionFacts, facts_read)) if read else kinds_read


def _latest_hints(config: GraphConfig) -> Kinds:
    """The past moves and the conventions as the node that decides is shown them, where it is shown both."""
    kinds = {
        kind: {**defaults(kind.choices), **options}
        for kind, options in config.kinds(config.decides)
    }
    if not config.verify.conventions or History not in kinds or Conventions not in kinds:
        return ()
    unsaid = kinds[History]["details"] == UNSAID or kinds[Conventions]["told"] in (
        "terms",
        "doing",
        UNSAID,
    )
    if unsaid or kinds[Conventions]["pack"] != "newest":
        return ()
    return ((History, kinds[History]), (Conventions, kinds[Conventions]))


def _on_the_way(config: GraphConfig) -> list[str]:
    """The nodes whose notes reach the decision, and the node that decides; an empty note brings nothing on the way."""
    empty = config.controls.padded
    heard = {
        name: node.model_copy(
            update={"reads": tuple(read for read in node.reads if read not in empty)}
        )
        for name, node in config.nodes.items()
    }
    config = config.model_copy(update={"nodes": heard}) if empty else config
    return [
        name for name in config.nodes if name not in empty and between(config, name, config.decides)
    ]


def _options(config: GraphConfig, name: str, section: type[Section]) -> list[Mapping[str, Any]]:
    """The options of a section, where a node gets it."""
    return [
        {**defaults(kind.choices), **options}
        for kind, options in config.kinds(name)
        if kind is section
    ]


def trusted(config: GraphConfig) -> list[str]:
    """The nodes whose notes on the past count as knowledge, of those that reach the decision."""
    return [
        name
        for name in _on_the_way(config)
        if issubclass(config.role(name).reply, HistoryReport)
        and (config.nodes[name].model == PROGRAM or config.verify.trust == "models")
    ]


def rule(config: GraphConfig) -> Callable[[Sections, Notes], Judgement]:
    """The rule with the graph's limits."""
    return partial(safety.judged, Safety(config.verify.limits))


NO_REASON = "refused: choose another move"


def refusal_reason(config: GraphConfig, sections: Sections, notes: Notes) -> str | None:
    """What a refusal tells the seat, given the sections that the seat may know; None for the whole reason."""
    if config.verify.knows != "all":
        return None
    verdict = rule(config)(sections, notes)
    return NO_REASON if verdict.accept else verdict.reason


def in_words(config: GraphConfig, words: Words) -> str:
    """The rule as the prompt of the node that decides states it; empty where there is none."""
    if config.verify.rule != SAFETY:
        return ""
    judged_by = dict(kinds(config))
    if judged_by.get(ConventionFacts, {}).get("told", "others") != "others":
        grounds = safety.AGREED
    elif trusted(config):
        grounds = safety.NOTED
    else:
        grounds = safety.FRESH if History in judged_by else "by hints and counting"
    return Safety(config.verify.limits).words(words, grounds, config.at_most)


def refuses_now(config: GraphConfig) -> Callable[[Sections, Notes], Sequence[Move]] | None:
    """Return what tells which moves of its list the rule refuses, from what the node that decides is shown.

    None where there is no rule, and where it judges by more than that node is shown: what it refuses would then tell
    what a report, or nobody, has to tell.
    """
    kinds = dict(config.kinds(config.decides))
    reports = trusted(config)
    judged_by = dict(of_seat(config))
    facts = judged_by.pop(ConventionFacts, {})
    own_facts = kinds.get(ConventionFacts, {"told": "others"}).get("told", "whole")
    within_facts = (
        bool(reports)
        or facts.get("told", "others") == "others"
        or own_facts not in ("others", "without_own")
    )
    complete = {*judged_by} <= {*kinds} and {*reports} <= {*config.nodes[config.decides].reads}
    if (
        config.verify.rule != SAFETY
        or config.verify.knows == "all"
        or not (within_facts and complete)
    ):
        return None
    return partial(safety.refused_now, Safety(config.verify.limits), reports)


def safest(config: GraphConfig, view: AnyView) -> tuple[Any, str]:
    """The forced move and its reason: the safest legal move by what the seat may know."""
    sections = cut(view, of_seat(config))
    if State in sections:
        return safety.safest(Position.read(sections), sections.get(ConventionFacts))
    return of_view(view).fallback(view)
