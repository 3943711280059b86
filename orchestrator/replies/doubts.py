"""Words that leave doubt about a decision: they take it back, or say that it is somebody else's or only an example.

One table for all readers of answers: of moves, of verdicts, of named lines and of objects.
"""

import re


def phrases(table: str) -> str:
    """Return an alternation of the phrases of a table, which stand on lines of their own or between ` / `; a space
    stands for any white space. A phrase may use the other signs of regular expressions."""
    return "|".join(
        r"\s+".join(phrase.split()) for phrase in re.split(r"\n| / ", table) if phrase.strip()
    )


_RETRACTS = phrases("""
    second thoughts? / on (?:further |closer |second )?(?:reflection|inspection|look|thought)
    (?:think|check|look|consider) (?:it )?(?:again|twice|harder) / rethink\\w* / reconsider\\w*
    chang(?:e|ed|ing) my mind / (?:scratch|strike|forget) (?:it|that|this|the) / never ?mind
    correction / oops / whoops / sorry / apolog(?:y|ies|i[sz]e) / my (?:bad|mistake|error)
    kidding / jok(?:e|ing) / regret\\w* / disregard\\w* / ignored? / cancel(?:s|l?ed)? / undo / revoked?
    withdr(?:aw|ew|awn) / retract(?:s|ed)? / (?:tak(?:e|ing)|took) (?:\\w+ ){1,3}back / rejected / ruled out
    I (?:now )?reject / I (?:was|am) wrong / I (?:would|will|do) not / I disagree
    I (?:do not|don['’]t) (?:like|want|trust|agree)
    (?:that|this|it|which|answer|above|['’]s) (?:is |was )?(?:wrong|incorrect|not right|a mistake|a misread\\w*)
    (?:do not|don['’]t|not to be) (?:take|taken|use|used|trust|count|make) / (?:edit|update):
""")
RETRACTS = re.compile(rf"(?<!\w)(?:{_RETRACTS})(?!\w)", re.IGNORECASE)
"""What takes back what stands before it, wherever it stands."""

_ILLUSTRATES = phrases("""
    examples?(?! format) / for instance / e\\.g / hypothetical\\w* / illustrat\\w+ / demonstrat\\w+ / templates?
    samples? / placeholders? / dummy / typical / pretend
""")
ILLUSTRATES = re.compile(rf"(?<!\w)(?:{_ILLUSTRATES})(?!\w)", re.IGNORECASE)
"""What says that an answer only shows how one looks."""

_INTERJECTS = re.compile(
    r"""
    (?: \A | [.!?\n—–-] ) [\W_]{0,20}+                     # at the beginning of a sentence
    (?: (?:oh|but|no|hmm) \b [\s,]{0,5}+ ){0,3}
    (?: wait | actually | no | hmm+ ) [ \t]? (?: [,.:;!—-] | \Z )
    """,
    re.VERBOSE | re.IGNORECASE,
)
_DISAGREES = phrases("""
    but / however / although / though / yet / still / on the other hand / alternatively / instead / to be (?:safe|sure)
""")
_CONTRASTS = re.compile(rf"(?:\A|[.!?\n])[\W_]{{0,20}}(?:{_DISAGREES})\b", re.IGNORECASE)
_OF_THE_ANSWER = re.compile(
    r"""
    \b (?:above|previous) \b
    | \b (?:the|my|this|that) \s+ (?:\w+\s+)? (?:answer|reply|response|line|message|output|json) \b
      (?! \s* [.!]? \s* \Z )                                               # but not: This is my answer.
    | \b (?:this|that|it) \s+ was \b | \b would \s+ have \b
    | (?: \A | [.!?\n] ) [\W_]{0,20} (?!\w*s\s) \w+ \s+ (?:that|this|it) [\W_]* (?: \Z | \n )      # Scrap that.
    | (?: \A | [.!?\n] ) [\W_]{0,20} (?:void|never|nope|not) [\W_]* (?: \Z | \n )
    | \b (?:better|stronger|safer|wiser|preferable) \b (?! \s+ than \b )
    """,
    re.VERBOSE | re.IGNORECASE,
)
"""Remarks on the answer itself, or on something better."""
_OWN = phrases("""
    chose / choose / picked / pick / selected / select / decided / went / have (?:chosen|picked|selected|decided)
    hope / believe / think / know / trust / see / can see / am (?:confident|sure|certain) / think so
""")
_SPEAKS = re.compile(
    rf"""
    \b I \s+ (?! (?:{_OWN}) \b ) \w
    | \b I['’](?:d|ll|ve) \b | \b I['’]m \s+ (?! (?:confident|sure|certain) \b )
    | \b (?i: let['’]?s | let\s+us | let\s+me ) \s+ (?! know\b | go+\b ) \w
    | \b (?i: we \s+ (?:should|could|might|may|need) ) \b
    """,
    re.VERBOSE,
)
"""A speaker who goes on to do something, rather than to say what they chose, believe or hope."""


_AFTERTHOUGHTS = (RETRACTS, ILLUSTRATES, _INTERJECTS, _CONTRASTS, _OF_THE_ANSWER, _SPEAKS)


def taken_back(text: str) -> bool:
    """Return whether a text that stands after a decision leaves doubt about it: it takes it back, begins to disagree,
    calls it an example, or its writer goes on to consider something."""
    return any(doubt.search(text) for doubt in _AFTERTHOUGHTS)


# Objects that the words around them disown: `I would not answer {...}`, `{...} Wait, that is wrong.`

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
    """Return whether the words before or after the last object of an answer say that it is not what is meant."""
    text = re.sub(r"```\w*\s*\Z|<\w+>\s*\Z", "", before[-_NEAR:].rstrip()).rstrip()
    line = text.rpartition("\n")[2]
    # the clause that leads to it, `here it is:` in `They hold a red 1, so here it is:`, unless a sentence ends there
    introduction = "" if re.search(r"[.!?]\W*\Z", line) else re.split(r"[.!?;—,]\s", line)[-1]
    before_it = (
        doubt.search(introduction) for doubt in (_REFUSED, _BAD, _MODAL, _SOMEONE, ILLUSTRATES)
    )
    return bool(
        _SUPPOSED.search(before[-_NEAR:])
        or any(before_it)
        or _SPEAKS_OF_IT.search(after)
        or taken_back(after)
    )


_SECOND_BEST = re.compile(
    r"""
    (?: \A | (?<=\n) | (?<=[.!]\ ) ) [ \t]* alternatively ,? \s+ [^.,;:!?\n]{3,60}?
    \s (?:would|could|might|may) \s+ (?:also\s+)? be \s+ (?:ok|okay|fine|possible|acceptable|an\s+option)
    (?: \s+ (?:too|as\s+well) )? \s* [.!]? \s* \Z
    """,
    re.VERBOSE | re.IGNORECASE,
)


def without_second_best(text: str) -> str:
    """Return an answer without a last sentence that calls another option possible too: the decision stays."""
    return _SECOND_BEST.sub("", text) if "alternatively" in text.lower() else text
