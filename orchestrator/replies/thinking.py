"""Where a model's thinking ends and its answer begins: the marks of the common models."""

import re

_TAGS = "think|thinking|thought|thoughts|reasoning|analysis|scratchpad"
_MESSAGE = r"[^<]*(?:<\|constrain\|>\w+)?<\|message\|>"
_END = re.compile(
    rf"</(?:{_TAGS})>|\[/THINK\]|◁/think▷|<\|channel\|>(?:final|commentary){_MESSAGE}|<channel\|>", re.IGNORECASE
)
_BEGIN = re.compile(rf"<(?:{_TAGS})>|\[THINK\]|◁think▷|<\|channel\|>analysis|<\|channel>thought", re.IGNORECASE)
_CLOSING = re.compile(r"\s*<\|(?:end|return|call|im_end|eot_id)\|>\s*\Z")
_TURN_END = re.compile(r"(?<=\S)\s*(?:<\|(?:im_end|eot_id|endoftext)\|>|<end_of_turn>|</s>)")
"""What follows is a turn that the model made up."""
_WRAPPED = re.compile(r"\s*<(answer|final|final_answer|response|output)>(.*)</\1>\s*", re.DOTALL | re.IGNORECASE)


def answer_of(text: str) -> str:
    """Return what follows the thinking, without the tag around all of it."""
    if not any(mark in text for mark in "<[◁"):  # each tag has one, and the patterns look at every character
        return text
    *_, answer = _END.split(_TURN_END.split(text, maxsplit=1)[0])
    answer = _CLOSING.sub("", answer)
    wrapped = _WRAPPED.fullmatch(answer)
    return wrapped[2].strip() if wrapped else answer


def still_thinks(answer: str) -> bool:
    """Return whether thinking begins that never ends."""
    return _BEGIN.search(answer) is not None
