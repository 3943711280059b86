"""The legal move that an answer means: by its number in the list, by its exact text, or in words.

Whatever leaves doubt is refused: that costs one more request, whereas a misread answer costs a card.
"""

import re
from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import BeforeValidator, PlainSerializer, ValidationInfo, WithJsonSchema

from hanabi_orchestrator.orchestrator.hanabi import moves
from hanabi_orchestrator.orchestrator.hanabi.move_words import VERBS, restated
from hanabi_orchestrator.orchestrator.hanabi.moves import (
    COLOURS,
    Discard,
    Hint,
    HintColour,
    HintRank,
    Listed,
    Move,
    Play,
    parse,
)
from hanabi_orchestrator.orchestrator.replies.doubts import (
    ILLUSTRATES,
    RETRACTS,
    disowned,
    phrases,
    taken_back,
)
from hanabi_orchestrator.orchestrator.replies.reply import OPTION, NotAnOption

LONGEST = 300
"""Characters; a longer answer does not name a move."""

# The words around a move

_PREAMBLE = re.compile(
    r"""
    (?: I(?:['’]ll|\ will)? \ (?:choose|pick|select|go\ with) \s+ )?
    (?: to \s+ )?
    (?: (?:my|the|our) \s+ )?
    (?: (?:final|chosen) \s+ )?
    (?: (?:move|action|option|choice|answer|decision) \b (?: \s+ number \b )? (?: \s+ is \b | \s*: )? \s* )?
    (?: to \s+ (?=play|discard|hint) )?
    """,
    re.VERBOSE | re.IGNORECASE,
)
"""Words before a move that only say that it is one: `I choose `, `my final action is `, `Move: `."""
_BECAUSE = re.compile(r"(?:,\s*|\s+)(?:because|since)\s|\s*[，,]?\s*(?:因为|由于)", re.IGNORECASE)
_NOT_ANOTHER = re.compile(
    rf",?\s+(?:not|rather\s+than|instead\s+of)\s+(?:{moves.PATTERN})\Z", re.IGNORECASE
)
"""After a move: another one that is not meant."""
_RULED_OUT = re.compile(
    rf"\Anot\s+(?:{moves.PATTERN})\b(?:(?!play|discard|hint|clue)[^.;]){{0,60}}?\bbut\s+(?!not\b)",
    re.IGNORECASE,
)
"""Before a move: another one that is not meant."""
_SIGNS = r"(?![❌✖✗✘❓❔⛔👎🚫🛑])[\U0001F000-\U0001FAFF☀-➿\uFE0F]"
_DECORATED = re.compile(rf"\A(?:{_SIGNS}|[\s*_])+|(?:{_SIGNS}|[\s*_])+\Z")
"""Emojis around a move, but for those that refuse it."""
_TOUCHES = re.compile(
    r"""
    \A ( hint\ P[0-4]\ (?:[a-z]+|rank\ [1-5]) ) \s*
    \( (?= [^()]* (?:touch|slot|card) )
       (?: (?: touch(?:es|ing)? | P[0-4](?:['’]s)? | their | his | slots? | cards? | and | , | [0-4] ) \s*+ )++
    \) \Z
    """,
    re.VERBOSE | re.IGNORECASE,
)
"""A hint with a remark on which cards it touches."""
_HARMLESS = re.compile(
    r"\b(?:not|no|never)\s+(?:an?\s+)?(?:critical|dangerous|risky|harmful)\b", re.IGNORECASE
)

# Numbers in words

_NUMBERS = ("zero", "one", "two", "three", "four", "five")
_DIGITS = {word: str(number) for number, word in enumerate(_NUMBERS)}
_DIGIT = re.compile(rf"\b(slot|rank)\s+({'|'.join(_NUMBERS)})\b", re.IGNORECASE)
_PLURAL = re.compile(rf"\b({'|'.join(_NUMBERS[1:])})s\b", re.IGNORECASE)
_COLOURED_ONES = re.compile(rf"\b(?:{'|'.join(COLOURS)})\s+ones\b", re.IGNORECASE)
"""No number: the red cards."""

# A move in a text

