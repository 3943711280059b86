"""Objects that the words around them disown: `I would not answer {...}`, `{...} Wait, that is wrong.`"""

import re

_BEFORE = re.compile(
    r"(?:\b(?:not|never)|n['’]t)\s+(?:answer|reply|respond|choose|write|give|say|return|output|send|use)\b[^.!?\n]*\Z"
    r"|\b(?:bad|wrong|incorrect|poor|invalid|worst)\s+(?:answer|reply|response|choice|output|move)\b[^.!?\n]*\Z",
    re.IGNORECASE,
)
_NEAR = 200
"""How many characters before an object may speak of it."""

_AFTER = re.compile(
    r"\b(?:second thoughts?|scratch that|correction|(?:change|changed) my mind|reconsider\w*|oops|sorry|disregard\w*"
    r"|ignored?|kidding|strike that|mistake|rejected"
    r"|I (?:now )?(?:reject|withdraw|retract)|on reflection|take (?:it|that|this) back"
    r"|(?:that|this|it|which|answer|above) (?:is|was) (?:wrong|incorrect|not right)"
    r"|that['’]s (?:wrong|incorrect))\b"
    r"|\A[\W_]{0,20}(?:is|was|would be)\b(?!\s+(?:my|the|our)\b)|\A[^.!?\n]{0,60}\bis not (?:what|my)\b"
    r"|\b(?:edit|update)\s*:|:\s*(?:play|discard|hint)\b"
    r"|(?:\A|[.!?\n—-])[\W_]{0,20}(?:(?:oh|but|no|hmm)\b[\s,]{0,5}){0,3}(?:wait|actually|no|hmm)[ \t]?(?:[,.:;!—-]|\Z)",
    re.IGNORECASE,
)


def disowned(answer: str, chunk: str) -> bool:
    """Whether the words before or after the last object of an answer say that it is not what is meant."""
    before, _, after = answer.rpartition(chunk)
    return bool(_BEFORE.search(before[-_NEAR:]) or _AFTER.search(after))
