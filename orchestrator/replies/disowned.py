"""Objects that the words around them disown: `I would not answer {...}`, `{...} Wait, that is wrong.`"""

import re

from orchestrator.replies.doubts import ILLUSTRATES, phrases, taken_back

_SAYS = "answer|reply|respond|response|choose|choice|write|give|say|return|output|send|use|play|pick|do|move"
_REFUSED = re.compile(r"\b(?:not|never|cannot)\b(?!\s+only\b)|n['’]t\b", re.IGNORECASE)
_BAD = re.compile(rf"\b(?:bad|wrong|incorrect|poor|invalid|worst)\s+(?:{_SAYS})\b", re.IGNORECASE)
_SUPPOSES = phrases("""
    suppose / imagine / pretend / what if / let['’]s say / hypothetically / for (?:example|instance)
""")
_SUPPOSED = re.compile(rf"(?:\A|[.!?\n])\W*(?:{_SUPPOSES})\b", re.IGNORECASE)
_MODAL = re.compile(r"\b(?:might|could|would|may|if|unless)\b", re.IGNORECASE)
_OTHERS = phrases("""
    opponents? / enem(?:y|ies) / partners? / team-?mates? / colleagues? / someone / somebody / anyone / others
    (?:an)?other (?:player|agent|model|person)s? / previous / earlier / old
    former / first (?:try|attempt|draft) / draft
""")
_SOMEONE = re.compile(
    rf"""
    \b (?:{_OTHERS}) \b
    | \b (?!(?:here|there|that|what|it|let)['’]) \w+ ['’]s \s+ (?:answer|reply|response|move|choice|output) \b
    | \b (?:he|she|they|p(?:layer)?\s*[0-4]) (?:['’]s)? \s+ (?:\w+\s+){{0,2}}? (?:{_SAYS})(?:s|ed)? \b
    """,
    re.VERBOSE | re.IGNORECASE,
)
_NEAR = 200
"""How many characters before an object may speak of it."""


def _introduction(before: str) -> str:
    """The clause that leads to an object: `here it is:` in `They hold a red 1, so here it is:`; empty where the words
    before the object end with a sentence of their own."""
    text = re.sub(r"```\w*\s*\Z|<\w+>\s*\Z", "", before[-_NEAR:].rstrip()).rstrip()
    line = text.rpartition("\n")[2]
    return "" if re.search(r"[.!?]\W*\Z", line) else re.split(r"[.!?;—,]\s", line)[-1]


def _disowned_before(before: str) -> bool:
    near, introduction = before[-_NEAR:], _introduction(before)
    if _SUPPOSED.search(near):
        return True
    return any(doubt.search(introduction) for doubt in (_REFUSED, _BAD, _MODAL, _SOMEONE, ILLUSTRATES))


_SPEAKS_OF_IT = re.compile(
    r"""
    \A [\W_]{0,20} (?:is|was|would|should|must|could|may|might|can|cannot|does|has) \b
    (?! \s+ (?:be\s+)? (?:my|the|our) \b )                              # {...} should not be sent
    | \A [^\w\n]{0,5} \?                                               # an answer like {...}?
    | \A [^.!?\n]{0,60} \b is\ not\ (?:what|my) \b                       # {...} from the prompt is not my answer
    | : \s* (?:play|discard|hint\s+p) \b                                  # {...} Better: play slot 0
    """,
    re.VERBOSE | re.IGNORECASE,
)


def disowned(before: str, after: str) -> bool:
    """Whether the words before or after the last object of an answer say that it is not what is meant."""
    return _disowned_before(before) or bool(_SPEAKS_OF_IT.search(after)) or taken_back(after)