_INSIDE = re.compile(
    rf"(?<![\w-])(?:{moves.PATTERN})(?!\w|\.+\d|\s*\d|\s*[-–—/]\s*\d)", re.IGNORECASE
)
"""The exact text of a move, and no beginning of a longer number."""
_VERB = re.compile(rf"\b(?:{'|'.join(VERBS.values())})(?:s|ing)?\b")
_PLACE = re.compile(
    r"\b(?:slot|card|index|position)\s*+(?:#\s*+)?(-?\d++(?:\.\d++)?)(?!\s*[-–—/]\s*\d|\.\.)"
)
_AFTER_VERB = re.compile(r"\b(?:play|discard)(?:ing|s)?\s+#?(-?\d+(?:\.\d+)?)\b")
_TARGET = re.compile(r"\bp(?:layer)?\s*([0-4])(?:'s|’s|s)?\b")
_RANK = re.compile(r"\b(\d+(?:\.\d+)?)(?:['’]?s)?\b")
_COLOUR = re.compile(rf"\b(?:({'|'.join(COLOURS)})s?|colou?r\s+([rygwb]))\b")

# Doubts, in texts in small letters

_NEGATIONS = phrases("""
    no / not / never / avoid / without / except / cannot / refused? / but / unless / if / opposite
    rather / instead / bad / worse / worst / wrong / illegal / unsafe / useless / forbidden / fails? / loses? / rating
    maybe / perhaps / either / out / then / than / over / vs / actually / although / though / however
""")
_NEGATED = re.compile(rf"\b(?:{_NEGATIONS})\b|n['’]t\b")
"""A negation, a comparison, a judgement or a contrast."""
_OTHER_TIMES = phrases("""
    when / once / after / before / until / later / next turn / otherwise / provided / refrain\\w* / wait
""")
_FOREIGN = phrases(
    "nicht / kein\\w* / niemals / pas / jamais / nunca / jamás / não / niet / nooit / mai"
)
_UNSETTLED = re.compile(
    rf"\b(?:{_OTHER_TIMES})\b|\?\W*\Z|~~|[不别勿❌✖✗✘👎🚫🛑]|\b(?:{_FOREIGN})\b"
)
"""A condition, another time, a question, a text that is struck out, or a negation in another language."""
_PLAYER = r"p(?:layer)?\s*[0-4]"
_ACTOR = re.compile(
    rf"""
    \b (?:have|let|ask|make|stop|wait\ for) \s+ (?:him|her|them|{_PLAYER}) \b
    | \b (?:he|she|they|{_PLAYER}) \s+
      (?: (?:should|will|may|can|must|could|would|might|to) \s+ (?:now\s+|then\s+)? )
      (?:play|discard|hint|clue|reveal|tell) \b
    | \b {_PLAYER} \s+ (?:play|discard)s? \b
    """,
    re.VERBOSE,
)
"""Words that make a move that of another player."""
_JUDGED = re.compile(
    r"""
    ["'`*\s]* \b (?:is|was|seems|looks|appears|sounds|feels|would|could|might|may|costs|wastes|kills|has) \b
    (?! \s+ (?:be\s+)? (?: (?:the|my|our|a|clearly|certainly) \s+ )*
        (?:best|safe|safest|right|correct|chosen|choice|strongest|good|only|certain|final) \b )
    """,
    re.VERBOSE,
)
"""After a move: a remark about it that does not commend it, as in `play slot 2 is tempting`."""
_SEVERAL = re.compile(
    r"""
    \b or \b | [/&+<>|]
    | (?: , | \b and \b ) \s*+ (?:slots?|cards?|ranks?|colou?rs?|\d|red|yellow|green|white|blue) \b
    """,
    re.VERBOSE,
)
_RELATIVE = re.compile(r"\+\s*[0-9]")
_LEADS = frozenset(
    re.findall(
        r"\S+",
        """
        i i'll i'd i'm will shall should must would like want going go am be to my me we we'll let let's us
        the a an this that is it move action choice option decision answer final best safest most good only
        legal valid right chosen selected choose select pick therefore so thus hence then now please give
        giving provide use using spend spending information token player p for with on turn by and about just
        simply safely card slot colour color rank red yellow green white blue 我 我选择 选择
        """,
    )
)
"""What may stand before the verb of a move; anything else may speak against it: `resist playing slot 2`."""
_CONCLUDED = re.compile(r"\A.*[,.;:]\s*(?:so|therefore|thus|hence)\b", re.DOTALL)

# Labels

