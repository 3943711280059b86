"""Verdicts in words: "Accepted", "No, it is unsafe", "(yes)", read by their leading word."""

import re

from hanabi_orchestrator.orchestrator.replies.doubts import phrases

_ACCEPTS = phrases("""
    yes / yeah / yep / ok(?:ay)? / accept(?:s|ed|able)? / approved? / safe / true / valid / fine / allowed / correct
    verified / agreed? / (?:may|can|should) be (?:made|played) / let (?:it|this|that)(?: one| move)? pass
""")
_REFUSES = phrases("""
    no / nope / refus(?:e|es|ed) / reject(?:s|ed)? / den(?:y|ies|ied) / declined? / unsafe / false / invalid
    unacceptable / disallowed / disapproved? / incorrect / wrong / dangerous / illegal / risky
""")
_NEGATION = r"(?:must|may|should|can|do|does|is|will|would)?\s*not|never|cannot|\w+n['’]t"
_EMPHASIS = phrases("""
    definitely / absolutely / fully / clearly / certainly / surely / totally / perfectly / entirely / completely
    obviously / undoubtedly / of course / for sure / indeed
""")
_SIGN = re.compile(
    rf"""
    \b (?: (?P<flat> not | never ) (?= \s* (?:[.,;:!)\n]|\Z) )              # Absolutely not.
      | (?: (?P<not>{_NEGATION}) \s+
            (?: (?:be|a|an|at\ all|really|very|quite|it|this|as|{_EMPHASIS}) \s+ )* )?
        (?: (?P<yes>{_ACCEPTS}) | (?P<no>{_REFUSES}) | (?P<made>made|played) ) \b
        (?P<after> \s* (?:[.,;:!?)\n]|\Z) )?
    )
    """,
    re.VERBOSE,
)
"""A word that accepts or refuses, perhaps negated, and whether a clause ends with it."""
_INTRODUCES = phrases("""
    the / this / that / my / it / move / action / choice / verdict / verification / answer / decision / play / discard
    hint / was / i / we / would / do
""")
_LEAD = re.compile(
    rf"""
    (?: (?: {_INTRODUCES} | is(?!\s+not\b) | {_EMPHASIS} ) \b
      | [\s*_`"'“”(\[\#>:.✅✔👍❌✗✘👎\uFE0F-]
    )*+
    """,
    re.VERBOSE,
)
"""What may stand before the verdict itself."""

_CONTRASTS = phrases("""
    but / however / although / though / unless / except / instead / only (?:if|when|after|once) / wait / actually
    provid(?:ed|ing) / assuming / as long as / safe to (?:say|assume) / second thoughts?
""")
_CONDITIONS = re.compile(
    rf"""
    \b (?:{_CONTRASTS}) \b
    | \b let(?:['’]s|\ me|\ us)\ (?:think|check|see|consider|verify|look|analy[sz]e|start|examine|go\ through|first) \b
    | ^ [^.;!\n]* \b (?:if|when|once|until) \b
    | \?
    | \A \W* \w+ \s+ (?:is|was|would) \s+ not \b
    | \b (?:must|should|has\ to|needs\ to) \s be \s (?:stopped|avoided|prevented|undone|changed|reconsidered) \b
    | [❌✗✘👎]
    """,
    re.VERBOSE,
)
"""With an acceptance: a condition, thinking aloud, or words that ask for something else."""
_THUMBS_UP = re.compile("[✅✔👍]")
_NO_AND = phrases("""
    its? / there / your? / the / this / that / because / since / as / i / we / he / they / slot / p\\d / do / not / way
""")
"""What may follow a refusal: `No it would not fit`."""
_NOTHING_WRONG = re.compile(
    rf"""
    no [ \t]+ (?! (?:{_NO_AND}) \b ) \w
    | (?:refuse|reject|deny|decline) s? \s+ to \b
    | .* \b nothing\ (?:is\ |seems\ |looks\ )? (?:wrong|bad|unsafe|risky|dangerous|against) \b
    """,
    re.VERBOSE,
)
"""What begins like a refusal and is none: `No objection`, `No life is lost`, `No, nothing is wrong with it`."""


_PLAIN = re.compile(
    r"\W*no (?:objections?|concerns|issues|problems)\W*|[\s\uFE0F]*(?:[✅✔👍]|(?P<no>[❌✗✘👎]))[\s\uFE0F.!]*"
)
"""A whole verdict without a word that accepts or refuses."""


_NO_OBJECTION = re.compile(r"\W*no (?:objections?|concerns|issues|problems)\s*[,.;:]")


def verdict(text: str) -> bool | None:
    """Return whether a verdict accepts; None in doubt: no clear leading word, a contradiction, a condition.

    The text says it at its beginning, perhaps after words such as "the move is"; what follows must not speak against
    it.
    """
    lower = re.sub(r"[*`]+|(?<!\w)_+|_+(?!\w)", "", text.lower())
    if plain := _PLAIN.fullmatch(lower):
        return plain["no"] is None
    if objection := _NO_OBJECTION.match(lower):
        rest = lower[objection.end() :]
        against = {_accepts(sign) for sign in _SIGN.finditer(rest)} - {True}
        return None if against or _CONDITIONS.search(rest) else True
    lead = _LEAD.match(lower)
    first = _SIGN.match(lower, lead.end() if lead else 0)
    if first is None or _accepts(first) is None or "?" in (first["after"] or ""):
        return None
    if not _accepts(first) and _NOTHING_WRONG.match(lower, first.start()):
        return None
    later = [
        sign
        for sign in _SIGN.finditer(lower, first.end())
        if sign["no"] != "no" or sign["after"] is not None
    ]
    signs = {_accepts(sign) for sign in (first, *later)} - {None}
    if len(signs) != 1:
        return None
    if not _accepts(first):
        return None if _THUMBS_UP.search(lower) else False
    return None if _CONDITIONS.search(lower) else True


def _accepts(sign: re.Match[str]) -> bool | None:
    """Return what one word says; a doubled negation says nothing clear, and "made" only something where it is
    negated."""
    if sign["flat"]:
        return False
    if sign["not"]:
        return None if sign["no"] else False
    return None if sign["made"] else bool(sign["yes"])


_SUBJECT = r"(?: (?:the|this|that) \s+ (?:move|play|discard|hint|action|choice) | it )"
_BARE = re.compile(
    rf"""
    [\s*_`"'“”(\[\#>-]*+
    (?: (?: (?:{_EMPHASIS}) \s+ )? \w+ [\s*_`"'“”)\]]*
        (?: [.!:;\n] | \Z                                                  # Okay.
          | ,? \s* (?:the|this|it|that) \b (?:\s+\w+){{0,3}}? \s+         # No, it is unsafe
            (?:is|may|can|was|seems|does|risks|would|will|looks) \b )
      | (?:{_NEGATION}) \s+ (?:{_ACCEPTS}) \b                             # Not okay
      | {_SUBJECT} \s+ (?:is|was|may|must|should|can) \b                  # The move is safe
      | I \s+ (?:do\s+not\s+|would\s+|will\s+)? \w+ \s+ {_SUBJECT} \b     # I accept the move
    )
    """,
    re.VERBOSE | re.IGNORECASE,
)


def bare_verdict(text: str) -> bool | None:
    """Return the verdict of an answer without any named part, which must begin with the verdict itself: "Okay.", "No,
    it is unsafe"; "Yes, I can help with that" is none."""
    return verdict(text) if _BARE.match(text) else None
