"""Verdicts in words: "Accepted", "No, it is unsafe", "(yes)", read by their leading word."""

import re

_ACCEPTS = (
    r"yes|yeah|yep|ok(?:ay)?|accept(?:s|ed|able)?|approved?|safe|true|valid|fine|allowed|correct|verified|agreed?"
    r"|(?:may|can|should) be (?:made|played)"
)
_REFUSES = (
    r"no|nope|refus(?:e|es|ed)|reject(?:s|ed)?|den(?:y|ies|ied)|declined?|unsafe|false|invalid|unacceptable"
    r"|disallowed|disapproved?|incorrect|wrong|dangerous|illegal|risky"
)
_NEGATION = r"(?:must|may|should|can|do|does|is|will|would)?\s*not|never|cannot|\w+n['’]t"
_SIGN = re.compile(
    rf"\b(?:(?P<not>{_NEGATION})\s+(?:(?:be|a|an|at all|entirely|really|very|quite|it|this|as)\s+)*)?"
    rf"(?:(?P<yes>{_ACCEPTS})|(?P<no>{_REFUSES})|(?P<made>(?:made|played)))\b(?P<after>\s*(?:[.,;:!?)\n]|\Z))?"
)
_LEAD = re.compile(
    r"(?:(?:the|this|that|my|it|move|action|choice|verdict|verification|answer|decision|play|discard|hint|was|i|we|would|do"
    r"|is(?!\s+not\b))\b|[\s*_`\"'“”(\[#>:.✅✔👍❌✗✘👎\uFE0F-])*+"
)
_TAKES_BACK = re.compile(
    r"\b(?:but|however|although|though|unless|except|instead|only (?:if|when|after|once)|wait|actually|provid(?:ed|ing)"
    r"|assuming|as long as|safe to (?:say|assume)|blunder|terrible|awful|disaster|los(?:e|es|ing) the game)\b"
    r"|\blet(?:['’]s| me| us) (?:think|check|see|consider|verify|look|analy[sz]e|start|examine|go through|first)\b"
    r"|^[^.;!\n]*\b(?:if|when|once|until)\b|\?|\bgame would be lost\b|\bwastes?\b|\A\W*\w+\s+(?:is|was|would)\s+not\b"
    r"|(?<!\bno )(?<!\bnot a )(?<!\bnot the )\bmistake\b"
    r"|(?<!\bnot )(?<!\bnever )(?<!n['’]t )(?<!\bcannot )\b(?:loses?|costs?) (?:a|one|the|our)\b"
    r"|\b(?:must|should|has to|needs to) be (?:stopped|avoided|prevented|undone|changed|reconsidered)\b|[❌✗✘👎]"
)
"""With an acceptance: a condition, a remark that speaks against the move, or thinking aloud."""
_THUMBS_UP = re.compile("[✅✔👍]")
_NOTHING_WRONG = re.compile(
    r"no[ \t]+(?!(?:its?|there|your?|the|this|that|because|since|as|i|we|he|they|slot|p\d|do|not|way)\b)\w"
    r"|(?:refuse|reject|deny|decline)s?\s+to\b"
    r"|.*\bnothing (?:is |seems |looks )?(?:wrong|bad|unsafe|risky|dangerous|against)\b"
)
"""What begins like a refusal and is none: `No objection`, `No life is lost`, `No, nothing is wrong with it`."""


def verdict(text: str) -> bool | None:
    """Whether a verdict accepts; None in doubt: no clear leading word, a contradiction, a condition.

    The text says it at its beginning, perhaps after words such as "the move is"; what follows must not speak against
    it.
    """
    lower = text.lower()
    lead = _LEAD.match(lower)
    first = _SIGN.match(lower, lead.end() if lead else 0)
    if first is None or _accepts(first) is None or "?" in (first["after"] or ""):
        return None
    if not _accepts(first) and _NOTHING_WRONG.match(lower, first.start()):
        return None
    later = [sign for sign in _SIGN.finditer(lower, first.end()) if sign["no"] != "no" or sign["after"] is not None]
    signs = {_accepts(sign) for sign in (first, *later)} - {None}
    if len(signs) != 1:
        return None
    (accepts,) = signs
    return None if (_TAKES_BACK if accepts else _THUMBS_UP).search(lower) else accepts


def _accepts(sign: re.Match[str]) -> bool | None:
    """What one word says; a doubled negation says nothing clear, and "made" only something where it is negated."""
    if sign["not"]:
        return None if sign["no"] else False
    return None if sign["made"] else bool(sign["yes"])


_MARKS = r"[\s*_`\"'“”(\[#>-]*+"
_SUBJECT = r"(?:(?:the|this|that)\s+(?:move|play|discard|hint|action|choice)|it)"
_BARE = re.compile(
    rf"{_MARKS}(?:\w+[\s*_`\"'“”)\]]*(?:[.!:;\n]|\Z|,?\s*(?:the|this|it|that)\b(?:\s+\w+){{0,3}}?\s+"
    r"(?:is|may|can|was|seems|does|risks|would|will|looks)\b)"
    rf"|(?:{_NEGATION})\s+(?:{_ACCEPTS})\b|{_SUBJECT}\s+(?:is|was|may|must|should|can)\b|I\s+(?:do\s+not\s+|would\s+|will\s+)?\w+\s+{_SUBJECT}\b)",
    re.IGNORECASE,
)


_UNFIT = re.compile(r"\b(?:does|will|can)(?:\s*not|n['’]t)\s+(?:fit|be played)\b|\bwon['’]t fit\b", re.IGNORECASE)


def bare_verdict(text: str) -> bool | None:
    """The verdict of an answer without any named part, which must begin with the verdict itself: "Okay.", "No, it is
    unsafe"; "Yes, I can help with that" is none."""
    accepts = verdict(text) if _BARE.match(text) else None
    return None if accepts and _UNFIT.search(text) else accepts