_LABEL = re.compile(
    r"""
    (?: (?:move|action|option|number) \s* | \# )?
    [(\[]? (\d+|[A-Z]{1,2}) [)\]]? \s*
    (?: [-–—.:()\[\]] \s* (?P<text>.*) )?
    """,
    re.VERBOSE | re.DOTALL | re.IGNORECASE,
)
_LETTER = re.compile(r"(?<![\w'’])([A-Z]{1,2})(?![\w'’])(?!\s+[a-z])")
"""A label by letters, and no first word of a sentence: `I play`, `A hint`."""
_SENTENCE = re.compile(
    r"\w+\s.*\b(?:is|are|was|were|will|would|can|should|must|has|have|fits?|knows?)\b"
)

_DOUBTS = (_NEGATED, _RELATIVE, _UNSETTLED, _ACTOR, RETRACTS, ILLUSTRATES)


def ground(answer: object, legal: Listed) -> Move:
    """Return the legal move that an answer means: its number, its exact text, or a paraphrase that fits just one move.

    In doubt the answer is refused: that costs one more request, whereas a misread answer costs a card. Raises
    ValueError with a sentence that helps a model to correct its answer.
    """
    if isinstance(answer, Move):
        return _only([move for move in legal.values() if move == answer], str(answer))
    if isinstance(answer, list) and len(answer) == 1:
        (answer,) = answer
    answer = restated(answer, legal)
    if not isinstance(answer, str | int) or isinstance(answer, bool):
        return _only([], str(answer))
    text = _stated(str(answer))
    if len(text) > LONGEST:
        return _only([], text)
    if by_text := [move for move in legal.values() if str(move).lower() == text.lower()]:
        return by_text[0]
    if (label_match := _LABEL.fullmatch(text)) and (
        (label := label_match[1].upper()).isdigit() or label in legal
    ):
        return _by_label(label, (label_match["text"] or "").strip(" ()"), legal)
    return _only(_worded(text, legal), text)


def _stated(answer: str) -> str:
    """Return the move that a text states, without the marks and the words around it that change nothing."""
    text = _DECORATED.sub("", answer).strip("\"'`* ").rstrip(". ")
    # marks and number words as a list of moves has them: `<play_slot_two>` as `play slot 2`
    if wrapped := re.fullmatch(r"<([^<>]*)>", text):
        text = wrapped[1].strip()
    if re.fullmatch(r"[A-Za-z]\w*", text):
        text = text.replace("_", " ")
    text = re.sub(r"\AI (?=(?:play|discard|hint) )", "", text)
    text = _DIGIT.sub(lambda match: f"{match[1]} {_DIGITS[match[2].lower()]}", text)
    if not _COLOURED_ONES.search(text):
        text = _PLURAL.sub(lambda match: f"{_DIGITS[match[1].lower()]}s", text)
    text = _RULED_OUT.sub("", _NOT_ANOTHER.sub("", _TOUCHES.sub(r"\1", text)))
    statement = _PREAMBLE.sub("", text, count=1).lstrip("\"'`* ") or text
    head, *reasons = _BECAUSE.split(statement, maxsplit=1)
    return head.rstrip("\"'`*. ") if reasons and _explains(reasons[0]) else statement


def _explains(text: str) -> bool:
    """Return whether a text after a move is only its reason: it names no other move and takes nothing back."""
    lower = text.lower()
    return not (
        _NEGATED.search(lower) or _SEVERAL.search(lower) or _verbs(lower) or _INSIDE.search(text)
    )


def _only(fitting: Sequence[Move], answer: str) -> Move:
    if len(fitting) == 1:
        return fitting[0]
    which = (
        "is not a legal move now"
        if not fitting
        else f"may mean {' or '.join(str(m) for m in fitting[:3])}"
    )
    raise NotAnOption(
        f"{answer[:80]!r} {which}; answer with one of the legal moves, copied exactly"
    )


def _by_label(label: str, text: str, legal: Listed) -> Move:
    """Return the move of `7`, `#7`, `(7)`, `C` or `7: play slot 0`; a label and a text that disagree are refused."""
    if label not in legal:
        raise NotAnOption(f"{label} does not name a legal move; the list has {', '.join(legal)}")
    move = legal[label]
    if text and not _is_reason(label, text, move) and _worded(text, legal) != [move]:
        raise NotAnOption(
            f"{label} is {str(move)!r}, not {text[:60]!r}; answer with one legal move"
        )
    return move


