"""Which template a printed sentence has: the grammar of the fields of all templates, as regular expressions.

`<NAME>` stands for the template of this name, `<field>` for another field.
"""

import re
from functools import cache

from hanabi_orchestrator.experiments.analysis import sentence_templates
from hanabi_orchestrator.experiments.analysis.sentence_templates import (
    ANY_NOTE,
    CALLS,
    CALLS_SHORT,
    CHANCE,
    FOREIGN,
    LENGTH,
    MISLEAD,
    PADDED,
    PLACEBO,
    SEATS,
    Template,
)
from hanabi_orchestrator.experiments.tasks.positions import sentences

TEMPLATES = {
    name: value
    for module in (sentence_templates, sentences)
    for name, value in vars(module).items()
    if isinstance(value, Template)
}
FIELDS: dict[str, str] = {
    **dict.fromkeys(("number", "low", "high", "size"), r"[-+]?[\d,]*\.?\d+"),
    **dict.fromkeys(("n", "enough", "games", "ours", "theirs"), r"[\d,]+"),
    "of_games": r"[\d,]+ games?",
    "more_arms": r"\d+ more arms?",
    "more_shown": r"\d+ more shown interactions?",
    "choices": r"[\d,]+ choices?",
    "whole_worth": r"its \d+ parts are worth together|<name> is worth",
    "whole_change": r"its \d+ parts change together|<name> changes",
    "corrected_for": r"(?:p corrected for \d+, )?",
    **dict.fromkeys(("arm", "name"), r"(?:[AB]: )?[^\s;:,()]+"),
    "gate": r"<name>(?: by (?:the (?:strict|kept) score|<metric>))?",
    "arms": r"(?:<name>|\d+ arms)(?:, <name>)*(?: and <name>)?",
    "than": r"<name>(?: at [\d, and]+ players)?",
    "role": "<name>(?: and <name>)*",
    "change": "<number> <unit>",
    **dict.fromkeys(
        ("effect", "beside"), r"(?: \((?:the same games|<number>(?:, p <chance>)?)\))?"
    ),
    "chance": r"= (?:\.\d{3}|1\.000)|< \.001",
    "p": "(?:Holm-corrected |corrected )?p <chance>",
    "units": "deals?|repeats?",
    "unit": r"[a-z][\w ()-]*?",
    "averaged": "(?: of each count|, averaged over these counts)?",
    "alike": r"(?:, the same games in \d+ of them)?",
    "family": r"one arm|\d+ arms",
    **dict.fromkeys(("percent", "wrong", "most"), r"[\d.]+%"),
    "least": r"\.\d{3}|<percent>",
    "effects": "<number>(?: to <number>)? <unit>(?:, by arm)?",
    "rare": r"every arm|\d+ of \d+ arms|<name>(?:, <name>)*",
    "metric": r"[\w.:]+",
    "readings": f"(?:(?:{CHANCE}|{LENGTH}|{ANY_NOTE}|{CALLS})(?: or )?)+",
    "explanations": f"(?:(?:{CHANCE}|{LENGTH}|{CALLS_SHORT})(?:, | and | (?=do)))+(?:do|does)",
    "notes": "<note>(?:(?:, | and )<note>)*",
    "mislead": f"(?:{MISLEAD})?",
    "note": "|".join((PADDED, FOREIGN, *sentences.NOTES_LIKE.values(), PLACEBO)),
    "loses": "loses?",
    "likewise": "(?: ?<ALIKE>)?",
    "it": "it|them",
    "its": "its|their",
    "removal": "its removal|their removal together",
    "marks": r"[\w (),.]+",
    "interval": "<INTERVAL>|<NO_INTERVAL>",
    "estimate": "<ESTIMATE>|<NO_ESTIMATE>",
    "difference": "<SCORES_LESS>|<SCORES_MORE>|<SCORES_ALIKE>|<HAS_FEWER>|<HAS_MORE>|<HAS_ALIKE>",
    "removed": "(?:section )?<name>(?:(?:, | and )(?:section )?<name>)*",
    "struck_out": "<STRIKE_OUTS>",
    "more": (
        "(?:; (?:<STRIKE_OUTS>|<NO_VALUE>|<NO_COUNTERPART>|<OTHER_BESIDE>|<OTHER_OPEN>|<DETECTS>|<LEAST_P>|<LACKS>|"
        "<RARELY>|<NEVER>|<CONTROLS_ALIKE>|"
        "<CONTROLS_HOLD>|<CONTROL_EXPLAINS>|<CONTROLS_OPEN>|<CONTROLS_MISSING>))*"
    ),
    "changed": r"<name> <number>(?: \(<struck_out>\))?",
    "changes": "<changed>(?:, <changed>)*",
    "enough_deals": "<ENOUGH>?",
    "aspect": r"(?:verifier|context|calls a turn|models)(?: \([^()]+\))?",
    "aspects": f"<aspect>(?:(?:, | and )<aspect>)*(?:{SEATS})?",
    "comparisons": r"\d+ comparisons?",
    "steps": r"[\w ,;-]+",
    "fault": r"an? [\w ]+",
    "faults": "<FAULT>(?:; <FAULT>)*",
    "reason": (
        "<CHANCE_EXPLAINS>|<NOTE_EXPLAINS>|<RULES_OUT>|<HARMS>|<CHANCE_OPEN>|<NOTE_OPEN>|<CALLS_OPEN>|"
        "<CONTROLS_ALIKE>|<SURVIVES>"
    ),
    "reasons": "<reason>(?:; <reason>)*",
    "deals": r"(?:\d+ to )?\d+ deals?",
    "side": r"(?:better|worse|equal|not tested|no significant difference) on \d+(?: \([\w ,.]+\))?(?:, )?",
    "counts": r"(?:[Oo]f \d+ marks? beside (?:its program|a uniform guess) <side>+(?:; )?)+",
    "share": r"<percent>(?: \([\d.]+–[\d.]+%\))?",
    "bounds": r"(?: \([+−-]?<number> to [+−-]?<number>\))?",
    "gain": "<GAIN>?",
    "part": "<UNMARKABLE>|<EXACT>|<MARK>|<COUNTED>|<FOLLOWED>|<REFUSED>|<DECIDES>|<UNREAD>",
    "parts": "<part>(?: <part>)*",
    "of_turns": r"[\d,]+ turns?",
    "turn": r"\d+",
    "moves": r"[a-z ]+ \(\d+\)(?:, [a-z ]+ \(\d+\))*",
    "added": "<ADDED_SAME>|<ADDED_OTHER>",
    "component": "<name>(?: x <name>)*",
    "components": "<name> and <name>",
    **dict.fromkeys(("none", "full", "absence"), "<name>"),
    "amount": r"<number> <unit> (?:more|less|fewer)",
    "counts_named": r"(?:, over [\d, and]+ players)?",
    "worth": "<change>",
    **dict.fromkeys(("value", "gap", "mean"), "<number>"),
    "still_open": "(?:<COALITION_OPEN>|<COALITION_FLATTERED>|<COALITION_SPENT>)?",
    "title": r"[A-Z][\w ()&,;:-]+",
    "terms": "(?:(?:<COALITION_TERM>|<COALITION_SAME>|<component> <number>)(?:; |, )?)+",
    "weights": r"-?[\w .+-]+",
    "pairs": r"\d+ pairs?",
    "detects": "<DETECTS_INTERACTION>?",
    "limits": "(?:<number> to <number>, )?",
    "coalition_sentence": (
        "<COALITION_WHOLE>|<COALITION_WHOLE_OTHER>|<COALITION_TERMS>|<COALITION_UNTESTED>|<DISAGREE_MORE>|"
        "<DISAGREE_LESS>|<COMPLEMENTARY>|<REDUNDANT>|<INTERACT>|<NO_INTERACTION>|<NO_INTERACTION_OF_BOTH>|"
        "<ALONE_HARMS>|<MORE_PAIRS>"
    ),
    "played": "(?: <ADDED_PLAYED>)*",
    "team": r"[^\s;,()]+ at [\d, and]+ players",
    "partners": r"the \d+ partners|<name>",
    "over_deals": r"(?: \(95 % <number> to <number> over deals\))?",
    "unmeasured": (
        "no deal was played with all held-out partners|no partner of the pool is held out|"
        "the run does not say who its players are"
    ),
    "friend": r"<name> \((?:known kind|itself)\)",
    "friends": "<friend>(?:, <friend>)*",
    "who": "these partners score|the partner scores",
    "against": "<SELF_PLAY>?",
    "alone": "<ALONE>?",
    "left_out": "<FRIENDS>?",
    "between": r"\((?:95 % <number> to <number>|too few deals for an interval)\)",
    "rollouts": "(?: by rollouts)?",
    "sign": "less|more",
    "floor": r"(?:; noise floor [\d.]+%(?:; more than that is not shown)?)?",
    "loss": "<SAME_DECISIONS>|<SAME_VALUES>|<LOSES>|<GAINS>|<LOSS_OPEN>|<LOSS_NOT_CORRECTED>",
    "flips": "<FLIPS>",
    "than_none": "<THAN_NONE>?",
    "other_note": rf"(?:{'|'.join((*sentences.OTHER_NOTES.values(), *sentences.NOTES_LIKE.values()))})(?: \([^()]+\))?",
    "decision": (
        "<NOTE_REMOVED>|<NOTE_PLACEBO>|<NOTE_SHUFFLED>|<NOTE_OTHER>|<HELP_OPEN>|<LENGTH_LOSES>|<CONTENT_OPEN>|"
        "<LENGTH_RULED_OUT>|<LENGTH_OPEN>"
    ),
    "decisions": "<decision>(?: <decision>)*",
    "arrangement": "|".join((*sentences.ARRANGEMENTS.values(), "<name>")),
    "its_note": "its note|their notes",
    "more_often": r"\d+(?: (?:less|more))?",
    "less_often": (
        r"(?: \((?:too few deals for an interval|95 % <more_often> to <more_often> percentage points (?:less|more))\))?"
    ),
    "kept": "<KEPT>(?:; <KEPT>)*",
    **dict.fromkeys(("sentence", "folder", "figure"), ".+"),
}


def template_of(sentence: str) -> Template | None:
    """Return the template of a whole sentence; None for one that is in no list."""
    return next(
        (each for name, each in TEMPLATES.items() if re.fullmatch(pattern(name), sentence)), None
    )


@cache
def pattern(name: str) -> str:
    """Return the regular expression of a field, or, of a template, of its sentences."""
    if template := TEMPLATES.get(name):
        parts = re.split(r"\{(\w+)\}", template.text)
        inner = "".join(
            pattern(part) if place % 2 else re.escape(part) for place, part in enumerate(parts)
        )
    else:
        inner = re.sub(r"<([A-Za-z]\w*)>", lambda match: pattern(match[1]), FIELDS[name])
    return f"(?:{inner})"
