"""Which option an answer means, by its letter, its text or both; whatever leaves doubt is no
answer."""

import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar

from pydantic import BeforeValidator, Field, PlainSerializer, ValidationInfo

from hanabi_orchestrator.experiments.tasks.questions.questions import Option, normal
from hanabi_orchestrator.orchestrator.replies.doubts import (
    ILLUSTRATES,
    RETRACTS,
    phrases,
    taken_back,
)
from hanabi_orchestrator.orchestrator.replies.reply import NotAnOption, Reply

LONGEST = 400
"""Characters; a longer text does not name an option."""

_LABEL = re.compile(
    r"(?:(?i:option|answer|choice|action|letter)\s+)?[(\[]?([A-Z])[)\]]?(?:\s*[.:)\-–—]\s*(?P<text>.*)|\s*)",
    re.DOTALL,
)
_LEADS = phrases("""
    I (?:should|will|would|must|choose|select|pick|go with)(?: to)? / I['’]ll / my (?:partner|answer|action|choice)
    (?:the |my )?(?:best |next |final |correct |right |selected )*(?:answer|action|option|choice|move) is(?: to)?
    (?:Bob|my partner|the partner) (?:intends to|will|should)(?: next)? / (?:he|they) will
""")
_LEAD = re.compile(rf"\A(?:{_LEADS})\s*:?\s*", re.IGNORECASE)
_REASON = re.compile(
    r"(?:,\s*|\s+)(?:because|since|as it|so that)\s.*\Z", re.IGNORECASE | re.DOTALL
)


def read_option(answer: object, options: Sequence[Option]) -> Option:
    """Return the option that an answer means. Raises NotAnOption with a sentence for the model."""
    if isinstance(answer, Option):
        return _only([option for option in options if option == answer], answer.full)
    if isinstance(answer, list) and len(answer) == 1:
        (answer,) = answer
    if not isinstance(answer, str | int) or isinstance(answer, bool):
        raise NotAnOption(
            f"{str(answer)[:80]!r} is not one of the options; answer with one letter and its text"
        )
    text = str(answer).strip().strip("\"'`*<>[] ").strip()
    if len(text) > LONGEST:
        raise NotAnOption(
            "it is too long to name one of the options; answer with one letter and its text"
        )
    if exact := [
        option
        for option in options
        if normal(option.text) == normal(text) or normal(option.full) == normal(text)
    ]:
        return _only(exact, text)
    if match := _LABEL.fullmatch(text.rstrip(". *")):
        return _by_label(match[1], (match["text"] or "").strip(), options)
    bare = _bare(text)  # without the words that lead to an option, and its reason
    return _only(
        [] if _doubtful(bare) else [o for o in options if normal(bare) == normal(o.text)], text
    )


def _only(fitting: Sequence[Option], text: str) -> Option:
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        which = f"may mean {' or '.join(option.full for option in fitting[:3])}"
    else:
        which = "is not one of the options"
    raise NotAnOption(f"{text[:80]!r} {which}; answer with the letter and the text of one option")


def _by_label(label: str, text: str, options: Sequence[Option]) -> Option:
    """Return the option of `C`, `(C)` or `C. its text`; a letter and a text that disagree are
    refused."""
    labelled = [option for option in options if option.label == label]
    if not labelled:
        raise NotAnOption(
            f"{label} names no option; they are {', '.join(option.label for option in options)}"
        )
    if not text:
        return _only(labelled, label)
    fitting = [option for option in labelled if _says(text, option)]
    rivals = []
    for option in options:
        if option not in labelled and normal(option.text) == normal(_bare(text)):
            rivals.append(option)
    if not fitting or rivals:
        raise NotAnOption(
            f"{label} is {labelled[0].text[:60]!r}, not {text[:60]!r}; answer with one option"
        )
    return _only(fitting, f"{label}. {text}")


def _says(text: str, option: Option) -> bool:
    """Return whether the text after a letter is that option's: in full, begun, or with more after a
    stop that does not take it back."""
    words = normal(_bare(text))
    full = normal(option.text)
    if not words or words == full or (full.startswith(words) and len(words) > 1):
        return bool(words)
    rest = words.removeprefix(full)
    return rest != words and bool(re.match(r"\s*[.,;(]", rest)) and not _doubtful(rest)


def _bare(text: str) -> str:
    return _REASON.sub("", _LEAD.sub("", text.strip("\"'`* "), count=1))


def _doubtful(text: str) -> bool:
    return bool(RETRACTS.search(text) or ILLUSTRATES.search(text) or taken_back(text))


def _read(answer: Any, info: ValidationInfo) -> Any:
    options = (info.context or {}).get("moves")
    if options is None:
        return answer
    return read_option(answer, tuple(options.values()))


Chosen = Annotated[
    Option, BeforeValidator(_read), PlainSerializer(lambda option: option.full, return_type=str)
]

_ONE_LINE = re.compile(
    r"\A\W*(?:Explanation|Analysis|Reasoning|Rationale)\s*:(?P<reason>.*)\b(?:Answer|Action)\W{0,4}:\s*(?P<answer>.*)\Z",
    re.IGNORECASE | re.DOTALL,
)
_NAMED = re.compile(r"\b(?:Answer|Action)\W{0,4}:", re.IGNORECASE)


class Answer(Reply):
    """A reply to a question, as the paper's directives ask for it: an explanation, then the
    option."""

    example: ClassVar[dict[str, Any]] = {"reason": "No card has been played.", "answer": "B. No."}
    labels: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "reason": ("Explanation", "Analysis", "Reasoning", "Rationale", "Reason"),
        "answer": (
            "Answer",
            "Action",
            "Final answer",
            "Final action",
            "Selected action",
            "Correct answer",
        ),
    }
    said: ClassVar[Mapping[str, str]] = {
        "answer": r"(?:The|My) (?:final |correct |best )?(?:answer|action) is\b[ :]*"
    }
    decisive = ("answer",)
    spare: ClassVar[Mapping[str, Any]] = {"reason": ""}

    reason: str = Field(description="the explanation, brief")
    answer: Chosen = Field(description="the selected option: its letter and its text")

    @classmethod
    def unnamed(cls, text: str) -> dict[str, Any] | None:
        """Read an answer on one line, as some directives show it, or the option alone."""
        stripped = text.strip()
        if len(_NAMED.findall(stripped)) == 1 and (match := _ONE_LINE.match(stripped)):
            words = match["answer"].strip()
            if "\n" in words:
                return None
            return {"reason": match["reason"].strip(), "answer": words}
        if "\n" in stripped or _NAMED.search(stripped):
            return None
        return {"reason": "", "answer": stripped}


def listed(options: Sequence[Option]) -> dict[str, Option]:
    """Return the options by labels that are each there once."""
    labels: dict[str, Option] = {}
    for option in options:
        if option.label not in labels:
            label = option.label
        else:
            label = f"{option.label} (the second)"
        labels[label if label not in labels else f"{label}, {len(labels)}"] = option
    return labels