def _is_reason(label: str, text: str, move: Move) -> bool:
    """Return whether what follows a label is a sentence that names no other move: `D. It is known to fit`.

    After a number there may be no other number, after a letter no other slot.
    """
    if not (_SENTENCE.search(text.lower()) and _explains(text)) or _LETTER.search(text):
        return False
    slots = {str(move.slot)} if isinstance(move, Play | Discard) else set[str]()
    return (
        not re.search(r"\d", text)
        if label.isdigit()
        else set(_PLACE.findall(text.lower())) <= slots
    )


def _worded(text: str, legal: Listed) -> list[Move]:
    """Return the legal moves that a text in words may mean; none if the text negates, compares or counts relatively."""
    lower = _HARMLESS.sub(" ", text.lower()).replace("(", " ").replace(")", " ")
    verbs = _verbs(lower)
    if len(verbs) != 1 or any(doubt.search(lower) for doubt in _DOUBTS):
        return []
    head = _VERB.split(lower, maxsplit=1)[0].replace(
        "’", "'"
    )  # it may only introduce the move, or end in `, so`
    if not _LEADS.issuperset(re.findall(r"[^\W\d_]+(?:'[^\W\d_]+)*", _CONCLUDED.sub("", head))):
        return []
    if any(_JUDGED.match(lower, match.end()) for match in _INSIDE.finditer(lower)):
        return []
    if exact := {str(moves.from_match(match)) for match in _INSIDE.finditer(text)}:
        if len(exact) == 1 and _SEVERAL.search(_INSIDE.sub(" ", lower)):
            return []
        return _unlabelled(
            [move for move in legal.values() if str(move) in exact], _INSIDE.sub(" ", text), legal
        )
    if re.search(r"\bor\b|[<>|]", lower):
        return []
    if "hint" in verbs:
        return _unlabelled(_hints(lower, legal), text, legal)
    places = set(_PLACE.findall(lower) or _AFTER_VERB.findall(lower))
    mine = [
        move for move in legal.values() if isinstance(move, Play | Discard) and move.kind in verbs
    ]
    return _unlabelled([move for move in mine if places == {str(move.slot)}], text, legal)


def _verbs(text: str) -> set[str]:
    """Return the kinds of move that a text in small letters speaks of."""
    return {kind for kind, words in VERBS.items() if re.search(rf"\b(?:{words})(?:s|ing)?\b", text)}


def _unlabelled(fitting: list[Move], text: str, legal: Listed) -> list[Move]:
    """Return the moves, unless the text has the label of another one beside them."""
    labels = [legal[label] for label in _LETTER.findall(text) if label in legal]
    return fitting if all(move in fitting for move in labels) else []


def _hints(text: str, legal: Listed) -> list[Move]:
    """Hints that fit the target, the colour and the rank; the target may be left out only if just one is possible."""
    if _PLACE.search(text):  # a hint is of a colour or a rank, never of a card
        return []
    hints = [move for move in legal.values() if isinstance(move, Hint)]
    rest = _TARGET.sub(" ", text)
    targets = {int(seat) for seat in _TARGET.findall(text)} or {move.to for move in hints}
    colours = {COLOURS.get(word, letter.upper()) for word, letter in _COLOUR.findall(rest)}
    ranks = set(_RANK.findall(rest))
    if len(targets) != 1:
        return []
    fitting: list[Move] = [
        m for m in hints if isinstance(m, HintColour) and (colours, ranks) == ({m.colour}, set())
    ]
    fitting += [
        m for m in hints if isinstance(m, HintRank) and (colours, ranks) == (set(), {str(m.rank)})
    ]
    return [move for move in fitting if {getattr(move, "to", None)} == targets]


# A move at the end of an answer that names no field

_STATES = phrases("""
    I / I will / I['’]ll / we / I (?:will )?(?:choose|pick|select)(?: to)? / I decide to / I go with
    (?:my|the) (?:final )?(?:move|choice|action|decision|answer)(?: is)?:? / (?:final )?(?:move|choice|action|answer):
    我 / 我选择 / 我决定
""")
_CONCLUSION = re.compile(
    rf"(?:(?:so|thus|therefore|hence),? )?(?:(?:{_STATES})\s*)?"
    rf"(?P<move>(?:{moves.PATTERN})(?:{_BECAUSE.pattern}.*)?)\W*",
    re.IGNORECASE,
)
_ENDS = re.compile(r"(?<=[.!?:])\s+|(?<=[。！？：])|\n")
_LONG = 600
"""Characters; of a longer answer the last sentence alone says little."""


