"""The second ask: what a model is told when its first answer cannot be used.

It says what was wrong in one sentence, and by its cause what helps: the legal moves again, or a call for brevity. The
answer is quoted only where it is short and one thing in it is wrong; a cut-off or rambling answer would only be
continued. So a second ask is a little longer than the first one, and never by a page.
"""

from collections.abc import Mapping

from hanabi_orchestrator.orchestrator.replies.reader import Unreadable
from hanabi_orchestrator.orchestrator.replies.reply import Options, answer_of

QUOTED = "That reply cannot be used: $error."
UNQUOTED = "You have replied to this once already, and that reply cannot be used: $error."
BRIEFER = "Be much briefer this time: one short sentence wherever words are asked for."
NOTHING_ELSE = "Write the reply itself and nothing else."
LEGAL = "The legal moves are: $moves. Copy every move from this list."
SAME_FORMAT = "Reply once more, in the answer format given above."
OTHER_FORMAT = (
    "Reply once more, in the answer format given below, which takes the place of the one above."
)

SENTENCES = (QUOTED, UNQUOTED, BRIEFER, NOTHING_ELSE, LEGAL, SAME_FORMAT, OTHER_FORMAT)
"""What a second ask may say, in English; other languages have a phrase for each."""

ECHO = 2000
"""The most characters of an unusable answer that are quoted."""


def quotation(text: str, problem: Unreadable) -> str | None:
    """Return what of an unusable answer the model is shown again: all of it, or None where that would not help."""
    answer = answer_of(text).strip()
    return (
        answer
        if problem.cause in ("schema", "illegal", "contradiction") and 0 < len(answer) <= ECHO
        else None
    )


def complaint(
    problem: Unreadable,
    legal: Options,
    phrases: Mapping[str, str],
    *,
    quoted: bool,
    other_format: bool,
) -> str:
    """Return what was wrong with an answer and how to reply now; `phrases` has the SENTENCES in the prompt's language.

    `quoted`: the answer stands right before it. `other_format`: the format to answer in stands right behind it.
    """
    moves = "; ".join(f"{label}: {move}" for label, move in legal.items())
    remedies = {
        "cut_off": BRIEFER,
        "too_long": BRIEFER,
        "prose": NOTHING_ELSE,
        "illegal": LEGAL if moves else "",
    }
    sentences = (
        QUOTED if quoted else UNQUOTED,
        remedies.get(problem.cause, ""),
        OTHER_FORMAT if other_format else SAME_FORMAT,
    )
    text = " ".join(phrases.get(sentence, sentence) for sentence in sentences if sentence)
    text = text.replace("。 ", "。")  # Chinese puts no space between sentences
    return text.replace("$moves", moves).replace("$error", str(problem).rstrip("."))