def concluded(text: str) -> tuple[str, str] | None:
    """Return the words before the only move of an answer, and the move that its last sentence states; None in doubt."""
    text = text.strip()
    *before, last = [sentence for sentence in _ENDS.split(text) if sentence] or [""]
    words = " ".join(before).strip()
    named = {match[0].lower() for match in _INSIDE.finditer(text)}
    if (
        len(text) > _LONG
        or len(named) != 1
        or not (stated := _CONCLUSION.fullmatch(last.strip().strip("*`\"'")))
    ):
        return None
    if (
        taken_back(words)
        or disowned(words, "")
        or (words and words[-1] not in ".!。！")
        or _NEGATED.search(words.lower())
    ):
        return None
    return words, stated["move"]


_COMMENDS = re.compile(
    rf"(?:{moves.PATTERN}) (?:is|seems|looks) (?:clearly |the |my )*(?:best|safest|strongest)\b"
    rf"|\b(?:best|safest|strongest|right) (?:move|action|choice|option)(?: here| now)?(?: is|:)(?: to)? "
    rf"(?:{(_ANY := re.sub(r'[?]P<[a-z]+>', '?:', moves.PATTERN))})"
    rf"|\bI (?:(?:therefore|thus|hence|so|will|now|shall|(?:choose|decide) to) )+(?:{_ANY})",
    re.IGNORECASE,
)
_FROM_ONE = re.compile(
    r"(?:\A|[.;\n(])(?:(?!\bnot\b|n['’]t\b|\bnever\b)[^.;\n])*"
    r"\b(?:number|count)(?:ing|s)?\b(?:(?!\bnot\b)[^.;\n]){0,30}\bslots? (?:(?!\bnot\b)[^.;\n]){0,20}\bfrom (?:1|one)\b"
)
"""A sentence that counts slots from 1, which none of ours does."""
_HEDGES = re.compile(
    r"\b(?:if|but|unless|otherwise|although|though|not|would be|however|next|later)\b|\?"
)


_CHOSEN = re.compile(
    r"(?:\A|[.;\n])\s*(?:(?:final|chosen|my) )?(?:move|action|choice|final answer)\s*[:=]\s*"
    rf"(?P<move>{moves.PATTERN})\s*(?:[.;,!\n]|\Z)",
    re.IGNORECASE,
)
"""A move that a text states as chosen: `action: play slot 1`."""


def speaks_for_another(reason: str, move: Move) -> bool:
    """Return whether a reason states another move as chosen, or speaks of another alone and commends it, or says what
    the chosen one would lose; or counts slots from 1, or means a slot of another hand: `P1's slot 4 is played`."""
    text = reason.lower()
    spelled = str(move)
    if any(match["move"] != spelled for match in _CHOSEN.finditer(text)):
        return True
    if isinstance(move, Play | Discard):
        slot = rf"p[0-4]['’]s slot {move.slot}\b"
        if _FROM_ONE.search(text) or re.search(
            rf"\b{slot} (?:is|gets) {move.kind}ed|\b(?:I|we) {move.kind} {slot}", text
        ):
            return True
    if spelled in text:
        return any(
            re.search(
                rf"{spelled} (?:would|will) (?:lose|cost|waste|fail|misplay)|{spelled}.*\bnever do\b",
                sentence,
            )
            and not _HEDGES.search(sentence)
            for sentence in re.split(r"[.;\n]", text)
        )
    return any(
        _COMMENDS.search(part) and not _HEDGES.search(part) for part in re.split(r"[.;\n]", text)
    )


_JUDGES = re.compile(
    rf"\b(?:chosen|proposed) (?:move|action)(?: is|:)?[\s\"'`*]+(?P<move>{moves.PATTERN})\b",
    re.IGNORECASE,
)


def judges_another(reason: str, move: Move) -> bool:
    """Return whether a judge's reason calls another move the chosen one."""
    return any(match["move"].lower() != str(move) for match in _JUDGES.finditer(reason))


def _grounded(answer: Any, info: ValidationInfo) -> Any:
    legal = (info.context or {}).get("moves")
    if legal is not None:
        return ground(answer, legal)
    return parse(answer) if isinstance(answer, str) else answer


Grounded = Annotated[
    Move,
    BeforeValidator(_grounded),
    PlainSerializer(str, return_type=str),
    WithJsonSchema(
        {
            "type": "string",
            "description": "One of the legal moves, copied from the list.",
            OPTION: True,
        }
    ),
]
"""A move as a reply names it: a text in JSON, matched to a legal move when `context={"moves": ...}` is given."""
